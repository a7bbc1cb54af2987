//! Steps of a plan that are taken in a manner of their own: higher, slower, and just where they were planned.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

mod pendulum;

use nalgebra::Vector3;
use pendulum::Pendulum;
use walking::{Footstep, GaitSettings, Manner, Phase, Side};

const WIDTH: f64 = 0.28;

fn ahead() -> Vec<Footstep> {
    let place = |k: u32, side: Side| Vector3::new(0.25 * f64::from(k), 0.5 * WIDTH * side.sign(), 0.0);
    let sides = [Side::Left, Side::Right, Side::Left, Side::Right];
    (1..=3).chain([3]).zip(sides).map(|(k, side)| Footstep::flat(side, place(k, side), 0.0)).collect()
}

fn walker() -> Pendulum {
    Pendulum::new(GaitSettings { width: WIDTH, ..GaitSettings::default() }, 5)
}

/// Of each step: how long it was in the air [s], how high its foot came [m], how long both feet carried after it [s].
fn taken(pendulum: &mut Pendulum, seconds: f64) -> Vec<[f64; 3]> {
    let (mut steps, mut before) = (Vec::new(), Phase::Standing);
    for _ in 0..(seconds * 1000.0) as u32 {
        pendulum.step();
        let phase = pendulum.output.phase;
        if phase == Phase::SingleSupport && before != phase {
            steps.push([0.0; 3]);
        }
        if let Some([air, high, both]) = steps.last_mut() {
            match phase {
                Phase::SingleSupport => {
                    *air += 1e-3;
                    *high = f64::max(*high, pendulum.output.feet[pendulum.output.side.index()].pose.translation.z);
                }
                Phase::DoubleSupport => *both += 1e-3,
                _ => {}
            }
        }
        before = phase;
    }
    steps
}

#[test]
fn a_step_is_as_high_and_as_slow_as_its_manner_says_and_the_others_are_not() {
    let mut pendulum = walker();
    pendulum.gait.follow(ahead()).unwrap();
    let slow = Manner { clearance: 0.2, single: 0.9, both: 0.4, ..Manner::default() };
    pendulum.gait.take_so(1, &[slow]);
    let steps = taken(&mut pendulum, 6.0);
    assert!(pendulum.stands() && steps.len() == 4, "{steps:?}");
    let [first, second, third, _] = steps[..] else { panic!("{steps:?}") };
    assert!((second[0] - 0.9).abs() < 0.1 && (second[1] - 0.2).abs() < 0.01, "{steps:?}");
    assert!((first[2] - 0.4).abs() < 0.02, "both feet carry longer before it: {steps:?}");
    for usual in [first, third] {
        assert!((usual[0] - 0.5).abs() < 0.1 && (usual[1] - 0.06).abs() < 0.01, "{steps:?}");
    }
    assert!(third[2] < 0.2, "{steps:?}");
}

#[test]
fn steps_that_are_changed_are_taken_as_usual_again() {
    let mut pendulum = walker();
    pendulum.gait.follow(ahead()).unwrap();
    pendulum.gait.take_so(0, &[Manner { clearance: 0.2, ..Manner::default() }; 4]);
    pendulum.gait.change_plan(2, &ahead()[2..]).unwrap();
    let steps = taken(&mut pendulum, 6.0);
    assert!(steps[1][1] > 0.19 && steps[2][1] < 0.07, "{steps:?}");
}

#[test]
fn a_push_moves_a_step_no_farther_than_its_manner_says() {
    let off = |farthest: f64| {
        let mut pendulum = walker();
        pendulum.gait.follow(ahead()).unwrap();
        pendulum.gait.take_so(0, &[Manner { farthest, ..Manner::default() }; 4]);
        let mut worst = 0.0_f64;
        for cycle in 0..2500 {
            if cycle == 1500 {
                pendulum.push(0.35, 0.0);
            }
            pendulum.step();
            let target = pendulum.gait.feet_when_landed()[pendulum.output.side.index()];
            if pendulum.output.phase == Phase::SingleSupport && pendulum.output.adjusted {
                let off = |step: &Footstep| (step.position - target.position).xy().amax();
                worst = worst
                    .max(ahead().iter().filter(|step| step.side == target.side).map(off).fold(f64::INFINITY, f64::min));
            }
        }
        worst
    };
    assert!(off(f64::INFINITY) > 0.06, "{}", off(f64::INFINITY));
    assert!(off(0.03) < 0.04, "{}", off(0.03));
}

#[test]
fn figures_that_make_no_sense_are_those_of_the_gait() {
    let mut pendulum = walker();
    pendulum.gait.follow(ahead()).unwrap();
    let senseless =
        Manner { clearance: f64::NAN, single: f64::NAN, both: -1.0, earliest: f64::NAN, farthest: f64::NAN };
    pendulum.gait.take_so(0, &[senseless; 4]);
    let steps = taken(&mut pendulum, 6.0);
    assert!(pendulum.stands() && steps.iter().all(|step| step[1] < 0.07 && step[0] < 0.7), "{steps:?}");
}
