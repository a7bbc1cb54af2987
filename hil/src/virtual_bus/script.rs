//! The faults of a scenario, as the bus carries them out.

use robot_io::{RandomStream, Time};

use super::bus::Fate;
use super::{BoardFault, BusFault, BusFaultKind};
use crate::HilError;
use crate::bus_file::BusPlan;

/// Something to be done to boards or cable now. Boards are given by their place in the bus file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Ailment {
    /// The cable ends behind this board; whole again with `None`.
    Cut(Option<usize>),
    /// Power goes or comes.
    Power(usize, bool),
    /// Power goes and comes at once.
    Reset(usize),
    /// A board leaves OP with this code.
    AlError(usize, u16),
    /// A board's clock runs fast by so many parts per million.
    Drift(usize, f64),
    /// A board counts wrong by so much.
    Count(usize, i16),
    /// Something in a board breaks, or is mended.
    Board(usize, Option<BoardFault>),
}

/// A timeline of faults.
#[derive(Clone, Debug)]
pub(super) struct Script {
    lines: Vec<Line>,
    due: Vec<Ailment>,
    places: Vec<usize>,
}

#[derive(Clone, Debug)]
struct Line {
    fault: BusFault,
    /// The board, where the fault is about one.
    board: usize,
    chance: RandomStream,
    active: bool,
}

impl Script {
    pub fn new(faults: Vec<BusFault>, plan: &BusPlan, seed: u64) -> Result<Script, HilError> {
        let find = |name: &str| {
            let place = plan.boards.iter().position(|board| board.name == name);
            place.ok_or_else(|| HilError::Boards(format!("bus '{}' has no board named '{name}'", plan.name)))
        };
        let mut places: Vec<usize> = (0..plan.boards.len()).collect();
        let mut lines = Vec::with_capacity(faults.len());
        for (index, fault) in faults.into_iter().enumerate() {
            fault.kind.check()?;
            if let BusFaultKind::SwappedBoards { first, second } = &fault.kind {
                places.swap(find(first)?, find(second)?);
            }
            let board = fault.kind.board().map(find).transpose()?.unwrap_or(0);
            let chance = RandomStream::new(seed, &format!("bus fault {index}"));
            lines.push(Line { fault, board, chance, active: false });
        }
        Ok(Script { due: Vec::with_capacity(lines.len()), lines, places })
    }

    /// For each board of the bus file its place on the cable.
    pub fn places(&self) -> Vec<usize> {
        self.places.clone()
    }

    /// What begins and what heals now.
    pub fn due(&mut self, now: Time) -> impl Iterator<Item = Ailment> + '_ {
        self.due.clear();
        let is_active = |fault: &BusFault| now >= fault.from && fault.until.is_none_or(|end| now < end);
        let changed = |line: &Line| line.active != is_active(&line.fault);
        if !self.lines.iter().any(changed) {
            return self.due.iter().copied();
        }
        for index in 0..self.lines.len() {
            let active = is_active(&self.lines[index].fault);
            if active != self.lines[index].active {
                self.lines[index].active = active;
                let ailment = self.lines[index].ailment(active).map(|ailment| self.beside_others(ailment));
                self.due.extend(ailment);
            }
        }
        self.due.iter().copied()
    }

    /// What is left of an ailment that ends while another of its kind goes on: the cut that is nearest to the MainDevice
    /// counts, and a board has what broke last.
    fn beside_others(&self, ailment: Ailment) -> Ailment {
        let active = || self.lines.iter().filter(|line| line.active);
        match ailment {
            Ailment::Cut(_) => {
                let cuts = active().filter(|line| matches!(line.fault.kind, BusFaultKind::CableCut { .. }));
                Ailment::Cut(cuts.map(|line| line.board).min_by_key(|board| self.places[*board]))
            }
            Ailment::Board(board, None) => {
                let others = active().filter(|line| line.board == board);
                Ailment::Board(board, others.filter_map(|line| line.fault.kind.board_fault()).next_back())
            }
            other => other,
        }
    }

    /// Whether the frame of this number is lost on its way out.
    pub fn loses(&self, frame: u64) -> bool {
        self.lines.iter().any(|line| match line.fault.kind {
            BusFaultKind::FrameLoss { probability } => line.strikes(probability, frame),
            BusFaultKind::CorruptBytes { probability, caught: true } => line.strikes(probability, frame),
            _ => false,
        })
    }

    /// What happens to it on its way back.
    pub fn spoil(&self, number: u64, frame: &mut [u8]) -> Fate {
        let mut fate = Fate::Back;
        for line in self.lines.iter().filter(|line| line.active) {
            match line.fault.kind {
                BusFaultKind::CorruptBytes { probability, caught: false } if line.strikes(probability, number) => {
                    line.flip(number, frame);
                }
                BusFaultKind::FrameDelay { probability } if line.strikes(probability, number) => fate = Fate::Late,
                _ => {}
            }
        }
        fate
    }
}

impl Line {
    fn strikes(&self, probability: f64, frame: u64) -> bool {
        self.active && self.chance.uniform(frame, 0) < probability
    }

    /// Flips one bit behind the Ethernet header.
    fn flip(&self, number: u64, frame: &mut [u8]) {
        let room = frame.len().saturating_sub(ETHERNET_HEADER);
        let bit = (self.chance.uniform(number, 1) * (8 * room) as f64) as usize;
        if let Some(byte) = frame.get_mut(ETHERNET_HEADER + bit / 8) {
            *byte ^= 1 << (bit % 8);
        }
    }

    fn ailment(&self, begins: bool) -> Option<Ailment> {
        match &self.fault.kind {
            BusFaultKind::CableCut { .. } => Some(Ailment::Cut(begins.then_some(self.board))),
            BusFaultKind::BoardReset { .. } => begins.then_some(Ailment::Reset(self.board)),
            BusFaultKind::BoardOff { .. } => Some(Ailment::Power(self.board, !begins)),
            BusFaultKind::AlError { code, .. } => begins.then_some(Ailment::AlError(self.board, *code)),
            BusFaultKind::ClockDrift { ppm, .. } => Some(Ailment::Drift(self.board, if begins { *ppm } else { 0.0 })),
            BusFaultKind::WrongCount { by, .. } => Some(Ailment::Count(self.board, if begins { *by } else { 0 })),
            inside => inside.board_fault().map(|fault| Ailment::Board(self.board, begins.then_some(fault))),
        }
    }
}

const ETHERNET_HEADER: usize = 14;
