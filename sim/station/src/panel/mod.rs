//! The operator's desk around the picture.

mod cameras;
mod events;
mod help;
mod joints;
mod legend;
mod map;
mod mission;
mod plots;
mod settings;
mod side;
mod style;
mod timeline;
mod transport;

use bevy::camera::visibility::RenderLayers;
use bevy::camera::{CameraOutputMode, ClearColorConfig, Viewport};
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_egui::{EguiContexts, EguiGlobalSettings, EguiPlugin, EguiPrimaryContextPass, PrimaryEguiContext, egui};

use crate::camera::{Follow, WorldCamera};
use crate::capture::Capture;
use crate::events::EventBook;
use crate::feed::{Latest, Outbox, Pace, Past};
use crate::history::History;
use crate::input::{Action, KeyHelp, Steering, act};
use crate::stage::{Shown, Stage};
use cameras::CameraDesk;
use joints::JointDesk;
use plots::PlotDesk;
use settings::SettingDesk;

/// The panels; the signals named here are plotted from the start.
pub(crate) struct PanelPlugin(pub(crate) Vec<String>);

/// What the panels remember.
#[derive(Resource, Default)]
struct Desk {
    tab: Tab,
    plots: PlotDesk,
    joints: JointDesk,
    cameras: CameraDesk,
    settings: SettingDesk,
    /// The seed to begin again with, as it is typed.
    seed: Option<u64>,
    /// Buttons pressed in this frame.
    pressed: Vec<Action>,
}

/// The side panel's pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Tab {
    #[default]
    Plots,
    Joints,
    Cameras,
    Settings,
    Mission,
    Events,
}

/// What the panels show and change.
#[derive(SystemParam)]
struct Papers<'w> {
    stage: Res<'w, Stage>,
    latest: Res<'w, Latest>,
    pace: Res<'w, Pace>,
    history: Res<'w, History>,
    past: Res<'w, Past>,
    capture: Res<'w, Capture>,
    events: Res<'w, EventBook>,
    outbox: Res<'w, Outbox>,
    steering: Res<'w, Steering>,
    shown: ResMut<'w, Shown>,
    follow: ResMut<'w, Follow>,
    keys: ResMut<'w, KeyHelp>,
}

impl Plugin for PanelPlugin {
    fn build(&self, app: &mut App) {
        let desk = Desk { plots: PlotDesk::new(&self.0), ..Desk::default() };
        app.add_plugins(EguiPlugin::default())
            .insert_resource(desk)
            .add_systems(PreStartup, by_hand)
            .add_systems(Startup, spawn_panel_camera)
            .add_systems(EguiPrimaryContextPass, (draw, press).chain());
    }
}

/// The panels have a camera of their own, since the world's covers only part of the window.
fn by_hand(mut settings: ResMut<EguiGlobalSettings>) {
    settings.auto_create_primary_context = false;
}

fn spawn_panel_camera(mut commands: Commands) {
    let blend = bevy::render::render_resource::BlendState::ALPHA_BLENDING;
    commands.spawn((
        Name::new("desk"),
        PrimaryEguiContext,
        Camera2d,
        Msaa::Off,
        RenderLayers::none(),
        Camera {
            order: 1,
            output_mode: CameraOutputMode::Write { blend_state: Some(blend), clear_color: ClearColorConfig::None },
            clear_color: ClearColorConfig::Custom(Color::NONE),
            ..default()
        },
    ));
}

fn draw(
    mut contexts: EguiContexts,
    mut desk: ResMut<Desk>,
    mut papers: Papers,
    mut camera: Single<&mut Camera, With<WorldCamera>>,
    window: Single<&Window, With<PrimaryWindow>>,
    mut styled: Local<bool>,
) -> Result {
    let context = contexts.ctx_mut()?.clone();
    if !*styled {
        style::apply(&context);
        *styled = true;
    }
    if papers.latest.restarted {
        desk.forget();
    }
    let whole = context.viewport_rect();
    let background = egui::UiBuilder::new().layer_id(egui::LayerId::background()).max_rect(whole);
    let mut ui = egui::Ui::new(context.clone(), "desk".into(), background);
    transport::show(&mut ui, &mut desk, &papers);
    timeline::show(&mut ui, &papers);
    if papers.keys.panel {
        side::show_left(&mut ui, &mut desk, &mut papers);
        show_right(&mut ui, &mut desk, &papers);
    }
    let free = ui.available_rect_before_wrap();
    camera.viewport = viewport(free, &window);
    legend::show(&context, free, &papers);
    if papers.keys.help {
        help::show(&context, &mut papers.keys);
    }
    Ok(())
}

impl Desk {
    /// A run that begins again has its settings as they were, and its joints in nobody's hand.
    fn forget(&mut self) {
        self.joints.forget();
        self.cameras.forget();
        self.settings.forget();
    }
}

/// Buttons act as keys do.
fn press(world: &mut World) {
    let pressed = core::mem::take(&mut world.resource_mut::<Desk>().pressed);
    for action in pressed {
        act(world, action);
    }
}

fn show_right(ui: &mut egui::Ui, desk: &mut Desk, papers: &Papers) {
    let panel = egui::Panel::right("right").default_size(440.0).size_range(300.0..=900.0).frame(style::panel());
    panel.show(ui, |ui| {
        ui.horizontal(|ui| {
            let tabs = [
                (Tab::Plots, "Plots"),
                (Tab::Joints, "Joints"),
                (Tab::Cameras, "Cameras"),
                (Tab::Settings, "Settings"),
                (Tab::Mission, "Mission"),
                (Tab::Events, "Events"),
            ];
            for (tab, name) in tabs {
                ui.selectable_value(&mut desk.tab, tab, egui::RichText::new(name).strong());
            }
        });
        ui.separator();
        match desk.tab {
            Tab::Plots => plots::show(ui, &mut desk.plots, papers),
            Tab::Joints => joints::show(ui, &mut desk.joints, &mut desk.plots, papers),
            Tab::Cameras => cameras::show(ui, &mut desk.cameras, papers),
            Tab::Settings => settings::show(ui, &mut desk.settings, papers),
            Tab::Mission => mission::show(ui, papers),
            Tab::Events => events::show(ui, papers),
        }
    });
}

/// The world's part of the window in physical pixels; `None` for all of it if the panels leave nothing.
fn viewport(free: egui::Rect, window: &Window) -> Option<Viewport> {
    let scale = window.scale_factor();
    let limit = UVec2::new(window.physical_width(), window.physical_height());
    let low = UVec2::new((free.min.x * scale) as u32, (free.min.y * scale) as u32).min(limit);
    let high = UVec2::new((free.max.x * scale) as u32, (free.max.y * scale) as u32).min(limit);
    let physical_size = high.saturating_sub(low);
    let sane = physical_size.min_element() >= 16;
    sane.then_some(Viewport { physical_position: low, physical_size, depth: 0.0..1.0 })
}
