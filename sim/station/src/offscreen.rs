//! Pictures without a window, for reports and tests.

use std::path::Path;
use std::sync::{Arc, Mutex};

use bevy::app::PluginsState;
use bevy::camera::RenderTarget;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::render_resource::{TextureFormat, TextureUsages};
use bevy::render::settings::WgpuSettings;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::window::ExitCondition;
use bevy::winit::WinitPlugin;

use crate::camera::{Orbit, middle_of};
use crate::feed::{FeedPlugin, Latest};
use crate::graphics::Quality;
use crate::layers::LayerPlugins;
use crate::overlays::OverlayPlugins;
use crate::robot::RobotPlugin;
use crate::scenery::{self, SceneryPlugins};
use crate::shadow::{Shadow, ShadowPlugin};
use crate::stage::{Shown, Stage};
use crate::{Overlays, Scene, Shot, StationError, check, graphics};

/// Pixels along an edge at most.
const LARGEST: u32 = 8_192;
/// Frames until shaders, textures and shadows are there.
const WARM_UP: usize = 6;
/// Frames after a change of the scene until it is in the picture.
const SETTLE: usize = 3;
/// Frames to wait for a picture at most.
const PATIENCE: usize = 120;

/// A finished picture, handed from Bevy's observer.
type Album = Arc<Mutex<Option<Image>>>;

/// Draws each shot and writes it as a PNG of `size` pixels. Needs no window and no X server, only a graphics adapter,
/// which may be a software one.
pub fn screenshots(scene: Scene, shots: Vec<Shot>, size: (u32, u32)) -> Result<(), StationError> {
    screenshots_with(scene, shots, size, |_| {})
}

/// The same, which may take minutes without a graphics card; `begin` is told the number of each picture, from 1.
pub fn screenshots_with(
    scene: Scene,
    shots: Vec<Shot>,
    size: (u32, u32),
    mut begin: impl FnMut(usize),
) -> Result<(), StationError> {
    check::size(size, LARGEST)?;
    for shot in &shots {
        check::frame(&scene, &shot.frame)?;
    }
    graphics::adapter()?;
    let mut studio = Studio::new(scene, size)?;
    for (number, shot) in (1..).zip(shots) {
        begin(number);
        studio.shoot(shot)?;
    }
    Ok(())
}

/// An application that never shows a window.
struct Studio {
    app: App,
    canvas: Handle<Image>,
    camera: Entity,
    /// Frames that have to pass before the next picture.
    frames: usize,
}

impl Studio {
    fn new(scene: Scene, (width, height): (u32, u32)) -> Result<Studio, StationError> {
        let shadow = Shadow::of(&scene)?;
        let mut app = App::new();
        app.add_plugins(windowless())
            .insert_resource(Stage { scene })
            .insert_resource(Shown(Overlays::NONE))
            .insert_resource(Quality::Fine)
            .add_plugins((FeedPlugin, SceneryPlugins, RobotPlugin, ShadowPlugin(shadow), OverlayPlugins, LayerPlugins));
        while app.plugins_state() == PluginsState::Adding {
            bevy::tasks::tick_global_task_pools_on_main_thread();
        }
        app.finish();
        app.cleanup();
        let mut canvas = Image::new_target_texture(width, height, TextureFormat::Rgba8UnormSrgb, None);
        canvas.texture_descriptor.usage |= TextureUsages::COPY_SRC;
        let mut images = app.world_mut().resource_mut::<Assets<Image>>();
        let canvas = images.add(canvas);
        let eye = scenery::eye(&mut images, Quality::Fine);
        let camera = app.world_mut().spawn((eye, RenderTarget::Image(canvas.clone().into()))).id();
        Ok(Studio { app, canvas, camera, frames: WARM_UP })
    }

    fn shoot(&mut self, shot: Shot) -> Result<(), StationError> {
        let place = Orbit::of(shot.camera, middle_of(&shot.frame.frame)).transform();
        let world = self.app.world_mut();
        world.entity_mut(self.camera).insert(place);
        world.insert_resource(Shown(shot.overlays));
        for _ in 0..self.frames {
            // each frame shows it anew, for all the systems that wait for news
            self.app.world_mut().resource_mut::<Latest>().hold(shot.frame.clone());
            self.app.update();
        }
        self.frames = SETTLE;
        let image = self.capture(&shot)?;
        write(&shot.path, image)
    }

    fn capture(&mut self, shot: &Shot) -> Result<Image, StationError> {
        let album = Album::default();
        let page = album.clone();
        let keep = move |captured: On<ScreenshotCaptured>| {
            if let Ok(mut page) = page.lock() {
                *page = Some(captured.image.clone());
            }
        };
        self.app.world_mut().spawn(Screenshot::image(self.canvas.clone())).observe(keep);
        for _ in 0..PATIENCE {
            self.app.world_mut().resource_mut::<Latest>().hold(shot.frame.clone());
            self.app.update();
            if let Some(image) = album.lock().ok().and_then(|mut page| page.take()) {
                return Ok(image);
            }
        }
        Err(StationError::NoPicture { path: shot.path.clone(), frames: PATIENCE })
    }
}

/// Bevy without windows, without a second frame in flight, without a logger of its own.
fn windowless() -> bevy::app::PluginGroupBuilder {
    let window = WindowPlugin { primary_window: None, exit_condition: ExitCondition::DontExit, ..default() };
    let drawing = WgpuSettings { backends: Some(graphics::backends()), ..default() };
    DefaultPlugins
        .set(window)
        .set(RenderPlugin { render_creation: drawing.into(), synchronous_pipeline_compilation: true, ..default() })
        .disable::<WinitPlugin>()
        .disable::<LogPlugin>()
        .disable::<PipelinedRenderingPlugin>()
        .disable::<bevy::app::TerminalCtrlCHandlerPlugin>()
}

/// Writes a picture as a PNG.
pub(crate) fn write(path: &Path, image: Image) -> Result<(), StationError> {
    let fault = |reason: String| StationError::Write { path: path.to_owned(), reason };
    let picture = image.try_into_dynamic().map_err(|error| fault(error.to_string()))?;
    picture.to_rgb8().save_with_format(path, image::ImageFormat::Png).map_err(|error| fault(error.to_string()))
}
