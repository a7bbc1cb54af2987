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
        "no display: {found}. A window needs an X server: log in at a graphical desktop, use `ssh -X`, or give it a virtual one \
         with `xvfb-run -s '-screen 0 1600x900x24' chiron …`. Without a window: `chiron run CASE` leaves a report with pictures, \
         `--screenshot FILE --at SECONDS` draws one"
    )]
    NoDisplay {
        /// What the variable DISPLAY holds, or what answers there.
        found: String,
    },
    /// The windowing system refused.
    #[error(
        "no window: {reason}. On Debian `apt-get install libxkbcommon-x11-0 libxcursor1 libxi6 libxrandr2` installs what a \
         window needs"
    )]
    NoWindow {
        /// What it says.
        reason: String,
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
