//! The controllers that a program knows, by name.

use core::fmt;
use std::collections::BTreeMap;
use std::sync::Arc;

use robot_io::Controller;

use super::driver::Named;
use super::{ControllerError, ControllerSetup, Driver, Program};

/// The name of the controller that answers where a scenario names none: the mission with all its skills.
pub const MISSION: &str = "mission";
/// The name of the controller that is a program of its own, in another process.
pub const PROGRAM: &str = "program";

type Build = Arc<dyn Fn(&ControllerSetup<'_>) -> Result<Box<dyn Driver>, ControllerError> + Send + Sync>;

/// Controllers by name.
#[derive(Clone)]
pub struct Registry {
    controllers: BTreeMap<String, Build>,
}

impl Registry {
    /// What ships: the mission, and programs in other processes.
    pub fn standard() -> Registry {
        let mission = |setup: &ControllerSetup<'_>| -> Result<Box<dyn Driver>, ControllerError> {
            setup.expect_no_settings()?;
            Ok(Box::new(setup.mission()?))
        };
        let program = |setup: &ControllerSetup<'_>| -> Result<Box<dyn Driver>, ControllerError> {
            let missing =
                || ControllerError::Refused("expected `program`, the program to start, found none".to_owned());
            Ok(Box::new(Program::start(setup.program.ok_or_else(missing)?, setup)?))
        };
        let (mission, program): (Build, Build) = (Arc::new(mission), Arc::new(program));
        let controllers = BTreeMap::from([(MISSION.to_owned(), mission), (PROGRAM.to_owned(), program)]);
        Registry { controllers }
    }

    /// The same with another controller, which takes the place of one of its name. `build` makes it anew for each run, from the
    /// robot and the scenario's settings.
    #[must_use]
    pub fn with<C: Controller + Send + 'static>(
        mut self,
        name: &str,
        build: impl Fn(&ControllerSetup<'_>) -> Result<C, ControllerError> + Send + Sync + 'static,
    ) -> Registry {
        let key = name.to_owned();
        let boxed = move |setup: &ControllerSetup<'_>| -> Result<Box<dyn Driver>, ControllerError> {
            Ok(Box::new(Named { name: key.clone(), controller: build(setup)? }))
        };
        self.controllers.insert(name.to_owned(), Arc::new(boxed));
        self
    }

    /// The names of all, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.controllers.keys().map(String::as_str)
    }

    /// Refuses a name that nobody has.
    pub fn expect(&self, name: &str) -> Result<(), ControllerError> {
        self.find(name).map(drop)
    }

    /// Makes a controller.
    pub fn build(&self, name: &str, setup: &ControllerSetup<'_>) -> Result<Box<dyn Driver>, ControllerError> {
        self.find(name)?(setup)
    }

    fn find(&self, name: &str) -> Result<&Build, ControllerError> {
        self.controllers.get(name).ok_or_else(|| {
            let known = self.names().collect::<Vec<_>>().join(", ");
            ControllerError::Name { known, found: name.to_owned() }
        })
    }
}

impl Default for Registry {
    fn default() -> Registry {
        Registry::standard()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}
