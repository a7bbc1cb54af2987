//! What a datagram asks for.

/// A datagram's command, with its number on the wire (ETG.1000.4 table 10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Command {
    /// Nothing; the datagram passes unchanged.
    Nop = 0,
    /// Read from the board at a position.
    Aprd = 1,
    /// Write to the board at a position.
    Apwr = 2,
    /// Exchange with the board at a position.
    Aprw = 3,
    /// Read from the board with a station address.
    Fprd = 4,
    /// Write to the board with a station address.
    Fpwr = 5,
    /// Exchange with the board with a station address.
    Fprw = 6,
    /// Read from all boards, combined by OR.
    Brd = 7,
    /// Write to all boards.
    Bwr = 8,
    /// Exchange with all boards, reads combined by OR.
    Brw = 9,
    /// Read logical memory.
    Lrd = 10,
    /// Write logical memory.
    Lwr = 11,
    /// Read and write logical memory.
    Lrw = 12,
    /// Read from the board at a position, write what it said to all others.
    Armw = 13,
    /// Read from the board with a station address, write what it said to all others.
    Frmw = 14,
}

impl Command {
    /// All commands, in order of their numbers.
    pub const ALL: [Command; 15] = [
        Command::Nop,
        Command::Aprd,
        Command::Apwr,
        Command::Aprw,
        Command::Fprd,
        Command::Fpwr,
        Command::Fprw,
        Command::Brd,
        Command::Bwr,
        Command::Brw,
        Command::Lrd,
        Command::Lwr,
        Command::Lrw,
        Command::Armw,
        Command::Frmw,
    ];

    /// The command with this number.
    pub fn from_bits(bits: u8) -> Option<Command> {
        Command::ALL.get(usize::from(bits)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_wire() {
        for (number, command) in Command::ALL.into_iter().enumerate() {
            assert_eq!(command as usize, number);
            assert_eq!(Command::from_bits(number as u8), Some(command));
        }
        assert_eq!(Command::from_bits(15), None);
        assert_eq!(Command::from_bits(255), None);
    }
}
