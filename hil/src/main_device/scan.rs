//! What is on a cable, without changing anything: no address is given, no state asked for.
//!
//! Only the right to read the EEPROM is taken, and where a board's processor holds it, by force (ETG.1000.4, 6.4).

use ethercrab::error::{Error, TimeoutError};
use ethercrab::{Command, MainDevice};
use robot_io::Period;

use super::bring_up::{in_our_words, silence};
use super::registers::{AL_STATUS, AL_STATUS_CODE, ALIAS, DL_STATUS, EEPROM_CONFIGURATION, ERROR, STATION_ADDRESS};
use super::{clock, close, open};
use crate::HilError;
use crate::bus_file::Found;
use crate::link::Link;
use crate::wire::{AlCode, AlState};

/// EEPROM control and status, address, data.
const EEPROM_CONTROL: u16 = 0x0502;
const EEPROM_DATA: u16 = 0x0508;
const READ: u16 = 0x0100;
const BUSY: u16 = 0x8000;
const ERRORS: u16 = 0x7800;
/// Looks at a busy EEPROM, and the time between them [ns].
const LOOKS: usize = 200;
const BETWEEN: u64 = 200_000;
/// The identity, the first category, and the categories that hold names (ETG.1000.6 table 16 ff.).
const IDENTITY: u16 = 8;
const CATEGORIES: u16 = 0x40;
const STRINGS: u16 = 10;
const GENERAL: u16 = 30;
const END: u16 = 0xffff;
/// More categories than any board has.
const MOST_CATEGORIES: usize = 64;
/// Where in its category the general information has the number of the order code's text.
const ORDER_CODE: usize = 2;

/// The longest that all of it may take, and a frame's worth of it.
const PATIENCE: Period = Period::from_milliseconds(60_000);
const PERIOD: Period = Period::from_milliseconds(5);

/// A board as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scanned {
    /// Who it is.
    pub found: Found,
    /// Its station address, 0 if nobody has given it one.
    pub station_address: u16,
    /// Its state; `None` for bits that are no state.
    pub state: Option<AlState>,
    /// Why it shows an error; `AlCode::NONE` if it does not.
    pub code: AlCode,
    /// Which of its ports 0 to 3 have a link.
    pub links: [bool; 4],
}

/// Reads all boards behind a link, in the order of the cable. None is an empty list.
pub fn scan<L: Link>(link: L) -> Result<Vec<Scanned>, HilError> {
    let (mut driver, main) = open(link, PERIOD)?;
    let outcome = driver.run_guarded(PATIENCE, read_all(&main));
    drop(close(driver, main));
    if let Ok(Err(Error::Timeout(TimeoutError::Pdu))) = outcome {
        return Err(silence());
    }
    in_our_words(outcome, None)
}

async fn read_all(main: &MainDevice<'_>) -> Result<Vec<Scanned>, Error> {
    let mut boards = Vec::new();
    for place in 0..count_boards(main).await? {
        boards.push(read_board(main, place).await?);
    }
    Ok(boards)
}

async fn read_board(main: &MainDevice<'_>, place: u16) -> Result<Scanned, Error> {
    let status = word(main, place, AL_STATUS).await?.unwrap_or_default();
    let code = word(main, place, AL_STATUS_CODE).await?.unwrap_or_default();
    let ports = word(main, place, DL_STATUS).await?.unwrap_or_default();
    let mut found = read_identity(main, place).await?.unwrap_or_default();
    found.name = read_name(main, place).await?.unwrap_or_default();
    Ok(Scanned {
        found,
        station_address: station_address(main, place).await?.unwrap_or_default(),
        state: AlState::from_bits(status as u8),
        code: AlCode(if status & ERROR != 0 { code } else { 0 }),
        links: [4, 5, 6, 7].map(|bit| ports >> bit & 1 == 1),
    })
}

/// How many boards answer.
pub(super) async fn count_boards(main: &MainDevice<'_>) -> Result<u16, Error> {
    match Command::brd(0x0000).with_wkc(0).receive::<u8>(main).await {
        Ok(_) => Ok(0),
        Err(Error::WorkingCounter { received, .. }) => Ok(received),
        Err(error) => Err(error),
    }
}

/// The station address of the board at a place.
pub(super) async fn station_address(main: &MainDevice<'_>, place: u16) -> Result<Option<u16>, Error> {
    word(main, place, STATION_ADDRESS).await
}

/// Alias and identity of the board at a place; no name. `None` if it or its EEPROM does not answer.
pub(super) async fn read_identity(main: &MainDevice<'_>, place: u16) -> Result<Option<Found>, Error> {
    let alias = word(main, place, ALIAS).await?.unwrap_or_default();
    let mut numbers = [0; 4];
    for (number, address) in numbers.iter_mut().zip((IDENTITY..).step_by(2)) {
        let Some(value) = read_eeprom(main, place, address).await? else { return Ok(None) };
        *number = u32::from_le_bytes(value);
    }
    let [vendor, product, revision, serial] = numbers;
    Ok(Some(Found { alias, vendor, product, revision, serial, name: String::new() }))
}

/// The order code, as ethercrab calls a board too.
async fn read_name(main: &MainDevice<'_>, place: u16) -> Result<Option<String>, Error> {
    let (mut texts, mut number) = (None, None);
    let mut address = CATEGORIES;
    for _ in 0..MOST_CATEGORIES {
        let Some([low, high, length_low, length_high]) = read_eeprom(main, place, address).await? else { break };
        let (kind, length) = (u16::from_le_bytes([low, high]), u16::from_le_bytes([length_low, length_high]));
        match kind {
            END => break,
            STRINGS => texts = Some((address + 2, length)),
            GENERAL => number = read_eeprom(main, place, address + 2).await?.map(|bytes| bytes[ORDER_CODE]),
            _ => {}
        }
        let Some(next) = address.checked_add(2).and_then(|address| address.checked_add(length)) else { break };
        address = next;
    }
    let (Some((first, length)), Some(number)) = (texts, number) else { return Ok(None) };
    let mut bytes = Vec::new();
    for word in (first..first.saturating_add(length)).step_by(2) {
        bytes.extend(read_eeprom(main, place, word).await?.unwrap_or_default());
    }
    Ok(text(&bytes, number))
}

/// One of the texts of a string category: a count, then for each a length and that many letters; numbers begin at 1.
fn text(category: &[u8], number: u8) -> Option<String> {
    let (count, mut rest) = category.split_first()?;
    for other in 1..=*count {
        let (length, letters) = rest.split_first()?;
        let letters = letters.get(..usize::from(*length))?;
        if other == number {
            return Some(String::from_utf8_lossy(letters).trim_end_matches('\0').to_owned());
        }
        rest = rest.get(1 + usize::from(*length)..)?;
    }
    None
}

/// Two words of the EEPROM of the board at a place; `None` if board or EEPROM do not answer.
async fn read_eeprom(main: &MainDevice<'_>, place: u16, address: u16) -> Result<Option<[u8; 4]>, Error> {
    let [low, high] = address.to_le_bytes();
    let [command_low, command_high] = READ.to_le_bytes();
    Command::apwr(place, EEPROM_CONFIGURATION).ignore_wkc().send(main, 2_u8).await?;
    Command::apwr(place, EEPROM_CONFIGURATION).ignore_wkc().send(main, 0_u8).await?;
    let request = [command_low, command_high, low, high, 0, 0];
    Command::apwr(place, EEPROM_CONTROL).ignore_wkc().send(main, request).await?;
    for _ in 0..LOOKS {
        match word(main, place, EEPROM_CONTROL).await? {
            None => return Ok(None),
            Some(status) if status & BUSY != 0 => clock::sleep(BETWEEN).await,
            Some(status) if status & ERRORS != 0 => return Ok(None),
            Some(_) => return Ok(Command::aprd(place, EEPROM_DATA).receive::<[u8; 4]>(main).await.ok()),
        }
    }
    Ok(None)
}

/// Two bytes of a register; `None` if no board is at the place.
async fn word(main: &MainDevice<'_>, place: u16, register: u16) -> Result<Option<u16>, Error> {
    match Command::aprd(place, register).receive::<u16>(main).await {
        Ok(word) => Ok(Some(word)),
        Err(Error::WorkingCounter { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts_are_counted_from_one() {
        let category = [2, 3, b'A', b'B', b'C', 2, b'x', b'y', 0, 0];
        assert_eq!(text(&category, 1).as_deref(), Some("ABC"));
        assert_eq!(text(&category, 2).as_deref(), Some("xy"));
        assert_eq!(text(&category, 3), None);
        assert_eq!(text(&category, 0), None);
    }

    proptest! {
        #[test]
        fn any_category_gives_a_text_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..64), number: u8) {
            let _ = text(&bytes, number);
        }
    }
}
