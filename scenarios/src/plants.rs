//! From a stage to what stands behind the plug: the one place that knows every kind of plant.

use std::sync::Arc;

use hil::bus_file::BusPlan;
use hil::exchange::Exchange;
use hil::host::Modelled;
use hil::link::RawSocket;
use hil::main_device::EtherCat;
use hil::virtual_bus::{BusFault, InProcess, VirtualBus};
use plant::{SharedSimulation, SimClock, SimRobot, Simulation};
use robot_io::RobotIo;

use crate::case::{Case, PlantKind};
use crate::own_plant::{Argument, PlantSetup};
use crate::plug::{BehindBoards, Eyes, Later, PlantClock, PlantRobot, Seeing, SideLink, mix};
use crate::{Registry, ScenarioError, Stage};

/// A plant taken apart into what a session needs.
#[derive(Debug)]
pub struct Plugged {
    /// What is read and written.
    pub robot: PlantRobot,
    /// What makes time pass.
    pub clock: PlantClock,
    /// The world behind both, if it is simulated.
    pub simulation: Option<SharedSimulation>,
    /// The simulated half of a robot whose other half is on a bus.
    pub half: Option<SharedSimulation>,
}

impl Plugged {
    fn counting_from(self, cycle: u64) -> Plugged {
        Plugged { robot: PlantRobot::Later(Box::new(Later::new(self.robot, cycle))), ..self }
    }

    fn with_eyes(self, eyes: Eyes) -> Plugged {
        Plugged { robot: PlantRobot::Seeing(Box::new(Seeing::new(self.robot, eyes))), ..self }
    }
}

impl Stage {
    /// Builds what stands behind the plug.
    pub fn plant(&self) -> Result<Plugged, ScenarioError> {
        let plugged = match &self.case.plant {
            PlantKind::Sim => self.simulated(self.simulation()?),
            PlantKind::ModelledBus => self.behind_model(self.simulation()?),
            PlantKind::VirtualBus => self.behind_virtual_bus(),
            PlantKind::EtherCat(interface) => self.on_card(interface),
            PlantKind::Own { name, argument } => self.on_own(name, argument.as_deref()),
        }?;
        let plugged = match &self.past {
            Some(past) => plugged.counting_from(past.next_cycle),
            None => plugged,
        };
        Ok(match &self.measurements {
            Some(measurements) => plugged.with_eyes(Eyes::Recorded(Arc::clone(measurements))),
            None => plugged,
        })
    }

    /// The world behind the emulated boards, on its own: for whoever serves them on a network card.
    pub fn virtual_bus(&self) -> Result<VirtualBus<SimRobot, SimClock>, ScenarioError> {
        let (robot, clock, _) = plant::plug(self.lone_simulation()?);
        Ok(VirtualBus::new(&*self.plan()?, robot, clock, self.bus_faults(), self.case.seed)?)
    }

    /// How many boards the bus has.
    pub fn bus_boards(&self) -> usize {
        self.bus.as_ref().map_or(0, |bus| bus.boards.len())
    }

    pub(crate) fn simulated(&self, simulation: Simulation) -> Result<Plugged, ScenarioError> {
        let (robot, clock, simulation) = plant::plug(simulation);
        let (robot, clock) = (PlantRobot::Sim(Box::new(robot)), PlantClock::Sim(clock));
        Ok(Plugged { robot, clock, simulation: Some(simulation), half: None })
    }

    pub(crate) fn behind_model(&self, simulation: Simulation) -> Result<Plugged, ScenarioError> {
        let (robot, clock, simulation) = plant::plug(simulation);
        let link = SideLink::new(robot.layout());
        let exchange = Modelled::new(self.plan()?, BehindBoards::new(robot, link.clone()), clock)?;
        self.on_bus(Box::new(exchange), Some((simulation, link)))
    }

    fn behind_virtual_bus(&self) -> Result<Plugged, ScenarioError> {
        let (robot, clock, simulation) = plant::plug(self.simulation()?);
        let plan = self.plan()?;
        let link = SideLink::new(robot.layout());
        let robot = BehindBoards::new(robot, link.clone());
        let bus = VirtualBus::new(&plan, robot, clock, self.bus_faults(), self.case.seed)?;
        let exchange = EtherCat::new(InProcess::new(bus), plan, self.layout().period)?;
        self.on_bus(Box::new(exchange), Some((simulation, link)))
    }

    fn on_card(&self, interface: &str) -> Result<Plugged, ScenarioError> {
        self.expect_eyes()?;
        let exchange = EtherCat::new(RawSocket::open(interface)?, self.plan()?, self.layout().period)?;
        self.on_bus(Box::new(exchange), None)
    }

    fn on_own(&self, name: &str, argument: Option<&str>) -> Result<Plugged, ScenarioError> {
        let setup = PlantSetup {
            argument: Argument::new(argument),
            robot: &self.robot,
            layout: &self.layout(),
            world: &self.world,
            start_in_world: self.spawn,
            pose: self.robot.description.pose(&self.case.pose).map_or(&[], |pose| &pose.positions),
            seed: self.case.seed,
        };
        let own = self.registry.build_plant(name, &setup).and_then(|own| setup.argument.expect_read().map(|()| own));
        let own = own.map_err(|why| ScenarioError::Usage(format!("plant '{}': {why}", self.case.plant)))?;
        let (robot, clock) = (PlantRobot::Own(own.robot), PlantClock::Own(own.clock));
        Ok(Plugged { robot, clock, simulation: None, half: None })
    }

    /// Refuses a plant that neither ships nor is this program's own.
    pub(crate) fn expect_plant(case: &Case, registry: &Registry) -> Result<(), ScenarioError> {
        let PlantKind::Own { name, .. } = &case.plant else { return Ok(()) };
        if registry.pace(name).is_some() {
            return Ok(());
        }
        let own: String = registry.plants().map(|name| format!("{name}, ")).collect();
        let expected =
            format!("expected {own}sim, virtual-bus, modelled-bus or ethercat:INTERFACE, found '{}'", case.plant);
        let in_file = format!("\"{}\"", case.plant);
        Err(match case.source.text.contains(&in_file) {
            true => case.wrong_at(&in_file, format!("plant: {expected}")),
            false => ScenarioError::Usage(format!("--plant: {expected}")),
        })
    }

    fn on_bus(
        &self,
        exchange: Box<dyn Exchange>,
        simulation: Option<(SharedSimulation, SideLink)>,
    ) -> Result<Plugged, ScenarioError> {
        let (robot, clock) = hil::robot::plug(exchange, self.plan()?, &self.layout());
        let Some(on_bus) = self.joints_on_bus()? else {
            let (robot, clock) = (PlantRobot::Bus(Box::new(robot)), PlantClock::Bus(clock));
            let (simulation, link) = simulation.unzip();
            let plugged = Plugged { robot, clock, simulation, half: None };
            let link = link.filter(|_| !self.case.sensors.is_empty());
            return Ok(match link {
                Some(link) => plugged.with_eyes(Eyes::Beside(link)),
                None => plugged,
            });
        };
        let (sim_robot, sim_clock, half) = plant::plug(self.lone_simulation()?);
        let (robot, clock) = mix((robot, clock), (sim_robot, sim_clock), on_bus);
        let (robot, clock) = (PlantRobot::Mixed(Box::new(robot)), PlantClock::Mixed(clock));
        // the world behind the boards is half of the truth, and so is the one beside them
        Ok(Plugged { robot, clock, simulation: None, half: Some(half) })
    }

    /// Lasers and cameras are not on a bus. Beside a real one there is nobody who sees, unless half of the robot is simulated.
    fn expect_eyes(&self) -> Result<(), ScenarioError> {
        let is_blind = self.case.mixed.is_none() && self.measurements.is_none();
        let on_bus = |name: &&String| name.as_str() == robot_model::description::SKIN;
        let Some(sensor) = self.case.sensors.iter().find(|name| !on_bus(name)).filter(|_| is_blind) else {
            return Ok(());
        };
        Err(ScenarioError::Usage(format!(
            "--plant {}: expected a scenario whose sensors are on the bus, found '{sensor}', which has a cable of its own \
             that nobody drives here; leave it out of the scenario's sensors or take a log's scans by --scans",
            self.case.plant
        )))
    }

    /// For each joint of a mixed plant, whether it is on the bus; `None` if all of them are. Every joint that is named must
    /// have a board, and every board's joints must be named.
    fn joints_on_bus(&self) -> Result<Option<Vec<bool>>, ScenarioError> {
        let Some(mixed) = &self.case.mixed else { return Ok(None) };
        let file = &self.case.source.path;
        let wrong = |message: String| ScenarioError::Case(page::Fault::new(file, mixed.line, message));
        let layout = self.layout();
        let mut on_bus = vec![false; layout.joints.len()];
        for name in &mixed.bus {
            let limb = self.robot.description.limb(name).map(|limb| limb.joints.clone());
            let joints = limb.or_else(|| layout.joint(name).map(|joint| vec![joint]));
            let unknown = || wrong(format!("mixed: {} has no limb or joint named '{name}'", layout.robot));
            joints.ok_or_else(unknown)?.into_iter().for_each(|joint| on_bus[joint] = true);
        }
        let plan = self.plan()?;
        let mut has_board = vec![false; layout.joints.len()];
        plan.boards.iter().flat_map(|board| board.kind.joints()).for_each(|joint| has_board[*joint] = true);
        match (0..layout.joints.len()).find(|joint| on_bus[*joint] != has_board[*joint]) {
            None => Ok(Some(on_bus)),
            Some(joint) => {
                let (name, bus) = (&layout.joints[joint].name, &plan.source.0);
                Err(wrong(match on_bus[joint] {
                    true => format!("mixed: joint '{name}' is to be on the bus, but {bus} has no board for it"),
                    false => format!("mixed: {bus} has a board for joint '{name}', which is to be simulated"),
                }))
            }
        }
    }

    /// The boards of the bus; an error if there is none.
    pub fn plan(&self) -> Result<Arc<BusPlan>, ScenarioError> {
        let missing = || ScenarioError::Usage(format!("--plant {}: expected a bus file, found none", self.case.plant));
        self.bus.clone().ok_or_else(missing)
    }

    fn bus_faults(&self) -> Vec<BusFault> {
        self.case.bus_faults.iter().map(|plan| plan.fault.clone()).collect()
    }
}
