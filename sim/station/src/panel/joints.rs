//! The state of every joint, worrying numbers in colour.

use bevy_egui::egui::{self, Color32, RichText};
use robot_io::{JointKind, JointLayout, JointState, JointStatus};

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
        egui::Grid::new("joints").striped(true).num_columns(6).spacing([8.0, 3.0]).show(ui, |ui| {
            for (head, tip) in [
                ("joint", "Click a name to plot it"),
                ("pos. [°]", "Position, [mm] for sliding joints"),
                ("vel. [°/s]", "Velocity, [mm/s] for sliding joints"),
                ("eff. [N·m]", "Effort, [N] for sliding joints"),
                ("[°C]", "Temperature"),
                ("status", "What the drive says"),
            ] {
                ui.label(RichText::new(head).small().strong().color(style::FAINT)).on_hover_text(tip);
            }
            ui.end_row();
            for (joint, state) in papers.stage.scene.layout.joints.iter().zip(&shown.readings.joints) {
                if joint.name.to_lowercase().contains(&words) && row(ui, joint, state) {
                    plots.open_joint(&joint.name, papers);
                }
            }
        });
    });
}

/// One joint's row; true if its name is clicked.
fn row(ui: &mut egui::Ui, joint: &JointLayout, state: &JointState) -> bool {
    let name = RichText::new(&joint.name).size(12.5);
    let clicked = ui.link(name).on_hover_text("Plot position, velocity and effort").clicked();
    let scale = if joint.kind == JointKind::Prismatic { 1e3 } else { 1f64.to_degrees() };
    let limits = &joint.limits;
    number(ui, format!("{:7.1}", state.position * scale), plain(true));
    number(ui, format!("{:6.1}", state.velocity * scale), plain(state.velocity.abs() < HIGH * limits.velocity));
    number(ui, format!("{:6.1}", state.effort), plain(state.effort.abs() < HIGH * limits.effort));
    number(ui, format!("{:4.1}", state.temperature), plain(state.temperature < HOT));
    ui.label(RichText::new(state.status.to_string()).small().color(status_color(state.status)));
    ui.end_row();
    clicked
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
