//! The board's end of the mailbox: opens messages, hands them to their service, wraps the answers.

use std::collections::VecDeque;

use robot_io::{State, StateVisitor};

use super::info;
use super::mailbox::{self, COE, ERROR, HEADER, MailboxError, MailboxHeader};
use super::sdo::{Objects, SdoServer};

/// The services of CoE (ETG.1000.6 table 29).
const EMERGENCY: u8 = 1;
const SDO_REQUEST: u8 = 2;
const SDO_RESPONSE: u8 = 3;
const SDO_INFORMATION: u8 = 8;

/// Mailbox header, CoE header and eight bytes: the shortest SDO, and the least room that a mailbox must have.
const SHORTEST: usize = HEADER + 10;

/// Emergencies that wait; further ones are lost, as the standard allows.
const EMERGENCIES: usize = 8;

/// A board's mailbox server. Whatever arrives, it answers or stays silent, and remembers at most one transfer, one list and
/// a few emergencies.
#[derive(Clone, Debug)]
pub struct CoeServer {
    sdo: SdoServer,
    counter: u8,
    heard: u8,
    address: u16,
    fragments: VecDeque<Vec<u8>>,
    emergencies: VecDeque<Emergency>,
}

/// What a board says without being asked (ETG.1000.6 5.6.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Emergency {
    /// The error code (CiA 402 object 0x603F); 0 when the error is gone.
    pub code: u16,
    /// The error register (object 0x1001).
    pub register: u8,
    /// The maker's own words.
    pub data: [u8; 5],
}

/// What a request is answered with.
enum Answer {
    Nothing,
    Sdo(u8, Vec<u8>),
    Information(VecDeque<Vec<u8>>),
}

impl Default for CoeServer {
    fn default() -> Self {
        CoeServer {
            sdo: SdoServer::default(),
            counter: 0,
            heard: 0,
            address: 0,
            fragments: VecDeque::new(),
            emergencies: VecDeque::with_capacity(EMERGENCIES),
        }
    }
}

impl CoeServer {
    /// The mailbox was switched off: transfers, lists, emergencies and counters are forgotten.
    pub fn reset(&mut self) {
        let mut emergencies = std::mem::take(&mut self.emergencies);
        emergencies.clear();
        *self = CoeServer { emergencies, ..CoeServer::default() };
    }

    /// Answers a complete message; see [`Device::mail`](crate::virtual_bus::Device::mail).
    pub fn serve(&mut self, objects: &mut Objects, message: &[u8], room: usize, reply: &mut Vec<u8>) {
        if room < SHORTEST {
            return;
        }
        let header = MailboxHeader::parse(message).unwrap_or_default();
        if header.counter != 0 && header.counter == self.heard {
            return;
        }
        (self.heard, self.address) = (header.counter, header.address);
        match self.answer(objects, message, room) {
            Ok(Answer::Nothing) => {}
            Ok(Answer::Sdo(service, body)) => self.wrap(COE, &coe(service, &body), reply),
            Ok(Answer::Information(fragments)) => {
                self.fragments = fragments;
                self.pending(room, reply);
            }
            Err(error) => self.wrap(ERROR, &mailbox::error_content(error), reply),
        }
    }

    /// What is left to say: fragments first, then emergencies; see
    /// [`Device::pending_mail`](crate::virtual_bus::Device::pending_mail).
    pub fn pending(&mut self, room: usize, reply: &mut Vec<u8>) {
        if room < SHORTEST {
            return;
        }
        if let Some(fragment) = self.fragments.pop_front() {
            self.wrap(COE, &coe(SDO_INFORMATION, &fragment), reply);
        } else if let Some(emergency) = self.emergencies.pop_front() {
            self.wrap(COE, &emergency.to_bytes(), reply);
        }
    }

    /// Something to be said when the mailbox is free. Allocates nothing.
    pub fn emergency(&mut self, emergency: Emergency) {
        if self.emergencies.len() < EMERGENCIES {
            self.emergencies.push_back(emergency);
        }
    }

    fn answer(&mut self, objects: &mut Objects, message: &[u8], room: usize) -> Result<Answer, MailboxError> {
        let (header, content) = mailbox::open(message)?;
        match header.protocol {
            ERROR => return Ok(Answer::Nothing),
            COE => {}
            _ => return Err(MailboxError::UnsupportedProtocol),
        }
        let (head, body) = content.split_first_chunk::<2>().ok_or(MailboxError::SizeTooShort)?;
        self.fragments.clear();
        match head[1] >> 4 {
            SDO_REQUEST if body.len() < 8 => Err(MailboxError::SizeTooShort),
            SDO_REQUEST => Ok(match self.sdo.serve(objects, body, room - HEADER - 2) {
                Some(Ok(answer)) => Answer::Sdo(SDO_RESPONSE, answer),
                // An abort is a request of its own (ETG.1000.6 table 40).
                Some(Err(abort)) => Answer::Sdo(SDO_REQUEST, abort),
                None => Answer::Nothing,
            }),
            SDO_INFORMATION if body.len() < 4 => Err(MailboxError::SizeTooShort),
            SDO_INFORMATION => Ok(Answer::Information(info::serve(objects.dictionary, body, room - HEADER - 2))),
            1..=7 => Err(MailboxError::ServiceNotSupported),
            _ => Err(MailboxError::InvalidHeader),
        }
    }

    fn wrap(&mut self, protocol: u8, content: &[u8], reply: &mut Vec<u8>) {
        self.counter = mailbox::next_counter(self.counter);
        let (length, counter) = (content.len() as u16, self.counter);
        let header = MailboxHeader { length, address: self.address, channel: 0, protocol, counter };
        reply.extend_from_slice(&header.to_bytes());
        reply.extend_from_slice(content);
    }
}

impl Emergency {
    fn to_bytes(self) -> [u8; 10] {
        let ([low, high], d) = (self.code.to_le_bytes(), self.data);
        [0, EMERGENCY << 4, low, high, self.register, d[0], d[1], d[2], d[3], d[4]]
    }
}

fn coe(service: u8, body: &[u8]) -> Vec<u8> {
    let mut content = vec![0, service << 4];
    content.extend_from_slice(body);
    content
}

/// Counters and how far a transfer has come. The bytes of a transfer are not shown: a restored board answers its next
/// segment with an abort, as after any other interruption.
impl State for CoeServer {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let mut counters = u64::from(self.counter) | u64::from(self.heard) << 8;
        let mut progress = self.sdo.progress();
        visitor.field("counters", &mut counters);
        visitor.field("progress", &mut progress);
        [self.counter, self.heard] = [counters as u8, (counters >> 8) as u8];
        if progress != self.sdo.progress() {
            self.sdo = SdoServer::default();
        }
    }
}
