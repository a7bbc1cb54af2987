//! The workers behind deadline tasks.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, bounded, unbounded};
use robot_io::deadline::{Job, TaskBoard};
use serde::{Deserialize, Serialize};

/// Runs jobs on worker threads and delivers each result in exactly the cycle it was promised for.
///
/// In simulation the cycle in which a result is due waits for it, so a run is the same on any number of workers, and
/// with none, when jobs run where they are released.
#[derive(Debug)]
pub struct WorkerBoard {
    cycle: u64,
    pending: VecDeque<Pending>,
    jobs: Option<Sender<(Job, Sender<Done>)>>,
    workers: Vec<JoinHandle<()>>,
    deliveries: Vec<Delivery>,
}

/// What became of one deadline task, for checks and the report.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// Which task.
    pub task: Cow<'static, str>,
    /// The cycle in which it was delivered.
    pub cycle: u64,
    /// How many cycles it was given.
    pub latency_cycles: u64,
    /// How long the computation took on this machine; not part of the run's result.
    pub took: Duration,
}

/// A task under way when a snapshot was taken, with its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedTask {
    task: String,
    due: u64,
    latency_cycles: u64,
    result: Vec<u8>,
}

#[derive(Debug)]
struct Pending {
    task: Cow<'static, str>,
    due: u64,
    latency_cycles: u64,
    result: Outcome,
}

#[derive(Debug)]
enum Outcome {
    Computing(Receiver<Done>),
    Done(Done),
}

#[derive(Debug, Default)]
struct Done {
    result: Vec<u8>,
    took: Duration,
}

impl WorkerBoard {
    /// A board with `workers` threads; with none, jobs run where they are released.
    pub fn new(workers: usize) -> WorkerBoard {
        let (sender, receiver) = unbounded::<(Job, Sender<Done>)>();
        let start = |_| {
            let jobs = receiver.clone();
            std::thread::spawn(move || jobs.iter().for_each(|(job, answer)| drop(answer.send(compute(job)))))
        };
        let workers: Vec<_> = (0..workers).map(start).collect();
        let jobs = (!workers.is_empty()).then_some(sender);
        WorkerBoard { cycle: 0, pending: VecDeque::new(), jobs, workers, deliveries: Vec::with_capacity(64) }
    }

    /// Begins a cycle.
    pub fn begin(&mut self, cycle: u64) {
        self.cycle = cycle;
    }

    /// What has been delivered since the last call.
    pub fn take_deliveries(&mut self) -> std::vec::Drain<'_, Delivery> {
        self.deliveries.drain(..)
    }

    /// What is under way, waiting for each result, so that a snapshot holds it.
    pub fn save(&mut self) -> Vec<SavedTask> {
        for pending in &mut self.pending {
            pending.result.settle();
        }
        self.pending.iter().map(SavedTask::from).collect()
    }

    /// Replaces what is under way by what a snapshot held.
    pub fn restore(&mut self, cycle: u64, saved: &[SavedTask]) {
        self.cycle = cycle;
        self.deliveries.clear();
        self.pending = saved.iter().cloned().map(Pending::from).collect();
    }
}

impl From<&Pending> for SavedTask {
    fn from(pending: &Pending) -> SavedTask {
        let result = match &pending.result {
            Outcome::Done(done) => done.result.clone(),
            Outcome::Computing(_) => Vec::new(),
        };
        let Pending { task, due, latency_cycles, .. } = pending;
        SavedTask { task: task.to_string(), due: *due, latency_cycles: *latency_cycles, result }
    }
}

impl From<SavedTask> for Pending {
    fn from(saved: SavedTask) -> Pending {
        let SavedTask { task, due, latency_cycles, result } = saved;
        let result = Outcome::Done(Done { result, took: Duration::ZERO });
        Pending { task: Cow::Owned(task), due, latency_cycles, result }
    }
}

impl TaskBoard for WorkerBoard {
    fn release(&mut self, task: &'static str, latency_cycles: u64, job: Job) {
        let result = match &self.jobs {
            None => Outcome::Done(compute(job)),
            Some(jobs) => {
                let (answer, result) = bounded(1);
                match jobs.send((job, answer)) {
                    Ok(()) => Outcome::Computing(result),
                    Err(unsent) => Outcome::Done(compute(unsent.into_inner().0)),
                }
            }
        };
        let task = Cow::Borrowed(task);
        self.pending.push_back(Pending { task, due: self.cycle + latency_cycles, latency_cycles, result });
    }

    fn collect(&mut self, task: &'static str) -> Option<Vec<u8>> {
        let is_due = |pending: &Pending| pending.task == task && pending.due <= self.cycle;
        let index = self.pending.iter().position(is_due)?;
        let Pending { task, latency_cycles, result, .. } = self.pending.remove(index)?;
        let Done { result, took } = result.wait();
        self.deliveries.push(Delivery { task, cycle: self.cycle, latency_cycles, took });
        Some(result)
    }
}

impl Drop for WorkerBoard {
    fn drop(&mut self) {
        self.jobs = None;
        for worker in self.workers.drain(..) {
            drop(worker.join());
        }
    }
}

impl Outcome {
    /// Waits for the result. A job that panicked has none; an empty result is what its task then fails to restore.
    fn wait(self) -> Done {
        match self {
            Outcome::Done(done) => done,
            Outcome::Computing(result) => result.recv().unwrap_or_default(),
        }
    }

    /// Waits for the result and keeps it.
    fn settle(&mut self) {
        if let Outcome::Computing(result) = self {
            *self = Outcome::Done(result.recv().unwrap_or_default());
        }
    }
}

fn compute(job: Job) -> Done {
    let begin = Instant::now();
    let result = job();
    Done { result, took: begin.elapsed() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deliveries_of(workers: usize) -> Vec<(u64, Option<Vec<u8>>)> {
        let mut board = WorkerBoard::new(workers);
        board.begin(5);
        board.release("plan", 3, Box::new(|| vec![1]));
        board.release("map", 2, Box::new(|| vec![2]));
        let mut collect = |cycle| {
            board.begin(cycle);
            [(cycle, board.collect("plan")), (cycle, board.collect("map"))]
        };
        (6..10).flat_map(&mut collect).filter(|(_, result)| result.is_some()).collect()
    }

    #[test]
    fn results_come_in_the_promised_cycle_on_any_number_of_workers() {
        let expected = vec![(7, Some(vec![2])), (8, Some(vec![1]))];
        for workers in [0, 1, 3] {
            assert_eq!(deliveries_of(workers), expected, "{workers} workers");
        }
    }

    #[test]
    fn what_is_under_way_survives_a_snapshot() {
        let mut board = WorkerBoard::new(2);
        board.begin(10);
        board.release("plan", 4, Box::new(|| vec![7]));
        let saved = board.save();
        let mut other = WorkerBoard::new(0);
        other.restore(10, &saved);
        other.begin(13);
        assert_eq!(other.collect("plan"), None);
        other.begin(14);
        assert_eq!(other.collect("plan"), Some(vec![7]));
    }
}
