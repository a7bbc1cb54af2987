//! Skills of somebody's own in steps of a mission: they send the base somewhere by the map.
#![allow(clippy::unwrap_used, reason = "tests")]

use desk::Desk;
use mission::{BaseProgress, BaseTask, Destination, Feedback, Skill, SkillContext, SkillSetup};
use robot_io::{Pose2, State, Twist};
use scenarios::Registry;
use scenarios::outcome::Outcome;

#[path = "support/desk.rs"]
mod desk;

const FILE: &str = "errand.toml";
const CASE: &str = r#"
title = "There and back"
world = "spacebot"
robot = "centaur"
sensors = ["laser"]
seed = 3
duration = 60.0
linger = 0.2
spawn = { place = "landing" }

[mission]
name = "there and back"
mapping = true

[[mission.steps]]
fetch = { x = -6.2, y = -8.0, yaw = 0.0 }

[[mission.steps]]
wait = { seconds = 0.2 }

[[check]]
kind = "mission"
end = "done"

[[check]]
kind = "event"
contains = "fetched"
"#;

/// Goes somewhere and comes back to where it was.
#[derive(Debug, State)]
struct Fetch {
    #[state(fixed)]
    there: Pose2,
    back: Option<Pose2>,
}

impl Fetch {
    fn to(pose: Pose2) -> BaseTask {
        let place = Destination::at(pose);
        BaseTask::GoTo(Destination { with_heading: false, tolerance: 0.3, heading_tolerance: 3.2, ..place })
    }
}

impl Skill for Fetch {
    fn start(&mut self, context: &mut SkillContext<'_>) {
        self.back = None;
        context.send_base(Fetch::to(self.there));
    }

    fn update(&mut self, context: &mut SkillContext<'_>) -> Feedback {
        match (context.base, context.pose_in_world) {
            (Some(BaseProgress::Done), Some(here)) if self.back.is_none() => {
                let back = Pose2 { x: self.there.x - 1.2, ..here };
                self.back = Some(back);
                context.note(format!("fetched at {:.1} m, {:.1} m", here.x, here.y));
                context.send_base(Fetch::to(back));
                Feedback::turn_left(1.0)
            }
            (Some(BaseProgress::Done), _) => Feedback::Done,
            (Some(BaseProgress::Failed(why)), _) => Feedback::Failed(why.to_string()),
            _ => Feedback::turn_left(1.0),
        }
    }
}

fn desk() -> Desk {
    let fetch = |setup: &SkillSetup<'_>| Ok(Fetch { there: setup.goal()?, back: None });
    Desk::with(FILE, CASE, Registry::standard().with_skill("fetch", fetch))
}

#[test]
fn by_the_map_and_the_same_again_from_the_log_and_over_the_bus() {
    let desk = desk();
    for (plant, out) in [("sim", "sim"), ("modelled-bus", "bus")] {
        desk.passes(FILE, &["--plant", plant], out);
        let log = desk.at(out).join("run.mcap");
        let replayed = desk.chiron(&["replay", log.to_str().unwrap(), "--controllers-only", "--quiet"]).unwrap();
        assert_eq!(replayed, Outcome::Passed, "{plant}");
    }
    let (log, fork) = (desk.at("sim/run.mcap"), desk.at("fork"));
    let (log, fork) = (log.to_str().unwrap(), fork.to_str().unwrap());
    let forked = ["replay", log, "--fork-at", "5", "--out", fork, "--quiet"];
    assert_eq!(desk.chiron(&forked).unwrap(), Outcome::Passed, "from the middle of the way");
}

/// A step of 15 cm on the way.
const STEP: &str = r#"
title = "Driven on from the middle of a step"
world = "step"
robot = "centaur"
sensors = ["laser"]
seed = 1
duration = 100.0
linger = 0.2
spawn = { place = "below" }

[mission]
name = "up the step"
mapping = true

[[mission.steps]]
wait = { seconds = 4.0 }

[[mission.steps]]
impatient = { x = 3.3, y = 0.0, yaw = 0.0 }

[[check]]
kind = "mission"
end = "done"

[[check]]
kind = "event"
contains = "across the edge"

[[check]]
kind = "metric"
metric = "tilt.max"
below = 12.0
"#;

/// Is sent up a step, and drives by itself as soon as the robot has risen, which is in the middle of it; done after a second of that.
#[derive(Debug, State)]
struct Impatient {
    #[state(fixed)]
    there: Pose2,
    drives: bool,
    driven: u64,
}

impl Skill for Impatient {
    fn start(&mut self, context: &mut SkillContext<'_>) {
        (self.drives, self.driven) = (false, 0);
        context.send_base(Fetch::to(self.there));
    }

    fn update(&mut self, context: &mut SkillContext<'_>) -> Feedback {
        const RISEN: f64 = 0.65;
        let height = context.odometry.map_or(0.0, |odometry| odometry.base_in_odom.translation.z);
        self.drives |= height > RISEN;
        if self.drives {
            context.drive(Twist { x: 0.1, ..Twist::default() });
        }
        // nothing is said of a base that was sent nowhere
        self.driven += u64::from(self.drives && context.base.is_none());
        if self.driven > 250 { Feedback::Done } else { Feedback::turn_left(1.0) }
    }
}

#[test]
fn a_robot_on_three_legs_finishes_its_step_before_its_skill_drives_it() {
    let impatient = |setup: &SkillSetup<'_>| Ok(Impatient { there: setup.goal()?, drives: false, driven: 0 });
    let desk = Desk::with(FILE, STEP, Registry::standard().with_skill("impatient", impatient));
    desk.passes(FILE, &[], "out");
}
