//! Moments of a run to take pictures of.

use plant::Frame;
use robot_io::{Commands, Readings, Telemetry};
use station::Footprints;

use crate::checks::Signal;
use crate::session::Session;

/// One moment of a run, complete enough for a picture.
#[derive(Clone, Debug)]
pub struct Moment {
    /// Where everything is.
    pub frame: Frame,
    /// What the sensors say.
    pub readings: Readings,
    /// What the robot is told.
    pub commands: Commands,
    /// What the controller believes and intends.
    pub telemetry: Telemetry,
    /// Where its soles have stood.
    pub footprints: Footprints,
    /// Angle between the base's z axis and the vertical [deg].
    pub tilt: f64,
}

impl Moment {
    /// The present moment of a session.
    pub fn of(session: &Session) -> Moment {
        let mut frame = Frame::default();
        session.frame_into(&mut frame);
        Moment {
            frame,
            readings: session.readings().clone(),
            commands: session.commands().clone(),
            telemetry: session.telemetry().clone(),
            footprints: session.footprints().clone(),
            tilt: Signal::Tilt.value(&session.observation()),
        }
    }
}

/// Drops every other moment, but neither the first nor the steepest.
pub fn thin_out(moments: &mut Vec<Moment>) {
    let tilts = moments.iter().map(|moment| moment.tilt).enumerate();
    let steepest = tilts.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index);
    let mut index = 0;
    moments.retain(|_| {
        index += 1;
        index % 2 == 1 || Some(index - 1) == steepest
    });
}
