//! Settings of walking for a robot of another size.
//!
//! The defaults suit a robot of a person's size. Bodies that walk alike have the same Froude number, v² / (g l): lengths go with the height l of the
//! centre of mass, times and speeds with its root, forces with the weight. Soles, and how far they stand from each other, are the robot's own.

use robot_model::{RobotModel, center_of_mass_in_base};
use walking::{GaitSettings, Reach};

use crate::StepsSettings;
use crate::settings::MissionSettings;
use crate::walking_settings::{BodySettings, WalkingSettings};

/// The robot for which the defaults were found: `robot_models/humanoid`.
const USUAL: Size = Size { height: 0.9227, apart: 0.25994, mass: 93.547 };
/// Share of a sole's length on which the gait counts: heel and toes are not flat, and it rolls over them.
const FLAT: f64 = 0.9375;
/// Beside each other soles are this far apart at least, at the usual size [m].
const BETWEEN: f64 = 0.03;

/// A robot on two feet, in its first pose.
#[derive(Clone, Copy, Debug)]
struct Size {
    /// Of the centre of mass over the soles [m].
    height: f64,
    /// From the middle of one sole to that of the other [m].
    apart: f64,
    /// [kg]
    mass: f64,
}

impl Size {
    /// None for a robot that does not stand on two feet.
    fn of(model: &RobotModel) -> Option<Size> {
        let (tree, description) = (&model.tree, &model.description);
        let [left, right] = description.feet.as_slice() else { return None };
        let data = model.standing();
        let [left, right] = [left, right].map(|foot| data.link_in_base[foot.link].translation.vector);
        let up = center_of_mass_in_base(tree, &data) - 0.5 * (left + right);
        let size = Size { height: up.z, apart: (left - right).xy().norm(), mass: tree.mass() };
        (description.wheels.is_empty() && size.height > 0.0).then_some(size)
    }
}

impl MissionSettings {
    /// What holds for a robot unless something else is said: the defaults, but for a robot on two feet those of walking go with its size.
    pub fn for_robot(model: &RobotModel) -> MissionSettings {
        let usual = MissionSettings::default();
        let Some(size) = Size::of(model) else { return usual };
        let walking = usual.walking;
        let length = share(size.height, USUAL.height);
        let scale = Scale { length, time: length.sqrt(), force: share(size.mass, USUAL.mass) };
        let walking = WalkingSettings {
            gait: scale.gait(&walking.gait, model, &size),
            steps: scale.steps(&walking.steps),
            body: BodySettings { inset: scale.length(walking.body.inset), ..walking.body },
            ..walking
        };
        MissionSettings { walking, ..usual }
    }
}

/// A ratio to three digits: a robot of the usual size has the defaults.
fn share(own: f64, usual: f64) -> f64 {
    let ratio = own / usual;
    let digit = 10_f64.powi(ratio.log10().floor() as i32 - 2);
    (ratio / digit).round() * digit
}

/// Own lengths, times and forces, where the usual ones are 1; speeds go as times.
#[derive(Clone, Copy, Debug)]
struct Scale {
    length: f64,
    time: f64,
    force: f64,
}

/// To a tenth of a millimetre, a millisecond or a newton: settings are read by people.
fn readable(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

impl Scale {
    fn length(&self, usual: f64) -> f64 {
        readable(usual * self.length)
    }

    fn lengths(&self, usual: [f64; 2]) -> [f64; 2] {
        usual.map(|usual| self.length(usual))
    }

    fn time(&self, usual: f64) -> f64 {
        readable(usual * self.time)
    }

    fn gait(&self, usual: &GaitSettings, model: &RobotModel, size: &Size) -> GaitSettings {
        let mut gait = *usual;
        let widest = model.description.feet.iter().map(|foot| [foot.length, foot.width]);
        let [sole_length, sole_width] =
            widest.fold([0.0_f64; 2], |most, own| [0, 1].map(|axis| most[axis].max(own[axis])));
        gait.com_height = self.length(usual.com_height);
        gait.heights = self.lengths(usual.heights);
        gait.height_speed = self.time(usual.height_speed);
        gait.width = readable(size.apart + (usual.width - USUAL.apart) * self.length);
        for time in [&mut gait.single, &mut gait.both, &mut gait.shift, &mut gait.hurry, &mut gait.adjust.freeze] {
            *time = self.time(*time);
        }
        gait.adjust.time = usual.adjust.time.map(|time| self.time(time));
        let [forward, sideways, turning] = usual.fastest;
        gait.fastest = [self.time(forward), self.time(sideways), turning];
        for length in [&mut gait.inset, &mut gait.calm, &mut gait.inward, &mut gait.rest, &mut gait.adjust.farthest] {
            *length = self.length(*length);
        }
        gait.adjust.swing_speed = self.time(usual.adjust.swing_speed);
        gait.adjust.time_weight = self.length(usual.adjust.time_weight);
        gait.touch = readable(usual.touch * self.force);
        for length in [&mut gait.swing.clearance, &mut gait.swing.depth, &mut gait.swing.stair] {
            *length = self.length(*length);
        }
        gait.swing.approach = self.time(usual.swing.approach);
        gait.swing.search = self.time(usual.swing.search);
        gait.track.integral_most = self.length(usual.track.integral_most);
        let beside =
            if sole_width > 0.0 { sole_width + BETWEEN * self.length } else { self.length(usual.reach.outward[0]) };
        gait.reach = Reach {
            forward: self.lengths(usual.reach.forward),
            outward: [readable(beside), self.length(usual.reach.outward[1])],
            upward: self.lengths(usual.reach.upward),
            half_sole: [readable(0.5 * FLAT * sole_length), readable(0.5 * sole_width)],
            ..usual.reach
        };
        gait.width = gait.width.max(gait.reach.outward[0]);
        gait
    }

    fn steps(&self, usual: &StepsSettings) -> StepsSettings {
        StepsSettings {
            stride: self.length(usual.stride),
            longest: self.length(usual.longest),
            widest: self.length(usual.widest),
            margin: self.length(usual.margin),
            astray: self.length(usual.astray),
            ..*usual
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::path::Path;

    use nalgebra::Vector3;
    use robot_io::Settings;
    use robot_model::Tree;

    use super::*;

    fn load(robot: &str) -> RobotModel {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../robot_models/{robot}/{robot}.toml"));
        RobotModel::load(&file).unwrap()
    }

    /// The same robot, so much smaller in all three directions.
    fn smaller(mut model: RobotModel, by: f64) -> RobotModel {
        let mut links = model.tree.links.clone();
        for link in &mut links {
            link.placement_in_parent.translation.vector *= by;
            link.inertia.mass *= by.powi(3);
            link.inertia.com_in_link *= by;
            link.inertia.rotational_at_com_in_link *= by.powi(5);
        }
        model.tree = Tree::new(links, model.tree.joints.clone()).unwrap();
        for foot in &mut model.description.feet {
            (foot.length, foot.width) = (foot.length * by, foot.width * by);
        }
        model
    }

    #[test]
    fn the_robots_that_the_defaults_were_found_with_have_them() {
        for robot in ["humanoid", "centaur"] {
            let (own, usual) = (MissionSettings::for_robot(&load(robot)), MissionSettings::default());
            assert!(own == usual, "{robot}: {:?}, not {:?}", own.walking, usual.walking);
        }
    }

    #[test]
    fn a_robot_of_half_the_size_steps_half_as_far_in_seven_tenths_of_the_time() {
        let usual = MissionSettings::default().walking;
        for by in [0.25, 0.5, 0.8, 1.5] {
            let settings = MissionSettings::for_robot(&smaller(load("humanoid"), by));
            assert_eq!(settings.check(), Ok(()), "{by}");
            let WalkingSettings { gait, steps, .. } = settings.walking;
            let near = |own: f64, expected: f64| (own / expected - 1.0).abs() < 0.01;
            assert!(near(gait.width, by * usual.gait.width) && near(gait.reach.forward[1], by * 0.7), "{gait:?}");
            assert!(near(gait.reach.half_sole[1], by * 0.08) && near(gait.reach.outward[0], by * 0.19), "{gait:?}");
            assert!(near(steps.longest, by * usual.steps.longest), "{steps:?}");
            assert!(near(gait.single, by.sqrt() * 0.5) && near(gait.fastest[0], by.sqrt() * 0.8), "{gait:?}");
            assert!(near(gait.touch, by.powi(3) * 60.0), "{gait:?}");
        }
    }

    #[test]
    fn a_robot_on_points_keeps_its_feet_apart_all_the_same() {
        let mut model = load("humanoid");
        model.description.feet.iter_mut().for_each(|foot| (foot.length, foot.width) = (0.0, 0.0));
        assert_eq!(MissionSettings::for_robot(&model).walking.gait.reach.outward, [0.19, 0.55]);
    }

    #[test]
    fn the_usual_robot_is_the_one_that_is_shipped() {
        let size = Size::of(&load("humanoid")).unwrap();
        let off = Vector3::new(size.height - USUAL.height, size.apart - USUAL.apart, (size.mass - USUAL.mass) / 100.0);
        assert!(off.amax() < 1e-4, "{size:?}");
    }
}
