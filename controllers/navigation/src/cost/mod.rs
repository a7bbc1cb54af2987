//! What it costs to drive over a cell: the paper's height differences, and this robot's limits of slope, step and roughness.

mod difference;
mod footing;
mod hazard;
mod inflation;
mod settings;
mod shape;

pub use difference::{combined_difference, difference};
pub use footing::Footing;
pub(crate) use footing::{HEADINGS, heading_bin, heading_of};
pub use inflation::FORBIDDEN;
pub use settings::CostSettings;
pub(crate) use shape::Shape;

use robot_io::State;

use crate::RobotFootprint;
use crate::distance::DistanceTransform;
use crate::height::{GridFrame, Ground, Heights};

/// Distances beyond this are all the same [m].
const FAR: f64 = 2.0;

/// What is drivable, cell by cell.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct Costs {
    /// Which cell is where.
    pub frame: GridFrame,
    /// Cost of the cell itself, 0 (flat) to 1 (forbidden).
    #[state(packed)]
    pub cost: Vec<f32>,
    /// Distance to the nearest forbidden cell [m].
    #[state(packed)]
    pub clearance: Vec<f32>,
    /// Cost for a robot whose base is in the cell: the mean around it, 1 where even its inscribed circle does not fit.
    #[state(packed)]
    pub inflated: Vec<f32>,
    /// How the ground is known: [`Ground`] as a number.
    #[state(packed)]
    pub ground: Vec<u8>,
    /// Nearer than this to a forbidden cell the base is forbidden [m].
    pub robot_radius: f64,
    /// Radius of the disc over which costs are averaged [m].
    pub inflation_radius: f64,
}

impl Costs {
    /// Judges the ground.
    pub(crate) fn build(heights: &Heights, shape: &Shape, robot: &RobotFootprint, settings: &CostSettings) -> Costs {
        let frame = heights.frame;
        let differences = combined_difference(&frame, &heights.height, settings);
        let limits = Limits::of(settings);
        let cell_cost = |cell: usize| match heights.ground[cell] {
            Ground::Unknown => settings.unknown as f32,
            Ground::Missing => FORBIDDEN,
            _ => limits.cost(heights, shape, differences[cell], cell),
        };
        let mut cost: Vec<f32> = (0..frame.len()).map(cell_cost).collect();
        hazard::keep_away(heights, shape, settings, &mut cost);
        let ground = heights.ground.iter().map(|ground| *ground as u8).collect();
        let mut costs = Costs {
            frame,
            cost,
            ground,
            robot_radius: robot.inscribed_radius() + settings.margin,
            inflation_radius: settings.inflation_radius,
            ..Costs::default()
        };
        costs.inflate();
        costs
    }

    /// Makes a place cost at least `cost`, 0 to 1 (forbidden), within `radius` [m] of its middle.
    pub fn raise(&mut self, [x, y]: [f64; 2], radius: f64, cost: f32) {
        for cell in self.frame.square(x, y, radius) {
            let (u, v) = self.frame.center(cell);
            if libm::hypot(u - x, v - y) <= radius {
                self.cost[cell] = self.cost[cell].max(cost.clamp(0.0, FORBIDDEN));
            }
        }
        self.inflate();
    }

    /// Clearance and inflated costs follow from the costs of the cells.
    fn inflate(&mut self) {
        let cost = &self.cost;
        self.clearance = DistanceTransform::of(&self.frame, |cell| cost[cell] >= FORBIDDEN);
        self.inflated =
            inflation::inflate(&self.frame, cost, &self.clearance, self.robot_radius, self.inflation_radius);
    }

    /// How far it is from a place to the nearer side of what is forbidden [m], between the middles of cells; negative within it, far off
    /// the map.
    pub fn distance_at(&self, x: f64, y: f64) -> f64 {
        let GridFrame { cell, origin_x, origin_y, columns, rows } = self.frame;
        let (u, v) = ((x - origin_x) / cell, (y - origin_y) / cell);
        if !(u >= 0.0 && v >= 0.0 && u < columns as f64 - 1.0 && v < rows as f64 - 1.0) {
            return FAR;
        }
        // not below zero: to cut off is to round down
        let (column, row) = (u as usize, v as usize);
        let (across, along) = (u - column as f64, v - row as f64);
        let first = row * columns + column;
        let value = |cell: usize| f64::from(self.clearance[cell]).min(FAR);
        let near = value(first) * (1.0 - across) + value(first + 1) * across;
        let far = value(first + columns) * (1.0 - across) + value(first + columns + 1) * across;
        near * (1.0 - along) + far * along - 0.5 * cell
    }

    /// True if nobody knows the ground of a cell.
    pub fn is_unknown(&self, cell: usize) -> bool {
        self.ground[cell] == Ground::Unknown as u8
    }
}

/// The limits of the robot, ready to compare.
struct Limits<'a> {
    settings: &'a CostSettings,
    caution_slope: f64,
    steepest_slope: f64,
}

/// Ground that is not forbidden costs at most this.
const WORST: f64 = 0.9;
/// Roughness alone costs at most this.
const WORST_ROUGHNESS: f64 = 0.5;

impl Limits<'_> {
    fn of(settings: &CostSettings) -> Limits<'_> {
        let (caution, steepest) = (settings.caution_slope_deg.to_radians(), settings.steepest_slope_deg.to_radians());
        Limits { settings, caution_slope: caution, steepest_slope: steepest }
    }

    /// The worst of what is wrong with a cell. The height differences grade the ground; what is impossible for this robot is
    /// told by its own limits, because a difference is as large at the foot of a wall as on it, and would make every passage
    /// two cells narrower.
    fn cost(&self, heights: &Heights, shape: &Shape, difference: f64, cell: usize) -> f32 {
        let settings = self.settings;
        let slope = shape.slope(cell);
        let rise_within_cell = heights.frame.cell * (shape.slope_x[cell].abs() + shape.slope_y[cell].abs());
        let spread = f64::from(heights.spread[cell]) - rise_within_cell;
        let step = shape.step[cell];
        let is_sure = heights.ground[cell] >= Ground::Measured;
        let highest_step = if is_sure { settings.highest_step } else { settings.highest_unsure_step };
        let impossible = slope > self.steepest_slope || step > highest_step || spread > settings.largest_spread;
        if impossible {
            return FORBIDDEN;
        }
        let parts = [
            graded(difference, 0.0, settings.full_difference, WORST),
            graded(slope, self.caution_slope, self.steepest_slope, WORST),
            graded(step, settings.easy_step, settings.highest_step, WORST),
            graded(shape.roughness[cell], 0.0, settings.full_roughness, WORST_ROUGHNESS),
        ];
        parts.into_iter().fold(0.0, f64::max) as f32
    }
}

/// From zero at `from` to `worst` at `to`.
fn graded(value: f64, from: f64, to: f64, worst: f64) -> f64 {
    worst * ((value - from) / (to - from)).clamp(0.0, 1.0)
}
