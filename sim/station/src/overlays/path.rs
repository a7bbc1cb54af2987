//! Where the robot wants to go, where it has been, and where it believes it is.

use bevy::prelude::*;
use nalgebra::{Isometry3, Point3, Translation3, Vector3};
use robot_io::{Pose2, Telemetry};
use worlds::Terrain;

use super::{InWorld, OnTop, ink};
use crate::Scene;
use crate::convert::{point, transform, vec3};
use crate::feed::{Latest, Phase};
use crate::stage::{Shown, Stage};

/// Draws paths, goal and odometry.
pub(super) struct PathPlugin;

/// Where the base has been, thinned out.
#[derive(Resource, Default, Debug)]
struct Trail(Vec<(f64, Vec3)>);

/// Points of the trail are this far apart [m].
const TRAIL_STEP: f32 = 0.03;
/// Most points of the trail; the oldest half is thinned out beyond.
const TRAIL_POINTS: usize = 20_000;
/// Lines on the ground hover by this much [m].
const LIFT: f32 = 0.025;
const PLANNED: Color = ink(0.10, 0.70, 1.0);
const GOAL: Color = ink(0.15, 0.95, 0.45);
const DRIVEN: Color = ink(1.0, 0.80, 0.15);
const BELIEVED: Color = ink(0.85, 0.35, 1.0);

impl Plugin for PathPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Trail>().add_systems(Update, lengthen_trail.in_set(Phase::Move)).add_systems(
            Update,
            (
                draw_path.run_if(|shown: Res<Shown>| shown.0.planned_path),
                draw_goal.run_if(|shown: Res<Shown>| shown.0.goal),
                draw_trail.run_if(|shown: Res<Shown>| shown.0.trail),
                draw_odometry.run_if(|shown: Res<Shown>| shown.0.odometry),
            )
                .in_set(Phase::Draw),
        );
    }
}

impl Trail {
    /// Adds a place. If time has gone back, what came after is forgotten.
    fn add(&mut self, time: f64, place: Vec3) {
        while self.0.last().is_some_and(|(after, _)| *after > time) {
            self.0.pop();
        }
        if self.0.last().is_none_or(|(_, last)| last.distance(place) >= TRAIL_STEP) {
            self.0.push((time, place));
        }
        if self.0.len() > TRAIL_POINTS {
            let mut index = 0;
            self.0.retain(|_| {
                index += 1;
                index > TRAIL_POINTS / 2 || index % 2 == 0
            });
        }
    }
}

fn lengthen_trail(latest: Res<Latest>, stage: Res<Stage>, mut trail: ResMut<Trail>) {
    let Some(shown) = latest.news() else { return };
    if latest.restarted {
        trail.0.clear();
    }
    if let Some(base) = shown.frame.links_in_world.first() {
        let (x, y) = (base.translation.x, base.translation.y);
        let ground = stage.scene.world.terrain.height_at(x, y).unwrap_or(0.0);
        trail.add(shown.frame.time.seconds(), Vec3::new(x as f32, y as f32, ground as f32 + LIFT));
    }
}

fn draw_trail(trail: Res<Trail>, mut lines: Gizmos<InWorld>) {
    lines.linestrip(trail.0.iter().map(|(_, place)| *place), DRIVEN);
}

fn draw_path(latest: Res<Latest>, stage: Res<Stage>, overlays: Res<Shown>, mut lines: Gizmos<InWorld>) {
    let Some(telemetry) = latest.shown.as_ref().map(|shown| &shown.telemetry) else { return };
    // the plan on the map says the same and more
    let is_planned_on_map = telemetry.layers.iter().any(|(name, _)| *name == "global_path");
    let Some(path) = telemetry.path.as_ref().filter(|_| !(overlays.0.navigation && is_planned_on_map)) else { return };
    let (terrain, odom) = (&stage.scene.world.terrain, &odom_in_world(&stage.scene, telemetry));
    for leg in path.poses.windows(2) {
        lines.linestrip(leg_on_ground(terrain, odom, &leg[0], &leg[1]), PLANNED);
    }
    if let Some(end) = path.poses.last() {
        let place = on_ground(terrain, odom, end.x, end.y);
        lines.circle(Isometry3d::from_translation(place), 0.05, PLANNED).resolution(16);
    }
}

fn draw_goal(latest: Res<Latest>, stage: Res<Stage>, mut lines: Gizmos<InWorld>) {
    let Some(telemetry) = latest.shown.as_ref().map(|shown| &shown.telemetry) else { return };
    let Some(goal) = telemetry.goal else { return };
    let (terrain, odom) = (&stage.scene.world.terrain, &odom_in_world(&stage.scene, telemetry));
    let foot = on_ground(terrain, odom, goal.x, goal.y);
    let ahead = odom.rotation * Vector3::new(robot_io::math::cos(goal.yaw), robot_io::math::sin(goal.yaw), 0.0);
    for radius in [0.12, 0.25] {
        lines.circle(Isometry3d::from_translation(foot), radius, GOAL).resolution(40);
    }
    lines.line(foot, foot + Vec3::Z, GOAL);
    lines.arrow(foot, foot + 0.45 * vec3(&ahead), GOAL).with_tip_length(0.08);
}

fn draw_odometry(latest: Res<Latest>, stage: Res<Stage>, mut lines: Gizmos<OnTop>) {
    let Some(odometry) = latest.shown.as_ref().and_then(|shown| shown.telemetry.odometry) else { return };
    let believed = transform(&(started_in_world(&stage.scene) * odometry.base_in_odom));
    lines.axes(believed, 0.35);
    lines.cube(believed.with_scale(Vec3::new(0.5, 0.4, 0.2)), BELIEVED);
    if let Some(base) = latest.shown.as_ref().and_then(|shown| shown.frame.links_in_world.first()) {
        lines.line(believed.translation, transform(base).translation, BELIEVED);
    }
}

/// Points on the ground between two poses, near enough to each other to follow it.
fn leg_on_ground<'a>(
    terrain: &'a Terrain,
    odom: &'a Isometry3<f64>,
    from: &'a Pose2,
    to: &'a Pose2,
) -> impl Iterator<Item = Vec3> + 'a {
    let steps = (from.distance(to) / 0.1).ceil().clamp(1.0, 1_000.0) as usize;
    (0..=steps).map(move |step| {
        let part = step as f64 / steps as f64;
        on_ground(terrain, odom, from.x + part * (to.x - from.x), from.y + part * (to.y - from.y))
    })
}

/// The odometry frame where the robot believes it to be: on its map if it has one, else where it started.
fn odom_in_world(scene: &Scene, telemetry: &Telemetry) -> Isometry3<f64> {
    let started = started_in_world(scene);
    telemetry.localization.map_or(started, |place| {
        let zero = Translation3::new(0.0, 0.0, started.translation.z);
        zero * place.odom_in_map
    })
}

/// The odometry frame without drift: level, on the ground where the scene says.
fn started_in_world(scene: &Scene) -> Isometry3<f64> {
    let Pose2 { x, y, yaw } = scene.odom_in_world;
    let z = scene.world.terrain.height_at(x, y).unwrap_or(0.0);
    Isometry3::new(Vector3::new(x, y, z), Vector3::new(0.0, 0.0, yaw))
}

/// A place of the odometry frame's plane, on the ground of the world.
fn on_ground(terrain: &Terrain, odom_in_world: &Isometry3<f64>, x: f64, y: f64) -> Vec3 {
    let place = odom_in_world * Point3::new(x, y, 0.0);
    let ground = terrain.height_at(place.x, place.y).unwrap_or(place.z);
    point(&Point3::new(place.x, place.y, ground)) + Vec3::new(0.0, 0.0, LIFT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trail_forgets_the_future_when_time_goes_back() {
        let mut trail = Trail::default();
        for step in 0..10 {
            trail.add(f64::from(step), Vec3::new(step as f32, 0.0, 0.0));
        }
        trail.add(4.5, Vec3::new(4.5, 0.0, 0.0));
        assert_eq!(trail.0.len(), 6);
        trail.add(4.6, Vec3::new(4.501, 0.0, 0.0));
        assert_eq!(trail.0.len(), 6, "a standing robot adds nothing");
    }

    #[test]
    fn a_long_trail_keeps_its_recent_part_whole() {
        let mut trail = Trail::default();
        for step in 0..=TRAIL_POINTS {
            trail.add(step as f64, Vec3::new(step as f32, 0.0, 0.0));
        }
        assert!(trail.0.len() < TRAIL_POINTS);
        let recent: Vec<f64> = trail.0.iter().rev().take(3).map(|(time, _)| *time).collect();
        assert_eq!(recent, [20_000.0, 19_999.0, 19_998.0]);
    }
}
