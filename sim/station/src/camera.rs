//! Where one looks from: around a point, or around the robot wherever it goes.

use std::f32::consts::FRAC_PI_2;

use bevy::prelude::*;
use bevy_panorbit_camera::{PanOrbitCamera, PanOrbitCameraPlugin};
use plant::Frame;

use crate::CameraPose;
use crate::convert::vec3;
use crate::feed::{Latest, Phase};
use crate::graphics::Quality;
use crate::scenery;

/// The window's camera; its start is given.
pub(crate) struct CameraPlugin(pub(crate) CameraPose);

/// Does the camera go with the robot?
#[derive(Resource, Clone, Copy, Debug)]
pub(crate) struct Follow {
    pub(crate) on: bool,
    /// Middle of the robot relative to its base, as the first frame had it, along the world's axes.
    middle: Option<Vec3>,
}

/// The camera's start, to come back to.
#[derive(Resource, Clone, Copy, Debug)]
struct Home(CameraPose);

/// Marks the camera that shows the world, in contrast to the one that shows the panels.
#[derive(Component)]
pub(crate) struct WorldCamera;

/// Angles and distance of an orbit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Orbit {
    /// What is looked at [m].
    pub(crate) focus: Vec3,
    /// Counter-clockwise from the world's +x [rad].
    pub(crate) azimuth: f32,
    /// Above the horizon [rad].
    pub(crate) elevation: f32,
    /// Distance of the eye [m].
    pub(crate) distance: f32,
}

impl Orbit {
    /// The orbit that a pose means while the robot's middle is at `middle`.
    pub(crate) fn of(pose: CameraPose, middle: Vec3) -> Orbit {
        match pose {
            CameraPose::Robot { azimuth, elevation, distance } => {
                Orbit { focus: middle, azimuth: azimuth as f32, elevation: elevation as f32, distance: distance as f32 }
            }
            CameraPose::Fixed { eye_in_world, target_in_world } => {
                let focus = vec3(&target_in_world);
                let ray = vec3(&eye_in_world) - focus;
                let distance = ray.length().max(0.05);
                let azimuth = ray.y.atan2(ray.x);
                Orbit { focus, azimuth, elevation: (ray.z / distance).asin(), distance }
            }
        }
    }

    /// Where the eye is and how it looks, Z up.
    pub(crate) fn transform(&self) -> Transform {
        let level = Vec2::from_angle(self.azimuth) * self.elevation.cos();
        let eye = self.focus + self.distance * level.extend(self.elevation.sin());
        Transform::from_translation(eye).looking_at(self.focus, Vec3::Z)
    }
}

/// Middle of the box around all links' origins.
pub(crate) fn middle_of(frame: &Frame) -> Vec3 {
    let origins = || frame.links_in_world.iter().map(|pose| vec3(&pose.translation.vector));
    let low = origins().reduce(Vec3::min).unwrap_or_default();
    let high = origins().reduce(Vec3::max).unwrap_or_default();
    0.5 * (low + high)
}

impl Plugin for CameraPlugin {
    fn build(&self, app: &mut App) {
        let on = matches!(self.0, CameraPose::Robot { .. });
        app.add_plugins(PanOrbitCameraPlugin)
            .insert_resource(Home(self.0))
            .insert_resource(Follow { on, middle: None })
            .add_systems(Startup, spawn_camera)
            .add_systems(Update, follow.in_set(Phase::Move));
    }
}

/// Back to where one looked from at first.
pub(crate) fn go_home(world: &mut World) {
    let Home(pose) = *world.resource::<Home>();
    let middle = world.resource::<Latest>().shown.as_ref().map_or(Vec3::ZERO, |shown| middle_of(&shown.frame));
    let orbit = Orbit::of(pose, middle);
    let mut cameras = world.query::<&mut PanOrbitCamera>();
    for mut camera in cameras.iter_mut(world) {
        camera.target_focus = orbit.focus;
        camera.target_yaw = yaw(orbit.azimuth);
        camera.target_pitch = pitch(orbit.elevation);
        camera.target_radius = orbit.distance;
        camera.force_update = true;
    }
    world.resource_mut::<Follow>().on = matches!(pose, CameraPose::Robot { .. });
}

fn spawn_camera(mut commands: Commands, home: Res<Home>, quality: Res<Quality>, mut images: ResMut<Assets<Image>>) {
    let orbit = Orbit::of(home.0, Vec3::ZERO);
    commands.spawn((
        Name::new("eye"),
        WorldCamera,
        scenery::eye(&mut images, *quality),
        orbit.transform(),
        PanOrbitCamera {
            axis: [Vec3::X, Vec3::Z, Vec3::Y],
            focus: orbit.focus,
            yaw: Some(yaw(orbit.azimuth)),
            pitch: Some(pitch(orbit.elevation)),
            radius: Some(orbit.distance),
            pitch_upper_limit: Some(-0.02),
            zoom_lower_limit: 0.15,
            zoom_upper_limit: Some(150.0),
            use_real_time: true,
            ..default()
        },
    ));
}

/// `PanOrbitCamera` with Z up starts above the focus and counts from −y.
fn yaw(azimuth: f32) -> f32 {
    azimuth + FRAC_PI_2
}

fn pitch(elevation: f32) -> f32 {
    elevation - FRAC_PI_2
}

fn follow(latest: Res<Latest>, mut follow: ResMut<Follow>, mut cameras: Query<&mut PanOrbitCamera>) {
    let Some(shown) = latest.news() else { return };
    let Some(base) = shown.frame.links_in_world.first().map(|pose| vec3(&pose.translation.vector)) else { return };
    let first = follow.middle.is_none();
    let middle = *follow.middle.get_or_insert_with(|| middle_of(&shown.frame) - base);
    if !follow.on {
        return;
    }
    for mut camera in &mut cameras {
        camera.target_focus = base + middle;
        camera.force_update = true;
        if first {
            camera.focus = camera.target_focus;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Isometry3, Vector3};

    #[test]
    fn a_fixed_pose_is_where_it_says() {
        let eye_in_world = Vector3::new(3.0, -4.0, 2.0);
        let pose = CameraPose::Fixed { eye_in_world, target_in_world: Vector3::new(0.0, 0.0, 0.5) };
        let place = Orbit::of(pose, Vec3::splat(9.0)).transform();
        assert!((place.translation - Vec3::new(3.0, -4.0, 2.0)).length() < 1e-5, "{place:?}");
        let to_target = (Vec3::new(0.0, 0.0, 0.5) - place.translation).normalize();
        assert!(place.forward().dot(to_target) > 0.99999);
        assert!(place.right().z.abs() < 1e-6, "the horizon is level");
    }

    #[test]
    fn around_the_robot_azimuth_counts_from_x_and_elevation_from_the_horizon() {
        let pose = CameraPose::Robot { azimuth: 0.0, elevation: 0.0, distance: 2.0 };
        let place = Orbit::of(pose, Vec3::new(1.0, 1.0, 1.0)).transform();
        assert!((place.translation - Vec3::new(3.0, 1.0, 1.0)).length() < 1e-6);
        let pose = CameraPose::Robot { azimuth: 0.5, elevation: 0.6, distance: 2.0 };
        let eye = Orbit::of(pose, Vec3::ZERO).transform().translation;
        assert!((eye.y.atan2(eye.x) - 0.5).abs() < 1e-5 && ((eye.z / 2.0).asin() - 0.6).abs() < 1e-5);
    }

    #[test]
    fn the_orbit_camera_means_the_same_angles() {
        let orbit = Orbit { focus: Vec3::new(0.3, 0.2, 0.1), azimuth: -0.75, elevation: 0.4, distance: 3.0 };
        // as bevy_panorbit_camera does it with the axes [X, Z, Y]
        let turn = Quat::from_rotation_z(yaw(orbit.azimuth)) * Quat::from_rotation_x(-pitch(orbit.elevation));
        let eye = orbit.focus + turn * Vec3::new(0.0, 0.0, orbit.distance);
        assert!((eye - orbit.transform().translation).length() < 1e-5);
    }

    #[test]
    fn the_middle_of_a_robot_lies_between_its_links() {
        let links_in_world = vec![Isometry3::translation(0.0, 0.0, 1.0), Isometry3::translation(2.0, -1.0, 0.0)];
        let frame = Frame { links_in_world, ..Frame::default() };
        assert_eq!(middle_of(&frame), Vec3::new(1.0, -0.5, 0.5));
    }
}
