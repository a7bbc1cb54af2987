//! Numbers that can be set: each with its default, its bounds, its unit and its meaning in one place, at its field.
//!
//! `#[derive(Settings)]` (the attributes are listed in `robot_io_derive`) makes of a struct a group of settings: its `Default`, a
//! [check](Settings::check) that refuses what is out of bounds by name, and a list that a program can print.
//!
//! ```
//! use robot_io::Settings;
//!
//! /// How a gripper closes.
//! #[derive(Settings)]
//! struct Gripper {
//!     /// Highest closing speed [m/s].
//!     #[setting(0.1, positive)]
//!     speed: f64,
//!     /// Share of the highest force.
//!     #[setting(0.5, share)]
//!     force: f64,
//! }
//!
//! let wrong = Gripper { speed: -1.0, ..Gripper::default() };
//! let why = wrong.check().map_err(|error| error.to_string());
//! assert_eq!(why, Err("speed [m/s]: expected a positive number, found -1".to_owned()));
//! ```

use core::fmt;
use core::ops::RangeInclusive;

/// A group of settings. Implemented by `#[derive(Settings)]`.
pub trait Settings {
    /// Shows every setting, and every group in this one, in the order of the fields.
    fn visit_settings(&self, visitor: &mut dyn SettingsVisitor);

    /// Refuses the first setting that is out of its bounds.
    fn check(&self) -> Result<(), SettingError>
    where
        Self: Sized,
    {
        let mut checker = Checker::default();
        self.visit_settings(&mut checker);
        checker.refused.map_or(Ok(()), Err)
    }
}

/// What a field says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// Units in the order in which its documentation names them; the last one holds for all numbers of a list after it.
    pub units: &'static [&'static str],
    /// Its documentation.
    pub meaning: &'static str,
}

/// Somebody who looks at all settings.
pub trait SettingsVisitor {
    /// A setting with what has to be in bounds of it: nothing for a word or a switch.
    fn setting(&mut self, setting: &Setting, numbers: &dyn Numbers, bounds: &[Bound]);

    /// A group begins.
    fn enter(&mut self, group: &Setting);

    /// It ends.
    fn leave(&mut self);
}

/// What a number must keep to. No bound but a range that says so allows infinity, and none what is no number.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// More than 0.
    Positive,
    /// 0 or more.
    NotNegative,
    /// 0 to 1.
    Share,
    /// Both ends belong to it.
    Range(RangeInclusive<f64>),
    /// No more than this.
    UpTo(f64),
    /// 1, 2, 4, 8, …
    PowerOfTwo,
    /// Less than another setting.
    Below(&'static str, f64),
    /// More than another setting.
    Above(&'static str, f64),
}

impl Bound {
    /// A range of any kind of number.
    pub fn range<T: Copy + Into<f64>>(range: RangeInclusive<T>) -> Bound {
        Bound::Range((*range.start()).into()..=(*range.end()).into())
    }

    /// True for a number within.
    pub fn contains(&self, value: f64) -> bool {
        match self {
            Bound::Range(range) => range.contains(&value),
            _ if !value.is_finite() => false,
            Bound::Positive => value > 0.0,
            Bound::NotNegative => value >= 0.0,
            Bound::Share => (0.0..=1.0).contains(&value),
            Bound::UpTo(most) => value <= *most,
            Bound::PowerOfTwo => value >= 1.0 && value.fract() == 0.0 && (value as u64).is_power_of_two(),
            Bound::Below(_, other) => value < *other,
            Bound::Above(_, other) => value > *other,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Positive => f.write_str("a positive number"),
            Bound::NotNegative => f.write_str("a number of at least 0"),
            Bound::Share => f.write_str("a number from 0 to 1"),
            Bound::Range(range) => write!(f, "a number from {} to {}", range.start(), range.end()),
            Bound::UpTo(most) => write!(f, "a number of at most {most}"),
            Bound::PowerOfTwo => f.write_str("a power of two"),
            Bound::Below(other, value) => write!(f, "less than {other}, {value}"),
            Bound::Above(other, value) => write!(f, "more than {other}, {value}"),
        }
    }
}

/// What the numbers of a setting are.
pub trait Numbers {
    /// Shows them one by one.
    fn each(&self, see: &mut dyn FnMut(f64));

    /// True for several under one name.
    fn is_list(&self) -> bool {
        false
    }
}

/// A word or a switch has none.
impl Numbers for () {
    fn each(&self, _see: &mut dyn FnMut(f64)) {}
}

macro_rules! a_number {
    ($($kind:ty),*) => {$(
        impl Numbers for $kind {
            fn each(&self, see: &mut dyn FnMut(f64)) {
                see(*self as f64);
            }
        }
    )*};
}

a_number!(f64, u32, u64, usize);

impl<T: Numbers, const N: usize> Numbers for [T; N] {
    fn each(&self, see: &mut dyn FnMut(f64)) {
        self.iter().for_each(|number| number.each(see));
    }

    fn is_list(&self) -> bool {
        true
    }
}

/// A setting that is out of its bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingError {
    /// Its name after those of the groups that it is in, each after a dot, and for one of a list its number in brackets.
    pub path: String,
    /// Its unit; empty for what has none.
    pub unit: String,
    /// What would do.
    pub expected: String,
    /// What it is.
    pub found: String,
}

impl SettingError {
    /// A setting that is refused for a reason of its own.
    pub fn new(path: &str, unit: &str, expected: &str, found: impl fmt::Display) -> SettingError {
        SettingError {
            path: path.to_owned(),
            unit: unit.to_owned(),
            expected: expected.to_owned(),
            found: found.to_string(),
        }
    }
}

impl core::error::Error for SettingError {}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SettingError { path, unit, expected, found } = self;
        let unit = if unit.is_empty() { String::new() } else { format!(" [{unit}]") };
        write!(f, "{path}{unit}: expected {expected}, found {found}")
    }
}

/// Remembers the first setting that is out of bounds.
#[derive(Default)]
struct Checker {
    groups: Vec<&'static str>,
    refused: Option<SettingError>,
}

impl SettingsVisitor for Checker {
    fn setting(&mut self, setting: &Setting, numbers: &dyn Numbers, bounds: &[Bound]) {
        let mut index = 0;
        numbers.each(&mut |value| {
            let broken = bounds.iter().find(|bound| !bound.contains(value));
            if let (Some(bound), None) = (broken, &self.refused) {
                let groups: String = self.groups.iter().flat_map(|group| [*group, "."]).collect();
                let place = if numbers.is_list() { format!("[{index}]") } else { String::new() };
                let unit = setting.units.get(index).or(setting.units.last()).copied().unwrap_or_default();
                let path = format!("{groups}{}{place}", setting.name);
                self.refused = Some(SettingError::new(&path, unit, &bound.to_string(), value));
            }
            index += 1;
        });
    }

    fn enter(&mut self, group: &Setting) {
        self.groups.push(group.name);
    }

    fn leave(&mut self) {
        self.groups.pop();
    }
}

#[cfg(test)]
mod tests {
    use robot_io_derive::Settings;

    use super::*;

    /// Of a tool.
    #[derive(Clone, Settings)]
    struct Tool {
        /// How long it waits [s].
        #[setting(0.5, positive, up_to = 60.0)]
        wait: f64,
        /// Whether it is there, see [`Gripper`](Tool).
        #[setting(true)]
        is_on: bool,
        /// Cells along a side.
        #[setting(32, power_of_two, range = 4..=256)]
        cells: usize,
        /// Place [m] and turn [rad].
        #[setting([0.1, 0.2], not_negative)]
        prior: [f64; 2],
        /// How it moves.
        speed: Speeds,
        /// How it goes back.
        #[setting(Speeds { least: 0.5, ..Speeds::default() }, group)]
        back: Speeds,
    }

    #[derive(Clone, Settings)]
    struct Speeds {
        /// The slowest [m/s].
        #[setting(0.1, not_negative, below = most)]
        least: f64,
        /// The fastest [m/s].
        #[setting(1.0, range = 0.0..=10.0 * self.least)]
        most: f64,
    }

    fn told(change: impl Fn(&mut Tool)) -> String {
        let mut tool = Tool::default();
        change(&mut tool);
        tool.check().map_or_else(|error| error.to_string(), |()| "fits".to_owned())
    }

    #[test]
    fn what_is_out_of_bounds_is_refused_by_path_unit_bound_and_number() {
        assert_eq!(told(|_| ()), "fits");
        assert_eq!(told(|tool| tool.wait = f64::NAN), "wait [s]: expected a positive number, found NaN");
        assert_eq!(told(|tool| tool.wait = f64::INFINITY), "wait [s]: expected a positive number, found inf");
        assert_eq!(told(|tool| tool.wait = 61.0), "wait [s]: expected a number of at most 60, found 61");
        assert_eq!(told(|tool| tool.is_on = false), "fits");
        assert_eq!(told(|tool| tool.cells = 33), "cells: expected a power of two, found 33");
        assert_eq!(told(|tool| tool.cells = 512), "cells: expected a number from 4 to 256, found 512");
        assert_eq!(told(|tool| tool.prior[0] = -1.0), "prior[0] [m]: expected a number of at least 0, found -1");
        assert_eq!(told(|tool| tool.prior[1] = -1.0), "prior[1] [rad]: expected a number of at least 0, found -1");
        assert_eq!(told(|tool| tool.back.least = 2.0), "back.least [m/s]: expected less than most, 1, found 2");
        assert_eq!(told(|tool| tool.speed.most = 1.5), "speed.most [m/s]: expected a number from 0 to 1, found 1.5");
    }
}
