//! Several sources for one channel: rules from a file decide whose message passes.
//!
//! Components stay as they are and know nothing of each other; who counts when is said beside them, after Paikan's port
//! arbitration (PhD thesis, Genoa 2014, chapter 3). Each connection from a component to a channel is *active* while it delivers
//! often enough, whether its messages pass or not, and has a rule over the connections' names. A message passes if the rule of
//! its connection holds. That never two connections of a channel can win at once is proven when the file is read.
//!
//! ```toml
//! [[connection]]
//! name = "reach"
//! from = "reach_object"   # the component
//! channel = "arm_target"
//! gain = 0.2              # what each message adds to the activation, which is 1 at most
//! time = 3.0              # without a message for so long the connection is inactive [s]
//! rule = "reach and not grasp"
//! ```

mod activation;
mod rule;

use page::{Fault, Page};
use robot_io::{State, Time};
use serde::Deserialize;
use toml::Spanned;

use self::activation::Activation;
use self::rule::Rule;

/// Connections of one channel at most whose rules are proven: all 2ⁿ cases are tried.
const MOST_NAMES: usize = 16;

/// The connections of a file.
#[derive(Clone, Debug, Default, State)]
pub struct Arbiters {
    #[state(fixed)]
    plans: Vec<Plan>,
    #[state(elements)]
    activations: Vec<Activation>,
}

/// What is said of a connection.
#[derive(Clone, Debug, PartialEq)]
struct Plan {
    name: String,
    from: String,
    channel: String,
    rule: Rule,
    line: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    connection: Vec<RawConnection>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawConnection {
    name: Spanned<String>,
    from: String,
    channel: String,
    gain: Spanned<f64>,
    time: Spanned<f64>,
    rule: Spanned<String>,
}

impl Arbiters {
    /// Reads a file of connections; `file` is for the messages, which name its line.
    pub fn parse(text: &str, file: &str) -> Result<Arbiters, Fault> {
        let page = Page { file, text };
        let raw: File = page.read()?;
        let names: Vec<String> = raw.connection.iter().map(|connection| connection.name.get_ref().clone()).collect();
        let (mut plans, mut activations): (Vec<Plan>, _) = (Vec::new(), Vec::new());
        for connection in raw.connection {
            let RawConnection { name, from, channel, gain, time, rule } = connection;
            let field = |field: &str| format!("connection '{}': {field}", name.get_ref());
            if plans.iter().any(|plan| plan.name == *name.get_ref()) {
                let found = format!("'{}' again", name.get_ref());
                return Err(page.expected(&name, field("name"), "another name than the connections before", found));
            }
            if !(0.0..=1.0).contains(gain.get_ref()) {
                return Err(page.expected(&gain, field("gain"), "0 to 1", gain.get_ref()));
            }
            if !(1e-3..=1e6).contains(time.get_ref()) {
                return Err(page.expected(&time, field("time"), "0.001 to 1,000,000 s", time.get_ref()));
            }
            let parsed = Rule::parse(rule.get_ref(), &names);
            let parsed = parsed.map_err(|error| page.fault(&rule, format!("{}: {error}", field("rule"))))?;
            activations.push(Activation::new(*gain.get_ref(), *time.get_ref()));
            plans.push(Plan { line: page.line(&name), name: name.into_inner(), from, channel, rule: parsed });
        }
        let arbiters = Arbiters { plans, activations };
        arbiters.prove_one_winner(file)?;
        Ok(arbiters)
    }

    /// The place of the connection from a component to a channel, if rules decide there.
    pub(crate) fn connection(&self, from: &str, channel: &str) -> Option<usize> {
        self.plans.iter().position(|plan| plan.from == from && plan.channel == channel)
    }

    /// True if rules decide on a channel.
    pub(crate) fn decides(&self, channel: &str) -> bool {
        self.plans.iter().any(|plan| plan.channel == channel)
    }

    /// A message comes over a connection; true if it passes.
    pub(crate) fn passes(&mut self, connection: usize, now: Time) -> bool {
        self.activations[connection].arrive(now);
        let active: Vec<bool> = self.activations.iter_mut().map(|activation| activation.is_active(now)).collect();
        self.plans[connection].rule.holds(&|name| active[name])
    }

    /// Tries all cases: in none of them two connections of a channel win.
    fn prove_one_winner(&self, file: &str) -> Result<(), Fault> {
        for (index, one) in self.plans.iter().enumerate() {
            for other in self.plans[index + 1..].iter().filter(|other| other.channel == one.channel) {
                let mut names = Vec::new();
                for rule in [&one.rule, &other.rule] {
                    rule.names(&mut |name| {
                        if !names.contains(&name) {
                            names.push(name);
                        }
                    });
                }
                let pair = format!("'{}' and '{}'", one.name, other.name);
                if names.len() > MOST_NAMES {
                    let expected = format!("rules over at most {MOST_NAMES} names");
                    return Err(Fault::of_field(file, other.line, pair, expected, names.len()));
                }
                let wins_twice = (0..1_u32 << names.len()).find(|case| {
                    let is_true = |name: usize| {
                        names.iter().position(|known| *known == name).is_some_and(|bit| case & 1 << bit != 0)
                    };
                    one.rule.holds(&is_true) && other.rule.holds(&is_true)
                });
                if let Some(case) = wins_twice {
                    let active = names.iter().enumerate().filter(|(bit, _)| case & 1 << bit != 0);
                    let active: Vec<&str> = active.map(|(_, name)| self.plans[*name].name.as_str()).collect();
                    let when = if active.is_empty() { "no connection is active".to_owned() } else { active.join(", ") };
                    let field = format!("channel '{}'", one.channel);
                    let found = format!("{pair} both win with active: {when}");
                    return Err(Fault::of_field(file, other.line, field, "at most one winner at any time", found));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
