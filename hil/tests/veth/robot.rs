//! The whole bridge: a controller, our MainDevice, a veth pair, the server, the bench's two drives, a robot behind them.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hil::bus_file::BusPlan;
use hil::link::RawSocket;
use hil::main_device::EtherCat;
use hil::robot::{EtherCatClock, EtherCatRobot, plug};
use hil::virtual_bus::VirtualBus;
use hil::virtual_bus::server::{Service, serve};
use robot_io::{Clock, Commands, DummyRobot, JointCommand, Lifecycle, Period, Readings, RobotIo, RobotLayout};
use robot_model::RobotModel;

const CYCLES: u64 = 500;
const PERIOD: Period = Period::from_milliseconds(4);
/// The bench's drives have 131,072 increments a turn and a milliradian of travel in a few cycles of delay [rad].
const NEAR: f64 = 0.002;

/// The bench's bus, patient: other programs may hold this one up for long.
fn bench() -> (BusPlan, RobotLayout) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../robot_models/bench");
    let mut layout = RobotModel::load(&directory.join("bench.toml")).unwrap().layout();
    layout.period = PERIOD;
    let mut plan = BusPlan::load(&directory.join("bus.toml"), &layout).unwrap();
    plan.watchdog = Period::from_milliseconds(500);
    plan.reactions.ride_through = 50;
    plan.reactions.stale_after = 100;
    (plan, layout)
}

pub fn inside() {
    super::switch_on();
    let stop = Arc::new(AtomicBool::new(false));
    let boards = std::thread::spawn({
        let stop = Arc::clone(&stop);
        move || serve_bench(&stop)
    });
    let (plan, layout) = bench();
    let plan = Arc::new(plan);
    let bus = EtherCat::new(RawSocket::open("vm").unwrap(), Arc::clone(&plan), PERIOD).unwrap();
    let (mut robot, mut clock) = plug(Box::new(bus), plan, &layout);
    robot.bring_up().unwrap();
    let lost = swing(&mut robot, &mut clock);
    robot.transition(Lifecycle::Inactive).unwrap();
    stop.store(true, Ordering::Relaxed);
    let service = boards.join().unwrap();
    println!("{CYCLES} cycles, {lost} lost; the boards' end: {service:?}");
    assert_eq!((service.dropped, service.unsent), (0, 0));
    assert!(service.cycles > CYCLES / 2, "the robot behind the boards has moved on");
}

fn serve_bench(stop: &AtomicBool) -> Service {
    let (plan, layout) = bench();
    let (robot, clock) = DummyRobot::with_clock(layout);
    let mut bus = VirtualBus::new(&plan, robot, clock, Vec::new(), 0).unwrap();
    let mut link = RawSocket::open("vb").unwrap();
    serve(&mut bus, &mut link, PERIOD, |_| !stop.load(Ordering::Relaxed)).unwrap()
}

/// Moves both joints slowly; every cycle whose frame came back must be right. Gives the number of those that did not.
fn swing(robot: &mut EtherCatRobot, clock: &mut EtherCatClock) -> u64 {
    let (mut readings, mut commands) = (Readings::new(robot.layout()), Commands::new(robot.layout()));
    let mut lost = 0;
    for cycle in 0..CYCLES {
        robot.read(&mut readings).unwrap();
        commands.answer(&readings);
        let target = 0.05 * (cycle as f64 * 0.004).sin();
        commands.joints.fill(JointCommand::hold(target, 0.2, 0.02));
        robot.write(&commands).unwrap();
        clock.advance().unwrap();
        assert_eq!(robot.lifecycle(), Lifecycle::Active, "{:?}", robot.cause());
        let report = robot.cycle_report();
        lost += u64::from(report.lost);
        assert!(report.lost || report.working_counter == report.expected, "{report:?}");
    }
    // held up or not, at rest they are where they were told to be
    for _ in 0..50 {
        robot.read(&mut readings).unwrap();
        commands.answer(&readings);
        robot.write(&commands).unwrap();
        clock.advance().unwrap();
    }
    robot.read(&mut readings).unwrap();
    for (joint, command) in readings.joints.iter().zip(&commands.joints) {
        assert!((joint.position - command.position).abs() < NEAR, "{} {}", joint.position, command.position);
    }
    lost
}
