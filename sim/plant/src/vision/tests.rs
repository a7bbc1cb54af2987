//! The fast casters against slow and simple ones.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::path::Path;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use parry3d::query::Ray as ParryRay;
use proptest::prelude::*;
use robot_io::{Intrinsics, RandomStream, Time};
use robot_model::{Configuration, Data, Geometry, RobotModel, Shape, forward_kinematics};
use worlds::{Terrain, World};

use super::camera::{Camera, ImageMemory};
use super::depth::{DepthCamera, DepthMemory};
use super::grid::Grid;
use super::mesh::{Mesh, triangle};
use super::ray::Ray;
use super::scene::{Carrier, Scene};
use super::solid::{Form, local};
use super::watch::{Leg, Mounted};
use crate::convert::vector;
use crate::shapes;

fn corners(terrain: &Terrain) -> Vec<[Vector3<f64>; 3]> {
    let corner = |row, column| {
        let (x, y) = terrain.position(row, column);
        Vector3::new(x, y, f64::from(terrain.height(row, column) as f32))
    };
    let cells = (0..terrain.rows - 1).flat_map(|row| (0..terrain.columns - 1).map(move |column| (row, column)));
    let two = |(row, column): (usize, usize)| {
        let (a, b) = (corner(row + 1, column), corner(row, column + 1));
        [[corner(row, column), b, a], [a, b, corner(row + 1, column + 1)]]
    };
    cells.flat_map(two).collect()
}

fn brute(triangles: &[[Vector3<f64>; 3]], ray: &Ray, limit: f64) -> Option<f64> {
    triangles.iter().filter_map(|corners| triangle(ray, corners)).filter(|t| *t <= limit).reduce(f64::min)
}

/// A ray from a place in a box about the origin to another place in it.
fn ray(half: f64) -> impl Strategy<Value = Ray> {
    let place = move || prop::array::uniform3(-half..half).prop_map(Vector3::from);
    (place(), place()).prop_filter_map("two places", |(origin, to)| {
        let length = (to - origin).norm();
        (length > 1e-3).then(|| Ray { origin, direction: (to - origin) / length })
    })
}

fn bumps(rows: usize, columns: usize, seed: u64) -> Terrain {
    let noise = RandomStream::new(seed, "bumps");
    let heights = (0..rows * columns).map(|k| f64::from((2.0 * noise.uniform(k as u64, 0) - 1.0) as f32)).collect();
    let cell = 0.25;
    let (origin_x, origin_y) = (-0.5 * cell * (columns - 1) as f64, -0.5 * cell * (rows - 1) as f64);
    let cell_materials = vec![0; (rows - 1) * (columns - 1)];
    Terrain { rows, columns, cell, origin_x, origin_y, heights, cell_materials }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_grid_meets_the_triangle_that_is_nearest_of_all(
        rows in 2_usize..20, columns in 2_usize..20, seed: u64, ray in ray(3.0)
    ) {
        let terrain = bumps(rows, columns, seed);
        let limit = 5.0;
        let hit = Grid::new(&terrain).cast(&ray, limit);
        let expected = brute(&corners(&terrain), &ray, limit);
        prop_assert_eq!(hit.map(|_| ()), expected.map(|_| ()));
        if let (Some(hit), Some(expected)) = (hit, expected) {
            prop_assert!((hit.distance - expected).abs() < 1e-7, "{} {expected}", hit.distance);
            let at = ray.at(hit.distance);
            let normal = terrain.normal_at(at.x, at.y).unwrap();
            prop_assert!((hit.normal() - normal).norm() < 1e-5 || on_an_edge(&terrain, &at));
        }
    }

    #[test]
    fn a_grid_that_saw_samples_change_is_that_of_the_new_ground(
        rows in 2_usize..20, columns in 2_usize..20, seed: u64,
        changes in prop::collection::vec((any::<prop::sample::Index>(), -2.0..2.0), 1..10)
    ) {
        let mut terrain = bumps(rows, columns, seed);
        let mut grid = Grid::new(&terrain);
        for (sample, height) in changes {
            let sample = sample.index(terrain.heights.len());
            terrain.heights[sample] = height;
            grid.see(&terrain, sample);
        }
        prop_assert_eq!(grid, Grid::new(&terrain));
    }

    #[test]
    fn rays_along_the_axes_and_along_the_grid_lines_find_their_way(
        axis in 0_usize..3, sign: bool, seed: u64, place in prop::array::uniform3(-12_i32..12)
    ) {
        let terrain = bumps(9, 12, seed);
        let mut direction = Vector3::zeros();
        direction[axis] = if sign { 1.0 } else { -1.0 };
        // an eighth of a cell off the samples in z only: it runs along edges of triangles
        let origin = Vector3::new(f64::from(place[0]) * 0.125, f64::from(place[1]) * 0.125, f64::from(place[2]) * 0.1);
        let ray = Ray { origin, direction };
        if let Some(hit) = Grid::new(&terrain).cast(&ray, 10.0) {
            let at = ray.at(hit.distance);
            prop_assert!((terrain.height_at(at.x, at.y).unwrap() - at.z).abs() < 1e-6);
        } else if axis == 2 {
            let ground = terrain.height_at(origin.x, origin.y);
            let ahead = ground.is_some_and(|ground| (ground - origin.z) * direction.z > 1e-6);
            prop_assert!(!ahead, "fell through at {origin:?}");
        }
    }

    #[test]
    fn shapes_are_met_where_their_inside_begins(
        which in 0_usize..4, a in 0.05..1.0_f64, b in 0.05..1.0_f64, c in 0.05..1.0_f64, ray in ray(3.0)
    ) {
        let shape = match which {
            0 => Shape::Box { size: Vector3::new(a, b, c) },
            1 => Shape::Cylinder { radius: a, length: b },
            2 => Shape::Capsule { radius: a, length: b },
            _ => Shape::Sphere { radius: a },
        };
        let geometry = Geometry { shape, pose_in_link: Isometry3::identity(), color: None };
        let form = Form::of_geometry(&geometry).unwrap();
        let ours = form.cast(&ray, 12.0);
        if form.holds(&ray.origin) {
            prop_assert_eq!(ours, None);
        } else if let Some(enters) = enters(&form, &ray) {
            let (distance, normal) = ours.unwrap();
            prop_assert!((distance - enters).abs() < 1e-6, "{distance} {enters}");
            prop_assert!((normal.norm() - 1.0).abs() < 1e-9 && normal.dot(&ray.direction) < 0.0);
            // a step along the normal leads out, and against it further in
            let at = ray.at(distance) - ray.direction * (1e-7 / normal.dot(&ray.direction));
            prop_assert!(form.holds(&at) && !form.holds(&(at + normal * 1e-4)));
        } else if let Some((distance, _)) = ours {
            prop_assert!(!form.holds(&ray.at(distance + STRIDE)), "missed at {distance}");
        }
        // parry casts at round shapes by iteration, which ends a millimetre away or more; at boxes and balls it is exact
        let theirs = parry(&shapes::of_link(&geometry, false).unwrap(), &ray, 12.0);
        let grazes = ours.or(theirs).is_some_and(|(_, normal)| normal.dot(&ray.direction).abs() < 0.02);
        if (which == 0 || which == 3) && !form.holds(&ray.origin) && !grazes {
            let apart = ours.map_or(0.0, |(t, _)| t) - theirs.map_or(0.0, |(t, _)| t);
            prop_assert!(apart.abs() < 1e-4, "{ours:?} {theirs:?}");
        }
        let (centre, radius) = form.bounding_ball();
        prop_assert!(ours.is_none_or(|(t, _)| (ray.at(t) - centre).norm() <= radius + 1e-9));
    }

    #[test]
    fn a_mesh_meets_the_triangle_that_is_nearest_of_all(count in 1_usize..60, seed: u64, ray in ray(2.0)) {
        let noise = RandomStream::new(seed, "mesh");
        let vertices: Vec<[f64; 3]> =
            (0..30).map(|k| [0, 1, 2].map(|axis| 2.0 * noise.uniform(k, axis) - 1.0)).collect();
        let triangles: Vec<[u32; 3]> =
            (0..count as u64).map(|k| [3, 4, 5].map(|axis| (30.0 * noise.uniform(k, axis)) as u32)).collect();
        let soup: Vec<_> =
            triangles.iter().map(|corners| corners.map(|corner| Vector3::from(vertices[corner as usize]))).collect();
        let hit = Mesh::new(&vertices, &triangles).cast(&ray, 10.0);
        prop_assert_eq!(hit.map(|(distance, _)| distance), brute(&soup, &ray, 10.0));
    }
}

/// How far apart points of a ray are tried [m].
const STRIDE: f64 = 2e-3;

/// Where a ray enters a shape, by trying points along it.
fn enters(form: &Form, ray: &Ray) -> Option<f64> {
    let inside = |t: f64| form.holds(&ray.at(t));
    let first = (0..6000).map(|k| f64::from(k) * STRIDE).find(|t| inside(*t))?;
    let halve = |(out, within): (f64, f64), _| {
        let middle = 0.5 * (out + within);
        if inside(middle) { (out, middle) } else { (middle, within) }
    };
    Some((0..40).fold((first - STRIDE, first), halve).1)
}

fn parry(placed: &shapes::Placed, ray: &Ray, limit: f64) -> Option<(f64, Vector3<f64>)> {
    let there = local(ray, &placed.pose);
    let ray = ParryRay::new(vector(&there.origin), vector(&there.direction));
    let hit = placed.shape.cast_local_ray_and_get_normal(&ray, limit as f32, true)?;
    let normal = crate::convert::vector64(hit.normal);
    Some((f64::from(hit.time_of_impact), placed.pose.rotation * normal))
}

fn on_an_edge(terrain: &Terrain, at: &Vector3<f64>) -> bool {
    let (u, v) = ((at.x - terrain.origin_x) / terrain.cell, (at.y - terrain.origin_y) / terrain.cell);
    [u, v, u + v].into_iter().any(|line| (line - line.round()).abs() < 1e-6)
}

/// The arena, and the centaur in it where it landed, a little tilted.
fn arena() -> (World, RobotModel, Data, Scene) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let world = World::load(&root.join("worlds/spacebot.toml")).unwrap();
    let robot = RobotModel::load(&root.join("robot_models/centaur/centaur.toml")).unwrap();
    let mut configuration = Configuration::zero(&robot.tree);
    configuration.joints.clone_from(&robot.description.pose("stand").unwrap().positions);
    configuration.base_in_world =
        Isometry3::from_parts(Vector3::new(-8.0, -8.0, 0.6).into(), UnitQuaternion::from_euler_angles(0.05, 0.1, 0.7));
    let mut data = Data::new(&robot.tree);
    forward_kinematics(&robot.tree, &configuration, &mut data);
    let mut scene = Scene::new(&world, core::iter::once(&robot));
    scene.place(|carrier| match carrier {
        Carrier::Link(link) => data.link_in_world[link],
        Carrier::Object(object) => world.objects[object].pose_in_world,
    });
    (world, robot, data, scene)
}

/// The same picture on every machine, and after every change of the program that is not meant to change it.
#[test]
fn pictures_are_the_same_everywhere() {
    let (_, robot, data, scene) = arena();
    let leg = |link: &str| {
        let pose = data.link_in_world[robot.tree.link(link).unwrap()];
        Leg { begin: Time::ZERO, end: Time::from_seconds(1.0), from: pose, to: pose }
    };
    let mounted = || Mounted {
        body: 0,
        pose_in_body: Isometry3::identity(),
        housing: vec![false; scene.solids.len()],
        departed: Isometry3::identity(),
    };
    let noise = RandomStream::new(2015, "pictures");
    let mut mount = robot.description.cameras.iter().find(|camera| camera.mount.name == "head_left").unwrap().clone();
    mount.intrinsics = Intrinsics::with_field_of_view(160, 120, 1.9);
    let mut memory = ImageMemory::default();
    memory.shutter.asked = true;
    Camera::new(&mount, mounted(), &scene, Some(noise)).expose(&mut memory, &leg("head_camera_left_link"), &scene);
    assert_eq!(memory.complete.unwrap().digest().to_string(), "5f57e12257e3301d");
    let mut memory = DepthMemory::default();
    memory.shutter.asked = true;
    let mut camera = DepthCamera::new(&robot.description.depth_cameras[0], mounted(), scene.solids.len(), Some(noise));
    camera.expose(&mut memory, &leg("rgbd_camera_link"), &scene);
    assert_eq!(memory.complete.unwrap().digest().to_string(), "14b39e3edd9c7286");
}

/// The arena and the centaur in it, against all triangles and all shapes.
#[test]
fn the_scene_is_what_the_slow_way_sees() {
    let (world, robot, data, scene) = arena();
    let everything: Vec<usize> = (0..scene.solids.len()).collect();
    let ground = corners(&world.terrain);
    let visuals = robot.tree.links.iter().zip(&data.link_in_world).flat_map(|(link, pose)| {
        let shapes = if link.visuals.is_empty() { &link.collisions } else { &link.visuals };
        shapes.iter().map(move |geometry| (geometry, *pose))
    });
    let mut solids: Vec<(Form, Isometry3<f64>)> =
        visuals.map(|(geometry, pose)| (Form::of_geometry(geometry).unwrap(), pose * geometry.pose_in_link)).collect();
    solids.extend(world.objects.iter().map(|object| (Form::of_object(&object.shape), object.pose_in_world)));
    let noise = RandomStream::new(1, "rays");
    let head = data.link_in_world[robot.tree.link("laser_link").unwrap()] * Point3::new(0.3, 0.0, 0.0);
    let (mut met, mut on_robot) = (0, 0);
    for k in 0..400 {
        let aim = Vector3::new(noise.normal(k, 0), noise.normal(k, 1), noise.normal(k, 2) - 0.7);
        let ray = Ray { origin: head.coords, direction: aim.normalize() };
        let ours = scene.cast(&ray, 30.0, &everything);
        let touched = solids.iter().filter_map(|(form, pose)| form.cast(&local(&ray, pose), 30.0)).map(|(t, _)| t);
        let theirs = touched.chain(brute(&ground, &ray, 30.0)).reduce(f64::min);
        let same = match (ours, theirs) {
            (Some(ours), Some(theirs)) => (ours.distance - theirs).abs() < 1e-7,
            (ours, theirs) => ours.is_none() && theirs.is_none(),
        };
        assert!(same, "ray {k}: {ours:?} {theirs:?}");
        met += usize::from(ours.is_some());
        on_robot += usize::from(ours.is_some_and(|hit| hit.distance < 1.0));
    }
    assert!(met > 200 && on_robot > 20, "{met} of 400 rays meet something, {on_robot} of them the robot");
}
