//! What a run has shown of its map, as far as the report draws it.

use robot_io::{Grid, HeightMap, Layer, Marker, Path, Pose2, PoseGraphView, Time};

use crate::checks::Observation;
use crate::evaluation::Drift;

/// Layers of which the last one is kept. They are shared with the controller, not copied.
const KEPT: [&str; 5] = ["height_map", "cost_map", "pose_graph", "global_path", "footprint"];
/// So many places with a meaning are kept; the oldest go first.
const MOST_MARKERS: usize = 200;
/// Places nearer to each other than this are one [m].
const SAME_PLACE: f64 = 0.05;

/// The map of a run, and the counts that go with it.
#[derive(Clone, Debug, Default)]
pub struct MapSeen {
    /// The last layer of each name, in the order in which they came.
    layers: Vec<(&'static str, Layer)>,
    /// Every goal and other place with a meaning that was shown.
    pub markers: Vec<Marker>,
    /// Turns of the laser that were mapped.
    pub sweeps: u64,
    /// Those of them that were not good enough for the map.
    pub left_out: u64,
    /// When the last of them ended.
    last_sweep: Option<Time>,
    /// Relative errors of the localisation, where somebody knows the truth.
    pub drift: Drift,
    /// Those of the baseline beside the run, if there was one.
    pub baseline: Option<Drift>,
}

impl MapSeen {
    /// Takes note of one cycle.
    pub fn observe(&mut self, seen: &Observation<'_>) {
        for (name, layer) in &seen.telemetry.layers {
            match layer {
                Layer::Cloud(cloud, _) if *name == "sweep" => self.count(cloud.stamp, seen),
                Layer::Markers(markers) => markers.iter().for_each(|marker| self.mark(marker)),
                layer if KEPT.contains(name) => self.keep(name, layer),
                _ => {}
            }
        }
    }

    /// Takes over what a run that ends has come to.
    pub fn conclude(&mut self, seen: &Observation<'_>) {
        self.drift = seen.evaluation.drift().clone();
        self.baseline = seen.baseline.map(|evaluation| evaluation.drift().clone());
    }

    /// The ground as the robot saw it last.
    pub fn heights(&self) -> Option<&HeightMap> {
        self.find("height_map", |layer| if let Layer::Heights(heights) = layer { Some(&**heights) } else { None })
    }

    /// What the ground costs, as the robot saw it last.
    pub fn costs(&self) -> Option<&Grid> {
        self.find("cost_map", |layer| if let Layer::Grid(grid) = layer { Some(&**grid) } else { None })
    }

    /// The pose graph at last.
    pub fn graph(&self) -> Option<&PoseGraphView> {
        self.find("pose_graph", |layer| if let Layer::Graph(graph) = layer { Some(&**graph) } else { None })
    }

    /// The last plan.
    pub fn plan(&self) -> Option<&Path> {
        self.find("global_path", |layer| if let Layer::Path(path) = layer { Some(&**path) } else { None })
    }

    /// The robot's outline at last [m].
    pub fn footprint(&self) -> Option<&[[f64; 2]]> {
        self.find(
            "footprint",
            |layer| if let Layer::Outline(outline) = layer { Some(outline.as_slice()) } else { None },
        )
    }

    fn find<'s, T: ?Sized>(&'s self, name: &str, open: impl Fn(&'s Layer) -> Option<&'s T>) -> Option<&'s T> {
        self.layers.iter().find(|(known, _)| *known == name).and_then(|(_, layer)| open(layer))
    }

    /// Counts a sweep the first time that it is shown.
    fn count(&mut self, stamp: Time, seen: &Observation<'_>) {
        if self.last_sweep.replace(stamp) != Some(stamp) {
            self.sweeps += 1;
            let is_left_out = |(name, value): &(&str, f64)| *name == "slam_left_out" && *value > 0.5;
            self.left_out += u64::from(seen.telemetry.scalars.iter().any(is_left_out));
        }
    }

    fn mark(&mut self, marker: &Marker) {
        let is_known = |known: &Marker| known.label == marker.label && known.pose.distance(&marker.pose) < SAME_PLACE;
        if !self.markers.iter().rev().any(is_known) {
            if self.markers.len() == MOST_MARKERS {
                self.markers.remove(0);
            }
            self.markers.push(marker.clone());
        }
    }

    fn keep(&mut self, name: &'static str, layer: &Layer) {
        match self.layers.iter_mut().find(|(known, _)| *known == name) {
            Some((_, kept)) if is_same(kept, layer) => {}
            Some((_, kept)) => *kept = layer.clone(),
            None => self.layers.push((name, layer.clone())),
        }
    }
}

/// True if both are the very same picture in memory.
fn is_same(a: &Layer, b: &Layer) -> bool {
    use std::sync::Arc;
    match (a, b) {
        (Layer::Heights(a), Layer::Heights(b)) => a.is_same(b),
        (Layer::Grid(a), Layer::Grid(b)) => Arc::ptr_eq(a, b),
        (Layer::Graph(a), Layer::Graph(b)) => Arc::ptr_eq(a, b),
        (Layer::Path(a), Layer::Path(b)) => Arc::ptr_eq(a, b),
        (Layer::Outline(a), Layer::Outline(b)) => Arc::ptr_eq(a, b),
        _ => false,
    }
}

/// Place and heading of the base as the robot believes it on its map; not a number where it has none.
pub fn believed_place(seen: &Observation<'_>) -> Pose2 {
    let unknown = Pose2 { x: f64::NAN, y: f64::NAN, yaw: f64::NAN };
    seen.telemetry.localization.map_or(unknown, |place| place.pose())
}
