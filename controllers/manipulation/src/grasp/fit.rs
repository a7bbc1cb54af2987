//! A hand held against an object: whether it gets there, where its fingers meet it, how good that is.

use nalgebra::{Isometry3, Point3, Translation3, Vector3};

use super::candidate::Candidate;
use super::hand::{Hand, SIDES};
use super::level::{LEVELS, Level};
use super::probe::Probe;
use super::settings::GraspSettings;
use super::shape::GraspObject;

/// What comes of a candidate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    /// The share at which the fingers are on the way there.
    pub preshape: f64,
    /// The shares at which the fingers of both sides meet the object.
    pub shares: [f64; 2],
    pub quality: f64,
}

/// What a side's fingers do at the object.
struct Contact {
    share: f64,
    /// The middle of what touches, in the frame in which grasps are planned.
    middle: Vector3<f64>,
    /// How far what touches spreads across the hand [m].
    spread: f64,
}

/// What is within this of the object where a finger meets it touches too [m]. Chosen: what fingers give way.
const TOUCHES: f64 = 2.5e-3;
/// On its approach the hand is looked at so far apart [m]; a hand is longer than that.
const LOOKS: f64 = 0.02;
/// The surfaces under a side's fingers face it by no less than this in the mean, as a cosine [1]. Chosen: 37°.
const SQUARE: f64 = 0.8;
/// Distances for the slope of a surface are so far apart [m].
const SLOPE: f64 = 1e-4;
/// The object may be so far beside the middle of the fingers [m]. Chosen: one side's fingers push it over.
const BESIDE: f64 = 5e-3;
/// What touches spreads over this part of the hand's breadth at least [1]. Chosen: more than one finger of two.
const SPREAD: f64 = 0.4;
/// How the quality is made of its parts: the arm on which the weight hangs, the spread of what touches, the palm's distance. Chosen.
const WEIGHTS: [f64; 3] = [0.4, 0.4, 0.2];
/// No weight on an arm longer than this counts as good [m], and no distance of the palm beyond this as better [m]. Chosen.
const ARM: f64 = 0.06;
const AWAY: f64 = 0.02;

/// What turns an object between the two sides, so much worse than what does not [1]. Chosen: it comes last.
const TURNS: f64 = 0.1;

/// Holds a hand against an object as a candidate has it. `None` where it cannot get there or does not hold.
pub(super) fn fit(hand: &Hand, object: &GraspObject, candidate: &Candidate, settings: &GraspSettings) -> Option<Fit> {
    let looker = Looker { object, pose: candidate.pose };
    let preshape = hand.share_for(candidate.thickness + 2.0 * (settings.room + settings.clearance));
    // at a level, on the side of open
    let open = (preshape * (LEVELS - 1) as f64 + 1e-9).floor() as usize;
    let level = &hand.levels[open];
    let palm = looker.nearest(&hand.palm, 0.0);
    if palm < settings.clearance || !looker.gets_there(hand, level, settings) {
        return None;
    }
    let contacts =
        |looker: &Looker| Some([looker.contact(hand, open, 0, settings)?, looker.contact(hand, open, 1, settings)?]);
    let [one, other] = contacts(&looker)?;
    let (upper, lower) = (hand.reach(0, one.share), hand.reach(1, other.share));
    if (0.5 * (upper + lower)).abs() > BESIDE {
        return None;
    }
    let mut spread = one.spread.min(other.spread);
    let off = settings.tolerance;
    for shift in [[-off, 0.0], [0.0, off], [0.0, -off]].into_iter().filter(|_| off > 0.0) {
        let elsewhere = Looker { object, pose: candidate.pose * Translation3::new(shift[0], shift[1], 0.0) };
        let [one, other] = contacts(&elsewhere)?;
        spread = spread.min(one.spread).min(other.spread);
    }
    let spread = spread / across(&level.sides[0]).min(across(&level.sides[1]));
    if spread < SPREAD {
        return None;
    }
    let middle = 0.5 * (one.middle + other.middle);
    let weight = candidate.pose.inverse_transform_point(&Point3::from(object.center_of_mass())).coords;
    let arm = weight - middle;
    let arm = (arm.x * arm.x + arm.y * arm.y).sqrt();
    let parts = [1.0 - (arm / ARM).min(1.0), spread.min(1.0), ((palm - settings.clearance) / AWAY).clamp(0.0, 1.0)];
    let quality: f64 = WEIGHTS.iter().zip(parts).map(|(weight, part)| weight * part).sum();
    let turns = !are_opposite(&(one.middle - other.middle), settings.slant);
    let quality = if turns { TURNS * quality } else { quality };
    Some(Fit { preshape: level.share, shares: [one.share, other.share], quality })
}

/// Whether the way from where one side touches to where the other does is turned from the opening direction by no more than an angle [rad]. Else
/// the two turn what is between them: what is held by two contacts is so along a line within the friction cones of both (Nguyen, "Constructing
/// force-closure grasps", 1988).
fn are_opposite(between: &Vector3<f64>, slant: f64) -> bool {
    libm::hypot(between.x, between.y) <= libm::tan(slant) * between.z.abs()
}

/// How far probes spread across the hand [m].
fn across(probes: &[Probe]) -> f64 {
    let places = || probes.iter().map(|probe| probe.center.y);
    places().fold(f64::NEG_INFINITY, f64::max) - places().fold(f64::INFINITY, f64::min)
}

/// An object seen from a hand.
struct Looker<'o> {
    object: &'o GraspObject,
    pose: Isometry3<f64>,
}

impl Looker<'_> {
    /// How far a probe is from the object [m], with the hand so far behind where it is to be [m].
    fn distance(&self, probe: &Probe, behind: f64) -> f64 {
        let center = Vector3::new(probe.center.x - behind, probe.center.y, probe.center.z);
        self.object.distance(&(self.pose * Point3::from(center)).coords) - probe.radius
    }

    fn nearest(&self, probes: &[Probe], behind: f64) -> f64 {
        probes.iter().map(|probe| self.distance(probe, behind)).fold(f64::INFINITY, f64::min)
    }

    /// Whether the hand with open fingers comes along its approach without touching.
    fn gets_there(&self, hand: &Hand, level: &Level, settings: &GraspSettings) -> bool {
        let steps = (settings.approach / LOOKS).ceil() as usize;
        (0..=steps).all(|step| {
            let behind = LOOKS * step as f64;
            let is_away = |probe: &Probe| self.distance(probe, behind) >= settings.clearance;
            let is_free = |probes: &[Probe]| probes.iter().all(is_away);
            level.sides.iter().all(|probes| is_free(probes)) && is_free(&hand.palm)
        })
    }

    /// Where the fingers of a side meet the object while they close from a level on. `None` if they do not, or on a slant.
    fn contact(&self, hand: &Hand, open: usize, side: usize, settings: &GraspSettings) -> Option<Contact> {
        let gap = |level: usize| self.nearest(&hand.levels[level].sides[side], 0.0);
        let (mut free, mut before) = (open, gap(open));
        // no finger goes farther from one level to the next than the longest step: so many levels are free
        let (met, after) = loop {
            let next = free + ((before / hand.step) as usize).max(1);
            let after = if next < LEVELS { gap(next) } else { return None };
            if after <= 0.0 {
                break (next, after);
            }
            (free, before) = (next, after);
        };
        let part = before / (before - after);
        let (level, next) = (&hand.levels[free], &hand.levels[met]);
        let nearer = if part < 0.5 { level } else { next };
        let gaps: Vec<(&Probe, f64)> =
            nearer.sides[side].iter().map(|probe| (probe, self.distance(probe, 0.0))).collect();
        let least = gaps.iter().map(|(_, gap)| *gap).fold(f64::INFINITY, f64::min);
        let touching = || gaps.iter().filter(|(_, gap)| *gap <= least + TOUCHES).map(|(probe, _)| probe.center);
        if !self.is_pressed(touching(), side, settings) {
            return None;
        }
        let number = touching().count() as f64;
        let middle = touching().sum::<Vector3<f64>>() / number;
        let most = touching().map(|place| place.y).fold(f64::NEG_INFINITY, f64::max);
        let spread = most - touching().map(|place| place.y).fold(f64::INFINITY, f64::min);
        Some(Contact { share: level.share + part * (next.share - level.share), middle, spread })
    }

    /// Whether the surfaces at points face the side from which fingers come to them: all together, as two fingers may press from both
    /// sides of what is round, and none much aside.
    fn is_pressed(&self, points: impl Iterator<Item = Vector3<f64>>, side: usize, settings: &GraspSettings) -> bool {
        let (mut sum, mut number) = (Vector3::zeros(), 0.0);
        for point in points {
            let center = (self.pose * Point3::from(point)).coords;
            let slope = Vector3::from_fn(|axis, _| {
                let step = Vector3::ith(axis, SLOPE);
                self.object.distance(&(center + step)) - self.object.distance(&(center - step))
            });
            sum += slope.try_normalize(0.0).unwrap_or_default();
            number += 1.0;
        }
        let outwards = (self.pose.rotation * Vector3::new(0.0, 0.0, SIDES[side])).dot(&sum);
        outwards >= libm::cos(settings.slant) * sum.norm() && outwards >= SQUARE * number && number > 0.0
    }
}
