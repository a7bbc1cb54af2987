//! A network card, or one end of a veth pair.

use std::fs;
use std::io;

use super::Link;
use super::os::{PacketSocket, interface_index, monotonic};
use crate::HilError;

/// Raw Ethernet on an interface: frames with EtherType 0x88A4 and nothing else.
#[derive(Debug)]
pub struct RawSocket {
    socket: PacketSocket,
    interface: String,
    spin: bool,
}

impl RawSocket {
    /// Opens an interface. It must exist and be up, and the process needs CAP_NET_RAW.
    pub fn open(interface: &str) -> Result<RawSocket, HilError> {
        let index = interface_index(interface).map_err(|_| unknown(interface))?;
        let socket = PacketSocket::open().map_err(|error| refused(interface, &error))?;
        socket.bind(index).map_err(|error| refused(interface, &error))?;
        if !is_up(interface) {
            return Err(HilError::Link(format!(
                "interface '{interface}' is down: `ip link set {interface} up`, and plug the cable in"
            )));
        }
        Ok(RawSocket { socket, interface: interface.to_owned(), spin: false })
    }

    /// Waits by asking again and again instead of sleeping: faster by a wake-up, at the price of a core.
    pub fn spinning(mut self, spin: bool) -> RawSocket {
        self.spin = spin;
        self
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

/// The kernel's word for an interface's state; a veth end whose peer is down, or a card without cable, is not up.
fn is_up(interface: &str) -> bool {
    let state = fs::read_to_string(format!("/sys/class/net/{interface}/operstate")).unwrap_or_default();
    !matches!(state.trim(), "down" | "lowerlayerdown" | "notpresent" | "dormant")
}

fn unknown(interface: &str) -> HilError {
    let mut names: Vec<String> = fs::read_dir("/sys/class/net")
        .map(|entries| entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
        .unwrap_or_default();
    names.sort();
    HilError::Link(format!("there is no interface '{interface}'; there are: {}", names.join(", ")))
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
