//! What moves is found and followed, and nothing else.
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "support/turning_laser.rs"]
mod turning_laser;

use navigation::{MovingObjects, MovingSettings};
use proptest::prelude::*;
use robot_io::{StateReader, StateWriter};
use turning_laser::{Block, Scene, walls};

/// From where and to where something goes, from a time on, and how fast.
fn straight(from: [f64; 2], to: [f64; 2], begin: f64, speed: f64) -> impl Fn(f64) -> [f64; 2] {
    let length = f64::hypot(to[0] - from[0], to[1] - from[1]);
    move |time| {
        let share = (speed * (time - begin) / length).clamp(0.0, 1.0);
        [from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])]
    }
}

/// A cart at this speed [m/s] is found within this time [s]: three turns of the laser after it has come away from where it stood.
fn soon(speed: f64) -> f64 {
    5.1 + 1.2 / speed
}

/// How a cart is followed: when first, and the largest errors of place and velocity from then on [s, m, m/s]. No place is
/// farther off than the track itself holds possible.
fn follow(scene: &mut Scene, cart: usize, velocity: [f64; 2], from: f64, to: f64) -> (f64, f64, f64) {
    let mut objects = MovingObjects::default();
    let mut places = Vec::new();
    scene.watch(&mut objects, 0.0, to, |time, objects| {
        if let Some(track) = objects.moving().next().filter(|_| time > from) {
            places.push((time, *track));
        }
        assert!(objects.moving().count() <= 1, "at {time}: {:#?}", objects.tracks());
    });
    let place = &scene.blocks[cart].place;
    let first = places.first().map_or(f64::INFINITY, |(time, _)| time - from);
    let (mut off, mut wrong) = (0.0_f64, 0.0_f64);
    for (time, track) in &places {
        let ([x, y], at) = (place(*time), track.place_at(*time));
        let error = f64::hypot(at.x - x, at.y - y);
        let deviation = track.covariance_at(*time, &MovingSettings::default()).place.sqrt();
        assert!(error < 0.25 + 3.0 * deviation, "off by {error:.2} m at {time:.2}: {track:?}");
        off = off.max(error);
        wrong = wrong.max(f64::hypot(track.velocity.x - velocity[0], track.velocity.y - velocity[1]));
    }
    (first, off, wrong)
}

#[test]
fn a_cart_that_comes_head_on_is_followed() {
    for speed in [0.3, 0.5, 0.8, 1.0] {
        let mut blocks = walls(24.0, 10.0);
        blocks.push(Block::cart(straight([7.0, 0.3], [-9.0, 0.3], 6.0, speed)));
        let mut scene = Scene::new(1, blocks, |time| [-2.0 + 0.4 * (time - 4.0).clamp(0.0, 6.0), 0.0]);
        let meets = 6.0 + 5.5 / speed;
        let (first, off, wrong) = follow(&mut scene, 4, [-speed, 0.0], 6.0, meets);
        println!("{speed} m/s: found after {first:.2} s, place off by {off:.2} m, velocity by {wrong:.2} m/s");
        assert!(
            first < soon(speed) && off < 0.5 && wrong < 0.35,
            "{speed} m/s: {first:.2} s, {off:.2} m, {wrong:.2} m/s"
        );
    }
}

#[test]
fn a_cart_that_crosses_is_followed() {
    for speed in [0.3, 0.5, 0.8, 1.0] {
        let mut blocks = walls(20.0, 12.0);
        blocks.push(Block::cart(straight([3.0, -5.0], [3.0, 5.0], 6.0, speed)));
        let mut scene = Scene::new(2, blocks, |time| [-2.0 + 0.3 * (time - 4.0).clamp(0.0, 8.0), 0.0]);
        let (first, off, wrong) = follow(&mut scene, 4, [0.0, speed], 6.0, 6.0 + 9.5 / speed);
        println!("{speed} m/s: found after {first:.2} s, place off by {off:.2} m, velocity by {wrong:.2} m/s");
        assert!(
            first < soon(speed) && off < 0.5 && wrong < 0.35,
            "{speed} m/s: {first:.2} s, {off:.2} m, {wrong:.2} m/s"
        );
    }
}

/// Two walls, so far apart and so long [m], in a yard.
fn lane(width: f64, length: f64) -> Vec<Block> {
    let wall = |side: f64| Block::standing(0.0, side * (0.5 * width + 0.15), [length, 0.3, 1.4]);
    walls(24.0, 10.0).into_iter().chain([wall(1.0), wall(-1.0)]).collect()
}

#[test]
fn the_walls_of_a_lane_do_not_move() {
    for (width, seed) in [(1.4, 7), (1.7, 8), (2.0, 9), (2.6, 10), (3.2, 11)] {
        for speed in [0.15, 0.4, 0.8] {
            for aside in [0.0, 0.2] {
                let blocks = lane(width, 12.0);
                let drive = move |time: f64| [(-9.0 + speed * (time - 3.0).max(0.0)).min(9.0), aside];
                let mut scene = Scene::new(seed, blocks, drive);
                let mut objects = MovingObjects::default();
                scene.watch(&mut objects, 0.0, 40.0, |time, objects| {
                    let count = objects.moving().count();
                    assert_eq!(count, 0, "{width} m, {speed} m/s, at {time}: {:#?}", objects.tracks());
                });
            }
        }
    }
}

#[test]
fn a_cart_that_comes_head_on_in_a_lane_is_followed() {
    for speed in [0.5, 0.8, 1.0] {
        let mut blocks = lane(1.8, 12.0);
        blocks.push(Block::cart(straight([8.0, 0.1], [-9.0, 0.1], 6.0, speed)));
        let mut scene = Scene::new(12, blocks, |time| [-6.0 + 0.4 * (time - 1.0).clamp(0.0, 9.0), 0.0]);
        let (first, off, wrong) = follow(&mut scene, 6, [-speed, 0.0], 6.0, 6.0 + 9.0 / speed);
        let apart = (8.0 - speed * first) - (-6.0 + 0.4 * (5.0 + first).min(9.0));
        println!(
            "{speed} m/s in a lane: found after {first:.2} s, {apart:.2} m ahead, place off by {off:.2} m, velocity by {wrong:.2} m/s"
        );
        assert!(apart > 3.0 + speed && off < 0.4 && wrong < 0.35, "{speed} m/s: {apart:.2} m, {off:.2} m, {wrong:.2}");
    }
}

#[test]
fn what_comes_fast_in_a_lane_is_told_from_its_walls_in_time_to_back_out() {
    // a robot that backs out at 0.85 m/s gets off with 5 m
    let told = |seed: u64| {
        let mut blocks = lane(1.75, 8.0);
        blocks.push(Block::cart(straight([7.0, 0.0], [-8.5, 0.0], 17.0, 1.0)));
        let drive = |time: f64| -8.0 + 0.4 * (time - 1.0).clamp(0.0, 14.5);
        let mut scene = Scene::new(seed, blocks, move |time| [drive(time), 0.05]);
        let (first, _, _) = follow(&mut scene, 6, [-1.0, 0.0], 17.0, 24.0);
        let apart = (7.0 - first) - drive(17.0 + first);
        println!("seed {seed}: told after {first:.2} s, {apart:.2} m away");
        apart > 5.0
    };
    let count = (1..=10).filter(|seed| told(*seed)).count();
    assert!(count >= 8, "in {count} of 10");
}

/// A cart that goes by on a line through the yard, so far from the robot in its middle [m].
fn goes_by(side: f64, angle: f64, speed: f64, seed: u64) -> (f64, f64, f64) {
    let (s, c) = angle.sin_cos();
    let cart = move |time: f64| {
        let along = -6.0 + speed * (time - 5.0).max(0.0);
        [c * along - s * side, s * along + c * side]
    };
    let mut blocks = walls(26.0, 26.0);
    blocks.push(Block::cart(cart));
    let mut scene = Scene::new(seed, blocks, |_| [0.0, 0.0]);
    follow(&mut scene, 4, [speed * c, speed * s], 5.0, 5.0 + 10.0 / speed)
}

#[test]
fn the_grazed_side_of_a_cart_does_not_hide_its_front() {
    // the first line of a look meets the long side, 0.7 m behind the front that the next five meet
    let (_, off, wrong) = goes_by(-1.829_590_309_490_222_2, 3.785_349_623_707_125_6, 0.503_689_768_499_807_5, 0);
    assert!(off < 0.5 && wrong < 0.3, "place off by {off:.2} m, velocity by {wrong:.2} m/s");
}

#[test]
fn a_cart_that_one_line_at_a_time_meets_is_found() {
    // 5 m away it fits between the laser's lines: of four turns each has one line on it
    let (first, off, wrong) = goes_by(2.157_444_364_214_948_3, 2.090_771_271_616_009, 0.4, 0);
    assert!(first < soon(0.4) && off < 0.5 && wrong < 0.3, "after {first:.2} s, {off:.2} m, {wrong:.2} m/s");
}

#[test]
#[ignore = "known failure: found after 7.58 s, which is 0.1 s too late"]
fn a_slow_cart_that_goes_by_behind_is_found_as_soon_as_others() {
    let (first, off, wrong) = goes_by(-2.027_181_695_159_091_3, 4.354_356_034_361_877, 0.505_024_011_603_802_6, 0);
    assert!(first < soon(0.505) && off < 0.5 && wrong < 0.3, "after {first:.2} s, {off:.2} m, {wrong:.2} m/s");
}

#[test]
#[ignore = "known failure: found after 11.9 s, which is 3.9 s too late: its half width, as single lines tell it, is too small to say that its own rear was seen where it first was"]
fn a_slow_cart_whose_rear_is_seen_where_its_middle_was_is_found_as_soon_as_others() {
    let (first, off, wrong) = goes_by(-1.907_504_491_182_727_7, 1.282_502_371_550_782_4, 0.404_679_082_922_220_1, 409);
    assert!(first < soon(0.405) && off < 0.5 && wrong < 0.3, "after {first:.2} s, {off:.2} m, {wrong:.2} m/s");
}

#[test]
fn a_cart_that_stops_stands_and_goes_on_as_the_same() {
    let mut blocks = walls(20.0, 12.0);
    blocks.push(Block::cart(|time: f64| {
        [3.0, -4.0 + 0.6 * ((time - 6.0).clamp(0.0, 7.0) + (time - 25.0).clamp(0.0, 6.0))]
    }));
    let mut scene = Scene::new(3, blocks, |_| [0.0, 0.0]);
    let mut objects = MovingObjects::default();
    scene.watch(&mut objects, 0.0, 12.0, |_, _| {});
    let id = objects.moving().next().unwrap().id;
    scene.watch(&mut objects, 12.0, 24.0, |_, _| {});
    let standing = *objects.moving().next().unwrap();
    assert!(standing.id == id && standing.speed() < 0.1, "{standing:?}");
    assert!(standing.still_since.is_some_and(|since| since < 18.0), "{standing:?}");
    assert!(standing.may_set_out().is_some_and(|velocity| velocity.y > 0.2), "{standing:?}");
    scene.watch(&mut objects, 24.0, 30.5, |_, _| {});
    let again = *objects.moving().next().unwrap();
    assert!(again.id == id && (again.velocity.y - 0.6).abs() < 0.2, "{again:?}");
}

#[test]
fn a_cart_that_is_gone_is_forgotten() {
    let mut blocks = walls(20.0, 12.0);
    // it leaves at once, as nothing does: what counts is that its place is seen to be free
    blocks.push(Block::cart(
        |time: f64| if time < 12.0 { [3.0, -4.0 + 0.6 * (time - 6.0).max(0.0)] } else { [90.0, 0.0] },
    ));
    let mut scene = Scene::new(4, blocks, |_| [0.0, 0.0]);
    let mut objects = MovingObjects::default();
    scene.watch(&mut objects, 0.0, 12.0, |_, _| {});
    assert_eq!(objects.moving().count(), 1);
    scene.watch(&mut objects, 12.0, 17.5, |_, _| {});
    assert_eq!(objects.tracks(), &[], "seen through");
}

#[test]
fn poles_between_the_lines_do_not_move() {
    let poles = (0..24).map(|pole| {
        let (x, y) = (2.0 + 0.7 * f64::from(pole % 6), -1.5 + 1.0 * f64::from(pole / 6));
        Block::standing(x, y, [0.05, 0.05, 1.2])
    });
    let blocks = walls(20.0, 12.0).into_iter().chain(poles).collect();
    let mut scene = Scene::new(5, blocks, |time| [-4.0 + 0.3 * (time - 4.0).clamp(0.0, 12.0), 0.1]);
    let mut objects = MovingObjects::default();
    scene.watch(&mut objects, 0.0, 30.0, |time, objects| {
        assert_eq!(objects.moving().count(), 0, "at {time}: {:#?}", objects.tracks());
    });
}

#[test]
fn the_posts_of_a_fence_hardly_ever_move() {
    // two rows of posts that are thinner than the laser's lines are apart: each is met now and then
    let share = |seed: u64| {
        let post = |row: f64, number: i32| {
            let along = 0.45 * f64::from(number) - 3.0 + 0.07 * seed as f64;
            Block::standing(row, along, [0.05, 0.05, 1.6])
        };
        let gap = |number: &i32| *number != 6;
        let posts = [-0.5, 3.0].into_iter().flat_map(|row| (0..14).filter(gap).map(move |number| post(row, number)));
        let drive = |time: f64| [-4.0 + 2.5 * (0.15 * time).sin(), 0.3 * (0.4 * time).sin()];
        let mut scene = Scene::new(seed, walls(20.0, 12.0).into_iter().chain(posts).collect(), drive);
        let (mut objects, mut moving) = (MovingObjects::default(), 0);
        scene.watch(&mut objects, 0.0, 60.0, |_, objects| moving += i32::from(objects.moving().next().is_some()));
        f64::from(moving) / 2400.0
    };
    let shares: Vec<f64> = (1..=6).map(share).collect();
    println!("{shares:.3?}");
    assert!(shares.iter().sum::<f64>() < 0.05 * 6.0, "of the time: {shares:.3?}");
}

#[test]
fn what_it_remembers_survives_being_saved() {
    let mut blocks = walls(20.0, 12.0);
    blocks.push(Block::cart(straight([3.0, -4.0], [3.0, 4.0], 4.0, 0.6)));
    let mut scene = Scene::new(6, blocks, |_| [0.0, 0.0]);
    let mut objects = MovingObjects::default();
    scene.watch(&mut objects, 0.0, 9.0, |_, _| {});
    let mut restored = MovingObjects::default();
    StateReader::restore(&mut restored, &StateWriter::save(&mut objects)).unwrap();
    assert!(restored == objects && objects.moving().count() == 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Walls and boxes that stand stay where they are, however the robot drives past them.
    #[test]
    fn what_stands_never_moves(
        boxes in proptest::collection::vec((-7.0..7.0_f64, -4.0..4.0_f64, 0.2..2.0_f64, 0.2..2.0_f64, 0.3..1.5_f64), 0..9),
        speed in 0.0..0.6_f64,
        turn in -0.5..0.5_f64,
        seed in 0..1000_u64,
    ) {
        let clear = |x: f64, y: f64, size: f64| f64::hypot(x, y) > 1.2 + size;
        let standing = boxes.iter().filter(|(x, y, length, width, _)| clear(*x, *y, length.max(*width)));
        let standing = standing.map(|(x, y, length, width, height)| Block::standing(*x, *y, [*length, *width, *height]));
        let blocks = walls(18.0, 12.0).into_iter().chain(standing).collect();
        let radius = speed / (turn.abs() + 0.4);
        let mut scene = Scene::new(seed, blocks, move |time| {
            let angle = (turn.abs() + 0.4) * time;
            [radius * angle.sin(), radius * (1.0 - angle.cos())]
        });
        let mut objects = MovingObjects::default();
        let mut found = None;
        scene.watch(&mut objects, 0.0, 20.0, |time, objects| {
            found = found.or(objects.moving().next().map(|track| (time, *track)));
        });
        prop_assert!(found.is_none(), "{:?}", found);
    }

    /// However a cart goes by, it is found within three turns of the laser in sight, and not taken for another one.
    #[test]
    fn what_moves_is_found(
        side in -2.5..2.5_f64, angle in 0.0..core::f64::consts::TAU, speed in 0.4..1.0_f64, seed in 0..1000_u64,
    ) {
        let side = if side.abs() < 1.2 { 1.2_f64.copysign(side) } else { side };
        let (first, off, wrong) = goes_by(side, angle, speed, seed);
        prop_assert!(first < soon(speed) && off < 1.0 && wrong < 0.5, "after {first:.2} s, {off:.2} m, {wrong:.2} m/s");
    }
}
