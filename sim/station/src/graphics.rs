//! Is there something to draw with? Asked before Bevy is, which panics if there is not.

use bevy::tasks::block_on;

use crate::StationError;

/// Name of the graphics adapter that will draw, with its kind; an error that says what to install if there is none.
pub fn adapter() -> Result<String, StationError> {
    let descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    let instance = wgpu::Instance::new(descriptor);
    let options = wgpu::RequestAdapterOptions {
        power_preference: wgpu::PowerPreference::HighPerformance,
        ..wgpu::RequestAdapterOptions::default()
    };
    let adapter = block_on(instance.request_adapter(&options));
    let info = adapter.map_err(|error| StationError::NoAdapter { reason: error.to_string() })?.get_info();
    Ok(format!("{} ({:?}, {:?})", info.name, info.device_type, info.backend))
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
