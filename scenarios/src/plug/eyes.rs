//! Scans and pictures that come by another way than the joints: on a cable of their own beside a bus, or out of a log.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use replay::LogReader;
use robot_io::{
    CameraLayout, Commands, DepthImage, Image, IoError, LaserScan, Readings, RobotIo, RobotLayout, Sealed, State,
    StateVisitor, delegate_robot_io,
};

use super::PlantRobot;
use crate::ScenarioError;

/// Where scans and pictures come from.
#[derive(Clone, Debug)]
pub enum Eyes {
    /// From the robot behind the boards of a bus, in the same cycle.
    Beside(SideLink),
    /// From a log, in the cycle in which they came then.
    Recorded(Arc<Measurements>),
}

/// A plant whose scans and pictures are somebody else's.
#[derive(Debug)]
pub struct Seeing {
    robot: PlantRobot,
    eyes: Eyes,
}

/// One cycle's scans and pictures.
#[derive(Clone, Debug, Default)]
struct Seen {
    scans: Vec<Option<Sealed<LaserScan>>>,
    images: Vec<Option<Sealed<Image>>>,
    depth_images: Vec<Option<Sealed<DepthImage>>>,
}

impl Seen {
    fn take_from(&mut self, readings: &Readings) {
        self.scans.clone_from(&readings.scans);
        self.images.clone_from(&readings.images);
        self.depth_images.clone_from(&readings.depth_images);
    }

    fn give_to(&self, readings: &mut Readings) {
        readings.scans.clone_from(&self.scans);
        readings.images.clone_from(&self.images);
        readings.depth_images.clone_from(&self.depth_images);
    }
}

impl Seeing {
    /// `robot` with other eyes.
    pub fn new(robot: PlantRobot, eyes: Eyes) -> Seeing {
        Seeing { robot, eyes }
    }

    /// The plant itself.
    pub fn plant(&self) -> &PlantRobot {
        &self.robot
    }
}

impl RobotIo for Seeing {
    delegate_robot_io!(robot: layout, lifecycle, transition, drain_events);

    fn read(&mut self, readings: &mut Readings) -> Result<(), IoError> {
        self.robot.read(readings)?;
        match &self.eyes {
            Eyes::Beside(link) => link.lock().seen.give_to(readings),
            Eyes::Recorded(measurements) => measurements.give_to(readings),
        }
        Ok(())
    }

    fn write(&mut self, commands: &Commands) -> Result<(), IoError> {
        self.robot.write(commands)?;
        if let Eyes::Beside(link) = &self.eyes {
            let mut side = link.lock();
            side.take_image.clone_from(&commands.take_image);
            side.take_depth_image.clone_from(&commands.take_depth_image);
        }
        Ok(())
    }
}

impl State for Seeing {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        self.robot.visit_state(visitor);
    }
}

/// The cable of the sensors that are not on the bus: both ends hold it, in turn and in one thread.
#[derive(Clone, Debug)]
pub struct SideLink(Arc<Mutex<Side>>);

#[derive(Debug)]
struct Side {
    seen: Seen,
    take_image: Vec<bool>,
    take_depth_image: Vec<bool>,
}

impl SideLink {
    /// A cable for the sensors of a robot.
    pub fn new(layout: &RobotLayout) -> SideLink {
        let mut seen = Seen::default();
        seen.take_from(&Readings::new(layout));
        let Commands { take_image, take_depth_image, .. } = Commands::new(layout);
        SideLink(Arc::new(Mutex::new(Side { seen, take_image, take_depth_image })))
    }

    fn lock(&self) -> MutexGuard<'_, Side> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The robot behind the boards, with the other end of the cable: what its sensors see goes there, and what its cameras shall do
/// comes from there.
#[derive(Debug)]
pub struct BehindBoards<R> {
    inner: R,
    link: SideLink,
    commands: Commands,
}

impl<R: RobotIo> BehindBoards<R> {
    /// `inner` with a cable beside its boards.
    pub fn new(inner: R, link: SideLink) -> BehindBoards<R> {
        let commands = Commands::new(inner.layout());
        BehindBoards { inner, link, commands }
    }
}

impl<R: RobotIo> RobotIo for BehindBoards<R> {
    delegate_robot_io!(inner: layout, lifecycle, transition, drain_events);

    fn read(&mut self, readings: &mut Readings) -> Result<(), IoError> {
        self.inner.read(readings)?;
        self.link.lock().seen.take_from(readings);
        Ok(())
    }

    fn write(&mut self, commands: &Commands) -> Result<(), IoError> {
        self.commands.copy_from(commands);
        let side = self.link.lock();
        self.commands.take_image.clone_from(&side.take_image);
        self.commands.take_depth_image.clone_from(&side.take_depth_image);
        drop(side);
        self.inner.write(&self.commands)
    }
}

/// The scans and pictures of a log.
#[derive(Debug)]
pub struct Measurements {
    log: PathBuf,
    layout: RobotLayout,
    cycles: BTreeMap<u64, Seen>,
}

impl Measurements {
    /// Reads all of them, so that a broken log shows before the run begins.
    pub fn of(log: &LogReader) -> Result<Measurements, ScenarioError> {
        let mut found = BTreeMap::new();
        let mut cycles = log.cycles();
        while let Some(cycle) = cycles.next_cycle()? {
            let Readings { scans, images, depth_images, .. } = &cycle.readings;
            let any = scans.iter().any(Option::is_some)
                || images.iter().any(Option::is_some)
                || depth_images.iter().any(Option::is_some);
            if any {
                let mut seen = Seen::default();
                seen.take_from(&cycle.readings);
                found.insert(cycle.readings.cycle, seen);
            }
        }
        Ok(Measurements { log: log.path().to_owned(), layout: log.layout().clone(), cycles: found })
    }

    /// The log.
    pub fn log(&self) -> &std::path::Path {
        &self.log
    }

    /// Refuses a robot whose sensors or cycles are not those of the log.
    pub fn check(&self, layout: &RobotLayout) -> Result<(), ScenarioError> {
        let wrong = |what: &str, expected: String, found: String| ScenarioError::File {
            path: self.log.clone(),
            message: format!("{what} of the recorded robot: expected {expected}, as in this run, found {found}"),
        };
        let (ours, theirs) = (layout, &self.layout);
        let lasers = |layout: &RobotLayout| layout.lasers.iter().map(|laser| laser.name.clone()).collect();
        let cameras = |cameras: &[CameraLayout]| cameras.iter().map(|camera| camera.name.clone()).collect();
        let depth = |layout: &RobotLayout| cameras(&layout.depth_cameras);
        let parts: [(&str, bool, [Vec<String>; 2]); 3] = [
            ("lasers", ours.lasers == theirs.lasers, [ours, theirs].map(lasers)),
            ("cameras", ours.cameras == theirs.cameras, [ours, theirs].map(|layout| cameras(&layout.cameras))),
            ("depth cameras", ours.depth_cameras == theirs.depth_cameras, [ours, theirs].map(depth)),
        ];
        if let Some((what, _, [expected, found])) = parts.into_iter().find(|(_, same, _)| !same) {
            return Err(match expected == found {
                true => wrong(what, format!("{} with the same geometry", expected.join(", ")), "another".to_owned()),
                false => wrong(what, format!("[{}]", expected.join(", ")), format!("[{}]", found.join(", "))),
            });
        }
        let cycles = [ours, theirs].map(|layout| layout.period.seconds());
        let [expected, found] = cycles.map(|period| format!("{period} s"));
        if ours.period == theirs.period { Ok(()) } else { Err(wrong("control cycle", expected, found)) }
    }

    /// What came in the readings' cycle; nothing in others and past the log's end.
    fn give_to(&self, readings: &mut Readings) {
        match self.cycles.get(&readings.cycle) {
            Some(seen) => seen.give_to(readings),
            None => {
                readings.scans.fill(None);
                readings.images.fill(None);
                readings.depth_images.fill(None);
            }
        }
    }
}
