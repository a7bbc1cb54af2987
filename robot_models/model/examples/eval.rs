//! `eval FILE.urdf STATE.json`: what `chiron robot FILE --eval STATE.json` prints, from this crate alone.

use std::path::Path;
use std::process::ExitCode;

use robot_model::{ModelError, RobotModel, evaluate};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [robot, state] = arguments.as_slice() else {
        eprintln!("usage: eval FILE.urdf STATE.json");
        return ExitCode::from(2);
    };
    match run(Path::new(robot), Path::new(state)) {
        Ok(json) => {
            println!("{json}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run(robot: &Path, state: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let model = RobotModel::load(robot)?;
    let json = std::fs::read_to_string(state).map_err(|source| ModelError::Read { path: state.into(), source })?;
    Ok(serde_json::to_string(&evaluate(&model, &json, &state.to_string_lossy())?)?)
}
