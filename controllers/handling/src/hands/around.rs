//! Ways around what is in the way.

use manipulation::{JointPath, PathSettings, PlanError, Planner, PlannerSettings};
use nalgebra::{Isometry3, Vector3};

use super::goal::HandFailure;
use super::plan::{Leg, Refusal, Work, refused};
use super::scene::Touch;

/// So many samples are drawn for a way at the most; chosen.
const SAMPLES: u32 = 5_000;
/// Out of what it touches a hand goes by one of these, the first that ends where nothing is near: so far back from where it points, and so far
/// up [m]; chosen.
const WAYS_OUT: [[f64; 2]; 6] = [[0.04, 0.0], [0.1, 0.0], [0.0, 0.05], [0.05, 0.05], [0.0, 0.12], [0.1, 0.1]];
/// And so fast: share of the joints' top speeds.
const OUT: f64 = 0.1;
/// What holds against it on its way out with this force ends it [N].
const PUSHED: f64 = 25.0;

impl Work<'_> {
    /// A way around what is in the way to one of some places of the joints, and to which. Where the arm begins nearer to something than the margin, a
    /// smaller one is kept all the way; where it begins in touch with something, the hand goes straight out of that first.
    pub fn around(&self, touch: Touch, goals: &[Vec<f64>]) -> Result<(usize, Vec<Leg>), Refusal> {
        let plan = self.around_from(&self.start, touch, goals);
        let Err(PlanError::Start(hit)) = plan else {
            return plan.map(|(goal, leg)| (goal, vec![leg])).map_err(|error| self.why(touch, error));
        };
        let (out, from) = self.way_out(touch).ok_or_else(|| self.blocked(touch, &hit))?;
        let (goal, leg) = self.around_from(&from, touch, goals).map_err(|error| self.why(touch, error))?;
        Ok((goal, vec![out, leg]))
    }

    fn around_from(&self, start: &[f64], touch: Touch, goals: &[Vec<f64>]) -> Result<(usize, Leg), PlanError> {
        let goals: Vec<&[f64]> = goals.iter().map(Vec::as_slice).collect();
        let body = &self.question.body;
        let settings = PlannerSettings { most_iterations: SAMPLES, ..PlannerSettings::default() };
        let mut planner = Planner::new(settings)?;
        let mut checker = self.checker_of(touch, &body.model)?;
        let mut plan = planner.plan(&mut checker, start, &goals);
        let mut is_close = false;
        if let Err(PlanError::Start(_)) = plan {
            is_close = true;
            checker = self.checker_of(touch, &body.close)?;
            plan = planner.plan(&mut checker, start, &goals);
        }
        let plan = plan?;
        let stops = vec![false; plan.waypoints.len()];
        let path = JointPath::through(&plan.waypoints, &stops, &PathSettings::default(), Some(&mut checker))?;
        Ok((plan.goal, Leg { way: self.timed(path)?, touch, is_close, course: None, until: None }))
    }

    /// A short straight way of the hand to where nothing is near, and where that is.
    fn way_out(&self, touch: Touch) -> Option<(Leg, Vec<f64>)> {
        let (hand, body) = (self.hand(), &self.question.body);
        let mut own = self.checker(Touch::Anything, &body.close).ok()?;
        let mut free = self.checker(touch, &body.close).ok()?;
        WAYS_OUT.iter().find_map(|[back, up]| {
            let by = hand.rotation * Vector3::new(-back, 0.0, 0.0) + Vector3::new(0.0, 0.0, *up);
            let wanted = Isometry3::from_parts((hand.translation.vector + by).into(), hand.rotation);
            let (leg, end) = self.line(&wanted, &self.with_arm(&self.start), Touch::Anything, &mut own).ok()?;
            let is_free = matches!(free.hit(&end), Ok(None));
            let way = self.timed_at(leg.way.path().clone(), OUT).ok().filter(|_| is_free)?;
            Some((Leg { way, until: Some(PUSHED), ..leg }, end))
        })
    }

    fn why(&self, touch: Touch, error: PlanError) -> Refusal {
        match error {
            PlanError::Start(hit) | PlanError::Goal(hit) => self.blocked(touch, &hit),
            PlanError::NotFound { iterations, .. } => HandFailure::NoWay(u64::from(iterations)),
            PlanError::Refused(error) => refused(error),
            PlanError::Limit { .. } | PlanError::NoGoal => HandFailure::BadGoal,
        }
    }
}
