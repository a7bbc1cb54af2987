//! Where the next step should go, and when, judged by the DCM as it is measured.
//!
//! Khadiv, Herzog, Moosavian and Righetti, "Walking control based on step timing adaptation" (2020): with u the point of pressure
//! under the foot that carries, t the time left and Γ = e^(ω t), the DCM when the foot lands is u + (ξ − u) Γ. In place of their
//! instant change of feet, both carry for a while, as in [`dcm`](crate::dcm): with the new foot at u₁ and the DCM at the offset b from
//! it when it carries alone, it has to be
//!
//! (ξ − u) Γ + u = u₀ + α (u₁ − u₀) + β b.
//!
//! This is linear in (u₁, Γ, b); b is eliminated, and three variables remain. Before that, ankles do what they can: u is shifted
//! within the sole to where the DCM would end as planned; only what is left over moves the step.

mod capture;
mod qp;

pub use capture::{Capturable, Capture};
pub use qp::Program;

use nalgebra::{Matrix2x3, Matrix3, Matrix5x3, Vector2, Vector3, Vector5};
use robot_io::Settings;
use serde::{Deserialize, Serialize};

use crate::dcm::backwards;
use crate::footstep::{Footstep, Manner, Reach, turned};

/// How steps are adjusted. The weights' kind is that of Khadiv et al.; the figures are ours, found on the pendulum of the tests.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct AdjustSettings {
    /// Shortest and longest time on one foot [s].
    #[setting([0.3, 1.2], range = 0.05..=5.0)]
    pub time: [f64; 2],
    /// Highest mean speed at which the swing foot still moves to another place [m/s].
    #[setting(1.6, positive)]
    pub swing_speed: f64,
    /// In the last part of a step nothing is changed [s].
    #[setting(0.08, range = 0.01..=1.0)]
    pub freeze: f64,
    /// Farthest from the place in the plan, along each axis [m]. Small on stairs.
    #[setting(1.5, not_negative)]
    pub farthest: f64,
    /// Share of the sole that ankles use before the step is moved.
    #[setting(0.8, share)]
    pub ankle: f64,
    /// Cost of a step that is sooner or later, beside that of a moved foot, which is 1 [m²/s²].
    #[setting(0.1, positive)]
    pub time_weight: f64,
    /// Cost of another offset between DCM and new foot, beside that of a moved foot.
    #[setting(30.0, positive)]
    pub offset_weight: f64,
}

/// What is known in the middle of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Situation {
    /// The foot that carries.
    pub stance: Footstep,
    /// The swing foot, now [m].
    pub swing: Vector2<f64>,
    /// DCM as measured [m].
    pub dcm: Vector2<f64>,
    /// The step as planned.
    pub planned: Footstep,
    /// DCM when the planned step lands as planned [m].
    pub planned_dcm: Vector2<f64>,
    /// Since the foot was lifted [s].
    pub elapsed: f64,
    /// Planned time on one foot [s].
    pub planned_time: f64,
    /// How long both feet carry after it [s].
    pub both: f64,
    /// How it is taken: how soon it may land, and how far from its place.
    pub manner: Manner,
    /// √(g / height) [1/s].
    pub omega: f64,
}

/// The step as it should be.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Adjusted {
    /// Where.
    pub step: Footstep,
    /// When it lands, after the foot was lifted [s].
    pub time: f64,
    /// In how many steps the robot can come to rest after this.
    pub capture: Capture,
    /// Whether ankles alone keep to the plan.
    pub as_planned: bool,
}

/// Adjusts steps within the reach of the legs.
#[derive(Clone, Copy, Debug)]
pub struct Adjuster {
    settings: AdjustSettings,
    reach: Reach,
    /// Part of half a sole that pressure can use [m].
    half: Vector2<f64>,
}

/// The situation in the frame of the foot that carries: x forward, y towards the swing foot, from the middle of its sole.
struct Local {
    /// Pressure after the ankles have done what they can [m].
    pressure: Vector2<f64>,
    /// DCM [m].
    dcm: Vector2<f64>,
    planned: Vector2<f64>,
    planned_offset: Vector2<f64>,
    swing: Vector2<f64>,
    /// Shares of the time on both feet.
    alpha: f64,
    beta: f64,
    /// Γ of the plan.
    growth: f64,
}

impl Adjuster {
    /// For feet with this reach.
    pub fn new(settings: AdjustSettings, reach: Reach) -> Adjuster {
        let half = Vector2::from(reach.half_sole) * settings.ankle;
        Adjuster { settings, reach, half }
    }

    /// The step as it should be now.
    pub fn adjust(&self, now: &Situation) -> Adjusted {
        let local = self.local(now);
        let regions = self.regions(now, &local);
        let longest = (self.settings.time[1] - now.elapsed).max(self.settings.freeze);
        let planned = (now.planned_time - now.elapsed).max(self.settings.freeze).min(longest);
        let soonest = self.settings.time[0].max(now.manner.earliest * now.planned_time);
        let shortest = (soonest - now.elapsed).max(self.settings.freeze).min(planned);
        let (mut solution, mut from) = (None, shortest);
        let mut reached = planned;
        for _ in 0..3 {
            let growth = [from, longest].map(|time| libm::exp(now.omega * time));
            solution = Some(self.solve(now, &local, &regions, reached, growth));
            let time = solution.map_or(planned, |(x, _)| libm::log(x.z) / now.omega);
            if time >= reached - 1e-9 {
                break;
            }
            (reached, from) = (time, time.max(shortest));
        }
        let (x, free) = solution.unwrap_or((local.planned.push(local.growth), true));
        self.finish(now, &local, &regions, &x, free)
    }

    /// How the DCM may lie to a new foot. It has to be so that steps as quick as can be bring the robot to rest; it is at rest
    /// between both feet too, if it can stay there.
    fn regions(&self, now: &Situation, local: &Local) -> [Capturable; 5] {
        let period = self.settings.time[0] + now.both;
        let between = local.planned.y + self.half.y;
        Capturable::regions(&self.reach, self.half.into(), period, now.omega).map(|region| region.up_to(between))
    }

    fn local(&self, now: &Situation) -> Local {
        let sign = now.planned.side.sign();
        let turn = |vector: Vector2<f64>| {
            let local = turned(-now.stance.yaw, vector);
            Vector2::new(local.x, local.y * sign)
        };
        let from_stance = |point: Vector2<f64>| turn(point - now.stance.position.xy());
        let (alpha, beta) = backwards(now.both, now.omega);
        let left = (now.planned_time - now.elapsed).max(self.settings.freeze);
        let growth = libm::exp(now.omega * left);
        let (dcm, planned) = (from_stance(now.dcm), from_stance(now.planned.position.xy()));
        let end = from_stance(now.planned_dcm);
        let planned_offset = (end - planned * alpha) / beta;
        let held = (dcm * growth - end) / (growth - 1.0);
        let pressure = held.sup(&-self.half).inf(&self.half);
        let swing = from_stance(now.swing);
        Local { pressure, dcm, planned, planned_offset, swing, alpha, beta, growth }
    }

    /// (u₁, Γ) in the local frame, and whether the DCM keeps to the capturable offsets. `time` [s] is left to move the foot.
    fn solve(
        &self,
        now: &Situation,
        local: &Local,
        regions: &[Capturable; 5],
        time: f64,
        growth: [f64; 2],
    ) -> (Vector3<f64>, bool) {
        let (offset_rows, offset_rest) = local.offset();
        let mut program = self.cost(now, local, &offset_rows, &offset_rest);
        let place = |axis: usize, [least, most]: [f64; 2]| {
            let (planned, swing) = (local.planned[axis], local.swing[axis]);
            let far = self.far(now, planned - swing, time);
            let farthest = self.settings.farthest.min(now.manner.farthest);
            let least = least.max(swing - far).max(planned - farthest).min(most);
            [least, most.min(swing + far).min(planned + farthest).max(least)]
        };
        // no nearer than the plan is, or than a turned sole may stand
        let turning = now.planned.stride_from(&now.stance).turning;
        let least = self.reach.least_outward(turning).min(local.planned.y).max(self.reach.outward[0]);
        let offsets = regions[4];
        let bounds = [
            place(0, self.reach.forward),
            place(1, [least, self.reach.outward[1]]),
            growth,
            offsets.forward.map(|bound| bound - offset_rest.x),
            [-offsets.inward[1] - offset_rest.y, -offsets.inward[0] - offset_rest.y],
        ];
        program.least = Vector5::from_fn(|k, _| bounds[k][0]);
        program.most = Vector5::from_fn(|k, _| bounds[k][1]);
        if let Some(x) = program.solve() {
            return (x, true);
        }
        for k in [3, 4] {
            (program.least[k], program.most[k]) = (-1e6, 1e6);
        }
        let within = |k: usize, value: f64| value.clamp(bounds[k][0], bounds[k][1]);
        let nearest = || Vector3::from_fn(|k, _| within(k, program.wanted[k]));
        (program.solve().unwrap_or_else(nearest), false)
    }

    /// How far the swing foot still gets in `time` [s], along one axis [m]: the way to the planned place, which is `off` from it, in
    /// the planned time at least, however slowly it began.
    fn far(&self, now: &Situation, off: f64, time: f64) -> f64 {
        let planned = (now.planned_time - now.elapsed).max(self.settings.freeze);
        (self.settings.swing_speed * time).max(off.abs() * (time / planned).min(1.0))
    }

    /// Squares of how far the foot, Γ and the offset are from the plan.
    fn cost(&self, now: &Situation, local: &Local, rows: &Matrix2x3<f64>, rest: &Vector2<f64>) -> Program {
        let time = self.settings.time_weight / (now.omega * local.growth * now.omega * local.growth);
        let direct = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, time));
        let weight = direct + rows.transpose() * rows * self.settings.offset_weight;
        let pull = direct * local.planned.push(local.growth)
            + rows.transpose() * (local.planned_offset - rest) * self.settings.offset_weight;
        let wanted = weight.cholesky().map_or(Vector3::zeros(), |factor| factor.solve(&pull));
        let mut all = Matrix5x3::zeros();
        all.fixed_view_mut::<3, 3>(0, 0).copy_from(&Matrix3::identity());
        all.fixed_view_mut::<2, 3>(3, 0).copy_from(rows);
        Program { weight, wanted, rows: all, least: Vector5::zeros(), most: Vector5::zeros() }
    }

    fn finish(
        &self,
        now: &Situation,
        local: &Local,
        regions: &[Capturable; 5],
        x: &Vector3<f64>,
        keeps: bool,
    ) -> Adjusted {
        let (rows, rest) = local.offset();
        let offset = rows * x + rest;
        let capture = Capture::after_step(regions, offset.x, -offset.y);
        let moved = (x.xy() - local.planned).norm() > 1e-6 || (x.z / local.growth - 1.0).abs() > 1e-6;
        let mut step = now.planned;
        if (x.xy() - local.planned).norm() > 1e-9 {
            let off = turned(now.stance.yaw, Vector2::new(x.x, x.y * now.planned.side.sign()));
            step.position = (now.stance.position.xy() + off).push(now.planned.position.z);
        }
        let time = now.elapsed + libm::log(x.z) / now.omega;
        Adjusted { step, time, capture: if keeps { capture } else { Capture::Lost }, as_planned: !moved }
    }
}

impl Local {
    /// b = rows · (u₁, Γ) + rest, from the equation above with u₀ = 0.
    fn offset(&self) -> (Matrix2x3<f64>, Vector2<f64>) {
        let (off, share) = ((self.dcm - self.pressure) / self.beta, -self.alpha / self.beta);
        let rows = Matrix2x3::new(share, 0.0, off.x, 0.0, share, off.y);
        (rows, self.pressure / self.beta)
    }
}
