//! The divergent component of motion (DCM) of a plan.
//!
//! With ξ = x + ẋ/ω, the DCM moves away from the virtual repellent point v (VRP), ξ̇ = ω (ξ − v), and the centre of mass x follows
//! ẋ = ω (ξ − x). v stands at a constant height above the ground's point of pressure, which makes all three axes alike, on stairs
//! too (Englsberger, Ott and Albu-Schäffer, "Three-dimensional bipedal walking control based on divergent component of motion",
//! 2015). Here v is continuous: it rests on the foot that carries and moves in a straight line to the next one while both carry.
//! Over such a piece of duration T
//!
//! ξ(t) = v(t) + v̇/ω + e^(ω (t − T)) (ξ(T) − v(T) − v̇/ω),
//!
//! which is exact; the pieces are joined backwards from the end, where the robot stands and ξ = v.

use nalgebra::Vector3;
use robot_io::State;

/// Enough pieces for a preview of ten steps.
const MOST: usize = 24;

/// While it lasts, the VRP moves in a straight line.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Piece {
    /// VRP in the beginning [m].
    pub from: Vector3<f64>,
    /// VRP in the end [m].
    pub to: Vector3<f64>,
    /// How long it lasts [s].
    pub duration: f64,
}

/// Where the DCM shall be at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Reference {
    /// DCM [m].
    pub dcm: Vector3<f64>,
    /// Its velocity [m/s].
    pub velocity: Vector3<f64>,
    /// VRP [m].
    pub vrp: Vector3<f64>,
}

impl Piece {
    /// The DCM at `time` [s] after its beginning, if it shall be `end` [m] when the piece ends; `omega` [1/s].
    pub fn at(&self, time: f64, end: &Vector3<f64>, omega: f64) -> Reference {
        let time = time.max(0.0).min(self.duration);
        if omega * self.duration < 1e-9 {
            return Reference { dcm: *end, velocity: (end - self.to) * omega, vrp: self.to };
        }
        let rate = (self.to - self.from) / self.duration;
        let vrp = self.from + rate * time;
        let growth = libm::exp(omega * (time - self.duration));
        let dcm = vrp + rate / omega + (end - self.to - rate / omega) * growth;
        Reference { dcm, velocity: (dcm - vrp) * omega, vrp }
    }
}

/// The shares (α, β) with which a piece of duration `duration` [s] goes back from its end to its beginning:
/// ξ(0) = from + α (to − from) + β (ξ(T) − to).
pub(crate) fn backwards(duration: f64, omega: f64) -> (f64, f64) {
    let exponent = omega * duration;
    let beta = libm::exp(-exponent);
    (if exponent < 1e-6 { 1.0 - 0.5 * exponent } else { -libm::expm1(-exponent) / exponent }, beta)
}

/// The VRP in the middle of two pieces of duration `half` [s] each, so that they lead the DCM from `dcm` to `end` while the VRP
/// goes from `from` to `to` [m]. Before a first step it is on the side of the foot that will be lifted.
pub fn way_point(
    dcm: &Vector3<f64>,
    from: &Vector3<f64>,
    to: &Vector3<f64>,
    end: &Vector3<f64>,
    half: f64,
    omega: f64,
) -> Vector3<f64> {
    let (alpha, beta) = backwards(half, omega);
    let later = to * alpha + (end - to) * beta;
    (dcm - from * (1.0 - alpha) - later * beta) / (alpha * (1.0 - beta))
}

/// The DCM over a list of pieces, the last of which ends with the robot standing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trajectory {
    omega: f64,
    pieces: [Piece; MOST],
    ends: [Vector3<f64>; MOST],
    count: usize,
}

impl Trajectory {
    /// Without pieces; `omega` [1/s] is √(g / height of the centre of mass over the ground).
    pub fn new(omega: f64) -> Trajectory {
        Trajectory { omega, pieces: [Piece::default(); MOST], ends: [Vector3::zeros(); MOST], count: 0 }
    }

    /// Adds a piece; pieces beyond the twenty-fourth are left out.
    pub fn push(&mut self, from: Vector3<f64>, to: Vector3<f64>, duration: f64) {
        if self.count < MOST {
            self.pieces[self.count] = Piece { from, to, duration: duration.max(0.0) };
            self.count += 1;
        }
    }

    /// Joins the pieces from the last to the first.
    pub fn join(&mut self) {
        let mut end = self.pieces().last().map_or(Vector3::zeros(), |piece| piece.to);
        for k in (0..self.count).rev() {
            self.ends[k] = end;
            end = self.pieces[k].at(0.0, &end, self.omega).dcm;
        }
    }

    /// The pieces in their order.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces[..self.count]
    }

    /// Where the DCM is when a piece ends [m].
    pub fn end(&self, piece: usize) -> Vector3<f64> {
        self.ends[piece.min(self.count.saturating_sub(1))]
    }

    /// How long it takes [s].
    pub fn duration(&self) -> f64 {
        self.pieces().iter().map(|piece| piece.duration).sum()
    }

    /// The DCM at `time` [s] after the beginning; after the end it stands.
    pub fn at(&self, time: f64) -> Reference {
        let mut time = time;
        for (piece, end) in self.pieces().iter().zip(&self.ends) {
            if time < piece.duration {
                return piece.at(time, end, self.omega);
            }
            time -= piece.duration;
        }
        let rest = self.pieces().last().map_or(Vector3::zeros(), |piece| piece.to);
        Reference { dcm: rest, velocity: Vector3::zeros(), vrp: rest }
    }
}
