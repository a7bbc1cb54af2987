//! Mirrors `src/grid`: what the local map remembers, forgets and knows to be free.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use nalgebra::{Point2, Point3, Vector3};
use robot_io::{Digest, StateReader, StateWriter};
use slam::{GridSettings, LocalMap, SurfelCloud};
use support::{Bench, Solid, Trajectory, World};

/// A map of some sweeps at true poses, in the frame in which the robot starts.
fn insert(map: &mut LocalMap, bench: &mut Bench, sweeps: usize) {
    for step in bench.take(sweeps) {
        map.recentre(&step.base_in_start.translation.vector.into());
        map.insert(&step.sweep, &step.base_in_start);
    }
}

fn mapped(world: World, sweeps: usize) -> LocalMap {
    let mut map = LocalMap::new(&GridSettings::default());
    insert(&mut map, &mut Bench::new(world, Trajectory::still(0.0, 0.0, 0.0)), sweeps);
    map
}

#[test]
fn surfels_lie_on_the_surfaces_and_look_at_the_robot() {
    let (world, map) = (World::room(), mapped(World::room(), 4));
    let eye = Point3::new(0.0, 0.0, 1.4);
    let flat: Vec<_> = map.surfels(0).filter(|surfel| surfel.is_flat() && surfel.weight > 30.0).collect();
    assert!(flat.len() > 100, "{}", flat.len());
    for surfel in flat {
        assert!(world.distance(&surfel.mean).abs() < 0.03, "{surfel:?}");
        assert!(surfel.normal.dot(&(eye - surfel.mean)) > 0.0, "{surfel:?}");
    }
}

#[test]
fn walls_are_occupied_air_is_free_and_the_rest_is_unknown() {
    let map = mapped(World::room(), 3);
    let occupied = |x, y, z| map.occupancy(&Point3::new(x, y, z));
    assert!(occupied(1.0, -2.45, 1.1).unwrap() > 0.8, "a wall");
    assert!(occupied(1.0, 0.5, 1.1).unwrap() < 0.2, "the air in the room");
    assert_eq!(occupied(1.0, -4.5, 1.1), None, "behind the wall");
    assert_eq!(occupied(100.0, 0.0, 0.0), None, "out of reach");
}

#[test]
fn what_has_gone_disappears_from_the_map() {
    let stands = World::room().with(Solid::Column([1.6, 0.8], 0.2));
    let near_column = |map: &LocalMap| {
        let is_there =
            |mean: &Point3<f64>| (mean.xy() - Point2::new(1.6, 0.8)).norm() < 0.3 && (0.4..2.0).contains(&mean.z);
        map.surfels(0).filter(|surfel| is_there(&surfel.mean)).count()
    };
    let mut map = mapped(stands, 5);
    let (column, all) = (near_column(&map), map.surfels(0).count());
    assert!(column >= 6, "{column}");
    let mut bench = Bench::new(World::room(), Trajectory::still(0.0, 0.0, 0.0));
    insert(&mut map, &mut bench, 8);
    assert!(near_column(&map) <= column / 6, "{} of {column} are left", near_column(&map));
    assert!(map.surfels(0).count() as f64 > 0.9 * (all - column) as f64, "and nothing else has gone");
}

#[test]
fn driving_away_and_back_costs_only_the_fine_levels() {
    let mut map = mapped(World::room(), 3);
    let coarse = map.surfels(3).count();
    let before = map.surfels(0).count();
    map.recentre(&Point3::new(6.0, 0.0, 0.7));
    map.recentre(&Point3::new(0.0, 0.0, 0.7));
    assert_eq!(map.surfels(3).count(), coarse);
    assert!(map.surfels(0).count() < before / 2);
    map.recentre(&Point3::new(500.0, -900.0, 40.0));
    assert!(map.is_empty());
}

#[test]
fn maps_and_clouds_survive_being_saved() {
    let mut map = mapped(World::arena(), 2);
    let saved = StateWriter::save(&mut map);
    let mut restored = LocalMap::default();
    StateReader::restore(&mut restored, &saved).unwrap();
    assert_eq!(restored, map);
    assert_eq!(Digest::of(&mut restored), Digest::of(&mut map));

    let mut cloud = map.to_cloud();
    let mut back = SurfelCloud::default();
    StateReader::restore(&mut back, &StateWriter::save(&mut cloud)).unwrap();
    assert_eq!(back, cloud);
}

#[test]
fn a_broken_snapshot_gives_an_empty_map_and_no_panic() {
    let mut map = mapped(World::arena(), 1);
    let saved = StateWriter::save(&mut map);
    for at in (0..saved.len()).step_by(saved.len() / 60) {
        let mut broken = saved.clone();
        broken[at] ^= 0x55;
        let mut restored = LocalMap::default();
        let _ = StateReader::restore(&mut restored, &broken);
        let mut bench = Bench::new(World::arena(), Trajectory::still(0.0, 0.0, 0.0));
        let step = bench.step();
        restored.recentre(&(Point3::origin() + Vector3::x() * 3.0));
        restored.insert(&step.sweep, &step.base_in_start);
    }
}
