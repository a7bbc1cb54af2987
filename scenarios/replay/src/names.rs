//! The name of every word of a cycle: `readings/joints/left_knee/position`, `readings/imus/imu/orientation/w`.

use robot_io::{CameraLayout, Digest, RobotLayout, Seal, State, StateVisitor};

/// A word and what it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedWord {
    /// The path, outermost part first, with joint and sensor names in place of indices.
    pub(crate) path: String,
    /// The raw bits.
    pub(crate) bits: u64,
    /// True for counts, stamps and flags, false for floating-point numbers.
    pub(crate) integer: bool,
    /// True for the digest of a scan or picture, which in the log stands behind all other words.
    pub(crate) sealed: bool,
}

/// Names and values of all words of `state`.
pub(crate) fn name_words(state: &mut dyn State, layout: &RobotLayout) -> Vec<NamedWord> {
    let mut namer = Namer { layout, stack: Vec::new(), words: Vec::new() };
    state.visit_state(&mut namer);
    namer.words
}

/// Fields that hold integers; all others are floating-point numbers.
const INTEGERS: [&str; 13] = [
    "lifecycle",
    "answered",
    "cycle",
    "time",
    "stamp",
    "status",
    "touching",
    "emergency_stop",
    "twist",
    "request",
    "kind",
    "board",
    "joint",
];

/// A field that is being visited.
struct Level {
    /// The path up to and with this field.
    path: String,
    /// The fields that the present element has shown.
    seen: Vec<String>,
    /// The number of the present element, if this is a list.
    element: usize,
    /// The names of the elements, if this is a list.
    elements: Option<Vec<String>>,
    /// Where the words directly in this field begin, and the first of them.
    own: Vec<usize>,
}

struct Namer<'a> {
    layout: &'a RobotLayout,
    stack: Vec<Level>,
    words: Vec<NamedWord>,
}

impl Namer<'_> {
    /// The names of the elements of the lists in readings and commands.
    fn elements_of(&self, field: &str) -> Option<Vec<String>> {
        let cameras = |cameras: &[CameraLayout]| Some(cameras.iter().map(|camera| camera.name.clone()).collect());
        let sensors = match field {
            "joints" => return Some(self.layout.joints.iter().map(|joint| joint.name.clone()).collect()),
            "scans" => return Some(self.layout.lasers.iter().map(|laser| laser.name.clone()).collect()),
            "images" | "take_image" => return cameras(&self.layout.cameras),
            "depth_images" | "take_depth_image" => return cameras(&self.layout.depth_cameras),
            "imus" => &self.layout.imus,
            "force_torques" => &self.layout.force_torques,
            "contacts" => &self.layout.contacts,
            "batteries" => &self.layout.batteries,
            // they are numbered
            "causes" => return Some(Vec::new()),
            _ => return None,
        };
        Some(sensors.iter().map(|sensor| sensor.name.clone()).collect())
    }

    /// The path of a field named `name` in the present one; a field seen twice means that the next element has begun.
    fn path_of(&mut self, name: &str) -> String {
        let Some(level) = self.stack.last_mut() else { return name.to_owned() };
        if level.seen.iter().any(|seen| seen == name) {
            level.element += 1;
            level.seen.clear();
        }
        level.seen.push(name.to_owned());
        match &level.elements {
            Some(elements) => {
                let unknown = format!("#{}", level.element);
                let element = elements.get(level.element).unwrap_or(&unknown);
                format!("{}/{element}/{name}", level.path)
            }
            None => format!("{}/{name}", level.path),
        }
    }
}

impl Level {
    /// What the words directly in this field are called. In a list these are its length and, where its elements are single
    /// words or sealed, each element's.
    fn suffixes(&self, words: &[NamedWord]) -> Vec<String> {
        let Some(elements) = &self.elements else {
            let count = self.own.len();
            let suffix = |position: usize| match count {
                1 => String::new(),
                3 | 4 => format!("/{}", ["x", "y", "z", "w"][position]),
                _ => format!("[{position}]"),
            };
            return (0..count).map(suffix).collect();
        };
        let ends_with = |fields: &[&str]| fields.iter().any(|field| self.path.ends_with(field));
        let holds_sealed = ends_with(&["scans", "images", "depth_images"]);
        // the layout tells how many sensors there are that are switched on by name, so they are not counted
        let is_counted = !holds_sealed && !ends_with(&["take_image", "take_depth_image"]);
        let mut element = 0;
        let suffix = |(position, word): (usize, &usize)| {
            if position == 0 && is_counted {
                return "/count".to_owned();
            }
            element += usize::from(!words[*word].sealed);
            let name = elements.get(element - 1).cloned().unwrap_or_else(|| format!("#{}", element - 1));
            match (words[*word].sealed, holds_sealed) {
                (true, _) => format!("/{name}/digest"),
                (false, true) => format!("/{name}/arrived"),
                (false, false) => format!("/{name}"),
            }
        };
        self.own.iter().enumerate().map(suffix).collect()
    }
}

impl Namer<'_> {
    fn note(&mut self, bits: u64, sealed: bool) {
        let index = self.words.len();
        let path = self.stack.last().map(|level| level.path.clone()).unwrap_or_default();
        if let Some(level) = self.stack.last_mut() {
            level.own.push(index);
        }
        self.words.push(NamedWord { path, bits, integer: false, sealed });
    }
}

impl StateVisitor for Namer<'_> {
    fn word(&mut self, bits: &mut u64) {
        self.note(*bits, false);
    }

    fn seal(&mut self, digest: &mut Digest) -> Seal {
        self.note(digest.0, true);
        Seal::Closed
    }

    fn enter(&mut self, name: &str) {
        let path = self.path_of(name);
        let elements = self.elements_of(name);
        self.stack.push(Level { path, seen: Vec::new(), element: 0, elements, own: Vec::new() });
    }

    fn leave(&mut self) {
        let Some(level) = self.stack.pop() else { return };
        let suffixes = level.suffixes(&self.words);
        for (suffix, &word) in suffixes.into_iter().zip(&level.own) {
            let path = format!("{}{suffix}", level.path);
            let leaf = path.rsplit('/').next().unwrap_or_default();
            let leaf = leaf.split('[').next().unwrap_or_default();
            self.words[word].integer = level.elements.is_some() || INTEGERS.contains(&leaf);
            self.words[word].path = path;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cycle;
    use robot_io::{OperatorInput, Twist};

    #[test]
    fn joints_and_sensors_are_called_by_their_names() {
        let layout = RobotLayout::example();
        let mut cycle = Cycle::new(&layout);
        cycle.readings.operator = OperatorInput { twist: Some(Twist::default()), request: None };
        let words = name_words(&mut cycle, &layout);
        let paths: Vec<&str> = words.iter().map(|word| word.path.as_str()).collect();
        for expected in [
            "readings/status/lifecycle",
            "readings/status/causes/count",
            "readings/status/causes/#0/kind",
            "readings/cycle",
            "readings/joints/count",
            "readings/joints/knee/position",
            "readings/imus/imu/orientation/w",
            "readings/contacts/wheel_contact/touching",
            "readings/operator/twist",
            "readings/operator/twist/yaw",
            "readings/operator/request",
            "commands/joints/wheel/damping",
            "commands/emergency_stop",
        ] {
            assert!(paths.contains(&expected), "{expected} is not among {paths:#?}");
        }
        let mut unique = paths.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), paths.len(), "every word has a name of its own");
    }
}
