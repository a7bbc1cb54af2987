//! What a real-time thread asks of the system, and what it got.

use std::fmt;

use serde::Serialize;
use thread_priority::{
    RealtimeThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy, set_thread_priority_and_policy,
    thread_native_id, thread_schedule_policy,
};

use super::os;

/// Stack that is touched beforehand, so that no page of it is missing in a cycle [bytes]. A thread of Rust's has 2 MiB.
const STACK: usize = 256 * 1024;
/// Steps of this are touched [bytes]; no page is smaller.
const PAGE: usize = 4096;

/// What to ask for. Nothing is asked for that is `None` or false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RealtimeSetup {
    /// Priority under SCHED_FIFO, 1 to 99. Above the network card's interrupt thread (50) a thread that waits for frames
    /// keeps them from arriving on its own core.
    pub priority: Option<u8>,
    /// The core that the thread stays on.
    pub core: Option<usize>,
    /// No page of the process may be paged out.
    pub lock_memory: bool,
    /// How late the thread's timers may fire [ns]; 1 is the least.
    pub timer_slack: Option<u64>,
    /// Touch the stack beforehand.
    pub prefault_stack: bool,
}

impl Default for RealtimeSetup {
    /// Everything but a core: which one is free only the owner of the machine knows. Priority 80: ethercat.md, section 9.4.
    fn default() -> Self {
        RealtimeSetup { priority: Some(80), core: None, lock_memory: true, timer_slack: Some(1), prefault_stack: true }
    }
}

/// One thing that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// Real-time priority.
    Priority,
    /// A core of its own.
    Core,
    /// Locked memory.
    Memory,
    /// Exact timers.
    TimerSlack,
    /// A stack that is there.
    Stack,
}

impl StepKind {
    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            StepKind::Priority => "real-time priority",
            StepKind::Core => "processor core",
            StepKind::Memory => "locked memory",
            StepKind::TimerSlack => "timer slack",
            StepKind::Stack => "stack",
        }
    }
}

/// What became of one request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// What was asked for.
    pub kind: StepKind,
    /// Whether it was granted.
    pub granted: bool,
    /// What there is now, or why it was refused.
    pub found: String,
    /// How to get it; empty where it was granted.
    pub cure: &'static str,
}

/// What became of all requests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RealtimeReport {
    /// In the order in which they were made.
    pub steps: Vec<Step>,
}

impl RealtimeReport {
    /// True if all was granted that was asked for.
    pub fn is_complete(&self) -> bool {
        self.steps.iter().all(|step| step.granted)
    }
}

impl RealtimeSetup {
    /// Asks for all of it, for the calling thread; memory is the whole process's. What is refused changes nothing.
    pub fn apply(&self) -> RealtimeReport {
        // memory first: what is touched afterwards stays
        let steps = [
            self.lock_memory.then(memory),
            self.prefault_stack.then(stack),
            self.core.map(core),
            self.timer_slack.map(timer_slack),
            // last: a thread of high priority should have nothing left to wait for
            self.priority.map(priority),
        ];
        RealtimeReport { steps: steps.into_iter().flatten().collect() }
    }
}

/// Whether one more thread may spin under real-time priority, where `spinning` do so already: one core at least is left to
/// the kernel.
pub fn may_spin(spinning: usize) -> bool {
    std::thread::available_parallelism().is_ok_and(|cores| leaves_a_core(spinning, cores.get()))
}

const fn leaves_a_core(spinning: usize, cores: usize) -> bool {
    spinning + 2 <= cores
}

fn granted(kind: StepKind, found: impl Into<String>) -> Step {
    Step { kind, granted: true, found: found.into(), cure: "" }
}

fn refused(kind: StepKind, found: impl Into<String>, cure: &'static str) -> Step {
    Step { kind, granted: false, found: found.into(), cure }
}

fn memory() -> Step {
    const CURE: &str =
        "`ulimit -l unlimited`, or in /etc/security/limits.d/99-realtime.conf: `@realtime - memlock unlimited`";
    // the kernel would grant it and then refuse every later allocation beyond the limit
    let (limit, used) = (os::memory_limit().unwrap_or(0), os::memory_in_use().unwrap_or(0));
    let is_root = std::fs::read_to_string("/proc/self/status").is_ok_and(|status| has_ipc_lock(&status));
    if !is_root && limit < used.saturating_mul(2) {
        let found = format!("{} MiB may be locked, the process has {} MiB and may grow", limit >> 20, used >> 20);
        return refused(StepKind::Memory, found, CURE);
    }
    match os::lock_memory() {
        Ok(()) => granted(StepKind::Memory, "all pages, present and future"),
        Err(error) => refused(StepKind::Memory, error.to_string(), CURE),
    }
}

/// CAP_IPC_LOCK, bit 14 of the effective capabilities (`linux/capability.h`): locks without a limit.
fn has_ipc_lock(status: &str) -> bool {
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    line.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).is_some_and(|set| set >> 14 & 1 == 1)
}

#[inline(never)]
fn stack() -> Step {
    let mut pages = [0_u8; STACK];
    for byte in pages.iter_mut().step_by(PAGE) {
        *byte = 1;
    }
    let touched = std::hint::black_box(&pages).iter().map(|byte| usize::from(*byte)).sum::<usize>();
    granted(StepKind::Stack, format!("{} KiB touched beforehand", touched * PAGE / 1024))
}

fn core(core: usize) -> Step {
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    let allowed: Vec<usize> = cores.iter().map(|id| id.id).collect();
    let cure = "give one of the cores that the process may use (`taskset -p $$`, `chiron doctor`)";
    match cores.into_iter().find(|id| id.id == core) {
        None => refused(StepKind::Core, format!("core {core} is not one of {allowed:?}"), cure),
        Some(id) if core_affinity::set_for_current(id) => granted(StepKind::Core, format!("stays on core {core}")),
        Some(_) => refused(StepKind::Core, format!("the system refuses core {core}"), cure),
    }
}

fn timer_slack(nanoseconds: u64) -> Step {
    match os::set_timer_slack(nanoseconds).and_then(|()| os::timer_slack()) {
        Ok(slack) => granted(StepKind::TimerSlack, format!("{slack} ns")),
        Err(error) => refused(StepKind::TimerSlack, error.to_string(), "no system that we know of refuses it"),
    }
}

fn priority(wanted: u8) -> Step {
    const CURE: &str = "`sudo setcap cap_sys_nice,cap_net_raw+ep PROGRAM`, or in /etc/security/limits.d/99-realtime.conf: \
                        `@realtime - rtprio 98`, then log in again";
    let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
    let level = match thread_priority::ThreadPriorityValue::try_from(wanted) {
        Ok(value) => ThreadPriority::Crossplatform(value),
        Err(error) => return refused(StepKind::Priority, format!("{wanted}: {error}"), "give 1 to 99"),
    };
    let asked = set_thread_priority_and_policy(thread_native_id(), level, policy);
    match asked.and_then(|()| thread_schedule_policy()) {
        Ok(found) if found == policy => granted(StepKind::Priority, format!("SCHED_FIFO {wanted}")),
        Ok(found) => refused(StepKind::Priority, format!("asked for SCHED_FIFO {wanted}, it is {found:?}"), CURE),
        Err(error) => {
            let error = match error {
                thread_priority::Error::OS(code) => std::io::Error::from_raw_os_error(code).to_string(),
                other => format!("{other:?}"),
            };
            let limit = os::priority_limit().unwrap_or(0);
            refused(StepKind::Priority, format!("SCHED_FIFO {wanted}: {error}; up to {limit} without privilege"), CURE)
        }
    }
}

impl fmt::Display for RealtimeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.iter().try_for_each(|step| writeln!(f, "{step}"))
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mark, name) = (if self.granted { '✓' } else { '✗' }, self.kind.name());
        write!(f, "{mark} {name:<20} {}", self.found)?;
        if self.cure.is_empty() { Ok(()) } else { write!(f, "\n    {}", self.cure) }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    /// On a thread of its own, which ends with what it was granted.
    fn applied(setup: RealtimeSetup) -> RealtimeReport {
        std::thread::spawn(move || setup.apply()).join().unwrap()
    }

    #[test]
    fn every_request_is_answered_and_what_is_refused_says_how_to_get_it() {
        // locking all memory would reach beyond this test
        let setup = RealtimeSetup { lock_memory: false, core: Some(0), ..RealtimeSetup::default() };
        let report = applied(setup);
        let kinds: Vec<StepKind> = report.steps.iter().map(|step| step.kind).collect();
        assert_eq!(kinds, [StepKind::Stack, StepKind::Core, StepKind::TimerSlack, StepKind::Priority]);
        for step in &report.steps {
            assert_eq!(step.granted, step.cure.is_empty(), "{step}");
        }
        let slack = report.steps.iter().find(|step| step.kind == StepKind::TimerSlack).unwrap();
        assert_eq!((slack.granted, slack.found.as_str()), (true, "1 ns"));
    }

    #[test]
    fn a_core_that_is_not_there_is_refused_by_number() {
        let none = RealtimeSetup {
            priority: None,
            core: Some(9_999),
            lock_memory: false,
            timer_slack: None,
            prefault_stack: false,
        };
        let report = applied(none);
        assert!(!report.is_complete());
        assert!(report.to_string().contains("core 9999 is not one of ["), "{report}");
    }

    #[test]
    fn one_core_is_left_to_the_kernel() {
        assert!(!leaves_a_core(0, 1));
        assert!(leaves_a_core(0, 2));
        assert!(!leaves_a_core(1, 2));
        assert!(leaves_a_core(2, 4));
    }

    #[test]
    fn the_capability_to_lock_is_read_from_its_bit() {
        assert!(has_ipc_lock("Name:\tx\nCapEff:\t0000000000004000\n"));
        assert!(!has_ipc_lock("CapEff:\t0000000000000fff\n"));
        assert!(!has_ipc_lock("Name:\tx\n"));
    }
}
