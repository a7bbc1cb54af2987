//! The board in the body: what it says and how old that is.

use hil::board::INVALID_INPUT;
use nalgebra::{Quaternion, UnitQuaternion};
use proptest::prelude::*;
use robot_io::{Battery, Imu, Period, Readings, Time};

use crate::bench::{Bench, layout, parse};

const BOTH: &str = "imu = \"imu\"\nbattery = \"battery\"";

/// As the simulation gives it: each number rounded to f32, so that the length is one only nearly.
fn imu(stamp: u64) -> Imu {
    let on_bus = |x: f64| f64::from(x as f32);
    let orientation = UnitQuaternion::from_euler_angles(0.1, -0.2, 0.3).coords.map(on_bus);
    Imu {
        stamp: Time::from_nanoseconds(stamp),
        orientation: UnitQuaternion::new_unchecked(Quaternion::from(orientation)),
        angular_velocity: [0.5, -0.25, 0.001].map(on_bus).into(),
        linear_acceleration: [0.1, 0.2, 9.81].map(on_bus).into(),
    }
}

#[test]
fn what_the_simulation_measures_arrives_bit_for_bit_with_its_age() {
    let mut bench = Bench::new("body", BOTH);
    assert_eq!((bench.outputs.len(), bench.inputs.len()), (0, 2 * 8 + 13 * 4 + 2));
    bench.cycle = 5;
    bench.truth.time = bench.now();
    bench.truth.imus[0] = imu(4_000_000);
    let battery = Battery { stamp: bench.now(), voltage: 22.25, current: 4.5, charge: 0.75 };
    bench.truth.batteries[0] = battery;
    bench.measure();
    bench.exchange();
    assert_eq!(bench.readings.imus[0], imu(4_000_000), "a millisecond old when it was sent");
    assert_eq!(bench.readings.batteries[0], battery);
    assert!(bench.report.following && bench.report.fault.is_none());
}

#[test]
fn a_clock_with_another_zero_does_not_matter() {
    let mut bench = Bench::new("body", BOTH);
    bench.truth.time = Time::from_nanoseconds(5_000_000);
    bench.truth.imus[0] = imu(3_000_000);
    let far = Time::from_nanoseconds(800_000_000_000_000_000);
    bench.firmware.sample(&mut bench.objects, &bench.truth, far);
    bench.firmware.react(&mut bench.objects, true);
    bench.inputs = crate::bench::pack(&bench.objects, &bench.kind.pdo_map().inputs.clone());
    bench.cycle = 6;
    bench.exchange();
    assert_eq!(bench.readings.imus[0].stamp, Time::from_nanoseconds(4_000_000));
}

#[test]
fn a_board_that_hangs_keeps_its_stamps() {
    let mut bench = Bench::new("body", BOTH);
    for k in 0..10 {
        bench.truth.imus[0] = imu(k * 1_000_000);
        bench.cycle();
    }
    bench.firmware.set_fault(Some(hil::virtual_bus::BoardFault::FrozenInputs));
    bench.cycle();
    let (stamp, sample) = (bench.readings.imus[0].stamp, bench.report.sample);
    bench.cycles(5);
    assert_eq!((bench.readings.imus[0].stamp, bench.report.sample), (stamp, sample));
}

#[test]
fn an_orientation_that_is_none_keeps_the_last() {
    let mut bench = Bench::new("body", BOTH);
    bench.truth.imus[0] = imu(0);
    bench.cycles(2);
    assert_eq!(bench.readings.imus[0].orientation, imu(0).orientation);
    for wrong in [[0.0; 4], [f64::NAN, 0.0, 0.0, 1.0], [3.0, 0.0, 0.0, 1.0]] {
        bench.truth.imus[0].orientation = UnitQuaternion::new_unchecked(Quaternion::from(wrong));
        bench.cycles(2);
        assert_eq!(bench.report.fault, Some(INVALID_INPUT));
        assert_eq!(bench.readings.imus[0].orientation, imu(0).orientation);
    }
    bench.truth.imus[0].orientation = UnitQuaternion::new_unchecked(Quaternion::new(1.01, 0.0, 0.0, 0.0));
    bench.cycles(2);
    assert_eq!(bench.report.fault, None);
    assert_eq!(bench.readings.imus[0].orientation, UnitQuaternion::identity(), "nearly one: made one");
}

#[test]
fn one_sensor_alone_is_a_smaller_packet() {
    assert_eq!(parse("body", "imu = \"imu\"").unwrap().pdo_map().input_bytes(), 2 * 8 + 10 * 4 + 2);
    assert_eq!(parse("body", "battery = \"battery\"").unwrap().pdo_map().input_bytes(), 8 + 3 * 4 + 2);
    assert!(parse("body", "").err().unwrap().contains("expected `imu`, `battery` or both, found neither"));
    assert!(
        parse("body", "imu = \"nose\"")
            .err()
            .unwrap()
            .ends_with("expected an IMU of the robot, found string `\"nose\"`; there are: imu")
    );
    let mut bench = Bench::new("body", "battery = \"battery\"");
    bench.truth.batteries[0].voltage = 21.5;
    bench.cycles(2);
    assert_eq!(bench.readings.batteries[0].voltage, 21.5);
    assert_eq!(bench.readings.batteries[0].stamp, Time::ZERO + Period::from_milliseconds(1));
}

proptest! {
    #[test]
    fn any_bytes_give_finite_readings(bytes in proptest::collection::vec(any::<u8>(), 70), now: u32) {
        let mut driver = parse("body", BOTH).unwrap().driver();
        let mut readings = Readings::new(&layout());
        driver.decode(&bytes, Time::from_nanoseconds(now.into()), &mut readings);
        let Imu { orientation, angular_velocity, linear_acceleration, stamp } = readings.imus[0];
        prop_assert!((orientation.norm() - 1.0).abs() < 1e-5 && stamp <= Time::from_nanoseconds(now.into()));
        prop_assert!(angular_velocity.iter().chain(linear_acceleration.iter()).all(|x| x.is_finite()));
        let Battery { voltage, current, charge, .. } = readings.batteries[0];
        prop_assert!([voltage, current, charge].iter().all(|x| x.is_finite()));
    }
}
