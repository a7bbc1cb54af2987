//! The life cycle on the bus: how boards are brought up, taken down, and brought back after a stop.

use robot_io::{Event, IoError, Lifecycle, Severity, Subject};

use super::bus::Bus;
use super::following::WHAT;
use crate::HilError;
use crate::board::{Homing, Order};
use crate::wire::AlState;

/// How long boards may take for a state or for switching on [s].
const PATIENCE: f64 = 5.0;
/// How long a drive may look for its zero [s].
const HOMING_PATIENCE: f64 = 120.0;

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
        for board in 0..self.drivers.len() {
            self.excuse(board, !self.exchange.is_present(board));
        }
        self.forget_causes();
        self.commands.clear(self.cycle);
        self.until(
            "answer with its inputs",
            AlState::SafeOp,
            |_, _| Order::Off,
            |bus, board| {
                !bus.exchanged.lost && (bus.exchanged.states[board].is_some() || bus.plan.boards[board].optional)
            },
        )
    }

    /// SAFE-OP to OP, then all drives on, limp until the first command.
    fn switch_on(&mut self) -> Result<(), HilError> {
        self.exchange.request(AlState::Op)?;
        for board in (0..self.drivers.len()).filter(|board| !self.supervisor.held(*board)) {
            self.commands.release(self.plan.boards[board].kind.joints());
        }
        // a board that is on already, after a stop, goes on holding
        let order = |bus: &Bus, board: usize| if bus.supervisor.held(board) { Order::Follow } else { Order::Off };
        self.until("reach OP", AlState::Op, order, |bus, board| bus.is_in(board, AlState::Op))?;
        self.until("follow commands", AlState::Op, |_, _| Order::Follow, Bus::is_following)?;
        self.home()?;
        self.forget_causes();
        self.commands.renew(self.cycle);
        Ok(())
    }

    /// Drives that do not know where they are look for their zero, one after the other in the order of the bus file; the
    /// others hold.
    fn home(&mut self) -> Result<(), HilError> {
        for board in 0..self.drivers.len() {
            if self.reports[board].homing == Homing::Needed {
                self.home_one(board)?;
            }
        }
        Ok(())
    }

    fn home_one(&mut self, board: usize) -> Result<(), HilError> {
        for _ in 0..(HOMING_PATIENCE / self.layout.period.seconds()) as u64 {
            self.encode_with(|_, other| if other == board { Order::Home } else { Order::Follow });
            self.exchange.linger_moving()?;
            self.exchange_inputs();
            let report = self.reports[board];
            match report.homing {
                Homing::Done => {
                    let joint = self.plan.boards[board].kind.joints().first().copied();
                    let event = Event::note(self.now, Severity::Info, "bus", "homed");
                    self.events.push(event.about(joint.map_or(Subject::Robot, Subject::Joint)));
                    return self.until(
                        "follow commands after homing",
                        AlState::Op,
                        |_, _| Order::Follow,
                        Bus::is_following,
                    );
                }
                Homing::Failed => return Err(self.not_homed(board, "the drive reports a homing error")),
                _ if report.fault.is_some() => return Err(self.gave_up(board, "find its zero", AlState::Op)),
                _ => self.check_sto()?,
            }
        }
        Err(self.not_homed(board, &format!("it has looked for its zero for {HOMING_PATIENCE} s")))
    }

    fn not_homed(&self, board: usize, why: &str) -> HilError {
        let name = &self.plan.boards[board].name;
        HilError::Boards(format!(
            "board '{name}' is not homed: {why}; look at its switch, at homing.method, and whether anything blocks the joint"
        ))
    }

    /// Drives off, then all boards down to `state`.
    fn switch_off(&mut self, state: AlState) -> Result<(), HilError> {
        self.until(
            "switches off",
            AlState::Op,
            |_, _| Order::Off,
            |bus, board| {
                let drives = !bus.plan.boards[board].kind.joints().is_empty();
                !(drives && bus.reports[board].following) || bus.exchanged.states[board] != Some(AlState::Op)
            },
        )?;
        self.exchange.request(state)?;
        if state == AlState::SafeOp {
            return self.until(
                "reaches SAFE-OP",
                state,
                |_, _| Order::Off,
                |bus, board| bus.is_in(board, AlState::SafeOp),
            );
        }
        Ok(())
    }

    /// The way back from a stop. Boards that were lost are configured again, faults are reset; drives that are on stay on
    /// and hold, because a robot that stands must not fall over an acknowledgement.
    fn acknowledge(&mut self) -> Result<(), HilError> {
        for board in 0..self.drivers.len() {
            if self.exchanged.states[board] != Some(AlState::Op) {
                let outcome = self.exchange.recover(board);
                match &outcome {
                    Ok(()) => self.drivers[board].restarted(),
                    // it may be absent: then it joins with a later acknowledgement
                    Err(_) if self.plan.boards[board].optional => {}
                    Err(_) => return outcome,
                }
                self.excuse(board, outcome.is_err());
            }
        }
        let patience = self.patience();
        for _ in 0..patience {
            self.check_sto()?;
            self.round(|bus, board| match bus.reports[board].fault {
                Some(_) => Order::Reset,
                None => bus.supervisor.order(board),
            })?;
            let sound = |board: usize| {
                let in_op = self.exchanged.states[board] == Some(AlState::Op) && self.reports[board].fault.is_none();
                in_op || self.is_absent(board)
            };
            if !self.exchanged.lost && (0..self.drivers.len()).all(sound) {
                let holders = self.supervisor.holders();
                self.forget_causes();
                self.supervisor.hold(holders);
                return Ok(());
            }
        }
        let board = self.reports.iter().position(|report| report.fault.is_some());
        Err(self.gave_up(board.unwrap_or(0), "let its fault be reset", AlState::Op))
    }

    /// True for a board that may be absent and takes no part.
    fn is_absent(&self, board: usize) -> bool {
        self.plan.boards[board].optional && self.exchanged.states[board].is_none_or(|state| state < AlState::SafeOp)
    }

    fn is_following(&self, board: usize) -> bool {
        let report = &self.reports[board];
        report.following && !report.ignores_set_points || self.is_absent(board)
    }

    fn is_in(&self, board: usize, state: AlState) -> bool {
        self.exchanged.states[board] == Some(state) || self.is_absent(board)
    }

    /// Exchanges until `done` holds for every board.
    fn until(
        &mut self,
        what: &str,
        wanted: AlState,
        order: impl Fn(&Bus, usize) -> Order,
        done: impl Fn(&Bus, usize) -> bool,
    ) -> Result<(), HilError> {
        for _ in 0..self.patience() {
            self.round(&order)?;
            if (0..self.drivers.len()).any(|board| order(self, board) == Order::Follow) {
                self.check_sto()?;
            }
            if (0..self.drivers.len()).all(|board| done(self, board)) {
                return Ok(());
            }
        }
        let board = (0..self.drivers.len()).find(|board| !done(self, *board)).unwrap_or(0);
        Err(self.gave_up(board, what, wanted))
    }

    /// A drive whose safe torque off is open cannot be switched on: there is nothing to wait for.
    fn check_sto(&self) -> Result<(), HilError> {
        let open = self.reports.iter().position(|report| report.sto_open);
        let Some(board) = open.filter(|_| !self.exchanged.lost) else { return Ok(()) };
        let name = &self.plan.boards[board].name;
        Err(HilError::Boards(format!(
            "board '{name}': its safe torque off (STO) is open, so that it cannot make torque: close the emergency stop or mend \
             its wire, then try again"
        )))
    }

    /// One exchange while nothing moves yet.
    fn round(&mut self, order: impl Fn(&Bus, usize) -> Order) -> Result<(), HilError> {
        self.encode_with(order);
        self.exchange.linger()?;
        self.exchange_inputs();
        Ok(())
    }

    fn encode_with(&mut self, order: impl Fn(&Bus, usize) -> Order) {
        for board in 0..self.drivers.len() {
            let order = order(self, board);
            let (inputs, outputs) = (&self.image.inputs[board], &mut self.image.outputs[board]);
            self.drivers[board].encode(order, self.commands.current(), inputs, outputs);
        }
    }

    fn exchange_inputs(&mut self) {
        self.exchange.exchange(&mut self.image, &mut self.exchanged);
        self.decode();
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
                    "board '{name}' does not {what}: it is in {found}, {why}; waited up to {PATIENCE} s"
                ))
            }
            None => HilError::Boards(format!(
                "board '{name}' does not {what}: it does not answer at all; waited up to {PATIENCE} s"
            )),
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
