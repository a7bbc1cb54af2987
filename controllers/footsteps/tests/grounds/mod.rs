//! Grounds to plan on: a height each place has, made into maps.

use std::sync::Arc;

use footsteps::{FootstepPlan, FootstepSettings, HeightTerrain, Planner, Query, TerrainSettings};
use robot_io::{HeightMap, Pose2, RandomStream};
use walking::{Footstep, Reach, Side};

/// Between both feet [m].
pub const WIDTH: f64 = 0.28;

/// Height at a place [m]; not-a-number where nobody knows it.
pub type Ground = Box<dyn Fn(f64, f64) -> f64>;

/// A ground with a name, and where its goal is.
pub struct Case {
    pub name: &'static str,
    pub ground: Ground,
    pub goal: Pose2,
    /// Map: from, to [m].
    pub low: [f64; 2],
    pub high: [f64; 2],
}

/// Settings of a robot with soles of 0.32 × 0.16 m.
pub fn settings() -> FootstepSettings {
    let reach = Reach { half_sole: [0.16, 0.08], ..Reach::default() };
    FootstepSettings { reach, ..FootstepSettings::default() }
}

/// A map of a ground with cells of this side [m].
pub fn map(ground: &dyn Fn(f64, f64) -> f64, low: [f64; 2], high: [f64; 2], cell: f64) -> HeightMap {
    let count = |axis: usize| ((high[axis] - low[axis]) / cell).round() as usize;
    let (columns, rows) = (count(0), count(1));
    let (origin_x, origin_y) = (low[0] + 0.5 * cell, low[1] + 0.5 * cell);
    let place = |k: usize| (origin_x + (k % columns) as f64 * cell, origin_y + (k / columns) as f64 * cell);
    let heights = (0..columns * rows).map(place).map(|(x, y)| ground(x, y)).collect();
    HeightMap { cell, origin_x, origin_y, columns, rows, heights }
}

/// Feet beside each other at the origin, as high as the ground there.
pub fn feet(ground: &dyn Fn(f64, f64) -> f64) -> [Footstep; 2] {
    Footstep::stand(nalgebra::Vector3::new(0.0, 0.0, ground(0.0, 0.0)), 0.0, WIDTH)
}

impl Case {
    pub fn new(name: &'static str, goal: f64, ground: impl Fn(f64, f64) -> f64 + 'static) -> Case {
        let goal = Pose2 { x: goal, y: 0.0, yaw: 0.0 };
        Case { name, ground: Box::new(ground), goal, low: [-1.0, -2.0], high: [goal.x + 1.0, 2.0] }
    }

    pub fn terrain(&self, cell: f64) -> HeightTerrain {
        let map = map(&self.ground, self.low, self.high, cell);
        HeightTerrain::from_map(&map, &TerrainSettings::default()).unwrap()
    }

    pub fn planner(&self, cell: f64, settings: &FootstepSettings) -> Planner {
        Planner::new(Arc::new(self.terrain(cell)), settings).unwrap()
    }

    pub fn query(&self) -> Query {
        Query { feet: feet(&self.ground), first: None, goal: self.goal }
    }

    pub fn plan(&self, cell: f64) -> (Planner, FootstepPlan) {
        // fewer than usual, so that tests take less long
        let mut settings = settings();
        settings.search.expansions = 600;
        let planner = self.planner(cell, &settings);
        let plan = planner.plan(&self.query());
        (planner, plan)
    }
}

/// A number from 0 to 1 for each square of a grid.
pub fn noise(seed: u64, x: f64, y: f64, size: f64) -> f64 {
    let (column, row) = ((x / size).floor() as i64 + 4096, (y / size).floor() as i64 + 4096);
    RandomStream::new(seed, "ground").uniform(column as u64, row as u32)
}

/// Smooth noise from −1 to 1.
pub fn smooth(seed: u64, x: f64, y: f64, size: f64) -> f64 {
    let (u, v) = (x / size - (x / size).floor(), y / size - (y / size).floor());
    let at = |dx: f64, dy: f64| 2.0 * noise(seed, x + dx * size, y + dy * size, size) - 1.0;
    (at(0.0, 0.0) * (1.0 - u) + at(1.0, 0.0) * u) * (1.0 - v) + (at(0.0, 1.0) * (1.0 - u) + at(1.0, 1.0) * u) * v
}

/// Stairs of `count` steps from x = 0.5 on.
pub fn stairs(count: f64, height: f64, tread: f64) -> impl Fn(f64, f64) -> f64 {
    move |x, _| height * ((x - 0.5) / tread + 1.0).floor().clamp(0.0, count)
}

/// Stones of 0.4 × 0.3 m, for the left and the right foot in turn, one every 0.45 m, over ground that is half a metre lower.
pub fn stones(x: f64, y: f64) -> f64 {
    if !(0.4..7.6).contains(&x) {
        return 0.0;
    }
    let number = ((x - 0.4) / 0.45).floor();
    let (along, side) = (x - 0.4 - 0.45 * number, if number % 2.0 == 0.0 { 1.0 } else { -1.0 });
    let off = 0.04 * (noise(9, number, 0.0, 1.0) - 0.5);
    let on = (0.05..0.45).contains(&along) && (y - 0.14 * side - off).abs() < 0.15;
    if on { 0.02 * (noise(8, number, 0.0, 1.0) - 0.5) } else { -0.5 }
}

/// All grounds: most of them are eight metres long, about twenty steps.
pub fn cases() -> Vec<Case> {
    let mut turned = Case::new("flat, a goal behind and turned", -2.0, |_, _| 0.0);
    (turned.goal, turned.low, turned.high) = (Pose2 { x: -2.0, y: 1.0, yaw: 2.0 }, [-4.0, -3.0], [3.0, 3.0]);
    let around = |x: f64, y: f64| if (2.0..2.1).contains(&x) && y > -1.0 { 1.5 } else { 0.0 };
    let gaps = |x: f64, _| if x > 0.5 && x < 7.5 && (x - 0.5) % 0.9 < 0.25 { -1.0 } else { 0.0 };
    let rubble =
        |x: f64, y: f64| if (0.5..7.5).contains(&x) { 0.06 * (4.0 * noise(4, x, y, 0.45)).floor() } else { 0.0 };
    let up = stairs(5.0, 0.185, 0.30);
    let over = move |x: f64, y: f64| stairs(5.0, 0.185, 0.30)(x, y).min(stairs(5.0, 0.185, 0.30)(6.9 - x, y));
    let slope = |x: f64, _| 10f64.to_radians().tan() * (x - 0.5).clamp(0.0, 7.0);
    let hurdles = |x: f64, _| if x > 1.0 && x < 7.0 && (x - 1.0) % 2.0 < 0.06 { 0.1 } else { 0.0 };
    vec![
        Case::new("flat", 8.0, |_, _| 0.0),
        turned,
        Case::new("around a wall", 4.0, around),
        Case::new("five stairs of 18.5 cm up", 3.2, up),
        Case::new("five stairs of 18.5 cm up and down", 7.0, over),
        Case::new("stepping stones", 8.0, stones),
        Case::new("gaps of 0.25 m", 8.0, gaps),
        Case::new("three hurdles of 10 cm", 8.0, hurdles),
        Case::new("a slope of 10°", 8.0, slope),
        Case::new("rough, ±3 cm", 8.0, |x, y| if x < 0.4 { 0.0 } else { 0.03 * smooth(1, x, y, 0.15) }),
        Case::new("blocks of 45 cm, 0 to 18 cm high", 8.0, rubble),
    ]
}

/// Every step can be taken in the eyes of `walking`, and the plan ends with both feet where they shall be.
pub fn assert_walkable(case: &str, plan: &FootstepPlan, goal: &Pose2) {
    let gait = walking::GaitSettings { reach: settings().reach, width: WIDTH, ..walking::GaitSettings::default() };
    let walkable = walking::Plan::new(plan.footsteps(), &plan.feet, &gait.reach);
    assert!(walkable.is_ok(), "{case}: {walkable:?}");
    let mut walker = walking::Gait::new(gait, plan.feet).unwrap();
    assert_eq!(walker.follow(plan.footsteps()), Ok(()), "{case}");
    let stand = Footstep::stand(nalgebra::Vector3::new(goal.x, goal.y, 0.0), goal.yaw, WIDTH);
    for (is, shall) in plan.feet_after(plan.steps.len()).iter().zip(&stand) {
        let off = (is.position - shall.position).xy().norm();
        assert!(off < 1e-9 && robot_io::math::wrap_angle(is.yaw - shall.yaw).abs() < 1e-9, "{case}: {is:?}");
    }
    assert!(plan.steps.windows(2).all(|pair| pair[0].foot.side != pair[1].foot.side), "{case}");
    assert_eq!(Side::BOTH[0], Side::Left);
}
