//! From whatever state boards are in to SAFE-OP, configured: ethercrab finds and maps them, the rest is done by hand so that
//! every refusal is told with the board's name and its own reason.

use ethercrab::error::{Error, TimeoutError};
use ethercrab::subdevice_group::PreOp;
use ethercrab::{Command, DefaultLock, MainDevice, SubDevice, SubDeviceGroup};
use robot_io::Period;

use super::bus::{Bus, Group, LARGEST_IMAGE, MOST_BOARDS, Station};
use super::driver::{Driver, Stopped};
use super::layout::{expected_counts, places};
use super::objects;
use super::recover::read_channels;
use super::registers::{
    AL_CONTROL, FIRST_ADDRESS, PROCESS_DATA_WATCHDOG, SYNC_ACTIVATION, SYNC0_CYCLE, SYNC0_START, SYSTEM_TIME,
    WATCHDOG_DIVIDER, reaches, read_time, read_word, state_and_code, write,
};
use super::{clock, storage};
use crate::HilError;
use crate::bus_file::{BusPlan, Found, locate};
use crate::link::Link;
use crate::wire::{AlCode, AlState};

/// The longest that finding and mapping all boards may take.
const PATIENCE: Period = Period::from_milliseconds(120_000);
/// The longest that a change of state may take.
pub(super) const STATE_PATIENCE: Period = Period::from_milliseconds(10_000);
/// For one register.
pub(super) const REGISTER_PATIENCE: Period = Period::from_milliseconds(100);
/// The watchdog counts 100 µs: 2,498 + 2 cycles of 40 ns, as boards have it from the factory (ETG.1000.4 table 52).
const DIVIDER: u16 = 2_498;
const WATCHDOG_UNIT: u64 = 100_000;
/// SYNC0 begins this long after it is set up, so that every board is ready.
const SYNC0_DELAY: u64 = 100_000_000;
/// Exchanges until the working counter must be right.
const TRIES: usize = 20;

/// The group before its process data is mapped.
type Unmapped = SubDeviceGroup<MOST_BOARDS, LARGEST_IMAGE, DefaultLock, PreOp>;

/// What bring-up works with.
pub(super) struct BringUp<'a, L> {
    pub driver: &'a mut Driver<L>,
    pub main: &'a MainDevice<'static>,
    pub plan: &'a BusPlan,
    pub period: Period,
    /// For each board of the plan its place on the cable, once known; `None` for one that is absent.
    pub places: Vec<Option<usize>>,
}

impl<L: Link> BringUp<'_, L> {
    /// All of it.
    pub fn run(&mut self) -> Result<Bus, HilError> {
        let group = self.find()?;
        let (found, mut stations) = describe(&group, self.main);
        self.places = locate(&found, self.plan)?;
        let station = |place: &Option<usize>| place.and_then(|place| stations.get(place).cloned());
        stations = self.places.iter().map(|place| station(place).unwrap_or_else(Station::absent)).collect();
        self.write_objects(&group)?;
        self.set_watchdogs(&stations)?;
        let group = self.map(group)?;
        let counts = self.check_lengths(&group, stations.iter().any(|station| station.clock))?;
        self.start_sync0(&stations)?;
        self.ask(&stations, AlState::SafeOp)?;
        for (index, station) in stations.iter_mut().enumerate().filter(|(_, station)| station.present()) {
            let channels = self.driver.run_guarded(REGISTER_PATIENCE, read_channels(self.main, station.address));
            station.channels = self.library(channels, Some(index))?;
        }
        let mut bus = Bus::new(group, stations, counts);
        self.check_counter(&mut bus)?;
        Ok(bus)
    }

    /// INIT and PRE-OP: ethercrab counts boards, gives them addresses, reads their EEPROMs, sets up mailboxes and clocks.
    fn find(&mut self) -> Result<Box<Unmapped>, HilError> {
        let init = self.main.init_single_group::<MOST_BOARDS, LARGEST_IMAGE>(clock::now);
        let outcome = self.driver.run_guarded(PATIENCE, init);
        if let Err(Stopped::Refused(address)) = outcome {
            return Err(self.refusal(usize::from(address.wrapping_sub(FIRST_ADDRESS)), AlState::PreOp));
        }
        if let Ok(Err(Error::Timeout(TimeoutError::StateTransition) | Error::StateTransition)) = outcome {
            let places: Vec<usize> = (0..self.main.num_subdevices()).collect();
            return Err(self.first_not_in(&places, AlState::PreOp));
        }
        if let Ok(Err(Error::Timeout(TimeoutError::Pdu))) = outcome {
            return Err(silence());
        }
        let group = self.library(outcome, None)?;
        if group.is_empty() {
            return Err(HilError::Boards("frames come back, but no board has answered them".to_owned()));
        }
        Ok(Box::new(group))
    }

    fn write_objects(&mut self, group: &Unmapped) -> Result<(), HilError> {
        let (plan, main) = (self.plan, self.main);
        for (board, place) in plan.boards.iter().zip(self.places.clone()) {
            let Some(place) = place else { continue };
            for object in objects::objects(board) {
                let mut trouble = None;
                for _ in 0..objects::TRIES {
                    let work = async { objects::write(&group.subdevice(main, place)?, &object).await };
                    let outcome = self.driver.run_guarded(objects::PATIENCE, work);
                    trouble = objects::judge(outcome, &board.name, &object)?;
                    if trouble.is_none() {
                        break;
                    }
                }
                trouble.map_or(Ok(()), Err)?;
            }
        }
        Ok(())
    }

    /// Boards switch themselves off when outputs stay away.
    fn set_watchdogs(&mut self, stations: &[Station]) -> Result<(), HilError> {
        let value = watchdog(self.plan);
        for (index, station) in stations.iter().enumerate().filter(|(_, station)| station.present()) {
            let outcome = self.driver.run_guarded(REGISTER_PATIENCE, set_watchdog(self.main, station.address, value));
            let (divider, found) = self.library(outcome, Some(index))?;
            if (divider, found) != (DIVIDER, value) {
                return Err(HilError::Boards(format!(
                    "board '{}': its watchdog was set to {value} times 100 µs (registers 0x0400 = {DIVIDER}, 0x0420 = {value}) \
                     and reads 0x0400 = {divider}, 0x0420 = {found}",
                    self.plan.boards[index].name
                )));
            }
        }
        Ok(())
    }

    /// Sync managers and FMMUs, from what each board says of its mapping.
    fn map(&mut self, group: Box<Unmapped>) -> Result<Box<Group>, HilError> {
        let outcome = self.driver.run_guarded(PATIENCE, (*group).into_pre_op_pdi(self.main));
        let index = self.driver.addressed().and_then(|address| self.index_of(address));
        self.library(outcome, index).map(Box::new)
    }

    /// Compares what was mapped with the plan; gives what each board of the plan adds to the working counter.
    fn check_lengths(&self, group: &Group, with_time: bool) -> Result<Vec<u16>, HilError> {
        let mut lengths = vec![(0, 0); self.places.iter().flatten().count()];
        for (board, place) in self.plan.boards.iter().zip(&self.places) {
            let Some(place) = place else { continue };
            let station = group.subdevice(self.main, *place).map_err(|error| HilError::Link(error.to_string()))?;
            let (map, io) = (board.kind.pdo_map(), station.io_raw());
            let found = (io.outputs().len(), io.inputs().len());
            let wanted = (map.output_bytes(), map.input_bytes());
            if found != wanted {
                return Err(HilError::Boards(format!(
                    "board '{}' maps {} bytes of outputs and {} bytes of inputs; the bus file's '{}' has {} and {}",
                    board.name,
                    found.0,
                    found.1,
                    board.kind.type_name(),
                    wanted.0,
                    wanted.1
                )));
            }
            lengths[*place] = found;
        }
        let counts = expected_counts(&places(&lengths), with_time);
        Ok(self.places.iter().map(|place| place.map_or(0, |place| counts[place])).collect())
    }

    /// SYNC0 at whole periods of the reference clock, later by the plan's shift.
    fn start_sync0(&mut self, stations: &[Station]) -> Result<(), HilError> {
        let Some(shift) = self.plan.sync0_shift else { return Ok(()) };
        let Some(reference) = stations.iter().filter(|station| station.clock).min_by_key(|station| station.place)
        else {
            return Err(HilError::Boards("the bus file asks for SYNC0, and no board has a clock".to_owned()));
        };
        let time = self.driver.run_guarded(REGISTER_PATIENCE, read_time(self.main, reference.address, SYSTEM_TIME));
        let time = self.library(time, None)?.unwrap_or_default();
        let first = (time + SYNC0_DELAY).next_multiple_of(self.period.nanoseconds().max(1)) + shift.nanoseconds();
        for (index, station) in stations.iter().enumerate().filter(|(_, station)| station.clock) {
            let work = start_sync0(self.main, station.address, first, self.period);
            let outcome = self.driver.run_guarded(REGISTER_PATIENCE, work);
            if !self.library(outcome, Some(index))? {
                let name = &self.plan.boards[index].name;
                return Err(HilError::Boards(format!("board '{name}' does not take the settings of SYNC0")));
            }
        }
        Ok(())
    }

    /// Asks every board for a state and waits until it is there.
    fn ask(&mut self, stations: &[Station], state: AlState) -> Result<(), HilError> {
        for station in stations.iter().filter(|station| station.present()) {
            let work = write(self.main, station.address, AL_CONTROL, state as u16);
            let outcome = self.driver.run_guarded(REGISTER_PATIENCE, work);
            self.library(outcome, None)?;
        }
        for station in stations.iter().filter(|station| station.present()) {
            let outcome = self.driver.run_guarded(STATE_PATIENCE, reaches(self.main, station.address, state));
            match outcome {
                Ok(Ok(true)) => {}
                Ok(Ok(false)) | Err(_) => return Err(self.refusal(station.place, state)),
                Ok(Err(error)) => return Err(HilError::Link(error.to_string())),
            }
        }
        Ok(())
    }

    /// Outputs are all zero here: no drive is on.
    fn check_counter(&mut self, bus: &mut Bus) -> Result<(), HilError> {
        let mut counter = 0;
        for _ in 0..TRIES {
            counter = bus.keep_alive(self.driver, self.main, REGISTER_PATIENCE);
            if counter == bus.expected() {
                return Ok(());
            }
        }
        Err(HilError::Boards(format!(
            "the working counter of the process data is {counter}, and {} if every board takes part: one has sync managers or \
             FMMUs that do not work",
            bus.expected()
        )))
    }

    /// The board at a place that does not go to a state, with its reason.
    fn refusal(&mut self, place: usize, wanted: AlState) -> HilError {
        let address = FIRST_ADDRESS.wrapping_add(place as u16);
        let answer = self.driver.run_guarded(REGISTER_PATIENCE, state_and_code(self.main, address));
        let board = self.name_at(place);
        match answer {
            Ok(Ok(Some((found, code)))) => HilError::State { board, wanted, found, code },
            _ => HilError::Boards(format!("board '{board}' does not answer on its way to {wanted}")),
        }
    }

    fn first_not_in(&mut self, places: &[usize], wanted: AlState) -> HilError {
        for place in places {
            let error = self.refusal(*place, wanted);
            if !matches!(error, HilError::State { found, code: AlCode::NONE, .. } if found == wanted) {
                return error;
            }
        }
        HilError::Link(format!("the boards did not reach {wanted} in time"))
    }

    /// The plan's index of the board with a station address.
    fn index_of(&self, address: u16) -> Option<usize> {
        let place = usize::from(address.checked_sub(FIRST_ADDRESS)?);
        self.places.iter().position(|other| *other == Some(place))
    }

    /// The name of the board at a place; before boards are compared, the one that should be there.
    fn name_at(&self, place: usize) -> String {
        let index = if self.places.is_empty() {
            Some(place)
        } else {
            self.places.iter().position(|other| *other == Some(place))
        };
        let board = index.and_then(|index| self.plan.boards.get(index));
        board.map_or_else(|| format!("at place {} of the cable", place + 1), |board| board.name.clone())
    }

    /// ethercrab's errors in our words.
    fn library<T>(&self, outcome: Result<Result<T, Error>, Stopped>, board: Option<usize>) -> Result<T, HilError> {
        let name = board.and_then(|index| self.plan.boards.get(index)).map(|board| board.name.as_str());
        in_our_words(outcome, name)
    }
}

/// ethercrab's errors in our words.
pub(super) fn in_our_words<T>(outcome: Result<Result<T, Error>, Stopped>, board: Option<&str>) -> Result<T, HilError> {
    let who = board.map_or_else(String::new, |name| format!("board '{name}': "));
    match outcome {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(Error::Capacity(item))) => Err(HilError::Boards(format!(
            "{who}too much for this MainDevice ({item:?}): at most {MOST_BOARDS} boards and {LARGEST_IMAGE} bytes of process data"
        ))),
        Ok(Err(error)) => Err(HilError::Boards(format!("{who}{error}"))),
        Err(Stopped::Panicked(message)) => Err(HilError::Boards(format!(
            "{who}the EtherCAT library gave up ({message}); an emergency message that comes in place of an answer can cause that"
        ))),
        Err(stopped) => Err(HilError::Link(format!("{who}{}", HilError::from(stopped)))),
    }
}

/// Nobody sends frames back.
pub(super) fn silence() -> HilError {
    HilError::Link("no frame comes back: is the other end there, and does anything answer on it?".to_owned())
}

/// Who the boards are and what they have, in the order of the cable.
fn describe(group: &Unmapped, main: &MainDevice<'static>) -> (Vec<Found>, Vec<Station>) {
    let boards: Vec<_> = group.iter(main).collect();
    let has_clock: Vec<bool> = boards.iter().map(|board| board.dc_support().any()).collect();
    // ethercrab takes the first clock for the reference
    let reference = has_clock.iter().position(|clock| *clock);
    let station = |(place, board): (usize, &SubDevice)| Station {
        place,
        address: board.configured_address(),
        follows: has_clock[place] && reference != Some(place),
        clock: has_clock[place],
        delay: board.propagation_delay(),
        channels: Vec::new(),
    };
    let stations = boards.iter().map(|board| &**board).enumerate().map(station).collect();
    (boards.iter().map(|board| found(board)).collect(), stations)
}

fn found(board: &SubDevice) -> Found {
    let identity = board.identity();
    Found {
        alias: board.alias_address(),
        vendor: identity.vendor_id,
        product: identity.product_id,
        revision: identity.revision,
        serial: identity.serial,
        name: board.name().to_owned(),
    }
}

/// The plan's watchdog in units of the register.
pub(super) fn watchdog(plan: &BusPlan) -> u16 {
    u16::try_from(plan.watchdog.nanoseconds().div_ceil(WATCHDOG_UNIT)).unwrap_or(u16::MAX)
}

/// Sets a board's watchdog and reads it back.
pub(super) async fn set_watchdog(main: &MainDevice<'_>, address: u16, value: u16) -> Result<(u16, u16), Error> {
    write(main, address, WATCHDOG_DIVIDER, DIVIDER).await?;
    write(main, address, PROCESS_DATA_WATCHDOG, value).await?;
    let divider = read_word(main, address, WATCHDOG_DIVIDER).await?;
    let value = read_word(main, address, PROCESS_DATA_WATCHDOG).await?;
    Ok((divider.unwrap_or_default(), value.unwrap_or_default()))
}

/// Sets up SYNC0 of a board: off, its first time and its period, on (ETG.1020, 22). False if the board does not take it.
pub(super) async fn start_sync0(
    main: &MainDevice<'_>,
    address: u16,
    first: u64,
    period: Period,
) -> Result<bool, Error> {
    const CYCLIC: u8 = 0x01;
    const SYNC0: u8 = 0x02;
    let period = u32::try_from(period.nanoseconds()).unwrap_or(u32::MAX);
    Command::fpwr(address, SYNC_ACTIVATION).ignore_wkc().send(main, 0_u8).await?;
    let start = write(main, address, SYNC0_START, first).await?;
    let cycle = write(main, address, SYNC0_CYCLE, period).await?;
    Ok(start && cycle && write(main, address, SYNC_ACTIVATION, CYCLIC | SYNC0).await?)
}

/// Timeouts and retries for a link: a lost frame is sent again in bring-up, and after a whole cycle at the earliest, so that
/// in the cycle it counts as lost.
pub(super) fn main_device(
    pdu_loop: ethercrab::PduLoop<'static>,
    period: Period,
    lock_step: bool,
) -> MainDevice<'static> {
    use core::time::Duration;
    let answer = Duration::from_nanos(2 * period.nanoseconds()).max(Duration::from_millis(5));
    let timeouts = ethercrab::Timeouts {
        state_transition: Duration::from_nanos(STATE_PATIENCE.nanoseconds()),
        pdu: answer,
        eeprom: Duration::from_millis(500),
        wait_loop_delay: if lock_step { Duration::from_millis(1) } else { Duration::from_micros(100) },
        mailbox_echo: Duration::from_millis(500),
        mailbox_response: Duration::from_millis(1_000),
    };
    let config = ethercrab::MainDeviceConfig {
        dc_static_sync_iterations: if lock_step { 16 } else { 2_000 },
        retry_behaviour: ethercrab::RetryBehaviour::Count(5),
    };
    storage::main_device(pdu_loop, timeouts, config)
}
