//! What a thread that must be on time needs of the system.

use rustix::process::{Resource, getrlimit};

use super::machine::{Machine, kernel_release};
use super::{Finding, Mark, mark};

/// Locked memory for a real-time process with its buffers [bytes]; chosen.
const LOCKED: u64 = 1 << 30;
/// Bits of Linux's capability sets, from `linux/capability.h`.
const CAP_IPC_LOCK: u32 = 14;
const CAP_SYS_NICE: u32 = 23;
/// The highest priority that Linux has for real-time threads.
const HIGHEST: u64 = 99;

pub(super) fn findings(machine: &Machine) -> Vec<Finding> {
    vec![
        kernel(machine),
        tick(machine),
        priority(machine),
        throttle(machine),
        locked_memory(machine),
        timer_slack(machine),
        governor(machine),
        spare_core(machine),
        isolation(machine),
    ]
}

fn kernel(machine: &Machine) -> Finding {
    let cure = &[
        "Debian: apt install linux-image-rt-amd64; Ubuntu: pro enable realtime-kernel, or apt install linux-lowlatency",
        "Fedora: no package that we know of; Linux 6.12 and newer build with CONFIG_PREEMPT_RT",
    ];
    let (release, kind) = (kernel_release(), machine.preemption());
    let found = format!("{release}{}", kind.map_or(String::new(), |kind| format!(", {kind}")));
    Finding::new(mark(kind.is_some(), Mark::Lacks), "real-time kernel", found, cure)
}

fn priority(machine: &Machine) -> Finding {
    let cure = &[
        "/etc/security/limits.d/99-realtime.conf: `@realtime - rtprio 98`; groupadd realtime, usermod -aG realtime USER, log in again",
    ];
    if machine.has_capability(CAP_SYS_NICE) == Some(true) {
        return Finding::new(Mark::Has, "real-time priority", "any (CAP_SYS_NICE)", cure);
    }
    let limit = getrlimit(Resource::Rtprio).current.unwrap_or(HIGHEST);
    Finding::new(mark(limit >= 80, Mark::Lacks), "real-time priority", format!("up to {limit}"), cure)
}

fn locked_memory(machine: &Machine) -> Finding {
    let cure = &["/etc/security/limits.d/99-realtime.conf: `@realtime - memlock unlimited`, log in again"];
    if machine.has_capability(CAP_IPC_LOCK) == Some(true) {
        return Finding::new(Mark::Has, "locked memory", "any (CAP_IPC_LOCK)", cure);
    }
    match getrlimit(Resource::Memlock).current {
        None => Finding::new(Mark::Has, "locked memory", "unlimited", cure),
        Some(bytes) => {
            let found = format!("up to {} MiB, {} MiB are wanted", bytes >> 20, LOCKED >> 20);
            Finding::new(mark(bytes >= LOCKED, Mark::Lacks), "locked memory", found, cure)
        }
    }
}

fn governor(machine: &Machine) -> Finding {
    let cure = &[
        "cpupower frequency-set -g performance (Debian: apt install linux-cpupower; Ubuntu: linux-tools-generic; Fedora: kernel-tools)",
    ];
    let governors = machine.governors();
    match governors.as_slice() {
        [] => Finding::new(Mark::Note, "processor's clock", "not governed here (a virtual machine, or fixed)", &[]),
        [one] => {
            Finding::new(mark(one == "performance", Mark::Lacks), "processor's clock", format!("governor {one}"), cure)
        }
        some => Finding::new(Mark::Lacks, "processor's clock", format!("governors {}", some.join(", ")), cure),
    }
}

fn isolation(machine: &Machine) -> Finding {
    let cure = &[
        "kernel parameters, for example `isolcpus=3 nohz_full=3 rcu_nocbs=3`, in /etc/default/grub, then update-grub",
    ];
    match machine.isolated_cores() {
        None => Finding::new(Mark::Note, "isolated cores", "cannot tell: no /sys/devices/system/cpu/isolated", &[]),
        Some(cores) if cores.is_empty() => Finding::new(Mark::Lacks, "isolated cores", "none", cure),
        Some(cores) => Finding::new(Mark::Has, "isolated cores", cores, cure),
    }
}

/// How often the scheduler's tick comes; with fine timers it matters little.
fn tick(machine: &Machine) -> Finding {
    let found = match machine.tick_rate() {
        Some(rate) => format!("{rate} Hz"),
        None => "cannot tell: neither /boot/config-* nor /proc/config.gz".to_owned(),
    };
    Finding::new(Mark::Note, "kernel tick", found, &[])
}

/// The kernel takes the processor away from real-time threads that use it up, 5 % of the time by default.
fn throttle(machine: &Machine) -> Finding {
    let cure = &["sudo sysctl -w kernel.sched_rt_runtime_us=-1 (only matters to a thread that spins)"];
    match machine.real_time_runtime() {
        None => Finding::new(Mark::Note, "real-time share", "cannot tell: no sched_rt_runtime_us", &[]),
        Some(-1) => Finding::new(Mark::Has, "real-time share", "all of the processor", &[]),
        Some(share) => {
            Finding::new(Mark::Note, "real-time share", format!("{:.0} % of the processor", share as f64 * 1e-4), cure)
        }
    }
}

fn timer_slack(machine: &Machine) -> Finding {
    match machine.timer_slack() {
        None => Finding::new(Mark::Note, "timer slack", "cannot tell: no /proc/self/timerslack_ns", &[]),
        Some(slack) => {
            let found = format!("{slack} ns by default; the bus thread asks for 1 ns itself");
            Finding::new(Mark::Has, "timer slack", found, &[])
        }
    }
}

/// A thread that spins takes a core whole, and one must be left to the kernel.
fn spare_core(machine: &Machine) -> Finding {
    let cores = machine.cores().max(1);
    let found = format!("{cores}: at most {} may be spun on, one is the kernel's", cores - 1);
    let cure =
        &["without a spare core the bus thread sleeps between frames, which costs some 20 to 50 µs a round trip"];
    Finding::new(mark(cores > 1, Mark::Lacks), "cores for spinning", found, cure)
}
