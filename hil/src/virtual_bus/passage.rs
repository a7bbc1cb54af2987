//! What each command does on its way along the cable (ETG.1000.4, 5.4; ethercat.md 2.3).

use super::Device;
use super::board::Access;
use super::esc::Passing;
use super::segment::{HOP, Segment};
use crate::wire::{Command, DatagramMut};

impl<D: Device> Segment<D> {
    pub(super) fn pass(&mut self, mut datagram: DatagramMut<'_>) {
        use Command::{Aprd, Aprw, Apwr, Armw, Brd, Brw, Bwr, Fprd, Fprw, Fpwr, Frmw, Lrd, Lrw, Lwr, Nop};
        let command = datagram.command().unwrap_or(Nop);
        match command {
            Nop => {}
            Aprd => self.at_position(&mut datagram, Access::Read),
            Apwr => self.at_position(&mut datagram, Access::Write),
            Aprw => self.at_position(&mut datagram, Access::Exchange),
            Fprd => self.at_station(&mut datagram, Access::Read),
            Fpwr => self.at_station(&mut datagram, Access::Write),
            Fprw => self.at_station(&mut datagram, Access::Exchange),
            Brd => self.at_all(&mut datagram, Access::ReadOr),
            Bwr => self.at_all(&mut datagram, Access::Write),
            Brw => self.at_all(&mut datagram, Access::ExchangeOr),
            Lrd => self.logical(&mut datagram, (true, false)),
            Lwr => self.logical(&mut datagram, (false, true)),
            Lrw => self.logical(&mut datagram, (true, true)),
            Armw | Frmw => self.read_one_write_others(&mut datagram, command == Armw),
        }
        if matches!(command, Aprd | Apwr | Aprw | Brd | Bwr | Brw | Armw) {
            datagram.set_station(datagram.station().wrapping_add(self.reached.len() as u16));
        }
        if self.events {
            let events = self.reached.iter().map(|board| self.boards[*board].esc.reported_events());
            datagram.raise_interrupt(events.fold(0, |all, events| all | events));
        }
    }

    fn at_position(&mut self, datagram: &mut DatagramMut<'_>, access: Access) {
        // every board adds one; the one that finds zero is meant
        let place = usize::from(0_u16.wrapping_sub(datagram.station()));
        if let Some(board) = self.reached.get(place).copied() {
            self.access(board, datagram, access);
        }
    }

    fn at_station(&mut self, datagram: &mut DatagramMut<'_>, access: Access) {
        if self.addresses_stale {
            self.index_addresses();
        }
        let station = datagram.station();
        let mut at = self.addresses.partition_point(|(address, _)| *address < station);
        while let Some((_, board)) = self.addresses.get(at).copied().filter(|(address, _)| *address == station) {
            self.access(board, datagram, access);
            at += 1;
        }
    }

    fn at_all(&mut self, datagram: &mut DatagramMut<'_>, access: Access) {
        for place in 0..self.reached.len() {
            self.access(self.reached[place], datagram, access);
        }
    }

    fn logical(&mut self, datagram: &mut DatagramMut<'_>, directions: (bool, bool)) {
        let address = datagram.address();
        for place in 0..self.reached.len() {
            let index = self.reached[place];
            let passing = self.passing(index);
            let board = &mut self.boards[index];
            let count = board.logical(passing, directions, address, datagram.data);
            datagram.count(count);
            self.note(index);
        }
    }

    fn read_one_write_others(&mut self, datagram: &mut DatagramMut<'_>, by_position: bool) {
        let station = datagram.station();
        let meant = usize::from(0_u16.wrapping_sub(station));
        for place in 0..self.reached.len() {
            let board = self.reached[place];
            let reads = if by_position { place == meant } else { self.boards[board].answers_to(station) };
            self.access(board, datagram, if reads { Access::Read } else { Access::Write });
        }
    }

    fn access(&mut self, index: usize, datagram: &mut DatagramMut<'_>, access: Access) {
        let passing = self.passing(index);
        let memory = datagram.memory();
        let count = self.boards[index].physical(passing, access, memory, datagram.data);
        datagram.count(count);
        self.note(index);
    }

    /// When a frame that enters the cable now is at this board.
    fn passing(&self, board: usize) -> Passing {
        let place = self.boards[board].place as u64;
        let behind = self.reached.len() as u64 - 1 - place;
        let out = self.now + place * HOP;
        Passing { out, back: (behind > 0).then_some(out + 2 * behind * HOP) }
    }

    fn note(&mut self, board: usize) {
        let place = &mut self.boards[board];
        self.addresses_stale |= place.esc.notices.address;
        if !place.waiting && place.esc.notices != Default::default() {
            place.waiting = true;
            self.waiting.push(board);
        }
    }

    /// Devices do what the frame asked for; what concerns the cable follows.
    pub(super) fn end_frame(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        let (mut ports, mut timing) = (false, false);
        for n in 0..self.waiting.len() {
            let board = &mut self.boards[self.waiting[n]];
            let notices = board.esc.notices;
            ports |= notices.ports;
            self.events |= notices.events;
            timing |= notices.timing || notices.concerns_state();
            board.waiting = false;
            board.esc.end_frame(&mut board.device, self.now);
        }
        self.waiting.clear();
        if ports {
            self.connect();
        }
        if timing {
            self.schedule();
        }
        if self.events {
            self.events = self.boards.iter().any(|board| board.esc.reports_events());
        }
    }
}
