//! What can go wrong on the way to a picture.

use std::path::PathBuf;

/// Why there is no window or no picture.
#[derive(Debug, thiserror::Error)]
pub enum StationError {
    /// There is nothing to draw with.
    #[error(
        "no graphics adapter: expected a Vulkan driver, found none ({reason}). On Debian `apt-get install \
         mesa-vulkan-drivers` installs one that needs no graphics card"
    )]
    NoAdapter {
        /// What the graphics library says.
        reason: String,
    },
    /// There is nowhere to put a window.
    #[error(
        "no display: expected the variable DISPLAY to name an X server, found it {found}. Pictures without a window: \
         `--screenshot FILE`"
    )]
    NoDisplay {
        /// What the variable holds.
        found: &'static str,
    },
    /// The window closed with an error.
    #[error("the viewer ended with exit code {code}, expected 0")]
    Ended {
        /// Bevy's exit code.
        code: u8,
    },
    /// A picture did not arrive.
    #[error("no picture for {path} after {frames} frames")]
    NoPicture {
        /// Where it should have gone.
        path: PathBuf,
        /// How long was waited for it.
        frames: usize,
    },
    /// A picture cannot be written.
    #[error("cannot write {path}: {reason}")]
    Write {
        /// Where it should have gone.
        path: PathBuf,
        /// What the encoder or the operating system says.
        reason: String,
    },
    /// A picture of no sensible size was asked for.
    #[error("a picture of {width} × {height} pixels: expected 16 to {limit} each way")]
    Size {
        /// Width asked for [pixels].
        width: u32,
        /// Height asked for [pixels].
        height: u32,
        /// The most there may be [pixels].
        limit: u32,
    },
    /// What is shown does not fit the robot.
    #[error("{what}: expected {expected} as in the robot model, found {found}")]
    Mismatch {
        /// What was counted.
        what: &'static str,
        /// How many the model has.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// The physics world for picking and collision shapes cannot be built.
    #[error("cannot build the shadow world: {0}")]
    Shadow(String),
}
