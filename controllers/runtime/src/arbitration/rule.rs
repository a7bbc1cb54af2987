//! Rules: boolean expressions over names.
//!
//! ```text
//! rule  = term { "or" term }
//! term  = factor { "and" factor }
//! factor = "not" factor | "(" rule ")" | "true" | "false" | NAME
//! ```

use core::fmt;

/// A rule over the names of a list, by their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    Is(bool),
    Name(usize),
    Not(Box<Rule>),
    And(Box<Rule>, Box<Rule>),
    Or(Box<Rule>, Box<Rule>),
}

/// Deeper rules are a mistake.
const DEEPEST: usize = 64;

/// What is wrong with a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    /// The place in the text, counted in bytes.
    pub at: usize,
    /// What could stand there.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at character {}: expected {}, found {}", self.at + 1, self.expected, self.found)
    }
}

impl Rule {
    /// Reads a rule over `names`.
    pub fn parse(text: &str, names: &[String]) -> Result<Rule, RuleError> {
        let mut reader = Reader { words: words(text), next: 0, end: text.len(), names };
        let rule = reader.rule(0)?;
        match reader.words.get(reader.next) {
            None => Ok(rule),
            Some(_) => Err(reader.expected("'and', 'or' or the end")),
        }
    }

    /// Its value if exactly the names that `is_true` says are true.
    pub fn holds(&self, is_true: &impl Fn(usize) -> bool) -> bool {
        match self {
            Rule::Is(value) => *value,
            Rule::Name(name) => is_true(*name),
            Rule::Not(rule) => !rule.holds(is_true),
            Rule::And(one, other) => one.holds(is_true) && other.holds(is_true),
            Rule::Or(one, other) => one.holds(is_true) || other.holds(is_true),
        }
    }

    /// Calls `name` for each name in it.
    pub fn names(&self, name: &mut impl FnMut(usize)) {
        match self {
            Rule::Is(_) => {}
            Rule::Name(found) => name(*found),
            Rule::Not(rule) => rule.names(name),
            Rule::And(one, other) | Rule::Or(one, other) => {
                one.names(name);
                other.names(name);
            }
        }
    }
}

struct Reader<'t> {
    words: Vec<(usize, &'t str)>,
    next: usize,
    end: usize,
    names: &'t [String],
}

impl Reader<'_> {
    fn rule(&mut self, depth: usize) -> Result<Rule, RuleError> {
        let mut rule = self.term(depth)?;
        while self.takes("or") {
            rule = Rule::Or(Box::new(rule), Box::new(self.term(depth)?));
        }
        Ok(rule)
    }

    fn term(&mut self, depth: usize) -> Result<Rule, RuleError> {
        let mut rule = self.factor(depth)?;
        while self.takes("and") {
            rule = Rule::And(Box::new(rule), Box::new(self.factor(depth)?));
        }
        Ok(rule)
    }

    fn factor(&mut self, depth: usize) -> Result<Rule, RuleError> {
        if depth > DEEPEST {
            return Err(self.expected(&format!("a rule not deeper than {DEEPEST}")));
        }
        if self.takes("not") {
            return Ok(Rule::Not(Box::new(self.factor(depth + 1)?)));
        }
        if self.takes("(") {
            let rule = self.rule(depth + 1)?;
            return if self.takes(")") { Ok(rule) } else { Err(self.expected("')', 'and' or 'or'")) };
        }
        for (word, value) in [("true", true), ("false", false)] {
            if self.takes(word) {
                return Ok(Rule::Is(value));
            }
        }
        let word = self.words.get(self.next).map(|(_, word)| *word);
        match self.names.iter().position(|name| Some(name.as_str()) == word) {
            Some(name) => {
                self.next += 1;
                Ok(Rule::Name(name))
            }
            None => Err(self.expected(&format!("'not', '(', true, false or one of {}", self.names.join(", ")))),
        }
    }

    fn takes(&mut self, word: &str) -> bool {
        let is_there = self.words.get(self.next).is_some_and(|(_, found)| *found == word);
        self.next += usize::from(is_there);
        is_there
    }

    fn expected(&self, expected: &str) -> RuleError {
        let (at, found) = match self.words.get(self.next) {
            Some((at, word)) => (*at, format!("'{word}'")),
            None => (self.end, "the end".to_owned()),
        };
        RuleError { at, expected: expected.to_owned(), found }
    }
}

/// The words of a text and where they begin; a parenthesis is a word of its own.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let at = text.len() - rest.len();
        let Some(first) = rest.chars().next() else { return words };
        let breaks = |letter: char| letter.is_whitespace() || letter == '(' || letter == ')';
        let length = if breaks(first) { first.len_utf8() } else { rest.find(breaks).unwrap_or(rest.len()) };
        words.push((at, &rest[..length]));
        rest = &rest[length..];
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names() -> Vec<String> {
        ["a", "b", "c"].map(str::to_owned).to_vec()
    }

    #[test]
    fn not_binds_tighter_than_and_and_and_tighter_than_or() {
        let rule = Rule::parse("not a and b or c", &names()).unwrap();
        for word in 0..8_u32 {
            let [a, b, c] = [0, 1, 2].map(|bit| word & 1 << bit != 0);
            assert_eq!(rule.holds(&|name| [a, b, c][name]), !a && b || c, "{word:03b}");
        }
        let rule = Rule::parse("a and(b or not(c))", &names()).unwrap();
        assert!(rule.holds(&|name| name == 0) && !rule.holds(&|name| name != 1));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let message = |text: &str| Rule::parse(text, &names()).unwrap_err().to_string();
        assert_eq!(message("a and d"), "at character 7: expected 'not', '(', true, false or one of a, b, c, found 'd'");
        assert_eq!(message("(a or b"), "at character 8: expected ')', 'and' or 'or', found the end");
        assert_eq!(message("a b"), "at character 3: expected 'and', 'or' or the end, found 'b'");
        assert!(message("").contains("found the end"));
        assert!(message(&"(".repeat(9_999)).contains("not deeper than 64"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,60}") {
            drop(Rule::parse(&text, &names()));
        }

        #[test]
        fn words_of_rules_in_any_order_are_read_or_refused(
            words in prop::collection::vec(prop::sample::select(vec!["a", "b", "and", "or", "not", "(", ")", "true"]), 0..12),
        ) {
            drop(Rule::parse(&words.join(" "), &names()));
        }
    }
}
