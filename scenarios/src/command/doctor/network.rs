//! What it takes to exchange EtherCAT frames: the right to, a network card of their own, or a pair of virtual ones.

use super::machine::{Interface, Machine, Namespaces};
use super::{Finding, Mark, mark};

/// Bit of Linux's capability sets, from `linux/capability.h`.
const CAP_NET_RAW: u32 = 13;
/// EtherCAT runs on Fast Ethernet [Mbit/s].
const SPEED: i64 = 100;

pub(super) fn findings(machine: &Machine) -> Vec<Finding> {
    let mut findings = privileges(machine);
    findings.extend(cards(&machine.interfaces()));
    findings.push(namespaces(&machine.namespaces()));
    findings
}

fn privileges(machine: &Machine) -> Vec<Finding> {
    let cure = &["sudo setcap cap_net_raw,cap_sys_nice+ep target/release/chiron (again after each build)"];
    let raw = machine.has_capability(CAP_NET_RAW);
    let found = match raw {
        Some(true) => "raw sockets may be opened (CAP_NET_RAW)",
        Some(false) => "raw sockets may not be opened (no CAP_NET_RAW)",
        None => "cannot tell: no /proc/self/status",
    };
    let is_there = mark(raw == Some(true), if raw.is_some() { Mark::Lacks } else { Mark::Note });
    let mut findings = vec![Finding::new(is_there, "raw sockets", found, cure)];
    if rustix::process::geteuid().is_root() {
        findings.push(Finding::new(Mark::Note, "user", "root: more than chiron needs", &[]));
    }
    findings
}

/// The wired cards, and how to prepare those that are free for boards.
fn cards(interfaces: &[Interface]) -> Vec<Finding> {
    let wired: Vec<&Interface> = interfaces.iter().filter(|interface| interface.is_wired_card).collect();
    let cure = &["a second wired card or a USB adapter; Intel i210 and its kin keep the best time"];
    let free = wired.iter().filter(|card| !card.carries_default_route).count();
    let found = format!("{} wired, {free} not in use for anything else", wired.len());
    let mut findings = vec![Finding::new(mark(free > 0, Mark::Lacks), "network cards", found, cure)];
    findings.extend(wired.into_iter().map(card));
    findings
}

fn card(card: &Interface) -> Finding {
    let Interface { name, driver, .. } = card;
    let speed = match card.speed {
        Some(speed) => format!("{speed} Mbit/s"),
        None => "speed unknown".to_owned(),
    };
    let link = if card.has_link { "link up" } else { "no link: no cable, or nothing at its other end" };
    let mut finding = Finding::new(Mark::Note, name, format!("{driver}, {link}, {speed}"), &[]);
    if card.carries_default_route {
        finding.cure = vec!["carries this machine's own traffic: leave it alone, take another for boards".to_owned()];
        return finding;
    }
    if card.speed.is_some_and(|speed| speed < SPEED) {
        finding.cure.push(format!("EtherCAT needs {SPEED} Mbit/s: sudo ethtool -s {name} speed {SPEED} duplex full"));
    }
    finding.cure.push(format!("to keep others off it: sudo nmcli device set {name} managed no"));
    finding
        .cure
        .push(format!("to bring it up without an address: sudo ip addr flush dev {name}; sudo ip link set {name} up"));
    finding.cure.push(format!("to get each frame at once: sudo ethtool -C {name} rx-usecs 0 tx-usecs 0"));
    finding
}

/// A pair of virtual cards in a network of its own, for emulated boards without any privilege.
fn namespaces(namespaces: &Namespaces) -> Finding {
    const WHAT: &str = "virtual cards (veth)";
    match namespaces {
        Namespaces::Available => Finding::new(Mark::Has, WHAT, "a network of one's own can be made: unshare -Urn", &[]),
        Namespaces::NoTool(tool) => {
            let found = format!("no `{tool}`");
            Finding::new(
                Mark::Lacks,
                WHAT,
                found,
                &["Debian, Ubuntu: apt install util-linux iproute2; Fedora: dnf install util-linux iproute"],
            )
        }
        Namespaces::Refused(why) => {
            let cure = &[
                "Ubuntu 24.04: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
                "older Debian: sudo sysctl -w kernel.unprivileged_userns_clone=1",
                "a container: start it with the right to make namespaces, for example docker run --privileged",
            ];
            Finding::new(Mark::Lacks, WHAT, format!("refused: {why}"), cure)
        }
    }
}
