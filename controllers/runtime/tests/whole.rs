//! A whole controller as one component among others.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use robot_io::{Commands, Controller, JointCommand, Readings, State};
use runtime::{Component, Cycle, Declaration, Lease, Runtime, Whole};
use support::{Bench, layout};

/// Wants all joints at zero.
#[derive(Debug, State)]
struct Zero {
    updates: u64,
}

impl Controller for Zero {
    fn reset(&mut self, _readings: &Readings) {}

    fn update(&mut self, readings: &Readings, commands: &mut Commands) {
        commands.answer(readings);
        commands.joints.fill(JointCommand::hold(0.0, 100.0, 5.0));
        self.updates += 1;
    }

    fn is_done(&self) -> bool {
        self.updates >= 50
    }
}

/// Has the arm for some cycles, with its first joint at 0.01 rad.
#[derive(Debug, State)]
struct Grabs {
    #[state(fixed)]
    until: u64,
    #[state(fixed)]
    arm: Option<Lease>,
}

impl Component for Grabs {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        self.arm = Some(wants.lease("arm", 2));
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        let arm = self.arm.unwrap();
        if cycle.readings.cycle >= self.until {
            return cycle.let_go(arm);
        }
        if cycle.ask(arm) {
            *cycle.joint(0).unwrap() = JointCommand::hold(0.01, 100.0, 5.0);
        }
    }
}

#[test]
fn it_has_what_nobody_else_wants_and_takes_a_joint_back_slowly() {
    let zero = Whole::new(Zero { updates: 0 }, 1);
    let mut bench = Bench::new(Runtime::builder().with("grabs", Grabs { until: 10, arm: None }).with("zero", zero));
    let told = bench.cycles(10);
    let positions = |bench: &Bench| bench.commands.joints.iter().map(|joint| joint.position).collect::<Vec<_>>();
    assert_eq!(positions(&bench)[0], 0.01);
    assert_eq!(&positions(&bench)[3..], [0.0; 3], "the others are at zero");
    assert_eq!(
        told,
        ["arm passes from nobody to grabs", "hip, hip, hip pass from nobody to zero"],
        "each is told once"
    );
    let told = bench.cycle();
    assert_eq!(told, ["arm passes from grabs to zero"], "three joints, one line");
    let joint = &layout().joints[0];
    let step = 0.4 * joint.limits.velocity * layout().period.seconds();
    let mut before = 0.01;
    while before > 0.0 {
        let now = positions(&bench)[0];
        assert!(now < before && before - now <= step + 1e-12, "{before} {now}");
        before = now;
        bench.cycle();
    }
    assert!(!bench.runtime.is_done());
    bench.cycles(50);
    assert!(bench.runtime.is_done(), "as its controller is");
}
