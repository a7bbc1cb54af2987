//! What the planner makes of a world: pictures of heights, costs and a way, and how long it took.
//!
//! `cargo run --release -p navigation --example plan_world -- worlds/spacebot.toml tour /tmp/spacebot`
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "an example that measures time")]

#[path = "../../../sim/plant/examples/support/mod.rs"]
mod clock;
#[path = "../tests/support/mod.rs"]
mod support;

use image::{Rgb, RgbImage};
use navigation::{FORBIDDEN, MapSettings, NavigationMap, SearchSettings, plan};
use robot_io::{MapViews, Time};
use support::{ROOM, goal, pose, sight};

const PIXELS: u32 = 4;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, route, out] = &arguments[..] else {
        eprintln!("expected WORLD.toml ROUTE OUT, found {arguments:?}");
        std::process::exit(2);
    };
    let world = worlds::World::load(file.as_ref()).unwrap();
    let points = world.route(route).unwrap().points.clone();
    let ground = |x: f64, y: f64| world.terrain.height_at(x, y).unwrap_or(f64::NAN);
    let views = sight::along(&points, 2.0, ground);
    let count: usize = views.views.iter().map(|view| view.cloud.points.len()).sum();
    println!("{} views, {count} points", views.views.len());
    let mut ways = Vec::new();
    let map = build(&views, &points, ground);
    for leg in points.windows(2) {
        let from = pose(leg[0][0], leg[0][1], (leg[1][1] - leg[0][1]).atan2(leg[1][0] - leg[0][0]));
        let to = goal(leg[1][0], leg[1][1]);
        let (way, time) = best(|| plan(&map, &from, &to, ROOM, &SearchSettings::default()));
        let length: f64 = way.pieces.iter().map(|piece| piece.path.length()).sum();
        println!("{:?} → {:?}: {:?}, {length:.2} m, cost {:.2}, {time:.1} ms", leg[0], leg[1], way.outcome, way.cost);
        ways.extend(way.pieces.into_iter().flat_map(|piece| piece.path.poses));
    }
    draw(&map, &map.inflated_grid().values, &ways, &format!("{out}_inflated.png"));
    draw(&map, &map.cost_grid().values, &ways, &format!("{out}_cost.png"));
    draw(&map, &shade(&map), &ways, &format!("{out}_height.png"));
}

fn build(views: &MapViews, points: &[[f64; 2]], ground: impl Fn(f64, f64) -> f64) -> NavigationMap {
    let [x, y] = points[0];
    let robot = support::centaur(&pose(x, y, 0.0), ground(x, y));
    let settings = MapSettings::default();
    let (heights, time) = best(|| navigation::Heights::build(views, &robot, &settings.height));
    println!("height map {} × {} in {time:.1} ms", heights.frame.columns, heights.frame.rows);
    let (map, time) = best(|| NavigationMap::build(views, &robot, Time::ZERO, &settings));
    println!("all of it in {time:.1} ms; {} edges", map.edges.len());
    let far = goal(-50.0, -50.0);
    let (_, time) = best(|| plan(&map, &pose(x, y, 0.0), &far, ROOM, &SearchSettings::default()));
    println!("a search for what cannot be reached: {time:.1} ms");
    map
}

/// The result of a computation, and the shortest of several times that it takes [ms].
fn best<T>(mut compute: impl FnMut() -> T) -> (T, f64) {
    let mut shortest = f64::INFINITY;
    let mut run = || {
        let begin = clock::computing_seconds();
        let result = compute();
        shortest = shortest.min(1e3 * (clock::computing_seconds() - begin));
        result
    };
    let mut result = run();
    for _ in 0..8 {
        result = run();
    }
    (result, shortest)
}

/// Hill shading, 0 to 0.999.
fn shade(map: &NavigationMap) -> Vec<f32> {
    let heights = map.heights();
    let beside = |cell: usize| map.frame().neighbour(cell, 1, 1).map_or(f64::NAN, |other| heights.heights[other]);
    (0..heights.heights.len())
        .map(|cell| (0.5 + 2.0 * (beside(cell) - heights.heights[cell])).clamp(0.0, 0.999) as f32)
        .collect()
}

fn draw(map: &NavigationMap, values: &[f32], way: &[robot_io::Pose2], file: &str) {
    let frame = map.frame();
    let (width, height) = (frame.columns as u32 * PIXELS, frame.rows as u32 * PIXELS);
    let mut picture = RgbImage::from_fn(width, height, |column, row| {
        let value = values[((height - 1 - row) / PIXELS) as usize * frame.columns + (column / PIXELS) as usize];
        match value {
            value if value.is_nan() => Rgb([90, 40, 90]),
            value if value >= FORBIDDEN => Rgb([230, 200, 40]),
            value => Rgb([(255.0 * value) as u8; 3]),
        }
    });
    let mut dot = |x: f64, y: f64, size: i64, color: Rgb<u8>| {
        let column = ((x - frame.origin_x) / frame.cell + 0.5) * f64::from(PIXELS);
        let row = f64::from(height) - ((y - frame.origin_y) / frame.cell + 0.5) * f64::from(PIXELS);
        for (across, along) in (-size..=size).flat_map(|along| (-size..=size).map(move |across| (across, along))) {
            let (column, row) = (column as i64 + across, row as i64 + along);
            if (0..i64::from(width)).contains(&column) && (0..i64::from(height)).contains(&row) {
                picture.put_pixel(column as u32, row as u32, color);
            }
        }
    };
    for pose in way {
        dot(pose.x, pose.y, 1, Rgb([40, 220, 60]));
        dot(pose.x + 0.2 * pose.yaw.cos(), pose.y + 0.2 * pose.yaw.sin(), 0, Rgb([40, 120, 255]));
    }
    for edge in &map.edges {
        dot(edge.pose.x, edge.pose.y, 1, Rgb([255, 60, 60]));
    }
    picture.save(file).unwrap();
}
