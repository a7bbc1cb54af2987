//! Mirrors `src/mapper`: loops, bad sweeps, corridors, snapshots.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests; they print how long a sweep takes")]

mod support;

use nalgebra::Isometry3;
use robot_io::{Digest, LocalizationState, Pose2, Severity, StateReader, StateWriter};
use slam::{Mapper, MapperSetup, SweepEstimate, SweepOdometer, Verdict};
use support::{Bench, Drift, Solid, Step, Trajectory, World};

/// A mapper that was told where it starts.
fn mapper(bench: &Bench) -> Mapper {
    let start = bench.start_in_world();
    let (_, _, yaw) = start.rotation.euler_angles();
    Mapper::new(MapperSetup {
        start: Pose2 { x: start.translation.x, y: start.translation.y, yaw },
        ..MapperSetup::default()
    })
}

/// Distance [m] and angle [rad] between estimate and truth.
fn error(estimate: &SweepEstimate, truth: &Isometry3<f64>) -> (f64, f64) {
    let off = truth.inv_mul(&estimate.base_in_map);
    (off.translation.vector.norm(), off.rotation.angle())
}

fn show(mapper: &Mapper, step: &Step, estimate: &SweepEstimate, took: f64) {
    let (distance, angle) = error(estimate, &step.base_in_world);
    let place = step.base_in_world.translation.vector;
    println!(
        "{:4} at {:6.2} {:6.2} error {:6.3} m {:6.3}° {:?} {:?} share {:.2} mean {:.3} weak {} deviation {:.3} views {} ties {} {:.0} ms",
        step.sweep.number,
        place.x,
        place.y,
        distance,
        angle.to_degrees(),
        mapper.localization().state,
        estimate.verdict,
        estimate.matched_share,
        estimate.mean_distance,
        estimate.weak_directions,
        estimate.covariance[(0, 0)].max(estimate.covariance[(1, 1)]).sqrt(),
        mapper.graph().nodes.len(),
        mapper.graph().edges.len(),
        1e3 * took,
    );
    mapper.events().for_each(|event| println!("     {event:?}"));
}

fn run(mapper: &mut Mapper, steps: impl Iterator<Item = Step>) -> Vec<(f64, f64)> {
    let mut errors = Vec::new();
    for step in steps {
        let began = std::time::Instant::now();
        let estimate = mapper.process(&step.sweep);
        show(mapper, &step, &estimate, began.elapsed().as_secs_f64());
        errors.push(error(&estimate, &step.base_in_world));
    }
    errors
}

/// The same motion after a while at rest [s], as robots begin.
fn after_a_rest(motion: Trajectory) -> Trajectory {
    Trajectory::new(move |time| motion.at((time - 2.6).max(0.0)))
}

/// Once round the ring of corridors and a bit farther: 58 m and 2 m of overlap.
fn lap() -> Trajectory {
    let places = [[0.0, 0.0], [12.0, 0.0], [12.0, 12.0], [0.0, 12.0], [0.0, 0.0], [10.0, 0.0]];
    after_a_rest(Trajectory::path(&places, 0.5))
}

#[test]
fn a_loop_of_sixty_metres_closes() {
    let bench = Bench::new(World::ring(), lap()).drifting(Drift::loose_ground());
    let mut mapper = mapper(&bench);
    let errors = run(&mut mapper, bench.take(107));
    let worst = errors.iter().map(|error| error.0).fold(0.0, f64::max);
    let last = errors.last().unwrap();
    assert!(worst > 0.05, "there was something to put right");
    assert!(last.0 < 0.05 && last.1 < 0.0175, "{last:?}");
    assert_eq!(mapper.localization().state, LocalizationState::Localized);
}

/// A hut in a hall full of things, with its gate to the hall open or closed.
fn hut_in_a_hall(is_open: bool) -> World {
    let hut = World::plain().wall([-1.7, -1.7], [-1.7, 1.7], 2.5).wall([-1.7, -1.7], [1.7, -1.7], 2.5);
    let gate = |hut: World| hut.wall([1.7, -1.7], [1.7, 1.7], 2.5).wall([1.7, 1.7], [-1.7, 1.7], 2.5);
    let hall = hut.wall([-7.0, -9.0], [12.0, -9.0], 2.5).wall([12.0, -9.0], [12.0, 9.0], 2.5).wall(
        [12.0, 9.0],
        [-7.0, 9.0],
        2.5,
    );
    let things = [[3.5, 2.5], [4.5, -1.5], [6.0, 4.5], [7.5, 0.0], [9.0, 3.0], [0.0, 5.5], [-2.5, 4.5], [3.0, 6.5]];
    let hall = things.into_iter().fold(hall, |hall, [x, y]| hall.block([x, y, 1.0], [0.4, 0.7, 1.0], 0.4 * x));
    if is_open { hall } else { gate(hall) }
}

#[test]
fn when_a_gate_opens_what_lies_behind_becomes_part_of_the_map_at_once() {
    let mut bench = Bench::new(hut_in_a_hall(false), Trajectory::still(0.0, 0.0, 0.3));
    let mut mapper = mapper(&bench);
    for step in bench.by_ref().take(6) {
        mapper.process(&step.sweep);
    }
    bench.world = hut_in_a_hall(true);
    for step in bench.take(6) {
        let estimate = mapper.process(&step.sweep);
        show(&mapper, &step, &estimate, 0.0);
        assert_eq!(estimate.verdict, Verdict::Accepted, "{:?}", estimate.judged);
        assert!(error(&estimate, &step.base_in_world).0 < 0.03);
    }
}

/// Sweeps as a robot takes them that is shaken in a way that neither odometry nor IMU can undo.
fn shaken(mut step: Step, strength: f32, seed: u64) -> Step {
    let noise = robot_io::RandomStream::new(seed, "shaking");
    for (index, point) in step.sweep.points.iter_mut().enumerate() {
        let scan = u64::from(point.origin) / 4;
        for axis in 0..3 {
            point.position[axis] += strength * noise.normal(scan, axis as u32) as f32;
            point.position[axis] += 0.02 * strength * noise.normal(index as u64, 3 + axis as u32) as f32;
        }
    }
    step
}

#[test]
fn bad_sweeps_are_left_out_and_the_map_stays_good() {
    let motion = after_a_rest(Trajectory::path(&[[-7.0, -7.5], [-7.0, 5.0], [5.0, 5.0], [5.0, -4.0]], 0.5));
    let bench = Bench::new(World::arena(), motion).drifting(Drift::loose_ground());
    let mut mapper = mapper(&bench);
    let bad = |number: u64| matches!(number, 12 | 13 | 22 | 30 | 31 | 32);
    let mut worst = 0.0_f64;
    for step in bench.take(45) {
        let number = step.sweep.number;
        let step = if bad(number) { shaken(step, 0.4, number) } else { step };
        let estimate = mapper.process(&step.sweep);
        show(&mapper, &step, &estimate, 0.0);
        if bad(number) {
            assert!(matches!(estimate.verdict, Verdict::LeftOut(_)), "sweep {number}: {estimate:?}");
        } else {
            assert!(!matches!(estimate.verdict, Verdict::LeftOut(_)), "sweep {number}: {estimate:?}");
            worst = worst.max(error(&estimate, &step.base_in_world).0);
        }
        assert_ne!(mapper.localization().state, LocalizationState::Lost);
    }
    assert!(worst < 0.1, "{worst}");
}

#[test]
fn a_robot_carried_away_knows_that_it_is_lost_and_finds_itself() {
    let motion =
        after_a_rest(Trajectory::path(&[[-7.0, -7.5], [-7.0, 5.0], [5.0, 5.0], [5.0, -4.0], [-1.0, -4.0]], 0.5));
    let bench = Bench::new(World::arena(), motion).drifting(Drift::loose_ground());
    let mut mapper = mapper(&bench);
    let mut last_in_odom = Isometry3::identity();
    for step in bench.take(62) {
        let estimate = mapper.process(&step.sweep);
        last_in_odom = step.sweep.base_in_odom;
        show(&mapper, &step, &estimate, 0.0);
    }
    assert_eq!(mapper.localization().state, LocalizationState::Localized);
    for (case, motion) in
        [Trajectory::still(-3.5, 2.0, 2.0), Trajectory::arc([3.0, -1.5, -1.0], 0.2, 0.1)].into_iter().enumerate()
    {
        let mut mapper = mapper.clone();
        let elsewhere = Bench::new(World::arena(), motion);
        let first_in_odom = elsewhere.trajectory.at(0.0);
        let (mut was_lost, mut found) = (false, None);
        for mut step in elsewhere.take(14) {
            // odometry goes on where it was: it has not noticed
            let shift = last_in_odom * first_in_odom.inverse() * step.base_in_world * step.sweep.base_in_odom.inverse();
            step.sweep.base_in_odom = shift * step.sweep.base_in_odom;
            step.sweep.begin_in_odom = shift * step.sweep.begin_in_odom;
            let began = std::time::Instant::now();
            let estimate = mapper.process(&step.sweep);
            show(&mapper, &step, &estimate, began.elapsed().as_secs_f64());
            was_lost |= mapper.localization().state == LocalizationState::Lost;
            if was_lost && mapper.localization().state == LocalizationState::Localized {
                found = Some(error(&estimate, &step.base_in_world));
            }
        }
        assert!(was_lost, "case {case}");
        let found = found.unwrap();
        assert!(found.0 < 0.1 && found.1 < 0.02, "case {case}: {found:?}");
    }
}

/// Sweeps that are a little worse than they look leave no trace either.
#[test]
fn slightly_bad_sweeps_do_not_harm() {
    let motion = after_a_rest(Trajectory::path(&[[-7.0, -7.5], [-7.0, 5.0], [5.0, 5.0]], 0.5));
    for strength in [0.03, 0.07, 0.15] {
        let bench = Bench::new(World::arena(), motion.clone()).drifting(Drift::loose_ground());
        let mut mapper = mapper(&bench);
        let mut worst = 0.0_f64;
        for step in bench.take(34) {
            let number = step.sweep.number;
            let is_bad = number > 5 && number.is_multiple_of(4);
            let step = if is_bad { shaken(step, strength, number) } else { step };
            let estimate = mapper.process(&step.sweep);
            show(&mapper, &step, &estimate, 0.0);
            if !is_bad {
                worst = worst.max(error(&estimate, &step.base_in_world).0);
            }
            assert_ne!(mapper.localization().state, LocalizationState::Lost);
        }
        assert!(worst < 0.1, "{strength} m: {worst} m");
    }
}

#[test]
fn a_start_told_badly_is_found_on_a_prior_map_and_a_wrong_map_is_refused() {
    let hill = |x: f64, y: f64, radius: f64| Solid::Ball(nalgebra::Point3::new(x, y, 0.8 - radius), radius);
    let hills = World::plain().with(hill(3.0, 1.0, 4.0)).with(hill(-3.0, 2.5, 3.0)).with(hill(0.5, -4.0, 5.0));
    let truth = Trajectory::still(0.0, 0.0, 0.3).at(0.0);
    for (world, is_right) in [(&hills, true), (&World::arena(), false)] {
        let bench = Bench::new(hills.clone(), Trajectory::still(0.0, 0.0, 0.3)).dense();
        let start = Pose2 { x: 0.25, y: -0.2, yaw: 0.34 };
        let prior = Some(world.prior_map());
        let mut mapper = Mapper::new(MapperSetup { start, prior, ..MapperSetup::default() });
        let mut events = Vec::new();
        for step in bench.take(3) {
            mapper.process(&step.sweep);
            events.extend(mapper.events());
        }
        let off = truth.inv_mul(&mapper.localization().base_in_map);
        println!("{:.3} m {:.4} rad {events:?}", off.translation.vector.norm(), off.rotation.angle());
        let found = off.translation.vector.norm() < 0.12 && off.rotation.angle() < 0.025;
        assert_eq!(found, is_right, "{events:?}");
        assert_eq!(events.iter().any(|event| event.severity == Severity::Warning), !is_right, "{events:?}");
    }
}

/// Points of the map in a box above the floor.
fn points_in(mapper: &Mapper, middle: [f64; 2]) -> usize {
    let views = mapper.views().views;
    let placed = views.iter().flat_map(|view| {
        view.cloud.points.iter().map(|point| view.base_in_map * nalgebra::Point3::from(point.map(f64::from)))
    });
    let inside = |point: &nalgebra::Point3<f64>| {
        (point.x - middle[0]).abs() < 0.5 && (point.y - middle[1]).abs() < 0.5 && point.z > 0.3
    };
    placed.filter(inside).count()
}

#[test]
fn what_has_gone_goes_from_the_map_and_what_comes_appears() {
    let motion = after_a_rest(Trajectory::path(&[[-7.0, -7.5], [-7.0, 0.0], [-7.0, -6.0], [-7.0, 0.0]], 0.5));
    let (gone, come) = ([-5.5, -4.0], [-5.5, -1.0]);
    let with = |place: [f64; 2]| World::arena().block([place[0], place[1], 0.5], [0.3, 0.3, 0.5], 0.3);
    let mut bench = Bench::new(with(gone), motion);
    let mut mapper = mapper(&bench);
    for step in bench.by_ref().take(16) {
        mapper.process(&step.sweep);
    }
    let before = [points_in(&mapper, gone), points_in(&mapper, come)];
    assert!(before[0] > 200 && before[1] == 0, "{before:?}");
    bench.world = with(come);
    for step in bench.by_ref().take(26) {
        mapper.process(&step.sweep);
    }
    let after = [points_in(&mapper, gone), points_in(&mapper, come)];
    assert!(after[0] < before[0] / 3 && after[1] > 200, "{before:?} {after:?}");
}

#[test]
fn odometry_holds_what_a_corridor_does_not() {
    let motion = after_a_rest(Trajectory::path(&[[0.0, 0.0], [20.0, 0.0]], 0.5));
    let drift = Drift { scale: 0.01, ..Drift::default() };
    let bench = Bench::new(World::corridor(), motion).drifting(drift);
    let mut mapper = mapper(&bench);
    let mut weak = 0;
    let mut errors = Vec::new();
    for step in bench.take(32) {
        let estimate = mapper.process(&step.sweep);
        show(&mapper, &step, &estimate, 0.0);
        weak += usize::from(estimate.weak_directions > 0);
        errors.push(error(&estimate, &step.base_in_world));
    }
    let last = errors.last().unwrap();
    assert!(weak > 20, "{weak}");
    assert!(last.0 < 0.3 && last.1 < 0.01, "odometry's own error is 0.2 m: {last:?}");
}

#[test]
fn a_mapper_restored_in_the_middle_goes_on_to_the_bit() {
    let mut bench = Bench::new(World::ring(), lap()).drifting(Drift::loose_ground());
    let mut one = mapper(&bench);
    for step in bench.by_ref().take(12) {
        one.process(&step.sweep);
    }
    let saved = StateWriter::save(&mut one);
    let mut restored = Mapper::default();
    StateReader::restore(&mut restored, &saved).unwrap();
    let mut other = mapper(&bench);
    other.adopt(restored);
    for step in bench.take(6) {
        assert_eq!(one.process(&step.sweep), other.process(&step.sweep));
        assert_eq!(Digest::of(&mut one), Digest::of(&mut other));
    }
    assert_eq!(one.views(), other.views());
}
