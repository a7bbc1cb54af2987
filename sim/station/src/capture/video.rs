//! A film of the window in simulated time, written by a thread of its own.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use bevy::image::Image;
use crossbeam::channel::{Receiver, Sender, TrySendError, bounded};
use jpeg_encoder::{ColorType, Encoder};

use super::avi::Avi;

/// Pictures for each simulated second.
pub(super) const RATE: u32 = 25;
/// Quality of a picture, 1 to 100. Chosen: text stays sharp.
const QUALITY: u8 = 88;
/// Pictures that wait for the thread at most; what comes in between is left out.
const WAITING: usize = 4;
/// Simulated time that passes unseen is shown as a standstill of at most so many pictures; more is left out. In a log more than a short
/// one is a jump to another moment; live it is a window that is slow.
const LONGEST_GAP: u64 = 2 * RATE as u64;
const LONGEST_LIVE_GAP: u64 = 60 * RATE as u64;

/// What was seen at a simulated time.
#[derive(Debug)]
pub(super) struct Seen {
    /// [s].
    pub(super) time: f64,
    /// From a session that goes on as it is seen, not from a log, in which one can jump.
    pub(super) live: bool,
    pub(super) picture: Image,
}

/// A film under way.
#[derive(Debug)]
pub(super) struct Video {
    pub(super) path: PathBuf,
    pictures: Option<Sender<Seen>>,
    thread: Option<JoinHandle<Result<u64, String>>>,
}

impl Video {
    /// Begins a film that will be in this file.
    pub(super) fn begin(path: PathBuf) -> Result<Video, String> {
        let file = File::create_new(&path).map_err(|error| error.to_string())?;
        let (pictures, shown) = bounded(WAITING);
        let thread = std::thread::spawn(move || write(BufWriter::new(file), &shown));
        Ok(Video { path, pictures: Some(pictures), thread: Some(thread) })
    }

    /// Adds what was seen; false if the film has ended by itself.
    pub(super) fn add(&self, seen: Seen) -> bool {
        let Some(pictures) = &self.pictures else { return false };
        !matches!(pictures.try_send(seen), Err(TrySendError::Disconnected(_)))
    }

    /// Ends the film; its length [s], or why there is none.
    pub(super) fn finish(mut self) -> Result<f64, String> {
        self.end().map(|frames| frames as f64 / f64::from(RATE))
    }

    /// Waits until all pictures are written. A film without any is no film, and its file goes.
    fn end(&mut self) -> Result<u64, String> {
        self.pictures = None;
        let Some(thread) = self.thread.take() else { return Ok(0) };
        match thread.join() {
            Err(_) => Err("the film's thread failed".to_owned()),
            Ok(Ok(0)) => {
                std::fs::remove_file(&self.path).map_err(|error| error.to_string())?;
                Err("nothing was filmed: time stood still".to_owned())
            }
            Ok(written) => written,
        }
    }
}

/// A window that is closed in the middle of a film leaves a whole one.
impl Drop for Video {
    fn drop(&mut self) {
        // nobody is there to be told
        let _ = self.end();
    }
}

/// Simulated time as a number of pictures: forward without gaps, whatever jumps there are.
#[derive(Debug, Default)]
struct Counter {
    /// The time of picture 0 [s].
    start: Option<f64>,
}

impl Counter {
    /// How many pictures there should be before the one of this time, if there are `frames` already.
    fn due(&mut self, time: f64, live: bool, frames: u64) -> u64 {
        let start = *self.start.get_or_insert(time);
        let due = (time - start) * f64::from(RATE);
        let longest = if live { LONGEST_LIVE_GAP } else { LONGEST_GAP };
        if due + 1.0 < frames as f64 || due > (frames + longest) as f64 {
            self.start = Some(time - frames as f64 / f64::from(RATE));
            return frames;
        }
        // a picture that is due now is due, however its time was rounded
        (due + 1e-6).max(0.0) as u64
    }
}

fn write(file: BufWriter<File>, shown: &Receiver<Seen>) -> Result<u64, String> {
    let text = |error: std::io::Error| error.to_string();
    let Ok(first) = shown.recv() else { return Ok(0) };
    let (size, mut counter) = (first.picture.size(), Counter::default());
    let mut avi = Avi::begin(file, (size.x, size.y), RATE).map_err(text)?;
    let mut next = Some(first);
    while let Some(Seen { time, live, picture }) = next {
        let due = counter.due(time, live, avi.frames());
        // a window of another size is another film
        if picture.size() != size || avi.is_full() {
            break;
        }
        if due >= avi.frames() {
            while avi.frames() < due {
                avi.frame(&[]).map_err(text)?;
            }
            avi.frame(&jpeg(picture)?).map_err(text)?;
        }
        next = shown.recv().ok();
    }
    let frames = avi.frames();
    avi.finish().map_err(text)?;
    Ok(frames)
}

fn jpeg(picture: Image) -> Result<Vec<u8>, String> {
    let picture = picture.try_into_dynamic().map_err(|error| error.to_string())?.to_rgb8();
    let side = |pixels: u32| u16::try_from(pixels).map_err(|_| "a window of more than 65,535 pixels".to_owned());
    let (width, height) = (side(picture.width())?, side(picture.height())?);
    let mut bytes = Vec::new();
    let encoder = Encoder::new(&mut bytes, QUALITY);
    encoder.encode(picture.as_raw(), width, height, ColorType::Rgb).map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// The first path of the kind `folder/name_1.ending` that is not there yet.
pub(super) fn free_path(folder: &Path, name: &str, ending: &str) -> PathBuf {
    let path = |number: u32| folder.join(format!("{name}_{number}.{ending}"));
    (1..).map(path).find(|path| !path.exists()).unwrap_or_else(|| path(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_film_passes_as_simulated_time_does() {
        let mut counter = Counter::default();
        assert_eq!(counter.due(10.0, false, 0), 0);
        assert_eq!(counter.due(10.04, false, 1), 1);
        assert_eq!(counter.due(10.4, false, 2), 10, "what nobody saw is a standstill");
        assert_eq!(counter.due(10.41, false, 11), 10, "too early: it is left out");
    }

    #[test]
    fn a_slow_window_makes_no_shorter_film_of_a_live_session() {
        let mut counter = Counter::default();
        counter.due(10.0, true, 0);
        assert_eq!(counter.due(15.0, true, 1), 125, "a picture every five seconds");
        assert_eq!(counter.due(0.0, true, 126), 126, "begun again");
        assert_eq!(counter.due(200.0, true, 127), 127, "the machine was asleep");
    }

    #[test]
    fn a_restart_or_a_seek_leaves_no_gap_in_the_film() {
        let mut counter = Counter::default();
        counter.due(50.0, false, 0);
        assert_eq!(counter.due(0.0, false, 30), 30, "back");
        assert_eq!(counter.due(0.04, false, 31), 31);
        assert_eq!(counter.due(90.0, false, 32), 32, "far ahead");
    }
}
