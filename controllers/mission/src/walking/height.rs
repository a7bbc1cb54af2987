//! How high the centre of mass shall be.

use robot_io::State;
use walking::dcm::Reference;

/// The height that belongs to the planned DCM: ż = ω (ξ − z), so that it goes up and down as gently as the DCM leads it.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(super) struct Height {
    /// [m]
    pub position: f64,
    /// [m/s]
    pub velocity: f64,
    /// [m/s²]
    pub acceleration: f64,
}

impl Height {
    /// At rest.
    pub fn rest(position: f64) -> Height {
        Height { position, ..Height::default() }
    }

    /// Follows for a cycle of `dt` [s]; `omega` [1/s].
    pub fn follow(&mut self, reference: &Reference, omega: f64, dt: f64) {
        self.position += self.velocity * dt;
        self.velocity = omega * (reference.dcm.z - self.position);
        self.acceleration = omega * omega * (self.position - reference.vrp.z);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;
    use walking::dcm::Trajectory;

    #[test]
    fn it_gets_up_a_stair_without_a_jump() {
        let omega = 3.3;
        let mut way = Trajectory::new(omega);
        let (low, high) = (Vector3::new(0.0, 0.0, 0.9), Vector3::new(0.0, 0.0, 1.1));
        way.push(low, low, 2.5);
        way.push(low, high, 0.3);
        way.push(high, high, 1.5);
        way.join();
        let mut height = Height::rest(0.9);
        let mut before = 0.0;
        for cycle in 0..5000 {
            height.follow(&way.at(f64::from(cycle) * 1e-3), omega, 1e-3);
            assert!((height.velocity - before).abs() < 3e-3, "{height:?} at {cycle} ms");
            assert!((0.89..1.11).contains(&height.position), "{height:?} at {cycle} ms");
            before = height.velocity;
        }
        assert!((height.position - 1.1).abs() < 5e-3, "{height:?}");
    }
}
