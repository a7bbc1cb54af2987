//! Every scenario that ships passes, with its own seed: on the plant that it names, and over the virtual bus. One whose file names a
//! known failure is run and told of, and may fail; the README names it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use scenarios::case::PlantKind;
use scenarios::progress::Progress;
use scenarios::{Case, Library, Staffing, Stage, refusal};
use support::root;

fn assert_passes(name: &str, plant: Option<PlantKind>) {
    let library = Library::at(root());
    let mut case = Case::load(&library, name).unwrap();
    case.plant = plant.unwrap_or(case.plant);
    let stage = Stage::load(&library, case).unwrap();
    let finished = refusal::run(&stage, Staffing::default(), None, &mut Progress::silent()).unwrap();
    let failed: Vec<_> = finished.outcome.checks.iter().filter(|check| !check.passed).collect();
    assert!(!finished.outcome.checks.is_empty(), "{name} checks nothing");
    if let Some(why) = stage.case.known_failure.as_ref().filter(|_| !failed.is_empty()) {
        println!("{name} FAILED, as is known: {why}\n{failed:#?}");
        return;
    }
    assert!(failed.is_empty(), "{name}, mission {}: {failed:#?}", finished.outcome.mission);
}

#[test]
fn the_readme_names_every_known_failure() {
    let library = Library::at(root());
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    for name in library.case_names().unwrap() {
        let row = readme.lines().find(|line| line.contains(&format!("`{name}`"))).unwrap();
        let is_known = Case::load(&library, &name).unwrap().known_failure.is_some();
        assert_eq!(row.contains("Known failure"), is_known, "{row}");
    }
}

macro_rules! shipped {
    (simulated: $($simulated:ident),* ; on_a_bus: $($on_a_bus:ident),* $(,)?) => {
        $(
            #[test]
            fn $simulated() {
                assert_passes(stringify!($simulated), None);
            }
        )*
        $(
            #[test]
            fn $on_a_bus() {
                assert_passes(stringify!($on_a_bus), None);
            }
        )*

        /// The same controllers over EtherCAT, against emulated boards.
        mod over_the_virtual_bus {
            use super::{PlantKind, assert_passes};
            $(
                #[test]
                fn $simulated() {
                    assert_passes(stringify!($simulated), Some(PlantKind::VirtualBus));
                }
            )*
        }

        #[test]
        fn every_scenario_that_ships_is_run_here() {
            let mut named = vec![$(stringify!($simulated).to_owned()),*];
            named.extend([$(stringify!($on_a_bus).to_owned()),*]);
            named.sort();
            assert_eq!(Library::at(root()).case_names().unwrap(), named);
        }
    };
}

shipped! {
    simulated:
        assemble_station,
        battery_slips,
        bench_two_drives,
        centaur_among_robots,
        centaur_bad_scan,
        centaur_blocked_path,
        centaur_climbs_ramp,
        centaur_climbs_step,
        centaur_corridor,
        centaur_crosses_spacebot,
        centaur_drives_flat,
        centaur_explores,
        centaur_finds_and_takes,
        centaur_greets,
        centaur_inspects,
        centaur_kidnapped,
        centaur_maps_spacebot,
        centaur_miscalibrated,
        centaur_motor_fault,
        centaur_moving_obstacle,
        carry_two_handed,
        clears_debris,
        centaur_opens_door,
        centaur_picks_and_places,
        centaur_pushed,
        centaur_reaches_goals,
        centaur_stands,
        centaur_turns_valve,
        centaur_withdraws_hand,
        cup_as_obstacle_then_target,
        cup_is_moved_while_approaching,
        fill_and_grasp_cup,
        finger_fails_while_scooping,
        grasp_battery,
        humanoid_climbs_stairs,
        humanoid_falls_well,
        humanoid_goes_to_goal,
        humanoid_knee_fault,
        humanoid_motor_fault,
        humanoid_picks_and_places,
        humanoid_pushed_while_walking,
        humanoid_reaches,
        humanoid_stands,
        humanoid_stands_pushed,
        humanoid_steps_stones,
        humanoid_turns_valve,
        humanoid_walks_flat,
        humanoid_walks_long,
        humanoid_walks_rough,
        humanoid_walks_slope,
        humanoid_withdraws_hand,
        object_not_found,
        slot_is_stiff,
        soil_sample,
        spacebot_camp;
    on_a_bus:
        al_error,
        board_gone,
        board_resets,
        bus_emergency_stop,
        cable_cut_while_driving,
        controller_panic,
        cut_before_front_left_driving,
        cut_before_front_left_standing,
        cut_before_front_right_driving,
        cut_before_front_right_standing,
        cut_before_rear_left_driving,
        cut_before_rear_left_standing,
        cut_before_rear_right_driving,
        cut_before_rear_right_standing,
        drive_fault,
        encoder_jump,
        frame_loss,
        frames_lost,
        frozen_board,
        hot_board,
        late_frames,
        slow_controller,
        sto_open,
        swapped_boards,
        working_counter,
}
