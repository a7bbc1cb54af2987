//! The seeds of a check, as they are written on the command line.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// More seeds than this are a typing error.
const MOST: u64 = 100_000;

/// A range of seeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeds {
    range: RangeInclusive<u64>,
    /// The number that was written behind `..`, which is not among them.
    without: Option<u64>,
}

impl Seeds {
    /// Each of them.
    pub fn iter(&self) -> RangeInclusive<u64> {
        self.range.clone()
    }

    /// What somebody may have meant otherwise: that in `1..4` the 4 is left out.
    pub fn remark(&self) -> Option<String> {
        let (first, last, without) = (self.range.start(), self.range.end(), self.without?);
        let seeds = if first == last { format!("seed {first}") } else { format!("seeds {first} to {last}") };
        Some(format!("{seeds}: {without} is not among them; --seeds {first}..={without} has it too"))
    }
}

impl fmt::Display for Seeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..={}", self.range.start(), self.range.end())
    }
}

impl FromStr for Seeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Seeds, String> {
        let expected = "expected A..=B or A-B (both with B), A..B (without B) or one seed, for example 1..=20";
        let wrong = || format!("{expected}; found '{text}'");
        let number = |part: &str| part.trim().parse::<u64>().map_err(|_| wrong());
        let (first, last, without) = if let Some((first, last)) = text.split_once("..=") {
            (number(first)?, number(last)?, None)
        } else if let Some((first, end)) = text.split_once("..") {
            let end = number(end)?;
            (number(first)?, end.checked_sub(1).ok_or_else(wrong)?, Some(end))
        } else if let Some((first, last)) = text.split_once('-') {
            (number(first)?, number(last)?, None)
        } else {
            (number(text)?, number(text)?, None)
        };
        match last.checked_sub(first) {
            None => Err(wrong()),
            Some(more) if more >= MOST => Err(format!("expected at most {MOST} seeds, found '{text}'")),
            Some(_) => Ok(Seeds { range: first..=last, without }),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn seeds(text: &str) -> Vec<u64> {
        text.parse::<Seeds>().unwrap().iter().collect()
    }

    #[test]
    fn seeds_are_what_was_meant_or_the_output_says_otherwise() {
        assert_eq!(seeds("1..=4"), [1, 2, 3, 4]);
        assert_eq!(seeds("1-4"), [1, 2, 3, 4]);
        assert_eq!(seeds("7"), [7]);
        assert_eq!(seeds("1..4"), [1, 2, 3]);
        let remark = "1..4".parse::<Seeds>().unwrap().remark().unwrap();
        assert_eq!(remark, "seeds 1 to 3: 4 is not among them; --seeds 1..=4 has it too");
        assert_eq!("1..=4".parse::<Seeds>().unwrap().remark(), None);
        assert_eq!("1..4".parse::<Seeds>().unwrap().to_string(), "1..=3");
    }

    #[test]
    fn a_range_without_end_or_sense_is_refused() {
        for text in
            ["", "4..4", "4..=3", "all", "1..", "-3", "0..0", "1..1000000000000000000", "1..=99999999999999999999"]
        {
            assert!(text.parse::<Seeds>().is_err(), "{text}");
        }
    }
}
