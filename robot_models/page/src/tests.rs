#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;
use serde::Deserialize;

use super::*;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only what is refused is looked at")]
struct Robot {
    name: String,
    #[serde(default)]
    wheel: Vec<Wheel>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only what is refused is looked at")]
struct Wheel {
    radius: f64,
    place: Option<Place>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only what is refused is looked at")]
struct Place {
    x: f64,
}

fn refused(text: &str) -> String {
    Page { file: "a.toml", text }.read::<Robot>().unwrap_err().to_string()
}

#[test]
fn what_is_wrong_is_told_with_line_and_field() {
    for (text, told) in [
        ("name = 3\n", "a.toml:1: name: expected a text, found integer `3`"),
        (
            "name = \"a\"\n\n[[wheel]]\nradius = true\n",
            "a.toml:4: [[wheel]] radius: expected a number, found boolean `true`",
        ),
        (
            "name = \"a\"\n[[wheel]]\nplace = { x = 1 }\n",
            "a.toml:2: [[wheel]]: expected the field `radius`, found none",
        ),
        (
            "name = \"a\"\n[[wheel]]\nradius = 1\nplace = { x = \"far\" }\n",
            "a.toml:4: [[wheel]] x: expected a number, found string \"far\"",
        ),
        ("naem = \"a\"\n", "a.toml:1: naem: expected `name` or `wheel`, found unknown field `naem`"),
        ("name = \"a\"\nwheel = 2\n", "a.toml:2: wheel: expected a list, found integer `2`"),
        ("", "a.toml:1: the file: expected the field `name`, found none"),
    ] {
        assert_eq!(refused(text), told);
    }
    assert!(refused("name = \n").starts_with("a.toml:1: not valid TOML: "), "{}", refused("name = \n"));
}

#[test]
fn bytes_that_are_no_text_are_refused_in_their_line() {
    let fault = Page::of_bytes("a.toml", b"name = \"a\"\n\xff").map(|page| page.text.len()).unwrap_err();
    assert_eq!(fault.to_string(), "a.toml:2: the file: expected UTF-8 text, found bytes that are not UTF-8");
}

#[test]
fn what_is_lacking_is_lacking_at_the_end() {
    let page = Page { file: "a.toml", text: "name = \"a\"\n# no board\n\n" };
    assert_eq!(
        page.lacks("board", "a [[board]]").to_string(),
        "a.toml:2: board: expected a [[board]], found none up to the end of the file"
    );
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_in_one_of_its_lines(text in "([a-z\\[\\]={}\"0-9.é\n ]|name|wheel|radius){0,80}") {
        if let Err(fault) = (Page { file: "a.toml", text: &text }).read::<Robot>() {
            prop_assert!(fault.line >= 1 && fault.line <= text.lines().count().max(1) + 1, "{fault} in {text:?}");
        }
    }
}
