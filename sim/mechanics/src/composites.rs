//! Resistances of bodies and of all that they carry, along the branches that have any.

use nalgebra::Matrix6;

use crate::model::Model;

/// One entry for each body; empty between uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Composites {
    resistances: Vec<Matrix6<f64>>,
    present: Vec<bool>,
}

impl Composites {
    /// Adds to what resists a body.
    pub fn add(&mut self, model: &Model, body: usize, resistance: &Matrix6<f64>) {
        self.resistances.resize(model.bodies().len(), Matrix6::zeros());
        self.present.resize(model.bodies().len(), false);
        put(&mut self.resistances[body], &mut self.present[body], resistance);
    }

    /// Hands each body whose motion something resists to `each`, those that are carried first, with what resists it and all that it
    /// carries. None is left.
    pub fn drain(&mut self, model: &Model, mut each: impl FnMut(usize, &Matrix6<f64>)) {
        for body in (0..self.present.len()).rev() {
            if !core::mem::take(&mut self.present[body]) {
                continue;
            }
            each(body, &self.resistances[body]);
            if let Some(parent) = model.bodies()[body].parent {
                let (before, own) = self.resistances.split_at_mut(body);
                put(&mut before[parent], &mut self.present[parent], &own[0]);
            }
        }
    }
}

fn put(sum: &mut Matrix6<f64>, present: &mut bool, more: &Matrix6<f64>) {
    match core::mem::replace(present, true) {
        true => *sum += more,
        false => *sum = *more,
    }
}
