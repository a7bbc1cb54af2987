//! Pushes: the largest change of velocity that is survived, by direction and by what the robot does.

use robot_io::Time;

use super::course::Moment;
use super::fall::Watch;
use super::probe::{begin, go_to};
use super::stop::Stop;
use crate::case::PushPlan;
use crate::session::Session;
use crate::{Case, ScenarioError, Stage, interrupt};

/// How a robot is pushed.
#[derive(Clone, Debug, PartialEq)]
pub struct Shove {
    /// The link.
    pub link: String,
    /// Where, in its frame [m].
    pub point: [f64; 3],
    /// For how long [s].
    pub seconds: f64,
    /// The mass whose velocity the push changes [kg].
    pub mass: f64,
}

impl Shove {
    /// As the command line says; else against the link of the scenario's first push, else against the base.
    pub fn of(stage: &Stage, link: Option<&str>, seconds: f64) -> Result<Shove, ScenarioError> {
        let tree = &stage.robot.tree;
        let known = |name: &str| tree.link(name).is_some();
        if let Some(unknown) = link.filter(|name| !known(name)) {
            let names: Vec<&str> = tree.links.iter().map(|link| link.name.as_str()).collect();
            let message = format!(
                "--push-link: expected a link of {}, found '{unknown}'; it has {}",
                stage.robot.name,
                names.join(", ")
            );
            return Err(ScenarioError::Usage(message));
        }
        let own = stage.case.pushes.iter().find(|push| known(&push.link));
        let base = tree.links.first().map_or("", |link| link.name.as_str());
        let (link, point) = match (link, own) {
            (Some(link), _) => (link, [0.0; 3]),
            (None, Some(push)) => (push.link.as_str(), push.point),
            (None, None) => (base, [0.0; 3]),
        };
        Ok(Shove { link: link.to_owned(), point, seconds, mass: tree.mass() })
    }

    /// The push that changes the velocity by `speed` [m/s] towards `degrees` [°], counter-clockwise from where the robot looks.
    fn plan(&self, moment: &Moment, degrees: f64, speed: f64) -> PushPlan {
        let (sin, cos) = libm::sincos(moment.yaw + degrees.to_radians());
        let force = self.mass * speed / self.seconds;
        PushPlan {
            at: moment.time,
            until: Time::from_seconds(moment.time.seconds() + self.seconds),
            link: self.link.clone(),
            point: self.point,
            force: [force * cos, force * sin, 0.0],
        }
    }

    /// A run with a push of that speed [m/s] in that direction [°], up to `recover` [s] after its end; without one if the speed is 0. Returns how it was
    /// left, and why it has not survived, if it has not.
    pub fn run(
        &self,
        moment: &Moment,
        degrees: f64,
        speed: f64,
        recover: f64,
    ) -> Result<(Session, Option<String>), Stop> {
        let push = self.plan(moment, degrees, speed);
        let end = Time::from_seconds(push.until.seconds() + recover);
        let pushes = if speed > 0.0 { vec![push] } else { Vec::new() };
        let stage = Stage { case: Case { pushes, ..moment.stage.case.clone() }, ..moment.stage.clone() };
        let mut session = begin(&stage, moment.snapshot.as_ref())?;
        go_to(&mut session, moment.cycle)?;
        let watch = Watch::begin(&session, &stage.world, "after the push began");
        while session.readings().time < end {
            if interrupt::requested() {
                return Err(Stop::Interrupted);
            }
            session.cycle()?;
            if let fate @ Some(_) = watch.fate(&session, &stage.world) {
                return Ok((session, fate));
            }
        }
        Ok((session, None))
    }
}
