//! What differs from seed to seed: the seed itself, which may be the run's, and things that stand elsewhere.

use std::borrow::Cow;

use toml::de::{DeTable, DeValue};

use crate::fields::DISTANCE;
use page::{Fault, Fields};

use crate::Random;

/// A world with this seed has the seed of the run in it.
pub(crate) const OF_THE_RUN: &str = "run";

/// Streams of random numbers from here on are those of shifts; layers come before.
const SHIFTS: u64 = 1 << 32;
/// Streams of random numbers from here on are those of scattered objects.
pub(crate) const SCATTERS: u64 = 2 << 32;

/// The text of a world file with the run's seed in the place of `seed = "run"`; any other text as it is.
pub(crate) fn with_seed(text: &str, seed: u64) -> Cow<'_, str> {
    // a text that cannot be read is left to the reader, which says why
    let Ok(root) = DeTable::parse(text) else { return Cow::Borrowed(text) };
    let Some(value) = root.get_ref().get("seed") else { return Cow::Borrowed(text) };
    match value.get_ref() {
        DeValue::String(word) if word == OF_THE_RUN => {
            let (before, after) = (&text[..value.span().start], &text[value.span().end..]);
            // TOML has whole numbers of 63 bits
            Cow::Owned(format!("{before}{}{after}", seed & i64::MAX as u64))
        }
        _ => Cow::Borrowed(text),
    }
}

/// Named displacements, drawn by the world's seed: what names one of them stands that much elsewhere.
pub(crate) struct Shifts {
    shifts: Vec<(String, [f64; 2])>,
}

impl Shifts {
    /// Reads the `[[shift]]` tables.
    pub(crate) fn read(fields: &mut Fields<'_>, seed: u64) -> Result<Shifts, Fault> {
        let mut taken = Vec::new();
        let mut shifts = Vec::new();
        for (index, mut table) in fields.tables("shift")?.into_iter().enumerate() {
            let name = table.unique_name(&mut taken)?;
            let within: [f64; 2] = table.vector("within", DISTANCE)?;
            let carrier = named(&shifts, &mut table, "with")?;
            table.finish()?;
            let random = Random::new(seed, SHIFTS + index as u64);
            let shift = [0, 1].map(|axis| carrier[axis] + random.between(axis as u64, -within[axis], within[axis]));
            shifts.push((name, shift));
        }
        Ok(Shifts { shifts })
    }

    /// The displacement that the field `shift` of a table names [m]; none if the table has no such field.
    pub(crate) fn of(&self, table: &mut Fields<'_>) -> Result<[f64; 2], Fault> {
        named(&self.shifts, table, "shift")
    }
}

/// The displacement of these that a field names [m]; none if the table has no such field.
fn named(shifts: &[(String, [f64; 2])], table: &mut Fields<'_>, field: &'static str) -> Result<[f64; 2], Fault> {
    let Some(value) = table.get(field) else { return Ok([0.0; 2]) };
    let wanted = value.text()?;
    let known: Vec<&str> = shifts.iter().map(|(name, _)| name.as_str()).collect();
    let found = shifts.iter().find(|(name, _)| name == wanted).map(|(_, shift)| *shift);
    found.ok_or_else(|| value.error(&format!("a shift of this file: {}", known.join(", ")), wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_runs_seed_is_put_in() {
        let text = "name = \"a\"\nseed = \"run\" # of the scenario\n[terrain]\n";
        assert_eq!(with_seed(text, 12), "name = \"a\"\nseed = 12 # of the scenario\n[terrain]\n");
        for other in ["seed = 4\n", "seed = \"walk\"\n", "name = \"run\"\n", "seed = \"run\nno toml"] {
            assert_eq!(with_seed(other, 12), other);
        }
        assert_eq!(with_seed("seed = \"run\"", u64::MAX), format!("seed = {}", i64::MAX));
    }
}
