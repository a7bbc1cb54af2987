//! Who may command which joints.
//!
//! A lease is one component's right to a group of joints, at a priority. It is asked for and let go of; whoever asks takes the
//! group from holders of lower priority, and from nobody else. A lease holds all joints of its group or none.

mod holder;

use robot_io::State;

pub use self::holder::Holder;

/// A component's right to ask for a group of joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease(pub(crate) usize);

/// What a component may ask for, as it declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    /// The component, by its place among all.
    pub component: usize,
    /// Its joints, by their indices in the layout.
    pub joints: Vec<usize>,
    /// Their name together, if they have one.
    pub group: Option<String>,
    /// A higher one takes from a lower one.
    pub priority: Priority,
}

/// How much a claim counts against others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, State)]
pub struct Priority {
    /// A reflex counts more than everything that is none.
    pub(crate) is_reflex: bool,
    /// Among equals in that, the higher number.
    pub(crate) level: u32,
}

/// A joint has changed hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HandOver {
    /// The lease that had its joints, if there was one.
    pub from: Option<usize>,
    /// The lease that has them now.
    pub to: Option<usize>,
}

/// All leases.
#[derive(Clone, Debug, State)]
pub(crate) struct Leases {
    #[state(fixed)]
    claims: Vec<Claim>,
    /// For each claim whether its component asks for it.
    #[state(elements)]
    asked: Vec<bool>,
    /// For each joint the claim that holds it.
    #[state(elements)]
    holders: Vec<Option<usize>>,
    #[state(output)]
    hand_overs: Vec<HandOver>,
}

impl Leases {
    /// Leases of which nobody has asked for one.
    pub fn new(claims: Vec<Claim>, joints: usize) -> Leases {
        Leases {
            asked: vec![false; claims.len()],
            holders: vec![None; joints],
            hand_overs: Vec::with_capacity(claims.len()),
            claims,
        }
    }

    /// Asks for a lease, from now on until it is let go of; true if it is held.
    pub fn ask(&mut self, lease: usize) -> bool {
        if !core::mem::replace(&mut self.asked[lease], true) {
            self.settle();
        }
        self.holds(lease)
    }

    /// Lets go of a lease, and of the wish for it.
    pub fn let_go(&mut self, lease: usize) {
        if core::mem::take(&mut self.asked[lease]) {
            self.settle();
        }
    }

    /// A component has come to an end, or rests: it lets go of all that it has.
    pub fn let_go_of_all(&mut self, component: usize) {
        for (claim, asked) in self.claims.iter().zip(&mut self.asked) {
            *asked &= claim.component != component;
        }
        self.settle();
    }

    /// True if the lease has its joints.
    pub fn holds(&self, lease: usize) -> bool {
        self.claims[lease].joints.iter().all(|joint| self.holders[*joint] == Some(lease))
    }

    /// The component that holds a joint.
    pub fn owner(&self, joint: usize) -> Option<usize> {
        self.component((*self.holders.get(joint)?)?)
    }

    /// What has changed hands since the last call.
    pub fn hand_overs(&mut self) -> std::vec::Drain<'_, HandOver> {
        self.hand_overs.drain(..)
    }

    /// The component of a lease.
    pub fn component(&self, lease: usize) -> Option<usize> {
        self.claims.get(lease).map(|claim| claim.component)
    }

    /// What people call the joints that change hands, if they have a name together.
    pub fn group(&self, hand_over: &HandOver) -> Option<&str> {
        let group = |lease: Option<usize>| self.claims.get(lease?)?.group.as_deref();
        group(hand_over.to).or_else(|| group(hand_over.from))
    }

    /// The first of the joints that change hands.
    pub fn first_joint(&self, hand_over: &HandOver) -> Option<usize> {
        self.claims.get(hand_over.to.or(hand_over.from)?)?.joints.first().copied()
    }

    /// The highest priority first; among equals whoever holds already, then the order of declaration.
    fn settle(&mut self) {
        let mut order: Vec<usize> = (0..self.claims.len()).filter(|lease| self.asked[*lease]).collect();
        order.sort_by_key(|lease| (core::cmp::Reverse(self.claims[*lease].priority), !self.holds(*lease), *lease));
        let mut holders = vec![None; self.holders.len()];
        for lease in order {
            let joints = &self.claims[lease].joints;
            if joints.iter().all(|joint| holders[*joint].is_none()) {
                joints.iter().for_each(|joint| holders[*joint] = Some(lease));
            }
        }
        for (before, after) in self.holders.iter_mut().zip(holders) {
            let hand_over = HandOver { from: *before, to: after };
            if *before != after && !self.hand_overs.contains(&hand_over) {
                self.hand_overs.push(hand_over);
            }
            *before = after;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn claim(component: usize, joints: &[usize], level: u32) -> Claim {
        let priority = Priority { is_reflex: false, level };
        Claim { component, joints: joints.to_vec(), group: None, priority }
    }

    #[test]
    fn a_higher_priority_takes_a_lower_one_gets_back_what_is_let_go_of() {
        let mut leases = Leases::new(vec![claim(0, &[0, 1], 1), claim(1, &[1, 2], 2)], 3);
        assert!(leases.ask(0) && leases.ask(1));
        assert!(!leases.holds(0), "joint 1 was taken, so joint 0 is not held either");
        assert_eq!([leases.owner(0), leases.owner(1), leases.owner(2)], [None, Some(1), Some(1)]);
        assert!(!leases.ask(0), "asking again does not take from above");
        leases.let_go(1);
        assert!(leases.holds(0), "it still wanted them");
    }

    #[test]
    fn among_equals_whoever_holds_keeps() {
        let mut leases = Leases::new(vec![claim(0, &[0], 5), claim(1, &[0], 5)], 1);
        assert!(leases.ask(1) && !leases.ask(0));
        leases.let_go_of_all(1);
        assert_eq!(leases.owner(0), Some(0));
    }

    #[test]
    fn a_reflex_takes_from_the_highest_and_every_hand_over_is_told_once() {
        let reflex = Claim { priority: Priority { is_reflex: true, level: 0 }, ..claim(1, &[0, 1], 0) };
        let mut leases = Leases::new(vec![claim(0, &[0, 1], u32::MAX), reflex], 2);
        assert!(leases.ask(0) && leases.ask(1));
        let told: Vec<HandOver> = leases.hand_overs().collect();
        assert_eq!(told, [HandOver { from: None, to: Some(0) }, HandOver { from: Some(0), to: Some(1) }]);
        assert_eq!(leases.hand_overs().count(), 0);
    }

    proptest! {
        #[test]
        fn whoever_asks_and_is_refused_yields_to_somebody_who_counts_no_less(
            claims in prop::collection::vec((prop::collection::btree_set(0_usize..6, 1..4), 0_u32..4), 1..6),
            steps in prop::collection::vec((0_usize..6, any::<bool>()), 0..30),
        ) {
            let claims: Vec<Claim> = claims.into_iter().enumerate()
                .map(|(component, (joints, level))| claim(component, &joints.into_iter().collect::<Vec<_>>(), level))
                .collect();
            let mut leases = Leases::new(claims.clone(), 6);
            for (lease, asks) in steps {
                let lease = lease % claims.len();
                if asks { leases.ask(lease); } else { leases.let_go(lease); }
                for (index, claim) in claims.iter().enumerate() {
                    let owners: Vec<Option<usize>> = claim.joints.iter().map(|joint| leases.owner(*joint)).collect();
                    if leases.holds(index) {
                        prop_assert!(leases.asked[index] && owners.iter().all(|owner| *owner == Some(index)));
                    } else {
                        prop_assert!(!owners.contains(&Some(index)), "all of a group or none");
                        let stronger = |owner: &Option<usize>| owner.is_some_and(|owner| claims[owner].priority >= claim.priority);
                        prop_assert!(!leases.asked[index] || owners.iter().any(stronger));
                    }
                }
            }
        }
    }
}
