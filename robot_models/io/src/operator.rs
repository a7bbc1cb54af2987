//! What the person at the desk does.

use serde::{Deserialize, Serialize};

use crate::{Pose2, State, StateVisitor, Twist};

/// One cycle of operator input: like a sensor, so that it is recorded and replayed with the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, State)]
pub struct OperatorInput {
    /// The stick's velocity command; `None` while nobody touches it.
    pub twist: Option<Twist>,
    /// A button, in the cycle in which it is pressed.
    pub request: Option<OperatorRequest>,
}

/// What a button asks for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum OperatorRequest {
    /// Stop and hold until resumed.
    Pause,
    /// Go on with the mission.
    Resume,
    /// Drive to this pose in the world next, then go on with the mission.
    GoTo(Pose2),
    /// Stop at once and stay stopped.
    EmergencyStop,
    /// The way back from an emergency stop.
    ClearEmergencyStop,
    /// Move a joint by hand and hold it there, whatever the mission wants of it.
    MoveJoint {
        /// Its index in the layout.
        joint: usize,
        /// Where to [rad or m].
        position: f64,
    },
    /// Give a joint that is held by hand back to the mission.
    ReleaseJoint {
        /// Its index in the layout.
        joint: usize,
    },
    /// Change a setting of the controller while it runs.
    Set {
        /// Which.
        setting: ShortName,
        /// To what, in the setting's own unit.
        value: f64,
    },
    /// Take a picture with a colour camera.
    TakeImage {
        /// Its index in the layout.
        camera: usize,
    },
    /// Take a picture with a depth camera.
    TakeDepthImage {
        /// Its index in the layout.
        camera: usize,
    },
    /// Change the life of a part of the controller, where it is made of parts.
    Switch {
        /// Which.
        component: ShortName,
        /// What it is told.
        switch: Switch,
    },
}

/// What a part of a controller can be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, State)]
#[serde(rename_all = "snake_case")]
pub enum Switch {
    /// Begin afresh.
    Start,
    /// Come to a safe phase, then rest.
    #[default]
    Pause,
    /// Go on.
    Resume,
    /// Let go at once.
    Stop,
    /// Let go at once, for good.
    Quit,
}

impl Switch {
    /// All of them, in order.
    pub const ALL: [Switch; 5] = [Switch::Start, Switch::Pause, Switch::Resume, Switch::Stop, Switch::Quit];

    /// Its word, as it is typed and written in files.
    pub const fn word(self) -> &'static str {
        match self {
            Switch::Start => "start",
            Switch::Pause => "pause",
            Switch::Resume => "resume",
            Switch::Stop => "stop",
            Switch::Quit => "quit",
        }
    }
}

impl core::fmt::Display for Switch {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.word())
    }
}

/// The name of a setting or a component, for example `locomotion.body.gain`, in a fixed number of words: operator input travels into a
/// real-time thread, which does not allocate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShortName([u64; ShortName::WORDS]);

impl ShortName {
    const WORDS: usize = 6;
    /// Bytes of a name at most.
    pub const LONGEST: usize = 8 * ShortName::WORDS;

    /// The name, if it is short enough.
    pub fn new(name: &str) -> Option<ShortName> {
        let bytes = name.as_bytes();
        if bytes.len() > ShortName::LONGEST {
            return None;
        }
        let mut words = [0; ShortName::WORDS];
        for (index, byte) in bytes.iter().enumerate() {
            words[index / 8] |= u64::from(*byte) << (8 * (index % 8));
        }
        Some(ShortName(words))
    }

    /// True if this is `name`.
    pub fn is(&self, name: &str) -> bool {
        ShortName::new(name).as_ref() == Some(self)
    }
}

/// What is not text, from a damaged log, is shown as far as it can be read.
impl core::fmt::Display for ShortName {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let bytes: Vec<u8> = self.0.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0).collect();
        f.write_str(&String::from_utf8_lossy(&bytes))
    }
}

/// Needed to restore an `Option`; a pause is the harmless request.
impl Default for OperatorRequest {
    fn default() -> Self {
        OperatorRequest::Pause
    }
}

/// The code and a pose, which only some requests need, are always there; what the later requests need follows.
impl State for OperatorRequest {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let (mut code, mut pose, mut words, mut number) = self.parts();
        code.visit_state(visitor);
        pose.visit_state(visitor);
        if code >= MOVE_JOINT {
            words.visit_state(visitor);
            number.visit_state(visitor);
        }
        *self = OperatorRequest::of_parts(code, pose, words, number);
    }
}

/// The code of the first request that needs more than a pose.
const MOVE_JOINT: u64 = 5;
const SWITCH: u64 = 10;

impl OperatorRequest {
    fn parts(&self) -> (u64, Pose2, ShortName, f64) {
        let index = |index: usize| {
            let mut words = ShortName::default();
            words.0[0] = index as u64;
            words
        };
        let (none, nothing) = (Pose2::default(), ShortName::default());
        match *self {
            OperatorRequest::Pause => (0, none, nothing, 0.0),
            OperatorRequest::Resume => (1, none, nothing, 0.0),
            OperatorRequest::GoTo(pose) => (2, pose, nothing, 0.0),
            OperatorRequest::EmergencyStop => (3, none, nothing, 0.0),
            OperatorRequest::ClearEmergencyStop => (4, none, nothing, 0.0),
            OperatorRequest::MoveJoint { joint, position } => (MOVE_JOINT, none, index(joint), position),
            OperatorRequest::ReleaseJoint { joint } => (6, none, index(joint), 0.0),
            OperatorRequest::Set { setting, value } => (7, none, setting, value),
            OperatorRequest::TakeImage { camera } => (8, none, index(camera), 0.0),
            OperatorRequest::TakeDepthImage { camera } => (9, none, index(camera), 0.0),
            OperatorRequest::Switch { component, switch } => (SWITCH, none, component, f64::from(switch as u8)),
        }
    }

    fn of_parts(code: u64, pose: Pose2, words: ShortName, number: f64) -> OperatorRequest {
        let index = words.0[0] as usize;
        match code {
            1 => OperatorRequest::Resume,
            2 => OperatorRequest::GoTo(pose),
            3 => OperatorRequest::EmergencyStop,
            4 => OperatorRequest::ClearEmergencyStop,
            MOVE_JOINT => OperatorRequest::MoveJoint { joint: index, position: number },
            6 => OperatorRequest::ReleaseJoint { joint: index },
            7 => OperatorRequest::Set { setting: words, value: number },
            8 => OperatorRequest::TakeImage { camera: index },
            9 => OperatorRequest::TakeDepthImage { camera: index },
            SWITCH => {
                let switch = Switch::ALL.get(number as usize).copied().unwrap_or_default();
                OperatorRequest::Switch { component: words, switch }
            }
            _ => OperatorRequest::Pause,
        }
    }
}

impl State for ShortName {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        self.0.visit_state(visitor);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::{StateReader, StateWriter};

    #[test]
    fn every_request_comes_back_from_its_words() {
        let setting = ShortName::new("locomotion.body.gain").unwrap();
        let pose = Pose2 { x: 1.0, y: -2.0, yaw: 0.5 };
        let requests = [
            OperatorRequest::Pause,
            OperatorRequest::Resume,
            OperatorRequest::GoTo(pose),
            OperatorRequest::EmergencyStop,
            OperatorRequest::ClearEmergencyStop,
            OperatorRequest::MoveJoint { joint: 55, position: -0.25 },
            OperatorRequest::ReleaseJoint { joint: 3 },
            OperatorRequest::Set { setting, value: 1e-3 },
            OperatorRequest::TakeImage { camera: 2 },
            OperatorRequest::TakeDepthImage { camera: 1 },
            OperatorRequest::Switch { component: setting, switch: Switch::Pause },
            OperatorRequest::Switch { component: setting, switch: Switch::Quit },
        ];
        for mut request in requests {
            let bytes = StateWriter::save(&mut request);
            let mut back = OperatorRequest::default();
            StateReader::restore(&mut back, &bytes).unwrap();
            assert_eq!(back, request);
        }
    }

    #[test]
    fn a_setting_is_called_what_it_is_called_and_no_longer_than_48_bytes() {
        let name = ShortName::new("supervision.slow_margin").unwrap();
        assert_eq!(name.to_string(), "supervision.slow_margin");
        assert!(name.is("supervision.slow_margin") && !name.is("supervision.slow_margin.x"));
        assert!(ShortName::new(&"x".repeat(ShortName::LONGEST)).is_some());
        assert!(ShortName::new(&"x".repeat(ShortName::LONGEST + 1)).is_none());
    }
}
