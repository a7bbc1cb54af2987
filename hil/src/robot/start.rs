//! The life cycle on the bus: how boards are brought up, taken down, and brought back after a stop.

use robot_io::{IoError, Lifecycle};

use super::bus::Bus;
use super::following::WHAT;
use crate::HilError;
use crate::board::Order;
use crate::wire::AlState;

/// How long boards may take for a state or for switching on [s].
const PATIENCE: f64 = 5.0;

impl Bus {
    pub fn transition(&mut self, to: Lifecycle) -> Result<(), IoError> {
        let from = self.lifecycle;
        if !from.allows(to) {
            return Err(IoError::Transition { from, to });
        }
        match (from, to) {
            (Lifecycle::Unconfigured, Lifecycle::Inactive) => self.configure()?,
            (_, Lifecycle::Active) => self.switch_on()?,
            (Lifecycle::Active, Lifecycle::Inactive) => self.switch_off(AlState::SafeOp)?,
            (Lifecycle::Fault, Lifecycle::Inactive) => self.acknowledge()?,
            (Lifecycle::Unconfigured, _) => {}
            _ => self.switch_off(AlState::Init)?,
        }
        self.lifecycle = to;
        Ok(())
    }

    /// INIT to SAFE-OP, and the first inputs.
    fn configure(&mut self) -> Result<(), HilError> {
        self.exchange.configure()?;
        self.supervisor.place(|board| self.exchange.place(board));
        self.forget_causes();
        self.commands.clear(self.cycle);
        self.until("answers with its inputs", AlState::SafeOp, Order::Off, |bus, board| {
            !bus.exchanged.lost && bus.exchanged.states[board].is_some()
        })
    }

    /// SAFE-OP to OP, then all drives on, limp until the first command.
    fn switch_on(&mut self) -> Result<(), HilError> {
        self.exchange.request(AlState::Op)?;
        // a board that is on already, after a stop, goes on holding
        let stopped = self.supervisor.held();
        if !stopped {
            self.commands.clear(self.cycle);
        }
        let order = if stopped { Order::Follow } else { Order::Off };
        self.until("reaches OP", AlState::Op, order, |bus, board| bus.exchanged.states[board] == Some(AlState::Op))?;
        self.until("follows commands", AlState::Op, Order::Follow, |bus, board| {
            bus.reports[board].following && !bus.reports[board].ignores_set_points
        })?;
        self.forget_causes();
        self.commands.renew(self.cycle);
        Ok(())
    }

    /// Drives off, then all boards down to `state`.
    fn switch_off(&mut self, state: AlState) -> Result<(), HilError> {
        self.until("switches off", AlState::Op, Order::Off, |bus, board| {
            let drives = !bus.plan.boards[board].kind.joints().is_empty();
            !(drives && bus.reports[board].following) || bus.exchanged.states[board] != Some(AlState::Op)
        })?;
        self.exchange.request(state)?;
        if state == AlState::SafeOp {
            return self.until("reaches SAFE-OP", state, Order::Off, |bus, board| {
                bus.exchanged.states[board] == Some(AlState::SafeOp)
            });
        }
        Ok(())
    }

    /// The way back from a stop. Boards that were lost are configured again, faults are reset; drives that are on stay on
    /// and hold, because a robot that stands must not fall over an acknowledgement.
    fn acknowledge(&mut self) -> Result<(), HilError> {
        for board in 0..self.drivers.len() {
            if self.exchanged.states[board] != Some(AlState::Op) {
                self.exchange.recover(board)?;
            }
        }
        let patience = self.patience();
        for _ in 0..patience {
            self.round(|bus, board| match bus.reports[board].fault {
                Some(_) => Order::Reset,
                None => bus.supervisor.order(board),
            })?;
            let sound = |(state, report): (&Option<AlState>, &crate::board::BoardReport)| {
                *state == Some(AlState::Op) && report.fault.is_none()
            };
            if !self.exchanged.lost && self.exchanged.states.iter().zip(&self.reports).all(sound) {
                self.forget_causes();
                self.supervisor.hold();
                return Ok(());
            }
        }
        let board = self.reports.iter().position(|report| report.fault.is_some());
        Err(self.gave_up(board.unwrap_or(0), "lets its fault be reset", AlState::Op))
    }

    /// Exchanges until `done` holds for every board.
    fn until(
        &mut self,
        what: &str,
        wanted: AlState,
        order: Order,
        done: impl Fn(&Bus, usize) -> bool,
    ) -> Result<(), HilError> {
        for _ in 0..self.patience() {
            self.round(|_, _| order)?;
            if (0..self.drivers.len()).all(|board| done(self, board)) {
                return Ok(());
            }
        }
        let board = (0..self.drivers.len()).find(|board| !done(self, *board)).unwrap_or(0);
        Err(self.gave_up(board, what, wanted))
    }

    /// One exchange while nothing moves yet.
    fn round(&mut self, order: impl Fn(&Bus, usize) -> Order) -> Result<(), HilError> {
        for board in 0..self.drivers.len() {
            let order = order(self, board);
            let (inputs, outputs) = (&self.image.inputs[board], &mut self.image.outputs[board]);
            self.drivers[board].encode(order, self.commands.current(), inputs, outputs);
        }
        self.exchange.linger()?;
        self.exchange.exchange(&mut self.image, &mut self.exchanged);
        self.decode();
        Ok(())
    }

    fn patience(&self) -> u64 {
        (PATIENCE / self.layout.period.seconds()) as u64
    }

    fn gave_up(&mut self, board: usize, what: &str, wanted: AlState) -> HilError {
        let name = self.plan.boards.get(board).map_or_else(String::new, |board| board.name.clone());
        match self.exchange.diagnose(board) {
            Some((found, code)) if found != wanted => HilError::State { board: name, wanted, found, code },
            Some((found, _)) => {
                let report = &self.reports[board];
                let why = match report.fault {
                    Some(code) => format!("with fault {code:#06x}"),
                    None if report.ignores_set_points => format!("without a fault; its {WHAT}"),
                    None => "without a fault".to_owned(),
                };
                HilError::Boards(format!(
                    "board '{name}': waited {PATIENCE} s until it {what}, it is in {found}, {why}"
                ))
            }
            None => {
                HilError::Boards(format!("board '{name}': waited {PATIENCE} s until it {what}, it does not answer"))
            }
        }
    }
}

impl Drop for Bus {
    /// Whoever forgets to switch off, or panics, leaves drives without torque. Where this cannot run, their watchdogs do it.
    fn drop(&mut self) {
        if matches!(self.lifecycle, Lifecycle::Active | Lifecycle::Fault | Lifecycle::Inactive) {
            for (board, driver) in self.drivers.iter_mut().enumerate() {
                let (inputs, outputs) = (&self.image.inputs[board], &mut self.image.outputs[board]);
                driver.encode(Order::Off, self.commands.current(), inputs, outputs);
            }
            self.exchange.exchange(&mut self.image, &mut self.exchanged);
            // nobody is left to be told
            let _ = self.exchange.request(AlState::Init);
        }
    }
}
