//! The collision shapes in bevy_rapier3d, as a shadow: the same that the simulation has, moved to where
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
use nalgebra::Isometry3;
use plant::{CollisionShape, Frame, Owner};
use rapier3d::prelude::{ColliderBuilder, CollisionPipeline, Pose, RigidBodyBuilder, RigidBodyHandle};

use crate::convert::{quat, vec3};
use crate::feed::{Latest, Phase};
use crate::stage::Shown;
use crate::{Scene, StationError};

/// Hosts the shadow world.
pub(crate) struct ShadowPlugin(pub(crate) Shadow);

/// The shapes of links and objects before they are in the context.
#[derive(Resource, Clone)]
pub(crate) struct Shadow(Vec<CollisionShape>);

/// For each shape the body that carries it.
#[derive(Resource, Default)]
struct Bodies(Vec<(RigidBodyHandle, Owner)>);

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
    /// The shapes of a scene: frames will move them.
    pub(crate) fn of(scene: &Scene) -> Result<Shadow, StationError> {
        let shapes = plant::collision_shapes(&scene.world, &scene.robot);
        let mut shapes = shapes.map_err(|error| StationError::Shadow(error.to_string()))?;
        shapes.retain(|shape| shape.owner != Owner::Terrain);
        Ok(Shadow(shapes))
    }
}

/// Where an owner is in a frame.
fn place_of(owner: Owner, frame: &Frame) -> Option<&Isometry3<f64>> {
    match owner {
        Owner::Link(link) => frame.links_in_world.get(link),
        Owner::Object(object) => frame.objects_in_world.get(object),
        Owner::Terrain => None,
    }
}

fn pose(pose: &Isometry3<f64>) -> Pose {
    Pose::from_parts(vec3(&pose.translation.vector), quat(&pose.rotation))
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
            .init_resource::<Bodies>()
            .add_systems(Startup, enter)
            .add_systems(Update, (move_bodies, switch_shapes).in_set(Phase::Move));
    }
}

/// Puts the shapes into the context, each on a body of its own, both with an entity.
fn enter(
    mut commands: Commands,
    shadow: Res<Shadow>,
    mut placed: ResMut<Bodies>,
    context: Single<(Entity, &mut RapierRigidBodySet, &mut RapierContextColliders), With<RapierContextSimulation>>,
) {
    let (context, mut bodies, mut colliders) = context.into_inner();
    for CollisionShape { owner, shape, pose_in_owner } in &shadow.0 {
        let entity = commands.spawn(ColliderOwner(*owner)).id();
        let body = commands.spawn((bevy_rapier3d::prelude::RigidBody::Fixed, Transform::IDENTITY)).id();
        let handle = bodies.bodies.insert(RigidBodyBuilder::fixed().user_data(u128::from(body.to_bits())));
        commands.entity(body).insert((RapierRigidBodyHandle(handle), RapierContextEntityLink(context)));
        let collider = ColliderBuilder::new(shape.clone()).position(pose(pose_in_owner));
        let collider = collider.user_data(u128::from(entity.to_bits()));
        colliders.colliders.insert_with_parent(collider, handle, &mut bodies.bodies);
        placed.0.push((handle, *owner));
    }
}

/// Moves the bodies to where the frame says and refreshes the tree for rays.
fn move_bodies(
    latest: Res<Latest>,
    placed: Res<Bodies>,
    mut pipeline: Local<CollisionPipeline>,
    context: Single<(&mut RapierContextSimulation, &mut RapierRigidBodySet, &mut RapierContextColliders)>,
) {
    let Some(shown) = latest.news() else { return };
    let (mut simulation, mut bodies, mut colliders) = context.into_inner();
    for &(handle, owner) in &placed.0 {
        if let (Some(body), Some(place)) = (bodies.bodies.get_mut(handle), place_of(owner, &shown.frame)) {
            body.set_position(pose(place), false);
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
