//! All keys, over everything else.

use bevy_egui::egui::{self, RichText};

use super::style;
use crate::input::{Action, KEYS, KeyBinding, KeyHelp};

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
            // what is drawn has a column of its own: one of all keys would be higher than small windows
            let column = |shows: bool| {
                let of_it = move |binding: &&KeyBinding| matches!(binding.action, Action::Overlay(_)) == shows;
                KEYS.iter().filter(of_it).map(|binding| (binding.label, binding.help))
            };
            table(ui, "pressed", column(false));
            ui.separator();
            table(ui, "shown", column(true));
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
