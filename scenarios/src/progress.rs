//! Progress on long work: a bar on a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use robot_io::Time;

/// How a plain log counts: a line each this part of the way.
const PLAIN_PARTS: u64 = 10;

/// Shows how far a run has come in simulated time.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
    name: String,
    duration: Time,
    told: u64,
    silent: bool,
}

impl Progress {
    /// A display for a run of `duration`: a bar if somebody watches, lines when writing to a file, nothing with `quiet`.
    pub fn new(name: &str, duration: Time, quiet: bool) -> Progress {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| ProgressBar::new(milliseconds(duration)));
        if let Some(bar) = &bar {
            let template = "{prefix} {bar:32.cyan/blue} {msg} (left {eta})";
            bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_prefix(name.to_owned());
        }
        Progress { bar, name: name.to_owned(), duration, told: 0, silent: quiet }
    }

    /// A display that shows nothing.
    pub fn silent() -> Progress {
        Progress { bar: None, name: String::new(), duration: Time::ZERO, told: 0, silent: true }
    }

    /// Shows that the run has come to `now`; `what` is what it does there.
    pub fn show(&mut self, now: Time, what: &str) {
        let total = milliseconds(self.duration).max(1);
        if let Some(bar) = &self.bar {
            bar.set_position(milliseconds(now));
            bar.set_message(format!("{:.1} of {:.1} s, {what}", now.seconds(), self.duration.seconds()));
            return;
        }
        let part = milliseconds(now) * PLAIN_PARTS / total;
        if part > self.told && !self.silent {
            self.told = part;
            eprintln!("{}: {:.1} of {:.1} s, {what}", self.name, now.seconds(), self.duration.seconds());
        }
    }

    /// Says a line in between.
    pub fn tell(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{line}")),
            None if self.silent => {}
            None => eprintln!("{line}"),
        }
    }

    /// Takes the display away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Shows how far work has come that is counted in pieces.
#[derive(Debug)]
pub struct Pieces {
    bar: Option<ProgressBar>,
    what: String,
    silent: bool,
}

impl Pieces {
    /// For pieces called `what`, for example `pictures`; nothing with `quiet`.
    pub fn new(what: &str, quiet: bool) -> Pieces {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(ProgressBar::new_spinner);
        Pieces { bar, what: what.to_owned(), silent: quiet }
    }

    /// Piece `number` of `all`, from 1, is begun.
    pub fn begin(&mut self, number: usize, all: usize) {
        let line = format!("{}: {number} of {all}", self.what);
        match &self.bar {
            Some(bar) => bar.set_message(line),
            None if !self.silent => eprintln!("{line}"),
            None => {}
        }
        self.bar.iter().for_each(ProgressBar::tick);
    }

    /// Takes the display away.
    pub fn finish(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

/// Shows how far work of a known number of pieces has come that many threads do, and how long the rest will take.
#[derive(Debug)]
pub struct Counted {
    bar: Option<ProgressBar>,
    what: String,
    all: u64,
    done: AtomicU64,
    begun: Instant,
    silent: bool,
}

impl Counted {
    /// For `all` pieces of work called `what`; nothing with `quiet`.
    pub fn new(what: &str, all: u64, quiet: bool) -> Counted {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| ProgressBar::new(all));
        if let Some(bar) = &bar {
            let template = "{prefix} {bar:32.cyan/blue} {percent} % (left {eta})";
            bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_prefix(what.to_owned());
            bar.enable_steady_tick(Duration::from_secs(1));
        }
        let (what, done) = (what.to_owned(), AtomicU64::new(0));
        Counted { bar, what, all, done, begun: Instant::now(), silent: quiet }
    }

    /// So many more are done.
    pub fn advance(&self, by: u64) {
        if let Some(bar) = &self.bar {
            return bar.inc(by);
        }
        let before = self.done.fetch_add(by, Ordering::Relaxed);
        let (now, all) = (before + by, self.all.max(1));
        let part = |done: u64| done * PLAIN_PARTS / all;
        if part(now) > part(before) && !self.silent {
            let share = now as f64 / all as f64;
            let left = self.begun.elapsed().mul_f64((1.0 / share - 1.0).max(0.0));
            eprintln!("{}: {:.0} % (left {} s)", self.what, 100.0 * share, left.as_secs());
        }
    }

    /// Takes the display away.
    pub fn finish(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

fn milliseconds(time: Time) -> u64 {
    time.nanoseconds() / 1_000_000
}
