//! The emulated board's processor: mailbox, process data and states around a [`Firmware`].

mod eeprom;
mod mapping;
mod objects;

use robot_io::{Commands, Readings, State, StateVisitor, Time};

use self::mapping::{Copies, MappingRules};
use self::objects::{CycleObjects, Mine};
use super::{BoardFault, Device, ProcessData};
use crate::board::Firmware;
use crate::coe::{CoeServer, Dictionary, Emergency, Objects};
use crate::pdo::PdoMap;
use crate::sii::{Sii, SiiIdentity};
use crate::wire::{AlCode, AlState};

/// Where the chip's memory is divided: mailboxes of 128 bytes at 0x1000 and 0x1080, then three buffers for the outputs and
/// three for the inputs. A mailbox of 128 bytes is that of many real boards, and small enough that strings and lists need
/// segments and fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Sync manager 2 begins here.
    pub outputs_start: u16,
    /// Sync manager 3 begins here.
    pub inputs_start: u16,
    /// The longest outputs that can be mapped [bytes].
    pub outputs_room: usize,
    /// The longest inputs that can be mapped [bytes].
    pub inputs_room: usize,
}

/// Address of the mailbox to the board.
pub const MAILBOX_OUT: u16 = 0x1000;

/// Address of the mailbox from the board.
pub const MAILBOX_IN: u16 = 0x1080;

/// Size of each mailbox [bytes].
pub const MAILBOX_SIZE: u16 = 128;

/// A board's processor.
#[derive(Debug)]
pub struct Cpu {
    name: String,
    image: Vec<u8>,
    firmware: Box<dyn Firmware>,
    objects: Dictionary,
    mine: Mine,
    cycle_objects: CycleObjects,
    rules: MappingRules,
    server: CoeServer,
    copies: Copies,
    state: AlState,
    operational: bool,
    last_sync0: Option<u64>,
    frozen: bool,
    held: Vec<u8>,
    emergencies: bool,
    last_error: (u16, u8),
}

impl Cpu {
    /// A board that is switched on: its firmware's dictionary completed by identity, mapping and synchronisation. With
    /// `remappable` the mapping can be written in PRE-OP; `map` is what it comes with.
    pub fn new(
        name: &str,
        identity: SiiIdentity,
        alias: u16,
        map: &PdoMap,
        remappable: bool,
        mut firmware: Box<dyn Firmware>,
    ) -> Cpu {
        let mut objects = firmware.dictionary();
        let layout = Layout::for_map(map);
        let mine = objects::complete(&mut objects, name, identity, map, remappable);
        let sii = Sii { alias, identity, ..Sii::default() };
        let image = eeprom::image(sii, name, map, remappable, layout, &objects);
        let cycle_objects = CycleObjects::find(&objects);
        Cpu {
            name: name.to_owned(),
            image,
            firmware,
            objects,
            mine,
            cycle_objects,
            rules: MappingRules::new(layout),
            server: CoeServer::default(),
            copies: Copies::default(),
            state: AlState::Init,
            operational: false,
            last_sync0: None,
            frozen: false,
            held: Vec::new(),
            emergencies: false,
            last_error: (0, 0),
        }
    }

    /// The board's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// True while outputs arrive and count: somebody drives the board.
    pub fn is_operational(&self) -> bool {
        self.operational
    }

    /// The objects as they are.
    pub fn objects(&self) -> &Dictionary {
        &self.objects
    }

    /// Lets the board send emergencies when its firmware's [`error`](Firmware::error) changes. Off unless asked for:
    /// ethercrab 0.7.1 panics on one that arrives in place of an SDO response.
    pub fn send_emergencies(&mut self, on: bool) {
        self.emergencies = on;
    }

    /// Takes a sample of the robot behind the boards. `now` is the time of the board's clock.
    pub fn sample(&mut self, readings: &Readings, now: Time) {
        if !self.frozen {
            self.firmware.sample(&mut self.objects, readings, now);
            self.react();
        }
    }

    /// Commands the joints that are the board's own.
    pub fn act(&mut self, commands: &mut Commands) {
        self.firmware.act(&self.objects, commands);
    }

    /// True once after a fault was acknowledged.
    pub fn take_reset(&mut self) -> bool {
        self.firmware.take_reset()
    }

    /// Breaks the board, or mends it with `None`. With frozen inputs it goes on taking outputs and answering its mailbox.
    pub fn set_fault(&mut self, fault: Option<BoardFault>) {
        let freeze = fault == Some(BoardFault::FrozenInputs);
        if freeze && !self.frozen {
            self.hold();
        }
        self.frozen = freeze;
        self.firmware.set_fault(fault.filter(|_| !freeze));
    }

    /// A restored board in SAFE-OP or OP needs the copies of its mapping.
    fn restore_state(&mut self, state: u16) {
        let before = std::mem::replace(&mut self.state, AlState::from_bits(state as u8).unwrap_or_default());
        if self.state >= AlState::SafeOp && before < AlState::SafeOp {
            self.copies = Copies::compile(&self.objects).unwrap_or_default();
        }
    }

    /// The frozen inputs, which live as long as the fault does.
    fn show_held(&mut self, visitor: &mut dyn StateVisitor) {
        if self.frozen {
            self.held.resize(mapping::sizes(&self.objects).inputs, 0);
            for byte in &mut self.held {
                let mut word = u64::from(*byte);
                visitor.word(&mut word);
                *byte = word as u8;
            }
        }
    }

    fn hold(&mut self) {
        self.held.resize(self.copies.input_bytes(), 0);
        self.copies.gather(&self.objects, &mut self.held);
    }

    fn react(&mut self) {
        self.firmware.react(&mut self.objects, self.operational);
        let Some(error) = self.firmware.error(&self.objects) else { return };
        if let Some(slot) = self.cycle_objects.error_register {
            self.objects.set(slot, u64::from(error.1));
        }
        if std::mem::replace(&mut self.last_error, error) != error && self.emergencies {
            self.server.emergency(Emergency { code: error.0, register: error.1, data: [0; 5] });
        }
    }

    /// The way to SAFE-OP fixes where every object lies in the process data.
    fn compile(&mut self) -> Result<(), AlCode> {
        self.copies = Copies::compile(&self.objects)?;
        self.last_sync0 = None;
        if self.frozen {
            self.hold();
        }
        Ok(())
    }
}

impl State for Cpu {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let mut state = self.state as u16;
        let mut sync0 = self.last_sync0.map_or(0, |time| time + 1);
        let mut error = u32::from(self.last_error.0) << 8 | u32::from(self.last_error.1);
        visitor.field("state", &mut state);
        visitor.field("operational", &mut self.operational);
        visitor.field("sync0", &mut sync0);
        visitor.field("frozen", &mut self.frozen);
        visitor.field("error", &mut error);
        visitor.field("mailbox", &mut self.server);
        visitor.field("objects", &mut self.objects);
        visitor.enter("firmware");
        self.firmware.visit_state(&mut self.objects, visitor);
        visitor.leave();
        self.show_held(visitor);
        self.last_sync0 = sync0.checked_sub(1);
        self.last_error = ((error >> 8) as u16, error as u8);
        self.restore_state(state);
    }
}

impl Device for Cpu {
    fn sii(&self) -> &[u8] {
        &self.image
    }

    fn process_data(&self) -> ProcessData {
        mapping::sizes(&self.objects)
    }

    fn change_state(&mut self, from: AlState, to: AlState) -> Result<(), AlCode> {
        match (from, to) {
            (AlState::Init, AlState::PreOp) => {
                self.server.reset();
                // the mapping is a MainDevice's own: the next one finds that of the EEPROM
                self.mine.restore(&mut self.objects);
            }
            (_, AlState::Init) => self.server.reset(),
            (AlState::PreOp, AlState::SafeOp) => self.compile()?,
            (_, AlState::Bootstrap) => return Err(AlCode::NO_BOOTSTRAP),
            _ => {}
        }
        self.state = to;
        if to != AlState::Op {
            self.outputs_lost();
        }
        Ok(())
    }

    fn mail(&mut self, message: &[u8], room: usize, reply: &mut Vec<u8>) {
        let mut objects = Objects { dictionary: &mut self.objects, rules: &self.rules, state: self.state };
        self.server.serve(&mut objects, message, room, reply);
    }

    fn pending_mail(&mut self, room: usize, reply: &mut Vec<u8>) {
        self.server.pending(room, reply);
    }

    /// Outputs count in OP only.
    fn outputs(&mut self, data: &[u8]) {
        if self.state == AlState::Op {
            self.operational = true;
            self.copies.scatter(data, &mut self.objects);
            self.react();
        }
    }

    fn outputs_at(&mut self, now: u64) {
        self.firmware.outputs_at(Time::from_nanoseconds(now));
    }

    fn outputs_lost(&mut self) {
        if std::mem::replace(&mut self.operational, false) {
            self.react();
        }
    }

    fn inputs(&mut self, data: &mut [u8]) {
        if self.frozen {
            data.iter_mut().zip(&self.held).for_each(|(byte, held)| *byte = *held);
        } else {
            self.copies.gather(&self.objects, data);
        }
    }

    fn sync0(&mut self, system_time: u64) {
        let last = self.last_sync0.replace(system_time);
        let period = last.map(|last| system_time.saturating_sub(last));
        self.cycle_objects.synchronised(&mut self.objects, period);
    }

    fn power_on(&mut self) {
        self.server.reset();
        self.mine.restore(&mut self.objects);
        self.copies = Copies::default();
        self.state = AlState::Init;
        self.operational = false;
        self.last_sync0 = None;
        self.last_error = (0, 0);
        self.held.clear();
        self.firmware.power_on(&mut self.objects);
    }
}

#[cfg(test)]
mod tests;
