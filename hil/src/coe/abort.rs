//! Why an SDO was refused.

use core::fmt;

use thiserror::Error;

/// A code of an SDO abort (ETG.1000.6 table 41).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub struct Abort(pub u32);

impl Abort {
    /// The toggle bit of a segment did not change.
    pub const TOGGLE: Abort = Abort(0x0503_0000);
    /// Unknown command specifier, or a segment without a transfer.
    pub const COMMAND: Abort = Abort(0x0504_0001);
    /// This kind of access is not supported.
    pub const UNSUPPORTED_ACCESS: Abort = Abort(0x0601_0000);
    /// Read of an object that is only written.
    pub const WRITE_ONLY: Abort = Abort(0x0601_0001);
    /// Write of an object that is only read.
    pub const READ_ONLY: Abort = Abort(0x0601_0002);
    /// The part can be written only while sub-index 0 is 0.
    pub const COUNT_NOT_ZERO: Abort = Abort(0x0601_0003);
    /// No complete access to objects of variable length.
    pub const NO_COMPLETE_ACCESS: Abort = Abort(0x0601_0004);
    /// There is no such object.
    pub const NO_OBJECT: Abort = Abort(0x0602_0000);
    /// The object cannot be mapped there.
    pub const NOT_MAPPABLE: Abort = Abort(0x0604_0041);
    /// The mapped objects would be longer than process data can be.
    pub const MAPPING_TOO_LONG: Abort = Abort(0x0604_0042);
    /// The length is not that of the object.
    pub const LENGTH: Abort = Abort(0x0607_0010);
    /// Too many bytes.
    pub const TOO_LONG: Abort = Abort(0x0607_0012);
    /// Too few bytes.
    pub const TOO_SHORT: Abort = Abort(0x0607_0013);
    /// The object has no such part.
    pub const NO_SUB_INDEX: Abort = Abort(0x0609_0011);
    /// No such value is possible.
    pub const VALUE: Abort = Abort(0x0609_0030);
    /// Above the largest value.
    pub const VALUE_TOO_HIGH: Abort = Abort(0x0609_0031);
    /// Below the smallest value.
    pub const VALUE_TOO_LOW: Abort = Abort(0x0609_0032);
    /// Not in this state.
    pub const STATE: Abort = Abort(0x0800_0022);

    /// What the number means.
    pub const fn text(self) -> &'static str {
        match self.0 {
            0x0503_0000 => "toggle bit not changed",
            0x0504_0000 => "SDO protocol timeout",
            0x0504_0001 => "command specifier not valid",
            0x0504_0005 => "out of memory",
            0x0601_0000 => "unsupported access",
            0x0601_0001 => "object is write only",
            0x0601_0002 => "object is read only",
            0x0601_0003 => "sub-index 0 must be 0 for this write",
            0x0601_0004 => "no complete access to objects of variable length",
            0x0601_0005 => "object does not fit the mailbox",
            0x0601_0006 => "object is mapped into outputs",
            0x0602_0000 => "no such object",
            0x0604_0041 => "object cannot be mapped",
            0x0604_0042 => "mapping longer than process data",
            0x0604_0043 => "parameters do not go together",
            0x0604_0047 => "internal incompatibility",
            0x0606_0000 => "hardware error",
            0x0607_0010 => "length does not match",
            0x0607_0012 => "length too high",
            0x0607_0013 => "length too low",
            0x0609_0011 => "no such sub-index",
            0x0609_0030 => "value out of range",
            0x0609_0031 => "value too high",
            0x0609_0032 => "value too low",
            0x0609_0036 => "maximum below minimum",
            0x0800_0000 => "general error",
            0x0800_0020 => "data cannot be stored",
            0x0800_0021 => "data cannot be stored because of local control",
            0x0800_0022 => "not in this state",
            0x0800_0023 => "no object dictionary",
            _ => "a code that is not in the standard",
        }
    }
}

impl fmt::Display for Abort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SDO abort {:#010x} ({})", self.0, self.text())
    }
}
