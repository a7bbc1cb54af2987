//! Small pieces of the page: escaped text, numbers for the eye, tables, pictures.
//!
//! The page is both HTML and well-formed XML, so that a test can parse it.

use core::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Text as a page may show it: markup is escaped, characters that XML forbids are replaced.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a>(pub &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|character| match character {
            '&' => f.write_str("&amp;"),
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '"' => f.write_str("&quot;"),
            '\'' => f.write_str("&#39;"),
            '\n' | '\t' => write!(f, "{character}"),
            '\u{fffe}' | '\u{ffff}' => f.write_str("\u{fffd}"),
            control if control.is_control() => f.write_str("\u{fffd}"),
            other => write!(f, "{other}"),
        })
    }
}

/// A number with four significant digits and no idle zeros; a dash where there is none.
#[derive(Clone, Copy, Debug)]
pub struct Number(pub f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.0;
        if !value.is_finite() {
            return f.write_str("–");
        }
        let size = value.abs();
        if size != 0.0 && !(1e-4..1e7).contains(&size) {
            return write!(f, "{}", format!("{value:.3e}").replace('-', "−"));
        }
        let whole_digits = if size < 1.0 { 0 } else { size.log10() as usize + 1 };
        let text = format!("{value:.*}", 4usize.saturating_sub(whole_digits));
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        let text = if text == "-0" { "0" } else { text };
        f.write_str(&text.replace('-', "−"))
    }
}

/// A number that may be missing, with its unit; the unit `1` of a pure number is not shown.
pub fn quantity(value: Option<f64>, unit: &str) -> String {
    match value.filter(|value| value.is_finite()) {
        None => "–".to_owned(),
        Some(value) if unit.is_empty() || unit == "1" => Number(value).to_string(),
        Some(value) => format!("{}\u{202f}{}", Number(value), Text(unit)),
    }
}

/// A section with a heading that the page's menu leads to.
pub fn section(id: &str, title: &str, body: &str) -> String {
    format!("<section id=\"{id}\"><h2>{}</h2>\n{body}</section>\n", Text(title))
}

/// A remark where a section has nothing to show.
pub fn nothing(remark: &str) -> String {
    format!("<p class=\"quiet\">{}</p>\n", Text(remark))
}

/// A table; heads and cells are HTML already, columns whose head ends in `#` hold numbers.
pub fn table(heads: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let class = |head: &&str| if head.ends_with('#') { " class=\"number\"" } else { "" };
    let head: String =
        heads.iter().map(|head| format!("<th{}>{}</th>", class(head), head.trim_end_matches('#'))).collect();
    let cell = |(head, cell): (&&str, &String)| format!("<td{}>{cell}</td>", class(head));
    let row = |row: Vec<String>| format!("<tr>{}</tr>\n", heads.iter().zip(&row).map(cell).collect::<String>());
    let body: String = rows.into_iter().map(row).collect();
    format!("<div class=\"scroll\"><table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>\n")
}

/// A PNG as the address of a picture.
pub fn png_address(png: &[u8]) -> String {
    format!("data:image/png;base64,{}", STANDARD.encode(png))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits_and_no_idle_zeros() {
        let shown =
            [0.0, -0.00001, 0.5, 12.3456, 123456.7, 1e-9, -2.5, f64::NAN].map(|value| Number(value).to_string());
        assert_eq!(shown, ["0", "−1.000e−5", "0.5", "12.35", "123457", "1.000e−9", "−2.5", "–"]);
    }

    #[test]
    fn markup_and_forbidden_characters_are_only_text() {
        assert_eq!(Text("<b a='1'>&\0\u{ffff}").to_string(), "&lt;b a=&#39;1&#39;&gt;&amp;\u{fffd}\u{fffd}");
    }

    #[test]
    fn a_pure_number_has_no_unit() {
        assert_eq!(quantity(Some(3.0), "1"), "3");
        assert_eq!(quantity(Some(3.0), "m/s"), "3\u{202f}m/s");
        assert_eq!(quantity(None, "m"), "–");
    }
}
