//! The physics world in bevy_rapier3d, as a shadow: built by the same `plant::spawn` as the simulation, moved to where
//! each frame says, never stepped. It serves what the pictures cannot: rays that find a link, and collision shapes.
//!
//! Four rules keep it quiet. (1) The plugin runs `Writeback` only. (2) Every body and collider carries its entity's bits,
//! since bevy_rapier3d calls `Entity::from_bits` on them, which panics on zero. (3) Bodies are fixed, and rapier's
//! `CollisionPipeline` refreshes the tree for rays; moving bodies would fail an assertion about islands. (4) The terrain's
//! collider is left out: a ray through the ground to a link is welcome, and its wire frame would hide all others.

use bevy::ecs::system::SystemParam;
use bevy::platform::collections::HashSet;
use bevy::prelude::*;
use bevy_rapier3d::plugin::{PhysicsSet, ReadRapierContext};
use bevy_rapier3d::prelude::{
    DebugRenderContext, DebugRenderMode, DebugRenderStyle, NoUserData, QueryFilter, RapierContextColliders,
    RapierContextEntityLink, RapierContextSimulation, RapierDebugRenderPlugin, RapierPhysicsPlugin,
    RapierRigidBodyHandle, RapierRigidBodySet,
};
use bevy_rapier3d::rapier;
use nalgebra::Isometry3;
use plant::{Frame, Owner, Setup, Spawned};
use rapier::prelude::{CollisionPipeline, RigidBodyHandle, RigidBodyType};
use robot_io::Pose2;

use crate::convert::{quat, vec3};
use crate::feed::{Latest, Phase};
use crate::stage::Shown;
use crate::{Scene, StationError};

/// Hosts the shadow world.
pub(crate) struct ShadowPlugin(pub(crate) Shadow);

/// The shadow world before it is in the context, and where its bodies belong.
#[derive(Resource, Clone)]
pub(crate) struct Shadow {
    spawned: Spawned,
    /// For each body of the robot one link that lies in it.
    carriers: Vec<(RigidBodyHandle, usize)>,
}

/// Whose collider an entity stands for.
#[derive(Component, Clone, Copy, Debug)]
pub(crate) struct ColliderOwner(Owner);

/// Finds links under the mouse.
#[derive(SystemParam)]
pub(crate) struct Picker<'w, 's> {
    context: ReadRapierContext<'w, 's>,
    owners: Query<'w, 's, &'static ColliderOwner>,
}

/// Colour of collision shapes: hue [°], saturation, lightness, opacity.
const WIRE: [f32; 4] = [140.0, 0.95, 0.55, 1.0];
/// Rays end here [m].
const FAR: f32 = 200.0;

impl Shadow {
    /// Builds the physics world of a scene, wherever the robot fits in: frames will move it.
    pub(crate) fn of(scene: &Scene) -> Result<Shadow, StationError> {
        let poses = &scene.robot.description.poses;
        let pose = poses.first().map_or_else(|| "zero".to_owned(), |pose| pose.name.clone());
        let ((x_min, x_max), (y_min, y_max)) = scene.world.terrain.extent();
        let starts = scene.world.spawns.iter().map(|spawn| Pose2 { x: spawn.x, y: spawn.y, yaw: spawn.yaw });
        let middle = Pose2 { x: 0.5 * (x_min + x_max), y: 0.5 * (y_min + y_max), yaw: 0.0 };
        let attempt =
            |spawn| plant::spawn(&scene.world, &scene.robot, &Setup { spawn, pose: pose.clone(), ..Setup::default() });
        let found = starts.map(attempt).find(Result::is_ok).unwrap_or_else(|| attempt(middle));
        let spawned = found.map_err(|error| StationError::Shadow(error.to_string()))?;
        let carrier = |body: &RigidBodyHandle| {
            let link = spawned.links.iter().position(|place| place.body == *body)?;
            Some((*body, link))
        };
        let carriers = spawned.robot_bodies.iter().filter_map(carrier).collect();
        Ok(Shadow { spawned, carriers })
    }

    /// Poses of all bodies in a frame.
    fn poses<'a>(&'a self, frame: &'a Frame) -> impl Iterator<Item = (RigidBodyHandle, Isometry3<f64>)> + 'a {
        let robot = self.carriers.iter().filter_map(|&(body, link)| {
            let link_in_world = frame.links_in_world.get(link)?;
            Some((body, link_in_world * self.spawned.links[link].pose_in_body.inverse()))
        });
        robot.chain(self.spawned.objects.iter().copied().zip(frame.objects_in_world.iter().copied()))
    }
}

impl Picker<'_, '_> {
    /// The first link on a ray and its distance [m].
    pub(crate) fn link_at(&self, ray: Ray3d) -> Option<(usize, f32)> {
        let context = self.context.single().ok()?;
        let (entity, distance) = context.cast_ray(ray.origin, *ray.direction, FAR, true, QueryFilter::default())?;
        match self.owners.get(entity).ok()?.0 {
            Owner::Link(link) => Some((link, distance)),
            Owner::Terrain | Owner::Object(_) => None,
        }
    }
}

impl Plugin for ShadowPlugin {
    fn build(&self, app: &mut App) {
        let writeback_only = HashSet::from_iter([PhysicsSet::Writeback]);
        let style = DebugRenderStyle { collider_fixed_color: WIRE, ..DebugRenderStyle::default() };
        let shapes = RapierDebugRenderPlugin { mode: DebugRenderMode::COLLIDER_SHAPES, style, ..default() };
        app.add_plugins(RapierPhysicsPlugin::<NoUserData>::default().with_physics_sets_systems(writeback_only))
            .add_plugins(shapes.disabled())
            .insert_resource(self.0.clone())
            .add_systems(Startup, enter)
            .add_systems(Update, (move_bodies, switch_shapes).in_set(Phase::Move));
    }
}

/// Puts the world into the context, each body and collider with an entity of its own.
fn enter(
    mut commands: Commands,
    shadow: Res<Shadow>,
    context: Single<(Entity, &mut RapierRigidBodySet, &mut RapierContextColliders), With<RapierContextSimulation>>,
) {
    let (context, mut bodies, mut colliders) = context.into_inner();
    let mut spawned = shadow.spawned.clone();
    for (handle, body) in spawned.bodies.iter_mut() {
        body.set_body_type(RigidBodyType::Fixed, false);
        let link = RapierContextEntityLink(context);
        let parts = (bevy_rapier3d::prelude::RigidBody::Fixed, RapierRigidBodyHandle(handle), link);
        body.user_data = u128::from(commands.spawn((parts, Transform::IDENTITY)).id().to_bits());
    }
    let owners = &spawned.owners;
    for (handle, collider) in spawned.colliders.iter_mut() {
        let (number, _) = handle.into_raw_parts();
        let owner = owners.get(number as usize).copied().unwrap_or(Owner::Terrain);
        collider.user_data = u128::from(commands.spawn(ColliderOwner(owner)).id().to_bits());
    }
    let terrain = spawned.terrain;
    spawned.colliders.remove(terrain, &mut rapier::prelude::IslandManager::new(), &mut spawned.bodies, false);
    bodies.bodies = spawned.bodies;
    colliders.colliders = spawned.colliders;
}

/// Moves the bodies to where the frame says and refreshes the tree for rays.
fn move_bodies(
    latest: Res<Latest>,
    shadow: Res<Shadow>,
    mut pipeline: Local<CollisionPipeline>,
    context: Single<(&mut RapierContextSimulation, &mut RapierRigidBodySet, &mut RapierContextColliders)>,
) {
    let Some(shown) = latest.news() else { return };
    let (mut simulation, mut bodies, mut colliders) = context.into_inner();
    for (handle, pose) in shadow.poses(&shown.frame) {
        if let Some(body) = bodies.bodies.get_mut(handle) {
            let (place, turn) = (vec3(&pose.translation.vector), quat(&pose.rotation));
            body.set_position(rapier::math::Pose::from_parts(place, turn), false);
        }
    }
    let RapierContextSimulation { islands, broad_phase, narrow_phase, .. } = &mut *simulation;
    pipeline.step(0.0, islands, broad_phase, narrow_phase, &mut bodies.bodies, &mut colliders.colliders, &(), &());
}

fn switch_shapes(shown: Res<Shown>, mut shapes: ResMut<DebugRenderContext>) {
    if shapes.enabled != shown.0.collision_shapes {
        shapes.enabled = shown.0.collision_shapes;
    }
}
