//! Tries the viewer without the rest of the program: `cargo run --release -p station --example station_demo`.
//!
//! Arguments: `[--world NAME] [--log] [--shot FILE.png [--at S] [--all] [--eye X,Y,Z] [--size WxH]]`.

mod show;

use show::Show;
use station::{CameraPose, Overlays, Shot};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let flag = |name: &str| arguments.iter().any(|argument| argument == name);
    let option = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let mut show = Show::new(&option("--world").unwrap_or_else(|| "spacebot".to_owned()))?;
    let Some(path) = option("--shot") else { return Err("window: to come".into()) };
    let time: f64 = option("--at").map_or(Ok(6.0), |text| text.parse())?;
    let frame = show.at(time);
    let every = Overlays {
        contact_forces: true,
        centre_of_mass: true,
        support_polygon: true,
        odometry: true,
        ..Overlays::default()
    };
    let overlays = if flag("--all") { every } else { Overlays::default() };
    let camera = match option("--eye") {
        Some(text) => {
            let numbers: Vec<f64> = text.split(',').map(str::parse).collect::<Result<_, _>>()?;
            let base = frame.frame.links_in_world[0].translation.vector;
            CameraPose::Fixed {
                eye_in_world: base + nalgebra::Vector3::new(numbers[0], numbers[1], numbers[2]),
                target_in_world: base,
            }
        }
        None => CameraPose::default(),
    };
    let start = std::time::Instant::now();
    station::screenshots(show.scene, vec![Shot { frame, path: path.into(), camera, overlays }], (1280, 720))?;
    println!("{:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}
