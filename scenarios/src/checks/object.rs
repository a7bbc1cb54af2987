//! What checks ask of an object of the world: a door, a drawer, a crate.

use core::fmt;
use core::str::FromStr;

use plant::ObjectTruth;
use worlds::Object;

use super::Reducer;
use super::signal::read_metric;

/// A number per cycle of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectSignal {
    /// Angle of its hinge [deg].
    Hinge,
    /// Position of its slide [m].
    Slide,
    /// Distance from where it began [m].
    Moved,
    /// Angle from how it was turned when it began [deg].
    Turned,
    /// Height above where it began [m].
    Lifted,
    /// How far it leans from how it stood when it began, whichever way it faces [deg].
    Leans,
    /// Soil that lies on it or in it [kg].
    Payload,
}

/// A number per run, written `signal.reducer`, for example `hinge.max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectMetric {
    /// Of which signal.
    pub signal: ObjectSignal,
    /// Which number.
    pub reducer: Reducer,
}

impl ObjectSignal {
    const ALL: [(ObjectSignal, &'static str); 7] = [
        (ObjectSignal::Hinge, "hinge"),
        (ObjectSignal::Slide, "slide"),
        (ObjectSignal::Moved, "moved"),
        (ObjectSignal::Turned, "turned"),
        (ObjectSignal::Lifted, "lifted"),
        (ObjectSignal::Leans, "leans"),
        (ObjectSignal::Payload, "payload"),
    ];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        ObjectSignal::ALL.iter().find(|(signal, _)| *signal == self).map_or("", |(_, name)| name)
    }

    /// Its unit.
    pub fn unit(self) -> &'static str {
        match self {
            ObjectSignal::Hinge | ObjectSignal::Turned | ObjectSignal::Leans => "deg",
            ObjectSignal::Slide | ObjectSignal::Moved | ObjectSignal::Lifted => "m",
            ObjectSignal::Payload => "kg",
        }
    }

    /// True if an object has it.
    pub fn is_of(self, object: &Object) -> bool {
        match self {
            ObjectSignal::Hinge => object.joint.as_ref().is_some_and(|joint| !joint.slides),
            ObjectSignal::Slide => object.joint.as_ref().is_some_and(|joint| joint.slides),
            ObjectSignal::Moved | ObjectSignal::Turned | ObjectSignal::Lifted | ObjectSignal::Leans => true,
            // what is fixed to the world carries no soil
            ObjectSignal::Payload => object.mass.is_some(),
        }
    }

    /// Its value for an object that began at `start`.
    pub fn value(self, now: &ObjectTruth, start: &ObjectTruth) -> f64 {
        let (here, there) = (now.in_world, start.in_world);
        match self {
            ObjectSignal::Hinge => now.joint_position.to_degrees(),
            ObjectSignal::Slide => now.joint_position,
            ObjectSignal::Payload => now.soil,
            ObjectSignal::Moved => (here.translation.vector - there.translation.vector).norm(),
            ObjectSignal::Turned => here.rotation.angle_to(&there.rotation).to_degrees(),
            ObjectSignal::Lifted => here.translation.z - there.translation.z,
            // what was up when it began: the angle between where that points then and now
            ObjectSignal::Leans => {
                let up = here.rotation * (there.rotation.inverse() * nalgebra::Vector3::z());
                up.angle(&nalgebra::Vector3::z()).to_degrees()
            }
        }
    }
}

impl fmt::Display for ObjectMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.signal.name(), self.reducer.name())
    }
}

impl FromStr for ObjectMetric {
    type Err = String;

    fn from_str(text: &str) -> Result<ObjectMetric, String> {
        let (signal, reducer) = read_metric(text, &ObjectSignal::ALL)?;
        Ok(ObjectMetric { signal, reducer })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use nalgebra::{Isometry3, Vector3};

    use super::*;

    #[test]
    fn each_metric_is_written_as_it_is_read() {
        for (signal, _) in ObjectSignal::ALL {
            let metric = ObjectMetric { signal, reducer: Reducer::Final };
            assert_eq!(metric.to_string().parse::<ObjectMetric>().unwrap(), metric);
        }
        let message = "angle.max".parse::<ObjectMetric>().unwrap_err();
        assert!(
            message.contains("a signal of hinge, slide, moved, turned, lifted, leans, payload and a reducer of max"),
            "{message}"
        );
    }

    #[test]
    fn a_number_is_that_of_the_object_now_against_how_it_began() {
        let start = ObjectTruth { in_world: Isometry3::translation(1.0, 2.0, 3.0), joint_position: 0.0, soil: 0.0 };
        let in_world = Isometry3::new(Vector3::new(1.3, 2.4, 3.0), Vector3::z() * 0.5);
        let above = Isometry3::translation(1.0, 2.0, 3.25);
        let lifted = ObjectTruth { in_world: above, joint_position: 0.0, soil: 0.0 };
        assert!((ObjectSignal::Lifted.value(&lifted, &start) - 0.25).abs() < 1e-12);
        let tilted =
            Isometry3::new(Vector3::zeros(), Vector3::y() * 0.3) * Isometry3::new(Vector3::zeros(), Vector3::z() * 2.0);
        let tilted = ObjectTruth { in_world: tilted, joint_position: 0.0, soil: 0.0 };
        assert!((ObjectSignal::Leans.value(&tilted, &start) - 0.3_f64.to_degrees()).abs() < 1e-9);
        let now = ObjectTruth { in_world, joint_position: 0.5, soil: 0.25 };
        let value = |signal: ObjectSignal| signal.value(&now, &start);
        assert!((value(ObjectSignal::Moved) - 0.5).abs() < 1e-12);
        assert!((value(ObjectSignal::Turned) - 0.5_f64.to_degrees()).abs() < 1e-9);
        assert!((value(ObjectSignal::Hinge) - 0.5_f64.to_degrees()).abs() < 1e-9);
        assert!((value(ObjectSignal::Slide) - 0.5).abs() < 1e-12);
        assert!((value(ObjectSignal::Payload) - 0.25).abs() < 1e-12);
    }
}
