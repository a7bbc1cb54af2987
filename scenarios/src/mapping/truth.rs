//! True poses from a file, beside which a method's are put.

use std::path::Path;

use nalgebra::{Isometry3, Quaternion, UnitQuaternion};
use robot_io::Time;

use crate::ScenarioError;
use crate::evaluation::truth_at;

/// A larger file is no trajectory [bytes].
const LARGEST: u64 = 256 << 20;

/// What is true, as far as anybody knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    poses: Poses,
    /// In a frame of its own: the first pose is put where the method believes it.
    is_elsewhere: bool,
    remarks: Vec<String>,
    arrived: usize,
}

#[derive(Clone, Debug, PartialEq)]
enum Poses {
    ByTime(Vec<(Time, Isometry3<f64>)>),
    /// One for each sweep.
    BySweep {
        poses: Vec<Isometry3<f64>>,
        now: Option<Isometry3<f64>>,
    },
}

impl Truth {
    /// Nothing is known.
    pub fn none() -> Truth {
        Truth::in_map(Vec::new())
    }

    /// In the frame of the map but for its height, as our own logs have it.
    pub fn in_map(poses: Vec<(Time, Isometry3<f64>)>) -> Truth {
        Truth { poses: Poses::ByTime(poses), is_elsewhere: false, remarks: Vec::new(), arrived: 0 }
    }

    /// From a file: a TUM trajectory (`time x y z qx qy qz qw`), or KITTI's `poses.txt`, a line for each sweep.
    pub fn read(file: &Path) -> Result<Truth, ScenarioError> {
        let wrong = |message: String| ScenarioError::File { path: file.to_owned(), message };
        let size = file.metadata().map_err(|error| ScenarioError::file(file, "read", &error))?.len();
        if size > LARGEST {
            return Err(wrong(format!("expected a trajectory of at most {LARGEST} bytes, found {size}")));
        }
        let text = std::fs::read_to_string(file).map_err(|error| ScenarioError::file(file, "read", &error))?;
        let first = lines(&text).next().map(|(_, line)| line.split_whitespace().count());
        let (poses, remark) = match first {
            Some(8) => (Poses::ByTime(tum(&text).map_err(wrong)?), "by time"),
            Some(12) => {
                let (poses, has_calibration) = clouds::kitti_poses(file)?;
                let frame = if has_calibration {
                    "by sweep, moved by calib.txt into the laser"
                } else {
                    "by sweep, taken as the laser's"
                };
                (Poses::BySweep { poses, now: None }, frame)
            }
            other => {
                let found = other.map_or("an empty file".to_owned(), |count| format!("{count}"));
                let expected = "lines of 8 numbers (TUM: time x y z qx qy qz qw) or of 12 (KITTI's poses.txt)";
                return Err(wrong(format!("expected {expected}, found {found}")));
            }
        };
        let remarks =
            vec![format!("truth: {}, {remark}; its first pose is put where the method begins", file.display())];
        Ok(Truth { poses, is_elsewhere: true, remarks, arrived: 0 })
    }

    /// What was taken, for people.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// True if the truth has a frame of its own.
    pub fn is_elsewhere(&self) -> bool {
        self.is_elsewhere
    }

    /// The next sweep is here.
    pub fn arrive(&mut self, _end: Time) {
        if let Poses::BySweep { poses, now } = &mut self.poses {
            *now = poses.get(self.arrived).copied();
        }
        self.arrived += 1;
    }

    /// The true pose at a time, which is that of the sweep that is here.
    pub fn at(&self, time: Time) -> Option<Isometry3<f64>> {
        match &self.poses {
            Poses::ByTime(poses) => {
                truth_at(poses, time).filter(|_| poses.first().is_some_and(|(first, _)| *first <= time))
            }
            Poses::BySweep { now, .. } => *now,
        }
    }
}

/// Lines that say something, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
}

fn tum(text: &str) -> Result<Vec<(Time, Isometry3<f64>)>, String> {
    let mut poses: Vec<(Time, Isometry3<f64>)> = Vec::new();
    for (number, line) in lines(text) {
        let pose = tum_pose(line).filter(|(time, _)| poses.last().is_none_or(|(last, _)| last < time));
        let shown: String = line.chars().take(60).collect();
        let expected = "time x y z qx qy qz qw, later than the line before";
        poses.push(pose.ok_or_else(|| format!("line {number}: expected {expected}, found '{shown}'"))?);
    }
    Ok(poses)
}

fn tum_pose(line: &str) -> Option<(Time, Isometry3<f64>)> {
    let (time, rest) = line.trim().split_once(char::is_whitespace)?;
    let numbers: Vec<f64> = rest.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    let [x, y, z, i, j, k, w]: [f64; 7] = numbers.try_into().ok()?;
    let quaternion = Quaternion::new(w, i, j, k);
    let is_sound = [x, y, z].iter().all(|at| at.is_finite()) && (0.5..2.0).contains(&quaternion.norm());
    let pose = Isometry3::from_parts([x, y, z].into(), UnitQuaternion::from_quaternion(quaternion));
    is_sound.then_some((nanoseconds(time)?, pose))
}

/// A decimal number of seconds, to the nanosecond: as a double it would lose them.
fn nanoseconds(text: &str) -> Option<Time> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let Ok(whole) = whole.parse::<u64>() else {
        let seconds: f64 = text.parse().ok()?;
        return (0.0..1.8e10).contains(&seconds).then(|| Time::from_nanoseconds((seconds * 1e9) as u64));
    };
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        let seconds: f64 = text.parse().ok()?;
        return (0.0..1.8e10).contains(&seconds).then(|| Time::from_nanoseconds((seconds * 1e9) as u64));
    }
    let digits: String = fraction.chars().chain("000000000".chars()).take(9).collect();
    whole.checked_mul(1_000_000_000)?.checked_add(digits.parse().ok()?).map(Time::from_nanoseconds)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Truth, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("poses.txt");
        std::fs::write(&file, text).unwrap();
        Truth::read(&file).map_err(|error| error.to_string())
    }

    #[test]
    fn a_tum_file_tells_by_time_to_the_nanosecond_and_nothing_beyond_its_ends() {
        let truth = read("# time x …\n1700000000.100000001 1 0 0 0 0 0 1\n1700000000.2 2 0 0 0 0 0 1\n").unwrap();
        let at = |nanoseconds| truth.at(Time::from_nanoseconds(nanoseconds)).map(|pose| pose.translation.x);
        assert_eq!(at(1_700_000_000_100_000_001), Some(1.0));
        assert_eq!(at(1_700_000_000_000_000_000), None);
        assert_eq!(at(1_700_000_000_300_000_000), None);
        assert!((at(1_700_000_000_150_000_000).unwrap() - 1.5).abs() < 1e-6);
    }

    #[test]
    fn kittis_poses_tell_by_sweep() {
        let mut truth = read("1 0 0 5 0 1 0 0 0 0 1 0\n1 0 0 6 0 1 0 0 0 0 1 0\n").unwrap();
        for expected in [Some(5.0), Some(6.0), None] {
            truth.arrive(Time::ZERO);
            assert_eq!(truth.at(Time::ZERO).map(|pose| pose.translation.x), expected);
        }
    }

    #[test]
    fn what_is_no_trajectory_is_refused_with_its_line() {
        for (text, expected) in [
            ("", "found an empty file"),
            ("1 2 3", "found 3"),
            ("1 0 0 0 0 0 0 1\n0.5 0 0 0 0 0 0 1", "line 2"),
            ("1 0 0 0 0 0 0 0", "line 1"),
            ("1 0 0 0 0 0 0 0 0 0 0 0", "line 1"),
        ] {
            assert!(read(text).unwrap_err().contains(expected), "{text}");
        }
    }
}
