//! Is there something to draw with? Asked before Bevy is, which panics if there is not.

use bevy::prelude::Resource;
use bevy::tasks::block_on;

use crate::StationError;

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

/// An error if there is nowhere to put a window.
pub fn display() -> Result<(), StationError> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    match std::env::var_os("DISPLAY") {
        None => Err(StationError::NoDisplay { found: "not set" }),
        Some(display) if display.is_empty() => Err(StationError::NoDisplay { found: "empty" }),
        Some(_) => Ok(()),
    }
}
