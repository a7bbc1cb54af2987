//! Fingers that open, close and hold.

use std::sync::Arc;

use manipulation::{FingerDrive, Grip, GripMonitor, GripSettings, Hand};
use robot_io::{JointCommand, JointState, State};

use crate::error::HandlingError;
use crate::setup::ArmSetup;

/// The fingers of a hand: what they are told, and what they feel.
#[derive(Debug, State)]
pub(super) struct Fingers {
    #[state(fixed)]
    hand: Arc<Hand>,
    drive: FingerDrive,
    monitor: GripMonitor,
    #[state(output)]
    grip: Grip,
}

impl Fingers {
    pub fn new(setup: &ArmSetup) -> Result<Fingers, HandlingError> {
        let settings = GripSettings::default();
        let (hand, drive) = (Arc::clone(&setup.hand), FingerDrive::new(&setup.hand, settings.clone())?);
        Ok(Fingers { hand, drive, monitor: GripMonitor::new(settings)?, grip: Grip::Open })
    }

    /// They stay where they are found.
    pub fn reset(&mut self) {
        if let Ok(drive) = FingerDrive::new(&self.hand, GripSettings::default()) {
            self.drive = drive;
        }
        self.monitor.open();
    }

    /// They go to a share of their way without pressing: 0 is open.
    pub fn go_to(&mut self, share: f64) {
        self.monitor.open();
        // a share that is none changes nothing
        let _ = self.drive.open(share);
    }

    /// They close on something with which they are so far apart [m], and hold it with a share of the force with which they may press for long.
    pub fn close(&mut self, width: f64, force: f64) {
        self.monitor.close(width);
        let _ = self.drive.close(&self.hand, force.clamp(0.0, 1.0) * self.hand.force());
    }

    /// True once they are told to be where they shall be, or press as they shall.
    pub fn are_there(&self) -> bool {
        self.drive.is_done()
    }

    /// Whether they have something between them; `None` while they do not know yet.
    pub fn have_something(&self) -> Option<bool> {
        match self.grip {
            Grip::Open | Grip::Closing { .. } => None,
            Grip::Holding { .. } | Grip::Slipping { .. } => self.drive.is_done().then_some(true),
            Grip::Empty { .. } | Grip::Lost { .. } => Some(false),
        }
    }

    /// True if what they held is gone.
    pub fn have_lost(&self) -> bool {
        matches!(self.grip, Grip::Lost { .. } | Grip::Empty { .. })
    }

    /// One cycle: what they feel, and their commands among those of all joints.
    pub fn update(&mut self, joints: &[JointState], cycle: f64, commands: &mut [JointCommand]) {
        self.grip = self.monitor.update(&self.hand, joints, self.drive.share(), cycle);
        self.drive.update(&self.hand, joints, &self.grip, cycle, commands);
    }
}
