//! Pictures and films of the window.

mod avi;
mod video;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};

use crate::feed::{Latest, Phase};
use video::{Seen, Video, free_path};

/// Takes pictures and films; they go into this folder.
pub(crate) struct CapturePlugin(pub(crate) PathBuf);

/// What the window takes of itself.
#[derive(Resource, Debug)]
pub(crate) struct Capture {
    folder: PathBuf,
    wanted: bool,
    video: Option<Video>,
    /// A picture for the film is on its way.
    busy: bool,
    notice: Option<(String, Instant)>,
}

/// A notice is shown for so long.
const SHOWN: Duration = Duration::from_secs(8);

impl Plugin for CapturePlugin {
    fn build(&self, app: &mut App) {
        let folder = self.0.clone();
        app.insert_resource(Capture { folder, wanted: false, video: None, busy: false, notice: None })
            .add_systems(Update, (take_picture, take_film).in_set(Phase::Draw));
    }
}

impl Capture {
    /// Takes a picture of the next frame.
    pub(crate) fn take_picture(&mut self) {
        self.wanted = true;
    }

    /// Begins a film, or ends it.
    pub(crate) fn switch_film(&mut self) {
        match self.video.take() {
            Some(video) => self.end_film(video),
            None => {
                let path = self.free_path("video", "avi");
                let begun = path.and_then(|path| Video::begin(path.clone()).map_err(|error| complaint(&path, &error)));
                match begun {
                    Ok(video) => self.video = Some(video),
                    Err(complaint) => self.tell(complaint),
                }
            }
        }
    }

    /// True while a film is taken.
    pub(crate) fn films(&self) -> bool {
        self.video.is_some()
    }

    /// What there is to say, for a while.
    pub(crate) fn notice(&self) -> Option<&str> {
        self.notice.as_ref().filter(|(_, since)| since.elapsed() < SHOWN).map(|(text, _)| text.as_str())
    }

    fn end_film(&mut self, video: Video) {
        let path = video.path.clone();
        match video.finish() {
            Ok(seconds) => self.tell(format!("{}: {seconds:.1} s", path.display())),
            Err(error) => self.tell(complaint(&path, &error)),
        }
    }

    fn tell(&mut self, text: String) {
        self.notice = Some((text, Instant::now()));
    }

    fn free_path(&self, name: &str, ending: &str) -> Result<PathBuf, String> {
        let made = std::fs::create_dir_all(&self.folder);
        made.map_err(|error| complaint(&self.folder, &error.to_string()))?;
        Ok(free_path(&self.folder, name, ending))
    }
}

fn complaint(path: &std::path::Path, error: &str) -> String {
    format!("{}: {error}", path.display())
}

fn take_picture(mut commands: Commands, mut capture: ResMut<Capture>) {
    if !std::mem::take(&mut capture.wanted) {
        return;
    }
    match capture.free_path("screenshot", "png") {
        Ok(path) => {
            commands.spawn(Screenshot::primary_window()).observe(
                move |seen: On<ScreenshotCaptured>, mut capture: ResMut<Capture>| {
                    let told = crate::offscreen::write(&path, seen.image.clone());
                    capture.tell(told.map_or_else(|error| error.to_string(), |()| path.display().to_string()));
                },
            );
        }
        Err(complaint) => capture.tell(complaint),
    }
}

/// One picture for each frame that has come, if the last one is through.
fn take_film(mut commands: Commands, mut capture: ResMut<Capture>, latest: Res<Latest>) {
    let Some(shown) = latest.news() else { return };
    let (time, live) = (shown.frame.time.seconds(), shown.playback.span.is_none());
    if capture.busy || !capture.films() {
        return;
    }
    capture.busy = true;
    commands.spawn(Screenshot::primary_window()).observe(
        move |seen: On<ScreenshotCaptured>, mut capture: ResMut<Capture>| {
            capture.busy = false;
            let picture = seen.image.clone();
            let goes_on = capture.video.as_ref().is_none_or(|video| video.add(Seen { time, live, picture }));
            if !goes_on && let Some(video) = capture.video.take() {
                capture.end_film(video);
            }
        },
    );
}
