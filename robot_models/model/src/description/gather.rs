//! From the file's entries to the description: every name becomes an index.

use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use page::{Fault, Page};
use robot_io::Period;
use toml::Spanned;

use super::file::{
    ActuatorEntry, Content, GroupEntry, ImuEntry, LimbEntry, NoContactEntry, PoseEntry, ThermalEntry, WheelEntry,
};
use super::numbers::Microseconds;
use super::{
    ActuatorClass, BatteryMount, ContactMount, Description, EndEffector, ForceTorqueMount, ImuMount, JointGroup,
    JointSettings, Limb, Pose, Surface, Thermal, TriadErrors, Wheel, checks,
};
use crate::Tree;

type Result<T> = core::result::Result<T, Fault>;

/// Torsional and rolling friction of surfaces that say nothing about it [m], as of materials in worlds.
const TORSION: f64 = 5e-3;
const ROLLING: f64 = 5e-4;

/// A file and the tree that it talks about.
pub(super) struct Gather<'a> {
    pub page: Page<'a>,
    pub tree: &'a Tree,
    pub file: &'a Content,
}

impl Gather<'_> {
    /// The whole description.
    pub fn description(&self) -> Result<Description> {
        checks::names_are_unique(&self.page, self.file)?;
        let file = self.file;
        let actuators: Result<Vec<_>> = file.actuator.iter().map(|entry| self.actuator(entry)).collect();
        let joints = self.joints()?;
        let limbs: Result<Vec<_>> = file.limb.iter().map(|entry| self.limb(entry)).collect();
        let limbs = limbs?;
        let wheels: Result<Vec<_>> = file.wheel.iter().map(|entry| self.wheel(entry, &limbs, &joints)).collect();
        Ok(Description {
            name: file.name.clone(),
            urdf: file.urdf.as_ref().map(|urdf| urdf.get_ref().clone()),
            cycle_period: Period::from_microseconds(file.cycle_period_us.0),
            base: file.base,
            actuators: actuators?,
            groups: self.groups(&limbs)?,
            joints,
            limbs,
            end_effectors: self.end_effectors()?,
            poses: self.poses()?,
            wheels: wheels?,
            imus: file.imu.iter().map(|entry| self.imu(entry)).collect::<Result<_>>()?,
            force_torques: self.force_torques()?,
            contacts: self.contacts()?,
            surfaces: self.surfaces()?,
            no_contact: self.no_contact()?,
            batteries: self.batteries(),
            lasers: self.lasers()?,
            cameras: self.cameras()?,
            depth_cameras: self.depth_cameras()?,
        })
    }

    fn joint(&self, name: &Spanned<String>, what: &str) -> Result<usize> {
        let found = || format!("\"{}\"", name.get_ref());
        self.tree.joint(name.get_ref()).ok_or_else(|| self.page.expected(name, what, "a joint of the robot", found()))
    }

    /// The link on the far side of a joint of any kind.
    fn moved_or_fixed(&self, name: &Spanned<String>, what: &str) -> Result<usize> {
        let has = |link: &crate::Link| link.joint_name.as_ref() == Some(name.get_ref());
        let found = || format!("\"{}\"", name.get_ref());
        let link = self.tree.links.iter().position(has);
        link.ok_or_else(|| self.page.expected(name, what, "a joint of the robot, fixed or moving", found()))
    }

    pub(super) fn link(&self, name: &Spanned<String>, what: &str) -> Result<usize> {
        let found = || format!("\"{}\"", name.get_ref());
        self.tree.link(name.get_ref()).ok_or_else(|| self.page.expected(name, what, "a link of the robot", found()))
    }

    /// Index among `names`, which are those of the entries called `kind`.
    fn entry<'n>(
        &self,
        name: &Spanned<String>,
        mut names: impl Iterator<Item = &'n Spanned<String>>,
        what: &str,
        kind: &str,
    ) -> Result<usize> {
        let expected = || format!("the name of a [[{kind}]]");
        let found = || format!("\"{}\"", name.get_ref());
        let index = names.position(|other| other.get_ref() == name.get_ref());
        index.ok_or_else(|| self.page.expected(name, what, expected(), found()))
    }

    fn actuator(&self, entry: &ActuatorEntry) -> Result<ActuatorClass> {
        checks::actuator_is_sane(&self.page, entry)?;
        Ok(ActuatorClass {
            name: entry.name.get_ref().clone(),
            rated_effort: entry.rated_effort.0,
            peak_effort: entry.peak_effort.get_ref().0,
            no_load_speed: entry.no_load_speed.0,
            gear_ratio: entry.gear_ratio.0,
            rotor_inertia: entry.rotor_inertia.0,
            coulomb_friction: entry.coulomb_friction.0,
            viscous_friction: entry.viscous_friction.0,
            delay: period(entry.delay_us),
            feedback_delay: period(entry.feedback_delay_us),
            velocity_filter: period(entry.velocity_filter_us),
            backlash: entry.backlash.0,
            encoder_counts_per_turn: entry.encoder_counts_per_turn.0,
            encoder_at: entry.encoder_at,
            position_noise: entry.position_noise.0,
            velocity_noise: entry.velocity_noise.0,
            effort_noise: entry.effort_noise.0,
            torque_constant: entry.torque_constant.0,
            efficiency: entry.efficiency.0,
            thermal: thermal(&entry.thermal),
            spring: entry.spring.map(|spring| spring.0),
        })
    }

    fn surfaces(&self) -> Result<Vec<Surface>> {
        let mut surfaces: Vec<Surface> = Vec::new();
        for entry in &self.file.surface {
            let what = format!("[[surface]] \"{}\" links", entry.name.get_ref());
            let mut links = Vec::new();
            for name in &entry.links {
                let link = self.link(name, &what)?;
                if links.contains(&link) || surfaces.iter().any(|other| other.links.contains(&link)) {
                    let found = format!("\"{}\" a second time", name.get_ref());
                    return Err(self.page.expected(name, what, "each link once", found));
                }
                links.push(link);
            }
            surfaces.push(Surface {
                name: entry.name.get_ref().clone(),
                links,
                friction: entry.friction.0,
                restitution: entry.restitution.map_or(0.0, |share| share.0),
                torsional_friction: entry.torsional_friction.map_or(TORSION, |arm| arm.0),
                rolling_friction: entry.rolling_friction.map_or(ROLLING, |arm| arm.0),
                give: entry.give.map_or(0.0, |give| give.0),
            });
        }
        Ok(surfaces)
    }

    fn no_contact(&self) -> Result<Vec<Vec<usize>>> {
        let what = "[[no_contact]] links";
        let links = |entry: &NoContactEntry| {
            let names = entry.links.get_ref();
            if names.len() < 2 {
                return Err(self.page.expected(&entry.links, what, "two links or more", names.len()));
            }
            names.iter().map(|name| self.link(name, what)).collect()
        };
        self.file.no_contact.iter().map(links).collect()
    }

    fn joints(&self) -> Result<Vec<JointSettings>> {
        let mut settings: Vec<Option<JointSettings>> = vec![None; self.tree.dof()];
        for entry in &self.file.joints {
            let classes = || self.file.actuator.iter().map(|class| &class.name);
            let find = |name| self.entry(name, classes(), "[[joints]] actuator", "actuator");
            let actuator = entry.actuator.as_ref().map(find).transpose()?;
            let (stiffness, damping) = checks::gains_fit_actuator(&self.page, entry)?;
            for name in entry.names.get_ref() {
                let joint = self.joint(name, "[[joints]] names")?;
                if settings[joint].replace(JointSettings { actuator, stiffness, damping }).is_some() {
                    let found = format!("\"{}\" a second time", name.get_ref());
                    return Err(self.page.expected(name, "[[joints]] names", "each joint once", found));
                }
            }
        }
        let lacking = |joint: usize| {
            let what = format!("joint \"{}\"", self.tree.joints[joint].name);
            self.page.lacks(what, "an entry in [[joints]]")
        };
        settings.into_iter().enumerate().map(|(joint, found)| found.ok_or_else(|| lacking(joint))).collect()
    }

    fn limb(&self, entry: &LimbEntry) -> Result<Limb> {
        let what = format!("[[limb]] \"{}\"", entry.name.get_ref());
        let joints: Result<Vec<_>> = entry.joints.iter().map(|name| self.joint(name, &what)).collect();
        let effectors = || self.file.end_effector.iter().map(|effector| &effector.name);
        let find = |name| self.entry(name, effectors(), &what, "end_effector");
        let end_effector = entry.end_effector.as_ref().map(find).transpose()?;
        Ok(Limb { name: entry.name.get_ref().clone(), joints: joints?, end_effector })
    }

    /// Each limb, and then what the file puts together.
    fn groups(&self, limbs: &[Limb]) -> Result<Vec<JointGroup>> {
        let of_limb = |limb: &Limb| JointGroup { name: limb.name.clone(), joints: limb.joints.clone() };
        let mut groups: Vec<JointGroup> = limbs.iter().map(of_limb).collect();
        for entry in &self.file.group {
            groups.push(self.group(entry, limbs)?);
        }
        Ok(groups)
    }

    fn group(&self, entry: &GroupEntry, limbs: &[Limb]) -> Result<JointGroup> {
        let what = format!("[[group]] \"{}\"", entry.name.get_ref());
        let mut joints = Vec::new();
        let mut add = |name: &Spanned<String>, joint: usize| {
            if joints.contains(&joint) {
                let found = format!("joint \"{}\" a second time", self.tree.joints[joint].name);
                return Err(self.page.expected(name, what.clone(), "each joint once", found));
            }
            joints.push(joint);
            Ok(())
        };
        for name in &entry.limbs {
            let limb = self.entry(name, self.file.limb.iter().map(|limb| &limb.name), &what, "limb")?;
            limbs[limb].joints.iter().try_for_each(|joint| add(name, *joint))?;
        }
        for name in &entry.joints {
            add(name, self.joint(name, &what)?)?;
        }
        if joints.is_empty() {
            return Err(self.page.expected(&entry.name, what, "limbs or joints", "none"));
        }
        Ok(JointGroup { name: entry.name.get_ref().clone(), joints })
    }

    fn end_effectors(&self) -> Result<Vec<EndEffector>> {
        let each = self.file.end_effector.iter().map(|entry| {
            let link = self.link(&entry.link, "[[end_effector]] link")?;
            Ok(EndEffector { name: entry.name.get_ref().clone(), link })
        });
        each.collect()
    }

    fn poses(&self) -> Result<Vec<Pose>> {
        let mut poses: Vec<Pose> = Vec::new();
        for entry in &self.file.pose {
            let pose = self.pose(entry, &poses)?;
            checks::pose_is_within_limits(&self.page, entry, &pose, self.tree)?;
            poses.push(pose);
        }
        Ok(poses)
    }

    fn pose(&self, entry: &PoseEntry, earlier: &[Pose]) -> Result<Pose> {
        let what = format!("[[pose]] \"{}\"", entry.name.get_ref());
        let mut positions = vec![0.0; self.tree.dof()];
        if let Some(like) = &entry.like {
            let found = earlier.iter().find(|pose| &pose.name == like.get_ref());
            let quoted = || format!("\"{}\"", like.get_ref());
            let refuse =
                || self.page.expected(like, format!("{what} like"), "the name of an earlier [[pose]]", quoted());
            positions.clone_from(&found.ok_or_else(refuse)?.positions);
        }
        for (name, position) in &entry.positions {
            positions[self.joint(name, &what)?] = position.get_ref().0;
        }
        Ok(Pose { name: entry.name.get_ref().clone(), positions })
    }

    fn wheel(&self, entry: &WheelEntry, limbs: &[Limb], joints: &[JointSettings]) -> Result<Wheel> {
        let what = |field: &str| format!("[[wheel]] \"{}\" {field}", entry.name.get_ref());
        let names = self.file.limb.iter().map(|limb| &limb.name);
        let limb = self.entry(&entry.limb, names, &what("limb"), "limb")?;
        let steer_joint = self.joint(&entry.steer_joint, &what("steer_joint"))?;
        let drive_joint = self.joint(&entry.drive_joint, &what("drive_joint"))?;
        for (field, name, joint) in
            [("steer_joint", &entry.steer_joint, steer_joint), ("drive_joint", &entry.drive_joint, drive_joint)]
        {
            checks::wheel_joint_is_driven(&self.page, name, &what(field), joint, &limbs[limb], joints)?;
        }
        checks::wheel_turns_without_end(&self.page, entry, drive_joint, self.tree)?;
        Ok(Wheel {
            name: entry.name.get_ref().clone(),
            limb,
            steer_joint,
            drive_joint,
            link: self.tree.joints[drive_joint].link,
            radius: entry.radius.0,
            width: entry.width.0,
        })
    }

    fn imu(&self, entry: &ImuEntry) -> Result<ImuMount> {
        let [x, y, z] = entry.xyz.map(|value| value.0);
        let [roll, pitch, yaw] = entry.rpy.map(|value| value.0);
        let rotation = UnitQuaternion::from_euler_angles(roll, pitch, yaw);
        let (scale_error, misalignment) = (entry.scale_error.0, entry.misalignment.0);
        let shared = TriadErrors { scale_error, misalignment, ..TriadErrors::default() };
        Ok(ImuMount {
            name: entry.name.get_ref().clone(),
            link: self.link(&entry.link, "[[imu]] link")?,
            pose_in_link: Isometry3::from_parts(Translation3::new(x, y, z), rotation),
            gyroscope: TriadErrors {
                noise_density: entry.gyro_noise_density.0,
                bias_walk: entry.gyro_bias_walk.0,
                turn_on_bias: entry.gyro_turn_on_bias.0,
                ..shared
            },
            accelerometer: TriadErrors {
                noise_density: entry.accel_noise_density.0,
                bias_walk: entry.accel_bias_walk.0,
                turn_on_bias: entry.accel_turn_on_bias.0,
                ..shared
            },
            attitude_time: entry.attitude_time.0,
            rate_hz: entry.rate_hz.0,
        })
    }

    fn force_torques(&self) -> Result<Vec<ForceTorqueMount>> {
        let each = self.file.force_torque.iter().map(|entry| {
            Ok(ForceTorqueMount {
                name: entry.name.get_ref().clone(),
                link: self.moved_or_fixed(&entry.joint, "[[force_torque]] joint")?,
                force_noise: entry.force_noise.0,
                torque_noise: entry.torque_noise.0,
            })
        });
        each.collect()
    }

    fn contacts(&self) -> Result<Vec<ContactMount>> {
        let each = self.file.contact.iter().map(|entry| {
            Ok(ContactMount {
                name: entry.name.get_ref().clone(),
                link: self.link(&entry.link, "[[contact]] link")?,
                threshold: entry.threshold.0,
                force_noise: entry.force_noise.0,
            })
        });
        each.collect()
    }

    fn batteries(&self) -> Vec<BatteryMount> {
        let each = self.file.battery.iter().map(|entry| BatteryMount {
            name: entry.name.get_ref().clone(),
            energy_wh: entry.energy_wh.0,
            voltage: entry.voltage.0,
            internal_resistance: entry.internal_resistance.0,
            idle_power_w: entry.idle_power_w.0,
        });
        each.collect()
    }
}

fn period(entry: Option<Microseconds>) -> Period {
    entry.map_or(Period::default(), |time| Period::from_microseconds(time.0))
}

fn thermal(entry: &ThermalEntry) -> Thermal {
    Thermal {
        resistance: entry.resistance.0,
        capacitance: entry.capacitance.0,
        ambient: entry.ambient.0,
        derate_from: entry.derate_from.get_ref().0,
        trip_at: entry.trip_at.get_ref().0,
        copper_loss: entry.copper_loss.0,
    }
}
