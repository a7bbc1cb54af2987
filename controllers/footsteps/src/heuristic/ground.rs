//! The way around what is in the way: Dijkstra's search from the goal over a coarse map, on which heights count as in the cost of steps.

use core::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use nalgebra::Vector3;
use robot_io::Pose2;
use walking::Footstep;

use super::{Guide, GuideSettings, Heuristic, Question};
use crate::collision::Room;
use crate::geometry::{Rectangle, ahead};

/// Headings at which a foot is tried in a cell.
const HEADINGS: u32 = 4;
const NEIGHBOURS: [(i64, i64); 8] = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)];

/// Knows ways around obstacles and over stairs, from a coarse map.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AroundObstacles {
    /// How the map is made.
    pub settings: GuideSettings,
}

/// A cell of the coarse map, counted from the goal.
type Cell = (i64, i64);

/// What is known of a cell.
#[derive(Clone, Copy, Debug)]
struct Ground {
    /// Height [m].
    height: f64,
    /// Whether a foot can stand there.
    carries: bool,
    /// Whether the body fits.
    room: Room,
}

/// What the way from each cell costs.
#[derive(Debug)]
struct Ways {
    cell: f64,
    goal: Pose2,
    /// The cost for each metre, of the level ground.
    per_metre: f64,
    beyond: f64,
    costs: BTreeMap<Cell, (f64, Cell)>,
}

struct Flood<'a> {
    question: &'a Question<'a>,
    settings: &'a GuideSettings,
    goal: Pose2,
    grounds: BTreeMap<Cell, Ground>,
    /// The cost, how many cells before carry no foot, and the cell to which the way leads.
    found: BTreeMap<Cell, (f64, usize, Cell)>,
    queue: BinaryHeap<Reverse<(u64, Cell)>>,
}

impl Heuristic for AroundObstacles {
    fn prepare(&self, question: &Question<'_>) -> Box<dyn Guide> {
        let goal = crate::geometry::midway(&question.goal[0], &question.goal[1]);
        let flood = Flood {
            question,
            settings: &self.settings,
            goal,
            grounds: BTreeMap::new(),
            found: BTreeMap::new(),
            queue: BinaryHeap::new(),
        };
        let here = question.goal[0];
        let there = Footstep { position: here.position + Vector3::x(), ..here };
        Box::new(Ways {
            cell: self.settings.cell,
            goal,
            per_metre: question.cost.bound(&here, &there),
            beyond: self.settings.beyond,
            costs: flood.run(),
        })
    }
}

impl Flood<'_> {
    /// The cost of each cell from which there is a way, until the start is met and a little beyond.
    fn run(mut self) -> BTreeMap<Cell, (f64, Cell)> {
        const SLACK: f64 = 1.3;
        const ROUND_ABOUT: f64 = 8.0;
        let start = self.cell_of(&crate::geometry::midway(&self.question.start[0], &self.question.start[1]));
        let (mut costs, mut enough) = (BTreeMap::new(), f64::INFINITY);
        self.found.insert((0, 0), (0.0, 0, (0, 0)));
        self.queue.push(Reverse((0, (0, 0))));
        while let Some(Reverse((bits, cell))) = self.queue.pop() {
            let cost = f64::from_bits(bits);
            if costs.contains_key(&cell) {
                continue;
            }
            if cost > enough || costs.len() >= self.settings.cells {
                break;
            }
            costs.insert(cell, (cost, self.ahead(cell)));
            if cell == start {
                enough = SLACK * cost + ROUND_ABOUT;
            }
            self.expand(cell, cost);
        }
        costs
    }

    /// Where the way from a cell has led to some cells later.
    fn ahead(&self, cell: Cell) -> Cell {
        const LATER: usize = 6;
        (0..LATER).fold(cell, |at, _| self.found.get(&at).map_or(at, |(.., next)| *next))
    }

    fn expand(&mut self, cell: Cell, cost: f64) {
        let Some(from) = self.ground(cell) else { return };
        let bare = self.found.get(&cell).map_or(0, |(_, bare, _)| *bare);
        for (across, along) in NEIGHBOURS {
            let next = (cell.0 + across, cell.1 + along);
            let Some(to) = self.ground(next).filter(|ground| ground.room != Room::None) else { continue };
            let bare = if to.carries { 0 } else { bare + 1 };
            if bare as f64 * self.settings.cell > self.settings.gap {
                continue;
            }
            let weight = if to.carries && from.carries { 1.0 } else { self.settings.bare };
            let weight = if to.room == Room::Narrow { weight * self.settings.narrow } else { weight };
            let total = cost + weight * self.between(cell, from.height, next, to.height);
            if self.found.get(&next).is_none_or(|(before, ..)| total < *before) {
                self.found.insert(next, (total, bare, cell));
                self.queue.push(Reverse((total.to_bits(), next)));
            }
        }
    }

    /// What the cost knows of the way from one cell to another.
    fn between(&self, from: Cell, height: f64, to: Cell, other_height: f64) -> f64 {
        let foot = |cell: Cell, height: f64| {
            let (x, y) = self.place(cell);
            Footstep { position: Vector3::new(x, y, height), yaw: self.goal.yaw, ..Footstep::default() }
        };
        self.question.cost.bound(&foot(from, height), &foot(to, other_height))
    }

    fn place(&self, cell: Cell) -> (f64, f64) {
        place(&self.goal, self.settings.cell, cell)
    }

    fn cell_of(&self, pose: &Pose2) -> Cell {
        cell_of(&self.goal, self.settings.cell, pose.x, pose.y)
    }

    /// Looked at once, when it is asked for; `None` off the map. Where the ground is not known, that of the cells around it has to do.
    fn ground(&mut self, cell: Cell) -> Option<Ground> {
        if let Some(known) = self.grounds.get(&cell) {
            return Some(*known).filter(|ground| ground.height.is_finite());
        }
        let ground = self.look(cell);
        self.grounds.insert(cell, ground);
        Some(ground).filter(|ground| ground.height.is_finite())
    }

    fn look(&self, cell: Cell) -> Ground {
        let (x, y) = self.place(cell);
        let Question { terrain, collision, footing, half_sole, .. } = *self.question;
        let foothold = (0..HEADINGS).find_map(|heading| {
            let yaw = self.goal.yaw + f64::from(heading) * core::f64::consts::PI / f64::from(HEADINGS);
            let foothold = terrain.foothold(&Rectangle::at(&Pose2 { x, y, yaw }, half_sole));
            foothold.filter(|foothold| footing.judge(foothold).is_ok())
        });
        let known = NEIGHBOURS.iter().find_map(|(across, along)| {
            let (u, v) = self.place((cell.0 + across, cell.1 + along));
            terrain.height_at(u, v)
        });
        let height = foothold.map(|foothold| foothold.height).or_else(|| terrain.height_at(x, y)).or(known);
        let height = height.unwrap_or(f64::NAN);
        // over a gap the body is carried at the height of its edges
        let stands = match foothold {
            Some(_) => height,
            None => known.map_or(height, |known| known.max(height)),
        };
        let room = if stands.is_finite() { collision.room(terrain, &Vector3::new(x, y, stands)) } else { Room::None };
        Ground { height: if foothold.is_some() { height } else { stands }, carries: foothold.is_some(), room }
    }
}

fn place(goal: &Pose2, size: f64, (along, across): Cell) -> (f64, f64) {
    let at = Rectangle { centre: [goal.x, goal.y].into(), ahead: ahead(goal.yaw), half: [0.0; 2].into() };
    let place = at.place(along as f64 * size, across as f64 * size);
    (place.x, place.y)
}

fn cell_of(goal: &Pose2, size: f64, x: f64, y: f64) -> Cell {
    let at = Rectangle { centre: [goal.x, goal.y].into(), ahead: ahead(goal.yaw), half: [0.0; 2].into() };
    let local = at.local(x, y);
    (libm::round(local.x / size) as i64, libm::round(local.y / size) as i64)
}

/// So far ahead it counts where a robot looks [m].
const AHEAD: f64 = 1.0;
/// A robot that walks backward takes so many times as much more, and sideways half of that.
const ASLANT: f64 = 1.5;

impl Ways {
    /// The cost of the way from a place, and where it leads to next.
    fn way(&self, x: f64, y: f64) -> Option<(f64, Cell)> {
        let (column, row) = cell_of(&self.goal, self.cell, x, y);
        let around = (-1..=1).flat_map(|across| (-1..=1).map(move |along| (column + across, row + along)));
        let ways = around.filter_map(|cell| {
            let (u, v) = place(&self.goal, self.cell, cell);
            let (cost, ahead) = self.costs.get(&cell)?;
            Some((cost + self.per_metre * libm::hypot(u - x, v - y), *ahead))
        });
        ways.min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

impl Guide for Ways {
    fn left(&self, foot: &Footstep) -> f64 {
        let (x, y) = (foot.position.x, foot.position.y);
        let straight = self.beyond * self.per_metre * libm::hypot(self.goal.x - x, self.goal.y - y);
        let (cost, ahead) = self.way(x, y).unwrap_or((straight, (0, 0)));
        let (u, v) = place(&self.goal, self.cell, ahead);
        let aslant = 0.5 * (1.0 - libm::cos(foot.yaw - libm::atan2(v - y, u - x)));
        cost + ASLANT * aslant * cost.min(self.per_metre * AHEAD)
    }
}
