//! Components one by one: which there are, which broke, and one alone doing again what it did.

use robot_io::deadline::TaskBoard;
use robot_io::{ASKED_TO_BREAK, Commands, JointCommand, NotTheSame, Parts, Readings, Time};

use crate::Life;
use crate::runtime::Runtime;
use crate::tape::{Call, Found, Noted};

impl Parts for Runtime {
    fn names(&mut self) -> Vec<&str> {
        let mut names = Vec::new();
        for node in &mut self.nodes {
            names.push(node.name.as_str());
            names.extend(node.component.parts().map(Parts::names).unwrap_or_default());
        }
        names
    }

    fn first_broken(&mut self) -> Option<(&str, Time)> {
        let broken = self.nodes.iter_mut().flat_map(|node| {
            let own = node.broke.map(|at| (node.name.as_str(), at));
            own.into_iter().chain(node.component.parts().and_then(Parts::first_broken))
        });
        broken.min_by_key(|(_, at)| *at)
    }

    fn break_now(&mut self, part: &str) -> bool {
        if let Some(index) = self.nodes.iter().position(|node| node.name == part) {
            let unasked = self.nodes[index].broke;
            self.stop_for(index, format!("panicked: {ASKED_TO_BREAK}"));
            self.nodes[index].broke = unasked;
            return true;
        }
        let mut inner = self.nodes.iter_mut().filter_map(|node| node.component.parts());
        inner.any(|parts| parts.break_now(part))
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
        self.exchange_with(index, readings.cycle, board);
        let (mut rest, mut calls) = (notes, 0);
        while let Some((noted, after)) = Noted::first(rest)? {
            if noted.component == index {
                self.redo_call(&noted, readings)?;
                if noted.call == Call::Start {
                    self.nodes[index].life = Life::Running;
                }
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
