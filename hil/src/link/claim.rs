//! One server a card: two would answer every frame twice.

use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

use crate::HilError;

/// An interface that this process serves, as long as it holds this. The name is an abstract socket's: the kernel keeps those
/// apart by network namespace, as it does interfaces, and frees them when the process ends, however it ends.
#[derive(Debug)]
pub(super) struct Claim {
    _socket: UnixListener,
}

impl Claim {
    pub fn take(interface: &str) -> Result<Claim, HilError> {
        let address = SocketAddr::from_abstract_name(format!("chiron-boards-on-{interface}"));
        match address.and_then(|address| UnixListener::bind_addr(&address)) {
            Ok(socket) => Ok(Claim { _socket: socket }),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => Err(HilError::Link(format!(
                "interface '{interface}': boards are served here already by another process, and one card has one server; \
                 end that one first, or choose another interface"
            ))),
            Err(error) => Err(HilError::Link(format!("interface '{interface}' cannot be claimed: {error}"))),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_second_server_on_one_card_is_refused_until_the_first_has_ended() {
        let name = format!("test-{}", std::process::id());
        let first = Claim::take(&name).unwrap();
        let message = Claim::take(&name).unwrap_err().to_string();
        assert!(message.contains(&name) && message.contains("served here already"), "{message}");
        Claim::take(&format!("{name}-other")).unwrap();
        drop(first);
        Claim::take(&name).unwrap();
    }
}
