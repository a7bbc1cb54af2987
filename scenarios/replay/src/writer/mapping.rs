//! Where the robot believes it is on its map, and what it knows of the world. Most runs have none of it, so the channels come
//! with their first message.

use std::collections::BTreeMap;

use foxglove::Encode;
use foxglove::messages as fg;
use mcap::records::MessageHeader;
use robot_io::{Layer, Localization, Period, Telemetry, Time};

use super::inner::{Inner, encode};
use crate::LogError;
use crate::channel::{ChannelPlan, Id, SLAM_POSE, foxglove_channel};
use crate::layers::{Identity, LayerMessage, MAP, SWEEP, message, topic_of};
use crate::show::{pose, timestamp};

/// A layer is written again at most this often …
const INTERVAL: Period = Period::from_milliseconds(1_000);
/// … and less often if that would be more than this [bytes/s], …
const RATE: u64 = 64 << 10;
/// … but still this often.
const LONGEST_INTERVAL: Period = Period::from_milliseconds(10_000);

/// What has been written so far.
#[derive(Debug, Default)]
pub(super) struct Mapping {
    pose: Option<u16>,
    /// The stamp of the last pose written.
    last: Option<Time>,
    layers: BTreeMap<&'static str, Shown>,
}

/// A layer in the log.
#[derive(Debug)]
struct Shown {
    channel: u16,
    identity: Identity,
    /// When it may be written again.
    next: Time,
}

impl Inner {
    /// Adds what is new: each sweep, and in shown cycles the pose and the layers whose turn it is.
    pub(super) fn mapping(&mut self, telemetry: &Telemetry) -> Result<(), LogError> {
        let mut sweep_ends = false;
        for (name, layer) in &telemetry.layers {
            let is_sweep = *name == SWEEP;
            if (is_sweep || self.shows) && self.is_due(name, layer, is_sweep) {
                self.layer(name, layer)?;
                sweep_ends |= is_sweep;
            }
        }
        match &telemetry.localization {
            Some(localization) if sweep_ends || self.shows => self.pose(localization),
            _ => Ok(()),
        }
    }

    fn is_due(&self, name: &str, layer: &Layer, always: bool) -> bool {
        let due = |shown: &Shown| (always || self.time >= shown.next) && !shown.identity.is(layer);
        self.mapping.layers.get(name).is_none_or(due)
    }

    fn layer(&mut self, name: &'static str, layer: &Layer) -> Result<(), LogError> {
        let message = message(name, layer, self.time);
        let shown = self.mapping.layers.get(name).map(|shown| shown.channel);
        let channel = shown.unwrap_or_else(|| self.open(plan(name, &message)));
        let before = self.batch.len();
        match &message {
            LayerMessage::Cloud(cloud) => self.message(channel, cloud)?,
            LayerMessage::Grid(grid) => self.message(channel, grid)?,
            LayerMessage::Path(path) => self.message(channel, path)?,
            LayerMessage::Scene(scene) => self.message(channel, scene)?,
        }
        let written = (self.batch.len() - before) as u64;
        let pause = Period::from_nanoseconds(written * 1_000_000_000 / RATE).clamp(INTERVAL, LONGEST_INTERVAL);
        let shown = Shown { channel, identity: Identity::of(layer), next: self.time + pause };
        self.mapping.layers.insert(name, shown);
        Ok(())
    }

    /// Adds a pose that is newer than the last.
    fn pose(&mut self, localization: &Localization) -> Result<(), LogError> {
        if self.mapping.last.is_some_and(|last| last >= localization.stamp) {
            return Ok(());
        }
        self.mapping.last = Some(localization.stamp);
        let meaning = "where the robot believes it is on its map";
        let known = self.mapping.pose;
        let channel = known.unwrap_or_else(|| self.open(foxglove_channel::<fg::PoseInFrame>(SLAM_POSE, meaning)));
        self.mapping.pose = Some(channel);
        self.message(
            channel,
            &fg::PoseInFrame {
                timestamp: Some(timestamp(localization.stamp)),
                frame_id: MAP.to_owned(),
                pose: Some(pose(&localization.base_in_map)),
            },
        )
    }

    fn message<T: Encode>(&mut self, channel: u16, message: &T) -> Result<(), LogError> {
        let head = MessageHeader { channel_id: channel, ..self.head(Id::Io)? };
        self.put(head, |out| encode(message, out));
        Ok(())
    }
}

fn plan(name: &str, message: &LayerMessage) -> ChannelPlan {
    let topic = topic_of(name);
    match message {
        LayerMessage::Cloud(_) if name == SWEEP => {
            let meaning =
                "each sweep of the laser, its motion undone, in the frame of the base at its end; time [s] from then";
            foxglove_channel::<fg::PointCloud>(&topic, meaning)
        }
        LayerMessage::Cloud(_) => foxglove_channel::<fg::PointCloud>(&topic, ""),
        LayerMessage::Grid(_) => foxglove_channel::<fg::Grid>(&topic, ""),
        LayerMessage::Path(_) => foxglove_channel::<fg::PosesInFrame>(&topic, ""),
        LayerMessage::Scene(_) => foxglove_channel::<fg::SceneUpdate>(&topic, ""),
    }
}
