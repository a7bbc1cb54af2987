//! What skills share with other components: ends of channels.

use core::any::Any;
use core::fmt;

use robot_io::State;
use runtime::{Cycle, Declaration};

/// Ends of channels through which the skills of a chart talk with other components, as they talk with the base.
///
/// The behaviour makes them once, and lends them to each skill at work: [`SkillContext::ends`](super::SkillContext::ends). What a skill wants of another
/// component it says in each cycle in which it wants it; so a skill that is broken off leaves nothing behind.
pub trait Ends: State + Any + fmt::Debug + Send {
    /// Says what is read and written, and keeps the ends that it is given.
    fn declare(&mut self, wants: &mut Declaration<'_>);

    /// Before the skills' cycle: takes in what the others have said. Nobody wants anything yet.
    fn hear(&mut self, cycle: &Cycle<'_>);

    /// After it: says what is wanted.
    fn say(&mut self, cycle: &mut Cycle<'_>);
}

/// Makes ends for one behaviour.
pub(crate) type BuildEnds = std::sync::Arc<dyn Fn() -> Box<dyn Ends> + Send + Sync>;

/// All ends of a behaviour, in the order in which they were named.
#[derive(Default)]
pub(crate) struct AllEnds(Vec<Box<dyn Ends>>);

impl AllEnds {
    /// Makes them.
    pub fn new(builders: &[BuildEnds]) -> AllEnds {
        AllEnds(builders.iter().map(|build| build()).collect())
    }

    /// Says what is read and written.
    pub fn declare(&mut self, wants: &mut Declaration<'_>) {
        self.0.iter_mut().for_each(|ends| ends.declare(wants));
    }

    /// Takes in what others have said.
    pub fn hear(&mut self, cycle: &Cycle<'_>) {
        self.0.iter_mut().for_each(|ends| ends.hear(cycle));
    }

    /// Says what is wanted.
    pub fn say(&mut self, cycle: &mut Cycle<'_>) {
        self.0.iter_mut().for_each(|ends| ends.say(cycle));
    }

    /// The ends of a type.
    pub fn of<E: Ends>(&mut self) -> Option<&mut E> {
        self.0.iter_mut().find_map(|ends| (ends.as_mut() as &mut dyn Any).downcast_mut())
    }
}

impl State for AllEnds {
    fn visit_state(&mut self, visitor: &mut dyn robot_io::StateVisitor) {
        self.0.iter_mut().for_each(|ends| ends.visit_state(visitor));
    }
}

impl fmt::Debug for AllEnds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.0).finish()
    }
}
