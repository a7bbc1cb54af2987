//! The state of every joint, worrying numbers in colour.

use bevy_egui::egui::{self, Color32, RichText};
use robot_io::{JointKind, JointStatus};

use super::plots::PlotDesk;
use super::{Papers, style};

/// Efforts and speeds beyond this part of their limit are worth a look [1].
const HIGH: f64 = 0.8;
/// So are temperatures above [°C].
const HOT: f64 = 70.0;

/// Draws the table.
pub(super) fn show(ui: &mut egui::Ui, filter: &mut String, plots: &mut PlotDesk, papers: &Papers) {
    ui.horizontal(|ui| {
        ui.label("🔍");
        let field = egui::TextEdit::singleline(filter).hint_text("joints whose name has …");
        ui.add(field.desired_width(f32::INFINITY));
    });
    let Some(shown) = &papers.latest.shown else { return };
    let words = filter.to_lowercase();
    egui::ScrollArea::both().auto_shrink(false).show(ui, |ui| {
        egui::Grid::new("joints").striped(true).num_columns(6).spacing([12.0, 3.0]).show(ui, |ui| {
            for (head, tip) in [
                ("joint", "Click a name to plot it"),
                ("position", "[°] or [mm]"),
                ("velocity", "[°/s] or [mm/s]"),
                ("effort", "[N·m] or [N]"),
                ("temp.", "[°C]"),
                ("status", "What the drive says"),
            ] {
                ui.label(RichText::new(head).small().strong().color(style::FAINT)).on_hover_text(tip);
            }
            ui.end_row();
            for (joint, state) in papers.stage.scene.layout.joints.iter().zip(&shown.readings.joints) {
                if !joint.name.to_lowercase().contains(&words) {
                    continue;
                }
                if ui.link(&joint.name).on_hover_text("Plot position, velocity and effort").clicked() {
                    plots.open_joint(&joint.name, papers);
                }
                let (unit, scale) = if joint.kind == JointKind::Prismatic { ("mm", 1e3) } else { ("°", 57.295_78) };
                let limits = &joint.limits;
                number(ui, format!("{:8.1} {unit}", state.position * scale), plain(true));
                number(ui, format!("{:8.1}", state.velocity * scale), plain(state.velocity.abs() < HIGH * limits.velocity));
                number(ui, format!("{:7.1}", state.effort), plain(state.effort.abs() < HIGH * limits.effort));
                number(ui, format!("{:5.1}", state.temperature), plain(state.temperature < HOT));
                ui.label(RichText::new(state.status.to_string()).small().color(status_color(state.status)));
                ui.end_row();
            }
        });
    });
}

fn number(ui: &mut egui::Ui, text: String, color: Color32) {
    ui.label(RichText::new(text).monospace().color(color));
}

fn plain(fine: bool) -> Color32 {
    if fine { Color32::from_rgb(206, 212, 220) } else { style::WARN }
}

fn status_color(status: JointStatus) -> Color32 {
    if status.contains(JointStatus::FAULT) {
        style::BAD
    } else if status.contains(JointStatus::DERATED) || status.contains(JointStatus::SATURATED) {
        style::WARN
    } else if status.contains(JointStatus::ENABLED) {
        style::GOOD
    } else {
        style::FAINT
    }
}
