//! What is around an arm, for collision checks.

use manipulation::{Held, Object, Role, Scene, Surroundings};
use nalgebra::Isometry3;
use robot_io::{ShortName, State};

use crate::known::Known;
use crate::setup::Body;

/// An object of a held object's model that is so near to it is that object, seen in the hand [m].
const SAME: f64 = 0.12;

/// Something in a hand.
#[derive(Clone, Copy, Debug, PartialEq, State)]
pub(super) struct HeldThing {
    /// Its model.
    pub model: ShortName,
    /// Its identity among what is known.
    pub id: u64,
    /// It, in the frame of the hand's link [m].
    pub pose_in_hand: Isometry3<f64>,
}

/// What an arm may touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
pub(super) enum Touch {
    /// Nothing.
    #[default]
    Nothing,
    /// With its hand the object of this identity.
    Object(u64),
    /// Everything: only the robot itself is minded.
    Anything,
    /// The same, and what the hand holds hangs on something else: it is not carried along.
    Hinged,
    /// What hangs on the object of this identity, which may turn, by its grips only: beside the robot itself the rest of the object is minded.
    Grip(u64),
}

/// What is known, as collision checks want it; `held` has for each arm what its hand holds, and where that link is.
pub(super) fn scene(
    body: &Body,
    known: &Known,
    held: &[(Option<HeldThing>, Isometry3<f64>)],
    (arm, touch): (usize, Touch),
) -> Result<Scene, manipulation::ManipulationError> {
    let mut scene = Scene::default();
    let hands = || held.iter().enumerate();
    for (place, (setup, (held, _))) in body.arms.iter().zip(held).enumerate() {
        let is_hinged = touch == Touch::Hinged && place == arm;
        let Some(held) = held.filter(|_| !is_hinged) else { continue };
        let is_of_others = |(other, (thing, _)): &(usize, &(Option<HeldThing>, _))| {
            *other != place && thing.is_some_and(|thing| thing.id == held.id)
        };
        let other = hands().find(is_of_others).map(|(other, _)| other);
        if other.is_some_and(|other| other < place) {
            // the first of the hands that hold it carries it
            continue;
        }
        let coming = (touch == Touch::Object(held.id) && place != arm).then_some(arm);
        let also = other.or(coming).map(|hand| body.arms[hand].link);
        for (part, solid) in body.thing(&held.model).into_iter().flat_map(|thing| thing.solids.iter().enumerate()) {
            let name = format!("{} in {} ({part})", held.model, setup.name);
            scene.add(Object::obstacle(&name, solid.solid, Isometry3::identity()))?;
            scene.attach(&name, Held { link: setup.link, pose_in_link: held.pose_in_hand * solid.pose, also })?;
        }
    }
    if let Touch::Grip(id) = touch {
        for object in known.objects.iter().filter(|object| object.id == id) {
            let solids = body.thing(&object.model).into_iter().flat_map(|thing| thing.beside_grips.iter().enumerate());
            for (part, solid) in solids {
                let name = format!("{} {id} ({part})", object.model);
                scene.add(Object::obstacle(&name, solid.solid, object.pose_in_odom * solid.pose))?;
            }
        }
    }
    if matches!(touch, Touch::Anything | Touch::Hinged | Touch::Grip(_)) {
        return Ok(scene);
    }
    for object in known.objects.iter().filter(|object| object.is_confirmed) {
        let is_held =
            held.iter().filter_map(|(held, hand)| held.as_ref().map(|held| (held, hand))).any(|(held, hand)| {
                let there = (hand * held.pose_in_hand).translation.vector;
                let far = (object.pose_in_odom.translation.vector - there).norm();
                held.id == object.id || (held.model == object.model && far < SAME)
            });
        if is_held {
            continue;
        }
        for (part, solid) in body.thing(&object.model).into_iter().flat_map(|thing| thing.solids.iter().enumerate()) {
            let name = format!("{} {} ({part})", object.model, object.id);
            scene.add(Object::obstacle(&name, solid.solid, object.pose_in_odom * solid.pose))?;
            if touch == Touch::Object(object.id) {
                scene.set_role(&name, Role::Target { hand: body.arms[arm].link })?;
            }
        }
    }
    if !known.surroundings.is_empty() {
        scene.surround(Surroundings::Cloud(body.clouds.of(&known.surroundings)?))?;
    }
    Ok(scene)
}

impl Default for HeldThing {
    fn default() -> Self {
        HeldThing { model: ShortName::default(), id: 0, pose_in_hand: Isometry3::identity() }
    }
}
