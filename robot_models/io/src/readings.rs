//! One cycle's worth of everything measured.

use serde::{Deserialize, Serialize};

use crate::error::same_number;
use crate::{
    Battery, Contact, DepthImage, ForceTorque, Image, Imu, IoError, JointState, LaserScan, OperatorInput, Period,
    RobotLayout, RobotStatus, Sealed, State, StateVisitor, Time,
};

/// Everything a controller may know in one cycle. The buffers are sized once and reused.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Readings {
    /// The cycle's number, counted by the plug.
    pub cycle: u64,
    /// The time at which the cycle began.
    pub time: Time,
    /// One state per joint, in the layout's order.
    pub joints: Vec<JointState>,
    /// One sample per IMU.
    pub imus: Vec<Imu>,
    /// One sample per force/torque sensor.
    pub force_torques: Vec<ForceTorque>,
    /// One sample per contact switch.
    pub contacts: Vec<Contact>,
    /// One sample per battery.
    pub batteries: Vec<Battery>,
    /// For each laser scanner the scan that is complete in this cycle, if one is.
    #[serde(default)]
    pub scans: Vec<Option<Sealed<LaserScan>>>,
    /// For each colour camera the picture that is complete in this cycle, if one is.
    #[serde(default)]
    pub images: Vec<Option<Sealed<Image>>>,
    /// For each depth camera the picture that is complete in this cycle, if one is.
    #[serde(default)]
    pub depth_images: Vec<Option<Sealed<DepthImage>>>,
    /// Where the robot is in its life, and why it is stopped, if it is.
    pub status: RobotStatus,
    /// What the operator does in this cycle; filled in by the session, recorded with the rest. A robot's `read` leaves it
    /// as it is.
    pub operator: OperatorInput,
}

impl Readings {
    /// Readings of the right size for `layout`, all zero.
    pub fn new(layout: &RobotLayout) -> Readings {
        Readings {
            joints: vec![JointState::default(); layout.joints.len()],
            imus: vec![Imu::default(); layout.imus.len()],
            force_torques: vec![ForceTorque::default(); layout.force_torques.len()],
            contacts: vec![Contact::default(); layout.contacts.len()],
            batteries: vec![Battery::default(); layout.batteries.len()],
            scans: vec![None; layout.lasers.len()],
            images: vec![None; layout.cameras.len()],
            depth_images: vec![None; layout.depth_cameras.len()],
            ..Readings::default()
        }
    }

    /// Refuses readings that were made for another layout.
    pub fn check(&self, layout: &RobotLayout) -> Result<(), IoError> {
        same_number("joint readings", layout.joints.len(), self.joints.len())?;
        same_number("IMU readings", layout.imus.len(), self.imus.len())?;
        same_number("force/torque readings", layout.force_torques.len(), self.force_torques.len())?;
        same_number("contact readings", layout.contacts.len(), self.contacts.len())?;
        same_number("battery readings", layout.batteries.len(), self.batteries.len())?;
        same_number("laser scans", layout.lasers.len(), self.scans.len())?;
        same_number("images", layout.cameras.len(), self.images.len())?;
        same_number("depth images", layout.depth_cameras.len(), self.depth_images.len())
    }

    /// Takes over another cycle's values without allocating, given that both have the same layout.
    pub fn copy_from(&mut self, other: &Readings) {
        self.cycle = other.cycle;
        self.time = other.time;
        self.joints.clone_from(&other.joints);
        self.imus.clone_from(&other.imus);
        self.force_torques.clone_from(&other.force_torques);
        self.contacts.clone_from(&other.contacts);
        self.batteries.clone_from(&other.batteries);
        self.scans.clone_from(&other.scans);
        self.images.clone_from(&other.images);
        self.depth_images.clone_from(&other.depth_images);
        self.status = other.status;
        self.operator = other.operator;
    }

    /// Counts cycles and times on from an earlier run: so many cycles, and so long, have been before.
    pub fn move_on(&mut self, cycles: u64, by: Period) {
        let moved = |stamp: &mut Time| *stamp = *stamp + by;
        self.cycle += cycles;
        moved(&mut self.time);
        self.joints.iter_mut().for_each(|joint| moved(&mut joint.stamp));
        self.imus.iter_mut().for_each(|imu| moved(&mut imu.stamp));
        self.force_torques.iter_mut().for_each(|sensor| moved(&mut sensor.stamp));
        self.contacts.iter_mut().for_each(|contact| moved(&mut contact.stamp));
        self.batteries.iter_mut().for_each(|battery| moved(&mut battery.stamp));
        for scan in self.scans.iter_mut().flatten() {
            *scan = Sealed::new(LaserScan { stamp: scan.stamp + by, ..LaserScan::clone(scan) });
        }
        for image in self.images.iter_mut().flatten() {
            *image = Sealed::new(Image { stamp: image.stamp + by, ..Image::clone(image) });
        }
        for image in self.depth_images.iter_mut().flatten() {
            *image = Sealed::new(DepthImage { stamp: image.stamp + by, ..DepthImage::clone(image) });
        }
    }

    /// Everything but the status: for a plant that has a life of its own and shows that.
    pub fn visit_measured(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("cycle", &mut self.cycle);
        visitor.field("time", &mut self.time);
        visitor.field("joints", &mut self.joints);
        visitor.field("imus", &mut self.imus);
        visitor.field("force_torques", &mut self.force_torques);
        visitor.field("contacts", &mut self.contacts);
        visitor.field("batteries", &mut self.batteries);
        visitor.field("operator", &mut self.operator);
        // the layout says how many there are
        visitor.field("scans", self.scans.as_mut_slice());
        visitor.field("images", self.images.as_mut_slice());
        visitor.field("depth_images", self.depth_images.as_mut_slice());
    }
}

impl State for Readings {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("status", &mut self.status);
        self.visit_measured(visitor);
    }
}
