//! The state of every joint, worrying numbers in colour.

use std::collections::BTreeMap;

use bevy_egui::egui::{self, Color32, RichText};
use robot_io::{JointKind, JointLayout, JointState, JointStatus, OperatorInput, OperatorRequest};

use super::plots::PlotDesk;
use super::{Papers, style};
use crate::Request;

/// Efforts and speeds beyond this part of their limit are worth a look [1].
const HIGH: f64 = 0.8;
/// So are temperatures above [°C].
const HOT: f64 = 70.0;

/// What the table remembers.
#[derive(Default)]
pub(super) struct JointDesk {
    filter: String,
    /// Sliders in place of numbers?
    by_hand: bool,
    /// Joints that are moved by hand, and where to [rad or m].
    targets: BTreeMap<usize, f64>,
}

impl JointDesk {
    /// The run has begun again.
    pub(super) fn forget(&mut self) {
        self.targets.clear();
    }
}

/// Draws the table.
pub(super) fn show(ui: &mut egui::Ui, desk: &mut JointDesk, plots: &mut PlotDesk, papers: &Papers) {
    let can_move = !papers.is_log() && papers.stage.scene.by_hand.contains(&true);
    ui.horizontal(|ui| {
        ui.label("🔍");
        let field = egui::TextEdit::singleline(&mut desk.filter).hint_text("joints whose name has …");
        ui.add(field.desired_width(200.0));
        if can_move {
            ui.checkbox(&mut desk.by_hand, "move by hand")
                .on_hover_text("Sliders for the joints that do not carry the robot");
        }
    });
    if can_move && desk.by_hand {
        sliders(ui, desk, papers);
    } else {
        table(ui, &desk.filter, plots, papers);
    }
}

/// A slider for each joint that may be moved by hand.
fn sliders(ui: &mut egui::Ui, desk: &mut JointDesk, papers: &Papers) {
    let Some(shown) = &papers.latest.shown else { return };
    let words = desk.filter.to_lowercase();
    if ui.button("Give all back").on_hover_text("The mission moves these joints again").clicked() {
        std::mem::take(&mut desk.targets).into_keys().for_each(|joint| release(joint, papers));
    }
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        egui::Grid::new("sliders").striped(true).num_columns(3).spacing([8.0, 3.0]).show(ui, |ui| {
            let joints = papers.stage.scene.layout.joints.iter().zip(&shown.readings.joints).enumerate();
            for (index, (joint, state)) in joints {
                let may = papers.stage.scene.by_hand.get(index).copied().unwrap_or(false);
                if may && joint.name.to_lowercase().contains(&words) {
                    slider(ui, index, joint, state, desk, papers);
                }
            }
        });
    });
}

fn slider(
    ui: &mut egui::Ui,
    index: usize,
    joint: &JointLayout,
    state: &JointState,
    desk: &mut JointDesk,
    papers: &Papers,
) {
    let (scale, unit) = if joint.kind == JointKind::Prismatic { (1e3, " mm") } else { (1f64.to_degrees(), "°") };
    let held = desk.targets.get(&index).copied();
    let color = if held.is_some() { style::ACCENT } else { style::TEXT };
    ui.label(RichText::new(&joint.name).size(12.5).color(color));
    let mut value = held.unwrap_or(state.position) * scale;
    let range = joint.limits.lower * scale..=joint.limits.upper * scale;
    let tip = format!("now at {:.1}{unit}", state.position * scale);
    if ui.add(style::slider(&mut value, range, 1).suffix(unit)).on_hover_text(tip).changed() {
        desk.targets.insert(index, value / scale);
        send(OperatorRequest::MoveJoint { joint: index, position: value / scale }, papers);
    }
    let back = ui.add_enabled(held.is_some(), egui::Button::new("⟲").small());
    if back.on_hover_text("Give it back to the mission").clicked() {
        desk.targets.remove(&index);
        release(index, papers);
    }
    ui.end_row();
}

fn release(joint: usize, papers: &Papers) {
    send(OperatorRequest::ReleaseJoint { joint }, papers);
}

fn send(request: OperatorRequest, papers: &Papers) {
    let request = Some(request);
    papers.outbox.send(Request::Operator(OperatorInput { twist: papers.steering.twist, request }));
}

fn table(ui: &mut egui::Ui, filter: &str, plots: &mut PlotDesk, papers: &Papers) {
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
