//! Puts components together: lets them declare what they need, checks it, and finds their order.

use std::collections::BTreeSet;

use robot_io::{Events, JointCommand, RobotLayout, Time};
use robot_model::RobotModel;
use robot_model::description::JointGroup;

use crate::arbitration::Arbiters;
use crate::channel::Board;
use crate::component::{Component, Declaration, Wants};
use crate::lease::{Holder, Leases};
use crate::order::order;
use crate::runtime::{Node, Runtime};
use crate::tape::Tape;
use crate::{Life, RuntimeError};

/// A runtime being put together.
#[derive(Default)]
pub struct Builder {
    parts: Vec<(String, Box<dyn Component>)>,
    arbiters: Arbiters,
}

impl Builder {
    /// Adds a component. Where nothing else decides, components are updated in the order in which they were added.
    #[must_use]
    pub fn with(mut self, name: &str, component: impl Component + 'static) -> Builder {
        self.parts.push((name.to_owned(), Box::new(component)));
        self
    }

    /// Lets rules decide where several components write one channel.
    #[must_use]
    pub fn arbitrate(mut self, arbiters: Arbiters) -> Builder {
        self.arbiters = arbiters;
        self
    }

    /// The same for a robot as its file describes it: its groups of joints, and its gains for joints that nobody holds.
    pub fn build_for(self, robot: &RobotModel, layout: &RobotLayout) -> Result<Runtime, RuntimeError> {
        self.build(layout, &robot.description.groups, Holder::new(robot))
    }

    /// Lets all of them declare what they need, and finds their order.
    pub fn build(self, layout: &RobotLayout, groups: &[JointGroup], holder: Holder) -> Result<Runtime, RuntimeError> {
        let mut names = BTreeSet::new();
        if let Some((name, _)) = self.parts.iter().find(|(name, _)| !names.insert(name.clone())) {
            return Err(RuntimeError::Twice { what: "components", name: name.clone() });
        }
        let (mut board, mut claims, mut tasks) = (Board::default(), Vec::new(), BTreeSet::new());
        let (mut nodes, mut wants): (Vec<Node>, Vec<Wants>) = (Vec::new(), Vec::new());
        for (index, (name, mut component)) in self.parts.into_iter().enumerate() {
            let mut declaration = Declaration {
                name: &name,
                component: index,
                layout,
                groups,
                board: &mut board,
                claims: &mut claims,
                tasks: &mut tasks,
                wants: Wants::default(),
                error: None,
            };
            component.declare(&mut declaration);
            let (said, error) = (declaration.wants, declaration.error);
            if let Some(error) = error {
                return Err(error);
            }
            let rate = said.rate;
            wants.push(said);
            nodes.push(Node {
                name,
                component,
                rate,
                life: Life::default(),
                pauses: false,
                told: Vec::new(),
                broke: None,
            });
        }
        for claim in &mut claims {
            claim.priority.is_reflex = wants[claim.component].links.is_reflex;
        }
        let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
        board.arbitrate(&self.arbiters, &names)?;
        check_ends(&nodes, &wants, &board)?;
        let links: Vec<_> = wants.iter().map(|said| said.links.clone()).collect();
        let order = order(&links).map_err(|circle| describe_circle(&circle, &nodes, &wants, &board))?;
        let joints = layout.joints.len();
        Ok(Runtime {
            nodes,
            order,
            board,
            leases: Leases::new(claims, joints),
            holder,
            joints: layout.joints.iter().map(|joint| joint.name.clone()).collect(),
            before: vec![JointCommand::default(); joints],
            started: false,
            now: Time::ZERO,
            events: Events::with_capacity(64),
            overflows: Vec::with_capacity(8),
            tape: Tape::default(),
        })
    }
}

/// Every stream has one writer, and what is needed has somebody who writes it.
fn check_ends(nodes: &[Node], wants: &[Wants], board: &Board) -> Result<(), RuntimeError> {
    let name = |index: &usize| nodes[*index].name.clone();
    for (said, node) in wants.iter().zip(nodes) {
        if let Some(own) = said.links.reads.intersection(&said.links.writes).next() {
            let channel = board.channels()[*own].name.clone();
            return Err(RuntimeError::Own { component: node.name.clone(), channel });
        }
        if let Some(lonely) = said.needs.iter().find(|channel| board.channels()[**channel].writers.is_empty()) {
            let channel = board.channels()[*lonely].name.clone();
            return Err(RuntimeError::NoWriter { channel, reader: node.name.clone() });
        }
    }
    let crowded =
        board.channels().iter().find(|channel| channel.writers.len() > 1 && !board.may_have_many_writers(channel));
    crowded.map_or(Ok(()), |channel| {
        let writers = channel.writers.iter().map(name).collect();
        Err(RuntimeError::Writers { channel: channel.name.clone(), writers })
    })
}

fn describe_circle(circle: &[usize], nodes: &[Node], wants: &[Wants], board: &Board) -> RuntimeError {
    let mut words = nodes[circle[0]].name.clone();
    for (index, writer) in circle.iter().enumerate() {
        let reader = circle[(index + 1) % circle.len()];
        let shared = wants[*writer].links.writes.intersection(&wants[reader].links.reads).next();
        let channel = shared.map_or("reflex", |channel| board.channels()[*channel].name.as_str());
        words += &format!(" –'{channel}'→ {}", nodes[reader].name);
    }
    RuntimeError::Circle { circle: words }
}

impl Runtime {
    /// Begins to put one together.
    pub fn builder() -> Builder {
        Builder::default()
    }
}
