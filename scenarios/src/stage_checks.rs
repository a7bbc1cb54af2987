//! What is wrong only when a scenario, its world, its robot and its bus are seen together; each with the scenario's line.

use hil::virtual_bus::BusFaultKind;
use mission::MissionError;
use page::{Fault, Page};
use plant::PlantError;
use robot_model::RobotModel;

use crate::ScenarioError;
use crate::case::{Case, PlantKind};
use crate::checks::{Check, CheckPlan, CheckSetup, ObjectMetric, Own};
use crate::controller::ControllerError;
use crate::robot_place::plant_error;
use crate::stage::Stage;

impl Stage {
    /// Everything that a scenario names must be there, and everywhere it goes must be ground.
    pub(crate) fn check(&self) -> Result<(), ScenarioError> {
        self.check_sensors()?;
        self.check_names()?;
        self.check_places()?;
        self.check_bus_faults()
    }

    /// The checks of the scenario, ready to look at a run; refused if somebody else's cannot be made.
    pub(crate) fn checks(&self) -> Result<Vec<Check>, ScenarioError> {
        let layout = self.layout();
        let make = |plan: &CheckPlan| {
            let check = Check::new(plan.clone());
            if let CheckPlan::Of { robot, plan } = plan {
                return Ok(check.about_robot(self.robot_of(robot, plan)?));
            }
            if let CheckPlan::Object { object, metric, .. } = plan {
                return Ok(check.about(self.object_of(object, *metric)?));
            }
            if let CheckPlan::Contact { links, .. } = plan {
                let links = links.iter().map(|link| self.link_of(link)).collect::<Result<_, _>>()?;
                return Ok(check.about_links(links));
            }
            let CheckPlan::Own { kind, settings, line } = plan else { return Ok(check) };
            let setup = CheckSetup { robot: &self.robot, layout: &layout, settings };
            let own = self.registry.build_check(kind, &setup);
            let own = own.map_err(|why| self.case.wrong(*line, format!("check: {why}")))?;
            Ok(check.answered_by(Some(Own(own))))
        };
        self.case.checks.iter().map(make).collect()
    }

    /// The number of the other robot that a check names, which it must be possible to ask of.
    fn robot_of(&self, name: &str, plan: &CheckPlan) -> Result<usize, ScenarioError> {
        let wrong = |message| self.case.wrong_at(&format!("robot = \"{name}\""), message);
        let Some(index) = self.others.iter().position(|other| other.case.name == name) else {
            let known: Vec<&str> = self.others.iter().map(|other| other.case.name.as_str()).collect();
            let known = if known.is_empty() { "it has none".to_owned() } else { known.join(", ") };
            return Err(wrong(format!("check: robot: expected one of the other robots: {known}; found '{name}'")));
        };
        match plan.metric().filter(|metric| metric.signal.needs_baseline().is_some()) {
            Some(metric) => Err(wrong(format!(
                "check: metric: expected one without a baseline, which only the first robot has; found '{metric}'"
            ))),
            None => Ok(index + 1),
        }
    }

    /// The index of a link that a check names.
    fn link_of(&self, name: &str) -> Result<usize, ScenarioError> {
        self.robot.tree.link(name).ok_or_else(|| {
            let message = format!("check: {} has no link named '{name}'", self.robot.name);
            self.case.wrong_at(&format!("\"{name}\""), message)
        })
    }

    /// The index of an object that a check names, which must have what is asked of it.
    fn object_of(&self, name: &str, metric: ObjectMetric) -> Result<usize, ScenarioError> {
        let wrong = |message| self.case.wrong_at(&format!("\"{name}\""), message);
        let objects = &self.world.objects;
        let Some(index) = objects.iter().position(|object| object.name == name) else {
            let known: Vec<&str> = objects.iter().map(|object| object.name.as_str()).collect();
            let known = if known.is_empty() { "it has none".to_owned() } else { known.join(", ") };
            let world = &self.world.name;
            return Err(wrong(format!("check: object: expected one of world '{world}': {known}; found '{name}'")));
        };
        if !metric.signal.is_of(&objects[index]) {
            let signal = metric.signal.name();
            return Err(wrong(format!(
                "check: metric: expected an object with a {signal} for '{metric}', found '{name}', which has none"
            )));
        }
        Ok(index)
    }

    fn check_sensors(&self) -> Result<(), ScenarioError> {
        let known: Vec<&str> = self.robot.description.switchable_sensors().collect();
        let Some(unknown) = self.case.sensors.iter().find(|name| !known.contains(&name.as_str())) else {
            return Ok(());
        };
        let known = if known.is_empty() { "it has none".to_owned() } else { known.join(", ") };
        let message =
            format!("sensors: expected lasers, cameras and skin of {}: {known}; found '{unknown}'", self.robot.name);
        Err(self.case.wrong_at(&format!("\"{unknown}\""), message))
    }

    /// Joints of faults, checks and mixed plants.
    fn check_names(&self) -> Result<(), ScenarioError> {
        let tree = &self.robot.tree;
        let of_faults = self.case.faults.iter().map(|fault| ("fault", fault.kind.joint_name()));
        let of_checks = self.case.checks.iter().map(|check| match check {
            CheckPlan::Event { joint, .. } => ("check", joint.as_deref()),
            _ => ("check", None),
        });
        for (what, joint) in of_faults.chain(of_checks) {
            if let Some(joint) = joint.filter(|joint| tree.joint(joint).is_none()) {
                let message = format!("{what}: {} has no joint named '{joint}'", self.robot.name);
                return Err(self.case.wrong_at(&format!("\"{joint}\""), message));
            }
        }
        if let Some(load) = self.case.loads.iter().find(|load| tree.link(&load.link).is_none()) {
            let message = format!("load: {} has no link named '{}'", self.robot.name, load.link);
            return Err(self.case.wrong(load.line, message));
        }
        for name in self.case.mixed.iter().flat_map(|mixed| &mixed.bus) {
            if self.robot.description.limb(name).is_none() && tree.joint(name).is_none() {
                let message = format!("mixed: {} has no limb or joint named '{name}'", self.robot.name);
                return Err(self.case.wrong_at(&format!("\"{name}\""), message));
            }
        }
        Ok(())
    }

    /// The robot starts on the ground, and is put down on it.
    fn check_places(&self) -> Result<(), ScenarioError> {
        let terrain = &self.world.terrain;
        let start = ("spawn", "spawn =", self.spawn);
        let kidnaps = self.case.kidnaps.iter().map(|kidnap| ("kidnap", "[[kidnap]]", kidnap.to));
        for (what, place, pose) in std::iter::once(start).chain(kidnaps) {
            if terrain.height_at(pose.x, pose.y).is_none() {
                let ((x0, x1), (y0, y1)) = terrain.extent();
                let message = format!(
                    "{what}: expected a place on the terrain of world '{}', x {x0} to {x1} m, y {y0} to {y1} m, found \
                     ({}, {})",
                    self.world.name, pose.x, pose.y
                );
                return Err(self.case.wrong_at(place, message));
            }
        }
        Ok(())
    }

    /// Every board that a fault names must be on the bus, and there must be a bus that can break.
    fn check_bus_faults(&self) -> Result<(), ScenarioError> {
        let Some(first) = self.case.bus_faults.first() else { return Ok(()) };
        if !matches!(self.case.plant, PlantKind::VirtualBus | PlantKind::EtherCat(_)) {
            let message = format!(
                "bus_fault: expected a plant with a bus that can break (virtual-bus), found '{}'",
                self.case.plant
            );
            return Err(self.case.wrong(first.line, message));
        }
        let boards = self.bus.iter().flat_map(|bus| &bus.boards).map(|board| board.name.as_str());
        let known: Vec<&str> = boards.collect();
        for plan in &self.case.bus_faults {
            if let Some(name) = plan.fault.kind.boards().into_iter().find(|name| !known.contains(name)) {
                let file = self.bus.as_ref().map_or("the bus file", |bus| bus.source.0.as_str());
                let message = format!("bus_fault: {file} has no board named '{name}'; it has {}", known.join(", "));
                return Err(self.case.wrong(plan.line, message));
            }
            if let BusFaultKind::StoOpen { board: name } = &plan.fault.kind {
                let mut boards = self.bus.iter().flat_map(|bus| &bus.boards);
                let kind = boards.find(|board| board.name == *name).map_or("", |board| board.kind.type_name());
                if kind != "cia402" {
                    let message =
                        format!("bus_fault: sto_open: expected a board of type cia402, found '{name}', a {kind}");
                    return Err(self.case.wrong(plan.line, message));
                }
            }
        }
        Ok(())
    }
}

impl Case {
    /// The scenario's file.
    pub(crate) fn page(&self) -> Page<'_> {
        Page { file: &self.source.path, text: &self.source.text }
    }

    /// An error at a line of the scenario's file.
    pub(crate) fn wrong(&self, line: usize, message: String) -> ScenarioError {
        ScenarioError::Case(Fault::new(&self.source.path, line, message))
    }

    /// An error at the first line that holds `text`.
    pub(crate) fn wrong_at(&self, text: &str, message: String) -> ScenarioError {
        self.wrong(self.line_with(text).unwrap_or_else(|| self.first_line()), message)
    }

    /// The first line of the file, or of the robot's part of it.
    pub(crate) fn first_line(&self) -> usize {
        self.source.text.lines().position(|line| !line.is_empty()).map_or(1, |line| line + 1)
    }

    /// The first line that holds `text`.
    pub(crate) fn line_with(&self, text: &str) -> Option<usize> {
        self.source.text.lines().position(|line| line.contains(text)).map(|line| line + 1)
    }

    /// What a controller refuses, at the line to blame.
    pub(crate) fn controller_error(&self, error: ControllerError) -> ScenarioError {
        match error {
            ControllerError::Mission(error) => self.mission_error(error),
            ControllerError::Hands(_) => {
                self.wrong(self.hands.as_ref().map_or(1, |table| table.line), error.to_string())
            }
            ControllerError::Behaviour(_) => {
                self.wrong(self.behaviour.as_ref().map_or(1, |table| table.line), error.to_string())
            }
            error => match self.controller.line {
                Some(line) => self.wrong(line, format!("controller: {error}")),
                None => ScenarioError::Usage(format!("controller '{}': {error}", self.controller.name)),
            },
        }
    }

    /// What a mission refuses, at the line to blame.
    fn mission_error(&self, error: MissionError) -> ScenarioError {
        match &error {
            MissionError::UnknownPose { pose, .. } => {
                self.wrong_at(&format!("\"{pose}\""), format!("mission: {error}"))
            }
            MissionError::Setting(refused) => self.setting_refused(refused),
            MissionError::Skill { .. } | MissionError::Rate { .. } => {
                self.wrong_at("[settings", format!("settings: {error}"))
            }
            MissionError::TooManySteps { .. } | MissionError::LateSkill { .. } | MissionError::TakenName { .. } => {
                self.wrong_at("mission]", format!("mission: {error}"))
            }
            MissionError::File(_) => ScenarioError::Mission(error),
        }
    }

    /// What a plant refuses, at the line to blame: the scenario's, or its robot's.
    pub(crate) fn plant_error(&self, robot: &RobotModel, error: PlantError) -> ScenarioError {
        match &error {
            PlantError::UnknownPose { .. } => self.wrong_at("pose =", format!("pose: {error}")),
            PlantError::Setup { what: "cycle period", .. } if self.cycle.is_none() => plant_error(robot, error),
            PlantError::Setup { what: "spawn", .. } => self.wrong_at("spawn", error.to_string()),
            PlantError::Setup { .. } => self.wrong_at("cycle", error.to_string()),
            _ => plant_error(robot, error),
        }
    }
}
