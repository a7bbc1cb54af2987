//! A series-elastic arm tells its link's position and its spring's torque, in simulation and through Walk-Man's boards alike.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use support::shell::Shell;

const URDF: &str = r#"<robot name="elbow">
  <link name="base_link"><inertial><mass value="20"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="elbow" type="revolute">
    <parent link="base_link"/><child link="forearm_link"/>
    <origin xyz="0 0 0.5"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="40" velocity="3"/>
  </joint>
  <link name="forearm_link">
    <inertial><origin xyz="0 0 0.2"/><mass value="1.5"/><inertia ixx="0.02" iyy="0.02" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
</robot>"#;

const ROBOT: &str = r#"
name = "elbow"
base = "fixed"
cycle_period_us = 2000
[[actuator]]
name = "elastic"
rated_effort = 20.0
peak_effort = 40.0
no_load_speed = 5.0
gear_ratio = 100.0
rotor_inertia = 1.0e-5
coulomb_friction = 0.0
viscous_friction = 0.1
backlash = 0.0
encoder_counts_per_turn = 1048576
encoder_at = "link"
position_noise = 0.0
velocity_noise = 0.0
effort_noise = 0.0
torque_constant = 0.05
efficiency = 1.0
spring = 600.0
thermal = { resistance = 2.0, capacitance = 100.0, ambient = 25.0, derate_from = 90.0, trip_at = 120.0, copper_loss = 0.05 }
[[joints]]
names = ["elbow"]
actuator = "elastic"
stiffness = 200.0
damping = 10.0
[[pose]]
name = "out"
[pose.positions]
elbow = 1.0
"#;

const BUS: &str = r#"
name = "elbow"
watchdog_ms = 20
[reactions]
ride_through = 2
stale_after = 5
command_age = 2
stop = "damp"
[[board]]
name = "elbow"
type = "walkman_joint"
vendor = 0x664
product = 0x101
serial = 1
joint = "elbow"
counts = 1048576
damp = 2.0
"#;

const CASE: &str = r#"
title = "The arm is held out"
world = "flat"
robot = "elbow/elbow.toml"
pose = "out"
seed = 1
duration = 3.0
spawn = { x = 0.0, y = 0.0, yaw = 0.0 }
[mission]
name = "hold"
[[mission.steps]]
wait = { seconds = 2.0 }
"#;

/// Position [rad] and effort [N·m] that the controller read last.
fn held_out(shell: &Shell, plant: &str) -> [f64; 2] {
    shell.passes(&format!("run hold.toml --plant {plant} --no-pictures --out {plant}"));
    shell.passes(&format!("export {plant}/run.mcap --csv --columns elbow --out {plant}.tables"));
    let table = std::fs::read_to_string(shell.path(&format!("{plant}.tables/cycles.csv"))).unwrap();
    let mut lines = table.lines();
    let heads: Vec<&str> = lines.next().unwrap().split(',').collect();
    let last: Vec<&str> = lines.next_back().unwrap().split(',').collect();
    ["readings/joints/elbow/position [rad]", "readings/joints/elbow/effort [N·m]"].map(|name| {
        let column = heads.iter().position(|head| *head == name).unwrap_or_else(|| panic!("{name}: {heads:?}"));
        last[column].parse().unwrap()
    })
}

#[test]
fn the_links_position_and_the_springs_torque_are_the_same_on_all_plants() {
    let shell = Shell::new();
    std::fs::create_dir(shell.path("elbow")).unwrap();
    for (file, text) in
        [("elbow/elbow.urdf", URDF), ("elbow/elbow.toml", ROBOT), ("elbow/bus.toml", BUS), ("hold.toml", CASE)]
    {
        std::fs::write(shell.path(file), text).unwrap();
    }
    for plant in ["sim", "modelled-bus", "virtual-bus"] {
        let [position, effort] = held_out(&shell, plant);
        let weight = 1.5 * 9.81 * 0.2 * position.sin();
        assert!((effort + weight).abs() < 0.02, "{plant}: {effort} N·m, the forearm weighs {weight}");
        let asked = 200.0 * (1.0 - position);
        assert!((effort - asked).abs() < 0.05, "{plant}: {effort} N·m, the servo on the link asks for {asked}");
    }
}
