//! Frames that do not move against each other: where a scanner is on its robot.

use std::collections::BTreeMap;

use nalgebra::Isometry3;

use crate::error::{Mismatch, mismatch};

/// More frames are no robot.
pub(crate) const MOST_FRAMES: usize = 10_000;

/// A frame in its parent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Transform {
    pub(crate) parent: String,
    pub(crate) child: String,
    pub(crate) child_in_parent: Isometry3<f64>,
}

/// A forest of frames: each has one parent at most.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Frames(BTreeMap<String, (String, Isometry3<f64>)>);

impl Frames {
    pub(crate) fn add(&mut self, transforms: Vec<Transform>) -> Result<(), Mismatch> {
        for Transform { parent, child, child_in_parent } in transforms {
            self.0.insert(name(&child), (name(&parent), child_in_parent));
        }
        if self.0.len() > MOST_FRAMES { Err(mismatch(format!("at most {MOST_FRAMES} frames"), "more")) } else { Ok(()) }
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.0.iter().flat_map(|(child, (parent, _))| [child.as_str(), parent.as_str()]).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Where `frame` is in `other`, if both hang together.
    pub(crate) fn find(&self, frame: &str, other: &str) -> Option<Isometry3<f64>> {
        let (ours, theirs) = (self.ancestors(&name(frame)), self.ancestors(&name(other)));
        let common = ours.iter().find_map(|(ancestor, frame_in_it)| {
            let theirs = theirs.iter().find(|(theirs, _)| theirs == ancestor)?;
            Some((frame_in_it, theirs.1))
        });
        common.map(|(frame_in_it, other_in_it)| other_in_it.inverse() * frame_in_it)
    }

    /// A frame and all above it, with its pose in each; a circle is gone round once.
    fn ancestors(&self, frame: &str) -> Vec<(String, Isometry3<f64>)> {
        let mut found = vec![(frame.to_owned(), Isometry3::identity())];
        while let Some((at, pose)) = found.last().cloned() {
            match self.0.get(&at) {
                Some((parent, in_parent)) if found.iter().all(|(name, _)| name != parent) => {
                    found.push((parent.clone(), in_parent * pose));
                }
                _ => break,
            }
        }
        found
    }
}

/// ROS 1 wrote a stroke before names now and then.
fn name(frame: &str) -> String {
    frame.trim_start_matches('/').to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn frames(pairs: &[(&str, &str, f64)]) -> Frames {
        let mut frames = Frames::default();
        let transform = |(parent, child, x): &(&str, &str, f64)| Transform {
            parent: (*parent).to_owned(),
            child: (*child).to_owned(),
            child_in_parent: Isometry3::translation(*x, 0.0, 0.0),
        };
        frames.add(pairs.iter().map(transform).collect()).unwrap();
        frames
    }

    #[test]
    fn a_laser_is_found_on_its_robot_over_several_frames_and_another_is_not() {
        let frames = frames(&[("base", "mast", 1.0), ("/mast", "laser", 2.0), ("base", "wheel", 5.0)]);
        assert_eq!(frames.find("laser", "base").unwrap().translation.x, 3.0);
        assert_eq!(frames.find("base", "laser").unwrap().translation.x, -3.0);
        assert_eq!(frames.find("laser", "wheel").unwrap().translation.x, -2.0);
        assert_eq!(frames.find("laser", "moon"), None);
    }

    #[test]
    fn frames_in_a_circle_end() {
        let frames = frames(&[("a", "b", 1.0), ("b", "a", 1.0)]);
        assert!(frames.find("a", "c").is_none());
        assert!(frames.find("a", "b").is_some());
    }
}
