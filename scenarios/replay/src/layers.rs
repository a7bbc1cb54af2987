//! What a controller knows of the world, as messages that Foxglove draws.

use std::sync::Arc;

use foxglove::messages as fg;
use foxglove::messages::line_primitive::Type as Line;
use foxglove::messages::packed_element_field::NumericType;
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use robot_io::{Digest, Edge, Grid, HeightMap, Layer, Marker, PointCloud, Pose2, PoseGraphView, SurfelView, Time};

use crate::channel::LIDAR_POINTS;
use crate::show::{plane_pose, pose, timestamp, vector};

/// The frame of maps and plans.
pub(crate) const MAP: &str = "map";
/// The layer with the last sweep, whose points are given in the frame of the base.
pub(crate) const SWEEP: &str = "sweep";

const GREY: fg::Color = fg::Color { r: 0.75, g: 0.75, b: 0.78, a: 1.0 };
const BLUE: fg::Color = fg::Color { r: 0.2, g: 0.55, b: 0.95, a: 1.0 };
const RED: fg::Color = fg::Color { r: 0.9, g: 0.25, b: 0.2, a: 1.0 };

/// The topic of a layer, by its name.
pub(crate) fn topic_of(name: &str) -> String {
    let known = [
        (SWEEP, LIDAR_POINTS),
        ("map_cloud", "/map/cloud"),
        ("surfels", "/map/surfels"),
        ("pose_graph", "/map/graph"),
        ("height_map", "/map/heights"),
        ("cost_map", "/map/costs"),
        ("global_path", "/plan/global"),
        ("local_path", "/plan/local"),
        ("footprint", "/plan/footprint"),
        ("navigation_markers", "/plan/markers"),
    ];
    let topic = known.iter().find(|(known, _)| *known == name).map(|(_, topic)| (*topic).to_owned());
    topic.unwrap_or_else(|| format!("/layers/{name}"))
}

/// A layer as a message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LayerMessage {
    Cloud(fg::PointCloud),
    Grid(fg::Grid),
    Path(fg::PosesInFrame),
    Scene(fg::SceneUpdate),
}

/// What tells a layer that was written from a newer one. Large values are not held fast.
#[derive(Clone, Debug)]
pub(crate) enum Identity {
    Sealed(Digest, Isometry3<f64>),
    Held(Layer),
}

impl Identity {
    pub(crate) fn of(layer: &Layer) -> Identity {
        match layer {
            Layer::Cloud(cloud, place) => Identity::Sealed(cloud.digest(), *place),
            Layer::Heights(heights) => Identity::Sealed(heights.digest(), Isometry3::identity()),
            other => Identity::Held(other.clone()),
        }
    }

    /// True if `layer` is what it was. Small ones are compared as a whole, because controllers make them anew each time.
    pub(crate) fn is(&self, layer: &Layer) -> bool {
        match (self, layer) {
            (Identity::Sealed(digest, place), Layer::Cloud(cloud, now)) => *digest == cloud.digest() && place == now,
            (Identity::Sealed(digest, _), Layer::Heights(heights)) => *digest == heights.digest(),
            (Identity::Held(Layer::Surfels(was)), Layer::Surfels(is)) => Arc::ptr_eq(was, is),
            (Identity::Held(Layer::Graph(was)), Layer::Graph(is)) => Arc::ptr_eq(was, is),
            (Identity::Held(Layer::Grid(was)), Layer::Grid(is)) => Arc::ptr_eq(was, is),
            (Identity::Held(was), is) => was == is,
            _ => false,
        }
    }
}

/// The message of a layer.
pub(crate) fn message(name: &str, layer: &Layer, now: Time) -> LayerMessage {
    match layer {
        Layer::Cloud(cloud, _) if name == SWEEP => {
            LayerMessage::Cloud(points(cloud, &cloud.frame, &Isometry3::identity()))
        }
        Layer::Cloud(cloud, place) => LayerMessage::Cloud(points(cloud, MAP, place)),
        Layer::Surfels(surfels) => LayerMessage::Cloud(surfel_points(surfels, now)),
        Layer::Heights(heights) => LayerMessage::Grid(height_grid(heights, now)),
        Layer::Grid(grid) => LayerMessage::Grid(value_grid(grid, now)),
        Layer::Path(path) => LayerMessage::Path(fg::PosesInFrame {
            timestamp: Some(timestamp(now)),
            frame_id: MAP.to_owned(),
            poses: path.poses.iter().map(plane_pose).collect(),
        }),
        Layer::Graph(graph) => scene(name, now, |entity| draw_graph(graph, entity)),
        Layer::Outline(outline) => scene(name, now, |entity| {
            let corner = |[x, y]: &[f64; 2]| fg::Point3 { x: *x, y: *y, z: 0.0 };
            entity.lines.push(line(Line::LineLoop, outline.iter().map(corner).collect(), BLUE));
        }),
        Layer::Markers(markers) => scene(name, now, |entity| markers.iter().for_each(|it| draw_marker(it, entity))),
    }
}

fn points(cloud: &PointCloud, frame: &str, place: &Isometry3<f64>) -> fg::PointCloud {
    let times = (cloud.times.len() == cloud.points.len()).then_some(&cloud.times);
    let intensities = (cloud.intensities.len() == cloud.points.len()).then_some(&cloud.intensities);
    let mut fields = vec![("x", NumericType::Float32), ("y", NumericType::Float32), ("z", NumericType::Float32)];
    fields.extend(times.map(|_| ("time", NumericType::Float32)));
    fields.extend(intensities.map(|_| ("intensity", NumericType::Uint16)));
    let (fields, stride) = packed(&fields);
    let mut data = Vec::with_capacity(stride as usize * cloud.points.len());
    for (index, point) in cloud.points.iter().enumerate() {
        point.iter().for_each(|coordinate| data.extend_from_slice(&coordinate.to_le_bytes()));
        times.into_iter().for_each(|times| data.extend_from_slice(&times[index].to_le_bytes()));
        intensities.into_iter().for_each(|echoes| data.extend_from_slice(&echoes[index].to_le_bytes()));
    }
    fg::PointCloud {
        timestamp: Some(timestamp(cloud.stamp)),
        frame_id: frame.to_owned(),
        pose: Some(pose(place)),
        point_stride: stride,
        fields,
        data: data.into(),
    }
}

fn surfel_points(surfels: &[SurfelView], now: Time) -> fg::PointCloud {
    let fields = ["x", "y", "z", "normal_x", "normal_y", "normal_z", "radius"].map(|name| (name, NumericType::Float32));
    let (fields, stride) = packed(&fields);
    let numbers = surfels.iter().flat_map(|SurfelView { position: p, normal: n, radius }| {
        [p.x, p.y, p.z, n.x, n.y, n.z, *radius].map(|number| number as f32)
    });
    let data: Vec<u8> = numbers.flat_map(f32::to_le_bytes).collect();
    fg::PointCloud {
        timestamp: Some(timestamp(now)),
        frame_id: MAP.to_owned(),
        pose: Some(pose(&Isometry3::identity())),
        point_stride: stride,
        fields,
        data: data.into(),
    }
}

/// Fields one behind the other, and their length.
fn packed(fields: &[(&str, NumericType)]) -> (Vec<fg::PackedElementField>, u32) {
    let mut offset = 0;
    let field = |(name, kind): &(&str, NumericType)| {
        let field = fg::PackedElementField { name: (*name).to_owned(), offset, r#type: *kind as i32 };
        offset += if *kind == NumericType::Uint16 { 2 } else { 4 };
        field
    };
    let fields = fields.iter().map(field).collect();
    (fields, offset)
}

fn height_grid(map: &HeightMap, now: Time) -> fg::Grid {
    let heights = map.heights.iter().map(|height| *height as f32);
    grid("height", (map.cell, map.origin_x, map.origin_y, map.columns), heights, now)
}

fn value_grid(map: &Grid, now: Time) -> fg::Grid {
    grid("cost", (map.cell, map.origin_x, map.origin_y, map.columns), map.values.iter().copied(), now)
}

/// A grid of numbers; Foxglove places it by a cell's corner, we by its middle.
fn grid(
    name: &str,
    (cell, x, y, columns): (f64, f64, f64, usize),
    values: impl Iterator<Item = f32>,
    now: Time,
) -> fg::Grid {
    let corner = Isometry3::translation(x - 0.5 * cell, y - 0.5 * cell, 0.0);
    let (fields, stride) = packed(&[(name, NumericType::Float32)]);
    fg::Grid {
        timestamp: Some(timestamp(now)),
        frame_id: MAP.to_owned(),
        pose: Some(pose(&corner)),
        column_count: columns as u32,
        cell_size: Some(fg::Vector2 { x: cell, y: cell }),
        row_stride: stride * columns as u32,
        cell_stride: stride,
        fields,
        data: values.flat_map(f32::to_le_bytes).collect::<Vec<u8>>().into(),
    }
}

/// One entity, which replaces the one of the same name.
fn scene(name: &str, now: Time, draw: impl FnOnce(&mut fg::SceneEntity)) -> LayerMessage {
    let mut entity = fg::SceneEntity {
        timestamp: Some(timestamp(now)),
        frame_id: MAP.to_owned(),
        id: name.to_owned(),
        ..fg::SceneEntity::default()
    };
    draw(&mut entity);
    LayerMessage::Scene(fg::SceneUpdate { deletions: Vec::new(), entities: vec![entity] })
}

fn line(kind: Line, points: Vec<fg::Point3>, color: fg::Color) -> fg::LinePrimitive {
    fg::LinePrimitive {
        r#type: kind as i32,
        pose: Some(pose(&Isometry3::identity())),
        thickness: 2.0,
        scale_invariant: true,
        points,
        color: Some(color),
        ..fg::LinePrimitive::default()
    }
}

/// A ball for each key view, a line for each constraint; loop closures are red.
fn draw_graph(graph: &PoseGraphView, entity: &mut fg::SceneEntity) {
    let size = Some(vector(&Vector3::repeat(0.1)));
    let ball = |node: &Isometry3<f64>| fg::SpherePrimitive { pose: Some(pose(node)), size, color: Some(BLUE) };
    entity.spheres.extend(graph.nodes.iter().map(ball));
    let corner = |node: usize| {
        let place = graph.nodes.get(node).map_or(Point3::origin(), |node| node.translation.vector.into());
        fg::Point3 { x: place.x, y: place.y, z: place.z }
    };
    for (closes_loop, color) in [(false, GREY), (true, RED)] {
        let edges = graph.edges.iter().filter(|edge| edge.closes_loop == closes_loop);
        let ends: Vec<fg::Point3> = edges.flat_map(|Edge { from, to, .. }| [corner(*from), corner(*to)]).collect();
        entity.lines.push(line(Line::LineList, ends, color));
    }
}

/// An arrow with its meaning written over it.
fn draw_marker(marker: &Marker, entity: &mut fg::SceneEntity) {
    let Pose2 { x, y, yaw } = marker.pose;
    let at = |z| Isometry3::from_parts(Vector3::new(x, y, z).into(), UnitQuaternion::from_euler_angles(0.0, 0.0, yaw));
    entity.arrows.push(fg::ArrowPrimitive {
        pose: Some(pose(&at(0.0))),
        shaft_length: 0.4,
        shaft_diameter: 0.05,
        head_length: 0.15,
        head_diameter: 0.12,
        color: Some(BLUE),
    });
    entity.texts.push(fg::TextPrimitive {
        pose: Some(pose(&at(0.4))),
        billboard: true,
        font_size: 0.2,
        scale_invariant: false,
        color: Some(GREY),
        text: marker.label.to_owned(),
    });
}
