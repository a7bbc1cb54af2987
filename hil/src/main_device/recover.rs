//! A board that lost its power, or left OP, comes back while the others go on.

use core::cell::Cell;
use core::future::{Future, poll_fn};
use core::pin::pin;
use core::task::Poll;

use ethercrab::error::Error;
use ethercrab::{Command, MainDevice};
use robot_io::Period;

use super::bring_up::{in_our_words, set_watchdog, start_sync0, watchdog};
use super::bus::{Bus, Group, Station};
use super::driver::{Driver, Stopped};
use super::registers::{
    AL_CONTROL, EEPROM_CONFIGURATION, ERROR, FIRST_ADDRESS, FMMUS, LOOP_PARAMETER_1, LOOP_PARAMETER_3, STATION_ADDRESS,
    SYNC_MANAGERS, SYSTEM_TIME, SYSTEM_TIME_DELAY, SYSTEM_TIME_OFFSET, Status, al_status, reaches, read_block,
    read_time, state_and_code, write,
};
use super::scan::{count_boards, read_identity, station_address};
use super::{clock, objects};
use crate::HilError;
use crate::bus_file::{BoardPlan, BusPlan, Found};
use crate::link::Link;
use crate::wire::AlState;

/// The longest that it may take.
const PATIENCE: Period = Period::from_milliseconds(20_000);
/// Emergencies in place of answers spoil it; it begins anew this often.
const TRIES: usize = 3;
/// SYNC0 begins again this long after it is set up [ns].
const SYNC0_DELAY: u64 = 20_000_000;

/// One board's way back, and what it works with.
pub(super) struct Recovery<'a, L> {
    pub driver: &'a mut Driver<L>,
    pub main: &'a MainDevice<'static>,
    pub bus: &'a mut Bus,
    pub plan: &'a BusPlan,
    pub period: Period,
    pub board: usize,
}

impl<L: Link> Recovery<'_, L> {
    pub fn run(self) -> Result<(), HilError> {
        let (Some(board), Some(station)) = (self.plan.boards.get(self.board), self.bus.stations.get(self.board)) else {
            return Err(HilError::Boards(format!("there is no board with number {}", self.board)));
        };
        if !station.present() {
            let name = &board.name;
            return Err(HilError::Boards(format!(
                "board '{name}' was not there when the bus was configured: it joins with the next start"
            )));
        }
        let (main, period, group) = (self.main, self.period, &*self.bus.group);
        let way = Way { main, group, plan: self.plan, board, station, stations: &self.bus.stations, period };
        let next_beat = Cell::new(self.driver.now());
        let mut outcome = Err(Stopped::TimeOut);
        for _ in 0..TRIES {
            let busy = Cell::new(false);
            let work = beside(way.back(), heartbeat(group, main, period, &next_beat, &busy), &busy);
            outcome = self.driver.run_guarded(PATIENCE, work);
            if !matches!(outcome, Err(Stopped::Panicked(_))) {
                break;
            }
        }
        match outcome {
            Ok(result) => result,
            Err(stopped) => in_our_words(Err(stopped), Some(&board.name)),
        }
    }
}

/// `work` to its end, and `other` as long; not while `other` is busy.
async fn beside<T>(work: impl Future<Output = T>, other: impl Future<Output = ()>, busy: &Cell<bool>) -> T {
    let (mut work, mut other, mut result) = (pin!(work), pin!(other), None);
    poll_fn(|context| {
        if result.is_none()
            && let Poll::Ready(value) = work.as_mut().poll(context)
        {
            result = Some(value);
        }
        let _ = other.as_mut().poll(context);
        match result.take() {
            Some(value) if !busy.get() => Poll::Ready(value),
            unfinished => {
                result = unfinished;
                Poll::Pending
            }
        }
    })
    .await
}

/// Process data as the boards had it last, every period: they keep holding, and their watchdogs stay quiet.
async fn heartbeat(group: &Group, main: &MainDevice<'static>, period: Period, next: &Cell<u64>, busy: &Cell<bool>) {
    loop {
        clock::sleep(next.get().saturating_sub(clock::now())).await;
        next.set(clock::now() + period.nanoseconds());
        busy.set(true);
        let _ = group.tx_rx_sync_system_time(main).await;
        busy.set(false);
    }
}

/// What a board's way back needs to know.
struct Way<'a> {
    main: &'a MainDevice<'static>,
    group: &'a Group,
    plan: &'a BusPlan,
    board: &'a BoardPlan,
    station: &'a Station,
    stations: &'a [Station],
    period: Period,
}

impl Way<'_> {
    /// From wherever the board is to OP.
    async fn back(&self) -> Result<(), HilError> {
        let status = self.told(al_status(self.main, self.station.address).await)?;
        match status {
            Some(Status { state: AlState::Op, error: false }) => return Ok(()),
            // it has kept its configuration: the watchdog, or a fault of its own
            Some(Status { state: AlState::SafeOp | AlState::Op, .. }) => {}
            Some(_) => self.configure().await?,
            None => {
                self.address().await?;
                self.configure().await?;
            }
        }
        self.go(AlState::SafeOp).await?;
        self.go(AlState::Op).await
    }

    /// Everything that bring-up wrote, in the same order.
    async fn configure(&self) -> Result<(), HilError> {
        let (main, address) = (self.main, self.station.address);
        self.go(AlState::Init).await?;
        self.channels(true).await?;
        self.told(self.give_eeprom(1).await)?;
        self.go(AlState::PreOp).await?;
        self.told(self.give_eeprom(0).await)?;
        let mailbox = self.told(self.group.subdevice(main, self.station.place))?;
        for object in objects::objects(self.board) {
            let outcome = Ok(objects::write(&mailbox, &object).await);
            objects::judge(outcome, &self.board.name, &object)?.map_or(Ok(()), Err)?;
        }
        self.told(set_watchdog(main, address, watchdog(self.plan)).await)?;
        self.channels(false).await?;
        if self.station.clock {
            self.told(self.set_clock().await)?;
        }
        Ok(())
    }

    /// Asks for a state, acknowledging any error, and waits until the board is there.
    async fn go(&self, wanted: AlState) -> Result<(), HilError> {
        let (main, address) = (self.main, self.station.address);
        let acknowledge = if wanted == AlState::Op { 0 } else { ERROR };
        self.told(write(main, address, AL_CONTROL, wanted as u16 | acknowledge).await)?;
        if self.told(reaches(main, address, wanted).await)? {
            return Ok(());
        }
        let board = self.board.name.clone();
        match self.told(state_and_code(main, address).await)? {
            Some((found, code)) => Err(HilError::State { board, wanted, found, code }),
            None => Err(HilError::Boards(format!("board '{board}' does not answer any more on its way to {wanted}"))),
        }
    }

    /// The EEPROM belongs to the board's processor while it goes to PRE-OP, to us otherwise (ETG.2010, AssignToPdi).
    async fn give_eeprom(&self, owner: u8) -> Result<(), Error> {
        write(self.main, self.station.address, EEPROM_CONFIGURATION, 2_u8).await?;
        write(self.main, self.station.address, EEPROM_CONFIGURATION, owner).await.map(drop)
    }

    /// Sync managers and FMMUs: those of the mailbox, or the others.
    async fn channels(&self, of_mailbox: bool) -> Result<(), HilError> {
        let chosen = self.station.channels.iter().filter(|channel| is_mailbox(channel) == of_mailbox);
        for (register, bytes) in chosen {
            self.told(write(self.main, self.station.address, *register, bytes.as_slice()).await)?;
        }
        Ok(())
    }

    /// The board's clock starts anew: it is set to what another says, and the rest is for the reference clock to correct.
    async fn set_clock(&self) -> Result<(), Error> {
        let (main, address) = (self.main, self.station.address);
        let Some(other) = self.stations.iter().find(|other| other.clock && other.address != address) else {
            return Ok(());
        };
        write(main, address, SYSTEM_TIME_OFFSET, 0_u64).await?;
        write(main, address, SYSTEM_TIME_DELAY, self.station.delay).await?;
        let time = read_time(main, other.address, SYSTEM_TIME).await?.unwrap_or_default();
        let own = read_time(main, address, SYSTEM_TIME).await?.unwrap_or_default();
        write(main, address, SYSTEM_TIME_OFFSET, time.wrapping_sub(own)).await?;
        // as ethercrab sets them; parameter 1 resets the loop and must come last
        write(main, address, LOOP_PARAMETER_3, 0x0c00_u16).await?;
        write(main, address, LOOP_PARAMETER_1, 0x1000_u16).await?;
        if let Some(shift) = self.plan.sync0_shift {
            let first = (time + SYNC0_DELAY).next_multiple_of(self.period.nanoseconds().max(1)) + shift.nanoseconds();
            start_sync0(main, address, first, self.period).await?;
        }
        Ok(())
    }

    /// The board has forgotten its station address: finds it on the cable, makes sure that it is the one, and gives it its
    /// address again.
    async fn address(&self) -> Result<(), HilError> {
        let name = &self.board.name;
        let count = self.told(count_boards(self.main).await)?;
        let mut addresses = Vec::new();
        for place in 0..count {
            addresses.push(self.told(station_address(self.main, place).await)?.unwrap_or_default());
        }
        let mut seen = Vec::new();
        for place in candidates(&addresses, self.station.place, self.stations.len()) {
            let found = self.told(read_identity(self.main, place).await)?;
            if found.as_ref().is_some_and(|found| is(found, self.board)) {
                let command = Command::apwr(place, STATION_ADDRESS);
                return self.told(command.send_receive::<()>(self.main, self.station.address).await);
            }
            seen.extend(found.map(|found| format!("vendor {:#x} product {:#x}", found.vendor, found.product)));
        }
        Err(HilError::Boards(match seen.as_slice() {
            [] => format!("board '{name}' does not answer: no power, or the cable before it is cut"),
            seen => format!("board '{name}' does not answer; in its place there is {}", seen.join(", ")),
        }))
    }

    fn told<T>(&self, answer: Result<T, Error>) -> Result<T, HilError> {
        in_our_words(Ok(answer), Some(&self.board.name))
    }
}

/// Where on the cable the board of `place` can be now, best first: boards without one of our `count` addresses, between its
/// neighbours.
fn candidates(addresses: &[u16], place: usize, count: usize) -> Vec<u16> {
    let original = |address: u16| {
        let place = usize::from(address.checked_sub(FIRST_ADDRESS)?);
        (place < count).then_some(place)
    };
    let known: Vec<Option<usize>> = addresses.iter().map(|address| original(*address)).collect();
    let before = known.iter().rposition(|other| other.is_some_and(|other| other < place));
    let after = known.iter().position(|other| other.is_some_and(|other| other > place));
    let (begin, end) = (before.map_or(0, |before| before + 1), after.unwrap_or(known.len()));
    let mut places: Vec<u16> = (begin..end).filter(|now| known[*now].is_none()).map(|now| now as u16).collect();
    // if all that are missing here are there again, the order says which is which
    let first_missing = before.and_then(|before| known[before]).map_or(0, |neighbour| neighbour + 1);
    let last_missing = after.and_then(|after| known[after]).unwrap_or(count);
    let rank = place - first_missing;
    if last_missing - first_missing == places.len() && rank < places.len() {
        places.rotate_left(rank);
    }
    places
}

fn is(found: &Found, board: &BoardPlan) -> bool {
    let wanted = board.identity;
    let agrees = |wanted: Option<u32>, found: u32| wanted.is_none_or(|wanted| wanted == found);
    (found.vendor, found.product) == (wanted.vendor, wanted.product)
        && agrees(wanted.revision, found.revision)
        && agrees(wanted.serial, found.serial)
}

/// Sync managers in mailbox mode (ETG.1000.4 table 59).
fn is_mailbox((register, bytes): &(u16, Vec<u8>)) -> bool {
    *register >= SYNC_MANAGERS && bytes.get(4).is_some_and(|control| control & 0x03 == 0x02)
}

/// What a board's sync managers and FMMUs are set to: those that are active.
pub(super) async fn read_channels(main: &MainDevice<'_>, address: u16) -> Result<Vec<(u16, Vec<u8>)>, Error> {
    const FMMU: usize = 16;
    const SYNC_MANAGER: usize = 8;
    let mut channels = Vec::new();
    for (first, length, count) in [(SYNC_MANAGERS, SYNC_MANAGER, 8), (FMMUS, FMMU, 8)] {
        let block = read_block(main, address, first, (length * count) as u16).await?.unwrap_or_default();
        for (number, bytes) in block.chunks_exact(length).enumerate() {
            // FMMU: byte 12, bit 0; sync manager: byte 6, bit 0
            let active = bytes.get(if length == FMMU { 12 } else { 6 }).is_some_and(|byte| byte & 1 == 1);
            if active {
                channels.push((first + (number * length) as u16, bytes.to_vec()));
            }
        }
    }
    Ok(channels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_without_address_is_looked_for_between_its_neighbours() {
        let here = |numbers: &[u16]| numbers.iter().map(|number| 0x1000 + number).collect::<Vec<_>>();
        // board 2 of 5 was reset
        assert_eq!(candidates(&[here(&[0, 1]), vec![0], here(&[3, 4])].concat(), 2, 5), [2]);
        // boards 1 and 2 were reset
        assert_eq!(candidates(&[0x1000, 0, 0, 0x1003, 0x1004], 1, 5), [1, 2]);
        assert_eq!(candidates(&[0x1000, 0, 0, 0x1003, 0x1004], 2, 5), [2, 1]);
        // board 1 is off, board 2 was reset: there is one place, and its identity must say who it is
        assert_eq!(candidates(&[0x1000, 0, 0x1003, 0x1004], 2, 5), [1]);
        // board 0 is off
        assert_eq!(candidates(&here(&[1, 2, 3, 4]), 0, 5), [0_u16; 0]);
        // all were reset
        assert_eq!(candidates(&[0; 5], 3, 5), [3, 4, 0, 1, 2]);
    }
}
