//! A controller and its processor, and how one physical access counts.

use super::Device;
use super::esc::{Esc, LONGEST_DATA, Passing};

/// What a command does with a board's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    /// Read, combined with what is there by OR.
    ReadOr,
    Write,
    /// Read and write.
    Exchange,
    /// Read, combined with what is there by OR, and write what was there.
    ExchangeOr,
}

#[derive(Debug)]
pub(super) struct Board<D> {
    pub(super) esc: Esc,
    pub(super) device: D,
    pub(super) power: bool,
    /// Its place among the boards that a frame reaches.
    pub(super) place: usize,
    /// It has something to do at the frame's end.
    pub(super) waiting: bool,
    /// Added to whatever it adds to a working counter: a fault.
    pub(super) working_counter_shift: i16,
}

impl<D: Device> Board<D> {
    pub(super) fn new(device: D) -> Board<D> {
        let esc = Esc::new(device.sii());
        Board { esc, device, power: true, place: 0, waiting: false, working_counter_shift: 0 }
    }

    pub(super) fn answers_to(&self, station: u16) -> bool {
        self.esc.station_address() == station || self.esc.active_alias() == Some(station)
    }

    /// Executes a physical command; what it adds to the working counter.
    pub(super) fn physical(&mut self, passing: Passing, access: Access, memory: u16, data: &mut [u8]) -> u16 {
        let (esc, device) = (&mut self.esc, &mut self.device);
        let count = match access {
            Access::Read => u16::from(esc.read(device, passing, memory, data)),
            Access::Write => u16::from(esc.write(passing, memory, data)),
            Access::ReadOr | Access::Exchange | Access::ExchangeOr => {
                exchange(esc, device, passing, access, memory, data)
            }
        };
        esc.end_datagram(passing);
        self.shifted(count)
    }

    /// Executes a logical command; what it adds to the working counter.
    pub(super) fn logical(&mut self, passing: Passing, directions: (bool, bool), address: u32, data: &mut [u8]) -> u16 {
        let count = self.esc.logical(&mut self.device, passing, directions, address, data);
        self.esc.end_datagram(passing);
        self.shifted(count)
    }

    fn shifted(&self, count: u16) -> u16 {
        if count == 0 { 0 } else { count.saturating_add_signed(self.working_counter_shift) }
    }
}

fn exchange(
    esc: &mut Esc,
    device: &mut dyn Device,
    passing: Passing,
    access: Access,
    memory: u16,
    data: &mut [u8],
) -> u16 {
    let mut buffer = [0; LONGEST_DATA];
    let old = &mut buffer[..data.len().min(LONGEST_DATA)];
    old.copy_from_slice(&data[..old.len()]);
    if access != Access::Exchange {
        data.fill(0);
    }
    let read = esc.read(device, passing, memory, data);
    if access != Access::Exchange {
        data.iter_mut().zip(old.iter()).for_each(|(byte, old)| *byte |= old);
    }
    let written = access != Access::ReadOr && esc.write(passing, memory, old);
    u16::from(read) + 2 * u16::from(written)
}
