//! Where the robot fits, and what it costs to be there.

use core::cell::RefCell;

use crate::NavigationMap;
use crate::cost::{Costs, FORBIDDEN, HEADINGS, Outlines};
use crate::height::GridFrame;

/// How the robot fits into a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// Not at all.
    None,
    /// At the headings whose bits are set.
    Some(u16),
    /// At every heading.
    Any,
}

impl Room {
    /// True if the robot fits at a heading.
    pub fn fits(self, heading: usize) -> bool {
        match self {
            Room::None => false,
            Room::Some(bits) => bits >> heading & 1 == 1,
            Room::Any => true,
        }
    }
}

/// A map as the search sees it. Outlines are laid on the grid only where the search comes by.
pub(super) struct Field<'a> {
    pub costs: &'a Costs,
    outlines: Outlines,
    /// Beyond this clearance the robot fits at every heading [m].
    open: f64,
    /// Rooms of narrow cells that are known; no heading is never stored, so that zero means not known yet.
    rooms: RefCell<Vec<u32>>,
}

const ROOM_KNOWN: u32 = 1 << 16;

impl<'a> Field<'a> {
    pub fn new(map: &'a NavigationMap) -> Field<'a> {
        let costs: &Costs = map.costs();
        Field {
            costs,
            outlines: Outlines::new(&map.robot.polygon, map.margin, costs.frame.cell),
            open: map.robot.circumscribed_radius() + map.margin,
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
            let bits = (0..HEADINGS).filter(|heading| self.fits(cell, *heading)).map(|heading| 1_u32 << heading);
            rooms[cell] = ROOM_KNOWN | bits.sum::<u32>();
        }
        match (rooms[cell] & 0xffff) as u16 {
            0 => Room::None,
            u16::MAX => Room::Any,
            bits => Room::Some(bits),
        }
    }

    /// The room at a place; none off the map.
    pub fn room_at(&self, x: f64, y: f64) -> Room {
        self.frame().index_at(x, y).map_or(Room::None, |cell| self.room(cell))
    }

    fn fits(&self, cell: usize, heading: usize) -> bool {
        let frame = self.frame();
        self.outlines.at(heading).iter().all(|&(across, along)| {
            frame.neighbour(cell, across, along).is_none_or(|other| self.costs.cost[other] < FORBIDDEN)
        })
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
