//! The mass matrix: the composite rigid body algorithm.

use crate::data::{Configuration, Data};
use crate::kinematics::{fill_composites, fill_inertias, place_bodies};
use crate::tree::{BASE_DOF, Tree};

/// Fills [`Data::mass_matrix`], both triangles, and of [`Data::link_in_base`] the links that carry others.
///
/// Featherstone 2008, table 6.2, with all quantities in the base frame. With mimic joints it is GᵀMG, where G maps the
/// independent velocities to all: the entries of joints that move together add up.
pub fn crba(tree: &Tree, configuration: &Configuration, data: &mut Data) {
    place_bodies(tree, configuration, data);
    fill_inertias(tree, data);
    fill_composites(tree, data);

    data.mass_matrix.as_mut_slice().fill(0.0);
    data.mass_matrix.fixed_view_mut::<BASE_DOF, BASE_DOF>(0, 0).copy_from(&data.composites[0].to_matrix());
    for (index, body) in tree.bodies.iter().enumerate() {
        let Some(drive) = body.drive else { continue };
        let column = BASE_DOF + drive.joint;
        // the momentum of all that this joint moves
        let momentum = data.composites[index] * data.axes[index];
        data.mass_matrix[(column, column)] += data.axes[index].dot(&momentum);
        add_ancestors(tree, data, body.parent, column, |axis| axis.dot(&momentum));
        let momentum = momentum.to_vector();
        for row in 0..BASE_DOF {
            data.mass_matrix[(row, column)] += momentum[row];
            data.mass_matrix[(column, row)] += momentum[row];
        }
    }
}

fn add_ancestors(
    tree: &Tree,
    data: &mut Data,
    mut index: usize,
    column: usize,
    entry: impl Fn(&crate::spatial::Twist) -> f64,
) {
    while let Some(drive) = tree.bodies[index].drive {
        let row = BASE_DOF + drive.joint;
        let value = entry(&data.axes[index]);
        data.mass_matrix[(row, column)] += value;
        data.mass_matrix[(column, row)] += value;
        index = tree.bodies[index].parent;
    }
}
