//! What a cycle of the whole bus costs in process, with the boards of a bus file as they are: controller's end, ethercrab,
//! frames, controllers, processors. `cargo run --release -p hil --example bridge_cost [BUS.toml] [CYCLES]`.

use std::sync::Arc;
use std::time::Instant;

use hil::main_device::EtherCat;
use hil::robot::plug;
use hil::virtual_bus::{InProcess, VirtualBus};
use robot_io::{Clock, Commands, DummyRobot, JointCommand, Lifecycle, Readings, RobotIo};

mod card;

use card::Outcome;

fn main() -> Outcome<()> {
    let mut words = std::env::args().skip(1);
    let bus = words.next().unwrap_or_else(|| "robot_models/centaur/bus.toml".to_owned());
    let cycles: u64 = words.next().map_or(Ok(20_000), |word| word.parse())?;
    let (plan, layout) = card::load(&bus, Some(1_000))?;
    let (inner, inner_clock) = DummyRobot::with_clock(layout.clone());
    let link = InProcess::new(VirtualBus::new(&plan, inner, inner_clock, Vec::new(), 0)?);
    let plan = Arc::new(plan);
    let exchange = EtherCat::new(link, Arc::clone(&plan), layout.period)?;
    let (mut robot, mut clock) = plug(Box::new(exchange), Arc::clone(&plan), &layout);
    let begin = Instant::now();
    robot.bring_up()?;
    println!("{} boards of {bus} in OP and on after {:?}", plan.boards.len(), begin.elapsed());
    let (mut readings, mut commands) = (Readings::new(&layout), Commands::new(&layout));
    let mut costs = Vec::with_capacity(cycles as usize);
    for cycle in 0..cycles {
        let begin = Instant::now();
        robot.read(&mut readings)?;
        commands.answer(&readings);
        let target = 0.02 * (0.003 * cycle as f64).sin();
        for (command, joint) in commands.joints.iter_mut().zip(&readings.joints) {
            *command = JointCommand::hold(if cycle == 0 { joint.position } else { target }, 100.0, 1.0);
        }
        robot.write(&commands)?;
        clock.advance()?;
        costs.push(begin.elapsed().as_nanos() as u64);
    }
    if robot.lifecycle() != Lifecycle::Active {
        return Err(format!("stopped: {:?}", robot.cause()).into());
    }
    costs.sort_unstable();
    let at = |part: f64| costs[((cycles - 1) as f64 * part) as usize] as f64 * 1e-3;
    let mean = costs.iter().sum::<u64>() as f64 * 1e-3 / cycles as f64;
    println!(
        "one cycle [µs]: mean {mean:.1}, median {:.1}, 99 % {:.1}, 99.9 % {:.1}, worst {:.1}",
        at(0.5),
        at(0.99),
        at(0.999),
        at(1.0)
    );
    Ok(())
}
