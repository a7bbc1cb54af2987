//! The way in: a recording of which the clouds of one topic are wanted, one after the other.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use nalgebra::Isometry3;
use robot_io::Time;

use crate::bag::{Bag, describe_cut};
use crate::cloud::{Cloud, StampedPose};
use crate::error::{CloudError, Mismatch, mismatch};
use crate::frames::Frames;
use crate::message::{Content, Topic};
use crate::origin::{Origin, origin_of};
use crate::times::PointClock;

/// Taken for the time from a sweep to the next where nothing tells [s].
const PERIOD: f64 = 0.1;
/// Poses nearer together than this are not kept [ns].
const LEAST_STEP: u64 = 5_000_000;
/// More poses are not kept: they would be more than an hour's [`LEAST_STEP`]s.
const MOST_POSES: usize = 1_000_000;
/// Clouds that are looked at for what their time field counts: a stamp of zero tells little.
const LOOKED_AT: u64 = 20;
/// Most topics that a message names.
const NAMED: usize = 20;

/// What is wanted of a recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// The topic with the clouds, if there are several.
    pub topic: Option<String>,
    /// The topic with odometry.
    pub odometry_topic: Option<String>,
    /// Odometry is needed, from whatever topic has it.
    pub needs_odometry: bool,
    /// The frame whose motion is wanted, if not the scanner's own.
    pub frame: Option<String>,
}

/// A recording of which it is known what its clouds are.
#[derive(Clone, Debug, PartialEq)]
pub struct CloudLog {
    path: PathBuf,
    origin: Origin,
    topic: Topic,
    /// The scanner's frame, the one that is followed, and the scanner in it.
    frame: String,
    followed: String,
    scanner: Isometry3<f64>,
    clock: Option<PointClock>,
    odometry: Vec<StampedPose>,
    remarks: Vec<String>,
}

impl CloudLog {
    /// Looks what a path holds and finds in it what is wanted.
    pub fn open(path: &Path, wanted: &Wanted) -> Result<CloudLog, CloudError> {
        let origin = origin_of(path)?;
        let topic = match &origin {
            Origin::Bag(bag) => cloud_topic(path, bag, wanted.topic.as_deref())?,
            Origin::Kitti(kitti) => Topic {
                name: "velodyne".to_owned(),
                schema: "KITTI".to_owned(),
                encoding: "float32".to_owned(),
                messages: kitti.scans.len() as u64,
                recorded: ends(&kitti.times),
            },
        };
        let mut log = CloudLog {
            path: path.to_owned(),
            origin,
            topic,
            frame: String::new(),
            followed: String::new(),
            scanner: Isometry3::identity(),
            clock: None,
            odometry: Vec::new(),
            remarks: Vec::new(),
        };
        if let Origin::Bag(bag) = &log.origin {
            log.remarks.extend(bag.cut.iter().map(|cut| format!("cut off: {}; read up to there", describe_cut(cut))));
        }
        log.look_at_clouds()?;
        log.find_motion(wanted)?;
        Ok(log)
    }

    /// The topic with the clouds.
    pub fn topic(&self) -> &Topic {
        &self.topic
    }

    /// The frame whose motion the clouds tell.
    pub fn followed(&self) -> &str {
        &self.followed
    }

    /// What the points' times count, if they have any.
    pub fn clock(&self) -> Option<&PointClock> {
        self.clock.as_ref()
    }

    /// Where the followed frame was by odometry, in order of time; empty without.
    pub fn odometry(&self) -> &[StampedPose] {
        &self.odometry
    }

    /// The file of true poses that belongs to the recording, if there is one.
    pub fn truth_file(&self) -> Option<&Path> {
        match &self.origin {
            Origin::Kitti(kitti) => kitti.poses_file.as_deref(),
            Origin::Bag(_) => None,
        }
    }

    /// What was taken, for people.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// From a cloud to the next [s].
    pub fn period(&self) -> f64 {
        let (first, last) = self.topic.recorded;
        let steps = self.topic.messages.saturating_sub(1).max(1) as f64;
        let period = 1e-9 * last.saturating_sub(first) as f64 / steps;
        if (1e-3..=10.0).contains(&period) { period } else { PERIOD }
    }

    /// Hands out the clouds in the followed frame until somebody has enough. Returns how many were left out because their stamp
    /// was not after that of the one before.
    pub fn clouds(&self, take: &mut dyn FnMut(Cloud) -> ControlFlow<()>) -> Result<u64, CloudError> {
        let (mut number, mut last, mut left_out) = (0, None, 0);
        self.raw_clouds(&mut |mut cloud| {
            if cloud.frame != self.frame {
                return Err(mismatch(
                    format!("frame '{}' as in the first message", self.frame),
                    format!("'{}'", cloud.frame),
                ));
            }
            if last.is_some_and(|last| cloud.stamp <= last) {
                left_out += 1;
                return Ok(ControlFlow::Continue(()));
            }
            (cloud.number, last) = (number, Some(cloud.stamp));
            number += 1;
            if self.scanner != Isometry3::identity() {
                cloud.place(&self.scanner);
            }
            Ok(take(cloud))
        })?;
        Ok(left_out)
    }

    /// The clouds as they stand in the recording.
    fn raw_clouds(&self, take: &mut dyn FnMut(Cloud) -> Result<ControlFlow<()>, Mismatch>) -> Result<(), CloudError> {
        match &self.origin {
            Origin::Bag(bag) => {
                let is_it = |topic: &Topic| topic.name == self.topic.name && topic.schema == self.topic.schema;
                bag.messages(&is_it, &mut |message| take(message.cloud()?))
            }
            // all are in one frame, which is what could be wrong
            Origin::Kitti(kitti) => kitti.clouds(&mut |cloud| take(cloud).unwrap_or(ControlFlow::Break(()))),
        }
    }

    /// The scanner's frame, and what the points' times count.
    fn look_at_clouds(&mut self) -> Result<(), CloudError> {
        let (period, mut seen) = (self.period(), 0);
        let (mut frame, mut clock, mut fields) = (None, None, None);
        self.raw_clouds(&mut |cloud| {
            seen += 1;
            clock = PointClock::find(&cloud, period).or(clock.take());
            fields = cloud.times.map(|times| times.name);
            frame.get_or_insert(cloud.frame);
            let is_enough = seen >= LOOKED_AT || cloud.stamp.seconds() > 20.0 * period && clock.is_some();
            Ok(if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        let Some(frame) = frame else { return Err(self.missing("at least one cloud", "none")) };
        self.remarks.push(match (&self.origin, self.topic.describe()) {
            (Origin::Bag(_), topic) => format!("clouds: {topic}, in frame '{frame}', one every {period:.3} s"),
            (Origin::Kitti(kitti), _) => {
                let times = kitti.times_file.as_ref().map(|file| format!("times from {}", file.display()));
                let times = times.unwrap_or_else(|| "no times.txt, taken as ten a second".to_owned());
                format!("clouds: {} KITTI scans, {times}", kitti.scans.len())
            }
        });
        self.remarks.push(match (&clock, fields) {
            (Some(clock), _) => format!("times of points: {clock}"),
            (None, Some(field)) => {
                format!("times of points: none; field '{field}' does not count the time of a sweep of {period:.3} s")
            }
            (None, None) => "times of points: none; every cloud is taken as measured at once".to_owned(),
        });
        (self.followed, self.frame, self.clock) = (frame.clone(), frame, clock);
        Ok(())
    }

    /// Odometry, and the frame that is followed.
    fn find_motion(&mut self, wanted: &Wanted) -> Result<(), CloudError> {
        let bag = match &self.origin {
            Origin::Bag(bag) => bag.clone(),
            Origin::Kitti(_) if wanted.odometry_topic.is_some() || wanted.needs_odometry => {
                return Err(self.missing(
                    "odometry",
                    "a KITTI folder, which has none; --method surfels, kiss-icp or vgicp do without",
                ));
            }
            Origin::Kitti(_) => Bag::new(Vec::new())?,
        };
        let mut frames = Frames::default();
        bag.messages(&|topic| topic.content() == Content::Frames, &mut |message| {
            frames.add(message.frames()?).map(ControlFlow::Continue)
        })?;
        let moving = match self.odometry_topic(&bag, wanted)? {
            Some(topic) => self.read_odometry(&bag, &topic)?,
            None => None,
        };
        match (&wanted.frame, moving) {
            (Some(frame), _) => self.follow(frame, &frames, true),
            (None, Some(frame)) => self.follow(&frame, &frames, false),
            (None, None) => Ok(()),
        }
    }

    fn odometry_topic(&self, bag: &Bag, wanted: &Wanted) -> Result<Option<Topic>, CloudError> {
        let topics: Vec<&Topic> =
            bag.topics.iter().filter(|topic| topic.content() == Content::Pose && topic.messages > 0).collect();
        let named = |name: &str| topics.iter().find(|topic| topic.name == name).map(|topic| (*topic).clone());
        if let Some(name) = &wanted.odometry_topic {
            let missing = || self.missing(&format!("odometry on topic '{name}' ({POSES})"), &names(&bag.topics));
            return named(name).map(Some).ok_or_else(missing);
        }
        if !wanted.needs_odometry {
            return Ok(None);
        }
        let usual = ["/odom", "/odometry"].into_iter().find_map(named);
        match (usual, topics.as_slice()) {
            (Some(topic), _) => Ok(Some(topic)),
            (None, [topic]) => Ok(Some((*topic).clone())),
            (None, []) => Err(self.missing(&format!("a topic with odometry ({POSES})"), &names(&bag.topics))),
            (None, several) => {
                let several: Vec<Topic> = several.iter().map(|topic| (*topic).clone()).collect();
                Err(self.missing("--odometry-topic with one of them", &names(&several)))
            }
        }
    }

    /// Reads where the robot was; returns the frame that moved, if messages say it.
    fn read_odometry(&mut self, bag: &Bag, topic: &Topic) -> Result<Option<String>, CloudError> {
        let (mut poses, mut moving): (Vec<StampedPose>, _) = (Vec::new(), None);
        bag.messages(&|other| other.name == topic.name && other.schema == topic.schema, &mut |message| {
            let ((stamp, pose), frame) = message.pose()?;
            moving = frame.filter(|frame| !frame.is_empty()).or(moving.take());
            let is_later = poses.last().is_none_or(|(last, _)| stamp.nanoseconds() >= last.nanoseconds() + LEAST_STEP);
            if is_later {
                poses.push((stamp, pose));
            }
            if poses.len() > MOST_POSES {
                return Err(mismatch(format!("at most {MOST_POSES} poses"), "more"));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        self.remarks.push(format!("odometry: {}", topic.describe()));
        self.odometry = poses;
        Ok(moving)
    }

    /// The motion of `frame` is wanted; if that is what was asked for, the way to it must be known.
    fn follow(&mut self, frame: &str, frames: &Frames, is_asked_for: bool) -> Result<(), CloudError> {
        match frames.find(&self.frame, frame) {
            Some(scanner) => {
                (self.scanner, self.followed) = (scanner, frame.to_owned());
                self.remarks.push(format!(
                    "frame followed: '{frame}', from which the scanner is at {:.3} m {:.1}°",
                    scanner.translation.vector.norm(),
                    scanner.rotation.angle().to_degrees()
                ));
                Ok(())
            }
            None if is_asked_for => {
                let known = frames.names().join(", ");
                let known = if known.is_empty() { "no static transforms".to_owned() } else { known };
                Err(self.missing(&format!("frame '{frame}', joined to '{}' on /tf_static", self.frame), &known))
            }
            None => {
                self.remarks
                    .push(format!("frame: /tf_static does not join '{}' to '{frame}'; taken as the same", self.frame));
                Ok(())
            }
        }
    }

    fn missing(&self, expected: &str, found: &str) -> CloudError {
        CloudError::missing(&self.path, expected, found)
    }
}

/// What odometry is read from.
const POSES: &str = "nav_msgs/Odometry, geometry_msgs/PoseStamped, foxglove.Odometry or foxglove.PoseInFrame";

/// The topic with clouds: the one that was named, or the only one.
fn cloud_topic(path: &Path, bag: &Bag, wanted: Option<&str>) -> Result<Topic, CloudError> {
    const CLOUDS: &str = "sensor_msgs/PointCloud2 in cdr or ros1, or foxglove.PointCloud in protobuf or json";
    let is_cloud = |topic: &&Topic| topic.content() == Content::Cloud && topic.messages > 0;
    let topics: Vec<Topic> = bag.topics.iter().filter(is_cloud).cloned().collect();
    let missing = |expected: String, found: &[Topic]| {
        let cut = bag.cut.iter().map(|cut| format!("; {}", describe_cut(cut)));
        Err(CloudError::missing(path, expected, names(found) + &cut.collect::<String>()))
    };
    match (wanted, topics.as_slice()) {
        (Some(name), _) => match topics.iter().find(|topic| topic.name == name) {
            Some(topic) => Ok(topic.clone()),
            None => missing(format!("clouds on topic '{name}' ({CLOUDS})"), &bag.topics),
        },
        (None, [topic]) => Ok(topic.clone()),
        (None, []) => missing(format!("a topic with clouds ({CLOUDS})"), &bag.topics),
        (None, several) => missing("--topic with one of them".to_owned(), several),
    }
}

/// Topics, for people.
fn names(topics: &[Topic]) -> String {
    let shown: Vec<String> = topics.iter().take(NAMED).map(Topic::describe).collect();
    match topics.len() {
        0 => "no topic at all".to_owned(),
        count if count > NAMED => format!("{} and {} more", shown.join(", "), count - NAMED),
        _ => shown.join(", "),
    }
}

/// First and last [ns].
fn ends(times: &[Time]) -> (u64, u64) {
    let at = |time: Option<&Time>| time.map_or(0, |time| time.nanoseconds());
    (at(times.first()), at(times.last()))
}
