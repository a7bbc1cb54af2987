//! Serves the boards of a bus file on a network card, with a robot behind them whose joints are where they are told to be:
//! `cargo run --release -p hil --example serve BUS.toml INTERFACE [--period-us 1000] [--seconds 60] [--core 1]
//! [--priority 80] [--spin] [--emergencies]`. With a simulated robot: `chiron bus`.
//!
//! Any MainDevice may come. Once a second the counts are printed, if they changed.

use std::time::{Duration, Instant};

use hil::link::RawSocket;
use hil::virtual_bus::VirtualBus;
use hil::virtual_bus::server::{Service, serve};
use robot_io::DummyRobot;

mod card;

use card::{Outcome, Words};

const USAGE: &str =
    "expected BUS.toml INTERFACE [--period-us N] [--seconds N] [--core N] [--priority N] [--spin] [--emergencies]";

fn main() -> Outcome<()> {
    let mut words = Words::of_program();
    let (period_us, seconds) = (words.option("--period-us")?, words.option("--seconds")?);
    let setup = card::setup(words.option("--core")?, words.option("--priority")?);
    let (spin, emergencies) = (words.flag("--spin"), words.flag("--emergencies"));
    let [bus, interface] = words.rest(USAGE)?;
    let (plan, layout) = card::load(&bus, period_us)?;
    let (robot, clock) = DummyRobot::with_clock(layout.clone());
    let mut bus = VirtualBus::new(&plan, robot, clock, Vec::new(), 0)?;
    bus.segment().devices_mut().for_each(|board| board.send_emergencies(emergencies));
    let mut link = RawSocket::open(&interface)?.for_boards()?.spinning(spin);
    eprint!("{}", setup.apply());
    eprintln!("{} boards of {} on {interface}", plan.boards.len(), plan.source.0);
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut shown = (Instant::now(), Service::default());
    let all = serve(&mut bus, &mut link, layout.period, |service| {
        let now = Instant::now();
        if now.duration_since(shown.0) > Duration::from_secs(1) {
            if *service != shown.1 {
                eprintln!("{service:?}");
            }
            shown = (now, *service);
        }
        end.is_none_or(|end| now < end)
    })?;
    println!("{all:?}");
    Ok(())
}
