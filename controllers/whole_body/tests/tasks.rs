//! Motions as files and as data: what is read, and what is refused with which words.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod support;

use nalgebra::{Isometry3, Vector3};
use support::biped::{sole, tree};
use whole_body::{
    AngularMomentum, CenterOfMass, Contact, Gaze, Goal, InverseDynamics, JointGoal, Pose, Posture, Settings, Task,
};

const MOTION: &str = r#"
[[tasks]]
name = "balance"
level = 0
weight = 2.0
frequency = 8.0
damping_ratio = 0.9
center_of_mass = { position = [0.0, 0.1, 0.8], axes = "xy" }

[[tasks]]
name = "spin"
level = 1
angular_momentum = {}

[[tasks]]
name = "foot"
level = 1
pose = { link = "left_foot", position = [0.0, 0.1, 0.2], roll_pitch_yaw = [0.0, 0.0, 0.5], turning_axes = "z" }

[[tasks]]
name = "look"
level = 2
gaze = { link = "trunk", axis_in_link = [1.0, 0.0, 0.0], target = [5.0, 0.0, 1.0] }

[[tasks]]
name = "rest"
level = 3
posture = [{ joint = "left_knee", position = 0.8 }]
"#;

fn refusal(text: &str) -> String {
    Task::parse_list(text, "motion.toml").unwrap_err().to_string()
}

#[test]
fn a_motion_is_a_list_of_tasks() {
    let tasks = Task::parse_list(MOTION, "motion.toml").unwrap();
    let names: Vec<&str> = tasks.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names, ["balance", "spin", "foot", "look", "rest"]);
    assert_eq!((tasks[0].weight, tasks[0].frequency, tasks[0].damping_ratio), (2.0, 8.0, 0.9));
    let Goal::CenterOfMass(goal) = &tasks[0].goal else { panic!("{:?}", tasks[0]) };
    assert_eq!((goal.axes, goal.position), ([true, true, false], Vector3::new(0.0, 0.1, 0.8)));
    let Goal::Pose(goal) = &tasks[2].goal else { panic!("{:?}", tasks[2]) };
    assert_eq!(goal.axes, [true, true, true, false, false, true]);
    assert!((goal.pose_in_world.rotation.angle() - 0.5).abs() < 1e-12);
    InverseDynamics::new(&tree(), tasks, vec![sole("left", 0.5)], Settings::default()).unwrap();
}

#[test]
fn a_mistake_in_a_file_is_told_with_its_place() {
    let unknown = "[[tasks]]\nname = \"a\"\nlevel = 0\nwieght = 3\nangular_momentum = {}\n";
    let told = refusal(unknown);
    assert!(told.contains("motion.toml:4") && told.contains("wieght"), "{told}");
    let none = refusal("[[tasks]]\nname = \"a\"\nlevel = 0\n");
    assert!(
        none.contains("expected one of center_of_mass, angular_momentum, pose, posture and gaze, found 0"),
        "{none}"
    );
    let letters =
        refusal("[[tasks]]\nname = \"a\"\nlevel = 0\ncenter_of_mass = { position = [0, 0, 1], axes = \"xw\" }\n");
    assert!(letters.contains("some of the letters x, y and z") && letters.contains("xw"), "{letters}");
    let neither = refusal("[[tasks]]\nname = \"a\"\nlevel = 0\npose = { link = \"trunk\" }\n");
    assert!(neither.contains("position, roll_pitch_yaw or both"), "{neither}");
    let high = refusal("[[tasks]]\nname = \"a\"\nlevel = 9\nangular_momentum = {}\n");
    assert!(high.contains("level") && high.contains('9'), "{high}");
}

#[test]
fn names_and_numbers_are_checked_against_the_robot() {
    let refuse = |task: Task| {
        InverseDynamics::new(&tree(), vec![task], Vec::new(), Settings::default()).unwrap_err().to_string()
    };
    let spin = || Task::new("spin", 0, Goal::AngularMomentum(AngularMomentum::none()));
    let told = refuse(Task::new("foot", 0, Goal::Pose(Pose::at("left_fot", Isometry3::identity()))));
    assert!(
        told.starts_with("task \"foot\": link: expected one of trunk, ") && told.ends_with("found \"left_fot\""),
        "{told}"
    );
    let told = refuse(Task::new("rest", 0, Goal::Posture(Posture { joints: vec![JointGoal::at("knee", 0.1)] })));
    assert!(told.contains("joint: expected one of left_hip_yaw"), "{told}");
    assert_eq!(
        refuse(spin().weighing(-1.0)),
        "task \"spin\": weight: expected a number from 0.000001 to 1000000 [1], found -1"
    );
    assert_eq!(
        refuse(spin().at_frequency(f64::NAN)),
        "task \"spin\": frequency: expected a number from 0 to 1000 [rad/s], found NaN"
    );
    let nowhere = CenterOfMass::at(Vector3::new(0.0, f64::INFINITY, 0.0));
    assert!(
        refuse(Task::new("com", 0, Goal::CenterOfMass(nowhere))).contains("center_of_mass: expected finite numbers")
    );
    let blind = Gaze { link: "trunk".to_owned(), axis_in_link: Vector3::zeros(), target_in_world: Vector3::x() };
    assert!(refuse(Task::new("gaze", 0, Goal::Gaze(blind))).contains("an axis that is not zero"));
    let twice = InverseDynamics::new(&tree(), vec![spin(), spin()], Vec::new(), Settings::default());
    assert_eq!(
        twice.unwrap_err().to_string(),
        "task \"spin\": name: expected a name of its own, found one that is taken"
    );
    let lopsided = [Vector3::zeros(), Vector3::x(), Vector3::new(1.0, 1.0, 0.0), Vector3::new(0.3, 1.0, 0.0)];
    let told = Contact::patch("sole", "left_foot", lopsided, 0.5).unwrap_err().to_string();
    assert!(told.starts_with("contact \"sole\": corners: expected a rectangle"), "{told}");
}

#[test]
fn settings_keep_to_their_bounds() {
    let settings = Settings { look_ahead: 3.0, ..Settings::default() };
    let told = InverseDynamics::new(&tree(), Vec::new(), Vec::new(), settings).unwrap_err().to_string();
    assert!(told.contains("look_ahead") && told.contains('3'), "{told}");
}

#[test]
fn a_state_that_does_not_fit_is_refused() {
    let tree = tree();
    let mut control = InverseDynamics::new(&tree, Vec::new(), Vec::new(), Settings::default()).unwrap();
    let mut configuration = robot_model::Configuration::zero(&tree);
    let told = control.solve(&configuration, &[0.0; 3]).unwrap_err().to_string();
    assert_eq!(told, "the measured state: velocity: expected 18 numbers, found 3 numbers");
    configuration.joints[3] = f64::NAN;
    let told = control.solve(&configuration, &[0.0; 18]).unwrap_err().to_string();
    assert_eq!(told, "the measured state: numbers: expected finite ones, found others");
}

#[test]
fn a_goal_that_is_no_number_gives_no_torques() {
    let tree = tree();
    let tasks = Task::parse_list(MOTION, "motion.toml").unwrap();
    let contacts = ["left", "right"].map(|side| sole(side, 0.5)).to_vec();
    let mut control = InverseDynamics::new(&tree, tasks, contacts, Settings::default()).unwrap();
    let configuration = support::biped::Biped::crouched(0.8).configuration;
    control.solve(&configuration, &[0.0; 18]).unwrap();
    let before = control.torques().to_vec();
    control.task_mut("balance").unwrap().weight = f64::INFINITY;
    control.solve(&configuration, &[0.0; 18]).unwrap_err();
    control.task_mut("balance").unwrap().weight = 1.0;
    let Some(Task { goal: Goal::CenterOfMass(goal), .. }) = control.task_mut("balance") else { panic!() };
    goal.position.x = f64::NAN;
    control.solve(&configuration, &[0.0; 18]).unwrap_err();
    assert_eq!(control.torques(), before);
    let Some(Task { goal: Goal::CenterOfMass(goal), .. }) = control.task_mut("balance") else { panic!() };
    goal.position.x = 0.0;
    control.solve(&configuration, &[0.0; 18]).unwrap();
    control.contact_mut("left sole").unwrap().friction = f64::NAN;
    control.solve(&configuration, &[0.0; 18]).unwrap_err();
}

#[test]
fn tasks_are_plain_data() {
    #[derive(serde::Serialize, serde::Deserialize)]
    struct List {
        tasks: Vec<Task>,
    }
    let tasks = Task::parse_list(MOTION, "motion.toml").unwrap();
    let text = toml::to_string(&List { tasks: tasks.clone() }).unwrap();
    assert_eq!(toml::from_str::<List>(&text).unwrap().tasks, tasks);
}
