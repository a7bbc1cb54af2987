//! Where the robot fits, how well, and what it costs to be there.

use core::cell::RefCell;

use robot_io::Pose2;

use crate::NavigationMap;
use crate::cost::{Costs, FORBIDDEN, HEADINGS, heading_of};
use crate::discs::Discs;
use crate::height::GridFrame;

/// How the robot fits into a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// Not at all.
    None,
    /// At the headings whose bits are set in `fits`; with as much room as the rollout asks for at those in `wide`.
    Some { fits: u16, wide: u16 },
    /// At every heading, with as much room as the rollout asks for.
    Any,
}

/// How the robot stands at a pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// On something forbidden.
    None,
    /// On nothing forbidden, with less room than the rollout asks for.
    Tight,
    /// With as much room as that.
    Wide,
}

impl Room {
    /// True if the robot fits at a heading.
    pub fn fits(self, heading: usize) -> bool {
        match self {
            Room::None => false,
            Room::Some { fits, .. } => fits >> heading & 1 == 1,
            Room::Any => true,
        }
    }

    /// True if it fits at a heading, with less room than the rollout asks for.
    pub fn is_tight(self, heading: usize) -> bool {
        matches!(self, Room::Some { fits, wide } if (fits & !wide) >> heading & 1 == 1)
    }
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
    /// Rooms of narrow cells that are known: the two sets of headings and a bit that says so.
    rooms: RefCell<Vec<u64>>,
}

const ROOM_KNOWN: u64 = 1 << 32;

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
            rooms: RefCell::new(vec![0; costs.frame.len()]),
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
        let mut rooms = self.rooms.borrow_mut();
        if rooms[cell] == 0 {
            let (mut fits, mut wide) = (0_u64, 0_u64);
            let (x, y) = self.frame().center(cell);
            for heading in 0..HEADINGS {
                let fit = self.measure(&Pose2 { x, y, yaw: heading_of(heading) });
                wide |= u64::from(fit == Fit::Wide) << heading;
                fits |= u64::from(fit != Fit::None) << heading;
            }
            rooms[cell] = ROOM_KNOWN | wide << HEADINGS | fits;
        }
        match (rooms[cell] as u16, (rooms[cell] >> HEADINGS) as u16) {
            (0, _) => Room::None,
            (_, u16::MAX) => Room::Any,
            (fits, wide) => Room::Some { fits, wide },
        }
    }

    /// How the robot stands at a pose, which need not be in the middle of a cell. Off the map it does not.
    pub fn fit(&self, pose: &Pose2) -> Fit {
        match self.frame().index_at(pose.x, pose.y) {
            Some(cell) if self.room(cell) == Room::Any => Fit::Wide,
            Some(_) => self.measure(pose),
            None => Fit::None,
        }
    }

    fn measure(&self, pose: &Pose2) -> Fit {
        match self.map.room(&self.discs, pose, self.wide) {
            room if room >= self.wide => Fit::Wide,
            room if room >= 0.0 => Fit::Tight,
            _ => Fit::None,
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
