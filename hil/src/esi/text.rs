//! From a file's bytes to text, whatever its encoding, and from its spelling of numbers to numbers.

use encoding_rs::{Encoding, UTF_8};

/// How far into a file its declaration reaches [bytes].
const DECLARATION: usize = 200;

/// The text of a file: by its byte order mark, else by the encoding that its declaration names, else UTF-8. The error says
/// what was expected and found, and at which byte.
pub(super) fn decode(bytes: &[u8]) -> Result<String, (usize, String)> {
    let (encoding, rest) = match Encoding::for_bom(bytes) {
        Some((encoding, mark)) => (encoding, &bytes[mark..]),
        None => (declared(bytes)?, bytes),
    };
    let (text, wrong) = encoding.decode_without_bom_handling(rest);
    if !wrong {
        return Ok(text.into_owned());
    }
    let at = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), |_| 0);
    Err((
        at,
        format!(
            "expected text in {}, found other bytes; the file's first line may name another encoding",
            encoding.name()
        ),
    ))
}

fn declared(bytes: &[u8]) -> Result<&'static Encoding, (usize, String)> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(DECLARATION)]);
    let Some(declaration) = head.trim_start().strip_prefix("<?xml").and_then(|rest| rest.split("?>").next()) else {
        return Ok(UTF_8);
    };
    let Some((_, value)) = declaration.split_once("encoding") else { return Ok(UTF_8) };
    let label = value.trim_start_matches([' ', '=', '\t', '\r', '\n']);
    let label = label.trim_start_matches(['"', '\'']).split(['"', '\'']).next().unwrap_or_default();
    Encoding::for_label(label.as_bytes())
        .ok_or_else(|| (0, format!("encoding: expected a known one, for example UTF-8 or ISO-8859-1, found '{label}'")))
}

/// A number as ESI files spell it: `#x1A2B`, also `0x1A2B`, or decimal.
pub fn number(text: &str) -> Option<i64> {
    let text = text.trim();
    let hexadecimal = ["#x", "#X", "0x", "0X"].into_iter().find_map(|prefix| text.strip_prefix(prefix));
    match hexadecimal {
        // not what from_str_radix would take beside: a sign
        Some(digits) if digits.starts_with(['+', '-']) => None,
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_hexadecimal_or_decimal() {
        assert_eq!(["#x1a", "#X1A", "0x1A", " 26 "].map(number), [Some(26); 4]);
        assert_eq!(["", "#x", "1A", "#x-1", "99999999999999999999"].map(number), [None; 5]);
        assert_eq!(number("-5"), Some(-5));
    }

    #[test]
    fn an_encoding_is_that_of_the_mark_or_the_declaration() {
        assert_eq!(decode(b"\xef\xbb\xbf<a/>").unwrap(), "<a/>");
        let latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xb5s</a>";
        assert!(decode(latin).unwrap().ends_with("<a>µs</a>"));
        let wide: Vec<u8> = "\u{feff}<a>µ</a>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode(&wide).unwrap(), "<a>µ</a>");
        let (at, message) = decode(b"<?xml version='1.0'?>\n<a>\xb5</a>").unwrap_err();
        assert!(at == 25 && message.contains("UTF-8"), "{at}: {message}");
        assert!(decode(b"<?xml version='1.0' encoding='klingon'?>").unwrap_err().1.contains("'klingon'"));
    }
}
