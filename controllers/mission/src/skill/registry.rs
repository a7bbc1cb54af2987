//! Which skills there are.

use core::fmt;
use std::collections::BTreeMap;
use std::sync::Arc;

use runtime::chart::{Catalogue, Interface, Parameter};

use super::ends::{AllEnds, BuildEnds};
use super::{Ends, Skill, SkillRefusal, SkillSetup};

/// Makes a skill.
pub(crate) type Build = Arc<dyn Fn(&SkillSetup<'_>) -> Result<Box<dyn Skill>, SkillRefusal> + Send + Sync>;

/// Skills by name, beside what every mission can do.
#[derive(Clone, Default)]
pub struct Skills {
    builders: BTreeMap<String, Build>,
    /// What charts can tell them, and how they may end.
    interfaces: BTreeMap<String, Interface>,
    /// Where other components are reached.
    ends: Vec<BuildEnds>,
}

/// How a skill ends in a chart: done …
pub const DONE: usize = 0;
/// … or failed.
pub const FAILED: usize = 1;

impl Skills {
    /// The same with another skill, for steps `NAME = { … }`; it takes the place of one of its name. `build` makes it anew for each step.
    #[must_use]
    pub fn with<S: Skill + 'static>(
        mut self,
        name: &str,
        build: impl Fn(&SkillSetup<'_>) -> Result<S, SkillRefusal> + Send + Sync + 'static,
    ) -> Skills {
        let boxed =
            move |setup: &SkillSetup<'_>| -> Result<Box<dyn Skill>, SkillRefusal> { Ok(Box::new(build(setup)?)) };
        self.builders.insert(name.to_owned(), Arc::new(boxed));
        self
    }

    /// The same where charts know what to tell a skill: its inputs, which become its goal. A skill of which nobody says that is one for the
    /// steps of missions only.
    #[must_use]
    pub fn told(mut self, name: &str, inputs: impl IntoIterator<Item = Parameter>) -> Skills {
        self.interface(name).inputs = inputs.into_iter().collect();
        self
    }

    /// The same where a skill has more ends than `done` and `failed`, or outputs: what it tells when it ends.
    #[must_use]
    pub fn ends(
        mut self,
        name: &str,
        outcomes: impl IntoIterator<Item = &'static str>,
        outputs: impl IntoIterator<Item = Parameter>,
    ) -> Skills {
        let interface = self.interface(name);
        interface.outcomes.extend(outcomes.into_iter().map(str::to_owned));
        interface.outputs = outputs.into_iter().collect();
        self
    }

    /// The same with ends at which the skills of a chart reach other components, made anew for each behaviour.
    #[must_use]
    pub fn with_ends<E: Ends>(mut self, build: impl Fn() -> E + Send + Sync + 'static) -> Skills {
        self.ends.push(Arc::new(move || Box::new(build())));
        self
    }

    fn interface(&mut self, name: &str) -> &mut Interface {
        let outcomes = || ["done", "failed"].map(str::to_owned).to_vec();
        let new = || Interface { name: name.to_owned(), outcomes: outcomes(), ..Interface::default() };
        self.interfaces.entry(name.to_owned()).or_insert_with(new)
    }

    /// The same with all of others, which take the place of those of their names.
    #[must_use]
    pub fn and(mut self, others: &Skills) -> Skills {
        self.builders.extend(others.builders.clone());
        self.interfaces.extend(others.interfaces.clone());
        self.ends.extend(others.ends.iter().cloned());
        self
    }

    /// What charts can name: the skills that know what they can be told. Each may end as `done` or `failed`.
    pub fn catalogue(&self, facts: &[&str]) -> Catalogue {
        let known = self.interfaces.iter().filter(|(name, _)| self.builders.contains_key(*name));
        let facts = facts.iter().map(|fact| (*fact).to_owned()).collect();
        Catalogue { skills: known.map(|(_, interface)| interface.clone()).collect(), facts }
    }

    /// Their names, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.builders.keys().map(String::as_str)
    }

    /// Where other components are reached, for one behaviour.
    pub(crate) fn make_ends(&self) -> AllEnds {
        AllEnds::new(&self.ends)
    }

    pub(crate) fn find(&self, name: &str) -> Option<Build> {
        self.builders.get(name).cloned()
    }
}

impl fmt::Debug for Skills {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}
