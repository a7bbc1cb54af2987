//! No dithering: latching, one way round, and a saved navigator that goes on as if nothing had been.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "tests")]

mod puppet;

use navigation::{NavigationSettings, Navigator, Status};
use puppet::{Puppet, boxed, centaur, goal, stone};
use robot_io::{Digest, Pose2, StateReader, StateWriter};

fn start() -> Pose2 {
    Pose2::default()
}

#[test]
fn a_goal_that_wobbles_while_it_turns_does_not_send_it_off_again() {
    let mut puppet = Puppet::new(Box::new(|_, _, _| 0.0), start(), NavigationSettings::default());
    puppet.navigator.set_goal(Some(goal(3.0, 0.0, Some(-3.0))));
    assert!(puppet.run(60.0, |puppet| puppet.guidance.status == Status::Turning));
    let mut was_driving = 0;
    for step in 0..3000 {
        if puppet.guidance.status == Status::Arrived {
            break;
        }
        // from one side to the other with each plan, by less than what makes another goal
        let aside = if step % 400 < 200 { 0.04 } else { -0.04 };
        puppet.navigator.set_goal(Some(goal(3.0 + aside, -aside, Some(-3.0))));
        puppet.step();
        was_driving += usize::from(puppet.guidance.status == Status::Driving);
    }
    assert_eq!(puppet.guidance.status, Status::Arrived);
    assert_eq!(was_driving, 0, "left its place again");
}

#[test]
fn between_two_ways_of_equal_length_it_takes_one() {
    let world = |x: f64, y: f64, _: f64| stone(x, y, [3.0, 0.0], 0.9, 0.8);
    let mut puppet = Puppet::new(Box::new(world), start(), NavigationSettings::default());
    puppet.navigator.set_goal(Some(goal(6.0, 0.0, None)));
    let arrived = puppet.arrives(60.0);
    println!("{} s, {} m, winding {}", puppet.time, puppet.driven, puppet.winding);
    assert!(arrived && puppet.reversals == 0);
    // out, along and back in: three bends of less than a right angle, and noise
    assert!(puppet.winding < 8.0, "{} rad", puppet.winding);
    assert!(puppet.driven < 8.0, "{} m", puppet.driven);
}

/// A box that crosses the way again and again shall not make the robot run to and fro.
#[test]
fn something_that_crosses_again_and_again_is_no_reason_to_run_about() {
    let world = |x: f64, y: f64, t: f64| {
        let side = 2.5 - 0.4 * ((t % 25.0) - 12.5).abs();
        boxed(x, y, [3.0, side - 0.3], [3.6, side + 0.3], 0.8)
    };
    let mut puppet = Puppet::new(Box::new(world), start(), NavigationSettings::default());
    puppet.navigator.set_goal(Some(goal(6.5, 0.0, None)));
    let arrived = puppet.arrives(90.0);
    println!("{} s, {} m, {} reversals, bump {}", puppet.time, puppet.driven, puppet.reversals, puppet.worst_bump);
    assert!(arrived && puppet.reversals <= 2);
    assert!(puppet.worst_bump < 0.05, "hit the box");
    assert!(puppet.driven < 13.0, "{} m", puppet.driven);
}

/// Two answers at one time divided nothing by nothing, and from then on no rollout was better than another.
#[test]
fn an_update_without_time_gives_numbers() {
    let mut puppet = Puppet::new(Box::new(|_, _, _| 0.0), start(), NavigationSettings::default());
    puppet.time = -puppet::DT;
    puppet.navigator.set_goal(Some(goal(3.0, 0.0, None)));
    for _ in 0..2 {
        puppet.step();
        let twist = puppet.guidance.twist;
        assert!(twist.x.is_finite() && twist.y.is_finite() && twist.yaw.is_finite(), "{twist:?}");
    }
    assert!(puppet.arrives(30.0));
}

#[test]
fn a_saved_navigator_goes_on_to_the_bit() {
    let world = |x: f64, y: f64, _: f64| stone(x, y, [2.5, 0.2], 0.5, 0.6);
    let puppet = || {
        let mut puppet = Puppet::new(Box::new(world), start(), NavigationSettings::default());
        puppet.navigator.set_goal(Some(goal(6.0, 0.5, Some(1.0))));
        puppet
    };
    let (mut one, mut other) = (puppet(), puppet());
    // a plan under way is on the board; this time there is none
    for puppet in [&mut one, &mut other] {
        puppet.run(7.0, |_| false);
    }
    let saved = StateWriter::save(&mut one.navigator);
    let model = centaur();
    let mut restored = Navigator::new(&model, &model.layout(), NavigationSettings::default()).unwrap();
    StateReader::restore(&mut restored, &saved).unwrap();
    assert_eq!(Digest::of(&mut restored), Digest::of(&mut one.navigator));
    assert_eq!(restored.guidance(), one.guidance, "whoever asks between two updates hears the same");
    other.navigator = restored;
    for step in 0..1200 {
        one.step();
        other.step();
        assert_eq!(one.guidance, other.guidance, "step {step}");
        assert_eq!(one.pose, other.pose, "step {step}");
    }
    assert_eq!(Digest::of(&mut one.navigator), Digest::of(&mut other.navigator));
    assert_eq!(one.guidance.status, Status::Arrived, "it had something to do");
}
