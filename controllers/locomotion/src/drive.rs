//! Omnidirectional driving: the wheel pairs yaw first and then roll (paper, section 6.3).

use robot_io::math::{atan2, cos, hypot, wrap_angle};
use robot_io::{State, Twist};

use crate::settings::DriveSettings;
use crate::steering::Steering;

/// A wheel pair in one cycle, in the base's level frame: origin and heading of the base, z up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairPlace {
    /// Forward [m].
    pub x: f64,
    /// Left [m].
    pub y: f64,
    /// Velocity relative to the base that the leg wants to give it: the paper's ṙ, forward and left [m/s].
    pub leg_velocity: (f64, f64),
    /// Measured heading [rad].
    pub heading: f64,
}

/// What a pair shall do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairCommand {
    /// Heading [rad].
    pub heading: f64,
    /// Rate of the heading relative to the base [rad/s].
    pub heading_rate: f64,
    /// Turn rate of the base [rad/s]: with the heading's rate it is what the two wheels roll differently for.
    pub base_rate: f64,
    /// Speed over ground of the pair's middle along the heading [m/s].
    pub speed: f64,
}

impl PairCommand {
    /// Speed over ground [m/s] of a wheel that sits `along_axle` to the left of the steering axis [m].
    pub fn wheel_speed(&self, along_axle: f64) -> f64 {
        self.speed - (self.base_rate + self.heading_rate) * along_axle
    }
}

/// What the drive is at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
pub enum DriveMode {
    /// Nothing moves.
    #[default]
    Holding,
    /// The pairs turn, the base stands.
    Steering,
    /// The base moves.
    Rolling,
    /// The base comes to rest, because a pair has to turn far or because nothing more is asked for.
    Stopping,
    /// Pairs are told one by one, while legs step over an edge.
    Stepping,
}

/// Turns a velocity of the base into headings and speeds of its wheel pairs.
#[derive(Clone, Debug, State)]
pub struct OmniDrive {
    #[state(skip = "follows from the tuning, which is remembered")]
    settings: DriveSettings,
    /// Lowest and highest heading of each pair [rad].
    #[state(fixed)]
    ranges: Vec<(f64, f64)>,
    mode: DriveMode,
    twist: Twist,
    /// Share of the legs' own motion that takes place, 0 to 1.
    leg_share: f64,
    pairs: Vec<Steering>,
    targets: Vec<f64>,
    #[state(scratch)]
    commands: Vec<PairCommand>,
}

impl OmniDrive {
    /// A drive whose pairs can head between these angles [rad].
    pub fn new(settings: DriveSettings, ranges: Vec<(f64, f64)>) -> OmniDrive {
        let pairs = ranges.len();
        OmniDrive {
            settings,
            ranges,
            mode: DriveMode::Holding,
            twist: Twist::default(),
            leg_share: 0.0,
            pairs: vec![Steering::default(); pairs],
            targets: vec![0.0; pairs],
            commands: vec![PairCommand::default(); pairs],
        }
    }

    /// Takes other settings from now on.
    pub fn retune(&mut self, settings: DriveSettings) {
        self.settings = settings;
    }

    /// Starts at rest with the headings as they are.
    pub fn reset(&mut self, headings: impl Iterator<Item = f64>) {
        (self.mode, self.twist, self.leg_share) = (DriveMode::Holding, Twist::default(), 0.0);
        for (pair, heading) in self.pairs.iter_mut().zip(headings) {
            *pair = Steering { heading, rate: 0.0 };
        }
    }

    /// What it is at.
    pub fn mode(&self) -> DriveMode {
        self.mode
    }

    /// The velocity that the wheels now give the base.
    pub fn twist(&self) -> Twist {
        self.twist
    }

    /// Share of the legs' wanted motion that takes place in this cycle.
    pub fn leg_share(&self) -> f64 {
        self.leg_share
    }

    /// What a pair was last told.
    pub fn command(&self, pair: usize) -> &PairCommand {
        &self.commands[pair]
    }

    /// One cycle of `dt` [s] on the way to `wanted`; one command per pair.
    pub fn update(&mut self, wanted: &Twist, places: &[PairPlace], dt: f64) -> &[PairCommand] {
        let mut wanted = self.limited(wanted);
        let something = self.fastest(&wanted, 1.0, places) > self.settings.creep_speed;
        if !something {
            wanted = Twist::default();
        }
        let before = self.mode;
        self.mode = match self.mode {
            DriveMode::Holding | DriveMode::Steering if !something => DriveMode::Holding,
            DriveMode::Holding => DriveMode::Steering,
            DriveMode::Stopping if self.is_at_rest() => {
                if something {
                    DriveMode::Steering
                } else {
                    DriveMode::Holding
                }
            }
            DriveMode::Stepping => DriveMode::Holding,
            mode => mode,
        };
        if self.mode == DriveMode::Steering && before != DriveMode::Steering {
            self.choose(&wanted, places);
        }
        match self.mode {
            DriveMode::Holding | DriveMode::Stepping => self.pairs.iter_mut().for_each(Steering::hold),
            DriveMode::Steering => self.steer(&wanted, places, dt),
            DriveMode::Rolling => self.roll(&wanted, places, dt),
            DriveMode::Stopping => self.stop(dt),
        }
        self.write_commands(places);
        &self.commands
    }

    /// From now on pairs are told one by one.
    pub fn begin_stepping(&mut self) {
        (self.mode, self.twist, self.leg_share) = (DriveMode::Stepping, Twist::default(), 0.0);
    }

    /// From now on they roll together again.
    pub fn end_stepping(&mut self) {
        self.mode = DriveMode::Holding;
        self.pairs.iter_mut().for_each(Steering::hold);
    }

    /// Tells one pair its heading [rad], its speed over ground along it [m/s] and the turn rate of the base [rad/s].
    pub fn step_pair(&mut self, index: usize, (heading, speed): (f64, f64), base_rate: f64, dt: f64) {
        let (pair, range) = (&mut self.pairs[index], self.ranges[index]);
        let target = pair.nearest(heading, range);
        pair.turn_to(target, range, dt, &self.settings);
        let speed = speed * cos(pair.heading - heading);
        self.commands[index] = PairCommand { heading: pair.heading, heading_rate: pair.rate, base_rate, speed };
    }

    /// Equation (5) in the plane: v⁽ⁱ⁾ = v + ω × r⁽ⁱ⁾ + ṙ⁽ⁱ⁾.
    fn local_velocity(twist: &Twist, leg_share: f64, place: &PairPlace) -> (f64, f64) {
        (
            twist.x - twist.yaw * place.y + leg_share * place.leg_velocity.0,
            twist.y + twist.yaw * place.x + leg_share * place.leg_velocity.1,
        )
    }

    fn fastest(&self, twist: &Twist, leg_share: f64, places: &[PairPlace]) -> f64 {
        let speed = |place: &PairPlace| {
            let (x, y) = OmniDrive::local_velocity(twist, leg_share, place);
            hypot(x, y)
        };
        places.iter().map(speed).fold(0.0, f64::max)
    }

    fn is_at_rest(&self) -> bool {
        self.twist.is_zero() && self.leg_share == 0.0
    }

    /// Chooses where the pairs shall head before they roll. While one turns far, all others have time to make room: else they
    /// would stop the robot one after the other when they come to the end of their range.
    fn choose(&mut self, wanted: &Twist, places: &[PairPlace]) {
        let longest = self.aim(wanted, 1.0, places, 0.0);
        for (index, place) in places.iter().enumerate() {
            let (vx, vy) = OmniDrive::local_velocity(wanted, 1.0, place);
            if hypot(vx, vy) > 1e-6 {
                self.targets[index] = self.pairs[index].roomiest(atan2(vy, vx), self.ranges[index], longest + 1e-9);
            }
        }
    }

    /// The pairs turn to where they would roll: "rotates to yaw angle α = atan2(v_y, v_x) first". What was chosen stays chosen,
    /// also when the wanted velocity changes a little on the way.
    fn steer(&mut self, wanted: &Twist, places: &[PairPlace], dt: f64) {
        for (index, place) in places.iter().enumerate() {
            let (vx, vy) = OmniDrive::local_velocity(wanted, 1.0, place);
            if hypot(vx, vy) > 1e-6 {
                self.targets[index] = Steering::still(self.targets[index], atan2(vy, vx), self.ranges[index]);
            }
        }
        let mut done = true;
        for (index, place) in places.iter().enumerate() {
            let target = self.targets[index];
            self.pairs[index].turn_to(target, self.ranges[index], dt, &self.settings);
            let commanded = (target - self.pairs[index].heading).abs();
            let measured = wrap_angle(target - place.heading).abs();
            let tolerance = self.settings.steer_tolerance;
            done &= commanded < 0.5 * tolerance && measured < tolerance;
        }
        if done {
            self.mode = DriveMode::Rolling;
        }
    }

    /// "… and then moves": towards the wanted twist as fast as acceleration and steering allow.
    fn roll(&mut self, wanted: &Twist, places: &[PairPlace], dt: f64) {
        const LEG_SHARE_RATE: f64 = 4.0;
        let leg_share = (self.leg_share + LEG_SHARE_RATE * dt).min(1.0);
        let next = self.accelerated(wanted, dt);
        let slow = 5.0 * self.settings.creep_speed;
        let turn = self.aim(&next, leg_share, places, slow);
        let lag = self.worst_lag(&next, leg_share, places, slow);
        if turn > self.settings.steer_jump || lag > self.settings.steer_jump {
            self.mode = DriveMode::Stopping;
            return self.stop(dt);
        }
        // a pair that would have to turn faster than it can, or lags behind, makes the change smaller
        let allowed = self.settings.steer_rate * dt;
        let by_rate = if turn > allowed { allowed / turn } else { 1.0 };
        let brakes = self.fastest(&next, leg_share, places) < self.fastest(&self.twist, self.leg_share, places);
        let by_lag = if brakes { 1.0 } else { (2.0 - lag / (3.0 * self.settings.steer_tolerance)).clamp(0.0, 1.0) };
        let share = by_rate * by_lag;
        self.twist = mix(&self.twist, &next, share);
        self.leg_share += share * (leg_share - self.leg_share);
        self.aim(&self.twist.clone(), self.leg_share, places, self.settings.creep_speed);
        for (pair, target) in self.pairs.iter_mut().zip(&self.targets) {
            let change = (target - pair.heading).clamp(-allowed, allowed);
            pair.follow(pair.heading + change, dt);
        }
        let nothing = self.fastest(wanted, 1.0, places) <= self.settings.creep_speed;
        if self.twist.is_zero() && nothing {
            (self.mode, self.leg_share) = (DriveMode::Holding, 0.0);
        }
    }

    /// Comes to rest without changing the headings.
    fn stop(&mut self, dt: f64) {
        const LEG_SHARE_RATE: f64 = 4.0;
        self.twist = self.accelerated(&Twist::default(), dt);
        self.leg_share = (self.leg_share - LEG_SHARE_RATE * dt).max(0.0);
        self.pairs.iter_mut().for_each(Steering::hold);
    }

    /// Sets the targets for a twist; pairs slower than `creep` keep their heading. Returns the largest turn that a
    /// pair has yet to make [rad].
    fn aim(&mut self, twist: &Twist, leg_share: f64, places: &[PairPlace], creep: f64) -> f64 {
        let mut largest: f64 = 0.0;
        for (index, place) in places.iter().enumerate() {
            let (vx, vy) = OmniDrive::local_velocity(twist, leg_share, place);
            let pair = &self.pairs[index];
            let moves = hypot(vx, vy) > creep.max(1e-6);
            self.targets[index] = if moves { pair.nearest(atan2(vy, vx), self.ranges[index]) } else { pair.heading };
            largest = largest.max((self.targets[index] - pair.heading).abs());
        }
        largest
    }

    /// How far the worst pair that moves is from its commanded heading [rad].
    fn worst_lag(&self, twist: &Twist, leg_share: f64, places: &[PairPlace], creep: f64) -> f64 {
        let lag = |(pair, place): (&Steering, &PairPlace)| {
            let (vx, vy) = OmniDrive::local_velocity(twist, leg_share, place);
            if hypot(vx, vy) > creep { wrap_angle(pair.heading - place.heading).abs() } else { 0.0 }
        };
        self.pairs.iter().zip(places).map(lag).fold(0.0, f64::max)
    }

    /// The present twist, moved towards another by what the accelerations allow. Both parts arrive together, so that
    /// the headings do not wander on the way.
    fn accelerated(&self, to: &Twist, dt: f64) -> Twist {
        let (dx, dy, dyaw) = (to.x - self.twist.x, to.y - self.twist.y, to.yaw - self.twist.yaw);
        let steps = (hypot(dx, dy) / (self.settings.acceleration * dt))
            .max(dyaw.abs() / (self.settings.turn_acceleration * dt));
        if steps <= 1.0 { *to } else { mix(&self.twist, to, 1.0 / steps) }
    }

    fn limited(&self, wanted: &Twist) -> Twist {
        let excess = (hypot(wanted.x, wanted.y) / self.settings.speed).max(wanted.yaw.abs() / self.settings.turn_rate);
        if excess > 1.0 { mix(&Twist::default(), wanted, 1.0 / excess) } else { *wanted }
    }

    fn write_commands(&mut self, places: &[PairPlace]) {
        for (index, command) in self.commands.iter_mut().enumerate() {
            let velocity = OmniDrive::local_velocity(&self.twist, self.leg_share, &places[index]);
            let pair = &self.pairs[index];
            *command = PairCommand {
                heading: pair.heading,
                heading_rate: pair.rate,
                base_rate: self.twist.yaw,
                speed: pair.along(velocity),
            };
        }
    }
}

fn mix(from: &Twist, to: &Twist, share: f64) -> Twist {
    if share >= 1.0 {
        return *to;
    }
    let between = |from: f64, to: f64| from + share * (to - from);
    Twist { x: between(from.x, to.x), y: between(from.y, to.y), yaw: between(from.yaw, to.yaw) }
}

#[cfg(test)]
mod tests;
