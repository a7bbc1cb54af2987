//! Tries the viewer without the rest of the program: `cargo run --release -p station --example station_demo`.
//!
//! `--world NAME` chooses a world that ships, `--log` pretends that the show is a log of a minute, `--overlays` shows
//! them all. `--shot FILE.png` makes a picture without a window, `--at S` of that second, `--eye X,Y,Z` seen from
//! there relative to the robot's base, `--size WxH` in pixels.

mod show;

use std::error::Error;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, bounded, unbounded};
use nalgebra::Vector3;
use robot_io::Time;
use show::Show;
use station::{CameraPose, Options, Overlays, Playback, Request, Shot, StationFrame};

/// Length of the pretended log [s].
const LOG: f64 = 60.0;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let option = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).map(String::as_str)
    };
    let flag = |name: &str| arguments.iter().any(|argument| argument == name);
    let show = Show::new(option("--world").unwrap_or("spacebot"))?;
    let overlays = if flag("--overlays") { every_overlay() } else { Overlays::default() };
    let size = parse_pair(option("--size").unwrap_or("1600x900"))?;
    match option("--shot") {
        Some(path) => {
            let time: f64 = option("--at").unwrap_or("6").parse()?;
            let eye = option("--eye").map(parse_vector).transpose()?;
            picture(show, path, (time, eye), overlays, size)
        }
        None => window(show, Options { size, overlays, ..Options::default() }, flag("--log")),
    }
}

fn picture(
    mut show: Show,
    path: &str,
    (time, eye): (f64, Option<Vector3<f64>>),
    overlays: Overlays,
    size: (u32, u32),
) -> Result<(), Box<dyn Error>> {
    let frame = show.at(time);
    let base = frame.frame.links_in_world[0].translation.vector;
    let fixed = |eye: Vector3<f64>| CameraPose::Fixed { eye_in_world: base + eye, target_in_world: base };
    let camera = eye.map_or_else(CameraPose::default, fixed);
    let start = Instant::now();
    station::screenshots(show.scene, vec![Shot { frame, path: path.into(), camera, overlays }], size)?;
    println!("{path} in {:.1} s with {}", start.elapsed().as_secs_f64(), station::adapter()?);
    Ok(())
}

fn window(show: Show, options: Options, log: bool) -> Result<(), Box<dyn Error>> {
    let (frame_sender, frames) = bounded(1);
    let (requests, request_receiver) = unbounded();
    let scene = show.scene.clone();
    let session = std::thread::spawn(move || run(show, &frame_sender, &request_receiver, log));
    station::open(scene, frames, requests, options)?;
    session.join().map_err(|_| "the show panicked")?;
    Ok(())
}

/// A session without physics: it obeys what concerns time and prints the rest.
fn run(mut show: Show, frames: &Sender<StationFrame>, requests: &Receiver<Request>, log: bool) {
    let mut time = 0.0;
    let mut playback = Playback { span: log.then(|| (Time::ZERO, Time::from_seconds(LOG))), ..Playback::default() };
    let step = 1.0 / 60.0;
    let (mut taken, mut since) = (0_u32, Instant::now());
    loop {
        for request in requests.try_iter() {
            match request {
                Request::Quit => return,
                Request::Play => playback.paused = false,
                Request::Pause => playback.paused = true,
                Request::Speed(speed) => playback.speed = speed,
                Request::Seek(to) => time = to.seconds(),
                Request::Step => {
                    playback.paused = true;
                    time += show.scene.layout.period.seconds();
                }
                other => println!("{other:?}"),
            }
        }
        if !playback.paused {
            time += step * playback.speed;
        }
        if log && time >= LOG {
            (time, playback.paused) = (LOG, true);
        }
        let mut frame = show.at(time);
        if log {
            frame.events = show::events();
        }
        frame.playback = Playback { now: frame.frame.time, ..playback };
        taken += u32::from(frames.try_send(frame).is_ok());
        if since.elapsed() > Duration::from_secs(5) {
            println!("{:.1} pictures a second", f64::from(taken) / since.elapsed().as_secs_f64());
            (taken, since) = (0, Instant::now());
        }
        std::thread::sleep(Duration::from_secs_f64(step));
    }
}

fn every_overlay() -> Overlays {
    Overlays {
        collision_shapes: true,
        joint_axes: true,
        contact_forces: true,
        centre_of_mass: true,
        support_polygon: true,
        odometry: true,
        ..Overlays::default()
    }
}

fn parse_vector(text: &str) -> Result<Vector3<f64>, Box<dyn Error>> {
    let numbers: Vec<f64> = text.split(',').map(str::parse).collect::<Result<_, _>>()?;
    match numbers[..] {
        [x, y, z] => Ok(Vector3::new(x, y, z)),
        _ => Err(format!("`{text}`: expected X,Y,Z, found {} numbers", numbers.len()).into()),
    }
}

fn parse_pair(text: &str) -> Result<(u32, u32), Box<dyn Error>> {
    let (width, height) = text.split_once('x').ok_or_else(|| format!("`{text}`: expected WIDTHxHEIGHT"))?;
    Ok((width.parse()?, height.parse()?))
}
