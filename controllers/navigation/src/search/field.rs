//! Where the robot fits, how well, and what it costs to be there.

use core::cell::RefCell;

use robot_io::Pose2;

use crate::NavigationMap;
use crate::cost::{Costs, FORBIDDEN, HEADINGS, heading_of};
use crate::discs::Discs;
use crate::height::GridFrame;

/// How much room the robot has in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// It fits at no heading.
    None,
    /// So much, heading by heading.
    Some(Rooms),
    /// As much as the rollout asks for, at every heading.
    Any,
}

/// Four bits for each heading: 0 if the robot does not fit, up to [`WIDE`] if it has as much room as the rollout asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rooms(u64);

const WIDE: u8 = 15;

impl Room {
    /// True if the robot fits at a heading.
    pub fn fits(self, heading: usize) -> bool {
        self.at(heading) > 0
    }

    /// How much of the room that the rollout asks for is missing at a heading at which the robot fits: 0 (none) to 1 (all).
    pub fn lack(self, heading: usize) -> f64 {
        lack(self.at(heading))
    }

    fn at(self, heading: usize) -> u8 {
        match self {
            Room::None => 0,
            Room::Some(Rooms(rooms)) => (rooms >> (4 * heading)) as u8 & WIDE,
            Room::Any => WIDE,
        }
    }
}

fn lack(room: u8) -> f64 {
    f64::from(WIDE - room) / f64::from(WIDE - 1)
}

/// A map as the search sees it. The outline is laid on it only where the search comes by.
pub(super) struct Field<'a> {
    map: &'a NavigationMap,
    pub costs: &'a Costs,
    discs: Discs,
    /// Room that the rollout asks for [m].
    wide: f64,
    /// Beyond this clearance the robot fits at every heading [m].
    open: f64,
    /// Rooms of narrow cells that are known.
    rooms: RefCell<Vec<Option<Rooms>>>,
}

impl<'a> Field<'a> {
    /// A map for a robot that drives with so much `room` beside its outline where it can [m].
    pub fn new(map: &'a NavigationMap, room: f64) -> Field<'a> {
        let costs: &Costs = map.costs();
        Field {
            map,
            costs,
            discs: map.discs(),
            wide: room,
            // what is forbidden begins half a cell before the middle of its cell
            open: map.robot.circumscribed_radius() + room + 0.5 * costs.frame.cell,
            rooms: RefCell::new(vec![None; costs.frame.len()]),
        }
    }

    pub fn frame(&self) -> &GridFrame {
        &self.costs.frame
    }

    /// How the robot fits into a cell.
    pub fn room(&self, cell: usize) -> Room {
        if self.costs.inflated[cell] >= FORBIDDEN {
            return Room::None;
        }
        if f64::from(self.costs.clearance[cell]) > self.open {
            return Room::Any;
        }
        let mut known = self.rooms.borrow_mut();
        let rooms = *known[cell].get_or_insert_with(|| self.measured(cell));
        match rooms.0 {
            0 => Room::None,
            u64::MAX => Room::Any,
            _ => Room::Some(rooms),
        }
    }

    fn measured(&self, cell: usize) -> Rooms {
        let (x, y) = self.frame().center(cell);
        let room = |heading: usize| self.measure(&Pose2 { x, y, yaw: heading_of(heading) });
        Rooms((0..HEADINGS).fold(0, |rooms, heading| rooms | u64::from(room(heading)) << (4 * heading)))
    }

    /// How much of the room that the rollout asks for is missing at a pose, which need not be in the middle of a cell: 0 (none) to 1
    /// (all). `None` where the robot does not fit, and off the map.
    pub fn lack_at(&self, pose: &Pose2) -> Option<f64> {
        let cell = self.frame().index_at(pose.x, pose.y)?;
        let room = if self.room(cell) == Room::Any { WIDE } else { self.measure(pose) };
        (room > 0).then(|| lack(room))
    }

    fn measure(&self, pose: &Pose2) -> u8 {
        match self.map.room(&self.discs, pose, self.wide) {
            room if room >= self.wide => WIDE,
            room if room >= 0.0 => 1 + (f64::from(WIDE - 1) * room / self.wide) as u8,
            _ => 0,
        }
    }

    /// Cost of the ground for a base in a cell, 0 to 1.
    pub fn cost(&self, cell: usize) -> f64 {
        f64::from(self.costs.inflated[cell])
    }

    /// True if the cell itself is forbidden, not only too near to something that is.
    pub fn is_obstacle(&self, cell: usize) -> bool {
        self.costs.cost[cell] >= FORBIDDEN
    }
}
