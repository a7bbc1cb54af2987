//! The envelope of everything acyclic: six bytes of header, a counter against repeats, and answers to what cannot be read
//! (ETG.1000.4 5.6).

/// Bytes of the header.
pub const HEADER: usize = 6;

/// The header's type of CANopen over EtherCAT.
pub const COE: u8 = 3;

/// The header's type of an error reply.
pub const ERROR: u8 = 0;

/// Header of a mailbox message: length of what follows, addresses, protocol, counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MailboxHeader {
    /// Bytes after the header.
    pub length: u16,
    /// Station address of the other end; 0 for the MainDevice.
    pub address: u16,
    /// Channel in bits 0 to 5 (always 0), priority in bits 6 and 7.
    pub channel: u8,
    /// The protocol: 0 error, 2 EoE, 3 CoE, 4 FoE, 5 SoE.
    pub protocol: u8,
    /// 1 to 7, different in successive messages; 0 for none.
    pub counter: u8,
}

impl MailboxHeader {
    /// The header at the beginning of a message; `None` if there are fewer than six bytes.
    pub fn parse(message: &[u8]) -> Option<MailboxHeader> {
        let [l0, l1, a0, a1, channel, kind] = *message.first_chunk::<HEADER>()?;
        Some(MailboxHeader {
            length: u16::from_le_bytes([l0, l1]),
            address: u16::from_le_bytes([a0, a1]),
            channel,
            protocol: kind & 0x0f,
            counter: kind >> 4 & 0x07,
        })
    }

    /// The six bytes.
    pub fn to_bytes(self) -> [u8; HEADER] {
        let [l0, l1] = self.length.to_le_bytes();
        let [a0, a1] = self.address.to_le_bytes();
        [l0, l1, a0, a1, self.channel, self.protocol & 0x0f | (self.counter & 0x07) << 4]
    }
}

/// What is wrong with a mailbox message, so that its protocol is not even asked (ETG.1000.4 table 30).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum MailboxError {
    /// The header cannot be read.
    Syntax = 0x0001,
    /// The protocol is not spoken here.
    UnsupportedProtocol = 0x0002,
    /// The channel is not 0.
    InvalidChannel = 0x0003,
    /// The protocol has no such service here.
    ServiceNotSupported = 0x0004,
    /// The protocol's own header is wrong.
    InvalidHeader = 0x0005,
    /// The message is shorter than its service needs.
    SizeTooShort = 0x0006,
    /// The header's length is not that of the mailbox.
    InvalidSize = 0x0008,
}

/// Checks the envelope of a message and returns its protocol and content.
pub fn open(message: &[u8]) -> Result<(MailboxHeader, &[u8]), MailboxError> {
    let header = MailboxHeader::parse(message).ok_or(MailboxError::SizeTooShort)?;
    let content = message.get(HEADER..HEADER + usize::from(header.length)).ok_or(MailboxError::InvalidSize)?;
    if header.channel & 0x3f != 0 {
        return Err(MailboxError::InvalidChannel);
    }
    Ok((header, content))
}

/// The content of an error reply.
pub fn error_content(error: MailboxError) -> [u8; 4] {
    let [low, high] = (error as u16).to_le_bytes();
    [0x01, 0x00, low, high]
}

/// The counter after this one: 1 to 7 and again 1.
pub const fn next_counter(counter: u8) -> u8 {
    if counter >= 7 { 1 } else { counter + 1 }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn header_bytes_are_those_of_the_standard() {
        // length 10, address 0x1001, channel 0 and priority 1, CoE with counter 5
        let bytes = [0x0a, 0x00, 0x01, 0x10, 0x40, 0x53];
        let header = MailboxHeader::parse(&bytes).unwrap();
        let expected = MailboxHeader { length: 10, address: 0x1001, channel: 0x40, protocol: COE, counter: 5 };
        assert_eq!(header, expected);
        assert_eq!(header.to_bytes(), bytes);
    }

    #[test]
    fn envelopes_that_do_not_fit_are_named() {
        assert_eq!(open(&[0; 5]), Err(MailboxError::SizeTooShort));
        assert_eq!(open(&[3, 0, 0, 0, 0, 3, 1, 2]), Err(MailboxError::InvalidSize));
        assert_eq!(open(&[0, 0, 0, 0, 1, 3]), Err(MailboxError::InvalidChannel));
        assert_eq!(open(&[1, 0, 0, 0, 0, 3, 9, 9]).unwrap().1, [9]);
    }
}
