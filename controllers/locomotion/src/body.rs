//! Height, pitch and roll of the base by the lengths of the legs.
//!
//! The paper (section 6.4) controls pitch only, proportionally: equation (6). Here roll is controlled too, an integral
//! takes the rest of the error away, and what the legs cannot give is shared out: first the height yields, then the
//! tilt.

use robot_io::math::{atan2, tan};
use robot_io::{State, Twist};

use crate::leg::FootPlace;
use crate::settings::BodySettings;

/// No foot moves faster than this relative to the base, up or down [m/s].
const FOOT_RATE: f64 = 0.3;

/// What the base shall do.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct BodyTarget {
    /// Its velocity, in the base's level frame.
    pub twist: Twist,
    /// Height of its origin above the ground [m].
    pub height: f64,
    /// Pitch against the horizontal, nose down is positive [rad].
    pub pitch: f64,
    /// Roll against the horizontal, right side down is positive [rad].
    pub roll: f64,
}

/// What a leg can do for the base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegStroke {
    /// Where its foot belongs, forward of the base's origin [m].
    pub x: f64,
    /// Left of the base's origin [m].
    pub y: f64,
    /// Lowest and highest z of the foot's axle in the base frame [m].
    pub z: (f64, f64),
    /// Radius of its wheels [m].
    pub radius: f64,
}

/// One axis of the base's attitude.
#[derive(Clone, Copy, Debug, Default, State)]
pub struct TiltControl {
    /// Commanded tilt of the base relative to the ground [rad].
    pub relative: f64,
    integral: f64,
}

impl TiltControl {
    /// One cycle. With control error e = w − y the command is K_p e + K_i ∫e. On the plant y = z + command, which has
    /// K_s = K_sz = 1, its steady state without integral is equation (6): e_b = w / (1 + K_p) − z / (1 + K_p). What the
    /// IMU's own wandering looks like is left alone: a robot that stands stands still.
    pub fn update(&mut self, wanted: f64, measured: f64, dt: f64, with: &BodySettings) {
        let off = wanted - measured;
        let error = off - off.clamp(-with.deadband, with.deadband);
        self.integral += with.integral * error * dt;
        let command = (with.gain * error + self.integral).clamp(-with.tilt, with.tilt);
        let step = (command - self.relative) * dt / (with.lag + dt);
        let largest = with.tilt_rate * dt;
        self.relative += step.clamp(-largest, largest);
        if with.integral > 0.0 {
            // the integral never asks for more than can be: it is what is missing beside the proportional part
            self.integral = self.integral.clamp(-with.tilt - with.gain * error, with.tilt - with.gain * error);
        }
    }

    /// Takes back what the legs cannot give, from command and integral alike.
    fn saturate(&mut self, possible: f64) {
        let excess = self.relative - possible;
        self.relative = possible;
        if excess * self.integral > 0.0 {
            self.integral -= excess.abs().min(self.integral.abs()) * excess.signum();
        }
    }
}

/// Where the feet shall be.
#[derive(Clone, Debug, State)]
pub struct BodyControl {
    #[state(skip = "follows from the tuning, which is remembered")]
    settings: BodySettings,
    #[state(fixed)]
    legs: Vec<LegStroke>,
    pitch: TiltControl,
    roll: TiltControl,
    height: f64,
    /// Height that the legs can give [m].
    possible_height: f64,
    /// Share of the commanded tilt that the legs can give, 0 to 1.
    possible_share: f64,
    /// How much longer the front right and rear left legs are for the load's balance [m].
    balance: f64,
    feet: Vec<FootPlace>,
}

impl BodyControl {
    /// A control of these legs.
    pub fn new(settings: BodySettings, legs: Vec<LegStroke>) -> BodyControl {
        let feet = vec![FootPlace::default(); legs.len()];
        BodyControl {
            settings,
            legs,
            pitch: TiltControl::default(),
            roll: TiltControl::default(),
            height: 0.0,
            possible_height: 0.0,
            possible_share: 1.0,
            balance: 0.0,
            feet,
        }
    }

    /// Takes other settings from now on.
    pub fn retune(&mut self, settings: BodySettings) {
        self.settings = settings;
    }

    /// Starts with the feet where they are.
    pub fn reset(&mut self, feet: impl Iterator<Item = FootPlace>) {
        for (index, place) in feet.enumerate().take(self.legs.len()) {
            self.feet[index] = place;
        }
        (self.pitch, self.roll, self.balance) = (TiltControl::default(), TiltControl::default(), 0.0);
        let (height, along_x, along_y) = self.plane();
        (self.height, self.possible_height, self.possible_share) = (height, height, 1.0);
        let (pitch, roll) = (atan2(along_x, 1.0), atan2(-along_y, 1.0));
        self.pitch = TiltControl { relative: pitch, integral: pitch };
        self.roll = TiltControl { relative: roll, integral: roll };
    }

    /// One cycle: `measured` roll and pitch [rad], `loads` of the legs [N] if they are known.
    pub fn update(&mut self, target: &BodyTarget, measured: (f64, f64), loads: Option<&[f64]>, dt: f64) {
        let (roll, pitch) = measured;
        self.pitch.update(target.pitch, pitch, dt, &self.settings);
        self.roll.update(target.roll, roll, dt, &self.settings);
        let climb = self.settings.height_rate * dt;
        self.height += (target.height - self.height).clamp(-climb, climb);
        if let Some(loads) = loads {
            self.balance_loads(loads, dt);
        }
        self.share_out();
        for index in 0..self.legs.len() {
            let wanted = self.wanted_z(index).clamp(self.legs[index].z.0, self.legs[index].z.1);
            let foot = &mut self.feet[index];
            foot.z += (wanted - foot.z).clamp(-FOOT_RATE * dt, FOOT_RATE * dt);
        }
    }

    /// One cycle of legs on ground of several levels: the base level at `height` above the ground from which `feet`, each
    /// forward of the base's origin, have their elevations [m]. Attitude is controlled while it is `measured`; `loads` of the
    /// legs [N] are balanced where they are given.
    pub fn update_stepping(
        &mut self,
        height: f64,
        feet: &[(f64, f64)],
        measured: Option<(f64, f64)>,
        loads: Option<&[f64]>,
        dt: f64,
    ) {
        if let Some((roll, pitch)) = measured {
            self.pitch.update(0.0, pitch, dt, &self.settings);
            self.roll.update(0.0, roll, dt, &self.settings);
        }
        if let Some(loads) = loads {
            self.balance_loads(loads, dt);
        }
        (self.height, self.possible_height, self.possible_share) = (height, height, 1.0);
        let (along_x, along_y) = (tan(self.pitch.relative), tan(self.roll.relative));
        for (index, &(x, elevation)) in feet.iter().enumerate() {
            let rise = x * along_x - self.legs[index].y * along_y;
            let wanted = self.legs[index].radius - height + elevation + rise + self.twist(index);
            let foot = &mut self.feet[index];
            foot.x = x;
            foot.z += (wanted - foot.z).clamp(-FOOT_RATE * dt, FOOT_RATE * dt);
        }
    }

    /// Takes the ground that the feet now stand on, less their elevations above it [m], for the ground.
    pub fn settle(&mut self, elevations: &[f64]) {
        for (index, elevation) in elevations.iter().enumerate().take(self.legs.len()) {
            self.feet[index].z -= self.twist(index) + elevation;
        }
        let (height, along_x, along_y) = self.plane();
        for (index, elevation) in elevations.iter().enumerate().take(self.legs.len()) {
            self.feet[index].z += self.twist(index) + elevation;
        }
        (self.height, self.possible_height, self.possible_share) = (height, height, 1.0);
        let (pitch, roll) = (atan2(along_x, 1.0), atan2(-along_y, 1.0));
        self.pitch = TiltControl { relative: pitch, integral: pitch };
        self.roll = TiltControl { relative: roll, integral: roll };
    }

    /// Height that is commanded [m].
    pub fn height(&self) -> f64 {
        self.height
    }

    /// Velocity with which a foot wants to go to where it belongs [m/s]; its wheels have to roll along.
    pub fn shift_velocity(&self, leg: usize) -> f64 {
        const TIME: f64 = 0.3;
        const NEAR: f64 = 0.002;
        let error = self.legs[leg].x - self.feet[leg].x;
        let rate = self.settings.shift_rate;
        if error.abs() < NEAR { 0.0 } else { (error / TIME).clamp(-rate, rate) }
    }

    /// Moves a foot forward by what its wheels roll along [m].
    pub fn shift(&mut self, leg: usize, by: f64) {
        self.feet[leg].x += by;
    }

    /// Where the feet shall be, with the steering axis leaning by `lean` from the base's z axis [rad].
    pub fn foot(&self, leg: usize, lean: f64) -> FootPlace {
        FootPlace { lean, ..self.feet[leg] }
    }

    /// Tilt of the base relative to the ground that is commanded: pitch, roll [rad].
    pub fn tilt(&self) -> (f64, f64) {
        (self.pitch.relative, self.roll.relative)
    }

    /// Height that is commanded, as far as the legs can give it [m].
    pub fn given_height(&self) -> f64 {
        self.possible_height
    }

    /// Share of the wanted tilt that the legs can give, 0 to 1; below 1 they are at the end of their stroke.
    pub fn stroke_share(&self) -> f64 {
        self.possible_share
    }

    /// Difference of leg length for the load's balance [m].
    pub fn balance(&self) -> f64 {
        self.balance
    }

    /// By how much the ground comes nearer to the base at a leg, for the commanded tilt [m].
    fn rise(&self, leg: usize) -> f64 {
        self.legs[leg].x * tan(self.pitch.relative) - self.legs[leg].y * tan(self.roll.relative)
    }

    /// What a leg does for the load's balance, beside height and tilt [m].
    fn twist(&self, leg: usize) -> f64 {
        diagonal(&self.legs[leg]) * self.balance
    }

    fn wanted_z(&self, leg: usize) -> f64 {
        self.legs[leg].radius - self.possible_height + self.rise(leg) + self.twist(leg)
    }

    /// Fits height and tilt into the strokes of all legs: z = radius − height + share · rise + twist.
    fn share_out(&mut self) {
        let mut share: f64 = 1.0;
        for i in 0..self.legs.len() {
            for j in 0..self.legs.len() {
                // two legs cannot differ by more than from the one's lowest to the other's highest place
                let differ = self.rise(j) - self.rise(i);
                let room = self.highest(j) - self.lowest(i);
                if differ > room.max(0.0) {
                    share = share.min(room.max(0.0) / differ);
                }
            }
        }
        self.possible_share = share;
        if share < 1.0 {
            let (pitch, roll) = (tan(self.pitch.relative), tan(self.roll.relative));
            self.pitch.saturate(atan2(share * pitch, 1.0));
            self.roll.saturate(atan2(share * roll, 1.0));
        }
        let (mut least, mut most) = (f64::NEG_INFINITY, f64::INFINITY);
        for leg in 0..self.legs.len() {
            let rise = self.rise(leg);
            least = least.max(rise - self.highest(leg));
            most = most.min(rise - self.lowest(leg));
        }
        self.possible_height = if least <= most { self.height.clamp(least, most) } else { 0.5 * (least + most) };
    }

    /// Highest and lowest −height that a leg can give on level ground [m].
    fn highest(&self, leg: usize) -> f64 {
        self.legs[leg].z.1 - self.settings.stroke_reserve - self.legs[leg].radius - self.twist(leg)
    }

    fn lowest(&self, leg: usize) -> f64 {
        self.legs[leg].z.0 + self.settings.stroke_reserve - self.legs[leg].radius - self.twist(leg)
    }

    /// Legs on the diagonal that carries too much are drawn in, slowly: on four legs that is the one difference that
    /// height, pitch and roll leave free, and what keeps all wheels on rough ground.
    fn balance_loads(&mut self, loads: &[f64], dt: f64) {
        let total: f64 = loads.iter().sum();
        if total <= 1.0 {
            return;
        }
        let difference: f64 = self.legs.iter().zip(loads).map(|(leg, load)| diagonal(leg) * load).sum();
        let imbalance = difference / total;
        let beyond = imbalance - imbalance.clamp(-self.settings.balance_deadband, self.settings.balance_deadband);
        let stroke = self.settings.balance_stroke;
        self.balance = (self.balance + self.settings.balance_rate * beyond * dt).clamp(-stroke, stroke);
    }

    /// Height, and slopes along x and y, of the ground under the feet as seen from the base; least squares.
    fn plane(&self) -> (f64, f64, f64) {
        let count = self.legs.len().max(1) as f64;
        let below = |index: usize| self.feet[index].z - self.legs[index].radius;
        let mean = |value: &dyn Fn(usize) -> f64| (0..self.legs.len()).map(value).sum::<f64>() / count;
        let (mx, my) = (mean(&|i| self.feet[i].x), mean(&|i| self.legs[i].y));
        let mz = mean(&below);
        let (x, y) = (|i: usize| self.feet[i].x - mx, |i: usize| self.legs[i].y - my);
        let (xx, yy, xy) = (mean(&|i| x(i) * x(i)), mean(&|i| y(i) * y(i)), mean(&|i| x(i) * y(i)));
        let (xz, yz) = (mean(&|i| x(i) * (below(i) - mz)), mean(&|i| y(i) * (below(i) - mz)));
        let determinant = (xx * yy - xy * xy).max(1e-9);
        let (along_x, along_y) = ((xz * yy - yz * xy) / determinant, (yz * xx - xz * xy) / determinant);
        (-(mz - along_x * mx - along_y * my), along_x, along_y)
    }
}

/// +1 for the front left and rear right leg, −1 for the others.
fn diagonal(leg: &LegStroke) -> f64 {
    if leg.x * leg.y > 0.0 { 1.0 } else { -1.0 }
}

#[cfg(test)]
mod tests;
