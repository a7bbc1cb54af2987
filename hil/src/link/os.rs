//! The calls of the operating system that the link needs: packet sockets and the monotonic clock.
#![allow(unsafe_code, reason = "libc offers no safe way to packet sockets, ppoll and clock_nanosleep")]

use std::ffi::CString;
use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// EtherCAT's EtherType in network byte order, as packet sockets want it.
const PROTOCOL: libc::c_int = (0x88a4_u16.to_be()) as libc::c_int;

/// The time of CLOCK_MONOTONIC [ns].
pub(crate) fn monotonic() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a timespec of our own; CLOCK_MONOTONIC always exists on Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Sleeps until CLOCK_MONOTONIC says `until` [ns]; signals do not shorten it.
pub(crate) fn sleep_until(until: u64) {
    let wake = timespec(until);
    let sleep = || {
        // SAFETY: `wake` is a valid timespec and no remaining time is asked for.
        unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &wake, std::ptr::null_mut()) }
    };
    while sleep() == libc::EINTR {}
}

fn timespec(nanoseconds: u64) -> libc::timespec {
    libc::timespec {
        tv_sec: (nanoseconds / 1_000_000_000) as libc::time_t,
        tv_nsec: (nanoseconds % 1_000_000_000) as libc::c_long,
    }
}

fn checked(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// The number of an interface.
pub(super) fn interface_index(name: &str) -> io::Result<u32> {
    let name = CString::new(name)?;
    // SAFETY: `name` ends with a zero byte and outlives the call.
    match unsafe { libc::if_nametoindex(name.as_ptr()) } {
        0 => Err(io::Error::last_os_error()),
        index => Ok(index),
    }
}

/// A packet socket for EtherCAT frames.
#[derive(Debug)]
pub(super) struct PacketSocket(OwnedFd);

impl PacketSocket {
    /// A non-blocking raw socket that is not yet bound.
    pub fn open() -> io::Result<PacketSocket> {
        let kind = libc::SOCK_RAW | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
        // protocol 0: nothing is received before the socket is bound to its interface
        // SAFETY: no pointers are passed.
        let descriptor = checked(unsafe { libc::socket(libc::AF_PACKET, kind, 0) })?;
        // SAFETY: the descriptor is new and nobody else's.
        Ok(PacketSocket(unsafe { OwnedFd::from_raw_fd(descriptor) }))
    }

    /// Takes all frames of the interface with our EtherType, whatever their addresses, and sends past the queues.
    pub fn bind(&self, index: u32) -> io::Result<()> {
        // SAFETY: an all-zero sockaddr_ll and packet_mreq are valid.
        let (mut address, mut membership) = unsafe { (zeroed::<libc::sockaddr_ll>(), zeroed::<libc::packet_mreq>()) };
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = PROTOCOL as u16;
        address.sll_ifindex = index as i32;
        membership.mr_ifindex = index as i32;
        membership.mr_type = libc::PACKET_MR_PROMISC as u16;
        self.set(libc::PACKET_ADD_MEMBERSHIP, &membership)?;
        // refused by some virtual interfaces; frames then take the queue and nothing else changes
        let _ = self.set(libc::PACKET_QDISC_BYPASS, &1_i32);
        let length = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
        // SAFETY: the address is a sockaddr_ll of this length and outlives the call.
        checked(unsafe { libc::bind(self.0.as_raw_fd(), (&raw const address).cast(), length) }).map(drop)
    }

    /// Is an interface switched on, and has it a cable with somebody at the other end?
    pub fn is_up_and_running(&self, name: &str) -> io::Result<(bool, bool)> {
        // SAFETY: an all-zero ifreq is valid.
        let mut request = unsafe { zeroed::<libc::ifreq>() };
        // one byte less than there is room for, so that the name ends with a zero
        let room = request.ifr_name.len() - 1;
        request.ifr_name.iter_mut().zip(name.bytes().take(room)).for_each(|(to, from)| *to = from as libc::c_char);
        // SAFETY: the request is an ifreq with a name that ends with a zero; the call fills in its flags.
        checked(unsafe { libc::ioctl(self.0.as_raw_fd(), libc::SIOCGIFFLAGS, &mut request) })?;
        // SAFETY: the call has filled in the flags.
        let flags = libc::c_int::from(unsafe { request.ifr_ifru.ifru_flags });
        Ok((flags & libc::IFF_UP != 0, flags & libc::IFF_RUNNING != 0))
    }

    fn set<T>(&self, option: libc::c_int, value: &T) -> io::Result<()> {
        let (pointer, length) = (std::ptr::from_ref(value).cast(), size_of::<T>() as libc::socklen_t);
        // SAFETY: `value` has the given length and outlives the call.
        checked(unsafe { libc::setsockopt(self.0.as_raw_fd(), libc::SOL_PACKET, option, pointer, length) }).map(drop)
    }

    /// Sends one frame without waiting.
    pub fn send(&self, frame: &[u8]) -> io::Result<usize> {
        // SAFETY: `frame` is readable for its length.
        let sent = unsafe { libc::send(self.0.as_raw_fd(), frame.as_ptr().cast(), frame.len(), libc::MSG_DONTWAIT) };
        usize::try_from(sent).map_err(|_| io::Error::last_os_error())
    }

    /// Receives one frame without waiting; `None` if there is none. Frames that this machine sent are passed over.
    pub fn receive(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        loop {
            // SAFETY: an all-zero sockaddr_ll is valid.
            let mut from = unsafe { zeroed::<libc::sockaddr_ll>() };
            let mut length = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
            let (descriptor, room) = (self.0.as_raw_fd(), buffer.len());
            let address = (&raw mut from).cast();
            // SAFETY: `buffer` is writable for `room` bytes, `from` for `length`; both outlive the call.
            let got = unsafe {
                libc::recvfrom(descriptor, buffer.as_mut_ptr().cast(), room, libc::MSG_DONTWAIT, address, &mut length)
            };
            match usize::try_from(got) {
                Ok(_) if from.sll_pkttype == libc::PACKET_OUTGOING => {}
                Ok(got) => return Ok(Some(got)),
                Err(_) => {
                    let error = io::Error::last_os_error();
                    // an interface that is switched off tells so once, and the socket goes on when it is switched on again
                    let nothing = matches!(
                        error.kind(),
                        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted | io::ErrorKind::NetworkDown
                    );
                    return if nothing { Ok(None) } else { Err(error) };
                }
            }
        }
    }

    /// Sleeps until a frame can be received, `timeout` [ns] at most.
    pub fn wait(&self, timeout: u64) {
        let mut entry = libc::pollfd { fd: self.0.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let timeout = timespec(timeout);
        // SAFETY: one pollfd, a valid timespec, no signal mask. An interrupted wait is an early end, which callers allow for.
        unsafe { libc::ppoll(&mut entry, 1, &timeout, std::ptr::null()) };
    }
}
