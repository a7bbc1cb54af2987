//! Point clouds from other people's recordings: MCAP, rosbag2 folders, KITTI's velodyne folders.
//!
//! ```text
//! path ─▶ origin: what is it? ─▶ mcap │ db3: messages by topic ─▶ ros │ foxglove: what they say ─▶ Cloud
//!                                kitti: a file for each sweep ──────────────────────────────────▶ Cloud
//!                                times: what the points' time field counts, and from where
//! ```
//!
//! [`CloudLog`] is the way in. Nothing here trusts a byte: every length is compared with what is there before memory is
//! taken, and an error names file, message, what was expected and what was found.

mod bag;
mod cdr;
mod cloud;
mod db3;
mod error;
mod fields;
mod foxglove;
mod frames;
mod kitti;
mod log;
mod mcap_file;
mod message;
mod origin;
mod ros;
mod times;
mod zstd;

pub use cloud::{Cloud, StampedPose, TimeColumn};
pub use error::CloudError;
pub use kitti::poses_of as kitti_poses;
pub use log::{CloudLog, Wanted};
pub use message::{Content, Topic};
pub use times::{Origin as TimeOrigin, PointClock};
