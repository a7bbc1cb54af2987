//! Contacts that nobody asked for, as events.

use std::collections::BTreeMap;

use plant::{Touched, UnwantedContact};
use robot_io::{Event, Period, Severity, Subject, Time};

use crate::Stage;

/// Contacts of the same two this soon after one another are one.
const PAUSE: Period = Period::from_milliseconds(1_000);

/// What of which robot has touched what, and when last.
#[derive(Debug, Default)]
pub struct Touches {
    last: BTreeMap<(usize, usize, Touched), Time>,
}

impl Touches {
    /// The event of a contact of one of the stage's robots, by its number, if it is a new one.
    pub fn event(&mut self, now: Time, robot: usize, contact: UnwantedContact, stage: &Stage) -> Option<Event> {
        let before = self.last.insert((robot, contact.link, contact.with), now);
        if before.is_some_and(|before| now.since(before) < PAUSE) {
            return None;
        }
        let link = link_name(stage, robot, contact.link);
        let other = match contact.with {
            Touched::Ground => "the ground".to_owned(),
            Touched::Face => "a steep face of the ground".to_owned(),
            Touched::Object(object) => {
                let object = stage.world.objects.get(object);
                object.map_or_else(|| "an object".to_owned(), |object| object.name.clone())
            }
            Touched::Link(other) => link_name(stage, robot, other),
            Touched::Robot { robot, link } => link_name(stage, robot, link),
        };
        let what = format!("{link} touches {other}, force [N]").into();
        let (severity, subject) = (Severity::Warning, Subject::Robot);
        Some(Event { time: now, severity, source: "truth".into(), subject, what, value: contact.force, limit: 0.0 })
    }
}

/// A link as people read it: that of a robot beside the first has its robot's name before its own.
fn link_name(stage: &Stage, robot: usize, link: usize) -> String {
    let of = stage.of_robot(robot).unwrap_or(stage);
    let name = of.robot.tree.links.get(link).map_or("a link", |link| link.name.as_str());
    if robot == 0 { name.to_owned() } else { format!("{}/{name}", of.case.name) }
}
