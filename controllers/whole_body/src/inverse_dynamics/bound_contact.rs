//! Contacts whose links are looked up, and what they do to the equation of motion.

use nalgebra::{DMatrix, Vector3, Vector6};
use robot_model::{Tree, Twist};

use crate::contacts::{Contact, part};
use crate::error::WholeBodyError;
use crate::robot_state::RobotState;
use crate::tasks::find_link;

/// A contact, its link, and what the last cycle computed of it.
#[derive(Clone, Debug)]
pub(crate) struct BoundContact {
    pub contact: Contact,
    pub link: usize,
    pub is_active: bool,
    /// The Jacobian of its frame, along the frame's axes; 6 rows.
    pub jacobian: DMatrix<f64>,
    /// J a is to be this [m/s², rad/s²], in the frame.
    pub acceleration: Vector6<f64>,
    /// The wrench that was found [N, N·m], in the frame.
    pub wrench: Vector6<f64>,
}

impl BoundContact {
    pub fn bind_all(tree: &Tree, contacts: Vec<Contact>) -> Result<Vec<BoundContact>, WholeBodyError> {
        for (number, contact) in contacts.iter().enumerate() {
            if contacts[..number].iter().any(|other| other.name == contact.name) {
                let part = part(&contact.name);
                return Err(WholeBodyError::refused(&part, "name", "a name of its own", "one that is taken"));
            }
        }
        contacts.into_iter().map(|contact| BoundContact::bind(tree, contact)).collect()
    }

    fn bind(tree: &Tree, contact: Contact) -> Result<BoundContact, WholeBodyError> {
        contact.check()?;
        let link = find_link(tree, &part(&contact.name), &contact.link)?;
        let jacobian = DMatrix::zeros(6, tree.velocity_dof());
        let zero = Vector6::zeros();
        Ok(BoundContact { contact, link, is_active: true, jacobian, acceleration: zero, wrench: zero })
    }

    /// Looks where it is and what it is to do. Speed that it should not have is taken out, unless it has yet to find its place.
    pub fn observe(&mut self, state: &mut RobotState, damping: f64) {
        let point = state.look_at(self.link, &self.contact.frame_in_link);
        let to_frame = point.pose_in_world.rotation.inverse();
        for (mut to, from) in self.jacobian.column_iter_mut().zip(state.jacobian.column_iter()) {
            let linear = Vector3::new(from[0], from[1], from[2]);
            let angular = Vector3::new(from[3], from[4], from[5]);
            to.copy_from(&Twist::new(linear, angular).turned(&to_frame).to_vector());
        }
        let damping = if self.contact.gives { 0.0 } else { damping };
        let slows = (point.velocity * damping).turned(&to_frame).to_vector();
        let bias = point.bias.turned(&to_frame).to_vector();
        self.acceleration = self.contact.acceleration - bias - slows;
    }
}
