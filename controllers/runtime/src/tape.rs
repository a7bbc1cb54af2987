//! What a component reads and does in each of its calls, noted so that it can do it again alone.

use robot_io::{Commands, Digest, JointCommand, NotTheSame, State, StateHasher, StateVisitor};

use crate::channel::Board;
use crate::component::Component;
use crate::cycle::Cycle;
use crate::lease::Leases;

/// The whole state of a component is digested once in so many cycles; it may be large.
const STATE_EVERY: u64 = 25;

/// Words in front of a call's inputs: the component, the call, and how many words the inputs have.
const HEAD: usize = 3;

/// What a component does, in the order of a call's last words.
const OUTPUTS: [&str; 4] = ["what it writes or asks for", "a command of its joints", "a lease", "its state"];

/// What may be asked of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Start,
    Resume,
    Update,
    MayPause,
}

impl Call {
    const ALL: [Call; 4] = [Call::Start, Call::Resume, Call::Update, Call::MayPause];

    /// Asks a component; the answer means something of [`Call::MayPause`] only.
    pub fn ask(self, component: &mut dyn Component, cycle: &mut Cycle<'_>) -> bool {
        match self {
            Call::Start => component.start(cycle),
            Call::Resume => component.resume(cycle),
            Call::Update => component.update(cycle),
            Call::MayPause => return component.may_pause(),
        }
        true
    }
}

/// The notes of one cycle.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    is_on: bool,
    words: Vec<u64>,
    /// For each component and channel the cycle whose value has been noted already.
    seen: Vec<Vec<Option<u64>>>,
}

impl Tape {
    /// Begins to note, or ends.
    pub fn switch(&mut self, is_on: bool, components: usize, channels: usize) {
        self.is_on = is_on;
        self.words.clear();
        self.seen.clear();
        if is_on {
            self.words.reserve(1 << 12);
            self.seen.resize(components, vec![None; channels]);
        }
    }

    /// A cycle begins.
    pub fn begin(&mut self) {
        self.words.clear();
    }

    /// The notes of this cycle.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Notes what a component finds as it is called. Whatever it does then is added to the hasher.
    pub fn note_inputs(&mut self, component: usize, call: Call, found: Found<'_>) -> Option<StateHasher> {
        let seen = self.seen.get_mut(component).filter(|_| self.is_on)?;
        let begin = self.words.len();
        self.words.extend([component as u64, call as u64, 0]);
        let mut inputs = Inputs { found, component, seen, restores: false };
        inputs.visit_state(&mut Noting(&mut self.words));
        self.words[begin + HEAD - 1] = (self.words.len() - begin - HEAD) as u64;
        Some(StateHasher::default())
    }

    /// Notes what it did.
    pub fn note_outputs(&mut self, done: Done<'_>) {
        let Done { component, said, commands, leases, state, cycle } = done;
        let mut joints = StateHasher::default();
        for (joint, command) in commands.joints.iter_mut().enumerate() {
            if leases.owner(joint) == Some(component) {
                command.visit_state(&mut joints);
            }
        }
        let state = if cycle.is_multiple_of(STATE_EVERY) { Digest::of(state).0 } else { 0 };
        self.words.extend([said.finish().0, joints.finish().0, Digest::of(leases).0, state]);
    }
}

/// What a component finds as it is called.
#[derive(Debug)]
pub(crate) struct Found<'r> {
    pub board: &'r mut Board,
    pub leases: &'r mut Leases,
    pub commands: &'r mut Commands,
    /// The joints' commands of the last cycle.
    pub before: &'r [JointCommand],
}

/// What a component has done.
pub(crate) struct Done<'r> {
    pub component: usize,
    pub said: StateHasher,
    pub commands: &'r mut Commands,
    pub leases: &'r mut Leases,
    pub state: &'r mut dyn Component,
    pub cycle: u64,
}

/// The same as words: what is there already, as notes or from the cycle before, is not said again.
struct Inputs<'r, 'f> {
    found: Found<'f>,
    component: usize,
    seen: &'r mut [Option<u64>],
    restores: bool,
}

impl State for Inputs<'_, '_> {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let Found { board, leases, commands, before } = &mut self.found;
        board.visit_inputs(self.component, self.restores, self.seen, visitor);
        leases.visit_state(visitor);
        for (command, before) in commands.joints.iter_mut().zip(before.iter()) {
            let mut is_new = command != before;
            is_new.visit_state(visitor);
            match is_new {
                true => command.visit_state(visitor),
                false => *command = *before,
            }
        }
    }
}

/// A call as it was noted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noted<'n> {
    pub component: usize,
    pub call: Call,
    inputs: &'n [u64],
    outputs: &'n [u64],
}

impl<'n> Noted<'n> {
    /// The first call of some notes, and the notes after it.
    pub fn first(notes: &'n [u64]) -> Result<Option<(Noted<'n>, &'n [u64])>, NotTheSame> {
        let Some((head, rest)) = notes.split_first_chunk::<HEAD>() else {
            return if notes.is_empty() { Ok(None) } else { Err(broken("a call", &format!("{} words", notes.len()))) };
        };
        let [component, call, length] = *head;
        let call = Call::ALL.into_iter().find(|known| *known as u64 == call);
        let call = call.ok_or_else(|| broken("a call by its number, 0 to 3", &head[1].to_string()))?;
        let split = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
        let (inputs, rest) = split.ok_or_else(|| broken(&format!("{length} words"), &rest.len().to_string()))?;
        let (outputs, rest) = rest.split_at_checked(OUTPUTS.len()).ok_or_else(|| broken("4 words", "fewer"))?;
        let component = usize::try_from(component).unwrap_or(usize::MAX);
        Ok(Some((Noted { component, call, inputs, outputs }, rest)))
    }

    /// Puts a component where it was when it was called.
    pub fn restore(&self, found: Found<'_>) -> Result<(), NotTheSame> {
        let channels = found.board.channels().len();
        let mut seen = vec![None; channels];
        let mut reading = Reading { rest: self.inputs, missing: 0 };
        Inputs { found, component: self.component, seen: &mut seen, restores: true }.visit_state(&mut reading);
        match (reading.missing, reading.rest.len()) {
            (0, 0) => Ok(()),
            (missing, surplus) => {
                let expected = self.inputs.len() + missing - surplus;
                Err(broken(&format!("{expected} words for a component"), &self.inputs.len().to_string()))
            }
        }
    }

    /// Compares what was done then with what is noted last on a tape.
    pub fn compare(&self, tape: &Tape) -> Result<(), NotTheSame> {
        let now = tape.words.iter().rev().take(OUTPUTS.len()).rev();
        let differs = now.zip(self.outputs).position(|(now, then)| now != then);
        differs.map_or(Ok(()), |output| Err(NotTheSame::Differs(OUTPUTS[output])))
    }
}

fn broken(expected: &str, found: &str) -> NotTheSame {
    NotTheSame::Notes { expected: expected.to_owned(), found: found.to_owned() }
}

/// Adds words to notes.
struct Noting<'t>(&'t mut Vec<u64>);

impl StateVisitor for Noting<'_> {
    fn word(&mut self, bits: &mut u64) {
        self.0.push(*bits);
    }
}

/// Takes words from notes.
struct Reading<'n> {
    rest: &'n [u64],
    missing: usize,
}

impl StateVisitor for Reading<'_> {
    fn word(&mut self, bits: &mut u64) {
        match self.rest.split_first() {
            Some((word, rest)) => (*bits, self.rest) = (*word, rest),
            None => self.missing += 1,
        }
    }
}
