//! The map on which ways are planned.

use std::sync::Arc;

use robot_io::{Grid, HeightMap, MapViews, Pose2, Sealed, Settings, State, StepEdge, Time};
use serde::{Deserialize, Serialize};

use crate::cost::{Costs, FORBIDDEN, Shape};
use crate::discs::Discs;
use crate::edges::find_edges;
use crate::height::{Ground, Heights, Looks};
use crate::outline::covers;
use crate::{CostSettings, EdgeSettings, Footing, GridFrame, HeightSettings, RobotFootprint};

/// How a map is made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct MapSettings {
    /// Of the height map.
    pub height: HeightSettings,
    /// Of drivability.
    pub cost: CostSettings,
    /// Of edges that can be stepped over.
    pub edges: EdgeSettings,
}

/// The ground as it matters to this robot, with its legs as they stand now.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct NavigationMap {
    /// When it was made.
    pub stamp: Time,
    /// Revision of the views from which it was made.
    pub revision: u64,
    /// The robot when it was made.
    pub robot: RobotFootprint,
    /// Nearer than this to the robot's outline the middle of no forbidden cell may be [m].
    pub margin: f64,
    /// Distance between the robot's outline and an edge before and after stepping over it [m].
    pub stand_off: f64,
    /// Edges that the robot can step over, one for each place and direction.
    pub edges: Vec<StepEdge>,
    heights: Sealed<HeightMap>,
    costs: Sealed<Costs>,
    looks: Sealed<Looks>,
    /// Cells whose ground is not known now, and was once.
    forgotten: Sealed<Vec<bool>>,
}

impl NavigationMap {
    /// Makes a map from what was seen.
    pub fn build(views: &MapViews, robot: &RobotFootprint, now: Time, settings: &MapSettings) -> NavigationMap {
        NavigationMap::default().renewed(views, robot, now, settings)
    }

    /// The next map, from what has been seen now. Where the laser has looked on the way is remembered from this one: where it
    /// would have seen ground and has not there is none.
    #[must_use]
    pub fn renewed(
        &self,
        views: &MapViews,
        robot: &RobotFootprint,
        now: Time,
        settings: &MapSettings,
    ) -> NavigationMap {
        let looks = self.looks.renewed(views, robot);
        let once_known = |x: f64, y: f64| self.was_known_at(x, y);
        let heights = Heights::with_looks(views, &looks, once_known, robot, &settings.height);
        let forgotten = heights.ground.iter().enumerate().map(|(cell, ground)| {
            let (x, y) = heights.frame.center(cell);
            *ground < Ground::Filled && once_known(x, y)
        });
        let (looks, forgotten) = (Sealed::new(looks), Sealed::new(forgotten.collect()));
        let map = NavigationMap::from_heights(&heights, robot, settings);
        NavigationMap { stamp: now, revision: views.revision, looks, forgotten, ..map }
    }

    /// Makes a map from heights, for example from a prior map.
    pub fn from_heights(heights: &Heights, robot: &RobotFootprint, settings: &MapSettings) -> NavigationMap {
        let shape = Shape::of(&heights.frame, &heights.height);
        let costs = Costs::build(heights, &shape, robot, &settings.cost);
        NavigationMap {
            stamp: Time::ZERO,
            revision: 0,
            robot: robot.clone(),
            margin: settings.cost.margin,
            stand_off: settings.edges.stand_off,
            edges: find_edges(heights, &shape, robot, &settings.edges),
            heights: Sealed::new(heights.to_map()),
            costs: Sealed::new(costs),
            looks: Sealed::default(),
            forgotten: Sealed::default(),
        }
    }

    /// True if there is nothing on it.
    pub fn is_empty(&self) -> bool {
        self.costs.frame.is_empty()
    }

    /// Which cell is where.
    pub fn frame(&self) -> GridFrame {
        self.costs.frame
    }

    /// The heights, for everyone who shows or uses them.
    pub fn heights(&self) -> &Sealed<HeightMap> {
        &self.heights
    }

    /// The costs, cell by cell.
    pub fn costs(&self) -> &Sealed<Costs> {
        &self.costs
    }

    /// The cost of each cell itself as a picture; not-a-number where nobody knows the ground.
    pub fn cost_grid(&self) -> Arc<Grid> {
        self.grid(&self.costs.cost)
    }

    /// The cost for the robot's base as a picture: inflated; not-a-number where nobody knows the ground.
    pub fn inflated_grid(&self) -> Arc<Grid> {
        self.grid(&self.costs.inflated)
    }

    fn grid(&self, costs: &[f32]) -> Arc<Grid> {
        let GridFrame { cell, origin_x, origin_y, columns, rows } = self.costs.frame;
        let known = |(index, cost): (usize, &f32)| if self.costs.is_unknown(index) { f32::NAN } else { *cost };
        let values = costs.iter().enumerate().map(known).collect();
        Arc::new(Grid { cell, origin_x, origin_y, columns, rows, values })
    }

    /// Height of the ground at a place [m]; `None` where nobody knows it.
    pub fn height_at(&self, x: f64, y: f64) -> Option<f64> {
        let cell = self.costs.frame.index_at(x, y)?;
        self.heights.height_at(x, y).or_else(|| self.heights.heights.get(cell).copied().filter(|h| h.is_finite()))
    }

    /// Height of the ground at a place where many points have measured it [m]; `None` elsewhere, also where it was filled in.
    pub(crate) fn measured_height_at(&self, x: f64, y: f64) -> Option<f64> {
        let cell = self.costs.frame.index_at(x, y)?;
        self.height_at(x, y).filter(|_| self.costs.ground[cell] >= Ground::Measured as u8)
    }

    /// True if ground that would be seen at a place is not: it falls off there.
    pub(crate) fn is_missing_at(&self, x: f64, y: f64) -> bool {
        let cell = self.costs.frame.index_at(x, y);
        cell.is_some_and(|cell| self.costs.ground[cell] == Ground::Missing as u8)
    }

    /// True if the ground at a place is known, or was on an earlier map.
    fn was_known_at(&self, x: f64, y: f64) -> bool {
        self.costs.frame.index_at(x, y).is_some_and(|cell| {
            self.costs.ground[cell] >= Ground::Filled as u8 || self.forgotten.get(cell).is_some_and(|known| *known)
        })
    }

    /// Cost for a robot whose base is at a place, 0 to 1 (forbidden); `None` off the map.
    pub fn cost_at(&self, x: f64, y: f64) -> Option<f64> {
        self.costs.inflated.get(self.costs.frame.index_at(x, y)?).map(|cost| f64::from(*cost))
    }

    /// Cost of the ground itself at a place, 0 to 1 (forbidden); `None` off the map and where nobody knows the ground.
    pub fn ground_cost_at(&self, x: f64, y: f64) -> Option<f64> {
        let cell = self.costs.frame.index_at(x, y)?;
        (!self.costs.is_unknown(cell)).then(|| f64::from(self.costs.cost[cell]))
    }

    /// Makes a place cost at least `cost`, 0 to 1 (forbidden), within `radius` [m] of its middle: something in the way that the
    /// views do not show.
    pub fn raise_cost(&mut self, middle: [f64; 2], radius: f64, cost: f32) {
        self.costs.change(|costs| costs.raise(middle, radius, cost));
    }

    /// Distance from a place to the nearest forbidden cell's middle [m]; infinite without one, `None` off the map.
    pub fn clearance_at(&self, x: f64, y: f64) -> Option<f64> {
        self.costs.clearance.get(self.costs.frame.index_at(x, y)?).map(|distance| f64::from(*distance))
    }

    /// True if all ground within `radius` [m] of a place has been seen, but for gaps here and there that were filled in: what
    /// stands there now and did not then has come.
    pub(crate) fn knows_around(&self, place: &Pose2, radius: f64) -> bool {
        const MOST_FILLED: usize = 10;
        let (mut cells, mut filled) = (0, 0);
        for cell in self.costs.frame.square(place.x, place.y, radius) {
            let ground = Ground::from_code(self.costs.ground[cell]);
            if ground < Ground::Filled {
                return false;
            }
            cells += 1;
            filled += usize::from(ground == Ground::Filled);
        }
        self.costs.frame.index_at(place.x, place.y).is_some() && MOST_FILLED * filled <= cells
    }

    /// True if nothing forbidden lies under the robot's outline at a pose. Off the map nothing is known to be forbidden.
    pub fn is_free(&self, pose: &Pose2) -> bool {
        self.room(&self.discs(), pose, 0.0) >= 0.0
    }

    /// The robot's outline, to measure room with.
    pub(crate) fn discs(&self) -> Discs {
        let mut discs = Discs::new();
        discs.cover(&self.robot.polygon, self.robot.corner_radius);
        discs
    }

    /// Room between an outline at a pose and what is forbidden [m], see [`Discs::room`]. Off the map nothing is known to be forbidden.
    pub(crate) fn room(&self, discs: &Discs, pose: &Pose2, enough: f64) -> f64 {
        discs.room(pose, |x, y| self.costs.distance_at(x, y), enough)
    }

    /// How the robot would stand at a pose.
    pub fn footing(&self, pose: &Pose2) -> Footing {
        let clearance = self.clearance_at(pose.x, pose.y).unwrap_or(f64::INFINITY);
        let mut footing = Footing { clearance, ..Footing::default() };
        let (mut sum, mut count, mut unknown) = (0.0, 0_u32, 0_u32);
        for cell in self.under(pose) {
            let cost = f64::from(self.costs.cost[cell]);
            footing.worst_cost = footing.worst_cost.max(cost);
            sum += cost;
            count += 1;
            unknown += u32::from(self.costs.is_unknown(cell));
        }
        let cells = f64::from(count.max(1));
        footing.is_forbidden = footing.worst_cost >= f64::from(FORBIDDEN);
        footing.mean_cost = sum / cells;
        footing.unknown_share = if count == 0 { 1.0 } else { f64::from(unknown) / cells };
        footing
    }

    /// The cells under the robot's outline at a pose.
    fn under(&self, pose: &Pose2) -> impl Iterator<Item = usize> + '_ {
        let frame = self.costs.frame;
        let radius = self.robot.circumscribed_radius() + self.margin;
        let (s, c) = (robot_io::math::sin(pose.yaw), robot_io::math::cos(pose.yaw));
        let (x, y, polygon, margin) = (pose.x, pose.y, &self.robot.polygon, self.margin);
        frame.square(x, y, radius).filter(move |cell| {
            let (u, v) = frame.center(*cell);
            let (dx, dy) = (u - x, v - y);
            covers(polygon, [c * dx + s * dy, c * dy - s * dx], margin)
        })
    }
}
