//! The left panel: what is drawn, how the robot is, how to steer it.

use bevy_egui::egui::{self, Button, Color32, RichText};

use super::{Desk, Papers, map, style};
use crate::input::{Action, KEYS, KeyBinding, Overlay};
use crate::overlays::balance;
use crate::{Request, StationFrame};

/// Draws the panel.
pub(super) fn show_left(ui: &mut egui::Ui, desk: &mut Desk, papers: &mut Papers) {
    let panel = egui::Panel::left("left").default_size(218.0).size_range(190.0..=340.0).frame(style::panel());
    panel.show(ui, |ui| {
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            overlays(ui, papers);
            map::show(ui, papers);
            camera(ui, desk, papers);
            if let Some(shown) = &papers.latest.shown {
                state(ui, papers, shown);
            }
            if !papers.is_log() {
                operator(ui, desk, papers);
                run(ui, desk, papers);
            }
        });
    });
}

fn overlays(ui: &mut egui::Ui, papers: &mut Papers) {
    style::title(ui, "Show");
    let has_feet = !papers.stage.scene.robot.description.feet.is_empty();
    let is_here = |overlay: Overlay| !overlay.is_of_map() && (has_feet || !overlay.is_of_feet());
    for binding in KEYS {
        if matches!(binding.action, Action::Overlay(overlay) if is_here(overlay)) {
            switch(ui, binding, papers);
        }
    }
}

/// The check box of an overlay with its key.
pub(super) fn switch(ui: &mut egui::Ui, binding: &KeyBinding, papers: &mut Papers) {
    let Action::Overlay(overlay) = binding.action else { return };
    ui.horizontal(|ui| {
        ui.label(RichText::new(binding.label).monospace().color(style::FAINT));
        let switch = overlay.switch(&mut papers.shown.0);
        let tip = format!("Key {}", binding.label);
        ui.checkbox(switch, capitalized(binding.help)).on_hover_text(tip);
    });
}

fn camera(ui: &mut egui::Ui, desk: &mut Desk, papers: &mut Papers) {
    style::title(ui, "Camera");
    ui.horizontal(|ui| {
        ui.checkbox(&mut papers.follow.on, "Follow").on_hover_text("Go with the robot (F)");
        if ui.button("Home").on_hover_text("Camera back to its start (C)").clicked() {
            desk.pressed.push(Action::Home);
        }
    });
    ui.label(
        RichText::new("left drag: orbit · right drag: move\nwheel: zoom · Ctrl + drag: pull")
            .small()
            .color(style::FAINT),
    );
}

fn state(ui: &mut egui::Ui, papers: &Papers, shown: &StationFrame) {
    style::title(ui, "Robot");
    egui::Grid::new("state").num_columns(2).spacing([10.0, 3.0]).show(ui, |ui| {
        let mut row = |name: &str, value: String, color: Color32, tip: &str| {
            ui.label(RichText::new(name).color(style::FAINT)).on_hover_text(tip);
            ui.label(RichText::new(value).monospace().color(color)).on_hover_text(tip);
            ui.end_row();
        };
        let plain = style::TEXT;
        if let Some(base) = shown.frame.links_in_world.first() {
            let at = base.translation.vector;
            row("base", format!("{:6.2} {:6.2} {:5.2} m", at.x, at.y, at.z), plain, "True position in the world");
            let (roll, pitch, _) = base.rotation.euler_angles();
            let tilt = format!("{:+5.1}° {:+5.1}°", roll.to_degrees(), pitch.to_degrees());
            row("roll pitch", tilt, plain, "True attitude of the base");
        }
        let (text, color) = match balance(&shown.frame).margin {
            Some(margin) if margin >= 0.05 => (format!("{:.0} mm", margin * 1e3), style::GOOD),
            Some(margin) => (format!("{:.0} mm", margin * 1e3), if margin >= 0.0 { style::WARN } else { style::BAD }),
            None => ("no support".to_owned(), style::WARN),
        };
        row("margin", text, color, "Centre of mass within the support polygon, seen along gravity");
        let force: f64 = shown.frame.contacts.iter().map(|contact| contact.force_in_world.z).sum();
        row("on ground", format!("{force:.0} N"), plain, "Sum of all contact forces along z");
        if let (Some(battery), Some(named)) =
            (shown.readings.batteries.first(), papers.stage.scene.layout.batteries.first())
        {
            let charge = format!("{:.1} V {:.1} A", battery.voltage, battery.current);
            row(&named.name, charge, plain, "Battery voltage and current");
        }
    });
}

fn operator(ui: &mut egui::Ui, desk: &mut Desk, papers: &Papers) {
    style::title(ui, "Operator");
    let stopped = papers.latest.shown.as_ref().is_some_and(|shown| shown.status.stop.is_some());
    let stop = Button::new(RichText::new("⏹ Emergency stop").strong().color(Color32::WHITE))
        .fill(Color32::from_rgb(178, 34, 34))
        .min_size(egui::vec2(ui.available_width(), 30.0));
    if ui.add(stop).on_hover_text("The robot stops at once and stays stopped (Space)").clicked() {
        desk.pressed.push(Action::EmergencyStop);
    }
    if stopped {
        let clear =
            Button::new(RichText::new("Clear the stop").strong()).min_size(egui::vec2(ui.available_width(), 26.0));
        if ui.add(clear).on_hover_text("The robot may move again (Backspace)").clicked() {
            desk.pressed.push(Action::ClearStop);
        }
    }
    ui.horizontal(|ui| {
        let buttons = [
            ("Hold", Action::PauseMission, "Pause the mission; time goes on (M)"),
            ("Go on", Action::ResumeMission, "Resume the mission (R)"),
        ];
        for (text, action, tip) in buttons {
            if ui.small_button(text).on_hover_text(tip).clicked() {
                desk.pressed.push(action);
            }
        }
    });
    let steering = match papers.steering.twist {
        Some(t) => RichText::new(format!("{:+.2} {:+.2} m/s {:+.2} rad/s", t.x, t.y, t.yaw)).monospace(),
        None => RichText::new("W A S D, Q E or arrows: drive · Shift: fast").small().color(style::FAINT),
    };
    ui.label(steering);
}

/// Begin again, with this seed or another.
fn run(ui: &mut egui::Ui, desk: &mut Desk, papers: &Papers) {
    let Some(shown) = &papers.latest.shown else { return };
    style::title(ui, "Run");
    if ui.button("⟲ Begin again").on_hover_text("The same run with the same seed (F5)").clicked() {
        desk.pressed.push(Action::Restart);
    }
    ui.horizontal(|ui| {
        let mut seed = desk.seed.unwrap_or(shown.status.seed + 1);
        ui.label("seed");
        if ui.add(egui::DragValue::new(&mut seed).speed(0.1)).changed() {
            desk.seed = Some(seed);
        }
        if ui.button("Begin with it").on_hover_text("The same scenario with this seed (F6: the next)").clicked() {
            papers.outbox.send(Request::Restart { seed: Some(seed) });
            desk.seed = None;
        }
    });
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
