//! The workers behind deadline tasks.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam::channel::{Receiver, Sender, TryRecvError, bounded, unbounded};
use robot_io::deadline::{Delivered, Job, TaskBoard};
use robot_io::{Keeper, Pool, Saved, last_words};
use serde::{Deserialize, Serialize};

use crate::computing_time::computing_time;

/// Runs jobs on worker threads and delivers each result in exactly the cycle it was promised for.
///
/// In simulation the cycle in which a result is due waits for it, so a run is the same on any number of workers, and
/// with none, when jobs run where they are released. On a real bus nobody waits: a result that is late is delivered in
/// the first cycle in which it exists, and the replay of the log delivers it there too.
#[derive(Debug)]
pub struct WorkerBoard {
    cycle: u64,
    lateness: Lateness,
    pending: VecDeque<Pending>,
    jobs: Option<Sender<(Job, Sender<Done>)>>,
    workers: Vec<JoinHandle<()>>,
    deliveries: Vec<Delivery>,
}

/// What happens to a result that is late.
#[derive(Debug)]
enum Lateness {
    /// The cycle waits for it.
    Waited,
    /// It comes when it exists.
    Allowed,
    /// It comes when it came then.
    Recorded(Vec<LateDelivery>),
}

/// A result that came late on a real bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LateDelivery {
    /// Which task.
    pub task: String,
    /// The cycle in which it was due.
    pub due: u64,
    /// The cycle in which it was delivered.
    pub cycle: u64,
}

/// What became of one deadline task, for checks and the report.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// Which task.
    pub task: Cow<'static, str>,
    /// The cycle in which it was delivered.
    pub cycle: u64,
    /// The cycle in which it was due; earlier than `cycle` if it was late.
    pub due: u64,
    /// How many cycles it was given.
    pub latency_cycles: u64,
    /// What the computation took of this machine's computing time; not part of the run's result.
    pub took: Duration,
    /// That it panicked, and with which words; there is no result then.
    pub failed: Option<String>,
}

/// A task under way when a snapshot was taken, with its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedTask {
    task: String,
    due: u64,
    latency_cycles: u64,
    /// `None` if the computation has failed.
    result: Option<Saved>,
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

#[derive(Debug)]
struct Done {
    result: Delivered,
    took: Duration,
    failed: Option<String>,
}

impl Default for Done {
    /// What a worker that is gone leaves behind.
    fn default() -> Self {
        Done { result: Delivered::Failed, took: Duration::ZERO, failed: None }
    }
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
        let (pending, deliveries) = (VecDeque::with_capacity(16), Vec::with_capacity(64));
        WorkerBoard { cycle: 0, lateness: Lateness::Waited, pending, jobs, workers, deliveries }
    }

    /// From now on no cycle waits for a result.
    pub fn deliver_when_ready(&mut self) {
        self.lateness = Lateness::Allowed;
    }

    /// From now on results come late where they came late in a log.
    pub fn deliver_as_recorded(&mut self, late: Vec<LateDelivery>) {
        self.lateness = Lateness::Recorded(late);
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
    pub fn save(&mut self, keeper: &mut Keeper<'_>) -> Vec<SavedTask> {
        self.pending.iter_mut().map(|pending| pending.save(keeper)).collect()
    }

    /// Replaces what is under way by what a snapshot held, with the contents of its sealed values.
    pub fn restore(&mut self, cycle: u64, saved: &[SavedTask], pool: &Pool) {
        self.cycle = cycle;
        self.deliveries.clear();
        self.pending = saved.iter().map(|saved| Pending::restored(saved, pool)).collect();
    }
}

impl Pending {
    /// Waits for the result and saves it.
    fn save(&mut self, keeper: &mut Keeper<'_>) -> SavedTask {
        self.result.settle();
        let result = match &mut self.result {
            Outcome::Done(Done { result: Delivered::Computed(result), .. }) => Some(keeper.save(result.as_mut())),
            Outcome::Done(Done { result: Delivered::Saved(saved, pool), .. }) => {
                keeper.keep(saved, pool);
                Some(saved.clone())
            }
            _ => None,
        };
        let Pending { task, due, latency_cycles, .. } = self;
        SavedTask { task: task.to_string(), due: *due, latency_cycles: *latency_cycles, result }
    }

    fn restored(saved: &SavedTask, pool: &Pool) -> Pending {
        let SavedTask { task, due, latency_cycles, result } = saved.clone();
        let result = result.map_or(Delivered::Failed, |result| Delivered::Saved(result, pool.clone()));
        let result = Outcome::Done(Done { result, ..Done::default() });
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
        let due = self.cycle + latency_cycles;
        self.pending.push_back(Pending { task, due, latency_cycles, result });
    }

    fn collect(&mut self, task: &'static str) -> Option<Delivered> {
        let is_due = |pending: &Pending| pending.task == task && self.lateness.due(task, pending.due) <= self.cycle;
        let index = self.pending.iter().position(is_due)?;
        if matches!(self.lateness, Lateness::Allowed) && !self.pending[index].result.is_ready() {
            return None;
        }
        let Pending { task, due, latency_cycles, result } = self.pending.remove(index)?;
        let Done { result, took, failed } = result.wait();
        let failed = failed.map(|message| format!("deadline task '{task}' panicked: {message}"));
        self.deliveries.push(Delivery { task, cycle: self.cycle, due, latency_cycles, took, failed });
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

impl Lateness {
    /// The cycle in which a result that is due in `due` comes at the earliest.
    fn due(&self, task: &str, due: u64) -> u64 {
        let Lateness::Recorded(late) = self else { return due };
        late.iter().find(|late| late.task == task && late.due == due).map_or(due, |late| late.cycle)
    }
}

impl Outcome {
    /// True if there is a result; never waits.
    fn is_ready(&mut self) -> bool {
        let Outcome::Computing(result) = self else { return true };
        match result.try_recv() {
            Ok(done) => *self = Outcome::Done(done),
            Err(TryRecvError::Empty) => return false,
            Err(TryRecvError::Disconnected) => *self = Outcome::Done(Done::default()),
        }
        true
    }

    /// Waits for the result. A job that panicked has none.
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
    let begin = computing_time();
    // a job owns all that it works on, so nothing half-made is left behind
    let (result, failed) = match catch_unwind(AssertUnwindSafe(job)) {
        Ok(result) => (Delivered::Computed(result), None),
        Err(payload) => (Delivered::Failed, Some(last_words(payload.as_ref()))),
    };
    Done { result, took: computing_time().saturating_sub(begin), failed }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use robot_io::{Sealed, StateWriter};

    use super::*;

    /// A job that returns a number.
    fn job(number: u64) -> Job {
        Box::new(move || Box::new(number))
    }

    /// The number that is delivered; zero if the computation has failed.
    fn number(delivered: Option<Delivered>) -> Option<u64> {
        delivered.map(|delivered| match delivered {
            Delivered::Computed(mut result) => {
                u64::from_le_bytes(StateWriter::save(result.as_mut()).try_into().unwrap())
            }
            Delivered::Saved(saved, pool) => {
                let mut number = 0_u64;
                pool.restore(&mut number, &saved).unwrap();
                number
            }
            Delivered::Failed => 0,
        })
    }

    fn deliveries_of(workers: usize) -> Vec<(u64, Option<u64>)> {
        let mut board = WorkerBoard::new(workers);
        board.begin(5);
        board.release("plan", 3, job(1));
        board.release("map", 2, job(2));
        let mut collect = |cycle| {
            board.begin(cycle);
            [(cycle, number(board.collect("plan"))), (cycle, number(board.collect("map")))]
        };
        (6..10).flat_map(&mut collect).filter(|(_, result)| result.is_some()).collect()
    }

    #[test]
    fn results_come_in_the_promised_cycle_on_any_number_of_workers() {
        let expected = vec![(7, Some(2)), (8, Some(1))];
        for workers in [0, 1, 3] {
            assert_eq!(deliveries_of(workers), expected, "{workers} workers");
        }
    }

    #[test]
    fn on_a_bus_nobody_waits_and_the_replay_delivers_when_it_came() {
        let (finish, finished) = bounded::<()>(0);
        let mut board = WorkerBoard::new(1);
        board.deliver_when_ready();
        board.begin(5);
        board.release("plan", 2, Box::new(move || Box::new(finished.recv().map_or(0_u64, |()| 1))));
        board.begin(7);
        assert_eq!(number(board.collect("plan")), None, "due, and not there");
        finish.send(()).unwrap();
        let cycle = (8..100_000).find(|cycle| {
            board.begin(*cycle);
            std::thread::yield_now();
            number(board.collect("plan")) == Some(1)
        });
        let cycle = cycle.unwrap();
        let delivery = board.take_deliveries().next().unwrap();
        assert_eq!((delivery.due, delivery.cycle), (7, cycle));

        let mut replay = WorkerBoard::new(0);
        replay.deliver_as_recorded(vec![LateDelivery { task: "plan".to_owned(), due: 7, cycle: 11 }]);
        replay.begin(5);
        replay.release("plan", 2, job(1));
        let mut came = |cycle| {
            replay.begin(cycle);
            replay.collect("plan").is_some()
        };
        assert_eq!((7..12).map(&mut came).collect::<Vec<_>>(), [false, false, false, false, true]);
    }

    #[test]
    fn a_job_that_panics_has_no_result_and_its_worker_goes_on() {
        for workers in [0, 1] {
            let mut board = WorkerBoard::new(workers);
            board.release("plan", 1, Box::new(|| std::panic::resume_unwind(Box::new("no way"))));
            board.release("map", 1, job(2));
            board.begin(1);
            assert_eq!((number(board.collect("plan")), number(board.collect("map"))), (Some(0), Some(2)));
            let failed = board.take_deliveries().next().unwrap().failed;
            assert_eq!(failed.as_deref(), Some("deadline task 'plan' panicked: no way"), "{workers} workers");
        }
    }

    #[test]
    fn what_is_under_way_survives_a_snapshot() {
        let mut board = WorkerBoard::new(2);
        board.begin(10);
        board.release("plan", 4, job(7));
        let nothing = Pool::default();
        let mut keeper = Keeper::new(&nothing);
        let saved = board.save(&mut keeper);
        let mut other = WorkerBoard::new(0);
        other.restore(10, &saved, &keeper.finish());
        other.begin(13);
        assert_eq!(number(other.collect("plan")), None);
        other.begin(14);
        assert_eq!(number(other.collect("plan")), Some(7));
    }

    /// Saved, restored and saved again, as by a fork that is forked: the sealed map comes along.
    #[test]
    fn the_sealed_part_of_a_result_is_in_the_pool_each_time() {
        let map = || Sealed::new(vec![1.0; 1_000]);
        let mut board = WorkerBoard::new(0);
        board.release("map", 4, Box::new(move || Box::new(map())));
        let mut pool = Pool::default();
        for _ in 0..2 {
            let nothing = Pool::default();
            let mut keeper = Keeper::new(&nothing);
            let saved = board.save(&mut keeper);
            pool = keeper.finish();
            board.restore(0, &saved, &pool);
            assert_eq!(saved[0].result.as_ref().unwrap().words.len(), 8, "its digest alone");
        }
        assert!(pool.get(map().digest()).is_some() && pool.len() == 1);
        board.begin(4);
        let mut task: robot_io::deadline::DeadlineTask<Sealed<Vec<f64>>> =
            robot_io::deadline::DeadlineTask::new("map", 4);
        assert_eq!(task.collect(&mut board), Some(map()));
    }
}
