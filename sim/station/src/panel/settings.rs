//! Settings of the controller, changed while it runs.

use std::collections::BTreeMap;

use bevy_egui::egui::{self, RichText};
use robot_io::{OperatorInput, OperatorRequest, ShortName};

use super::{Papers, style};
use crate::{Request, Setting};

/// What has been changed.
#[derive(Default)]
pub(super) struct SettingDesk {
    changed: BTreeMap<&'static str, f64>,
}

impl SettingDesk {
    /// The run has begun again.
    pub(super) fn forget(&mut self) {
        self.changed.clear();
    }
}

/// Draws a slider for each setting.
pub(super) fn show(ui: &mut egui::Ui, desk: &mut SettingDesk, papers: &Papers) {
    let settings = &papers.stage.scene.settings;
    if settings.is_empty() || papers.is_log() {
        let why = if papers.is_log() { "A log's settings cannot be changed." } else { "This controller has none." };
        ui.label(RichText::new(why).color(style::FAINT));
        return;
    }
    let hint = "As in a scenario's [settings]. Changes act at once, and are in the log with the operator's input.";
    ui.label(RichText::new(hint).small().color(style::FAINT));
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        egui::Grid::new("settings").striped(true).num_columns(3).spacing([8.0, 5.0]).show(ui, |ui| {
            for setting in settings {
                row(ui, setting, desk, papers);
                ui.end_row();
            }
        });
    });
}

fn row(ui: &mut egui::Ui, setting: &Setting, desk: &mut SettingDesk, papers: &Papers) {
    let changed = desk.changed.get(setting.name).copied();
    let color = if changed.is_some() { style::ACCENT } else { style::TEXT };
    ui.label(RichText::new(setting.name).size(12.5).color(color));
    let mut value = changed.unwrap_or(setting.value);
    let unit = if setting.unit == "1" { String::new() } else { format!(" {}", setting.unit) };
    let slider = style::slider(&mut value, setting.range.0..=setting.range.1, 3).suffix(unit);
    if ui.add(slider).changed() {
        send(setting, value, papers);
        desk.changed.insert(setting.name, value);
    }
    let back = ui.add_enabled(changed.is_some(), egui::Button::new("⟲").small());
    if back.on_hover_text(format!("Back to {}", setting.value)).clicked() {
        send(setting, setting.value, papers);
        desk.changed.remove(setting.name);
    }
}

fn send(setting: &Setting, value: f64, papers: &Papers) {
    if let Some(name) = ShortName::new(setting.name) {
        let request = Some(OperatorRequest::Set { setting: name, value });
        papers.outbox.send(Request::Operator(OperatorInput { twist: papers.steering.twist, request }));
    }
}
