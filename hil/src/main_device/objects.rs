//! What is written to a board's object dictionary in PRE-OP.

use ethercrab::error::{Error, MailboxError};
use ethercrab::{SubDevice, SubDeviceRef};
use robot_io::Period;

use crate::HilError;
use crate::board::SdoDownload;
use crate::bus_file::BoardPlan;
use crate::pdo::Pdo;

use super::driver::Stopped;

/// The longest one object may take.
pub(super) const PATIENCE: Period = Period::from_milliseconds(3_000);
/// An emergency in place of an answer spoils an exchange; it is asked again this often.
pub(super) const TRIES: usize = 3;

/// Assignments of process data objects to sync managers 2 and 3 (ETG.1000.6, 5.6.7.4).
const OUTPUTS_ASSIGNMENT: u16 = 0x1c12;
const INPUTS_ASSIGNMENT: u16 = 0x1c13;

/// Everything for one board: its own start-up objects, then mapping and assignment where those are written.
pub(super) fn objects(board: &BoardPlan) -> Vec<SdoDownload> {
    let mut objects = board.kind.driver().start_up();
    if board.kind.maps_by_sdo() {
        let map = board.kind.pdo_map();
        objects.extend([count(OUTPUTS_ASSIGNMENT, 0), count(INPUTS_ASSIGNMENT, 0)]);
        map.outputs.iter().chain(&map.inputs).for_each(|pdo| objects.extend(mapping(pdo)));
        objects.extend(assignment(OUTPUTS_ASSIGNMENT, &map.outputs));
        objects.extend(assignment(INPUTS_ASSIGNMENT, &map.inputs));
    }
    objects
}

/// Nothing mapped, then the entries, then how many they are: boards refuse any other order.
fn mapping(pdo: &Pdo) -> Vec<SdoDownload> {
    let entry = |(sub, word): (u8, u32)| SdoDownload { index: pdo.index, sub, value: word.to_le_bytes().to_vec() };
    let entries = (1_u8..).zip(pdo.entries.iter().map(|entry| entry.to_word())).map(entry);
    let length = count(pdo.index, pdo.entries.len());
    std::iter::once(count(pdo.index, 0)).chain(entries).chain([length]).collect()
}

fn assignment(index: u16, pdos: &[Pdo]) -> Vec<SdoDownload> {
    let entry = |(sub, pdo): (u8, &Pdo)| SdoDownload { index, sub, value: pdo.index.to_le_bytes().to_vec() };
    (1_u8..).zip(pdos).map(entry).chain([count(index, pdos.len())]).collect()
}

fn count(index: u16, count: usize) -> SdoDownload {
    SdoDownload { index, sub: 0, value: vec![count as u8] }
}

/// Writes one object.
pub(super) async fn write<S>(board: &SubDeviceRef<'_, S>, object: &SdoDownload) -> Result<(), Error>
where
    S: core::ops::Deref<Target = SubDevice>,
{
    let (index, sub) = (object.index, object.sub);
    match *object.value.as_slice() {
        [a] => board.sdo_write(index, sub, a).await,
        [a, b] => board.sdo_write(index, sub, u16::from_le_bytes([a, b])).await,
        [a, b, c, d] => board.sdo_write(index, sub, u32::from_le_bytes([a, b, c, d])).await,
        _ => Err(Error::Internal),
    }
}

/// What came of one object: written, to be tried again, or an error.
pub(super) fn judge(
    outcome: Result<Result<(), Error>, Stopped>,
    board: &str,
    object: &SdoDownload,
) -> Result<Option<HilError>, HilError> {
    let error = |message: String| {
        let value = object.value.iter().rev().fold(String::from("0x"), |text, byte| format!("{text}{byte:02x}"));
        let message = format!("{message} (value {value})");
        HilError::Sdo { board: board.to_owned(), index: object.index, sub: object.sub, message }
    };
    match outcome {
        Ok(Ok(())) => Ok(None),
        // ethercrab panics on an emergency in place of an answer, or takes it for garbage (ethercat.md § 1.5)
        Ok(Err(Error::Wire(_) | Error::Mailbox(MailboxError::Emergency { .. }))) | Err(Stopped::Panicked(_)) => {
            Ok(Some(error("emergencies came in place of the answer".to_owned())))
        }
        Ok(Err(Error::Mailbox(MailboxError::Aborted { code, .. }))) => Err(error(format!("the board refuses: {code}"))),
        Ok(Err(Error::Internal)) if !matches!(object.value.len(), 1 | 2 | 4) => {
            Err(error("only values of 1, 2 or 4 bytes can be written".to_owned()))
        }
        Ok(Err(Error::Mailbox(MailboxError::NoReadMailbox | MailboxError::NoWriteMailbox))) => {
            Err(error("the board has no mailbox".to_owned()))
        }
        Ok(Err(other)) => Err(error(other.to_string())),
        Err(Stopped::TimeOut) => Err(error("no answer in time".to_owned())),
        Err(stopped @ Stopped::Refused(_)) => Err(stopped.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdo::PdoEntry;

    #[test]
    fn a_mapping_is_emptied_filled_and_counted() {
        let pdo = Pdo { index: 0x1600, entries: vec![PdoEntry::new(0x6040, 0, 16), PdoEntry::new(0x607a, 0, 32)] };
        let written = mapping(&pdo);
        let subs: Vec<(u8, &[u8])> = written.iter().map(|object| (object.sub, object.value.as_slice())).collect();
        assert_eq!(subs[0], (0, [0].as_slice()));
        assert_eq!(subs[1], (1, [0x10, 0, 0x40, 0x60].as_slice()));
        assert_eq!(subs[2], (2, [0x20, 0, 0x7a, 0x60].as_slice()));
        assert_eq!(subs[3], (0, [2].as_slice()));
        let assigned = assignment(0x1c12, &[pdo]);
        assert_eq!(assigned[0].value, [0x00, 0x16]);
        assert_eq!(assigned[1].value, [1]);
    }
}
