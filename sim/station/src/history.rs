//! The last minutes of every signal, so that a plot has a past the moment it is opened.

use std::collections::VecDeque;

use robot_io::RobotLayout;

use crate::StationFrame;
use crate::signals::{Signal, catalogue};

/// How far back one can look [s].
pub(crate) const LENGTH: f64 = 120.0;
/// Rows kept at most; 120 s at 60 frames a second.
const MOST_ROWS: usize = 7_200;

/// All signals over time.
#[derive(Default)]
#[cfg_attr(feature = "window", derive(bevy::prelude::Resource))]
pub struct History {
    signals: Vec<Signal>,
    rows: VecDeque<Row>,
}

/// One frame's worth: a row is as long as the catalogue was then.
struct Row {
    time: f64,
    values: Box<[f32]>,
}

impl History {
    /// An empty history of a robot's signals.
    pub fn new(layout: &RobotLayout) -> History {
        History { signals: catalogue(layout), rows: VecDeque::new() }
    }

    /// The signals there are.
    pub fn signals(&self) -> &[Signal] {
        &self.signals
    }

    /// Index of the signal with this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.signals.iter().position(|signal| signal.name == name)
    }

    /// Forgets what was shown so far: another run begins.
    pub fn clear(&mut self) {
        self.rows.clear();
    }

    /// Adds a frame. If time has gone back, as in a log, what came after is forgotten.
    pub fn push(&mut self, shown: &StationFrame) {
        let time = shown.frame.time.seconds();
        while self.rows.back().is_some_and(|row| row.time >= time) {
            self.rows.pop_back();
        }
        while self.rows.len() >= MOST_ROWS || self.rows.front().is_some_and(|row| row.time < time - LENGTH) {
            self.rows.pop_front();
        }
        self.learn(shown);
        let values = self.signals.iter().map(|signal| signal.value(shown).map_or(f32::NAN, |v| v as f32));
        self.rows.push_back(Row { time, values: values.collect() });
    }

    /// Time [s] and value of a signal, oldest first; moments without it are left out.
    pub fn series(&self, index: usize) -> impl Iterator<Item = [f64; 2]> {
        self.rows.iter().filter_map(move |row| {
            let value = *row.values.get(index)?;
            value.is_finite().then_some([row.time, f64::from(value)])
        })
    }

    /// The controller may come up with new scalars at any time.
    fn learn(&mut self, shown: &StationFrame) {
        for (name, _) in &shown.telemetry.scalars {
            if self.find(name).is_none() {
                self.signals.push(Signal::scalar(name));
                self.signals.extend(Signal::that_follow(name));
            }
        }
    }
}
