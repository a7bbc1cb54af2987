//! What a behaviour shows of itself: its active states, with what they are told and what led to them.

use std::sync::Arc;

use robot_io::ActiveState;
use runtime::chart::{Active, Catalogue, Run, Value};

/// The active states as they were shown last. An object of its own for each stays the same as long as the state does.
#[derive(Debug, Default)]
pub(super) struct Shown {
    states: Vec<Arc<ActiveState>>,
    mark: Option<u64>,
    /// What led to the states that come next.
    because: String,
}

impl Shown {
    /// This is what leads to the states that come next.
    pub fn because(&mut self, what: String) {
        self.because = what;
    }

    /// Looks at what is active now. Nothing is made as long as that is the same.
    pub fn look(&mut self, run: &Run, catalogue: &Catalogue) {
        let mark = Some(run.mark());
        if core::mem::replace(&mut self.mark, mark) == mark {
            return;
        }
        let before = core::mem::take(&mut self.states);
        let state = |active: Active<'_>| {
            let is_same = |state: &&Arc<ActiveState>| state.path == active.path && state.since == active.since;
            before.iter().find(is_same).cloned().unwrap_or_else(|| Arc::new(self.state(active, catalogue)))
        };
        let states = run.active().into_iter().map(state).collect();
        self.states = states;
    }

    /// The active states, one for each region.
    pub fn states(&self) -> &[Arc<ActiveState>] {
        &self.states
    }

    fn state(&self, active: Active<'_>, catalogue: &Catalogue) -> ActiveState {
        let inputs = active.skill.and_then(|skill| catalogue.skills.get(skill)).map_or(&[][..], |skill| &skill.inputs);
        let told = inputs.iter().zip(active.told).filter_map(|(input, value)| {
            let value: &Value = value.as_ref()?;
            let unit = if input.unit.is_empty() { String::new() } else { format!(" {}", input.unit) };
            Some(format!("{} = {value}{unit}", input.name))
        });
        let told = told.collect::<Vec<_>>().join(", ");
        ActiveState { path: active.path, told, since: active.since, because: self.because.clone() }
    }
}
