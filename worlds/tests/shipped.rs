//! The worlds that ship are what their comments promise.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::path::{Path, PathBuf};

use worlds::{HeightMap, Route, Terrain, World};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("{name}.toml"))
}

fn load(name: &str) -> World {
    World::load(&file(name)).unwrap_or_else(|error| panic!("{error}"))
}

/// Points 5 cm apart in a corridor about a route.
fn corridor(route: &Route, width: f64) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    let count = |length: f64| (length / 0.05).ceil() as i32;
    for leg in route.points.windows(2) {
        let (dx, dy) = (leg[1][0] - leg[0][0], leg[1][1] - leg[0][1]);
        let length = dx.hypot(dy);
        let (ux, uy) = (dx / length, dy / length);
        for i in 0..=count(length) {
            for j in 0..=count(width) {
                let (s, t) = ((f64::from(i) * 0.05).min(length), f64::from(j) * 0.05 - 0.5 * width);
                points.push((leg[0][0] + s * ux - t * uy, leg[0][1] + s * uy + t * ux));
            }
        }
    }
    points
}

/// Largest inclination [deg] about a point over a baseline [m], in 12 directions.
fn inclination(terrain: &Terrain, (x, y): (f64, f64), baseline: f64) -> f64 {
    let over = |i: i32| {
        let angle = f64::from(i) * std::f64::consts::PI / 12.0;
        let (dx, dy) = (0.5 * baseline * angle.cos(), 0.5 * baseline * angle.sin());
        let rise = terrain.height_at(x + dx, y + dy).unwrap() - terrain.height_at(x - dx, y - dy).unwrap();
        (rise / baseline).abs().atan().to_degrees()
    };
    (0..12).map(over).fold(0.0, f64::max)
}

#[test]
fn every_shipped_world_loads_and_makes_itself_again_from_its_sources() {
    for name in [
        "flat",
        "slope",
        "spacebot",
        "spacebot_stones",
        "corridor",
        "two_ways",
        "yard",
        "step",
        "uneven",
        "hillside",
        "stairs",
        "stepping_stones",
        "posts",
        "prods",
    ] {
        let world = load(name);
        assert_eq!(world.name, name);
        assert_eq!(world.sources[0].name, format!("{name}.toml"));
        assert_eq!(World::from_sources(&world.sources).unwrap(), world);
        assert!(!world.spawns.is_empty());
        for spawn in &world.spawns {
            assert!(world.terrain.height_at(spawn.x, spawn.y).is_some(), "{name}: {}", spawn.name);
        }
    }
}

#[test]
fn every_world_of_the_trials_loads_with_every_seed_and_is_another_one() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("trials");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 43);
    for path in files {
        let load = |seed| World::load_for_run(&path, seed).unwrap_or_else(|error| panic!("{error}"));
        let worlds: Vec<World> = (1..6).map(load).collect();
        for world in &worlds {
            assert_eq!(Some(world.name.as_str()), path.file_stem().and_then(|stem| stem.to_str()));
            let start = world.spawn("start").unwrap();
            let around = [(0.4, 0.4), (0.4, -0.4), (-0.4, 0.4), (-0.4, -0.4)];
            let heights = around.map(|(x, y)| world.terrain.height_at(start.x + x, start.y + y).unwrap());
            let (low, high) = heights.iter().fold((f64::MAX, f64::MIN), |(l, h), z| (l.min(*z), h.max(*z)));
            assert!(high - low < 0.05, "{}: the start is level, found {heights:?}", world.name);
        }
        let differs = |pair: &[World]| pair[0].terrain != pair[1].terrain || pair[0].objects != pair[1].objects;
        assert!(worlds.windows(2).all(differs), "{}", path.display());
    }
}

#[test]
fn the_step_is_15_cm_high_and_upright() {
    let terrain = &load("step").terrain;
    for y in [-2.9, -0.3, 0.0, 1.7] {
        assert_eq!(terrain.height_at(1.474, y).unwrap(), 0.0);
        assert!((terrain.height_at(1.501, y).unwrap() - 0.15).abs() < 1e-12);
    }
    assert!((terrain.height_at(4.9, 2.9).unwrap() - 0.15).abs() < 1e-12);
}

#[test]
fn flat_is_level_concrete() {
    let world = load("flat");
    assert_eq!(world.terrain.height_range(), (0.0, 0.0));
    assert_eq!(world.terrain.extent(), ((-15.0, 15.0), (-15.0, 15.0)));
    assert_eq!(world.material_at(3.0, -2.0).unwrap().name, "concrete");
}

#[test]
fn the_ramps_have_their_angle_over_six_metres_and_a_level_top() {
    let world = load("slope");
    for (name, y, angle, end) in [("ramp_15", -5.0, 15.0f64, 6.5), ("ramp_20", 5.0, 20.0, 6.3)] {
        let spawn = world.spawn(name).unwrap();
        assert_eq!((spawn.y, spawn.yaw), (y, 0.0));
        assert_eq!(world.terrain.height_at(spawn.x, y), Some(0.0));
        let (from, to) = (0.3, end - 0.3);
        assert!((to - from) / angle.to_radians().cos() >= 6.0, "length along the slope");
        let height = |x, y| world.terrain.height_at(x, y).unwrap();
        for across in [-3.0, 0.0, 3.0] {
            let mut x = from + 0.05;
            while x < to - 0.15 {
                let slope = ((height(x + 0.1, y + across) - height(x, y + across)) / 0.1).atan().to_degrees();
                assert!((slope - angle).abs() < 0.3, "{name}: {slope}° at {x}");
                x += 0.1;
            }
            let top = angle.to_radians().tan() * end;
            assert!(
                (height(end + 0.5, y + across) - top).abs() < 1e-9 && (height(12.0, y + across) - top).abs() < 1e-9
            );
        }
        // Nowhere along the middle does the slope change by more than 3.5° from one 10 cm to the next.
        let slope =
            |i: i32| ((height(f64::from(i + 1) * 0.1, y) - height(f64::from(i) * 0.1, y)) / 0.1).atan().to_degrees();
        assert!((-20..110).all(|i| (slope(i + 1) - slope(i)).abs() < 3.5), "{name} is not smooth");
    }
}

#[test]
fn the_tour_is_long_drivable_and_climbs_the_main_slope() {
    let world = load("spacebot");
    let tour = world.route("tour").unwrap();
    assert!((40.0..=60.0).contains(&tour.length()), "{} m", tour.length());
    assert!((7..=9).contains(&tour.points.len()));
    let terrain = &world.terrain;
    let points = corridor(tour, 1.2);
    let steepest = points.iter().map(|&p| inclination(terrain, p, 0.7)).fold(0.0, f64::max);
    let step = |&(x, y): &(f64, f64)| {
        let height = |dx: f64, dy: f64| terrain.height_at(x + dx, y + dy).unwrap();
        (height(0.1, 0.0) - height(0.0, 0.0)).abs().max((height(0.0, 0.1) - height(0.0, 0.0)).abs())
    };
    let tallest = points.iter().map(step).fold(0.0, f64::max);
    println!("steepest {steepest:.2}° over 0.7 m, tallest step {tallest:.4} m at 0.1 m");
    assert!(steepest <= 17.0, "{steepest}° over the wheelbase");
    assert!(tallest <= 0.05, "step of {tallest} m");
    assert!(steepest > 14.0, "the main slope is on the tour");
    let (low, high) = points
        .iter()
        .map(|&(x, y)| terrain.height_at(x, y).unwrap())
        .fold((9.0f64, -9.0f64), |(l, h), z| (l.min(z), h.max(z)));
    assert!(high - low > 1.0, "from {low} to {high} m");
    let sandy = points.iter().find(|&&(x, y)| world.material_at(x, y).unwrap().name == "sand");
    assert_eq!(sandy, None, "wheels get stuck in sand");
}

#[test]
fn the_arena_is_rough_and_big_and_has_what_cannot_be_driven() {
    let world = load("spacebot");
    let terrain = &world.terrain;
    let ((x0, x1), (y0, y1)) = terrain.extent();
    assert!(x1 - x0 >= 20.0 && y1 - y0 >= 20.0);
    // Roughness: what is left of 2 m of open ground after its own plane.
    let samples: Vec<f64> = (0..40)
        .map(|i| {
            let x = -6.0 + 0.05 * f64::from(i);
            terrain.height_at(x, -7.8).unwrap()
                - 0.5 * (terrain.height_at(x - 0.5, -7.8).unwrap() + terrain.height_at(x + 0.5, -7.8).unwrap())
        })
        .collect();
    let largest = samples.iter().fold(0.0f64, |a, b| a.max(b.abs()));
    assert!((0.005..0.06).contains(&largest), "roughness {largest}");
    // Every way out is too steep.
    for i in 0..100 {
        let along = -9.0 + 0.18 * f64::from(i);
        for (x, y) in [(along, -11.0), (along, 11.0), (-11.0, along), (11.0, along)] {
            let steep = (-16..=16).any(|k| {
                let k = 0.05 * f64::from(k);
                let (dx, dy) = if x.abs() > 10.9 { (k, 0.0) } else { (0.0, k) };
                inclination(terrain, (x + dx, y + dy), 0.2) > 30.0
            });
            let on_plateau = y > 10.0 && (2.5..10.5).contains(&x);
            assert!(steep || on_plateau, "a way out at {x}, {y}");
        }
    }
    let crater = terrain.height_at(1.0, 6.5).unwrap();
    assert!(crater < -0.3, "crater floor at {crater}");
    for name in ["soil", "sand", "gravel", "granulate", "rock"] {
        let index = world.materials.iter().position(|m| m.name == name).unwrap();
        assert!(terrain.cell_materials.iter().any(|&m| usize::from(m) == index), "no {name}");
    }
}

#[test]
fn things_to_grasp_stand_on_the_ground() {
    let world = load("spacebot");
    for (name, half) in [("battery", 0.1), ("cup", 0.06), ("base_station", 0.25)] {
        let object = world.objects.iter().find(|object| object.name == name).unwrap();
        let at = object.pose_in_world.translation.vector;
        let gap = at.z - half - world.terrain.height_at(at.x, at.y).unwrap();
        assert!((0.0..0.06).contains(&gap), "{name} hovers {gap} m");
        assert_eq!(object.mass.is_none(), name == "base_station");
    }
}

#[test]
fn the_prior_map_beside_the_world_is_the_world_at_half_a_metre() {
    let world = load("spacebot");
    let (path, bytes) = worlds::make_prior_map(&file("spacebot")).unwrap();
    let fresh = HeightMap::decode(&bytes, "fresh").unwrap();
    let shipped = HeightMap::decode(&std::fs::read(&path).unwrap(), "shipped").unwrap();
    assert!(fresh == shipped, "{}: stale, run the example write_prior", path.display());
    let prior = world.prior_map().unwrap();
    assert_eq!((prior.cell, prior.rows, prior.columns), (0.5, 49, 49));
    let exact = world.terrain.resampled(0.5);
    let worst = prior.heights.iter().zip(&exact.heights).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst <= 0.000_5 + 1e-9, "{worst} m from the world");
}

#[test]
fn the_view_from_above_shows_the_materials_and_never_grows_too_large() {
    let world = load("spacebot");
    let picture = world.top_view(10.0);
    assert_eq!(picture.dimensions(), (240, 240));
    assert_eq!(picture, world.top_view(10.0));
    let pixel = |x: f64, y: f64| picture.get_pixel(((x + 12.0) * 10.0) as u32, ((12.0 - y) * 10.0) as u32).0;
    let (soil, sand) = (pixel(-3.0, -7.5), pixel(-3.0, -9.7));
    assert!(u32::from(sand[0]) > u32::from(soil[0]) + 40, "sand {sand:?} is lighter than soil {soil:?}");
    let station = pixel(7.0, 8.0);
    assert!(station.iter().all(|&channel| channel > 200), "the base station is white: {station:?}");
    for scale in [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e9] {
        let (width, height) = load("flat").top_view(scale).dimensions();
        assert!(width >= 1 && height >= 1 && u64::from(width) * u64::from(height) <= 16_000_000, "{scale}");
    }
}

#[test]
fn the_readmes_example_loads_and_its_error_is_real() {
    let readme = include_str!("../README.md");
    let example = readme.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let load = |text: &str| World::from_str(text, "doorstep.toml", Path::new("."));
    load(example).unwrap();
    let steep = example.replace("angle_deg = 15.0", "angle_deg = 95");
    let error = load(&steep).unwrap_err().to_string();
    assert!(readme.contains(&error.replace("`95`", "95")), "{error}");
}
