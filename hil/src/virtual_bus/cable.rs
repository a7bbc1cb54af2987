//! Which boards a frame reaches, and what they see of the cable.

use super::Device;
use super::segment::Segment;

impl<D: Device> Segment<D> {
    /// A board appeared or vanished, or a port changed: finds out which boards a frame reaches, and tells them their links.
    pub(super) fn connect(&mut self) {
        self.reached.clear();
        let mut before: Option<usize> = None;
        let mut reachable = true;
        for index in 0..self.boards.len() {
            if !self.boards[index].power {
                continue;
            }
            let link = self.is_whole(before, index);
            if let Some(before) = before {
                reachable &= !self.boards[before].esc.port_1_is_closed();
            }
            reachable &= link;
            if reachable {
                self.boards[index].place = self.reached.len();
                self.reached.push(index);
            }
            let next = (index + 1..self.boards.len()).find(|next| self.boards[*next].power);
            let onward = next.is_some_and(|next| self.is_whole(Some(index), next));
            self.boards[index].esc.set_links([link, onward]);
            before = Some(index);
        }
        self.addresses_stale = true;
    }

    /// True if no cut lies between two neighbours, or between the MainDevice and the first.
    fn is_whole(&self, before: Option<usize>, board: usize) -> bool {
        self.cut_after.is_none_or(|cut| cut >= board || before.is_some_and(|before| cut < before))
    }

    pub(super) fn index_addresses(&mut self) {
        self.addresses.clear();
        for index in &self.reached {
            let esc = &self.boards[*index].esc;
            let address = esc.station_address();
            self.addresses.push((address, *index));
            if let Some(alias) = esc.active_alias().filter(|alias| *alias != address) {
                self.addresses.push((alias, *index));
            }
        }
        self.addresses.sort_unstable();
        self.addresses_stale = false;
    }

    /// Finds the next watchdog or SYNC0.
    pub(super) fn schedule(&mut self) {
        let powered = self.boards.iter().filter(|board| board.power);
        self.next_event = powered.map(|board| board.esc.next_event(self.now)).min().unwrap_or(u64::MAX);
    }
}
