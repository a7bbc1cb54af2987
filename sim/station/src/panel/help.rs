//! All keys, over everything else.

use bevy_egui::egui::{self, RichText};

use super::style;
use crate::input::{KEYS, KeyHelp};

const HELD: [(&str, &str); 8] = [
    ("W S / ↑ ↓", "drive forward, backward (held)"),
    ("A D", "drive sideways (held)"),
    ("Q E / ← →", "turn (held)"),
    ("Shift", "twice as fast (held)"),
    ("left drag", "look around"),
    ("right drag", "move the view"),
    ("wheel", "zoom"),
    ("Ctrl + left drag", "pull at the body under the mouse"),
];

/// Draws the table of keys.
pub(super) fn show(context: &egui::Context, state: &mut KeyHelp) {
    let window = egui::Window::new("Keys")
        .open(&mut state.help)
        .resizable(false)
        .collapsible(false)
        .fade_in(false)
        .fade_out(false);
    window.anchor(egui::Align2::CENTER_CENTER, egui::Vec2::ZERO).show(context, |ui| {
        ui.horizontal_top(|ui| {
            let pressed = KEYS.iter().map(|binding| (binding.label, binding.help));
            table(ui, "pressed", pressed);
            ui.separator();
            table(ui, "held", HELD.into_iter());
        });
    });
}

fn table(ui: &mut egui::Ui, id: &str, rows: impl Iterator<Item = (&'static str, &'static str)>) {
    egui::Grid::new(id).num_columns(2).striped(true).spacing([14.0, 4.0]).show(ui, |ui| {
        for (key, help) in rows {
            ui.label(RichText::new(key).monospace().strong().color(style::ACCENT));
            ui.label(help);
            ui.end_row();
        }
    });
}
