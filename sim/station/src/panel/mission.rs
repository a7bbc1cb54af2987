//! What the mission does at this moment and why, and all that led there.

use bevy_egui::egui::{self, RichText};
use robot_io::Event;

use super::{Papers, style};
use crate::transitions::{age, is_of_behaviour, is_transition, reason, told};
use crate::{Request, StationFrame};

/// Draws the page.
pub(super) fn show(ui: &mut egui::Ui, papers: &Papers) {
    let Some(shown) = &papers.latest.shown else { return };
    style::title(ui, "Now");
    ui.label(RichText::new(&shown.status.mission).color(style::TEXT));
    states(ui, papers, shown);
    style::title(ui, "What led here");
    transitions(ui, papers, shown);
}

/// The active states of the statechart: since when, what they are told, and what led to them.
fn states(ui: &mut egui::Ui, papers: &Papers, shown: &StationFrame) {
    let now = shown.playback.now;
    if shown.telemetry.states.is_empty() {
        ui.label(RichText::new("No state of a statechart is active.").color(style::FAINT));
    }
    for state in &shown.telemetry.states {
        ui.add_space(4.0);
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(&state.path).monospace().strong().color(style::ACCENT));
            ui.label(RichText::new(format!("for {:.1} s", age(state, now))).monospace().color(style::FAINT));
        });
        if !state.told.is_empty() {
            ui.label(RichText::new(&state.told).small().color(style::TEXT));
        }
        if let Some(why) = reason(state, papers.events.all()) {
            ui.label(RichText::new(format!("because {why}")).small().color(style::FAINT));
        }
    }
}

/// Transitions and what skills found out until now, the newest first.
fn transitions(ui: &mut egui::Ui, papers: &Papers, shown: &StationFrame) {
    let until_now = papers.events.until(shown.playback.now);
    let known: Vec<&Event> = until_now.iter().filter(|event| is_of_behaviour(event)).collect();
    if known.is_empty() {
        ui.label(RichText::new("Nothing has led anywhere yet.").color(style::FAINT));
    }
    let row_height = ui.text_style_height(&egui::TextStyle::Body);
    egui::ScrollArea::vertical().auto_shrink(false).show_rows(ui, row_height, known.len(), |ui, rows| {
        for event in rows.filter_map(|row| known.get(known.len() - 1 - row)) {
            ui.horizontal(|ui| line(ui, papers, event));
        }
    });
}

fn line(ui: &mut egui::Ui, papers: &Papers, event: &Event) {
    let time = RichText::new(format!("{:8.3}", event.time.seconds())).monospace().color(style::FAINT);
    if papers.is_log() {
        if ui.link(time).on_hover_text("Show this moment").clicked() {
            papers.outbox.send(Request::Seek(event.time));
        }
    } else {
        ui.label(time);
    }
    let color = if is_transition(event) { style::TEXT } else { style::WARN };
    ui.add(egui::Label::new(RichText::new(told(event)).color(color)).truncate()).on_hover_text(told(event));
}
