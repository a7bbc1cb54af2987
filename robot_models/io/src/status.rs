//! How the robot behind the plug stands: where it is in its life, and why it is stopped.

use core::fmt;

use serde::{Deserialize, Serialize};

use crate::{Lifecycle, RobotLayout, State, StateVisitor};

/// Where the robot is in its life, and why it does not follow commands, if it does not.
///
/// It is part of the [`Readings`](crate::Readings): a controller that finds the robot stopped knows that its joints stand
/// still by order and not because they are broken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, State)]
pub struct RobotStatus {
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// Why it is stopped; empty while it is not.
    pub causes: Causes,
}

impl RobotStatus {
    /// True while the robot does not follow commands: it has failed, it is switched off, or something holds it.
    pub fn is_stopped(&self) -> bool {
        // nothing is known of an unconfigured robot, and nobody reads one
        let off = matches!(self.lifecycle, Lifecycle::Inactive | Lifecycle::Fault | Lifecycle::Finalized);
        off || !self.causes.is_empty()
    }
}

/// The AL status code of a board whose watchdog has expired (ETG.1020).
const WATCHDOG_CODE: u16 = 0x001b;
/// The most causes that are listed; more are counted only.
const MOST_CAUSES: usize = 16;

/// The causes of a stop, in the order in which they were found, from the stop to its acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Causes {
    occurrences: u64,
    list: [Cause; MOST_CAUSES],
}

impl Causes {
    /// True if nothing stops the robot.
    pub fn is_empty(&self) -> bool {
        self.occurrences == 0
    }

    /// How often something has stopped the robot; a cause that came back counts again.
    pub fn occurrences(&self) -> u64 {
        self.occurrences
    }

    /// Each cause once, with its newest numbers.
    pub fn iter(&self) -> impl Iterator<Item = &Cause> {
        self.list.iter().take_while(|cause| cause.kind != CauseKind::None)
    }

    /// Adds an occurrence.
    pub fn add(&mut self, cause: Cause) {
        self.occurrences += 1;
        let place = self.list.iter().position(|known| known.kind == CauseKind::None || known.is_again(&cause));
        if let Some(place) = place {
            self.list[place] = cause;
        }
    }

    /// Somebody has looked at them.
    pub fn clear(&mut self) {
        *self = Causes::default();
    }

    /// All of them as one line of text, for a robot with this layout.
    pub fn describe(&self, layout: &RobotLayout) -> String {
        self.iter().map(|cause| cause.describe(layout)).collect::<Vec<_>>().join("; ")
    }
}

/// Why a robot is stopped, and what it is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    /// What happened.
    pub kind: CauseKind,
    /// The board that it is about, by its place in the layout's boards.
    pub board: Option<usize>,
    /// The joint that it is about, by its index in the layout.
    pub joint: Option<usize>,
    /// The number seen; what it means is the kind's.
    pub value: f64,
    /// The number allowed or expected; 0 where there is none.
    pub limit: f64,
}

impl Cause {
    /// A cause that is about the robot as a whole.
    pub const fn new(kind: CauseKind, value: f64, limit: f64) -> Cause {
        Cause { kind, board: None, joint: None, value, limit }
    }

    /// True if `other` is the same cause, perhaps with other numbers.
    pub fn is_again(&self, other: &Cause) -> bool {
        (self.kind, self.board, self.joint) == (other.kind, other.board, other.joint)
    }

    /// What happened, with names and numbers, for a robot with this layout.
    pub fn describe(&self, layout: &RobotLayout) -> String {
        let Cause { value, limit, .. } = *self;
        let board = Board(self.board, layout);
        let joint = self.joint.and_then(|joint| layout.joints.get(joint)).map_or("", |joint| joint.name.as_str());
        match self.kind {
            CauseKind::None => "nothing".to_owned(),
            CauseKind::FramesLost => format!("frames lost: {value} in a row, {limit} are ridden through"),
            CauseKind::WorkingCounter if self.board.is_some() => format!("working counter wrong by {board}"),
            CauseKind::WorkingCounter if value < limit => format!("working counter short: {value} of {limit}"),
            CauseKind::WorkingCounter => format!("working counter wrong: {value}, expected {limit}"),
            CauseKind::CableCut if self.board.is_none() => format!("cable cut before the first of {value} boards"),
            CauseKind::CableCut => format!("cable cut behind {board}: {value} boards do not answer"),
            CauseKind::BoardGone => format!("{board} does not answer"),
            CauseKind::BoardState => {
                let several = if limit > 1.0 { format!(" and {} more", limit - 1.0) } else { String::new() };
                let alone =
                    if value as u16 == WATCHDOG_CODE { " (its watchdog: nothing came from the bridge)" } else { "" };
                format!("{board}{several} left OP: AL status code {:#06x}{alone}", value as u16)
            }
            CauseKind::Stale => format!("{board} hangs: its samples do not advance"),
            CauseKind::DriveFault => format!("drive fault {:#06x} of {board}", value as u16),
            CauseKind::DriveOff => format!("{board} no longer follows, without a fault"),
            CauseKind::Hot => format!("winding too hot: {value:.1} °C at {board}, limit {limit:.1} °C"),
            CauseKind::Jump => format!("encoder jumped: joint '{joint}' at {board}"),
            CauseKind::Overrun => format!("controller overrun: its commands are older than {limit} cycles"),
            CauseKind::ControllerStop => "the controller asked for an emergency stop".to_owned(),
            CauseKind::OperatorStop => "emergency stop by the operator".to_owned(),
            CauseKind::StoOpen => format!("safe torque off (STO) of {board} is open"),
            CauseKind::StaleJoint => format!("readings of joint '{joint}' have stopped for more than {limit} s"),
        }
    }
}

/// A board in words.
struct Board<'a>(Option<usize>, &'a RobotLayout);

impl fmt::Display for Board<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.map(|place| (place + 1, self.1.boards.get(place))) {
            Some((place, Some(name))) => write!(f, "board '{name}' (place {place})"),
            Some((place, None)) => write!(f, "the board at place {place}"),
            None => f.write_str("a board"),
        }
    }
}

/// What stops a robot. Boards and causes of a bus: `hil/SAFETY.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, State)]
#[serde(rename_all = "snake_case")]
pub enum CauseKind {
    /// Nothing.
    #[default]
    None,
    /// No frame came back: in a row and ridden through [cycles].
    FramesLost,
    /// The bus's working counter is wrong: found and expected.
    WorkingCounter,
    /// All boards behind this one are gone: how many.
    CableCut,
    /// A board does not answer.
    BoardGone,
    /// A board left OP, alone or with others: its AL status code, and how many did.
    BoardState,
    /// A board's samples do not advance.
    Stale,
    /// A drive has latched a fault: its code (CiA 402 object 0x603F).
    DriveFault,
    /// A drive fell out of "operation enabled" without a fault.
    DriveOff,
    /// A winding is too hot: found and allowed [°C].
    Hot,
    /// A joint's position has jumped.
    Jump,
    /// The controller's answers stopped or came too late: their age and its limit [cycles].
    Overrun,
    /// The controller asked for an emergency stop.
    ControllerStop,
    /// The operator's emergency stop.
    OperatorStop,
    /// A joint's readings have stopped: their age and its limit [s].
    StaleJoint,
    /// A drive's safe torque off (STO) is open.
    StoOpen,
}

impl CauseKind {
    #[cfg(test)]
    const ALL: [CauseKind; 16] = [
        CauseKind::None,
        CauseKind::FramesLost,
        CauseKind::WorkingCounter,
        CauseKind::CableCut,
        CauseKind::BoardGone,
        CauseKind::BoardState,
        CauseKind::Stale,
        CauseKind::DriveFault,
        CauseKind::DriveOff,
        CauseKind::Hot,
        CauseKind::Jump,
        CauseKind::Overrun,
        CauseKind::ControllerStop,
        CauseKind::OperatorStop,
        CauseKind::StaleJoint,
        CauseKind::StoOpen,
    ];

    /// What a person does about it.
    pub const fn remedy(self) -> &'static str {
        match self {
            CauseKind::None => "nothing is to be done",
            CauseKind::FramesLost => "check cable, network card and this machine's load, then clear the stop",
            CauseKind::WorkingCounter => "check the board's process data and supply, then clear the stop",
            CauseKind::CableCut => "mend the cable, or the supply behind it, then clear the stop",
            CauseKind::BoardGone => "check its supply and the cable before it, then clear the stop",
            CauseKind::BoardState => "look the code up in its manual, then clear the stop",
            CauseKind::Stale => "switch its supply off and on, then clear the stop",
            CauseKind::DriveFault => "look the code up in its manual and remove the reason, then clear the stop",
            CauseKind::DriveOff => "check its enable inputs and its power supply, then clear the stop",
            CauseKind::Hot => "let it cool down, then clear the stop",
            CauseKind::Jump => "check the encoder and its plug, home the joint, then clear the stop",
            CauseKind::Overrun => "check the controller and this machine's load, then clear the stop",
            CauseKind::ControllerStop => "see what the controller said, then clear the stop",
            CauseKind::OperatorStop => "make sure that it is safe, then clear the stop",
            CauseKind::StoOpen => "close the emergency stop or mend its wire, then clear the stop",
            CauseKind::StaleJoint => "check the joint's sensor and its cable, then clear the stop",
        }
    }
}

impl State for Causes {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        self.occurrences.visit_state(visitor);
        self.list.iter_mut().for_each(|cause| cause.visit_state(visitor));
    }
}

/// A place as a word: 0 for none, else counted from 1.
fn visit_place(name: &'static str, place: &mut Option<usize>, visitor: &mut dyn StateVisitor) {
    let mut word = place.map_or(0, |place| place as u64 + 1);
    visitor.field(name, &mut word);
    *place = word.checked_sub(1).map(|place| place as usize);
}

impl State for Cause {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("kind", &mut self.kind);
        visit_place("board", &mut self.board, visitor);
        visit_place("joint", &mut self.joint, visitor);
        visitor.field("value", &mut self.value);
        visitor.field("limit", &mut self.limit);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::{StateReader, StateWriter};

    fn gone(board: usize) -> Cause {
        Cause { board: Some(board), ..Cause::new(CauseKind::BoardGone, 0.0, 0.0) }
    }

    #[test]
    fn every_cause_is_listed_once_and_every_occurrence_counts() {
        let mut causes = Causes::default();
        causes.add(gone(0));
        causes.add(gone(3));
        causes.add(gone(0));
        assert_eq!((causes.iter().count(), causes.occurrences()), (2, 3));
        (0..40).for_each(|board| causes.add(gone(board)));
        assert_eq!((causes.iter().count(), causes.occurrences()), (MOST_CAUSES, 43));
        causes.clear();
        assert!(causes.is_empty() && causes.iter().next().is_none());
    }

    #[test]
    fn a_cause_names_its_board_and_what_to_do() {
        let layout = RobotLayout { boards: vec!["hip_drive".to_owned()], ..RobotLayout::example() };
        assert_eq!(gone(0).describe(&layout), "board 'hip_drive' (place 1) does not answer");
        assert_eq!(gone(1).describe(&layout), "the board at place 2 does not answer");
        let fault = Cause { board: Some(0), ..Cause::new(CauseKind::DriveFault, f64::from(0x2310), 0.0) };
        assert_eq!(fault.describe(&layout), "drive fault 0x2310 of board 'hip_drive' (place 1)");
        assert!(CauseKind::ALL.iter().all(|kind| !kind.remedy().is_empty()));
    }

    #[test]
    fn a_status_comes_back_from_its_words() {
        for (number, kind) in CauseKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, number);
            let mut status = RobotStatus { lifecycle: Lifecycle::Fault, ..RobotStatus::default() };
            status.causes.add(Cause { kind, board: Some(7), joint: Some(0), value: 1.5, limit: 2.5 });
            let saved = StateWriter::save(&mut status);
            let mut restored = RobotStatus::default();
            StateReader::restore(&mut restored, &saved).unwrap();
            assert_eq!(restored, status);
        }
    }

    #[test]
    fn a_robot_that_is_on_and_has_no_cause_is_not_stopped() {
        let mut status = RobotStatus { lifecycle: Lifecycle::Active, ..RobotStatus::default() };
        assert!(!status.is_stopped() && !RobotStatus::default().is_stopped());
        status.causes.add(Cause::new(CauseKind::OperatorStop, 0.0, 0.0));
        assert!(status.is_stopped());
        assert!(RobotStatus { lifecycle: Lifecycle::Inactive, ..RobotStatus::default() }.is_stopped());
    }
}
