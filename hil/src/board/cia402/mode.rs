//! Modes of operation, and what of a command each can carry.

use robot_io::JointCommand;

use super::settings::Gains;

/// A cyclic synchronous mode with its number in objects 0x6060 and 0x6061.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(i8)]
pub enum Mode {
    /// Homing: the drive looks for its zero by itself.
    Homing = 6,
    /// Position (CSP).
    #[default]
    Csp = 8,
    /// Velocity (CSV).
    Csv = 9,
    /// Torque (CST).
    Cst = 10,
}

impl Mode {
    /// Those that a bus file may name, with their words.
    pub const WORDS: [(&str, Mode); 3] = [("csp", Mode::Csp), ("csv", Mode::Csv), ("cst", Mode::Cst)];

    /// The mode with this number.
    pub const fn from_number(number: i64) -> Option<Mode> {
        match number {
            6 => Some(Mode::Homing),
            8 => Some(Mode::Csp),
            9 => Some(Mode::Csv),
            10 => Some(Mode::Cst),
            _ => None,
        }
    }

    /// Its bit in object 0x6502.
    pub const fn supported_bit(self) -> u32 {
        1 << (self as i8 - 1)
    }
}

/// A set of modes, kept as object 0x6502.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modes(u32);

impl Modes {
    /// The set of these.
    pub fn of(modes: &[Mode]) -> Modes {
        Modes(modes.iter().fold(0, |bits, mode| bits | mode.supported_bit()))
    }

    /// The set that object 0x6502 says.
    pub const fn from_bits(bits: u32) -> Modes {
        Modes(bits)
    }

    /// Object 0x6502.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Whether a mode is among them.
    pub const fn contains(self, mode: Mode) -> bool {
        self.0 & mode.supported_bit() != 0
    }

    /// How many they are.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// What goes to the drive in one cycle, in the joint's units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Targets {
    /// The mode asked for.
    pub mode: Mode,
    /// Position target, velocity target, torque, and the gains where they are mapped.
    pub command: JointCommand,
}

/// Chooses a mode for a command, and turns what the mode cannot carry into torque.
///
/// The mode wanted is CSP for a command with stiffness, CSV for one with damping alone, CST for one with neither. If it is
/// not allowed, the next one in the lists below is taken. What a mode does not carry (the spring in CSV and CST, the damper
/// in CST) the bridge adds to the torque, with the position `q` [rad] and velocity `q_dot` [rad/s] that it last heard of.
///
/// With the drive's own gains, the command's stiffness and damping choose the mode but do not reach the drive. A gain that
/// the drive would add unasked is aimed at what was last measured, so that it does as little as it can.
pub fn choose(modes: Modes, gains: Gains, command: &JointCommand, q: f64, q_dot: f64) -> Targets {
    let order = match (gains, command.stiffness > 0.0, command.damping > 0.0) {
        (Gains::Host, ..) => [Mode::Cst, Mode::Cst, Mode::Cst],
        (_, true, _) => [Mode::Csp, Mode::Cst, Mode::Csv],
        (_, false, true) => [Mode::Csv, Mode::Csp, Mode::Cst],
        (_, false, false) => [Mode::Cst, Mode::Csv, Mode::Csp],
    };
    let mode = order.into_iter().find(|mode| modes.contains(*mode)).unwrap_or(Mode::Cst);
    let JointCommand { mut position, mut velocity, mut effort, mut stiffness, mut damping } = *command;
    if mode != Mode::Csp {
        effort += stiffness * (position - q);
        stiffness = 0.0;
    }
    if mode == Mode::Cst {
        effort += damping * (velocity - q_dot);
        damping = 0.0;
    }
    if stiffness == 0.0 {
        position = q;
    }
    if damping == 0.0 && (mode == Mode::Cst || matches!(gains, Gains::Drive { .. })) {
        velocity = if mode == Mode::Cst { 0.0 } else { q_dot };
    }
    Targets { mode, command: JointCommand { position, velocity, effort, stiffness, damping } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [Mode; 3] = [Mode::Csp, Mode::Csv, Mode::Cst];

    #[test]
    fn gains_choose_the_mode() {
        let all = Modes::of(&ALL);
        let mode = |command: &JointCommand, gains| choose(all, gains, command, 0.0, 0.0).mode;
        assert_eq!(mode(&JointCommand::hold(1.0, 10.0, 1.0), Gains::Mapped), Mode::Csp);
        assert_eq!(mode(&JointCommand::turn(1.0, 1.0), Gains::Mapped), Mode::Csv);
        assert_eq!(mode(&JointCommand::default(), Gains::Mapped), Mode::Cst);
        assert_eq!(mode(&JointCommand::hold(1.0, 10.0, 1.0), Gains::Host), Mode::Cst);
    }

    #[test]
    fn a_gain_of_the_drive_that_nobody_asked_for_has_nothing_to_do() {
        let gains = Gains::Drive { stiffness: 100.0, damping: 5.0 };
        let push = JointCommand { effort: 3.0, position: 9.0, velocity: 9.0, ..JointCommand::default() };
        let targets = choose(Modes::of(&[Mode::Csp]), gains, &push, 0.5, 0.25);
        assert_eq!(targets.mode, Mode::Csp);
        let aimed = targets.command;
        assert_eq!((aimed.position, aimed.velocity, aimed.effort), (0.5, 0.25, 3.0));
    }

    proptest! {
        /// Whatever the mode, the torque at the measured position is the one that the command asks for.
        #[test]
        fn no_part_of_a_command_is_lost(
            q in -3.0..3.0_f64, q_dot in -3.0..3.0_f64, position in -3.0..3.0_f64, velocity in -3.0..3.0_f64,
            effort in -9.0..9.0_f64, stiffness in prop::sample::select(vec![0.0, 50.0]),
            damping in prop::sample::select(vec![0.0, 4.0]), modes in prop::sample::subsequence(ALL.to_vec(), 1..=3),
        ) {
            let command = JointCommand { position, velocity, effort, stiffness, damping };
            let targets = choose(Modes::of(&modes), Gains::Mapped, &command, q, q_dot);
            prop_assert!(modes.contains(&targets.mode));
            let wanted = command.effort_at(q, q_dot);
            prop_assert!((targets.command.effort_at(q, q_dot) - wanted).abs() < 1e-9);
            prop_assert!(targets.mode == Mode::Csp || targets.command.stiffness == 0.0);
            prop_assert!(targets.mode != Mode::Cst || targets.command.damping == 0.0);
        }
    }
}
