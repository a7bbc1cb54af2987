//! A configured bus: its group in ethercrab, where its boards are, and one exchange of process data.

use core::future::{Future, poll_fn};
use core::pin::pin;
use core::task::Poll;

use ethercrab::error::Error;
use ethercrab::subdevice_group::PreOpPdi;
use ethercrab::{Command, DefaultLock, MainDevice, SubDeviceGroup, SubDeviceState, TxRxResponse};
use robot_io::{Period, StateVisitor};

use super::driver::Driver;
use super::registers::{SYSTEM_TIME_DIFFERENCE, time_difference};
use crate::exchange::{Exchanged, ProcessImage};
use crate::link::Link;
use crate::wire::AlState;

/// The most boards on one bus.
pub(super) const MOST_BOARDS: usize = 128;
/// The largest process image, inputs and outputs together [bytes].
pub(super) const LARGEST_IMAGE: usize = 8_192;

/// All boards, in ethercrab. It stays in this state: AL states are asked for by our own hand, so that a refusal is known at
/// once and with its code.
pub(super) type Group = SubDeviceGroup<MOST_BOARDS, LARGEST_IMAGE, DefaultLock, PreOpPdi>;

/// What comes back from one exchange: the reference clock's time is beside it.
type Response = TxRxResponse<MOST_BOARDS, Option<u64>>;

/// One board of the plan.
#[derive(Clone, Debug, Default)]
pub(super) struct Station {
    /// Its place on the cable, from 0.
    pub place: usize,
    /// Its station address.
    pub address: u16,
    /// True if it has a clock that follows the reference.
    pub follows: bool,
    /// True if it has a clock at all.
    pub clock: bool,
    /// The way from the reference clock [ns].
    pub delay: u32,
    /// What its sync managers and FMMUs were set to, register and bytes, to be written again after it lost its power.
    pub channels: Vec<(u16, Vec<u8>)>,
}

impl Station {
    /// A board that is not on the cable.
    pub fn absent() -> Station {
        Station { place: usize::MAX, ..Station::default() }
    }

    /// True for a board that was on the cable when the bus was configured.
    pub fn present(&self) -> bool {
        self.place != usize::MAX
    }
}

/// A configured bus.
pub(super) struct Bus {
    pub group: Box<Group>,
    /// In the order of the bus file.
    pub stations: Vec<Station>,
    /// What each board adds to the working counter if it takes part, in the order of the bus file.
    counts: Vec<u16>,
    /// The reference clock's time when the last exchange passed it [ns].
    pub reference_time: Option<u64>,
    /// The station whose clock is asked next.
    turn: usize,
    /// How far each station's clock is off, as last heard [ns].
    differences: Vec<Option<i64>>,
    /// Which station has said so in this cycle.
    heard: Option<(usize, i64)>,
}

impl Bus {
    pub fn new(group: Box<Group>, stations: Vec<Station>, counts: Vec<u16>) -> Bus {
        let differences = vec![None; stations.len()];
        Bus { group, stations, counts, reference_time: None, turn: 0, differences, heard: None }
    }

    /// The working counter if every board takes part.
    pub fn expected(&self) -> u16 {
        self.counts.iter().sum()
    }

    /// One cycle. `report`'s states have been sized. A lost frame leaves inputs and states as they were.
    pub fn exchange<L: Link>(
        &mut self,
        driver: &mut Driver<L>,
        main: &MainDevice<'static>,
        limit: Period,
        image: &mut ProcessImage,
        report: &mut Exchanged,
    ) {
        self.put_outputs(main, image);
        report.expected = self.expected();
        let began = driver.now();
        let answer = self.transfer(driver, main, limit);
        report.round_trip = if driver.link.is_lock_step() { 0 } else { driver.now() - began };
        report.lost = answer.is_none();
        match answer {
            Some(response) => {
                self.reference_time = response.extra;
                report.working_counter = response.working_counter;
                self.take_states(&response, report);
                let counts = self.counts.iter().zip(&report.states);
                let absent = counts.filter(|(_, state)| state.is_none_or(|state| state < AlState::SafeOp));
                report.missing = absent.map(|(count, _)| count).sum();
                self.take_inputs(main, image, report);
            }
            None => {
                self.reference_time = None;
                report.working_counter = 0;
            }
        }
        report.clock_difference = self.worst_difference();
        report.clock = self.heard;
    }

    /// Shows whose clock is asked next and what clocks said.
    pub fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let mut turn = self.turn as u64;
        visitor.word(&mut turn);
        self.turn = turn as usize;
        for difference in &mut self.differences {
            let mut words = [u64::from(difference.is_some()), difference.unwrap_or_default() as u64];
            words.iter_mut().for_each(|word| visitor.word(word));
            *difference = (words[0] == 1).then_some(words[1] as i64);
        }
    }

    /// Process data for nobody: boards keep what they were told last.
    pub fn keep_alive<L: Link>(&mut self, driver: &mut Driver<L>, main: &MainDevice<'static>, limit: Period) -> u16 {
        self.transfer(driver, main, limit).map_or(0, |response| response.working_counter)
    }

    /// Sends and receives process data, states and times; `None` if a frame of them is lost.
    fn transfer<L: Link>(
        &mut self,
        driver: &mut Driver<L>,
        main: &MainDevice<'static>,
        limit: Period,
    ) -> Option<Response> {
        let group = &self.group;
        let asked = self.stations.get(self.turn).filter(|station| station.follows).map(|station| station.address);
        let (mut response, mut difference) = (None, None);
        let process_data = async { response = group.tx_rx_sync_system_time(main).await.ok() };
        let clock = async { difference = read_difference(main, asked).await };
        // stopped or not, what has come back by now counts
        let _ = driver.run(limit, both(process_data, clock));
        self.heard = difference.map(|difference| (self.turn, difference));
        if let Some(entry) = self.differences.get_mut(self.turn) {
            *entry = difference.or(*entry).filter(|_| asked.is_some());
        }
        self.turn = self.next_turn();
        response
    }

    /// The next station whose clock follows the reference; they are asked in turn, one a cycle.
    fn next_turn(&self) -> usize {
        let count = self.stations.len();
        let following = |turn: &usize| self.stations.get(*turn).is_some_and(|station| station.follows);
        (1..=count).map(|step| (self.turn + step) % count).find(following).unwrap_or(0)
    }

    fn worst_difference(&self) -> Option<i64> {
        self.differences.iter().flatten().copied().max_by_key(|difference| difference.abs())
    }

    fn put_outputs(&self, main: &MainDevice<'static>, image: &ProcessImage) {
        for (station, bytes) in self.stations.iter().zip(&image.outputs) {
            let Ok(board) = self.group.subdevice(main, station.place) else { continue };
            let mut outputs = board.outputs_raw_mut();
            if outputs.len() == bytes.len() {
                outputs.copy_from_slice(bytes);
            }
        }
    }

    /// What comes back from a board that did not answer is what was sent, and is not taken for news.
    fn take_inputs(&self, main: &MainDevice<'static>, image: &mut ProcessImage, report: &Exchanged) {
        for ((station, bytes), state) in self.stations.iter().zip(&mut image.inputs).zip(&report.states) {
            let sends = state.is_some_and(|state| state >= AlState::SafeOp);
            let Some(board) = self.group.subdevice(main, station.place).ok().filter(|_| sends) else { continue };
            let inputs = board.inputs_raw();
            if inputs.len() == bytes.len() {
                bytes.copy_from_slice(&inputs);
            }
        }
    }

    fn take_states(&self, response: &Response, report: &mut Exchanged) {
        for (station, state) in self.stations.iter().zip(&mut report.states) {
            *state = response.subdevice_states.get(station.place).copied().and_then(al_state);
        }
    }
}

/// ethercrab's word for a state; a board that did not answer has none.
fn al_state(state: SubDeviceState) -> Option<AlState> {
    AlState::from_bits(u8::from(state))
}

async fn read_difference(main: &MainDevice<'_>, address: Option<u16>) -> Option<i64> {
    let answer = Command::fprd(address?, SYSTEM_TIME_DIFFERENCE).receive::<u32>(main).await;
    answer.map_err(|_: Error| ()).ok().map(time_difference)
}

/// Both to their end, together.
async fn both(first: impl Future<Output = ()>, second: impl Future<Output = ()>) {
    let (mut first, mut second) = (pin!(first), pin!(second));
    let (mut first_is_done, mut second_is_done) = (false, false);
    poll_fn(|context| {
        first_is_done = first_is_done || first.as_mut().poll(context).is_ready();
        second_is_done = second_is_done || second.as_mut().poll(context).is_ready();
        if first_is_done && second_is_done { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}
