//! What an object's bytes mean and who may touch them.

/// The basic data types of CANopen with their numbers (ETG.1000.6 table 64).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum DataType {
    /// True or false, one byte in an SDO, one bit in process data (or eight).
    Bool = 0x0001,
    /// Signed, 8 bits.
    I8 = 0x0002,
    /// Signed, 16 bits.
    I16 = 0x0003,
    /// Signed, 32 bits.
    I32 = 0x0004,
    /// Unsigned, 8 bits.
    U8 = 0x0005,
    /// Unsigned, 16 bits.
    U16 = 0x0006,
    /// Unsigned, 32 bits.
    U32 = 0x0007,
    /// Floating point, 32 bits.
    F32 = 0x0008,
    /// Text. Its room is the length that it was made with; a shorter one is filled with zeros.
    Text = 0x0009,
    /// Unsigned, 64 bits.
    U64 = 0x001b,
    /// 1 bit; one byte in an SDO, as all of these.
    Bits1 = 0x0030,
    /// 2 bits.
    Bits2 = 0x0031,
    /// 3 bits.
    Bits3 = 0x0032,
    /// 4 bits.
    Bits4 = 0x0033,
    /// 5 bits.
    Bits5 = 0x0034,
    /// 6 bits.
    Bits6 = 0x0035,
    /// 7 bits.
    Bits7 = 0x0036,
}

impl DataType {
    /// Bytes of a value; `None` for text.
    pub const fn bytes(self) -> Option<usize> {
        match self {
            DataType::I16 | DataType::U16 => Some(2),
            DataType::I32 | DataType::U32 | DataType::F32 => Some(4),
            DataType::U64 => Some(8),
            DataType::Text => None,
            _ => Some(1),
        }
    }

    /// Bits of a value in process data; `None` for text, which is in none.
    pub const fn bits(self) -> Option<u8> {
        match self {
            DataType::Bool => Some(1),
            DataType::Text => None,
            DataType::I8 | DataType::U8 => Some(8),
            DataType::I16 | DataType::U16 => Some(16),
            DataType::I32 | DataType::U32 | DataType::F32 => Some(32),
            DataType::U64 => Some(64),
            small => Some((small as u16 - 0x2f) as u8),
        }
    }

    /// True for types with a sign.
    pub const fn is_signed(self) -> bool {
        matches!(self, DataType::I8 | DataType::I16 | DataType::I32)
    }
}

/// Who may do what with an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Read only.
    Read,
    /// Read, and mapped into inputs.
    ReadMapped,
    /// Read and written.
    Write,
    /// Read and written, and mapped into outputs.
    WriteMapped,
    /// Written before SAFE-OP only: mappings and assignments.
    WriteInPreOp,
    /// Written and never read.
    WriteOnly,
}

impl Access {
    /// May it be read at all?
    pub const fn is_readable(self) -> bool {
        !matches!(self, Access::WriteOnly)
    }

    /// May it be written in some state?
    pub const fn is_writable(self) -> bool {
        !matches!(self, Access::Read | Access::ReadMapped)
    }

    /// The word in which an entry description says it (ETG.1000.6 table 48): bits 0 to 2 read in PRE-OP, SAFE-OP, OP; 3 to 5
    /// written; 6 mapped into outputs, 7 into inputs; 8 kept when the board is replaced, 9 a setting.
    pub const fn word(self) -> u16 {
        match self {
            Access::Read => 0x0007,
            Access::ReadMapped => 0x0087,
            Access::Write => 0x033f,
            Access::WriteMapped => 0x007f,
            Access::WriteInPreOp => 0x020f,
            Access::WriteOnly => 0x0038,
        }
    }
}
