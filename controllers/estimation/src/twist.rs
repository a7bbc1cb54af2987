//! The base's velocity from what each wheel says of it.

use nalgebra::{Matrix6, Vector3, Vector6};

use crate::settings::OdometrySettings;
use crate::undercarriage::WheelMotion;

/// One equation `coefficients · twist = value`; the twist is linear, then angular velocity, in the base frame.
#[derive(Clone, Copy, Debug)]
struct Row {
    coefficients: Vector6<f64>,
    value: f64,
}

/// What a wheel says: the material point in contact with the ground is at rest, along three directions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WheelRows {
    rolling: Row,
    sideways: Row,
    lifting: Row,
}

impl WheelRows {
    /// The rolling constraint of a wheel that touches ground with `normal` at `contact`, all in the base frame.
    ///
    /// With base velocity v and turn rate ω, centre velocity ṙ and turn rate ω_w of the wheel relative to the base,
    /// the touching point's velocity is v + ω × c + ṙ + ω_w × (c − r) = 0 (paper, equation 5, with the roll added).
    pub fn new(wheel: &WheelMotion, contact: &Vector3<f64>, normal: &Vector3<f64>) -> WheelRows {
        let slide = wheel.velocity + wheel.angular_velocity.cross(&(contact - wheel.center));
        let ahead = wheel.axle.cross(normal).try_normalize(1e-9).unwrap_or_else(Vector3::x);
        let aside = normal.cross(&ahead);
        let row = |direction: Vector3<f64>| {
            let turning = contact.cross(&direction);
            let coefficients = Vector6::new(direction.x, direction.y, direction.z, turning.x, turning.y, turning.z);
            Row { coefficients, value: -direction.dot(&slide) }
        };
        WheelRows { rolling: row(ahead), sideways: row(aside), lifting: row(*normal) }
    }

    /// How fast the touching point slides if the base moves with `twist`: along and across the wheel [m/s].
    pub fn slip(&self, twist: &Vector6<f64>) -> (f64, f64) {
        (self.rolling.residual(twist), self.sideways.residual(twist))
    }
}

impl Row {
    fn residual(&self, twist: &Vector6<f64>) -> f64 {
        self.coefficients.dot(twist) - self.value
    }
}

/// The twist that satisfies wheels and gyroscope best, by weighted least squares; `None` if they do not determine it.
///
/// `weights` has one number from 0 to 1 per wheel; `before` is the last twist, believed a little, so that a robot in
/// the air keeps a velocity.
pub(crate) fn solve(
    rows: &[WheelRows],
    weights: &[f64],
    turn_rate: &Vector3<f64>,
    before: &Vector6<f64>,
    with: &OdometrySettings,
) -> Option<Vector6<f64>> {
    const BEFORE_DEVIATION: f64 = 1.0;
    let (mut normal_matrix, mut right_side) = (Matrix6::zeros(), Vector6::zeros());
    let mut add = |row: &Row, weight: f64| {
        normal_matrix += row.coefficients * row.coefficients.transpose() * weight;
        right_side += row.coefficients * (row.value * weight);
    };
    for (wheel, weight) in rows.iter().zip(weights) {
        add(&wheel.rolling, weight * per_variance(with.rolling_deviation));
        add(&wheel.sideways, weight * per_variance(with.sideways_deviation));
        add(&wheel.lifting, weight * per_variance(with.lifting_deviation));
    }
    for axis in 0..3 {
        let linear = Row { coefficients: Vector6::ith(axis, 1.0), value: before[axis] };
        add(&linear, per_variance(BEFORE_DEVIATION));
        let angular = Row { coefficients: Vector6::ith(3 + axis, 1.0), value: turn_rate[axis] };
        add(&angular, per_variance(with.gyro_deviation));
    }
    normal_matrix.cholesky().map(|factor| factor.solve(&right_side))
}

/// How much a wheel that slips by `slip` [m/s] is believed: Geman and McClure's weight, (1 + (slip/scale)²)⁻².
pub(crate) fn belief(slip: f64, scale: f64) -> f64 {
    let ratio = slip / scale;
    let denominator = 1.0 + ratio * ratio;
    1.0 / (denominator * denominator)
}

fn per_variance(deviation: f64) -> f64 {
    1.0 / (deviation * deviation)
}
