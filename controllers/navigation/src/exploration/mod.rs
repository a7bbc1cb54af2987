//! Where to go to see what nobody has seen.
//!
//! The frontier is where known, drivable ground borders on unknown ground (Yamauchi, "A frontier-based approach for autonomous
//! exploration", 1997). Each piece of it is a place to look from; what it would show is found by rays over the grid, and the way
//! there by one flood. A view is worth A·e^(−λL), A the area that it shows and L the way there (González-Baños and Latombe,
//! "Navigation strategies for exploring indoor environments", 2002).

mod flood;
mod frontier;
mod gain;
mod region;
mod settings;

pub use region::Region;
pub use settings::ExplorationSettings;

use robot_io::math::exp;
use robot_io::{Pose2, State};

use crate::NavigationMap;
use flood::Flood;
use gain::Rays;

/// A place to look from.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct View {
    /// Where, on the map; the heading is towards what is unknown.
    pub pose: Pose2,
    /// How much new ground it would show [m²].
    pub gain: f64,
    /// What the way there costs [m].
    pub cost: f64,
}

/// The view that is worth most; `None` where none within the region shows enough that can be reached. Places in `given_up` and
/// around them are left out. Of two that are worth the same, the one that comes first on the map is taken.
pub fn next_best_view(
    map: &NavigationMap,
    from: &Pose2,
    region: &Region,
    given_up: &[[f64; 2]],
    settings: &ExplorationSettings,
) -> Option<View> {
    let flood = Flood::from(map, from)?;
    let mut rays = Rays::new(map, region, settings.sensor_range);
    let mut best: Option<(f64, View)> = None;
    for cluster in frontier::clusters(map, &flood, region, settings) {
        let Some(view) = view_of(map, &cluster, &flood, &mut rays) else { continue };
        let near = |place: &[f64; 2]| {
            view.pose.distance(&Pose2 { x: place[0], y: place[1], yaw: 0.0 }) < settings.blacklist_radius
        };
        if view.gain < settings.least_gain || given_up.iter().any(near) {
            continue;
        }
        let worth = view.gain * exp(-settings.distance_decay * view.cost);
        if best.is_none_or(|(most, _)| worth > most) {
            best = Some((worth, view));
        }
    }
    best.map(|(_, view)| view)
}

/// How much new ground a place would show [m²].
pub fn gain_at(map: &NavigationMap, place: &Pose2, region: &Region, settings: &ExplorationSettings) -> f64 {
    Rays::new(map, region, settings.sensor_range).gain(place).area
}

/// Known ground within a region [m²].
pub fn explored_area(map: &NavigationMap, region: &Region) -> f64 {
    let frame = map.frame();
    let known = (0..frame.len()).filter(|cell| {
        let (x, y) = frame.center(*cell);
        !map.costs().is_unknown(*cell) && region.contains(x, y)
    });
    known.count() as f64 * frame.cell * frame.cell
}

/// The view from the cell of a piece of the frontier that is nearest to its middle.
fn view_of(map: &NavigationMap, cluster: &[usize], flood: &Flood, rays: &mut Rays) -> Option<View> {
    let frame = map.frame();
    let count = cluster.len() as f64;
    let sum = cluster.iter().map(|cell| frame.center(*cell)).fold((0.0, 0.0), |sum, c| (sum.0 + c.0, sum.1 + c.1));
    let middle = Pose2 { x: sum.0 / count, y: sum.1 / count, yaw: 0.0 };
    let place = |cell: usize| {
        let (x, y) = frame.center(cell);
        Pose2 { x, y, yaw: 0.0 }
    };
    let apart = |cell: &usize| place(*cell).distance(&middle);
    let cell = cluster.iter().copied().min_by(|a, b| apart(a).total_cmp(&apart(b)))?;
    let seen = rays.gain(&place(cell));
    let pose = Pose2 { yaw: seen.direction, ..place(cell) };
    Some(View { pose, gain: seen.area, cost: flood.cost(cell)? })
}
