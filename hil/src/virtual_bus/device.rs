//! Where a board's EtherCAT chip ends and its processor begins.

use core::fmt;

use crate::wire::{AlCode, AlState};

/// A board's processor, as its EtherCAT SubDevice controller (ESC) sees it through the process data interface.
///
/// The ESC owns registers, sync managers, FMMUs, clocks and the AL state machine's registers; the device decides whether a
/// transition is possible, answers the mailbox and makes and takes process data.
pub trait Device: fmt::Debug + Send {
    /// The EEPROM image, little-endian words.
    fn sii(&self) -> &[u8];

    /// The size of process data [bytes] that the present mapping asks for: outputs and inputs.
    fn process_data(&self) -> ProcessData;

    /// May the board go from one state to another? Called after the ESC has checked what is its own to check (sync managers
    /// against [`process_data`](Device::process_data), mailbox). A way down cannot be refused.
    fn change_state(&mut self, from: AlState, to: AlState) -> Result<(), AlCode>;

    /// A complete message from the mailbox, header included. The answer, header included and at most `room` bytes long,
    /// goes to the end of `reply`; nothing there means no answer.
    fn mail(&mut self, message: &[u8], room: usize, reply: &mut Vec<u8>);

    /// The mailbox to the MainDevice is empty: what the device has left to say goes to the end of `reply`, at most `room`
    /// bytes, header included; nothing there means nothing to say. Further fragments of an answer, and emergencies. The ESC
    /// asks after a message was read and when it has none, in PRE-OP and above.
    fn pending_mail(&mut self, _room: usize, _reply: &mut Vec<u8>) {}

    /// Outputs have arrived: the buffer of sync manager 2 was written to its end.
    fn outputs(&mut self, data: &[u8]);

    /// When the outputs that follow arrived, true time [ns].
    fn outputs_at(&mut self, _now: u64) {}

    /// Outputs are no longer valid: watchdog, or the board left OP.
    fn outputs_lost(&mut self);

    /// Fills the buffer of sync manager 3.
    fn inputs(&mut self, data: &mut [u8]);

    /// SYNC0, at the board's system time [ns].
    fn sync0(&mut self, _system_time: u64) {}

    /// Power has gone or come back: everything that is not in the EEPROM is forgotten, and nothing makes torque.
    fn power_on(&mut self);
}

/// Sizes of a board's process data [bytes].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessData {
    /// MainDevice to board.
    pub outputs: usize,
    /// Board to MainDevice.
    pub inputs: usize,
}
