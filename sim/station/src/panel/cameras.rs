//! What the robot's cameras have taken.

use bevy_egui::egui::{self, Color32, ColorImage, RichText, TextureHandle, TextureOptions};
use robot_io::colour_maps::height_colour;
use robot_io::{DepthImage, Image, OperatorInput, OperatorRequest, Time};

use super::{Papers, style};
use crate::Request;

/// The pictures on the screen.
#[derive(Default)]
pub(super) struct CameraDesk {
    colour: Vec<Slot>,
    depth: Vec<Slot>,
    /// Take pictures again and again?
    again: bool,
    /// When each was last asked for.
    asked: Option<Time>,
}

/// A picture and when it was taken.
#[derive(Default)]
struct Slot {
    stamp: Option<Time>,
    texture: Option<TextureHandle>,
}

/// With "again and again", pictures are asked for this often [s].
const INTERVAL: f64 = 0.5;
/// Farther is drawn like this [m].
const FARTHEST: f64 = 6.0;

impl CameraDesk {
    /// The run has begun again.
    pub(super) fn forget(&mut self) {
        *self = CameraDesk { again: self.again, ..CameraDesk::default() };
    }
}

/// Draws all pictures, below each other.
pub(super) fn show(ui: &mut egui::Ui, desk: &mut CameraDesk, papers: &Papers) {
    let Some(shown) = &papers.latest.shown else { return };
    let layout = &papers.stage.scene.layout;
    let (colour, depth) = (layout.cameras.len(), layout.depth_cameras.len());
    if colour + depth == 0 {
        let hint = "No camera is switched on in this scenario. Name some: `sensors` in its file, or `chiron view CASE \
                    --sensors all`.";
        ui.label(RichText::new(hint).color(style::FAINT));
        return;
    }
    desk.colour.resize_with(colour, Slot::default);
    desk.depth.resize_with(depth, Slot::default);
    if !papers.is_log() {
        controls(ui, desk, papers, shown.playback.now);
    }
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        for (index, camera) in layout.cameras.iter().enumerate() {
            let (slot, seen) = (&mut desk.colour[index], shown.readings.images.get(index).and_then(Option::as_ref));
            draw(ui, slot, &camera.name, seen.map(|image| (image.stamp, move || colour_picture(image))));
            if !papers.is_log() && ui.small_button("take a picture").clicked() {
                ask(papers, OperatorRequest::TakeImage { camera: index });
            }
        }
        for (index, camera) in layout.depth_cameras.iter().enumerate() {
            let (slot, seen) =
                (&mut desk.depth[index], shown.readings.depth_images.get(index).and_then(Option::as_ref));
            draw(ui, slot, &camera.name, seen.map(|image| (image.stamp, move || depth_picture(image))));
            if !papers.is_log() && ui.small_button("take a depth picture").clicked() {
                ask(papers, OperatorRequest::TakeDepthImage { camera: index });
            }
        }
    });
}

fn controls(ui: &mut egui::Ui, desk: &mut CameraDesk, papers: &Papers, now: Time) {
    ui.horizontal(|ui| {
        let tip = "The robot takes pictures on demand; this asks for them twice a second of simulated time";
        ui.checkbox(&mut desk.again, "again and again").on_hover_text(tip);
    });
    let due = desk.asked.is_none_or(|asked| now < asked || now.since(asked).seconds() >= INTERVAL);
    if desk.again && due {
        desk.asked = Some(now);
        let colour = (0..desk.colour.len()).map(|camera| OperatorRequest::TakeImage { camera });
        let depth = (0..desk.depth.len()).map(|camera| OperatorRequest::TakeDepthImage { camera });
        colour.chain(depth).for_each(|request| ask(papers, request));
    }
}

fn ask(papers: &Papers, request: OperatorRequest) {
    let request = Some(request);
    papers.outbox.send(Request::Operator(OperatorInput { twist: papers.steering.twist, request }));
}

/// Draws a camera's last picture as wide as there is room.
fn draw(ui: &mut egui::Ui, slot: &mut Slot, name: &str, seen: Option<(Time, impl Fn() -> ColorImage)>) {
    let stamp = seen.as_ref().map(|(stamp, _)| *stamp);
    if slot.stamp != stamp || slot.texture.is_none() {
        slot.texture = seen.map(|(_, picture)| ui.ctx().load_texture(name, picture(), TextureOptions::LINEAR));
        slot.stamp = stamp;
    }
    ui.horizontal(|ui| {
        ui.label(RichText::new(name).strong());
        let when = stamp.map_or_else(|| "no picture yet".to_owned(), |stamp| stamp.to_string());
        ui.label(RichText::new(when).monospace().color(style::FAINT));
    });
    if let Some(texture) = &slot.texture {
        let width = ui.available_width();
        let size = texture.size_vec2();
        ui.image((texture.id(), egui::vec2(width, width * size.y / size.x.max(1.0))));
    }
}

fn colour_picture(image: &Image) -> ColorImage {
    ColorImage::from_rgb([image.width, image.height], &image.rgb)
}

/// Near is warm, far is cold, nothing is black.
fn depth_picture(image: &DepthImage) -> ColorImage {
    let pixel = |depth: &u16| {
        let metres = f64::from(*depth) * 1e-3;
        if metres <= 0.0 {
            return Color32::BLACK;
        }
        let [red, green, blue] = height_colour(1.0 - (metres / FARTHEST).min(1.0));
        Color32::from_rgb(red, green, blue)
    };
    let pixels = image.depths.iter().map(pixel).collect();
    ColorImage::new([image.width, image.height], pixels)
}
