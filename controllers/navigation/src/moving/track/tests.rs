use super::*;

/// A look each turn of the scanner, 1.7 s apart, at these places; something was last seen to stand at the first one at a time [s].
fn looked_at(places: &[[f64; 2]], stood_at: f64) -> Track {
    let mut looks = places.iter().enumerate().map(|(turn, place)| Seen {
        time: 1.7 * turn as f64,
        place: Point2::from(*place),
        scanner: Vector2::new(0.0, -3.0),
        half: 0.3,
        lines: 2,
        is_new: true,
        came: 1.7 * turn as f64,
        is_alone: true,
        deviation: 0.05,
        ..Seen::default()
    });
    let mut track = looks.next().map(|seen| Track::begin(1, &seen)).unwrap_or_default();
    looks.for_each(|seen| track.update(&seen, |_| stood_at, &MovingSettings::default()));
    track
}

#[test]
fn what_was_followed_to_where_it_stands_may_set_out() {
    let track = looked_at(
        &[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 0.0], [4.2, 0.0], [4.2, 0.0], [4.2, 0.0]],
        0.2,
    );
    assert!(track.still_since.is_some(), "{track:?}");
    let velocity = track.may_set_out().unwrap_or_default();
    assert!(velocity.x > 0.3 && velocity.y.abs() < 0.1, "{velocity:?}");
}

#[test]
fn two_things_at_rest_that_are_seen_in_turn_are_none_that_came_to_rest() {
    let (here, there) = ([0.0, 0.0], [0.9, 1.1]);
    for places in
        [vec![here, there, there, there], vec![here, there, here, here], vec![here, there, here, there, there, there]]
    {
        let track = looked_at(&places, f64::NEG_INFINITY);
        assert!(track.may_set_out().is_none(), "{track:?}");
    }
}

#[test]
fn what_came_slowly_to_rest_sets_out_but_is_not_found_far_off_at_once() {
    let way: Vec<[f64; 2]> = (0..8).map(|turn| [0.51 * f64::from(turn.min(5)), 0.0]).collect();
    let track = looked_at(&way, 0.2);
    assert!(track.is_confirmed && track.still_since.is_some() && track.went.norm() > 0.2, "{track:?}");
    // it stood beside a wall: not much is known of how it stands
    let track = Track { covariance: MotionCovariance { place: 0.1, both: 0.05, velocity: 0.1 }, ..track };
    let seen_at =
        |x: f64| Seen { time: track.time + 1.7, place: Point2::new(x, 0.0), deviation: 0.2, ..Seen::default() };
    let settings = MovingSettings::default();
    assert!(track.surprise(&seen_at(2.55 - 1.2), &settings).is_some(), "it goes back");
    assert!(track.surprise(&seen_at(2.55 + 1.7), &settings).is_some(), "it goes on, faster");
    assert!(track.surprise(&seen_at(2.55 + 3.9), &settings).is_none(), "another thing");
}

#[test]
fn a_thing_that_stops_slowly_may_go_on_as_it_came() {
    // as a filter sees it that takes a look or two to believe that it stands
    let places = [0.0, 0.5, 1.0, 1.5, 2.0, 2.4, 2.5, 2.5, 2.5, 2.5].map(|x| [x, 0.0]);
    let velocity = looked_at(&places, 0.2).may_set_out();
    assert!(velocity.is_some_and(|velocity| velocity.x > 0.2 && velocity.y.abs() < 0.1), "{velocity:?}");
}

#[test]
fn two_ends_of_one_thing_that_stood_there_before_have_not_moved() {
    let (seen, end) = (Seen { half: 0.25, lines: 2, is_alone: true, deviation: 0.12, ..Seen::default() }, 0.71);
    let is_believed = |came: f64| {
        let at = |time: f64, y: f64, came: f64| Seen { time, place: Point2::new(4.6, y), came, ..seen };
        let mut track = Track::begin(1, &at(54.5, 0.77, 53.0));
        track.update(&at(56.0, 0.77 + end, came), |_| f64::NEG_INFINITY, &MovingSettings::default());
        track.is_confirmed
    };
    assert!(is_believed(56.0), "it has just come there");
    assert!(!is_believed(50.0), "it has been there all the time");
}

#[test]
fn what_a_turn_of_the_scanner_missed_is_not_believed_for_two_lines() {
    let is_believed = |apart: f64| {
        let seen = Seen { half: 0.25, lines: 1, is_alone: true, deviation: 0.23, ..Seen::default() };
        let mut track = Track::begin(1, &Seen { place: Point2::new(8.0, 0.0), is_open: true, ..seen });
        let next = Seen { time: apart, place: Point2::new(8.0 - apart, 0.0), came: apart, ..seen };
        track.update(&next, |_| f64::NEG_INFINITY, &MovingSettings::default());
        track.is_confirmed
    };
    assert!(is_believed(1.7), "it comes at 1 m/s");
    assert!(!is_believed(3.4), "nothing was there a turn ago");
}

#[test]
fn what_was_seen_twice_in_the_open_may_come() {
    let seen = Seen { half: 0.25, lines: 1, is_open: true, deviation: 0.23, ..Seen::default() };
    let track = |x: f64, is_open: bool| {
        let mut track = Track::begin(1, &Seen { place: Point2::new(8.0, 1.0), ..seen });
        let next = Seen { time: 1.7, place: Point2::new(x, 1.0), came: 1.7, is_open, ..seen };
        track.update(&next, |_| f64::NEG_INFINITY, &MovingSettings::default());
        assert!(!track.is_confirmed, "{track:?}");
        track
    };
    let here = Point2::new(0.0, 0.0);
    assert!(track(6.7, true).may_come_at(&here));
    assert!(!track(6.7, false).may_come_at(&here), "a piece of a wall?");
    assert!(!track(9.3, true).may_come_at(&here), "it goes away");
}

#[test]
fn what_still_stands_where_it_was_has_not_moved() {
    let places = [[0.0, 0.0], [0.8, 0.0], [1.6, 0.0]];
    let is_believed = |stood_at: f64| looked_at(&places, stood_at).is_confirmed;
    assert!(is_believed(f64::NEG_INFINITY) && is_believed(0.5), "it left");
    assert!(!is_believed(1.7), "its place is taken when it is elsewhere");
}
