//! Which skills there are.

use core::fmt;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Skill, SkillRefusal, SkillSetup};

/// Makes a skill.
pub(super) type Build = Arc<dyn Fn(&SkillSetup<'_>) -> Result<Box<dyn Skill>, SkillRefusal> + Send + Sync>;

/// Skills by name, beside what every mission can do.
#[derive(Clone, Default)]
pub struct Skills {
    builders: BTreeMap<String, Build>,
}

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

    /// Their names, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.builders.keys().map(String::as_str)
    }

    pub(super) fn find(&self, name: &str) -> Option<Build> {
        self.builders.get(name).cloned()
    }
}

impl fmt::Debug for Skills {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}
