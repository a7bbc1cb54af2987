//! A reader for COLLADA 1.4: the triangles of all meshes where the scene's nodes put them.
//!
//! Read are `triangles`, `polylist` and `polygons`; nodes are placed by `matrix`, `translate`, `rotate` and `scale`, also where they are
//! instances of a library's. Lengths become metres by `asset/unit`. Which axis is up is not looked at, as in ROS.

use nalgebra::{Matrix4, Point3, Rotation3, Unit, Vector3};
use roxmltree::{Document, Node};

use crate::WorldError;
use crate::triangles::{MOST_TRIANGLES, Place, TriangleMesh};

/// Nodes lie in each other no deeper than this, and there are no more of them, each time it is put somewhere counted.
const DEEPEST: usize = 32;
const MOST_NODES: usize = 10_000;

/// A document that is read into a mesh.
struct Reader<'d, 'f> {
    document: &'d Document<'d>,
    file: &'f str,
    mesh: TriangleMesh,
    /// How many nodes were met.
    nodes: usize,
}

/// Reads a file's text.
pub(crate) fn read(text: &str, file: &str) -> Result<TriangleMesh, WorldError> {
    let document = Document::parse(text).map_err(|error| {
        let line = error.pos().row as usize;
        Place { file, line }.error("XML", &error.to_string())
    })?;
    let mut reader = Reader {
        document: &document,
        file,
        mesh: TriangleMesh { vertices: Vec::new(), triangles: Vec::new() },
        nodes: 0,
    };
    reader.scene()?;
    Ok(reader.mesh)
}

fn child<'d>(node: Node<'d, 'd>, name: &str) -> Option<Node<'d, 'd>> {
    children(node, name).next()
}

fn children<'d>(node: Node<'d, 'd>, name: &str) -> impl Iterator<Item = Node<'d, 'd>> {
    node.children().filter(move |child| child.tag_name().name() == name)
}

impl<'d> Reader<'d, '_> {
    fn place(&self, node: Node<'d, 'd>) -> Place<'_> {
        Place { file: self.file, line: self.document.text_pos_at(node.range().start).row as usize }
    }

    /// What an attribute such as `url="#id"` speaks of.
    fn named(&self, node: Node<'d, 'd>, attribute: &str) -> Result<Node<'d, 'd>, WorldError> {
        let url = node.attribute(attribute).unwrap_or("");
        let id = url.strip_prefix('#').unwrap_or(url);
        let found = self.document.descendants().find(|found| found.attribute("id") == Some(id));
        found.ok_or_else(|| self.place(node).error(&format!("{attribute} of something in this file"), url))
    }

    fn numbers(&self, node: Node<'d, 'd>) -> Result<Vec<f64>, WorldError> {
        let place = self.place(node);
        node.text().unwrap_or("").split_whitespace().map(|word| place.coordinate(Some(word))).collect()
    }

    fn several<const N: usize>(&self, node: Node<'d, 'd>) -> Result<[f64; N], WorldError> {
        let numbers = self.numbers(node)?;
        let count = numbers.len();
        numbers.try_into().map_err(|_| self.place(node).error(&format!("{N} numbers"), &count.to_string()))
    }

    fn scene(&mut self) -> Result<(), WorldError> {
        let root = self.document.root_element();
        let unit = child(root, "asset").and_then(|asset| child(asset, "unit")).and_then(|unit| unit.attribute("meter"));
        let unit = unit.map_or(Ok(1.0), |metre| self.place(root).coordinate(Some(metre)))?;
        let in_metres = Matrix4::new_scaling(unit);
        match child(root, "scene").and_then(|scene| child(scene, "instance_visual_scene")) {
            Some(instance) => {
                let scene = self.named(instance, "url")?;
                children(scene, "node").try_for_each(|node| self.node(node, &in_metres, 0))
            }
            None => {
                let meshes = self.document.descendants().filter(|node| node.tag_name().name() == "geometry");
                meshes.into_iter().try_for_each(|geometry| self.geometry(geometry, &in_metres))
            }
        }
    }

    fn node(&mut self, node: Node<'d, 'd>, outer: &Matrix4<f64>, depth: usize) -> Result<(), WorldError> {
        self.nodes += 1;
        if depth > DEEPEST || self.nodes > MOST_NODES {
            let expected = format!("at most {MOST_NODES} nodes, no deeper in each other than {DEEPEST}");
            return Err(self.place(node).error(&expected, "more"));
        }
        let mut placed = *outer;
        for part in node.children().filter(Node::is_element) {
            match part.tag_name().name() {
                "matrix" => placed *= Matrix4::from_row_slice(&self.several::<16>(part)?),
                "translate" => placed *= Matrix4::new_translation(&Vector3::from(self.several::<3>(part)?)),
                "scale" => placed *= Matrix4::new_nonuniform_scaling(&Vector3::from(self.several::<3>(part)?)),
                "rotate" => {
                    let [x, y, z, degrees] = self.several::<4>(part)?;
                    let axis = Unit::try_new(Vector3::new(x, y, z), 1e-9);
                    let axis = axis.ok_or_else(|| self.place(part).error("an axis", "a null vector"))?;
                    placed *= Rotation3::from_axis_angle(&axis, degrees.to_radians()).to_homogeneous();
                }
                "node" => self.node(part, &placed, depth + 1)?,
                "instance_node" => self.node(self.named(part, "url")?, &placed, depth + 1)?,
                "instance_geometry" => self.geometry(self.named(part, "url")?, &placed)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn geometry(&mut self, geometry: Node<'d, 'd>, placed: &Matrix4<f64>) -> Result<(), WorldError> {
        // splines and the like
        let Some(mesh) = child(geometry, "mesh") else { return Ok(()) };
        for faces in mesh.children().filter(Node::is_element) {
            if matches!(faces.tag_name().name(), "triangles" | "polylist" | "polygons") {
                self.faces(faces, placed)?;
            } else if matches!(faces.tag_name().name(), "tristrips" | "trifans") {
                return Err(self.place(faces).error("triangles, polylist or polygons", faces.tag_name().name()));
            }
        }
        Ok(())
    }

    fn faces(&mut self, faces: Node<'d, 'd>, placed: &Matrix4<f64>) -> Result<(), WorldError> {
        let offset = |input: Node<'_, '_>| input.attribute("offset").and_then(|word| word.parse::<usize>().ok());
        let inputs: Vec<_> = children(faces, "input").collect();
        let vertex = inputs.iter().find(|input| input.attribute("semantic") == Some("VERTEX"));
        let Some(vertex) = vertex else { return Err(self.place(faces).error("an input of semantic VERTEX", "none")) };
        // an index for each input; more inputs than a file has are a mistake
        let stride = inputs.iter().filter_map(|input| offset(*input)).filter(|at| *at < 64).max().unwrap_or(0) + 1;
        let own = offset(*vertex).unwrap_or(0).min(stride - 1);
        let first = self.mesh.vertices.len();
        let corners = self.corners(*vertex)?;
        let count = corners.len();
        for corner in &corners {
            let corner: [f64; 3] = placed.transform_point(&Point3::from(*corner)).coords.into();
            if !corner.iter().all(|coordinate| coordinate.abs() <= 1e6) {
                return Err(self.place(faces).error("corners within ±1e6 m", &format!("{corner:?}")));
            }
            self.mesh.vertices.push(corner);
        }
        for polygon in self.polygons(faces, stride)? {
            let corners: Option<Vec<u32>> = polygon
                .chunks_exact(stride)
                .map(|indices| (indices[own] < count).then(|| (first + indices[own]) as u32))
                .collect();
            let Some(corners) = corners.filter(|corners| corners.len() >= 3) else {
                return Err(self.place(faces).error(&format!("3 or more corners of {count}"), &format!("{polygon:?}")));
            };
            self.mesh.triangles.extend((1..corners.len() - 1).map(|i| [corners[0], corners[i], corners[i + 1]]));
            if self.mesh.triangles.len() > MOST_TRIANGLES {
                return Err(self.place(faces).error(&format!("at most {MOST_TRIANGLES} triangles"), "more"));
            }
        }
        Ok(())
    }

    /// The indices of each polygon, `stride` for a corner.
    fn polygons(&self, faces: Node<'d, 'd>, stride: usize) -> Result<Vec<Vec<usize>>, WorldError> {
        let indices = |node: Node<'d, 'd>| -> Result<Vec<usize>, WorldError> {
            let place = self.place(node);
            let index = |word: &str| word.parse().map_err(|_| place.error("a whole number", word));
            node.text().unwrap_or("").split_whitespace().map(index).collect()
        };
        let all = |nodes: Vec<Node<'d, 'd>>| nodes.into_iter().map(indices).collect::<Result<Vec<_>, _>>();
        let lists = all(children(faces, "p").collect())?;
        match faces.tag_name().name() {
            "polygons" => Ok(lists),
            "triangles" => Ok(lists.concat().chunks(3 * stride).map(<[usize]>::to_vec).collect()),
            _ => {
                let counts = all(children(faces, "vcount").collect())?.concat();
                let list = lists.concat();
                let mut rest = list.as_slice();
                let mut polygons = Vec::new();
                for count in counts {
                    let split = count.checked_mul(stride).and_then(|length| rest.split_at_checked(length));
                    let Some((polygon, left)) = split else {
                        return Err(self.place(faces).error("as many indices as vcount says", &list.len().to_string()));
                    };
                    polygons.push(polygon.to_vec());
                    rest = left;
                }
                Ok(polygons)
            }
        }
    }

    /// The positions of which an input of semantic VERTEX speaks, in the file's unit.
    fn corners(&self, input: Node<'d, 'd>) -> Result<Vec<[f64; 3]>, WorldError> {
        let vertices = self.named(input, "source")?;
        let positions = children(vertices, "input").find(|input| input.attribute("semantic") == Some("POSITION"));
        let positions = positions.ok_or_else(|| self.place(vertices).error("an input of semantic POSITION", "none"))?;
        let source = self.named(positions, "source")?;
        let array = child(source, "float_array").ok_or_else(|| self.place(source).error("a float_array", "none"))?;
        let accessor = child(source, "technique_common").and_then(|common| child(common, "accessor"));
        let stride = accessor.and_then(|accessor| accessor.attribute("stride")).unwrap_or("3");
        let stride = stride.parse::<usize>().ok().filter(|stride| (3..=64).contains(stride));
        let stride = stride.ok_or_else(|| self.place(source).error("a stride of 3 to 64", "another"))?;
        Ok(self.numbers(array)?.chunks_exact(stride).map(|corner| [corner[0], corner[1], corner[2]]).collect())
    }
}
