//! Registers of a board (ETG.1000.4): where they are, and how they are read and written.

use ethercrab::error::Error;
use ethercrab::{Command, EtherCrabWireWrite, MainDevice};

use super::clock;
use crate::wire::{AlCode, AlState};

/// The station address of the first board; the others follow in the order of the cable.
pub(super) const FIRST_ADDRESS: u16 = 0x1000;
/// Between two looks at a register that is waited for [ns].
pub(super) const LOOK: u64 = 1_000_000;

pub(super) const STATION_ADDRESS: u16 = 0x0010;
pub(super) const ALIAS: u16 = 0x0012;
pub(super) const DL_STATUS: u16 = 0x0110;
pub(super) const AL_CONTROL: u16 = 0x0120;
pub(super) const AL_STATUS: u16 = 0x0130;
pub(super) const AL_STATUS_CODE: u16 = 0x0134;
pub(super) const WATCHDOG_DIVIDER: u16 = 0x0400;
pub(super) const PROCESS_DATA_WATCHDOG: u16 = 0x0420;
pub(super) const EEPROM_CONFIGURATION: u16 = 0x0500;
pub(super) const FMMUS: u16 = 0x0600;
pub(super) const SYNC_MANAGERS: u16 = 0x0800;
pub(super) const SYSTEM_TIME: u16 = 0x0910;
pub(super) const SYSTEM_TIME_OFFSET: u16 = 0x0920;
pub(super) const SYSTEM_TIME_DELAY: u16 = 0x0928;
pub(super) const SYSTEM_TIME_DIFFERENCE: u16 = 0x092c;
pub(super) const LOOP_PARAMETER_1: u16 = 0x0930;
pub(super) const LOOP_PARAMETER_3: u16 = 0x0934;
pub(super) const SYNC_ACTIVATION: u16 = 0x0981;
pub(super) const SYNC0_START: u16 = 0x0990;
pub(super) const SYNC0_CYCLE: u16 = 0x09a0;

/// Of AL control: acknowledges an error. Of AL status: there is one.
pub(super) const ERROR: u16 = 0x10;

/// AL status as a board says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Status {
    pub state: AlState,
    pub error: bool,
}

/// The system time difference as it is on the wire: a magnitude and a sign (ETG.1000.4 table 60) [ns].
pub(super) fn time_difference(word: u32) -> i64 {
    let magnitude = i64::from(word & 0x7fff_ffff);
    if word >> 31 == 1 { -magnitude } else { magnitude }
}

/// `None` for a board that does not answer.
fn present<T>(answer: Result<T, Error>) -> Result<Option<T>, Error> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(Error::WorkingCounter { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads two bytes; `None` if the board does not answer.
pub(super) async fn read_word(main: &MainDevice<'_>, address: u16, register: u16) -> Result<Option<u16>, Error> {
    present(Command::fprd(address, register).receive::<u16>(main).await)
}

/// Reads eight bytes; `None` if the board does not answer.
pub(super) async fn read_time(main: &MainDevice<'_>, address: u16, register: u16) -> Result<Option<u64>, Error> {
    present(Command::fprd(address, register).receive::<u64>(main).await)
}

/// Reads `length` bytes; `None` if the board does not answer.
pub(super) async fn read_block(
    main: &MainDevice<'_>,
    address: u16,
    register: u16,
    length: u16,
) -> Result<Option<Vec<u8>>, Error> {
    let answer = Command::fprd(address, register).receive_slice(main, length).await;
    present(answer.map(|block| block.to_vec()))
}

/// Writes; false if the board does not take it.
pub(super) async fn write(
    main: &MainDevice<'_>,
    address: u16,
    register: u16,
    value: impl EtherCrabWireWrite,
) -> Result<bool, Error> {
    let answer = Command::fpwr(address, register).send_receive::<()>(main, value).await;
    Ok(present(answer)?.is_some())
}

/// A board's AL status; `None` if it does not answer or says something that is no state.
pub(super) async fn al_status(main: &MainDevice<'_>, address: u16) -> Result<Option<Status>, Error> {
    let word = read_word(main, address, AL_STATUS).await?;
    let status = |word: u16| Some(Status { state: AlState::from_bits(word as u8)?, error: word & ERROR != 0 });
    Ok(word.and_then(status))
}

/// A board's state and the reason for it.
pub(super) async fn state_and_code(main: &MainDevice<'_>, address: u16) -> Result<Option<(AlState, AlCode)>, Error> {
    let status = al_status(main, address).await?;
    let code = read_word(main, address, AL_STATUS_CODE).await?;
    Ok(status.map(|status| (status.state, AlCode(if status.error { code.unwrap_or(0) } else { 0 }))))
}

/// Waits until a board is in a state; true when it is, false when it shows an error instead or does not answer.
pub(super) async fn reaches(main: &MainDevice<'_>, address: u16, wanted: AlState) -> Result<bool, Error> {
    loop {
        match al_status(main, address).await? {
            Some(status) if status.error => return Ok(false),
            Some(status) if status.state == wanted => return Ok(true),
            Some(_) => clock::sleep(LOOK).await,
            None => return Ok(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_differences_are_magnitude_and_sign() {
        assert_eq!(time_difference(0x0000_0005), 5);
        assert_eq!(time_difference(0x8000_0005), -5);
        assert_eq!(time_difference(0x8000_0000), 0);
    }
}
