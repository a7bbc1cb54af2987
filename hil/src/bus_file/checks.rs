//! What only the whole file can show.

use page::{Fault, Page};
use robot_io::RobotLayout;

use super::boards::BoardEntry;

/// The most boards on a bus: station addresses are given from 0x1000 on, and no segment here is longer.
const MOST_BOARDS: usize = 128;

/// All of it.
pub(super) fn all(page: &Page, boards: &[BoardEntry], layout: &RobotLayout, partial: bool) -> Result<(), Fault> {
    if boards.len() > MOST_BOARDS {
        let message = format!("expected at most {MOST_BOARDS} boards, found {}", boards.len());
        return Err(page.fault(boards[MOST_BOARDS].at, message));
    }
    for (index, board) in boards.iter().enumerate() {
        is_unique(page, board, &boards[..index])?;
    }
    joints_are_driven_once(page, boards, layout)?;
    if partial { Ok(()) } else { all_joints_are_driven(page, boards, layout) }
}

fn is_unique(page: &Page, board: &BoardEntry, earlier: &[BoardEntry]) -> Result<(), Fault> {
    let plan = &board.plan;
    let line = |other: &BoardEntry| page.line(other.at);
    if let Some(other) = earlier.iter().find(|other| other.plan.name == plan.name) {
        let message = format!("name: expected a name of its own, found '{}' of line {} again", plan.name, line(other));
        return Err(page.fault(board.at, message));
    }
    let same_alias = |other: &&BoardEntry| plan.alias.is_some() && other.plan.alias == plan.alias;
    if let (Some(other), Some(alias)) = (earlier.iter().find(same_alias), plan.alias) {
        let message = format!(
            "board '{}': alias: expected one of its own, found {alias} of board '{}' (line {}) again",
            plan.name,
            other.plan.name,
            line(other)
        );
        return Err(page.fault(board.alias_at, message));
    }
    let key =
        |board: &BoardEntry| (board.plan.identity.vendor, board.plan.identity.product, board.plan.identity.serial);
    let same_serial = |other: &&BoardEntry| plan.identity.serial.is_some() && key(other) == key(board);
    if let (Some(other), Some(serial)) = (earlier.iter().find(same_serial), plan.identity.serial) {
        let message = format!(
            "board '{}': serial: expected one of its own, found {serial} of board '{}' (line {}) again",
            plan.name,
            other.plan.name,
            line(other)
        );
        return Err(page.fault(board.serial_at, message));
    }
    Ok(())
}

fn joints_are_driven_once(page: &Page, boards: &[BoardEntry], layout: &RobotLayout) -> Result<(), Fault> {
    let mut drivers: Vec<Option<&BoardEntry>> = vec![None; layout.joints.len()];
    for board in boards {
        for joint in board.plan.kind.joints().iter().copied() {
            let Some(driver) = drivers.get_mut(joint) else { continue };
            if let Some(other) = driver.replace(board) {
                let message = format!(
                    "board '{}': joint '{}' is driven by board '{}' (line {}) already",
                    board.plan.name,
                    layout.joints[joint].name,
                    other.plan.name,
                    page.line(other.at)
                );
                return Err(page.fault(board.joint_at, message));
            }
        }
    }
    Ok(())
}

fn all_joints_are_driven(page: &Page, boards: &[BoardEntry], layout: &RobotLayout) -> Result<(), Fault> {
    let driven = |joint: usize| boards.iter().any(|board| board.plan.kind.joints().contains(&joint));
    let idle: Vec<String> = (0..layout.joints.len())
        .filter(|joint| !driven(*joint))
        .map(|joint| format!("'{}'", layout.joints[joint].name))
        .collect();
    if idle.is_empty() {
        return Ok(());
    }
    let (robot, idle) = (&layout.robot, idle.join(", "));
    let message =
        format!("expected a board for every joint of robot '{robot}', or `partial = true`; found none for {idle}");
    Err(page.fault(page.text.trim_end().len(), message))
}
