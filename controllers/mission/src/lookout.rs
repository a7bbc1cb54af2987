//! Looks out for things that move: every scan goes to a deadline task that follows them.

use nalgebra::Vector3;
use navigation::{Glimpse, MovingObjects, MovingSettings, Track};
use robot_io::deadline::{DeadlineTask, TaskBoard};
use robot_io::{Period, RobotLayout, Sealed, State};
use slam::{Glance, Passing};

use crate::carried::CarriedThing;

/// From one look at what has been scanned to the next [s].
const INTERVAL: f64 = 0.1;
/// From the release of the task to its result [s].
const LATENCY: f64 = 0.024;
/// Most scans that wait: more come only while the task is late.
const MOST_WAITING: usize = 64;

/// Follows what moves around the robot.
#[derive(Debug, State)]
pub(crate) struct Lookout {
    #[state(fixed)]
    settings: MovingSettings,
    task: DeadlineTask<Sealed<MovingObjects>>,
    #[state(fixed)]
    interval_cycles: u64,
    next_cycle: u64,
    waiting: Vec<Glance>,
    /// What the robot carries now.
    carried: Vec<CarriedThing>,
    objects: Sealed<MovingObjects>,
    /// A result that was asked for before the last reset is under way.
    is_outdated: bool,
}

impl Lookout {
    /// Has seen nothing yet.
    pub fn new(layout: &RobotLayout, settings: MovingSettings) -> Lookout {
        let cycles = |seconds: f64| Period::from_seconds(seconds).cycles_of(layout.period);
        Lookout {
            settings,
            task: DeadlineTask::new("lookout", cycles(LATENCY)),
            interval_cycles: cycles(INTERVAL),
            next_cycle: 0,
            waiting: Vec::with_capacity(MOST_WAITING),
            carried: Vec::new(),
            objects: Sealed::default(),
            is_outdated: false,
        }
    }

    /// Forgets all.
    pub fn reset(&mut self) {
        self.waiting.clear();
        self.objects = Sealed::default();
        self.is_outdated = self.task.is_under_way();
    }

    /// This is in the robot's hands, and moves with them.
    pub fn note_carried(&mut self, carried: &[CarriedThing]) {
        carried.clone_into(&mut self.carried);
    }

    /// Takes in a scan.
    pub fn see(&mut self, scan: &Glance) {
        if self.waiting.len() == MOST_WAITING {
            self.waiting.remove(0);
        }
        self.waiting.push(scan.clone());
    }

    /// Takes the result that is due and hands out the scans that have come; true if there is something new to be said.
    pub fn exchange(&mut self, cycle: u64, board: &mut dyn TaskBoard) -> bool {
        let result = self.task.collect(board);
        let is_outdated = self.is_outdated && !self.task.is_under_way();
        self.is_outdated &= self.task.is_under_way();
        let result = result.filter(|_| !is_outdated);
        let is_new = result.is_some();
        self.objects = result.unwrap_or_else(|| self.objects.clone());
        if cycle < self.next_cycle || self.waiting.is_empty() || self.task.is_under_way() {
            return is_new;
        }
        let scans = core::mem::replace(&mut self.waiting, Vec::with_capacity(MOST_WAITING));
        let (objects, carried, settings) = (self.objects.clone(), self.carried.clone(), self.settings);
        self.task.release(board, move || look(objects, &scans, &carried, &settings));
        self.next_cycle = cycle + self.interval_cycles;
        is_new
    }

    /// All that has come, in the odometry frame, whether it is known to move or not.
    pub fn tracks(&self) -> impl Iterator<Item = &Track> {
        self.objects.tracks().iter()
    }

    /// The same as others leave it out of their maps. What stands still is a part of the world again.
    pub fn passing(&self) -> impl Iterator<Item = Passing> + '_ {
        let moving = self.objects.moving().filter(|track| track.still_since.is_none());
        moving.map(|track| {
            let floor_at = |x: f64, y: f64| self.objects.floor_at(x, y);
            let floor = floor_at(track.position.x, track.position.y).unwrap_or(0.0);
            let from = track.came_from();
            Passing {
                time: robot_io::Time::from_seconds(track.time),
                place: track.position,
                from: Vector3::new(from.x, from.y, floor_at(from.x, from.y).unwrap_or(floor)),
                velocity: track.velocity,
                radius: track.half,
                floor,
            }
        })
    }
}

fn look(
    objects: Sealed<MovingObjects>,
    scans: &[Glance],
    carried: &[CarriedThing],
    settings: &MovingSettings,
) -> Sealed<MovingObjects> {
    let mut objects = objects.open();
    for scan in scans {
        let points =
            scan.points_in_odom().filter(|point| !carried.iter().any(|thing| thing.has(&point.coords))).collect();
        let glimpse = Glimpse { time: scan.time(), scanner: scan.scanner_in_odom(), points };
        objects.look(&glimpse, settings);
    }
    Sealed::new(objects)
}
