use nalgebra::{Point2, Vector2};

use super::*;

/// A thing that is seen on its own at a place at a time [s].
fn seen(time: f64, place: [f64; 2]) -> Seen {
    Seen {
        time,
        place: Point2::from(place),
        scanner: Vector2::new(3.0, 2.0),
        half: 0.45,
        lines: 3,
        is_new: true,
        came: time,
        is_alone: true,
        deviation: 0.12,
        ..Seen::default()
    }
}

/// What a cart that comes along the y axis at 0.3 m/s is taken for by then, once a turn of the scanner.
fn cart(turns: u32, settings: &MovingSettings) -> MovingObjects {
    let mut objects = MovingObjects::default();
    for time in (0..turns).map(|turn| 1.6 * f64::from(turn)) {
        objects.take(&seen(time, [0.0, 0.3 * time]), settings);
    }
    objects
}

/// Takes sightings when they are seen.
fn see(objects: &mut MovingObjects, all: &[Seen], settings: &MovingSettings) {
    for seen in all {
        objects.put_off(vec![*seen], seen.time, settings).iter().for_each(|seen| objects.take(seen, settings));
    }
}

#[test]
fn a_piece_of_a_wall_does_not_take_a_things_track() {
    let settings = MovingSettings::default();
    let mut objects = cart(7, &settings);
    assert_eq!(objects.moving().count(), 1);
    // the scanner passes the end of a wall before it meets the cart
    let piece = Seen { lines: 1, half: 0.25, deviation: 0.23, ..seen(11.1, [-1.2, 3.9]) };
    see(&mut objects, &[piece, seen(11.2, [0.0, 3.36]), seen(12.8, [0.0, 3.84])], &settings);
    let moving: Vec<&Track> = objects.moving().collect();
    assert_eq!(moving.len(), 1);
    let off = moving[0].place_at(12.8) - Point2::new(0.0, 3.84);
    assert!(off.norm() < 0.1 && (moving[0].velocity.y - 0.3).abs() < 0.05, "{:?}", moving[0]);
}

#[test]
fn what_is_not_where_it_was_expected_is_where_it_is_seen() {
    let settings = MovingSettings::default();
    let mut objects = cart(7, &settings);
    // nobody sees the place where it is expected; it has turned back
    see(&mut objects, &[seen(11.2, [0.0, 1.9]), seen(12.8, [0.0, 1.1]), seen(14.4, [0.0, 0.3])], &settings);
    let moving: Vec<&Track> = objects.moving().collect();
    assert_eq!(moving.len(), 1);
    assert!(moving[0].velocity.y < -0.3, "{:?}", moving[0]);
}

#[test]
fn what_was_seen_once_elsewhere_does_not_take_the_sight_of_a_thing_that_stops() {
    let settings = MovingSettings::default();
    let mut objects = cart(4, &settings);
    // something flickers 3 m away; by the time the cart stops it could have gone anywhere
    objects.take(&Seen { lines: 1, half: 0.25, deviation: 0.23, ..seen(6.0, [-3.0, 2.8]) }, &settings);
    let looks = (4..7).map(|turn| 1.6 * f64::from(turn));
    looks.for_each(|time| objects.take(&seen(time, [0.0, 0.3 * time]), &settings));
    for time in [11.2, 12.8, 14.4] {
        see(&mut objects, &[seen(time, [0.0, 2.9])], &settings);
        let moving: Vec<&Track> = objects.moving().collect();
        assert!(moving.len() == 1 && moving[0].time > time - 0.1, "{moving:?}");
    }
    assert!(objects.moving().all(|track| track.may_set_out().is_some()), "{:?}", objects.tracks());
}
