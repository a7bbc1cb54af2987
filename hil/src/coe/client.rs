//! The MainDevice's end of SDO, for tests, peers and diagnosis: it works on anything that answers mailbox messages.

use thiserror::Error;

use super::Abort;
use super::mailbox::{self, COE, HEADER, MailboxHeader};

/// Makes requests and understands answers. The link takes a message, or an empty one to ask for a further fragment, and
/// gives the answer.
#[derive(Clone, Debug)]
pub struct SdoClient {
    counter: u8,
    room: usize,
}

/// What came instead of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SdoError {
    /// The board refused.
    #[error(transparent)]
    Abort(#[from] Abort),
    /// The board could not read the message: detail of the mailbox error (ETG.1000.4 table 30).
    #[error("mailbox error {0:#06x}")]
    Mailbox(u16),
    /// No answer.
    #[error("no answer")]
    Silence,
    /// An answer to something else, or none that can be read.
    #[error("answer not understood")]
    Garbled,
}

/// A link to a mailbox.
pub type Link<'a> = &'a mut dyn FnMut(&[u8]) -> Option<Vec<u8>>;

impl SdoClient {
    /// A client of a mailbox of `room` bytes.
    pub fn new(room: usize) -> SdoClient {
        SdoClient { counter: 0, room }
    }

    /// Wraps content of a CoE service, with the next counter.
    pub fn message(&mut self, service: u8, body: &[u8]) -> Vec<u8> {
        self.counter = mailbox::next_counter(self.counter);
        let length = body.len() as u16 + 2;
        let header = MailboxHeader { length, protocol: COE, counter: self.counter, ..MailboxHeader::default() };
        [&header.to_bytes(), &[0, service << 4][..], body].concat()
    }

    /// Reads an object, or all its parts with complete access from `sub` on.
    pub fn upload(&mut self, link: Link, index: u16, sub: u8, complete: bool) -> Result<Vec<u8>, SdoError> {
        let request = initiate(0x40, index, sub, complete, &[]);
        let answer = self.ask(link, &request)?;
        match answer[0] {
            command if command & 0xe2 == 0x42 => Ok(answer[4..8 - usize::from(command >> 2 & 3)].to_vec()),
            command if command & 0xe0 == 0x40 => self.upload_rest(link, &answer),
            _ => Err(SdoError::Garbled),
        }
    }

    /// Writes an object, or all its parts with complete access from `sub` on.
    pub fn download(&mut self, link: Link, index: u16, sub: u8, complete: bool, data: &[u8]) -> Result<(), SdoError> {
        if (1..=4).contains(&data.len()) {
            let command = 0x23 | (4 - data.len() as u8) << 2;
            self.ask(link, &initiate(command, index, sub, complete, data))?;
            return Ok(());
        }
        let (first, rest) = data.split_at(data.len().min(self.room - HEADER - 10));
        let content = [&(data.len() as u32).to_le_bytes(), first].concat();
        self.ask(link, &initiate(0x21, index, sub, complete, &content))?;
        let chunk = self.room - HEADER - 3;
        for (number, segment) in rest.chunks(chunk).enumerate() {
            let unused = 7_usize.saturating_sub(segment.len()) as u8;
            let last = (number + 1) * chunk >= rest.len();
            let mut request = vec![(number as u8 & 1) << 4 | unused << 1 | u8::from(last)];
            request.extend_from_slice(segment);
            request.resize(request.len().max(8), 0);
            self.ask(link, &request)?;
        }
        Ok(())
    }

    /// Asks the SDO information service and joins the fragments of its answer: the body behind opcode and count.
    pub fn information(&mut self, link: Link, opcode: u8, body: &[u8]) -> Result<Vec<u8>, SdoError> {
        let mut message = self.message(8, &[&[opcode, 0, 0, 0], body].concat());
        let mut answer = Vec::new();
        loop {
            let (service, fragment) = open(&link(&message).ok_or(SdoError::Silence)?)?;
            let (8, Some([head, _, _, _])) = (service, fragment.first_chunk().copied()) else {
                return Err(SdoError::Garbled);
            };
            if let (7, Some(code)) = (head & 0x7f, fragment[4..].first_chunk()) {
                return Err(Abort(u32::from_le_bytes(*code)).into());
            }
            answer.extend_from_slice(&fragment[4..]);
            if head & 0x80 == 0 {
                return Ok(answer);
            }
            message.clear();
        }
    }

    fn upload_rest(&mut self, link: Link, answer: &[u8]) -> Result<Vec<u8>, SdoError> {
        let size =
            answer[4..].first_chunk().map(|bytes| u32::from_le_bytes(*bytes) as usize).ok_or(SdoError::Garbled)?;
        let mut data = answer[8..].to_vec();
        let mut toggle = 0;
        while data.len() < size {
            let answer = self.ask(link, &[0x60 | toggle, 0, 0, 0, 0, 0, 0, 0])?;
            let unused = if answer.len() == 8 { usize::from(answer[0] >> 1 & 7) } else { 0 };
            if answer[0] & 0xf0 != toggle || unused == 7 {
                return Err(SdoError::Garbled);
            }
            data.extend_from_slice(&answer[1..answer.len() - unused]);
            toggle ^= 0x10;
            if answer[0] & 1 != 0 {
                break;
            }
        }
        if data.len() == size { Ok(data) } else { Err(SdoError::Garbled) }
    }

    /// An SDO request's answer, at least eight bytes long.
    fn ask(&mut self, link: Link, request: &[u8]) -> Result<Vec<u8>, SdoError> {
        let message = self.message(2, request);
        let (_, body) = open(&link(&message).ok_or(SdoError::Silence)?)?;
        match body.first_chunk::<8>() {
            Some([0x80, _, _, _, code @ ..]) => Err(Abort(u32::from_le_bytes(*code)).into()),
            Some(_) => Ok(body),
            None => Err(SdoError::Garbled),
        }
    }
}

fn initiate(command: u8, index: u16, sub: u8, complete: bool, content: &[u8]) -> Vec<u8> {
    let [i0, i1] = index.to_le_bytes();
    let mut request = vec![command | u8::from(complete) << 4, i0, i1, sub];
    request.extend_from_slice(content);
    request.resize(request.len().max(8), 0);
    request
}

/// The service of an answer and what is behind the CoE header.
fn open(answer: &[u8]) -> Result<(u8, Vec<u8>), SdoError> {
    let (header, content) = mailbox::open(answer).map_err(|_| SdoError::Garbled)?;
    match (header.protocol, content) {
        (COE, [_, service, body @ ..]) => Ok((service >> 4, body.to_vec())),
        (mailbox::ERROR, [1, 0, low, high]) => Err(SdoError::Mailbox(u16::from_le_bytes([*low, *high]))),
        _ => Err(SdoError::Garbled),
    }
}
