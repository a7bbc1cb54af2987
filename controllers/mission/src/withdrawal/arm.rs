//! An arm with skin: which patches it has, which joints draw it back, and which are its fingers.

use nalgebra::{Point3, Unit, Vector3};
use robot_io::{Commands, Readings, RobotLayout, State};
use robot_model::description::Limb;
use robot_model::{Data, RobotModel, Tree};

use super::course::{Course, Joint, Stage};
use super::law::{Field, Touch, together, withdrawal};
use crate::posture::Posture;
use crate::withdrawal_settings::{LawSettings, WithdrawalSettings};

/// So many joints of an arm are drawn on at most: more than arms have.
const MOST_JOINTS: usize = 64;

/// A patch of its skin.
#[derive(Clone, Debug)]
pub(super) struct Patch {
    pub name: String,
    /// Among the layout's contacts.
    contact: usize,
    link: usize,
    middle_in_link: Point3<f64>,
    out_in_link: Unit<Vector3<f64>>,
    /// On the hand, beyond the arm's last joint.
    of_hand: bool,
}

/// An arm.
#[derive(Clone, Debug, State)]
pub(super) struct Arm {
    #[state(fixed)]
    pub name: String,
    #[state(fixed)]
    pub joints: Vec<Joint>,
    #[state(fixed)]
    pub patches: Vec<Patch>,
    /// Joints beyond its own.
    #[state(fixed)]
    fingers: Vec<usize>,
    pub course: Course,
    /// The link that was touched last, and where, in its frame [m].
    pub link: usize,
    pub touched_in_link: Vector3<f64>,
}

/// What an arm feels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Felt {
    /// The patch that feels most.
    pub patch: usize,
    /// All touches as one, in the base frame.
    pub touch: Touch,
    /// Where that draws the arm to [m].
    pub way: Vector3<f64>,
}

/// Whether a link hangs on another one, or is it.
fn hangs(tree: &Tree, link: usize, on: usize) -> bool {
    core::iter::successors(Some(link), |link| tree.links[*link].parent).any(|link| link == on)
}

impl Arm {
    /// Of a limb with an end that carries nothing, if some of the layout's patches are on it.
    pub fn new(model: &RobotModel, layout: &RobotLayout, limb: &Limb) -> Option<Arm> {
        let (tree, description) = (&model.tree, &model.description);
        let posture = Posture::new(model);
        let is_free = |joint: &&usize| posture.joint(**joint).is_some();
        let joints: Vec<usize> = limb.joints.iter().filter(is_free).copied().take(MOST_JOINTS).collect();
        limb.end_effector?;
        let link_of = |joint: usize| tree.joints[joint].link;
        let (first, last) = (link_of(*joints.first()?), link_of(*joints.last()?));
        let patches = description.skin.iter().filter(|patch| hangs(tree, patch.link, first)).filter_map(|patch| {
            let contact = layout.contacts.iter().position(|contact| contact.name == patch.name)?;
            Some(Patch {
                name: patch.name.clone(),
                contact,
                link: patch.link,
                middle_in_link: patch.middle_in_link,
                out_in_link: patch.out_in_link,
                of_hand: hangs(tree, patch.link, last),
            })
        });
        let patches: Vec<Patch> = patches.collect();
        if patches.is_empty() {
            return None;
        }
        let is_finger = |joint: &usize| !joints.contains(joint) && hangs(tree, link_of(*joint), last);
        let fingers = posture.joints().iter().map(|joint| joint.index()).filter(is_finger).collect();
        let of_layout = |index: &usize| {
            let limits = &layout.joints[*index].limits;
            Joint { index: *index, range: [limits.lower, limits.upper], speed: limits.velocity }
        };
        Some(Arm {
            name: limb.name.clone(),
            course: Course::new(joints.len()),
            joints: joints.iter().map(of_layout).collect(),
            patches,
            fingers,
            link: last,
            touched_in_link: Vector3::zeros(),
        })
    }

    /// Whether some of its patches say that they are touched.
    pub fn is_touched(&self, readings: &Readings) -> bool {
        self.patches.iter().any(|patch| readings.contacts[patch.contact].touching)
    }

    /// The strongest force on any of its patches [N].
    pub fn strongest(&self, readings: &Readings) -> f64 {
        self.patches.iter().map(|patch| readings.contacts[patch.contact].force).fold(0.0, f64::max)
    }

    /// Whether its hand holds something: a finger does not get to where it is told to be.
    pub fn grips(&self, readings: &Readings, commands: &Commands, grip: f64) -> bool {
        self.fingers.iter().any(|finger| {
            let command = &commands.joints[*finger];
            command.stiffness > 0.0 && (command.position - readings.joints[*finger].position).abs() > grip
        })
    }

    /// What it feels that shall draw it back; `data` has the links in the base frame.
    pub fn feel(&self, readings: &Readings, data: &Data, grips: bool, settings: &WithdrawalSettings) -> Option<Felt> {
        let force = |patch: &Patch| {
            let contact = &readings.contacts[patch.contact];
            if contact.touching && !(grips && patch.of_hand) { contact.force } else { 0.0 }
        };
        let middle = |patch: &Patch| data.link_in_base[patch.link] * patch.middle_in_link;
        let out = |patch: &Patch| data.link_in_base[patch.link].rotation * patch.out_in_link;
        let touches = self.patches.iter().map(|patch| {
            let (at, force, out) = (middle(patch), force(patch), *out(patch));
            Touch { at, force, out }
        });
        let touch = together(touches.filter(|touch| touch.force > 0.0), settings.law.radius)?;
        let fields = self.patches.iter().map(|patch| Field { middle: middle(patch), out: out(patch) });
        let away = self.course.stage == Stage::Away;
        let threshold = if away { settings.release.min(settings.law.threshold) } else { settings.law.threshold };
        let way = withdrawal(&touch, fields, &LawSettings { threshold, ..settings.law })?;
        let strongest = (0..self.patches.len()).max_by(|one, other| {
            let [one, other] = [one, other].map(|patch| force(&self.patches[*patch]));
            one.total_cmp(&other)
        });
        Some(Felt { patch: strongest?, touch, way })
    }

    /// The arm is drawn back from what it feels.
    pub fn draw(&mut self, felt: &Felt, data: &Data, settings: &WithdrawalSettings) {
        self.link = self.patches[felt.patch].link;
        self.touched_in_link = data.link_in_base[self.link].inverse_transform_point(&felt.touch.at).coords;
        self.course.draw(&felt.way, settings);
    }
}
