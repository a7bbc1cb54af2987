//! The words of serde, taken apart into what was expected and what was found.

/// A message in one line and in words that people use who have never written Rust.
pub(crate) fn of(message: &str) -> String {
    let message = in_one_line(message);
    if let Some(field) = message.strip_prefix("missing field ") {
        return format!("expected the field {field}, found none");
    }
    // what toml says of a field that a variant does not have
    if let Some((field, known)) =
        message.strip_prefix("unexpected keys in table: ").and_then(|m| m.split_once(", available keys: "))
    {
        return format!("expected one of {known}, found unknown field `{field}`");
    }
    let bare = message
        .trim_start_matches("invalid type: ")
        .trim_start_matches("invalid value: ")
        .trim_start_matches("unknown variant ");
    match bare.split_once(", expected ") {
        Some((found, expected)) => format!("expected {}, found {found}", in_words(expected)),
        None => message,
    }
}

/// A message without line breaks.
pub(crate) fn in_one_line(message: &str) -> String {
    message.lines().map(str::trim).collect::<Vec<_>>().join(", ")
}

fn in_words(expected: &str) -> &str {
    match expected {
        "f64" | "f32" => "a number",
        "i64" | "u64" | "u32" | "u16" | "u8" | "usize" | "i32" => "a whole number",
        "a boolean" => "true or false",
        "a string" => "a text",
        "a sequence" => "a list",
        "a map" => "a table",
        other => match other.strip_prefix("struct ") {
            Some(_) => "a table",
            None => other,
        },
    }
}
