//! How a mission moves its robot: the seam between what shall be done and how this kind of robot does it.

use estimation::Bump;
pub use locomotion::Heading as Look;
use locomotion::{CrossingFailure, CrossingStatus};
use robot_io::{Commands, Events, JointCommand, Odometry, Pose2, Readings, State, StepEdge, Telemetry, Time, Twist};

use walking::{Footstep, Manner, WalkingError};

use crate::feet::Feet;
use crate::motion::MotionProgress;
use crate::stance::{BaseTarget, Rest, Stance};
use crate::supervision::DriveFault;
use crate::{MissionError, MissionSettings};

/// The skills that carry a robot through the world. [`Driving`](crate::Driving) composes them for robots on wheels.
///
/// In each cycle [`estimate`](Mobility::estimate) comes first and [`act`](Mobility::act) last.
pub trait Mobility: State {
    /// Starts afresh from the robot as it is now; the odometry frame is where it stands.
    fn reset(&mut self, readings: &Readings);

    /// The robot follows again after a stop in which joints that do not carry it may have sunk: they begin where they are.
    fn take_up(&mut self, readings: &Readings);

    /// Where the robot is, from its own sensors; takes in one cycle.
    fn estimate(&mut self, readings: &Readings) -> Odometry;

    /// The last estimate.
    fn odometry(&self) -> Odometry;

    /// True if it can move the base at all.
    fn moves(&self) -> bool {
        true
    }

    /// The time of the oldest measurement that the odometry needs.
    fn sensed_at(&self, readings: &Readings) -> Time;

    /// True while it still has to stand before it can tell well how it moves.
    fn is_learning(&self) -> bool {
        false
    }

    /// A push or a collision that was felt and is over since this cycle.
    fn bump(&self) -> Option<Bump> {
        None
    }

    /// How far the robot may have slid in this cycle without the odometry showing it [m], as it felt.
    fn slid(&self) -> f64 {
        0.0
    }

    /// The velocity that leads to `goal_in_odom`, looking there on the way, not faster than `speed` [m/s].
    fn steer(&mut self, odometry: &Odometry, goal_in_odom: &Pose2, look: Look, speed: f64) -> Twist;

    /// Where the velocity that is wanted leads the base, if it shall come to rest there: told anew with each decision. For robots that stand where a step ends.
    fn come_to_rest(&mut self, _rest: Option<Rest>) {}

    /// Moves the base as told and writes the commands of the joints that carry it.
    fn act(&mut self, target: &BaseTarget, readings: &Readings, commands: &mut Commands);

    /// True if its whole body balances, arms included: what they are told then goes through [`act`](Mobility::act), which finds it in its commands.
    fn moves_all_joints(&self) -> bool {
        false
    }

    /// Writes where the joints that do not carry it are wanted, for those who move them from there.
    fn offer(&self, _commands: &mut Commands) {}

    /// Somebody of higher priority has a joint and tells it this, or nobody has: it is the robot's own. Who balances the whole body reckons with it.
    fn note_lent(&mut self, _joint: usize, _told: Option<JointCommand>) {}

    /// Whether a motion of its own leads this joint, or the hand that it carries.
    fn leads(&self, _joint: usize) -> bool {
        false
    }

    /// Begins with one of the motions that it was made with.
    fn begin_motion(&mut self, _motion: usize) {}

    /// Whether it shall stand still within its motion.
    fn hold_motion(&mut self, _hold: bool) {}

    /// Wants nothing any more of what its last motion wanted.
    fn end_motion(&mut self) {}

    /// How far the motion has got that began last.
    fn motion(&self) -> MotionProgress {
        MotionProgress::Begun
    }

    /// Begins to step over an edge seen from the base; [`act`](Mobility::act) then does it, whatever its target, until
    /// [`end_crossing`](Mobility::end_crossing). Refused by a robot that cannot, or not from here.
    fn begin_crossing(&mut self, _edge_in_base: &StepEdge, _readings: &Readings) -> Result<(), CrossingFailure> {
        Err(CrossingFailure::NotFourLegs)
    }

    /// How far it has got over the edge, while it is at one.
    fn crossing(&self) -> Option<CrossingStatus> {
        None
    }

    /// Whether it shall wait before the next foot is lifted.
    fn hold_crossing(&mut self, _hold: bool) {}

    /// Puts a lifted foot down and goes no further.
    fn abort_crossing(&mut self) {}

    /// Back to driving, from where the crossing has led.
    fn end_crossing(&mut self) {}

    /// Its feet, if it walks on two.
    fn feet(&self) -> Option<Feet> {
        None
    }

    /// Takes these footsteps, in these manners, from number `from` of those that it takes on: 0 for others altogether. [`act`](Mobility::act) then does
    /// it, whatever the twist of its target, until [`end_steps`](Mobility::end_steps). Refused where legs do not reach.
    fn take_steps(&mut self, _from: usize, _steps: &[Footstep], _manners: &[Manner]) -> Result<(), WalkingError> {
        Ok(())
    }

    /// Whether it shall come to rest and wait before it goes on with its footsteps.
    fn hold_steps(&mut self, _hold: bool) {}

    /// Takes no more of the footsteps.
    fn end_steps(&mut self) {}

    /// Distance of the centre of mass from the nearest edge of the support polygon [m].
    fn tip_over_margin(&self) -> f64;

    /// Whether a fall is foreseen, so that arms and head are its own.
    fn braces(&self) -> bool {
        false
    }

    /// Whether it falls or has fallen: then all joints are its own.
    fn falls(&self) -> bool {
        false
    }

    /// A motor that does not do what it is told.
    fn drive_fault(&self) -> Option<DriveFault>;

    /// Somebody has looked after the motors: a fault that lasts will be found again.
    fn forget_faults(&mut self) {}

    /// Takes other settings from now on, or refuses them and goes on as before.
    fn retune(&mut self, _settings: &MissionSettings) -> Result<(), MissionError> {
        Ok(())
    }

    /// The stance in which it stands if nobody says otherwise.
    fn usual_stance(&self) -> Stance;

    /// Moves what happened since the last call to the end of `events`.
    fn drain_events(&mut self, _events: &mut Events) {}

    /// Adds what it believes to the telemetry, `tip_over_margin [m]` in any case.
    fn show(&self, telemetry: &mut Telemetry);
}
