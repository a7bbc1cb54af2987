//! A network card, or one end of a veth pair.

use std::fs;
use std::io;
use std::time::Duration;

use super::Link;
use super::claim::Claim;
use super::os::{PacketSocket, interface_index, monotonic, sleep_until};
use crate::HilError;

/// A card needs this long for its link at most, and is looked at this often [ns].
const LINK_PATIENCE: u64 = 4_000_000_000;
const LINK_LOOK: u64 = 20_000_000;

/// Raw Ethernet on an interface: frames with EtherType 0x88A4 and nothing else.
#[derive(Debug)]
pub struct RawSocket {
    socket: PacketSocket,
    interface: String,
    spin: bool,
    claim: Option<Claim>,
}

impl RawSocket {
    /// Opens an interface. It must exist and be up, and the process needs CAP_NET_RAW.
    pub fn open(interface: &str) -> Result<RawSocket, HilError> {
        let index = interface_index(interface).map_err(|_| unknown(interface))?;
        let socket = PacketSocket::open().map_err(|error| refused(interface, &error))?;
        socket.bind(index).map_err(|error| refused(interface, &error))?;
        wait_for_link(&socket, interface)?;
        Ok(RawSocket { socket, interface: interface.to_owned(), spin: false, claim: None })
    }

    /// Waits by asking again and again instead of sleeping: faster by a wake-up, at the price of a core.
    pub fn spinning(mut self, spin: bool) -> RawSocket {
        self.spin = spin;
        self
    }

    /// For serving boards: refused if another process serves boards on this interface.
    pub fn for_boards(mut self) -> Result<RawSocket, HilError> {
        self.claim = Some(Claim::take(&self.interface)?);
        Ok(self)
    }

    /// Sleeps until a frame can be received, or for this long: for the boards' end, which has no deadlines of its own.
    pub fn wait_for(&self, time: Duration) {
        self.socket.wait(time.as_nanos() as u64);
    }

    /// The interface's name.
    pub fn interface(&self) -> &str {
        &self.interface
    }

    fn failed(&self, what: &str, error: &io::Error) -> HilError {
        HilError::Link(format!("interface '{}': {what}: {error}", self.interface))
    }
}

impl Link for RawSocket {
    fn send(&mut self, frame: &[u8]) -> Result<(), HilError> {
        self.socket.send(frame).map(drop).map_err(|error| self.failed("frame not sent", &error))
    }

    fn receive(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, HilError> {
        self.socket.receive(buffer).map_err(|error| self.failed("nothing received", &error))
    }

    fn wait(&mut self, until: u64) {
        if self.spin {
            std::hint::spin_loop();
            return;
        }
        let now = monotonic();
        if until > now {
            self.socket.wait(until - now);
        }
    }

    fn is_lock_step(&self) -> bool {
        false
    }
}

/// A card that was just switched on or plugged in needs its time until frames go through.
fn wait_for_link(socket: &PacketSocket, interface: &str) -> Result<(), HilError> {
    let end = monotonic() + LINK_PATIENCE;
    loop {
        let up_and_running = socket.is_up_and_running(interface).map_err(|error| refused(interface, &error))?;
        let help = match up_and_running {
            (true, true) => return Ok(()),
            (true, false) if monotonic() < end => {
                sleep_until(monotonic() + LINK_LOOK);
                continue;
            }
            (true, false) => "has no link: plug the cable in, and switch the other end on".to_owned(),
            (false, _) => format!("is down: `ip link set {interface} up`"),
        };
        return Err(HilError::Link(format!("interface '{interface}' {help}")));
    }
}

/// The interfaces of this process's network namespace; /sys shows those of the namespace in which it was mounted.
fn interfaces() -> Vec<String> {
    let text = fs::read_to_string("/proc/self/net/dev").unwrap_or_default();
    let names = text.lines().filter_map(|line| line.split_once(':')).map(|(name, _)| name.trim().to_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn unknown(interface: &str) -> HilError {
    HilError::Link(format!("there is no interface '{interface}'; there are: {}", interfaces().join(", ")))
}

fn refused(interface: &str, error: &io::Error) -> HilError {
    let help = match error.kind() {
        io::ErrorKind::PermissionDenied => {
            ": raw sockets need CAP_NET_RAW: run as root, or `sudo setcap cap_net_raw+ep` the program; for a veth pair \
             without privileges start it in `unshare -Urn`"
        }
        _ => "",
    };
    HilError::Link(format!("interface '{interface}' cannot be opened ({error}){help}"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_interface_is_answered_with_those_that_exist() {
        let message = RawSocket::open("nowhere0").unwrap_err().to_string();
        assert!(message.contains("nowhere0") && message.contains("there are:"), "{message}");
    }

    #[test]
    fn a_missing_privilege_is_answered_with_what_to_do() {
        let message = refused("lo", &io::Error::from(io::ErrorKind::PermissionDenied)).to_string();
        assert!(message.contains("CAP_NET_RAW") && message.contains("unshare -Urn"), "{message}");
    }
}
