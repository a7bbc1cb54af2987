//! The contact switch that a drive may carry.

use robot_io::Readings;

use super::firmware::DriveFirmware;
use super::objects::CONTACT_BIT;
use crate::coe::Dictionary;

impl DriveFirmware {
    /// Takes over the contact switch, if the board carries one.
    pub(super) fn read_contact(&self, objects: &mut Dictionary, readings: &Readings) {
        let Some(contact) = self.settings.contact.and_then(|index| readings.contacts.get(index)) else { return };
        objects.set(self.slots.digital_inputs, if contact.touching { CONTACT_BIT } else { 0 });
        if contact.force.is_finite() {
            objects.set_f32(self.slots.contact_force, contact.force as f32);
        }
    }
}
