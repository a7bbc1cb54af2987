//! Ctrl and the left button on a body pull at it with a spring.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_egui::input::EguiWantsInput;
use bevy_panorbit_camera::PanOrbitCamera;
use nalgebra::Vector3;

use crate::Request;
use crate::camera::WorldCamera;
use crate::convert::{transform, vector3};
use crate::feed::{Latest, Outbox, Phase};
use crate::overlays::{OnTop, ink};
use crate::shadow::Picker;
use crate::stage::Stage;

/// Pulls at bodies.
pub(super) struct PullPlugin;

/// What is held, if anything.
#[derive(Resource, Default, Debug)]
struct Grip(Option<Held>);

#[derive(Clone, Copy, Debug)]
struct Held {
    link: usize,
    point_in_link: Vec3,
    /// Where the hand is [m].
    hand: Vec3,
}

/// The mouse and what is under it.
#[derive(SystemParam)]
struct Mouse<'w, 's> {
    buttons: Res<'w, ButtonInput<MouseButton>>,
    egui: Res<'w, EguiWantsInput>,
    windows: Query<'w, 's, &'static Window, With<PrimaryWindow>>,
    cameras: Query<'w, 's, (&'static Camera, &'static GlobalTransform), With<WorldCamera>>,
}

/// Stiffness of the spring for each kilogramme of the robot [N/m/kg].
const STIFFNESS_PER_MASS: f64 = 8.0;
/// The strongest pull, in parts of the robot's weight [1].
const STRONGEST: f64 = 1.0;
const SPRING: Color = ink(1.0, 0.30, 0.85);

/// Force of the hand's spring on the body [N].
pub(crate) fn spring_force(grip: Vec3, hand: Vec3, mass: f64, gravity: f64) -> Vector3<f64> {
    let force = vector3(hand - grip) * (STIFFNESS_PER_MASS * mass);
    let limit = STRONGEST * mass * gravity;
    if force.norm() > limit { force.normalize() * limit } else { force }
}

impl Plugin for PullPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Grip>()
            .add_systems(Update, (grab, pull).chain().in_set(Phase::Input))
            .add_systems(Update, (free_camera.in_set(Phase::Input).after(grab), draw.in_set(Phase::Draw)));
    }
}

impl Mouse<'_, '_> {
    /// The ray under the cursor and the direction in which the camera looks.
    fn ray(&self) -> Option<(Ray3d, Dir3)> {
        let cursor = self.windows.single().ok()?.cursor_position()?;
        let (camera, place) = self.cameras.single().ok()?;
        Some((camera.viewport_to_world(place, cursor).ok()?, place.forward()))
    }
}

fn grab(mouse: Mouse, keys: Res<ButtonInput<KeyCode>>, picker: Picker, latest: Res<Latest>, mut grip: ResMut<Grip>) {
    let control = keys.any_pressed([KeyCode::ControlLeft, KeyCode::ControlRight]);
    if !control || !mouse.buttons.just_pressed(MouseButton::Left) || mouse.egui.wants_any_pointer_input() {
        return;
    }
    let Some((ray, _)) = mouse.ray() else { return };
    let Some((link, distance)) = picker.link_at(ray) else { return };
    let Some(pose) = latest.shown.as_ref().and_then(|shown| shown.frame.links_in_world.get(link)) else { return };
    let hand = ray.get_point(distance);
    let point_in_link = transform(pose).compute_affine().inverse().transform_point3(hand);
    grip.0 = Some(Held { link, point_in_link, hand });
}

fn pull(mouse: Mouse, latest: Res<Latest>, stage: Res<Stage>, outbox: Res<Outbox>, mut grip: ResMut<Grip>) {
    let Some(held) = &mut grip.0 else { return };
    if !mouse.buttons.pressed(MouseButton::Left) {
        grip.0 = None;
        outbox.send(Request::Release);
        return;
    }
    let Some(point) = point_of(held, &latest) else { return };
    if let Some((ray, ahead)) = mouse.ray()
        && let Some(distance) = ray.intersect_plane(point, InfinitePlane3d::new(ahead))
    {
        held.hand = ray.get_point(distance);
    }
    let (mass, gravity) = (stage.scene.robot.tree.mass(), stage.scene.world.gravity);
    let force_in_world = spring_force(point, held.hand, mass, gravity);
    outbox.send(Request::Pull { link: held.link, point_in_link: vector3(held.point_in_link), force_in_world });
}

/// The camera rests while one pulls or while the mouse is over a panel.
fn free_camera(grip: Res<Grip>, egui: Res<EguiWantsInput>, mut cameras: Query<&mut PanOrbitCamera>) {
    let free = grip.0.is_none() && !egui.wants_any_pointer_input();
    for mut camera in &mut cameras {
        if camera.enabled != free {
            camera.enabled = free;
        }
    }
}

fn draw(grip: Res<Grip>, latest: Res<Latest>, stage: Res<Stage>, mut lines: Gizmos<OnTop>) {
    let Some(held) = &grip.0 else { return };
    let Some(point) = point_of(held, &latest) else { return };
    let mass = stage.scene.robot.tree.mass();
    let force = spring_force(point, held.hand, mass, stage.scene.world.gravity);
    let strain = (force.norm() / (mass * stage.scene.world.gravity).max(1.0)) as f32;
    lines.sphere(point, 0.02, SPRING).resolution(12);
    lines.arrow(point, held.hand, SPRING.mix(&ink(1.0, 0.1, 0.1), strain)).with_tip_length(0.06);
}

fn point_of(held: &Held, latest: &Latest) -> Option<Vec3> {
    let pose = latest.shown.as_ref()?.frame.links_in_world.get(held.link)?;
    Some(transform(pose) * held.point_in_link)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spring_pulls_towards_the_hand_and_no_harder_than_the_weight() {
        let force = spring_force(Vec3::ZERO, Vec3::new(0.1, 0.0, 0.0), 50.0, 10.0);
        assert!((force - Vector3::new(40.0, 0.0, 0.0)).norm() < 1e-4, "{force}");
        let far = spring_force(Vec3::ZERO, Vec3::new(0.0, 90.0, 0.0), 50.0, 10.0);
        assert!((far - Vector3::new(0.0, 500.0, 0.0)).norm() < 1e-3, "{far}");
        assert_eq!(spring_force(Vec3::ONE, Vec3::ONE, 50.0, 10.0), Vector3::zeros());
    }
}
