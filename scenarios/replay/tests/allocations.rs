//! Recording a cycle allocates nothing on the control thread once the first buffers have come round.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

#[path = "../../../tests/support/counting.rs"]
mod counting;
mod support;

use counting::{Counting, allocations};
use replay::{LogWriter, Recorder};
use robot_io::{Commands, Readings, RobotIo};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_recorded_cycle_allocates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let layout = support::layout(56);
    let log = LogWriter::create(&folder.path().join("run.mcap"), &support::header(&layout)).unwrap();
    let mut robot = Recorder::new(support::NoisyRobot::new(layout.clone(), 3), log.clone());
    let (mut readings, mut commands) = (Readings::new(&layout), Commands::new(&layout));
    robot.bring_up().unwrap();
    let (mut before, mut opened) = (0, 0);
    for cycle in 0..2_000 {
        let at_start = allocations();
        robot.read(&mut readings).unwrap();
        support::answer(&readings, &mut commands);
        robot.write(&commands).unwrap();
        log.digests(cycle, &support::digests(&mut readings, &mut commands)).unwrap();
        let spent = allocations() - at_start;
        // a chunk that must be handed over while the disk is slow takes a new buffer; nothing else may allocate
        if cycle > 100 {
            before += spent;
            opened += u64::from(spent > 0);
        }
    }
    log.finish().unwrap();
    assert!(opened <= 10 && before <= 10 * 12, "{before} allocations in {opened} of 1900 cycles");
}
