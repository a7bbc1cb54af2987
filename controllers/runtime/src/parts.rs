//! Components one by one: which there are, which broke, and one alone doing again what it did.

use robot_io::deadline::TaskBoard;
use robot_io::{Commands, JointCommand, NotTheSame, Parts, Readings, Time};

use crate::runtime::Runtime;
use crate::tape::{Found, Noted};

impl Parts for Runtime {
    fn names(&self) -> Vec<&str> {
        self.nodes.iter().map(|node| node.name.as_str()).collect()
    }

    fn first_broken(&self) -> Option<(&str, Time)> {
        let broken = self.nodes.iter().filter_map(|node| Some((node.name.as_str(), node.broke?)));
        broken.min_by_key(|(_, at)| *at)
    }

    fn note(&mut self, notes: bool) {
        self.tape.switch(notes, self.nodes.len(), self.board.channels().len());
    }

    fn notes(&self) -> &[u64] {
        self.tape.words()
    }

    fn redo(
        &mut self,
        part: &str,
        readings: &Readings,
        told: Option<&[JointCommand]>,
        notes: &[u64],
        board: &mut dyn TaskBoard,
    ) -> Result<usize, NotTheSame> {
        let Some(index) = self.nodes.iter().position(|node| node.name == part) else {
            let known = self.nodes.iter().map(|node| node.name.clone()).collect();
            return Err(NotTheSame::Unknown { known });
        };
        self.now = readings.time;
        if let Some(told) = told.filter(|told| told.len() == self.before.len()) {
            self.before.clone_from_slice(told);
        }
        let component = self.nodes[index].component.as_mut();
        component.exchange_tasks(readings.cycle, board);
        let (mut rest, mut calls) = (notes, 0);
        while let Some((noted, after)) = Noted::first(rest)? {
            if noted.component == index {
                self.redo_call(&noted, readings)?;
                calls += 1;
            }
            rest = after;
        }
        self.nodes[index].component.drain_events(&mut self.events);
        self.events.clear();
        Ok(calls)
    }
}

impl Runtime {
    fn redo_call(&mut self, noted: &Noted<'_>, readings: &Readings) -> Result<(), NotTheSame> {
        let Runtime { board, leases, before, .. } = self;
        let mut commands = Commands { joints: before.clone(), ..Commands::default() };
        noted.restore(Found { board, leases, commands: &mut commands, before })?;
        self.tape.begin();
        self.call(noted.component, readings, &mut commands, noted.call);
        noted.compare(&self.tape)
    }
}
