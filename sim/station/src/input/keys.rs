//! One table of keys: it is obeyed, tested, and shown as help.

use bevy::prelude::*;
use bevy_egui::input::EguiWantsInput;
use robot_io::{OperatorInput, OperatorRequest};

use crate::camera::{Follow, go_home};
use crate::capture::Capture;
use crate::feed::{Latest, Outbox, Phase};
use crate::stage::Shown;
use crate::{Overlays, Playback, Request};

/// Obeys single keys.
pub(super) struct KeysPlugin;

/// Are the keys explained on the screen? Is the side panel open?
#[derive(Resource, Clone, Copy, Debug)]
pub(crate) struct KeyHelp {
    pub(crate) help: bool,
    pub(crate) panel: bool,
}

/// A key and what it does.
#[derive(Clone, Copy, Debug)]
pub struct KeyBinding {
    /// The key.
    pub key: KeyCode,
    /// What is printed on it.
    pub label: &'static str,
    /// What it does.
    pub action: Action,
    /// What it does, in words.
    pub help: &'static str,
}

/// What a single key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Time goes on or stands still.
    PlayPause,
    /// One cycle on.
    Step,
    /// Twice as fast.
    Faster,
    /// Half as fast.
    Slower,
    /// The robot stops at once.
    EmergencyStop,
    /// The robot may move again.
    ClearStop,
    /// The mission pauses; time goes on.
    PauseMission,
    /// The mission goes on.
    ResumeMission,
    /// The run begins again as it began.
    Restart,
    /// The run begins again with the next seed.
    NextSeed,
    /// A picture of the window.
    Picture,
    /// A film of the window begins or ends.
    Film,
    /// The camera goes with the robot or stays.
    Follow,
    /// The camera goes back to its start.
    Home,
    /// Shows or hides an overlay.
    Overlay(Overlay),
    /// Shows or hides the side panel.
    Panel,
    /// Shows or hides the keys.
    Help,
}

/// The overlays, to be named one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are the fields of Overlays")]
pub enum Overlay {
    CollisionShapes,
    JointAxes,
    ContactForces,
    CentreOfMass,
    SupportPolygon,
    BalancePoints,
    Footsteps,
    ContactWrenches,
    PlannedPath,
    Goal,
    Trail,
    Odometry,
    Frames,
    Cloud,
    Surfels,
    PoseGraph,
    HeightMap,
    CostMap,
    Navigation,
}

/// All keys that act when pressed; steering keys are held down and stand in `teleop`.
pub const KEYS: &[KeyBinding] = &[
    bind(KeyCode::Space, "Space", Action::EmergencyStop, "emergency stop"),
    bind(KeyCode::Backspace, "Backspace", Action::ClearStop, "clear the emergency stop"),
    bind(KeyCode::KeyP, "P", Action::PlayPause, "play or pause time"),
    bind(KeyCode::Period, ".", Action::Step, "one cycle on"),
    bind(KeyCode::BracketRight, "]", Action::Faster, "twice as fast"),
    bind(KeyCode::BracketLeft, "[", Action::Slower, "half as fast"),
    bind(KeyCode::KeyM, "M", Action::PauseMission, "pause the mission, time goes on"),
    bind(KeyCode::KeyR, "R", Action::ResumeMission, "resume the mission"),
    bind(KeyCode::F5, "F5", Action::Restart, "begin again: the same run, the same seed"),
    bind(KeyCode::F6, "F6", Action::NextSeed, "begin again with the next seed"),
    bind(KeyCode::F9, "F9", Action::Film, "begin or end a film of the window"),
    bind(KeyCode::F12, "F12", Action::Picture, "picture of the window"),
    bind(KeyCode::KeyF, "F", Action::Follow, "camera follows the robot or stays"),
    bind(KeyCode::KeyC, "C", Action::Home, "camera back to its start"),
    bind(KeyCode::Digit1, "1", Action::Overlay(Overlay::CollisionShapes), "collision shapes"),
    bind(KeyCode::Digit2, "2", Action::Overlay(Overlay::JointAxes), "joint axes"),
    bind(KeyCode::Digit3, "3", Action::Overlay(Overlay::ContactForces), "contact forces"),
    bind(KeyCode::Digit4, "4", Action::Overlay(Overlay::CentreOfMass), "centre of mass"),
    bind(KeyCode::Digit5, "5", Action::Overlay(Overlay::SupportPolygon), "support polygon and margin"),
    bind(KeyCode::KeyB, "B", Action::Overlay(Overlay::BalancePoints), "balance: capture point, ZMP"),
    bind(KeyCode::KeyJ, "J", Action::Overlay(Overlay::Footsteps), "footsteps"),
    bind(KeyCode::KeyK, "K", Action::Overlay(Overlay::ContactWrenches), "contact wrenches"),
    bind(KeyCode::Digit6, "6", Action::Overlay(Overlay::PlannedPath), "planned path"),
    bind(KeyCode::Digit7, "7", Action::Overlay(Overlay::Goal), "goal"),
    bind(KeyCode::Digit8, "8", Action::Overlay(Overlay::Trail), "driven path"),
    bind(KeyCode::Digit9, "9", Action::Overlay(Overlay::Odometry), "where the robot believes it is"),
    bind(KeyCode::Digit0, "0", Action::Overlay(Overlay::Frames), "frames of all links"),
    bind(KeyCode::KeyL, "L", Action::Overlay(Overlay::Cloud), "laser's last turn"),
    bind(KeyCode::KeyU, "U", Action::Overlay(Overlay::Surfels), "surfels"),
    bind(KeyCode::KeyG, "G", Action::Overlay(Overlay::PoseGraph), "key views and graph"),
    bind(KeyCode::KeyT, "T", Action::Overlay(Overlay::HeightMap), "terrain: height map"),
    bind(KeyCode::KeyO, "O", Action::Overlay(Overlay::CostMap), "cost map"),
    bind(KeyCode::KeyN, "N", Action::Overlay(Overlay::Navigation), "plans, footprint, goals"),
    bind(KeyCode::Tab, "Tab", Action::Panel, "side panel"),
    bind(KeyCode::KeyH, "H", Action::Help, "this help"),
];

/// What a key does, if anything.
pub fn action_of(key: KeyCode) -> Option<Action> {
    KEYS.iter().find(|binding| binding.key == key).map(|binding| binding.action)
}

impl Action {
    /// What the action asks of the session, given how the show goes on and the seed of the run; `None` if it concerns the
    /// window alone.
    pub fn request(self, playback: &Playback, seed: u64) -> Option<Request> {
        let press = |request| Request::Operator(OperatorInput { twist: None, request: Some(request) });
        let speed = if playback.speed.is_finite() { playback.speed } else { 1.0 };
        Some(match self {
            Action::PlayPause if playback.paused => Request::Play,
            Action::PlayPause => Request::Pause,
            Action::Step => Request::Step,
            Action::Faster => Request::Speed((speed * 2.0).min(64.0)),
            Action::Slower => Request::Speed((speed / 2.0).max(1.0 / 64.0)),
            Action::EmergencyStop => press(OperatorRequest::EmergencyStop),
            Action::ClearStop => press(OperatorRequest::ClearEmergencyStop),
            Action::PauseMission => press(OperatorRequest::Pause),
            Action::ResumeMission => press(OperatorRequest::Resume),
            Action::Restart => Request::Restart { seed: None },
            Action::NextSeed => Request::Restart { seed: Some(seed.wrapping_add(1)) },
            Action::Picture | Action::Film | Action::Overlay(_) => return None,
            Action::Follow | Action::Home | Action::Panel | Action::Help => return None,
        })
    }
}

impl Overlay {
    /// True if it shows what the robot knows of the world.
    pub fn is_of_map(self) -> bool {
        use Overlay::{Cloud, CostMap, HeightMap, Navigation, PoseGraph, Surfels};
        matches!(self, Cloud | Surfels | PoseGraph | HeightMap | CostMap | Navigation)
    }

    /// True if only a robot on feet has it.
    pub fn is_of_feet(self) -> bool {
        matches!(self, Overlay::BalancePoints | Overlay::Footsteps)
    }

    /// Whether the overlay is drawn, to be changed.
    pub fn switch(self, overlays: &mut Overlays) -> &mut bool {
        match self {
            Overlay::CollisionShapes => &mut overlays.collision_shapes,
            Overlay::JointAxes => &mut overlays.joint_axes,
            Overlay::ContactForces => &mut overlays.contact_forces,
            Overlay::CentreOfMass => &mut overlays.centre_of_mass,
            Overlay::SupportPolygon => &mut overlays.support_polygon,
            Overlay::BalancePoints => &mut overlays.balance_points,
            Overlay::Footsteps => &mut overlays.footsteps,
            Overlay::ContactWrenches => &mut overlays.contact_wrenches,
            Overlay::PlannedPath => &mut overlays.planned_path,
            Overlay::Goal => &mut overlays.goal,
            Overlay::Trail => &mut overlays.trail,
            Overlay::Odometry => &mut overlays.odometry,
            Overlay::Frames => &mut overlays.frames,
            Overlay::Cloud => &mut overlays.cloud,
            Overlay::Surfels => &mut overlays.surfels,
            Overlay::PoseGraph => &mut overlays.pose_graph,
            Overlay::HeightMap => &mut overlays.height_map,
            Overlay::CostMap => &mut overlays.cost_map,
            Overlay::Navigation => &mut overlays.navigation,
        }
    }
}

impl Plugin for KeysPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(KeyHelp { help: false, panel: true }).add_systems(Update, obey.in_set(Phase::Input));
    }
}

const fn bind(key: KeyCode, label: &'static str, action: Action, help: &'static str) -> KeyBinding {
    KeyBinding { key, label, action, help }
}

fn obey(world: &mut World) {
    if world.resource::<EguiWantsInput>().wants_any_keyboard_input() {
        return;
    }
    let pressed: Vec<KeyCode> = world.resource::<ButtonInput<KeyCode>>().get_just_pressed().copied().collect();
    // in the order of the table, not of a hash map
    for binding in KEYS.iter().filter(|binding| pressed.contains(&binding.key)) {
        act(world, binding.action);
    }
}

/// Does what a key or a button of the panel asks for.
pub(crate) fn act(world: &mut World, action: Action) {
    let shown = world.resource::<Latest>().shown.as_ref();
    let (playback, seed) = shown.map_or_else(Default::default, |shown| (shown.playback, shown.status.seed));
    if let Some(request) = action.request(&playback, seed) {
        world.resource::<Outbox>().send(request);
    }
    match action {
        Action::Follow => {
            let mut follow = world.resource_mut::<Follow>();
            follow.on = !follow.on;
        }
        Action::Home => go_home(world),
        Action::Picture => world.resource_mut::<Capture>().take_picture(),
        Action::Film => world.resource_mut::<Capture>().switch_film(),
        Action::Overlay(overlay) => {
            let mut shown = world.resource_mut::<Shown>();
            let switch = overlay.switch(&mut shown.0);
            *switch = !*switch;
        }
        Action::Help => {
            let mut state = world.resource_mut::<KeyHelp>();
            state.help = !state.help;
        }
        Action::Panel => {
            let mut state = world.resource_mut::<KeyHelp>();
            state.panel = !state.panel;
        }
        _ => {}
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn request(key: KeyCode, playback: Playback) -> Option<Request> {
        action_of(key).and_then(|action| action.request(&playback, 7))
    }

    #[test]
    fn space_stops_the_robot_and_p_only_stops_time() {
        let running = Playback::default();
        let stop = OperatorInput { twist: None, request: Some(OperatorRequest::EmergencyStop) };
        assert_eq!(request(KeyCode::Space, running), Some(Request::Operator(stop)));
        assert_eq!(request(KeyCode::KeyP, running), Some(Request::Pause));
        assert_eq!(request(KeyCode::KeyP, Playback { paused: true, ..running }), Some(Request::Play));
    }

    #[test]
    fn f5_begins_the_same_run_again_and_f6_the_next() {
        let paused = Playback { paused: true, ..Playback::default() };
        assert_eq!(request(KeyCode::F5, paused), Some(Request::Restart { seed: None }));
        assert_eq!(request(KeyCode::F6, paused), Some(Request::Restart { seed: Some(8) }));
    }

    #[test]
    fn speed_doubles_and_halves_and_comes_back_from_infinity() {
        let at = |speed| Playback { speed, ..Playback::default() };
        assert_eq!(request(KeyCode::BracketRight, at(1.0)), Some(Request::Speed(2.0)));
        assert_eq!(request(KeyCode::BracketLeft, at(1.0)), Some(Request::Speed(0.5)));
        assert_eq!(request(KeyCode::BracketRight, at(64.0)), Some(Request::Speed(64.0)));
        assert_eq!(request(KeyCode::BracketRight, at(f64::INFINITY)), Some(Request::Speed(2.0)));
    }

    #[test]
    fn every_key_means_one_thing_and_is_explained() {
        for (index, binding) in KEYS.iter().enumerate() {
            assert!(!binding.help.is_empty() && !binding.label.is_empty());
            assert!(KEYS[index + 1..].iter().all(|other| other.key != binding.key), "{:?}", binding.key);
            assert!(!super::super::teleop::STEERING.contains(&binding.key), "{:?} steers", binding.key);
        }
    }

    #[test]
    fn every_overlay_has_its_key() {
        let mut overlays = Overlays::NONE;
        for binding in KEYS {
            if let Action::Overlay(overlay) = binding.action {
                *overlay.switch(&mut overlays) = true;
            }
        }
        let Overlays {
            collision_shapes,
            joint_axes,
            contact_forces,
            centre_of_mass,
            support_polygon,
            balance_points,
            footsteps,
            contact_wrenches,
            planned_path,
            goal,
            trail,
            odometry,
            frames,
            cloud,
            surfels,
            pose_graph,
            height_map,
            cost_map,
            navigation,
        } = overlays;
        assert!(collision_shapes && joint_axes && contact_forces && centre_of_mass && support_polygon);
        assert!(balance_points && footsteps && contact_wrenches);
        assert!(planned_path && goal && trail && odometry && frames);
        assert!(cloud && surfels && pose_graph && height_map && cost_map && navigation);
    }
}
