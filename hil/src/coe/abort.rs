//! Why an SDO was refused.

use thiserror::Error;

use crate::codes::codes;

/// A code of an SDO abort (ETG.1000.6 table 41).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub struct Abort(pub u32);

codes! {
    Abort, "SDO abort {:#010x} ({})";
    /// The toggle bit of a segment did not change.
    TOGGLE = 0x0503_0000, "toggle bit not changed";
    /// Unknown command specifier, or a segment without a transfer.
    COMMAND = 0x0504_0001, "command specifier not valid";
    /// This kind of access is not supported.
    UNSUPPORTED_ACCESS = 0x0601_0000, "unsupported access";
    /// Read of an object that is only written.
    WRITE_ONLY = 0x0601_0001, "object is write only";
    /// Write of an object that is only read.
    READ_ONLY = 0x0601_0002, "object is read only";
    /// The part can be written only while sub-index 0 is 0.
    COUNT_NOT_ZERO = 0x0601_0003, "sub-index 0 must be 0 for this write";
    /// No complete access to objects of variable length.
    NO_COMPLETE_ACCESS = 0x0601_0004, "no complete access to objects of variable length";
    /// There is no such object.
    NO_OBJECT = 0x0602_0000, "no such object";
    /// The object cannot be mapped there.
    NOT_MAPPABLE = 0x0604_0041, "object cannot be mapped";
    /// The mapped objects would be longer than process data can be.
    MAPPING_TOO_LONG = 0x0604_0042, "mapping longer than process data";
    /// The length is not that of the object.
    LENGTH = 0x0607_0010, "length does not match";
    /// Too many bytes.
    TOO_LONG = 0x0607_0012, "length too high";
    /// Too few bytes.
    TOO_SHORT = 0x0607_0013, "length too low";
    /// The object has no such part.
    NO_SUB_INDEX = 0x0609_0011, "no such sub-index";
    /// No such value is possible.
    VALUE = 0x0609_0030, "value out of range";
    /// Above the largest value.
    VALUE_TOO_HIGH = 0x0609_0031, "value too high";
    /// Below the smallest value.
    VALUE_TOO_LOW = 0x0609_0032, "value too low";
    /// Not in this state.
    STATE = 0x0800_0022, "not in this state";
    0x0504_0000, "SDO protocol timeout";
    0x0504_0005, "out of memory";
    0x0601_0005, "object does not fit the mailbox";
    0x0601_0006, "object is mapped into outputs";
    0x0604_0043, "parameters do not go together";
    0x0604_0047, "internal incompatibility";
    0x0606_0000, "hardware error";
    0x0609_0036, "maximum below minimum";
    0x0800_0000, "general error";
    0x0800_0020, "data cannot be stored";
    0x0800_0021, "data cannot be stored because of local control";
    0x0800_0023, "no object dictionary";
}
