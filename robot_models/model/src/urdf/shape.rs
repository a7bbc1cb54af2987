//! Shapes and colours of links.

use std::collections::BTreeMap;

use nalgebra::Vector3;
use roxmltree::Node;

use crate::ModelError;
use crate::geometry::{Geometry, Shape};
use crate::report::ReportBuilder;
use crate::urdf::page::{Page, child, children};

/// Colours by material name.
pub(crate) type Materials<'a> = BTreeMap<&'a str, [f32; 4]>;

/// The colours that materials define: at the top of the file, or within a visual; the first of a name counts.
pub(crate) fn read_materials<'a>(page: &Page, robot: Node<'a, '_>) -> Result<Materials<'a>, ModelError> {
    let mut materials = BTreeMap::new();
    let inline = children(robot, "link").flat_map(|link| children(link, "visual"));
    let inline = inline.flat_map(|visual| children(visual, "material"));
    for material in children(robot, "material").chain(inline) {
        if let (Some(name), Some(color)) = (material.attribute("name"), read_color(page, material)?) {
            materials.entry(name).or_insert(color);
        }
    }
    Ok(materials)
}

/// The shapes under a link's `<visual>` or `<collision>` elements.
pub(crate) fn read_shapes(
    page: &Page,
    link: Node,
    tag: &str,
    materials: &Materials,
    report: &mut ReportBuilder,
) -> Result<Vec<Geometry>, ModelError> {
    let shape = |node| read_geometry(page, node, tag, materials, report);
    children(link, tag).map(shape).collect()
}

fn read_geometry(
    page: &Page,
    node: Node,
    tag: &str,
    materials: &Materials,
    report: &mut ReportBuilder,
) -> Result<Geometry, ModelError> {
    let pose_in_link = page.origin(node)?;
    let geometry = child(node, "geometry").ok_or_else(|| page.refuse(node, "<geometry>", "none"))?;
    let kind = geometry.children().find(Node::is_element);
    let kind = kind.ok_or_else(|| page.refuse(geometry, "a shape", "none"))?;
    let shape = read_shape(page, kind)?;
    let flat = |size: f64| size == 0.0;
    let empty = match &shape {
        Shape::Box { size } => size.iter().any(|edge| flat(*edge)),
        Shape::Cylinder { radius, length } => flat(*radius) || flat(*length),
        Shape::Capsule { radius, .. } | Shape::Sphere { radius } => flat(*radius),
        Shape::Mesh { .. } => false,
    };
    if empty {
        report.approximated(&format!("link/{tag}/geometry"), "a shape without volume: kept", page.line(kind));
    }
    let color = match child(node, "material") {
        Some(material) => material_color(page, material, materials, report)?,
        None => None,
    };
    Ok(Geometry { shape, pose_in_link, color })
}

fn read_shape(page: &Page, node: Node) -> Result<Shape, ModelError> {
    let length = |name| match page.number(node, name) {
        Ok(length) if length < 0.0 => Err(page.refuse_attribute(node, name, "a length that is not negative [m]")),
        other => other,
    };
    match node.tag_name().name() {
        "box" => {
            let size = page.numbers::<3>(node, "size")?.filter(|size| size.iter().all(|edge| *edge >= 0.0));
            let size =
                size.ok_or_else(|| page.refuse_attribute(node, "size", "3 lengths that are not negative [m]"))?;
            Ok(Shape::Box { size: Vector3::from(size) })
        }
        "cylinder" => Ok(Shape::Cylinder { radius: length("radius")?, length: length("length")? }),
        "capsule" => Ok(Shape::Capsule { radius: length("radius")?, length: length("length")? }),
        "sphere" => Ok(Shape::Sphere { radius: length("radius")? }),
        "mesh" => {
            let uri = page.text(node, "filename")?.trim().to_owned();
            let scale = page.numbers::<3>(node, "scale")?.unwrap_or([1.0; 3]);
            Ok(Shape::Mesh { uri, scale: Vector3::from(scale) })
        }
        other => Err(page.refuse(node, "box, cylinder, capsule, sphere or mesh", &format!("<{other}>"))),
    }
}

fn material_color(
    page: &Page,
    material: Node,
    materials: &Materials,
    report: &mut ReportBuilder,
) -> Result<Option<[f32; 4]>, ModelError> {
    if let Some(color) = read_color(page, material)? {
        return Ok(Some(color));
    }
    let named = material.attribute("name").and_then(|name| materials.get(name)).copied();
    let nameless = material.attribute("name").is_none_or(str::is_empty);
    if named.is_none() && !nameless && child(material, "texture").is_none() {
        report.approximated("link/visual/material", "no colour of this name: none", page.line(material));
    }
    Ok(named)
}

fn read_color(page: &Page, material: Node) -> Result<Option<[f32; 4]>, ModelError> {
    let Some(color) = child(material, "color") else { return Ok(None) };
    let rgba = page.numbers::<4>(color, "rgba")?;
    Ok(rgba.map(|rgba| rgba.map(|part| part.clamp(0.0, 1.0) as f32)))
}
