//! What only the whole file can show.

use page::{Fault, Page};
use robot_io::RobotLayout;

use super::boards::BoardEntry;
use super::{BoardPlan, Identity};

/// The most boards on a bus: station addresses are given from 0x1000 on, and no segment here is longer.
const MOST_BOARDS: usize = 128;

/// All of it.
pub(super) fn all(
    page: &Page<'_>,
    boards: &[BoardEntry<'_>],
    layout: &RobotLayout,
    partial: bool,
) -> Result<(), Fault> {
    if let Some(first) = boards.get(MOST_BOARDS) {
        return Err(first.fields.error(&format!("at most {MOST_BOARDS} boards"), &boards.len().to_string()));
    }
    for (index, board) in boards.iter().enumerate() {
        is_unique(page, board, &boards[..index])?;
    }
    joints_are_driven_once(page, boards, layout)?;
    if partial { Ok(()) } else { all_joints_are_driven(page, boards, layout) }
}

fn is_unique(page: &Page<'_>, board: &BoardEntry<'_>, earlier: &[BoardEntry<'_>]) -> Result<(), Fault> {
    let BoardPlan { name, alias, identity, .. } = &board.plan;
    let kind = (identity.vendor, identity.product);
    let again = |key: &str, found: &str, is_same: &dyn Fn(&BoardPlan) -> bool| match earlier
        .iter()
        .find(|other| is_same(&other.plan))
    {
        None => Ok(()),
        Some(other) => {
            Err(board.fields.error_at(key, "one of its own", &format!("{found}, that of {}", who(page, other))))
        }
    };
    again("name", &format!("'{name}'"), &|other| other.name == *name)?;
    if let Some(alias) = alias {
        again("alias", &alias.to_string(), &|other| other.alias == Some(*alias))?;
    }
    if let Some(serial) = identity.serial {
        let is_same = |other: &Identity| (other.vendor, other.product) == kind && other.serial == Some(serial);
        again("serial", &serial.to_string(), &|other| is_same(&other.identity))?;
    }
    Ok(())
}

/// A board and the line of its table.
fn who(page: &Page<'_>, board: &BoardEntry<'_>) -> String {
    format!("board '{}' (line {})", board.plan.name, page.line(board.fields.place()))
}

fn joints_are_driven_once(page: &Page<'_>, boards: &[BoardEntry<'_>], layout: &RobotLayout) -> Result<(), Fault> {
    let mut drivers: Vec<Option<&BoardEntry<'_>>> = vec![None; layout.joints.len()];
    for board in boards {
        for joint in board.plan.kind.joints().iter().copied() {
            let Some(driver) = drivers.get_mut(joint) else { continue };
            if let Some(other) = driver.replace(board) {
                let found = format!("'{}', which {} drives already", layout.joints[joint].name, who(page, other));
                return Err(board.fields.error_at("joint", "a joint of its own", &found));
            }
        }
    }
    Ok(())
}

fn all_joints_are_driven(page: &Page<'_>, boards: &[BoardEntry<'_>], layout: &RobotLayout) -> Result<(), Fault> {
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

/// On a bus with boards of skin: a patch that none of them has would never be felt.
pub(super) fn all_contacts_are_read(
    page: &Page<'_>,
    boards: &[BoardEntry<'_>],
    layout: &RobotLayout,
) -> Result<(), Fault> {
    let read = |contact: &usize| boards.iter().any(|board| board.plan.kind.contacts().contains(contact));
    let unread = (0..layout.contacts.len()).filter(|contact| !read(contact));
    let unread: Vec<String> = unread.map(|contact| format!("'{}'", layout.contacts[contact].name)).collect();
    if unread.is_empty() {
        return Ok(());
    }
    let (robot, unread) = (&layout.robot, unread.join(", "));
    let message = format!(
        "expected a board for every contact switch and patch of skin of robot '{robot}', or `partial = true`; found none for {unread}"
    );
    Err(page.fault(page.text.trim_end().len(), message))
}
