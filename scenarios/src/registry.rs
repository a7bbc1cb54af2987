//! What a program knows by name: controllers, and plants, checks and skills beside those that ship.

use core::fmt;
use std::collections::BTreeMap;
use std::sync::Arc;

use mission::chart::Parameter;
use mission::{MissionServer, STEP_KEYS, Skill, SkillRefusal, SkillSetup, Skills};
use robot_io::{Clock, Controller, RobotIo};

use runtime::{Builder, Runtime, RuntimeError};

use crate::checks::{CheckRefusal, CheckSetup, KINDS, LINK, LinkCheck, OwnCheck};
use crate::controller::{ControllerError, ControllerSetup, Driver, MISSION, Named, PROGRAM, Program};
use crate::own_plant::{OwnPlant, PLANTS, Pace, PlantRefusal, PlantSetup};

type BuildController = Arc<dyn Fn(&ControllerSetup<'_>) -> Result<Box<dyn Driver>, ControllerError> + Send + Sync>;

type BuildPlant = Arc<dyn Fn(&PlantSetup<'_>) -> Result<OwnPlant, PlantRefusal> + Send + Sync>;

type BuildCheck = Arc<dyn Fn(&CheckSetup<'_>) -> Result<Box<dyn OwnCheck>, CheckRefusal> + Send + Sync>;

/// The component that carries out a scenario's chart beside its mission.
const BEHAVIOUR: &str = "behaviour";

/// The components that look for the chart, and that move arms for it.
const EYES: &str = "eyes";
const HANDS: &str = "hands";
/// The priority of hands for the joints of their arms: above the mission, which has 1, and a chart's own, which has 2 if nothing else is said.
const HANDS_PRIORITY: u32 = 3;

/// Controllers, plants, checks and skills by name.
#[derive(Clone)]
pub struct Registry {
    controllers: BTreeMap<String, BuildController>,
    plants: BTreeMap<String, (Pace, BuildPlant)>,
    checks: BTreeMap<String, BuildCheck>,
    skills: Skills,
}

impl Registry {
    /// What ships: the mission, and programs in other processes.
    pub fn standard() -> Registry {
        let mission = |setup: &ControllerSetup<'_>| -> Result<Box<dyn Driver>, ControllerError> {
            setup.expect_no_settings()?;
            let Some(behaviour) = setup.behaviour()? else { return Ok(Box::new(setup.mission()?)) };
            let parts = Runtime::builder().with(MISSION, MissionServer::new(setup.mission()?, 1));
            let parts = match setup.eyes_and_hands(HANDS_PRIORITY)? {
                Some((eyes, hands)) => parts.with(EYES, eyes).with(HANDS, hands),
                None => parts,
            };
            let parts = parts.with(BEHAVIOUR, behaviour);
            let controller = parts.build_for(setup.robot, setup.layout).map_err(components_refused)?;
            Ok(Box::new(Named { name: MISSION.to_owned(), controller }))
        };
        let program = |setup: &ControllerSetup<'_>| -> Result<Box<dyn Driver>, ControllerError> {
            let missing =
                || ControllerError::Refused("expected `program`, the program to start, found none".to_owned());
            Ok(Box::new(Program::start(setup.program.ok_or_else(missing)?, setup)?))
        };
        let (mission, program): (BuildController, BuildController) = (Arc::new(mission), Arc::new(program));
        let controllers = BTreeMap::from([(MISSION.to_owned(), mission), (PROGRAM.to_owned(), program)]);
        Registry { controllers, plants: BTreeMap::new(), checks: BTreeMap::new(), skills: Skills::default() }
            .with_check(LINK, LinkCheck::new)
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

    /// The same with another controller that is made of components: `build` puts them together anew for each run. What they share of the robot
    /// are its limbs and the groups of joints of its file.
    #[must_use]
    pub fn with_components(
        self,
        name: &str,
        build: impl Fn(&ControllerSetup<'_>) -> Result<Builder, ControllerError> + Send + Sync + 'static,
    ) -> Registry {
        self.with(name, move |setup| build(setup)?.build_for(setup.robot, setup.layout).map_err(components_refused))
    }

    /// The same with another plant, for `--plant NAME` and `--plant NAME:ARGUMENT`. `build` makes it anew for each run; its robot must
    /// have the layout that it is told.
    #[must_use]
    pub fn with_plant<R: RobotIo + Send + 'static, C: Clock + Send + 'static>(
        mut self,
        name: &str,
        pace: Pace,
        build: impl Fn(&PlantSetup<'_>) -> Result<(R, C), PlantRefusal> + Send + Sync + 'static,
    ) -> Registry {
        let boxed = move |setup: &PlantSetup<'_>| {
            let (robot, clock) = build(setup)?;
            OwnPlant::new(robot, clock, setup.layout)
        };
        self.plants.insert(name.to_owned(), (pace, Arc::new(boxed)));
        self
    }

    /// The same with another kind of check, for tables `[[check]]` with `kind = "NAME"`. `build` makes it anew for each table and run.
    #[must_use]
    pub fn with_check<C: OwnCheck + 'static>(
        mut self,
        kind: &str,
        build: impl Fn(&CheckSetup<'_>) -> Result<C, CheckRefusal> + Send + Sync + 'static,
    ) -> Registry {
        let boxed =
            move |setup: &CheckSetup<'_>| -> Result<Box<dyn OwnCheck>, CheckRefusal> { Ok(Box::new(build(setup)?)) };
        self.checks.insert(kind.to_owned(), Arc::new(boxed));
        self
    }

    /// The same with another skill, for steps `NAME = { … }` of missions. `build` makes it anew for each step and run.
    #[must_use]
    pub fn with_skill<S: Skill + 'static>(
        mut self,
        name: &str,
        build: impl Fn(&SkillSetup<'_>) -> Result<S, SkillRefusal> + Send + Sync + 'static,
    ) -> Registry {
        self.skills = self.skills.with(name, build);
        self
    }

    /// The same where charts know what to tell a skill: its inputs, which become its goal.
    #[must_use]
    pub fn with_skill_inputs(mut self, name: &str, inputs: impl IntoIterator<Item = Parameter>) -> Registry {
        self.skills = self.skills.told(name, inputs);
        self
    }

    /// The same where a skill has more ends than `done` and `failed`, or something to tell a chart when it ends.
    #[must_use]
    pub fn with_skill_ends(
        mut self,
        name: &str,
        outcomes: impl IntoIterator<Item = &'static str>,
        outputs: impl IntoIterator<Item = Parameter>,
    ) -> Registry {
        self.skills = self.skills.ends(name, outcomes, outputs);
        self
    }

    /// The skills beside what every mission can do.
    pub fn skills(&self) -> &Skills {
        &self.skills
    }

    /// Makes a check; refused if nobody has that kind.
    pub fn build_check(&self, kind: &str, setup: &CheckSetup<'_>) -> Result<Box<dyn OwnCheck>, CheckRefusal> {
        let unknown = || {
            let known: Vec<&str> = KINDS.into_iter().chain(self.checks.keys().map(String::as_str)).collect();
            CheckRefusal(format!("kind: expected one of {}, found '{kind}'", known.join(", ")))
        };
        self.checks.get(kind).ok_or_else(unknown)?(setup)
    }

    /// Whose time it is on a plant; `None` if there is no such plant.
    pub fn pace(&self, plant: &str) -> Option<Pace> {
        self.plants.get(plant).map(|(pace, _)| *pace)
    }

    /// The names of the plants beside those that ship, in alphabetical order.
    pub fn plants(&self) -> impl Iterator<Item = &str> {
        self.plants.keys().map(String::as_str)
    }

    /// Makes a plant; refused if nobody has that name.
    pub fn build_plant(&self, name: &str, setup: &PlantSetup<'_>) -> Result<OwnPlant, PlantRefusal> {
        let unknown = || PlantRefusal(format!("this program has no plant '{name}'"));
        let (_, build) = self.plants.get(name).ok_or_else(unknown)?;
        build(setup)
    }

    /// Why it cannot be used, if something of its own has the name of what ships and would never be asked. A controller may take the place of
    /// one that ships.
    pub fn taken_name(&self) -> Option<String> {
        let plants = self.plants.keys().map(|name| ("plant", name.as_str(), PLANTS.as_slice()));
        let checks = self.checks.keys().map(|name| ("kind of check", name.as_str(), KINDS.as_slice()));
        let skills = self.skills.names().map(|name| ("skill", name, STEP_KEYS.as_slice()));
        let (what, name, _) = plants.chain(checks).chain(skills).find(|(_, name, taken)| taken.contains(name))?;
        Some(format!(
            "this program calls a {what} of its own '{name}', as one that ships is called; give it another name"
        ))
    }

    /// What it has beside what ships, for people: a line for each kind of thing; `None` if there is nothing.
    pub fn own(&self) -> Option<String> {
        let controllers = self.names().filter(|name| ![MISSION, PROGRAM].contains(name));
        let kinds: [(&str, Vec<&str>); 4] = [
            ("controllers", controllers.collect()),
            ("skills", self.skills.names().collect()),
            ("plants", self.plants().collect()),
            ("kinds of check", self.checks.keys().map(String::as_str).collect()),
        ];
        let there = kinds.iter().filter(|(_, names)| !names.is_empty());
        let lines: Vec<String> = there.map(|(kind, names)| format!("  {kind}: {}", names.join(", "))).collect();
        (!lines.is_empty()).then(|| format!("Of this program's own:\n{}", lines.join("\n")))
    }

    /// The names of all controllers, in alphabetical order.
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

    fn find(&self, name: &str) -> Result<&BuildController, ControllerError> {
        self.controllers.get(name).ok_or_else(|| {
            let known = self.names().collect::<Vec<_>>().join(", ");
            ControllerError::Name { known, found: name.to_owned() }
        })
    }
}

fn components_refused(error: RuntimeError) -> ControllerError {
    ControllerError::Refused(error.to_string())
}

impl Default for Registry {
    fn default() -> Registry {
        Registry::standard()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).entries(self.plants()).entries(self.skills.names()).finish()
    }
}

#[cfg(test)]
mod tests {
    use robot_io::{DummyClock, DummyRobot};

    use super::*;

    #[test]
    fn a_plant_that_is_called_as_one_that_ships_is_told_at_once() {
        let refuses = |_: &PlantSetup<'_>| Err::<(DummyRobot, DummyClock), _>(PlantRefusal(String::new()));
        let named = |name: &str| Registry::standard().with_plant(name, Pace::LockStep, refuses).taken_name();
        assert_eq!(named("rig"), None);
        let message = named("sim").unwrap_or_default();
        assert!(message.contains("plant of its own 'sim'") && message.contains("another name"), "{message}");
    }
}
