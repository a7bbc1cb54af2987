//! The window.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bevy::app::{AppExit, PluginGroupBuilder, TerminalCtrlCHandlerPlugin};
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy::window::{PresentMode, WindowResolution};
use crossbeam::channel::{Receiver, Sender};

use crate::camera::CameraPlugin;
use crate::capture::CapturePlugin;
use crate::feed::{FeedPlugin, Inbox, Latest, Outbox, Past};
use crate::history::History;
use crate::input::InputPlugins;
use crate::layers::LayerPlugins;
use crate::overlays::OverlayPlugins;
use crate::panel::PanelPlugin;
use crate::robot::RobotPlugin;
use crate::scenery::SceneryPlugins;
use crate::shadow::{Shadow, ShadowPlugin};
use crate::stage::{Shown, Stage};
use crate::{Options, Request, Scene, StationError, StationFrame, check, graphics};

/// Pixels along an edge of a window at most.
const LARGEST: u32 = 16_384;

/// Shows what comes through `frames` in a window on the calling thread, which must be the main one, until the window
/// is closed; what the person at the desk asks for goes into `requests`.
///
/// The sender of frames should use `try_send` on a channel of one and drop what does not fit: the session never waits
/// for the window. `requests` should be unbounded, or the window may wait for the session.
pub fn open(
    scene: Scene,
    frames: Receiver<StationFrame>,
    requests: Sender<Request>,
    options: Options,
) -> Result<(), StationError> {
    check::layout(&scene)?;
    check::size(options.size, LARGEST)?;
    graphics::display()?;
    let quality = graphics::quality()?;
    let shadow = Shadow::of(&scene)?;
    let history = History::new(&scene.layout);
    let outbox = Outbox(requests.clone());
    let (width, height) = options.size;
    let window = Window {
        title: format!("{} · Chiron", scene.title),
        resolution: WindowResolution::new(width, height),
        present_mode: PresentMode::AutoVsync,
        ..default()
    };
    let plugins = DefaultPlugins
        .set(WindowPlugin { primary_window: Some(window), ..default() })
        .set(LogPlugin { filter: "error,station=warn".to_owned(), ..default() })
        // whoever holds the session decides what comes of Ctrl-C
        .disable::<TerminalCtrlCHandlerPlugin>();
    let Options { overlays, camera, plots, folder, past, .. } = options;
    let mut app = start(plugins)?;
    app.insert_resource(Stage { scene })
        .insert_resource(Shown(overlays))
        .insert_resource(quality)
        .insert_resource(Inbox(frames))
        .insert_resource(outbox)
        .add_plugins((FeedPlugin, SceneryPlugins, RobotPlugin, ShadowPlugin(shadow), OverlayPlugins, LayerPlugins))
        .add_plugins((CameraPlugin(camera), InputPlugins, PanelPlugin(plots), CapturePlugin(folder)))
        .insert_resource(Past::new(past))
        .add_systems(Last, leave)
        .insert_resource(history);
    let exit = app.run();
    // nobody may be listening any more
    let _ = requests.send(Request::Quit);
    match exit {
        AppExit::Success => Ok(()),
        AppExit::Error(code) => Err(StationError::Ended { code: code.get() }),
    }
}

/// An application with a window. The windowing system panics where it finds something missing; that is an error here.
fn start(plugins: PluginGroupBuilder) -> Result<App, StationError> {
    let attempt = || {
        let mut app = App::new();
        app.add_plugins(plugins);
        app
    };
    catch_unwind(AssertUnwindSafe(attempt)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let reason = text.or(payload.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
        StationError::NoWindow { reason: reason.to_owned() }
    })
}

/// The window closes when nobody sends frames any more: the session is over, by an error or because somebody asked for its end
/// elsewhere.
fn leave(latest: Res<Latest>, mut exit: MessageWriter<AppExit>) {
    if latest.ended {
        exit.write(AppExit::Success);
    }
}
