//! Work that takes longer than a cycle, with results that come when they were promised.
//!
//! A deadline task receives a snapshot of its inputs when it is released in cycle k; its result becomes visible in
//! exactly cycle k + d, whatever the computation took. This is the logical execution time of Giotto (Henzinger,
//! Horowitz and Kirsch, "Giotto: a time-triggered language for embedded programming", 2003): the same run on one
//! thread and on eight. A controller holds a [`DeadlineTask`] per kind of work; the session owns the workers behind
//! the [`TaskBoard`].

use core::any::Any;
use core::fmt;
use core::marker::PhantomData;
use std::collections::VecDeque;

use crate::{Pool, Saved, State};

/// A computation that owns its inputs.
pub type Job = Box<dyn FnOnce() -> Box<dyn TaskResult> + Send>;

/// What a job returns: something that a snapshot can save while it waits for its cycle.
pub trait TaskResult: Any + State + Send + fmt::Debug {}

impl<T: Any + State + Send + fmt::Debug> TaskResult for T {}

/// A result as it is delivered.
#[derive(Debug)]
pub enum Delivered {
    /// As it was computed.
    Computed(Box<dyn TaskResult>),
    /// As a snapshot has saved it, with the contents of its sealed values.
    Saved(Saved, Pool),
    /// There is none: the computation has failed.
    Failed,
}

/// Where jobs go and results come from. The session hands it to the controller once per cycle.
pub trait TaskBoard {
    /// Takes a job whose result is due `latency_cycles` after the present cycle.
    fn release(&mut self, task: &'static str, latency_cycles: u64, job: Job);

    /// The result of `task` that is due in the present cycle, if there is one.
    fn collect(&mut self, task: &'static str) -> Option<Delivered>;
}

/// The controller's end of one kind of slow work. At most one job is under way.
#[derive(Debug, State)]
pub struct DeadlineTask<T> {
    #[state(fixed)]
    name: &'static str,
    #[state(fixed)]
    latency_cycles: u64,
    job: JobStanding,
    #[state(fixed)]
    result: PhantomData<fn() -> T>,
}

/// How it stands with a task's job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
enum JobStanding {
    /// There is none.
    #[default]
    None,
    /// Its result will be taken.
    UnderWay,
    /// Its result has lost its sense.
    Forgotten,
}

impl<T: TaskResult + Default> DeadlineTask<T> {
    /// A task whose results come `latency_cycles` after their release.
    pub fn new(name: &'static str, latency_cycles: u64) -> DeadlineTask<T> {
        DeadlineTask { name, latency_cycles: latency_cycles.max(1), job: JobStanding::None, result: PhantomData }
    }

    /// True from release to delivery.
    pub fn is_under_way(&self) -> bool {
        self.job != JobStanding::None
    }

    /// The result of what is under way, if something is, has lost its sense: it comes when it is due and is not looked at.
    pub fn forget(&mut self) {
        if self.is_under_way() {
            self.job = JobStanding::Forgotten;
        }
    }

    /// Releases a job; does nothing and returns false while another is under way.
    pub fn release(&mut self, board: &mut dyn TaskBoard, compute: impl FnOnce() -> T + Send + 'static) -> bool {
        if self.is_under_way() {
            return false;
        }
        self.job = JobStanding::UnderWay;
        board.release(self.name, self.latency_cycles, Box::new(move || Box::new(compute())));
        true
    }

    /// The result, in the cycle in which it is due; `None` also if the computation has failed, which ends it, or was
    /// [forgotten](DeadlineTask::forget).
    pub fn collect(&mut self, board: &mut dyn TaskBoard) -> Option<T> {
        let delivered = board.collect(self.name)?;
        let is_forgotten = core::mem::take(&mut self.job) == JobStanding::Forgotten;
        match delivered {
            _ if is_forgotten => None,
            Delivered::Computed(result) => (result as Box<dyn Any>).downcast().ok().map(|result| *result),
            Delivered::Saved(saved, pool) => {
                let mut result = T::default();
                pool.restore(&mut result, &saved).ok().map(|()| result)
            }
            Delivered::Failed => None,
        }
    }
}

/// A board without workers: it computes at once and delivers when due. For tests and single-threaded loops.
#[derive(Debug, Default)]
pub struct InlineBoard {
    cycle: u64,
    due: VecDeque<(u64, &'static str, Box<dyn TaskResult>)>,
}

impl InlineBoard {
    /// Begins a cycle.
    pub fn begin(&mut self, cycle: u64) {
        self.cycle = cycle;
    }
}

impl TaskBoard for InlineBoard {
    fn release(&mut self, task: &'static str, latency_cycles: u64, job: Job) {
        self.due.push_back((self.cycle + latency_cycles, task, job()));
    }

    fn collect(&mut self, task: &'static str) -> Option<Delivered> {
        let ready = self.due.iter().position(|(due, name, _)| *name == task && *due <= self.cycle)?;
        self.due.remove(ready).map(|(_, _, result)| Delivered::Computed(result))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_visible_in_exactly_the_cycle_it_was_promised_for() {
        let mut board = InlineBoard::default();
        let mut task: DeadlineTask<f64> = DeadlineTask::new("plan", 3);
        board.begin(10);
        assert!(task.release(&mut board, || 42.0));
        assert!(!task.release(&mut board, || 43.0), "one job at a time");
        for cycle in 11..13 {
            board.begin(cycle);
            assert_eq!(task.collect(&mut board), None, "cycle {cycle}");
        }
        board.begin(13);
        assert_eq!(task.collect(&mut board), Some(42.0));
        assert!(!task.is_under_way());
    }

    #[test]
    fn a_forgotten_result_is_waited_for_and_not_looked_at() {
        let mut board = InlineBoard::default();
        let mut task: DeadlineTask<f64> = DeadlineTask::new("plan", 2);
        task.forget();
        assert!(task.release(&mut board, || 1.0), "there was nothing to forget");
        task.forget();
        assert!(!task.release(&mut board, || 2.0), "one job at a time");
        board.begin(2);
        assert_eq!((task.collect(&mut board), task.is_under_way()), (None, false));
        assert!(task.release(&mut board, || 3.0));
        board.begin(4);
        assert_eq!(task.collect(&mut board), Some(3.0));
    }
}
