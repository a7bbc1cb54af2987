//! Where in a robot's files stands what a command or the simulation refuses.

use plant::PlantError;
use robot_model::RobotModel;

use crate::ScenarioError;

/// An error at the line in which `text` first stands, in the first of the robot's files that has it.
pub(crate) fn wrong_in_robot(robot: &RobotModel, text: &str, message: String) -> ScenarioError {
    let line_in = |bytes: &[u8]| String::from_utf8_lossy(bytes).lines().position(|line| line.contains(text));
    let mut places = robot.sources.iter().filter_map(|source| Some((source.name.clone(), line_in(&source.bytes)?)));
    let first = || (robot.sources.first().map_or_else(|| robot.name.clone(), |source| source.name.clone()), 0);
    let (file, line) = places.next().unwrap_or_else(first);
    ScenarioError::Case(page::Fault::new(file, 1 + line, message))
}

/// What the simulation refuses of a robot, at the line to blame.
pub(crate) fn plant_error(robot: &RobotModel, error: PlantError) -> ScenarioError {
    let text = match &error {
        PlantError::Setup { what: "cycle period", .. } => "cycle_period_us".to_owned(),
        PlantError::UnstableGains { joint, .. } | PlantError::StiffServo { joint, .. } => joint.clone(),
        PlantError::Shape { what: "link", name, .. } => name.clone(),
        _ => return ScenarioError::Plant(error),
    };
    wrong_in_robot(robot, &text, error.to_string())
}
