//! No pair that is near is left out.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::collision::{Owner, collision_shapes};
use crate::solids::Carrier;
use mechanics::{Coordinates, Joint, Kinematics};
use nalgebra::Isometry3;
use proptest::prelude::*;
use std::path::Path;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn no_pair_that_is_near_is_left_out_however_the_joints_move(
        moves in proptest::collection::vec((any::<prop::sample::Index>(), -0.3_f64..0.3), 1..120)
    ) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let robot = RobotModel::load(&root.join("robot_models/centaur/centaur.toml")).unwrap();
        let world = worlds::World::load(&root.join("worlds/flat.toml")).unwrap();
        let parts = mechanics::robot(&robot.tree, Joint::Free, &Isometry3::identity(), 0, |_| 0.0);
        let model = Model::new(parts.bodies).unwrap().with(parts.constraints).unwrap();
        let mut coordinates = Coordinates::new(&model);
        let mut kinematics = Kinematics::new(&model);
        let shapes = collision_shapes(&world, &robot).unwrap();
        let mut solids: Vec<Solid> = shapes.into_iter().filter_map(|shape| {
            let Owner::Link(link) = shape.owner else { return None };
            let place = robot.tree.place(link);
            let pose = place.pose_in_body * shape.pose_in_owner;
            Some(Solid::new(shape.owner, Carrier::Body(place.body), shape.shape, pose))
        }).collect();
        let mut place_all = |solids: &mut [Solid], coordinates: &Coordinates| {
            kinematics.place(&model, coordinates);
            solids.iter_mut().for_each(|solid| if let Carrier::Body(body) = solid.carrier {
                solid.place(&kinematics.bodies[body].in_world);
            });
        };
        place_all(&mut solids, &coordinates);
        let (mut own, _) = SelfContact::new(&robot, &model, (0, 0..robot.tree.links.len()), &solids);
        let mut finder = Finder::default();
        for (joint, way) in moves {
            coordinates.positions[1 + joint.index(model.bodies().len() - 1)] += way;
            place_all(&mut solids, &coordinates);
            let count = own.find(&solids, &coordinates.positions, &mut finder, |_| false, (|_| MeetingPlace::default(), |_: &Solid, _: &Solid| NEAR_OWN));
            let found: Vec<_> = (0..count).map(|place| own.found(place).0).collect();
            for &Pair { one, two, .. } in &own.pairs {
                let mut points = 0;
                finder.find_within(&solids[one], &solids[two], NEAR_OWN, &mut MeetingPlace::default(), |_| points += 1);
                let near = finder.measure(&solids[one], &solids[two]).distance < NEAR_OWN && points > 0;
                let is_found = found.contains(&(one, two));
                prop_assert!(is_found || !near, "solids {} and {} are left out", one, two);
                prop_assert!(!is_found || points > 0, "solids {} and {} are not near", one, two);
            }
        }
    }
}
