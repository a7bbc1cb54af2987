//! Contacts that nobody asked for, as events.

use std::collections::BTreeMap;

use plant::{Touched, UnwantedContact};
use robot_io::{Event, Period, Severity, Subject, Time};
use robot_model::RobotModel;
use worlds::World;

/// Contacts of the same two this soon after one another are one.
const PAUSE: Period = Period::from_milliseconds(1_000);

/// What has touched what, and when last.
#[derive(Debug, Default)]
pub struct Touches {
    last: BTreeMap<(usize, Touched), Time>,
}

impl Touches {
    /// The event of a contact, if it is a new one.
    pub fn event(&mut self, now: Time, contact: UnwantedContact, robot: &RobotModel, world: &World) -> Option<Event> {
        let before = self.last.insert((contact.link, contact.with), now);
        if before.is_some_and(|before| now.since(before) < PAUSE) {
            return None;
        }
        let name = |link: usize| robot.tree.links.get(link).map_or("a link", |link| link.name.as_str());
        let link = name(contact.link);
        let other = match contact.with {
            Touched::Ground => "the ground",
            Touched::Face => "a steep face of the ground",
            Touched::Object(object) => world.objects.get(object).map_or("an object", |object| &object.name),
            Touched::Link(other) => name(other),
        };
        let what = format!("{link} touches {other}, force [N]").into();
        let (severity, subject) = (Severity::Warning, Subject::Robot);
        Some(Event { time: now, severity, source: "truth".into(), subject, what, value: contact.force, limit: 0.0 })
    }
}
