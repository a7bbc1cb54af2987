//! Service data objects: expedited, normal and segmented transfers in both directions (ETG.1000.6 5.6.2).

use super::complete;
use super::{Abort, Access, Dictionary, Object, Slot};
use crate::wire::AlState;

/// What requests are served from.
#[derive(Debug)]
pub struct Objects<'a> {
    /// The objects.
    pub dictionary: &'a mut Dictionary,
    /// What a value must satisfy beside its object's length and limits.
    pub rules: &'a dyn Rules,
    /// The board's state.
    pub state: AlState,
}

/// A board's own conditions for a value.
pub trait Rules: core::fmt::Debug {
    /// May `value`, whose length and limits are right, be written to `object` now?
    fn check(&self, dictionary: &Dictionary, object: &Object, value: &[u8]) -> Result<(), Abort>;
}

/// Serves SDO requests, one transfer at a time.
#[derive(Clone, Debug, Default)]
pub(super) struct SdoServer {
    transfer: Option<Transfer>,
}

/// A transfer whose segments are under way.
#[derive(Clone, Debug)]
struct Transfer {
    target: Target,
    toggle: bool,
    data: Vec<u8>,
    rest: Rest,
}

#[derive(Clone, Copy, Debug)]
enum Rest {
    /// Sent up to here.
    Upload(usize),
    /// This many bytes are to come in all.
    Download(usize),
}

/// What a request is about.
#[derive(Clone, Copy, Debug, Default)]
struct Target {
    index: u16,
    sub: u8,
    complete: bool,
}

/// Bit 4 of an initiating command: all parts at once.
const COMPLETE: u8 = 0x10;

impl Objects<'_> {
    /// May this object be written now?
    pub(super) fn may_write(&self, slot: Slot) -> Result<(), Abort> {
        match self.dictionary.object(slot).access {
            Access::WriteInPreOp if self.state != AlState::PreOp => Err(Abort::STATE),
            access if access.is_writable() => Ok(()),
            _ => Err(Abort::READ_ONLY),
        }
    }

    /// Writes a value if it is right.
    pub(super) fn write(&mut self, slot: Slot, value: &[u8]) -> Result<(), Abort> {
        self.dictionary.check(slot, value)?;
        self.rules.check(self.dictionary, self.dictionary.object(slot), value)?;
        self.dictionary.store(slot, value);
        Ok(())
    }

    fn upload(&self, target: Target) -> Result<Vec<u8>, Abort> {
        if target.complete {
            return complete::gather(self.dictionary, target.index, target.sub);
        }
        let object = self.dictionary.object(self.dictionary.find(target.index, target.sub)?);
        if !object.access.is_readable() {
            return Err(Abort::WRITE_ONLY);
        }
        Ok(object.value.clone())
    }

    /// Refuses what cannot succeed before its bytes have come; so a transfer is never longer than its object.
    fn may_download(&self, target: Target, size: usize) -> Result<(), Abort> {
        if target.complete {
            return complete::may_scatter(self, target.index, target.sub, size);
        }
        let slot = self.dictionary.find(target.index, target.sub)?;
        self.may_write(slot)?;
        let object = self.dictionary.object(slot);
        match object.kind.bytes() {
            _ if size > object.value.len() => Err(Abort::TOO_LONG),
            Some(bytes) if size < bytes => Err(Abort::TOO_SHORT),
            _ => Ok(()),
        }
    }

    fn download(&mut self, target: Target, data: &[u8]) -> Result<(), Abort> {
        if target.complete {
            return complete::scatter(self, target.index, target.sub, data);
        }
        let slot = self.dictionary.find(target.index, target.sub)?;
        self.may_write(slot)?;
        self.write(slot, data)
    }
}

impl SdoServer {
    /// Answers a request of at least eight bytes with at most `room`: a response, an abort, or nothing to an abort.
    pub(super) fn serve(
        &mut self,
        objects: &mut Objects,
        request: &[u8],
        room: usize,
    ) -> Option<Result<Vec<u8>, Vec<u8>>> {
        let (command, [i0, i1, sub]) = (request[0], [request[1], request[2], request[3]]);
        let target = Target { index: u16::from_le_bytes([i0, i1]), sub, complete: command & COMPLETE != 0 };
        let running = self.transfer.take();
        let about = match command >> 5 {
            0 | 3 => running.as_ref().map_or(Target::default(), |transfer| transfer.target),
            _ => target,
        };
        let answer = match command >> 5 {
            0 => self.download_segment(objects, running, request),
            1 => self.download(objects, target, request),
            2 => self.upload(objects, target, room),
            3 => self.upload_segment(running, command, room),
            4 => return None,
            _ => Err(Abort::COMMAND),
        };
        Some(answer.map_err(|abort| abort_bytes(about, abort)))
    }

    /// A number that differs from 0 and changes while a transfer is under way.
    pub(super) fn progress(&self) -> u64 {
        match self.transfer.as_ref().map(|transfer| (transfer.rest, transfer.data.len())) {
            None => 0,
            Some((Rest::Upload(sent), _)) => 1 + 2 * sent as u64,
            Some((Rest::Download(_), received)) => 2 + 2 * received as u64,
        }
    }

    fn upload(&mut self, objects: &Objects, target: Target, room: usize) -> Result<Vec<u8>, Abort> {
        let data = objects.upload(target)?;
        let all = if target.complete { COMPLETE } else { 0 };
        if (1..=4).contains(&data.len()) {
            let unused = 4 - data.len() as u8;
            let mut answer = initiated(0x43 | unused << 2 | all, target);
            answer.extend_from_slice(&data);
            answer.resize(8, 0);
            return Ok(answer);
        }
        let mut answer = initiated(0x41 | all, target);
        answer.extend_from_slice(&(data.len() as u32).to_le_bytes());
        let first = data.len().min(room - 8);
        answer.extend_from_slice(&data[..first]);
        if first < data.len() {
            self.transfer = Some(Transfer { target, toggle: false, data, rest: Rest::Upload(first) });
        }
        Ok(answer)
    }

    fn upload_segment(&mut self, running: Option<Transfer>, command: u8, room: usize) -> Result<Vec<u8>, Abort> {
        let Some(Transfer { target, toggle, data, rest: Rest::Upload(sent) }) = running else {
            return Err(Abort::COMMAND);
        };
        check_toggle(command, toggle)?;
        let until = data.len().min(sent + room - 1);
        let last = until == data.len();
        let segment = &data[sent..until];
        let unused = 7_usize.saturating_sub(segment.len()) as u8;
        let mut answer = vec![command & COMPLETE | unused << 1 | u8::from(last)];
        answer.extend_from_slice(segment);
        answer.resize(answer.len().max(8), 0);
        if !last {
            self.transfer = Some(Transfer { target, toggle: !toggle, data, rest: Rest::Upload(until) });
        }
        Ok(answer)
    }

    fn download(&mut self, objects: &mut Objects, target: Target, request: &[u8]) -> Result<Vec<u8>, Abort> {
        let (command, tail) = (request[0], &request[4..]);
        let all = if target.complete { COMPLETE } else { 0 };
        let mut answer = initiated(0x60 | all, target);
        answer.resize(8, 0);
        if command & 0x02 != 0 {
            let size = expedited_size(objects, target, command);
            objects.may_download(target, size)?;
            objects.download(target, &tail[..size])?;
            return Ok(answer);
        }
        if command & 0x01 == 0 {
            return Err(Abort::COMMAND);
        }
        let size = u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]) as usize;
        let data = &tail[4..];
        objects.may_download(target, size)?;
        if data.len() > size {
            return Err(Abort::LENGTH);
        }
        if data.len() == size {
            objects.download(target, data)?;
        } else {
            let rest = Rest::Download(size);
            self.transfer = Some(Transfer { target, toggle: false, data: data.to_vec(), rest });
        }
        Ok(answer)
    }

    fn download_segment(
        &mut self,
        objects: &mut Objects,
        running: Option<Transfer>,
        request: &[u8],
    ) -> Result<Vec<u8>, Abort> {
        let Some(Transfer { target, toggle, mut data, rest: Rest::Download(size) }) = running else {
            return Err(Abort::COMMAND);
        };
        let command = request[0];
        check_toggle(command, toggle)?;
        let unused = if request.len() == 8 { usize::from(command >> 1 & 0x07) } else { 0 };
        data.extend_from_slice(&request[1..request.len() - unused]);
        let last = command & 0x01 != 0;
        match data.len() {
            length if length > size => return Err(Abort::TOO_LONG),
            length if length < size && last => return Err(Abort::TOO_SHORT),
            _ => {}
        }
        if last {
            objects.download(target, &data)?;
        } else {
            self.transfer = Some(Transfer { target, toggle: !toggle, data, rest: Rest::Download(size) });
        }
        Ok(vec![0x20 | command & COMPLETE, 0, 0, 0, 0, 0, 0, 0])
    }
}

/// Bytes of an expedited download: those that the command says, or as many as the object has.
fn expedited_size(objects: &Objects, target: Target, command: u8) -> usize {
    if command & 0x01 != 0 || target.complete {
        return 4 - usize::from(command >> 2 & 0x03);
    }
    let object = objects.dictionary.slot(target.index, target.sub).map(|slot| objects.dictionary.object(slot));
    object.map_or(4, |object| object.value.len().min(4))
}

/// Bit 4 of a segment's command is its toggle bit.
fn check_toggle(command: u8, expected: bool) -> Result<(), Abort> {
    if (command & 0x10 != 0) == expected { Ok(()) } else { Err(Abort::TOGGLE) }
}

fn initiated(command: u8, target: Target) -> Vec<u8> {
    let [i0, i1] = target.index.to_le_bytes();
    vec![command, i0, i1, target.sub]
}

fn abort_bytes(target: Target, abort: Abort) -> Vec<u8> {
    let mut answer = initiated(0x80, target);
    answer.extend_from_slice(&abort.0.to_le_bytes());
    answer
}
