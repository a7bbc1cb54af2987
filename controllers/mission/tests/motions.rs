//! Steps that move the whole body: what files may say, where hands get to, and what happens where they cannot.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

#[path = "support/biped.rs"]
mod biped;
#[path = "../../../tests/support/counting.rs"]
mod counting;

use biped::{robot, standing};
use counting::{Counting, allocations};
use mission::{BaseTarget, Mission, MissionPlan, MissionSettings, Mobility, Motion, MotionProgress, Walking};
use nalgebra::Vector3;
use proptest::prelude::*;
use robot_io::{Commands, Events, Pose2, Time};
use robot_model::{Configuration, Data, forward_kinematics};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SQUAT: &str = include_str!("../../../scenarios/motions/squat_and_reach.toml");

fn plan(step: &str) -> MissionPlan {
    MissionPlan::parse(&format!("name = \"m\"\n[[steps]]\n{step}\n"), "m.toml").unwrap()
}

fn refusal(robot_name: &str, step: &str) -> String {
    let (model, plan) = (robot(robot_name), plan(step));
    let made = Mission::new(&model, &model.layout(), &plan, Pose2::default(), None, &MissionSettings::default());
    made.map(|_| ()).unwrap_err().to_string()
}

/// Plays the first motion of a plan for so long [s]; `moves` lets arms go where they are told, else nothing moves. The last progress, what was told, and how
/// far the left hand was from a place before the feet in the end [m].
fn play(step: &str, seconds: f64, moves: bool, place: Vector3<f64>) -> (MotionProgress, Vec<String>, f64) {
    let (model, plan) = (robot("humanoid"), plan(step));
    let motions = plan.motions().unwrap();
    let mut walking = Walking::with_motions(&model, &model.layout(), &MissionSettings::default(), &motions).unwrap();
    let mut readings = standing(&model);
    let mut commands = Commands::new(&model.layout());
    walking.reset(&readings);
    let target = BaseTarget { stance: walking.usual_stance(), ..BaseTarget::default() };
    let legs: Vec<usize> =
        model.description.feet.iter().flat_map(|foot| model.description.limbs[foot.limb].joints.clone()).collect();
    walking.begin_motion(0);
    for cycle in 1..=(seconds * 1e3) as u64 {
        readings.time = Time::from_nanoseconds(cycle * 1_000_000);
        let before = allocations();
        walking.estimate(&readings);
        walking.offer(&mut commands);
        walking.act(&target, &readings, &mut commands);
        if walking.motion() != MotionProgress::Failed {
            assert_eq!(allocations(), before, "cycle {cycle}");
        }
        let told = readings.joints.iter_mut().zip(&commands.joints).enumerate();
        for (_, (joint, command)) in told.filter(|(index, _)| moves && !legs.contains(index)) {
            (joint.position, joint.velocity) = (command.position, command.velocity);
        }
    }
    let mut data = Data::new(&model.tree);
    let mut configuration = Configuration::zero(&model.tree);
    configuration.joints.iter_mut().zip(&readings.joints).for_each(|(to, joint)| *to = joint.position);
    forward_kinematics(&model.tree, &configuration, &mut data);
    let feet = |name: &str| data.link_in_base[model.description.end_effector(name).unwrap().link];
    let middle = 0.5 * (feet("left_foot").translation.vector + feet("right_foot").translation.vector);
    let far = (feet("left_hand").translation.vector - middle - place).norm();
    let mut events = Events::with_capacity(16);
    walking.drain_events(&mut events);
    (walking.motion(), events.drain(..).map(|event| event.what.to_string()).collect(), far)
}

#[test]
fn a_hand_gets_where_a_step_says_and_nothing_is_allocated_on_the_way() {
    let step =
        "reach = { seconds = 2.0, left_hand = { position = [0.5, 0.3, 1.1], roll_pitch_yaw = [0.0, 0.0, 0.0] } }";
    let (progress, _, far) = play(step, 4.0, true, Vector3::new(0.5, 0.3, 1.1));
    assert_eq!(progress, MotionProgress::Done);
    assert!(far < 0.02, "{far} m away");
}

#[test]
fn what_is_out_of_reach_fails_and_says_what_and_by_how_much() {
    let step = "reach = { seconds = 1.0, left_hand = { position = [2.0, 0.3, 1.1] } }";
    let (progress, told, _) = play(step, 12.0, false, Vector3::zeros());
    assert_eq!(progress, MotionProgress::Failed);
    let found = told.iter().find(|what| what.contains("out of reach")).unwrap();
    assert!(
        found.starts_with("failed: left_hand_grasp_link is out of reach: 1.") && found.contains("m and"),
        "{found}"
    );
}

#[test]
fn mistakes_in_steps_are_named_with_file_line_and_field() {
    let unknown = refusal("humanoid", "reach = { third_hand = { position = [0.5, 0.3, 1.1] } }");
    assert!(unknown.starts_with("m.toml:3: ") && unknown.contains("third_hand"), "{unknown}");
    assert!(unknown.contains("left_hand, right_hand or a link"), "{unknown}");
    let foot = refusal("humanoid", "reach = { left_foot = { position = [0.5, 0.3, 1.1] } }");
    assert!(foot.contains("in no leg"), "{foot}");
    let wheels = refusal("centaur", "reach = { left_hand = { position = [0.5, 0.3, 1.1] } }");
    assert!(wheels.starts_with("m.toml:3: reach: expected a robot on two feet"), "{wheels}");
    let unread = refusal("humanoid", "motion = { file = \"nowhere\" }");
    assert!(unread.starts_with("m.toml:3: motion: ") && unread.contains("'nowhere'"), "{unread}");
    let parse = |step: &str| {
        MissionPlan::parse(&format!("name = \"m\"\n[[steps]]\n{step}\n"), "m.toml").unwrap_err().to_string()
    };
    let empty = parse("reach = { seconds = 1.0 }");
    assert!(empty.contains("m.toml:3: steps[1].reach: expected a hand"), "{empty}");
    let typo = parse("reach = { left_hand = { positon = [0.5, 0.3, 1.1] } }");
    assert!(typo.contains("position"), "{typo}");
}

#[test]
fn mistakes_in_motion_files_are_named_with_file_line_and_field() {
    let error = |change: &str, to: &str| {
        let text = SQUAT.replacen(change, to, 1);
        assert_ne!(text, SQUAT);
        Motion::parse(&text, "squat.toml").unwrap_err().to_string()
    };
    let axes = error("axes = \"z\"", "axes = \"xz\"");
    assert!(axes.starts_with("squat.toml:14: phases[0].tasks[0].center_of_mass: expected axes = \"z\""), "{axes}");
    let typo = error("seconds", "second");
    assert!(typo.contains("squat.toml:9: phases[0].seconds"), "{typo}");
    let level = error("name = \"down\"", "name = \"down\"\nlevel = 2");
    assert!(level.contains("level: expected 0"), "{level}");
    let twice = error("name = \"right hand\"", "name = \"left hand\"");
    assert!(twice.contains("used once"), "{twice}");
    assert!(Motion::parse("frame = \"feet\"", "m.toml").unwrap_err().to_string().contains("[[phases]]"));
}

#[test]
fn the_shipped_motion_is_one_the_humanoid_can_be_given() {
    let mut plan = plan("motion = { file = \"squat_and_reach\", times = 2 }");
    plan.find_motions(&mut |name| Ok((format!("{name}.toml"), SQUAT.to_owned()))).unwrap();
    let motions = plan.motions().unwrap();
    assert_eq!(motions[0].phases.len(), 4);
    let model = robot("humanoid");
    assert!(Walking::with_motions(&model, &model.layout(), &MissionSettings::default(), &motions).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_motion_with_a_piece_cut_out_or_put_in_never_panics(at in 0..SQUAT.len(), cut in 0..40_usize, more in "[ -~\n]{0,12}") {
        let end = (at + cut).min(SQUAT.len());
        if SQUAT.is_char_boundary(at) && SQUAT.is_char_boundary(end) {
            let text = format!("{}{more}{}", &SQUAT[..at], &SQUAT[end..]);
            if let Err(error) = Motion::parse(&text, "squat.toml") {
                prop_assert!(error.to_string().starts_with("squat.toml:"), "{error}");
            }
        }
    }
}
