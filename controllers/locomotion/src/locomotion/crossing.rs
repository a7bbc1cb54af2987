//! Stepping over an edge, as a way of moving beside driving.

use nalgebra::{UnitQuaternion, Vector3};
use robot_io::math::wrap_angle;
use robot_io::{Commands, Odometry, Readings, StepEdge, Telemetry};

use super::{GRAVITY, Locomotion};
use crate::drive::DriveMode;
use crate::stepping::{CrossingFailure, CrossingStatus, FootOrder, Senses};

/// What is measured of the legs in a cycle; made once.
#[derive(Clone, Debug)]
pub(super) struct LegSenses {
    feet: Vec<Vector3<f64>>,
    forces: Vec<f64>,
    joints: Vec<[f64; 3]>,
    carrying: Vec<Vector3<f64>>,
    places: Vec<(f64, f64)>,
}

impl LegSenses {
    pub fn new(legs: usize, wheels: usize) -> LegSenses {
        LegSenses {
            feet: vec![Vector3::zeros(); legs],
            forces: vec![0.0; legs],
            joints: vec![[0.0; 3]; legs],
            carrying: Vec::with_capacity(wheels),
            places: vec![(0.0, 0.0); legs],
        }
    }
}

impl Locomotion {
    /// Begins to step over an edge that is seen from the base: one leg at a time, with the base kept level and shifted so
    /// that the other three feet carry it. Until [`end_crossing`](Locomotion::end_crossing) the target moves nothing.
    ///
    /// `edge.pose` is where a straight ahead way through the robot's middle meets the edge, for a gap its near edge, or any
    /// other point of it; its yaw is square to the edge. The robot should stand within
    /// [`largest_approach`](crate::SteppingSettings::largest_approach) of the place where its front wheels are lifted. After
    /// a crossing that failed or was aborted it goes on with the feet that are not across yet.
    pub fn begin_crossing(
        &mut self,
        edge: &StepEdge,
        readings: &Readings,
        odometry: &Odometry,
    ) -> Result<(), CrossingFailure> {
        if self.is_crossing() && !self.crossing_is_over() {
            return Err(CrossingFailure::Busy);
        }
        self.end_crossing();
        let tilt = tilt_of(odometry);
        self.statics.update(readings, &tilt, &self.legs);
        self.sense(readings);
        let senses =
            senses(&self.senses, &self.statics, self.margin.distance, self.steered(readings), readings, odometry);
        let mut x = [0.0; 4];
        for (leg, x) in x.iter_mut().enumerate().take(self.legs.len()) {
            *x = self.body.foot(leg, 0.0).x;
        }
        self.crossing.begin(edge, &senses, x)?;
        if self.crossing.elevations().iter().any(|elevation| *elevation != 0.0) {
            self.body.settle(self.crossing.elevations());
        }
        self.crossing.set_height(self.body.height());
        self.drive.begin_stepping();
        Ok(())
    }

    /// True from the beginning of a crossing until its end is acknowledged.
    pub fn is_crossing(&self) -> bool {
        self.drive.mode() == DriveMode::Stepping
    }

    /// How far the crossing has got; it stays until [`end_crossing`](Locomotion::end_crossing).
    pub fn crossing(&self) -> Option<CrossingStatus> {
        self.is_crossing().then(|| self.crossing.status())
    }

    /// While held, the crossing waits before it drives on and before the next foot is lifted.
    pub fn hold_crossing(&mut self, hold: bool) {
        self.crossing.held = hold;
    }

    /// Puts a lifted foot down where it is and goes no further; the crossing then says that it has failed.
    pub fn abort_crossing(&mut self) {
        if self.is_crossing() {
            self.crossing.give_up(CrossingFailure::Aborted, self.time);
        }
    }

    /// Back to driving; let a crossing come to its end first. The feet then roll back to their usual places, so where a
    /// crossing has failed with feet on both sides, rather [begin](Locomotion::begin_crossing) it again.
    pub fn end_crossing(&mut self) {
        if self.is_crossing() {
            self.body.settle(&[0.0; 4]);
            self.drive.end_stepping();
        }
    }

    /// Shows how far the crossing has got, if there is one.
    pub(super) fn show_crossing(&self, telemetry: &mut Telemetry) {
        if let Some(status) = self.crossing() {
            telemetry.scalar("crossing_phase", status.phase as usize as f64);
            telemetry.scalar("crossing_feet_across", status.feet_across as f64);
            telemetry.scalar("crossing_remaining [m]", status.remaining);
        }
    }

    fn crossing_is_over(&self) -> bool {
        let status = self.crossing.status();
        status.is_done() || status.failed().is_some()
    }

    /// One cycle of a crossing: commands for all joints.
    pub(super) fn cross(&mut self, readings: &Readings, odometry: &Odometry, dt: f64, commands: &mut Commands) {
        let (roll, pitch, _) = odometry.base_in_odom.rotation.euler_angles();
        let tilt = tilt_of(odometry);
        self.statics.update_sharing(readings, &tilt, &self.legs, self.crossing.shares());
        self.average_loads(readings, dt);
        self.sense(readings);
        self.observe_carrying();
        if self.settings.health.stop && self.health.fault().is_some() {
            self.crossing.give_up(CrossingFailure::Aborted, readings.time);
        }
        let senses =
            senses(&self.senses, &self.statics, self.margin.distance, self.steered(readings), readings, odometry);
        let orders: [FootOrder; 4] = *self.crossing.update(&senses, dt);
        let rate = self.crossing.turn_rate();
        for (leg, order) in orders.iter().enumerate() {
            self.senses.places[leg] = (order.x, order.elevation);
            self.drive.step_pair(leg, (order.heading, order.speed), rate, dt);
        }
        // on two feet it rocks about the line between them, which no leg's length can hold
        let feels = self.settings.stepping.touch_force;
        let stands = self.senses.forces.iter().filter(|force| **force > feels).count() > 2;
        let loads = self.crossing.settles().then_some(self.loads.as_slice());
        let attitude = stands.then_some((roll, pitch));
        self.body.update_stepping(self.crossing.height(), &self.senses.places, attitude, loads, dt);
        self.crossing.drain_events(&mut self.events);
        self.command_all(&tilt, readings, dt, commands);
    }

    fn sense(&mut self, readings: &Readings) {
        for (index, leg) in self.legs.iter().enumerate() {
            self.senses.feet[index] = self.statics.foot(index);
            self.senses.joints[index] = leg.joints(readings);
            let forces = leg.wheels.iter().filter_map(|wheel| wheel.contact);
            self.senses.forces[index] = forces.map(|contact| readings.contacts[contact].force).sum();
        }
    }

    /// The margin over the wheels of the legs that carry.
    fn observe_carrying(&mut self) {
        self.senses.carrying.clear();
        let per_leg = self.statics.contacts.len() / self.legs.len();
        for (index, contact) in self.statics.contacts.iter().enumerate() {
            if self.crossing.shares()[index / per_leg] > 0.0 {
                self.senses.carrying.push(*contact);
            }
        }
        let down = Vector3::new(0.0, 0.0, -GRAVITY);
        self.margin = self.tip_over.margin(&self.senses.carrying, &self.statics.com, &down);
    }

    /// The largest angle of a pair from straight ahead or back, commanded or measured [rad].
    fn steered(&self, readings: &Readings) -> f64 {
        let straight = |heading: f64| 0.5 * wrap_angle(2.0 * heading).abs();
        let pairs = self.legs.iter().enumerate();
        pairs
            .map(|(index, leg)| straight(leg.heading(readings)).max(straight(self.drive.command(index).heading)))
            .fold(0.0, f64::max)
    }
}

fn tilt_of(odometry: &Odometry) -> UnitQuaternion<f64> {
    let (roll, pitch, _) = odometry.base_in_odom.rotation.euler_angles();
    UnitQuaternion::from_euler_angles(roll, pitch, 0.0)
}

fn senses<'a>(
    legs: &'a LegSenses,
    statics: &crate::statics::Statics,
    margin: f64,
    steered: f64,
    readings: &Readings,
    odometry: &Odometry,
) -> Senses<'a> {
    let (roll, pitch, _) = odometry.base_in_odom.rotation.euler_angles();
    Senses {
        now: readings.time,
        feet: &legs.feet,
        forces: &legs.forces,
        joints: &legs.joints,
        com: statics.com,
        margin,
        base: odometry.pose(),
        tilt: roll.abs().max(pitch.abs()),
        steered,
    }
}
