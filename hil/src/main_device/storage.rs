//! Memory for frames in flight. ethercrab wants it for ever, so it is leaked, and used again by the next bus.
#![allow(unsafe_code, reason = "ethercrab gives its memory back only through an unsafe function")]

use std::sync::{Mutex, PoisonError};

use ethercrab::{MainDevice, MainDeviceConfig, PduLoop, PduRx, PduStorage, PduTx, Timeouts};

/// Frames in flight at once: the process data of one cycle and what is asked beside it.
const FRAMES: usize = 16;

/// The longest Ethernet frame without its checksum [bytes].
pub(super) const LONGEST_FRAME: usize = 1_514;

/// ethercrab's element for such a frame.
const ELEMENT: usize = PduStorage::element_size(LONGEST_FRAME - PduStorage::element_size(0));
const _: () = assert!(ELEMENT == LONGEST_FRAME);

/// The three ends of one memory.
pub(super) struct Storage {
    pub tx: PduTx<'static>,
    pub rx: PduRx<'static>,
    pub pdu_loop: PduLoop<'static>,
}

/// Memory that a bus has given back.
static FREE: Mutex<Vec<Storage>> = Mutex::new(Vec::new());

/// Memory from a former bus, or new.
pub(super) fn take() -> Option<Storage> {
    let used = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop();
    used.or_else(|| {
        let storage: &'static PduStorage<FRAMES, ELEMENT> = Box::leak(Box::new(PduStorage::new()));
        storage.try_split().ok().map(|(tx, rx, pdu_loop)| Storage { tx, rx, pdu_loop })
    })
}

/// Keeps memory for the next bus.
pub(super) fn give_back(storage: Storage) {
    FREE.lock().unwrap_or_else(PoisonError::into_inner).push(storage);
}

/// Ends a main device. No group of it may be used again, and none of its frames may be in flight: the caller owns the group
/// beside the main device and has dropped it, and the futures that hold frames live only in [`Driver::run`](super::driver).
pub(super) fn release(main: MainDevice<'static>) -> PduLoop<'static> {
    // SAFETY: as above.
    unsafe { main.release() }
}

/// A main device as new: states of an earlier bus, and frames that a panic left behind, are gone.
pub(super) fn main_device(
    pdu_loop: PduLoop<'static>,
    timeouts: Timeouts,
    config: MainDeviceConfig,
) -> MainDevice<'static> {
    MainDevice::new(pdu_loop, timeouts, config)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again() {
        let first = take().unwrap();
        assert_eq!(first.tx.capacity(), FRAMES);
        give_back(first);
        assert!(!FREE.lock().unwrap().is_empty());
        assert!(take().is_some());
    }
}
