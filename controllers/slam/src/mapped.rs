//! What comes back when a sweep has been mapped.

use std::sync::Arc;

use nalgebra::Isometry3;
use robot_io::{Event, Layer, MapViews, PointCloud, PoseGraphView, Sealed, Severity, State, SurfelView, Telemetry};

use crate::passing::{Passing, take_out};
use crate::{
    Calibration, CalibrationSettings, Flaw, GateSettings, Mapper, Motion, Sweep, SweepEstimate, SweepOdometer, Turn,
    Verdict,
};

/// The result of the task: the mapper as it is after the sweep, and what it made of it.
#[derive(Clone, Debug, Default, State)]
pub(crate) struct Mapped {
    pub mapper: Mapper,
    /// What is known of the laser's place after the sweep.
    pub calibration: Calibration,
    pub estimate: SweepEstimate,
    /// How the robot moved during the sweep.
    pub motion: Motion,
    /// Points in the sweep.
    pub points: usize,
    /// Pictures of the map; not part of the state, since the mapper can make them again.
    #[state(output)]
    pub pictures: Pictures,
    /// The sweep as a picture; not part of the state, since nothing depends on it.
    #[state(output)]
    pub sweep: Option<Sealed<PointCloud>>,
}

/// What a mapper shows, made anew when the map has changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pictures {
    pub views: Sealed<MapViews>,
    revision: u64,
    /// Where the robot was on the map: a snapshot may bring another map of the same revision.
    base_in_map: Isometry3<f64>,
    surfels: Arc<Vec<SurfelView>>,
    graph: Arc<PoseGraphView>,
}

impl Mapped {
    /// Maps a turn, less what it shows of things that pass by.
    pub fn compute(
        mut mapper: Mapper,
        mut calibration: Calibration,
        turn: &Turn,
        settings: &CalibrationSettings,
        passing: &[Passing],
    ) -> Mapped {
        let mut sweep = turn.sweep();
        take_out(&mut sweep, passing);
        if let Some(moved) = calibration.apply(&turn.correction) {
            mapper.put_laser_right(&moved);
        }
        let estimate = mapper.process(&sweep);
        mapper.forget_passed(&sweep, passing);
        // a loop that closes moves the robot in the map: that is no motion
        let is_motion = estimate.verdict == Verdict::Accepted && estimate.weak_directions == 0;
        let place = mapper.base_in_local().filter(|_| is_motion);
        calibration.learn(turn, &sweep, place.as_ref(), settings);
        let mut pictures = Pictures::default();
        pictures.follow(&mapper);
        Mapped {
            mapper,
            calibration,
            estimate,
            motion: sweep.motion,
            points: sweep.points.len(),
            pictures,
            sweep: Some(Sealed::new(cloud(&sweep))),
        }
    }

    /// What is new about this result, with numbers, compared with the estimate before.
    pub fn news(&self, before: &SweepEstimate, gate: &GateSettings) -> Vec<Event> {
        let mut news = Vec::new();
        let mut tell = |severity, what, value, limit| {
            news.push(Event::note(self.estimate.stamp, severity, "slam", what).with(value, limit));
        };
        if let Some(flaw) = flaw(self.estimate.verdict).filter(|flaw| Some(*flaw) != self::flaw(before.verdict)) {
            let (what, value, limit) = self.explain(flaw, gate);
            tell(Severity::Warning, what, value, limit);
        }
        if self.estimate.weak_directions != before.weak_directions {
            let (now, before) = (self.estimate.weak_directions as f64, before.weak_directions as f64);
            let what = "directions in which the world gives no hold, held by odometry; limit: before";
            tell(Severity::Info, what, now, before);
        }
        news
    }

    /// A flaw in words and numbers: what, how much, how much is allowed.
    fn explain(&self, flaw: Flaw, gate: &GateSettings) -> (&'static str, f64, f64) {
        let (motion, [value, limit]) = (&self.motion, self.estimate.judged);
        let is_fast = motion.peak_angular_rate > gate.most_angular_rate;
        match flaw {
            Flaw::Shaken if is_fast => {
                ("sweep not used, turned fast [rad/s]", motion.peak_angular_rate, gate.most_angular_rate)
            }
            Flaw::Shaken => ("sweep not used, shaken [m/s²]", motion.peak_acceleration, gate.most_acceleration),
            Flaw::Bumped => ("sweep not used, bumped meanwhile: may have slid by [m]", motion.slid, gate.most_slide),
            Flaw::Gaps => ("sweep not used, scans are missing for [s]", motion.longest_gap, gate.longest_gap),
            Flaw::Sparse => ("sweep not used, too few points", self.points as f64, gate.least_points as f64),
            Flaw::Unmatched => ("sweep not used, matched share", value, limit),
            Flaw::Diverged => ("sweep not used, its registration did not converge: matched share", value, limit),
            Flaw::Uncertain => ("sweep not used, pose too uncertain [m]", value, limit),
            Flaw::Loose => ("sweep not used, it lies beside the map: mean distance [m]", value, limit),
            Flaw::Contradicted => {
                ("sweep not used, things stand where the map is free: share that stands where it should", value, limit)
            }
            Flaw::Displaced => ("sweep not used, it fits, but not where odometry led: off by [m]", value, limit),
            Flaw::Turned => ("sweep not used, it fits, but turned against odometry: off by [rad]", value, limit),
            Flaw::Unusual => ("sweep not put into the map, it fits worse than usual: share of the usual", value, limit),
        }
    }
}

fn flaw(verdict: Verdict) -> Option<Flaw> {
    match verdict {
        Verdict::Accepted => None,
        Verdict::LocalizedOnly(flaw) | Verdict::LeftOut(flaw) => Some(flaw),
    }
}

/// A sweep as others see it.
fn cloud(sweep: &Sweep) -> PointCloud {
    PointCloud {
        stamp: sweep.end,
        frame: "base".into(),
        points: sweep.points.iter().map(|point| point.position).collect(),
        times: sweep.points.iter().map(|point| point.time).collect(),
        intensities: sweep.points.iter().map(|point| point.intensity).collect(),
    }
}

impl Pictures {
    /// Follows the map, if it has changed.
    pub fn follow(&mut self, mapper: &Mapper) {
        let (revision, base_in_map) = (mapper.revision(), mapper.localization().base_in_map);
        if (self.revision, self.base_in_map) != (revision, base_in_map) {
            (self.revision, self.base_in_map) = (revision, base_in_map);
            self.views = Sealed::new(mapper.views());
            self.surfels = Arc::new(mapper.surfels());
            self.graph = Arc::new(mapper.graph());
        }
    }

    /// Adds them to what is shown, once there are any.
    pub fn show(&self, telemetry: &mut Telemetry) {
        if self.revision > 0 {
            telemetry.layers.push(("surfels", Layer::Surfels(Arc::clone(&self.surfels))));
            telemetry.layers.push(("pose_graph", Layer::Graph(Arc::clone(&self.graph))));
        }
    }
}
