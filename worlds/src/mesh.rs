//! Small readers for Wavefront OBJ and for STL, ASCII and binary: triangles only, no colours or textures.

use crate::WorldError;
use crate::collada;
use crate::triangles::{MOST_TRIANGLES, Place, TriangleMesh};

impl TriangleMesh {
    /// Decodes by the ending of the file's name: `.obj`, `.stl` or `.dae`. Lengths are the file's unit, of COLLADA metres; its axes are taken
    /// as they stand, whatever it says is up, as ROS does.
    pub fn decode(bytes: &[u8], file: &str) -> Result<Self, WorldError> {
        let place = Place { file, line: 0 };
        let ending = file.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
        let mesh = match ending.as_str() {
            "obj" => obj(text(bytes, place)?, file)?,
            "stl" if is_binary_stl(bytes) => binary_stl(bytes, place)?,
            "stl" => ascii_stl(text(bytes, place)?, file)?,
            "dae" => collada::read(text(bytes, place)?, file)?,
            _ => return Err(place.error("a name that ends in .obj, .stl or .dae", file)),
        };
        if mesh.triangles.is_empty() || mesh.triangles.len() > MOST_TRIANGLES {
            return Err(place.error(&format!("1 to {MOST_TRIANGLES} triangles"), &mesh.triangles.len().to_string()));
        }
        Ok(mesh)
    }
}

/// `v` and `f` lines; polygons become fans; everything else is decoration.
fn obj(text: &str, file: &str) -> Result<TriangleMesh, WorldError> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        let place = Place { file, line: index + 1 };
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => vertices.push(place.vertex(&mut words)?),
            Some("f") => {
                let corners =
                    words.map(|word| obj_corner(word, vertices.len(), place)).collect::<Result<Vec<_>, _>>()?;
                if corners.len() < 3 {
                    return Err(place.error("a face of at least 3 corners", line));
                }
                triangles.extend((1..corners.len() - 1).map(|i| [corners[0], corners[i], corners[i + 1]]));
            }
            _ => {}
        }
    }
    Ok(TriangleMesh { vertices, triangles })
}

/// `7`, `7/1`, `7//2`, `7/1/2`; from 1, or negative from the last one back.
fn obj_corner(word: &str, count: usize, place: Place<'_>) -> Result<u32, WorldError> {
    let number = word.split('/').next().and_then(|n| n.parse::<i64>().ok()).unwrap_or(0);
    let index = if number < 0 { count as i64 + number } else { number - 1 };
    let valid = usize::try_from(index).ok().filter(|&index| index < count);
    let index = valid.ok_or_else(|| place.error(&format!("a corner number from 1 to {count}"), word))?;
    Ok(index as u32)
}

/// 80 bytes of header, a count, 50 bytes a triangle: the length tells, for ASCII files may not start with "solid".
fn is_binary_stl(bytes: &[u8]) -> bool {
    let count = bytes.get(80..84).and_then(|b| <[u8; 4]>::try_from(b).ok()).map(u32::from_le_bytes);
    let fits = count.is_some_and(|count| bytes.len() as u64 == 84 + 50 * u64::from(count));
    fits || !bytes.trim_ascii_start().starts_with(b"solid")
}

fn binary_stl(bytes: &[u8], place: Place<'_>) -> Result<TriangleMesh, WorldError> {
    let body = bytes.get(84..).unwrap_or(&[]);
    let count = bytes.get(80..84).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    if body.len() as u64 != 50 * u64::from(count) {
        let expected = format!("84 + 50 × {count} bytes");
        return Err(place.error(&expected, &format!("{} bytes", bytes.len())));
    }
    let mut soup = Vec::with_capacity(3 * count as usize);
    for triangle in body.chunks_exact(50) {
        // Twelve bytes of normal first; the corners' order says the same.
        for corner in triangle[12..48].chunks_exact(12) {
            let coordinate = |i: usize| {
                let value = f64::from(f32::from_le_bytes([corner[i], corner[i + 1], corner[i + 2], corner[i + 3]]));
                let sane = value.abs() <= 1e6;
                if sane { Ok(value) } else { Err(place.error("coordinates within ±1e6", &value.to_string())) }
            };
            soup.push([coordinate(0)?, coordinate(4)?, coordinate(8)?]);
        }
    }
    Ok(weld(soup))
}

fn ascii_stl(text: &str, file: &str) -> Result<TriangleMesh, WorldError> {
    let mut soup = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let place = Place { file, line: index + 1 };
        let mut words = line.split_whitespace();
        match words.next() {
            Some("vertex") => soup.push(place.vertex(&mut words)?),
            Some("endfacet") if soup.len() % 3 != 0 => {
                return Err(place.error("three vertices a facet", &format!("{} vertices so far", soup.len())));
            }
            _ => {}
        }
    }
    if soup.len() % 3 != 0 {
        let place = Place { file, line: text.lines().count() };
        return Err(place.error("three vertices a facet", &format!("{} vertices", soup.len())));
    }
    Ok(weld(soup))
}

/// Joins corners with the same coordinates.
fn weld(soup: Vec<[f64; 3]>) -> TriangleMesh {
    let mut known = std::collections::BTreeMap::new();
    let mut vertices = Vec::new();
    let mut number = |corner: &[f64; 3]| {
        // Adding zero turns −0 into 0.
        *known.entry(corner.map(|c| (c + 0.0).to_bits())).or_insert_with(|| {
            vertices.push(*corner);
            vertices.len() as u32 - 1
        })
    };
    let triangles = soup.chunks_exact(3).map(|t| [number(&t[0]), number(&t[1]), number(&t[2])]).collect();
    TriangleMesh { vertices, triangles }
}

fn text<'b>(bytes: &'b [u8], place: Place<'_>) -> Result<&'b str, WorldError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
        Place { line, ..place }.error("UTF-8 text", "bytes that are not UTF-8")
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TETRAHEDRON: &str =
        "# four corners\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1/1 2/2 4/3\nf 2//1 3//1 4//1\nf -4 -1 -2\n";

    fn binary(triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
        let mut bytes = vec![0; 80];
        bytes.extend((triangles.len() as u32).to_le_bytes());
        for triangle in triangles {
            bytes.extend([0; 12]);
            bytes.extend(triangle.iter().flatten().flat_map(|c| c.to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }

    #[test]
    fn an_obj_is_read_with_all_ways_to_write_a_corner() {
        let mesh = TriangleMesh::decode(TETRAHEDRON.as_bytes(), "t.obj").unwrap();
        assert_eq!(mesh.vertices.len(), 4);
        assert_eq!(mesh.triangles, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]);
        let quad = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
        assert_eq!(TriangleMesh::decode(quad.as_bytes(), "q.obj").unwrap().triangles, [[0, 1, 2], [0, 2, 3]]);
    }

    /// A triangle in centimetres, which its node lifts by 50 of them.
    const COLLADA: &str = r##"<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="9">0 0 0 100 0 0 0 100 0</float_array><technique_common>
<accessor source="#a" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor>
</technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><translate>0 0 50</translate><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene>
</COLLADA>"##;

    #[test]
    fn collada_is_read_in_metres_where_its_nodes_put_it() {
        let mesh = TriangleMesh::decode(COLLADA.as_bytes(), "t.dae").unwrap();
        assert_eq!(mesh.triangles.len(), 1);
        let corner = |index: usize| mesh.vertices[mesh.triangles[0][index] as usize].map(|c| (c * 1e4).round() / 1e4);
        assert_eq!([corner(0), corner(1), corner(2)], [[0.0, 0.0, 0.5], [1.0, 0.0, 0.5], [0.0, 1.0, 0.5]]);
    }

    #[test]
    fn both_kinds_of_stl_weld_their_corners() {
        let square =
            [[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]], [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [-0.0, 1.0, 0.0]]];
        let mesh = TriangleMesh::decode(&binary(&square), "b.stl").unwrap();
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (4, 2));
        let ascii = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet\nendsolid";
        assert_eq!(TriangleMesh::decode(ascii.as_bytes(), "a.STL").unwrap().triangles, [[0, 1, 2]]);
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let error = |bytes: &[u8], file| TriangleMesh::decode(bytes, file).unwrap_err().to_string();
        assert!(error(b"v 0 0 0\nv 1 0\n", "x.obj").starts_with("x.obj:2: mesh: expected a coordinate"));
        assert!(error(b"v 0 0 0\nf 1 2 3\n", "x.obj").contains("x.obj:2"));
        assert!(error(b"", "x.obj").contains("triangles"));
        assert!(error(b"v nan 0 0", "x.obj").contains("coordinate"));
        assert!(error(b"x", "x.ply").contains(".obj, .stl or .dae"));
        assert!(error(b"x", "x.dae").starts_with("x.dae"));
        let cut = binary(&[[[0.0; 3]; 3]]);
        assert!(error(&cut[..100], "x.stl").contains("84 + 50 × 1 bytes, found 100 bytes"));
        assert!(error(b"solid\nvertex 0 0 0\nendfacet\n", "x.stl").contains("x.stl:3"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn no_bytes_make_the_readers_panic(
            bytes in prop::collection::vec(any::<u8>(), 0..400),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        ) {
            for (name, whole) in [("f.obj", TETRAHEDRON), ("f.stl", TETRAHEDRON), ("f.dae", COLLADA)] {
                let _ = TriangleMesh::decode(&bytes, name);
                let mut mutated = whole.as_bytes().to_vec();
                for (at, byte) in &changes {
                    mutated[at.index(whole.len())] = *byte;
                }
                if let Ok(mesh) = TriangleMesh::decode(&mutated, name) {
                    prop_assert!(mesh.triangles.iter().flatten().all(|&i| (i as usize) < mesh.vertices.len()));
                }
            }
        }
    }
}
