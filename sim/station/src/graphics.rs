//! Is there something to draw with? Asked before Bevy is, which panics if there is not.

use std::time::Duration;

use bevy::prelude::Resource;
use bevy::tasks::block_on;

use crate::StationError;

/// How long an X server may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// How finely is drawn.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quality {
    /// All that a graphics card can do; pictures are always fine.
    Fine,
    /// What a software driver can do several times a second.
    Fast,
}

/// Name of the graphics adapter that will draw, with its kind; an error that says what to install if there is none.
pub fn adapter() -> Result<String, StationError> {
    let info = adapter_info()?;
    Ok(format!("{} ({:?}, {:?})", info.name, info.device_type, info.backend))
}

/// How finely a window can be drawn with this adapter and still move.
pub(crate) fn quality() -> Result<Quality, StationError> {
    let software = adapter_info()?.device_type == wgpu::DeviceType::Cpu;
    Ok(if software { Quality::Fast } else { Quality::Fine })
}

/// What may draw: Vulkan and its like, unless `WGPU_BACKEND` says otherwise. OpenGL is not tried, because it asks for a desktop and
/// prints an error of its own where there is none.
pub(crate) fn backends() -> wgpu::Backends {
    wgpu::Backends::from_env().unwrap_or(wgpu::Backends::PRIMARY)
}

fn adapter_info() -> Result<wgpu::AdapterInfo, StationError> {
    let usual = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    let descriptor = wgpu::InstanceDescriptor { backends: backends(), ..usual };
    let instance = wgpu::Instance::new(descriptor);
    let options = wgpu::RequestAdapterOptions {
        power_preference: wgpu::PowerPreference::HighPerformance,
        ..wgpu::RequestAdapterOptions::default()
    };
    let adapter = block_on(instance.request_adapter(&options));
    Ok(adapter.map_err(|error| StationError::NoAdapter { reason: error.to_string() })?.get_info())
}

/// An error, within seconds, if no window can be opened or nothing can be drawn in it.
pub fn ready() -> Result<(), StationError> {
    display()?;
    adapter().map(drop)
}

/// An error if there is nowhere to put a window: no X server is named, or the one that is does not answer.
pub fn display() -> Result<(), StationError> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    let none = |found: &str| Err(StationError::NoDisplay { found: found.to_owned() });
    match std::env::var_os("DISPLAY") {
        None => none("the variable DISPLAY is not set"),
        Some(display) if display.is_empty() => none("the variable DISPLAY is empty"),
        Some(display) => {
            let display = display.to_string_lossy();
            answers(&display)
                .or_else(|reason| none(&format!("DISPLAY is '{display}', and no X server answers there ({reason})")))
        }
    }
}

/// Connects to an X server and lets go again. A host that swallows packets is not waited for.
#[cfg(target_os = "linux")]
fn answers(display: &str) -> Result<(), String> {
    let (told, answer) = crossbeam::channel::bounded(1);
    let display = display.to_owned();
    std::thread::spawn(move || {
        let connected = x11rb::connect(Some(&display)).map(drop).map_err(|error| error.to_string());
        // whoever asked may have lost patience
        let _ = told.send(connected);
    });
    answer.recv_timeout(PATIENCE).unwrap_or_else(|_| Err(format!("no answer within {} s", PATIENCE.as_secs())))
}

#[cfg(not(target_os = "linux"))]
fn answers(_: &str) -> Result<(), String> {
    Ok(())
}
