//! Meshes of simple bodies, with rounded edges: a real edge catches the light.

use std::f32::consts::TAU;

use bevy::math::{Vec2, Vec3};

use crate::mesh_data::MeshData;

/// Facets a quarter turn of a rounded edge has.
const EDGE_STEPS: usize = 3;
/// Facets a full turn has.
const TURN_STEPS: usize = 40;

/// A box about the origin; its edges are rounded by at most `round` [m].
pub(crate) fn rounded_box(half: Vec3, round: f32) -> MeshData {
    let round = round.min(0.35 * half.min_element()).max(0.0);
    let core = half - round;
    let mut mesh = MeshData::default();
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            rounded_face(&mut mesh, core, round, axis, sign);
        }
    }
    mesh
}

/// A cylinder about the z axis; its rims are rounded by at most `round` [m].
pub(crate) fn cylinder(radius: f32, length: f32, round: f32) -> MeshData {
    let round = round.min(0.35 * radius).min(0.35 * 0.5 * length).max(0.0);
    let (core, half) = (radius - round, 0.5 * length - round);
    let mut profile = vec![(Vec2::new(0.0, -half - round), Vec2::NEG_Y), (Vec2::new(core, -half - round), Vec2::NEG_Y)];
    profile.extend(arc(Vec2::new(core, -half), round, -0.25, 0.0, EDGE_STEPS));
    profile.extend(arc(Vec2::new(core, half), round, 0.0, 0.25, EDGE_STEPS));
    profile.extend([(Vec2::new(core, half + round), Vec2::Y), (Vec2::new(0.0, half + round), Vec2::Y)]);
    lathe(&profile)
}

/// A capsule about the z axis; `length` [m] is that of its straight part.
pub(crate) fn capsule(radius: f32, length: f32) -> MeshData {
    let half = 0.5 * length;
    let mut profile = arc(Vec2::new(0.0, -half), radius, -0.25, 0.0, 10);
    profile.extend(arc(Vec2::new(0.0, half), radius, 0.0, 0.25, 10));
    lathe(&profile)
}

/// A sphere.
pub(crate) fn sphere(radius: f32) -> MeshData {
    lathe(&arc(Vec2::ZERO, radius, -0.25, 0.25, 20))
}

/// A triangle mesh with flat faces.
pub(crate) fn facets(vertices: &[Vec3], triangles: &[[u32; 3]], scale: Vec3) -> MeshData {
    let mut mesh = MeshData::default();
    let mirrored = scale.x * scale.y * scale.z < 0.0;
    for triangle in triangles {
        let [a, mut b, mut c] = triangle.map(|i| vertices[i as usize] * scale);
        if mirrored {
            core::mem::swap(&mut b, &mut c);
        }
        let normal = (b - a).cross(c - a).normalize_or(Vec3::Z);
        let corners = [a, b, c].map(|corner| mesh.corner(corner, normal));
        mesh.triangles.push(corners);
    }
    mesh
}

/// One face of a rounded box with its half of the roundings: points of the outer box, drawn in to the rounded one.
fn rounded_face(mesh: &mut MeshData, core: Vec3, round: f32, axis: usize, sign: f32) {
    let (u_axis, v_axis) = ((axis + 1) % 3, (axis + 2) % 3);
    let (us, vs) = (face_stations(core[u_axis], round), face_stations(core[v_axis], round));
    let first = mesh.positions.len() as u32;
    for &v in &vs {
        for &u in &us {
            let mut outer = Vec3::ZERO;
            outer[axis] = sign * (core[axis] + round);
            outer[u_axis] = u;
            outer[v_axis] = v;
            let inner = outer.clamp(-core, core);
            let normal = (outer - inner).normalize_or(Vec3::AXES[axis] * sign);
            mesh.corner(inner + round * normal, normal);
        }
    }
    let width = us.len() as u32;
    for row in 0..vs.len() as u32 - 1 {
        for column in 0..width - 1 {
            let near = first + row * width + column;
            let far = near + width;
            let quad = if sign > 0.0 { [near, near + 1, far + 1, far] } else { [near, far, far + 1, near + 1] };
            mesh.triangles.push([quad[0], quad[1], quad[2]]);
            mesh.triangles.push([quad[0], quad[2], quad[3]]);
        }
    }
}

/// Where a face is cut along one of its axes: equal angles within each rounding.
fn face_stations(core: f32, round: f32) -> Vec<f32> {
    let overhang = |step: usize| {
        let angle = step as f32 / EDGE_STEPS as f32 * std::f32::consts::FRAC_PI_4;
        core + round * angle.tan()
    };
    let low = (0..=EDGE_STEPS).rev().map(|step| -overhang(step));
    low.chain((0..=EDGE_STEPS).map(overhang)).collect()
}

/// Points and normals in the (radius, z) plane on a circle, from one part of a turn to another.
fn arc(centre: Vec2, radius: f32, from: f32, to: f32, steps: usize) -> Vec<(Vec2, Vec2)> {
    let at = |step: usize| {
        let normal = Vec2::from_angle(TAU * (from + (to - from) * step as f32 / steps as f32));
        (centre + radius * normal, normal)
    };
    (0..=steps).map(at).collect()
}

/// A surface of revolution about z from points and normals in the (radius, z) plane, from bottom to top.
fn lathe(profile: &[(Vec2, Vec2)]) -> MeshData {
    let mut mesh = MeshData::default();
    let rows = profile.len() as u32;
    for step in 0..=TURN_STEPS {
        let around = Vec2::from_angle(TAU * step as f32 / TURN_STEPS as f32);
        for (point, normal) in profile {
            mesh.corner((around * point.x).extend(point.y), (around * normal.x).extend(normal.y));
        }
    }
    for step in 0..TURN_STEPS as u32 {
        for row in 0..rows - 1 {
            let here = step * rows + row;
            let next = here + rows;
            mesh.triangles.push([here, next, next + 1]);
            mesh.triangles.push([here, next + 1, here + 1]);
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Volume by the divergence theorem: right only if the surface is closed and every face looks outward.
    fn volume(mesh: &MeshData) -> f32 {
        let corner = |i: u32| Vec3::from(mesh.positions[i as usize]);
        mesh.triangles.iter().map(|[a, b, c]| corner(*a).dot(corner(*b).cross(corner(*c))) / 6.0).sum()
    }

    fn normals_look_outward(mesh: &MeshData) -> bool {
        let corner = |i: u32| Vec3::from(mesh.positions[i as usize]);
        mesh.triangles.iter().all(|[a, b, c]| {
            let face = (corner(*b) - corner(*a)).cross(corner(*c) - corner(*a));
            face.dot(Vec3::from(mesh.normals[*a as usize])) >= -1e-9
        })
    }

    #[test]
    fn bodies_are_closed_and_as_large_as_they_should_be() {
        let cases = [
            (rounded_box(Vec3::new(0.1, 0.2, 0.3), 0.0), 0.048),
            (rounded_box(Vec3::new(0.1, 0.2, 0.3), 0.005), 0.048),
            (cylinder(0.2, 0.5, 0.005), 0.0628),
            (sphere(0.3), 0.1131),
            (capsule(0.1, 0.4), 0.01676),
        ];
        for (mesh, expected) in cases {
            let volume = volume(&mesh);
            assert!((volume / expected - 1.0).abs() < 0.02, "{volume} m³, expected {expected}");
            assert!(normals_look_outward(&mesh));
        }
    }

    #[test]
    fn a_thin_plate_keeps_its_size() {
        let plate = rounded_box(Vec3::new(0.5, 0.5, 0.001), 0.01);
        let top = plate.positions.iter().map(|p| p[2]).fold(f32::MIN, f32::max);
        assert!((top - 0.001).abs() < 1e-7, "{top}");
    }

    #[test]
    fn a_mirrored_mesh_still_faces_outward() {
        let vertices = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
        for scale in [Vec3::ONE, Vec3::new(-1.0, 1.0, 1.0)] {
            assert!(volume(&facets(&vertices, &triangles, scale)) > 0.0);
        }
    }
}
