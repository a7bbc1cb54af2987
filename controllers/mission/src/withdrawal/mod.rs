//! A hand that is touched where nobody wants it is drawn back: the withdrawal reflex, the same on every robot with skin.
//!
//! The [`law`] says how far and where to, from the touches of an [`arm`]'s patches; the arm's joints bring the touched place there, beside what
//! others want of them ([`course`]). So whatever moves the arm goes on beneath, and is taken up where it has come to. It runs in every cycle of
//! the control loop and asks nobody. It leaves alone what grips, arms whose hands the whole body leads somewhere (`reach`, `motion`), skills that
//! want to touch, and robots that fall or are stopped.

mod arm;
mod course;
mod law;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;

use nalgebra::DMatrix;
use robot_io::{Commands, Event, Events, Readings, RobotLayout, Severity, State, Telemetry, Time};
use robot_model::{Configuration, Data, RobotModel, Tree, forward_kinematics, link_jacobian_in_base};

use crate::SOURCE;
use crate::withdrawal_settings::WithdrawalSettings;
use arm::Arm;
use course::Stage;

/// The reflex of all arms of a robot.
#[derive(Clone, Debug, State)]
pub(crate) struct Withdrawal {
    #[state(fixed)]
    settings: WithdrawalSettings,
    #[state(fixed)]
    tree: Tree,
    #[state(fixed)]
    dt: f64,
    #[state(scratch)]
    configuration: Configuration,
    #[state(scratch)]
    data: Data,
    #[state(scratch)]
    jacobian: DMatrix<f64>,
    #[state(elements)]
    arms: Vec<Arm>,
    /// The strongest force on any patch [N].
    #[state(output)]
    strongest: f64,
}

impl Withdrawal {
    /// Of a robot whose skin is on; there is nothing to do for another one.
    pub fn new(model: &RobotModel, layout: &RobotLayout, settings: &WithdrawalSettings) -> Withdrawal {
        let tree = &model.tree;
        let arms = model.description.limbs.iter().filter_map(|limb| Arm::new(model, layout, limb)).collect();
        Withdrawal {
            settings: *settings,
            dt: layout.period.seconds(),
            configuration: Configuration::zero(tree),
            data: Data::new(tree),
            jacobian: DMatrix::zeros(6, tree.dof()),
            tree: tree.clone(),
            arms,
            strongest: 0.0,
        }
    }

    /// Whether the robot has arms that feel.
    pub fn is_there(&self) -> bool {
        !self.arms.is_empty()
    }

    /// All arms are where others want them, at once: others begin anew.
    pub fn give_up(&mut self) {
        self.arms.iter_mut().for_each(|arm| arm.course.give_up());
    }

    /// Takes what it added in the last cycle out of the commands; see [`Course::take_out`](course::Course::take_out).
    pub fn take_out(&mut self, exact: bool, commands: &mut Commands) {
        self.arms.iter_mut().for_each(|arm| arm.course.take_out(&arm.joints, exact, commands));
    }

    /// One cycle, over what others have commanded. Touch is wanted of arms with such joints.
    pub fn update(
        &mut self,
        readings: &Readings,
        wants_touch: impl Fn(usize) -> bool,
        commands: &mut Commands,
        events: &mut Events,
    ) {
        self.strongest = self.arms.iter().map(|arm| arm.strongest(readings)).fold(0.0, f64::max);
        let is_quiet = |arm: &Arm| arm.course.stage == Stage::Rest && !arm.is_touched(readings);
        if !self.arms.iter().all(is_quiet) {
            self.configuration.joints.iter_mut().zip(&readings.joints).for_each(|(own, read)| *own = read.position);
            forward_kinematics(&self.tree, &self.configuration, &mut self.data);
            for arm in 0..self.arms.len() {
                let may = self.settings.reflex && !self.arms[arm].joints.iter().any(|joint| wants_touch(joint.index));
                self.move_arm(arm, may, readings, commands, events);
            }
        }
        self.arms.iter_mut().for_each(|arm| arm.course.put_in(&arm.joints, commands));
    }

    fn move_arm(&mut self, arm: usize, may: bool, readings: &Readings, commands: &Commands, events: &mut Events) {
        let Withdrawal { settings, tree, dt, data, jacobian, arms, .. } = self;
        let arm = &mut arms[arm];
        if readings.status.is_stopped() {
            return arm.course.freeze();
        }
        let grips = arm.grips(readings, commands, settings.grip);
        let felt = may.then(|| arm.feel(readings, data, grips, settings)).flatten();
        if let Some(felt) = &felt {
            if arm.course.stage != Stage::Away {
                let what =
                    format!("{} is touched, {} is drawn back, force [N]", arm.patches[felt.patch].name, arm.name);
                tell(readings.time, what, felt.touch.force, settings.law.threshold, events);
            }
            arm.draw(felt, data, settings);
        }
        if arm.course.stage == Stage::Rest {
            return;
        }
        link_jacobian_in_base(tree, data, arm.link, &arm.touched_in_link, jacobian);
        if arm.course.advance(&arm.joints, jacobian, settings, *dt) {
            tell(readings.time, format!("{} is back after a touch", arm.name), f64::NAN, f64::NAN, events);
        }
    }

    /// How hard it is touched, and how far the arm is that has been drawn back farthest.
    pub fn show(&self, telemetry: &mut Telemetry) {
        if self.is_there() {
            telemetry.scalar("touch [N]", self.strongest);
            telemetry.scalar("withdrawn [m]", self.arms.iter().map(|arm| arm.course.gone()).fold(0.0, f64::max));
        }
    }
}

fn tell(now: Time, what: String, value: f64, limit: f64, events: &mut Events) {
    let event = Event { what: what.into(), ..Event::note(now, Severity::Info, SOURCE, "") };
    events.push(event.with(value, limit));
}
