//! Pose graph, plans, footprint and goals as lines; where the robot believes it is on its map.

use bevy::prelude::*;
use nalgebra::{Isometry3, Translation3};
use robot_io::{Layer, Marker, Path, PoseGraphView};
use worlds::Terrain;

use super::map_height;
use crate::convert::{transform, vec3};
use crate::feed::{Latest, Phase};
use crate::overlays::{InWorld, OnTop, ink};
use crate::stage::{Shown, Stage};
use crate::step_plan::FOOTSTEPS;

/// The layers that are lines.
pub(super) struct LineLayersPlugin;

/// Lines on the ground hover by this much, above heights and costs [m].
const LIFT: f32 = 0.08;
/// Axes of a key view [m].
const NODE: f32 = 0.16;
const TIE: Color = ink(0.92, 0.94, 0.98);
const LOOP: Color = ink(1.0, 0.20, 0.62);
const GLOBAL: Color = ink(0.62, 0.30, 1.0);
const LOCAL: Color = ink(0.15, 0.90, 1.0);
const FOOTPRINT: Color = ink(1.0, 1.0, 1.0);
const GOAL: Color = ink(0.15, 0.95, 0.45);
const NEAREST: Color = ink(1.0, 0.70, 0.10);
const OTHER: Color = ink(0.30, 0.85, 1.0);
const LOCALIZED: Color = ink(0.20, 0.90, 0.85);

impl Plugin for LineLayersPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(
            Update,
            (
                draw_graph.run_if(|shown: Res<Shown>| shown.0.pose_graph),
                draw_plans.run_if(|shown: Res<Shown>| shown.0.navigation),
                draw_localization.run_if(|shown: Res<Shown>| shown.0.odometry),
            )
                .in_set(Phase::Draw),
        );
    }
}

fn draw_graph(latest: Res<Latest>, stage: Res<Stage>, mut lines: Gizmos<InWorld>) {
    let Some(shown) = &latest.shown else { return };
    let zero = Vec3::Z * map_height(&stage.scene) as f32;
    for (_, layer) in &shown.telemetry.layers {
        let Layer::Graph(graph) = layer else { continue };
        for (from, to, color) in ties(graph) {
            lines.line(from + zero, to + zero, color);
        }
        for node in &graph.nodes {
            let mut place = transform(node);
            place.translation += zero;
            lines.axes(place, NODE);
        }
    }
}

/// The ends of every tie, in the map, and its colour.
fn ties(graph: &PoseGraphView) -> impl Iterator<Item = (Vec3, Vec3, Color)> {
    let place = |node: usize| graph.nodes.get(node).map(|pose| vec3(&pose.translation.vector));
    graph
        .edges
        .iter()
        .filter_map(move |edge| Some((place(edge.from)?, place(edge.to)?, if edge.closes_loop { LOOP } else { TIE })))
}

fn draw_plans(latest: Res<Latest>, stage: Res<Stage>, mut lines: Gizmos<InWorld>) {
    let Some(shown) = &latest.shown else { return };
    let ground = Ground { terrain: &stage.scene.world.terrain, zero: map_height(&stage.scene) };
    for (name, layer) in &shown.telemetry.layers {
        match layer {
            // they are soles, one for each foot in turn, and no way
            Layer::Path(_) if *name == FOOTSTEPS => {}
            Layer::Path(path) if name.contains("local") => lines.linestrip(ground.along(path, LIFT + 0.01), LOCAL),
            Layer::Path(path) => lines.linestrip(ground.along(path, LIFT), GLOBAL),
            Layer::Outline(outline) => {
                lines.lineloop(outline.iter().map(|[x, y]| ground.at(*x, *y, LIFT)), FOOTPRINT);
            }
            Layer::Markers(markers) => markers.iter().for_each(|marker| draw_marker(marker, &ground, &mut lines)),
            _ => {}
        }
    }
}

/// A ring on the ground, a pole to find it by, an arrow for its heading.
fn draw_marker(marker: &Marker, ground: &Ground<'_>, lines: &mut Gizmos<InWorld>) {
    let (color, size) = match marker.label {
        "goal" => (GOAL, 0.25),
        "nearest reachable" => (NEAREST, 0.2),
        _ => (OTHER, 0.1),
    };
    let foot = ground.at(marker.pose.x, marker.pose.y, LIFT);
    let yaw = marker.pose.yaw;
    let ahead = Vec3::new(robot_io::math::cos(yaw) as f32, robot_io::math::sin(yaw) as f32, 0.0);
    lines.circle(Isometry3d::from_translation(foot), size, color).resolution(32);
    lines.line(foot, foot + 4.0 * size * Vec3::Z, color);
    lines.arrow(foot, foot + 1.8 * size * ahead, color).with_tip_length(0.3 * size);
}

fn draw_localization(latest: Res<Latest>, stage: Res<Stage>, mut lines: Gizmos<OnTop>) {
    let Some(place) = latest.shown.as_ref().and_then(|shown| shown.telemetry.localization) else { return };
    let zero = Isometry3::from_parts(Translation3::new(0.0, 0.0, map_height(&stage.scene)), nalgebra::one());
    let believed = transform(&(zero * place.base_in_map));
    lines.axes(believed, 0.35);
    lines.cube(believed.with_scale(Vec3::new(0.5, 0.4, 0.2)), LOCALIZED);
    if let Some(base) = latest.shown.as_ref().and_then(|shown| shown.frame.links_in_world.first()) {
        lines.line(believed.translation, transform(base).translation, LOCALIZED);
    }
}

/// The ground under the map, as it really is: what is planned in the plane is drawn on it.
struct Ground<'a> {
    terrain: &'a Terrain,
    /// Height of the map's zero [m], for places beyond the terrain.
    zero: f64,
}

impl Ground<'_> {
    fn at(&self, x: f64, y: f64, lift: f32) -> Vec3 {
        let height = self.terrain.height_at(x, y).unwrap_or(self.zero);
        Vec3::new(x as f32, y as f32, height as f32 + lift)
    }

    /// A path close enough to the ground to follow it.
    fn along<'p>(&'p self, path: &'p Path, lift: f32) -> impl Iterator<Item = Vec3> + 'p {
        let legs = path.poses.windows(2).flat_map(move |leg| {
            let steps = (leg[0].distance(&leg[1]) / 0.1).ceil().clamp(1.0, 1_000.0) as usize;
            (0..steps).map(move |step| {
                let part = step as f64 / steps as f64;
                let mix = |from: f64, to: f64| from + part * (to - from);
                self.at(mix(leg[0].x, leg[1].x), mix(leg[0].y, leg[1].y), lift)
            })
        });
        legs.chain(path.poses.last().map(|last| self.at(last.x, last.y, lift)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use robot_io::{Edge, Pose2};

    use super::*;

    #[test]
    fn a_tie_to_a_view_that_is_not_there_is_not_drawn_and_loops_stand_out() {
        let nodes = vec![Isometry3::identity(), Isometry3::translation(1.0, 2.0, 3.0)];
        let edge = |from, to, closes_loop| Edge { from, to, closes_loop };
        let graph = PoseGraphView { nodes, edges: vec![edge(0, 1, false), edge(1, 0, true), edge(1, 7, false)] };
        let drawn: Vec<_> = ties(&graph).collect();
        assert_eq!(drawn.len(), 2);
        assert_eq!(drawn[0], (Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0), TIE));
        assert_eq!(drawn[1].2, LOOP);
    }

    #[test]
    fn a_path_follows_the_ground_and_ends_where_it_ends() {
        let text = "name = \"yard\"\n[terrain]\ncell = 0.5\nsize = [20.0, 10.0]\nmaterial = \"concrete\"\n";
        let world = worlds::World::from_str(text, "yard.toml", std::path::Path::new(".")).unwrap();
        let ground = Ground { terrain: &world.terrain, zero: 4.0 };
        let at = |x: f64| Pose2 { x, y: 1.0, yaw: 0.0 };
        let path = Path { poses: vec![at(9.5), at(9.75), at(11.0)] };
        let places: Vec<Vec3> = ground.along(&path, 0.5).collect();
        assert_eq!((places.len(), places[0]), (3 + 13 + 1, Vec3::new(9.5, 1.0, 0.5)));
        assert_eq!(places[16], Vec3::new(11.0, 1.0, 4.5), "beyond the world it is level");
        assert_eq!(ground.along(&Path::default(), 0.0).count(), 0);
    }
}
