//! What happened, newest first.

use bevy_egui::egui::{self, RichText};
use robot_io::Event;

use super::{Papers, style};
use crate::Request;

impl Papers<'_> {
    /// True if what is shown is a log: nobody can act in it.
    pub(super) fn is_log(&self) -> bool {
        self.latest.shown.as_ref().is_some_and(|shown| shown.playback.span.is_some())
    }

    /// An event as a sentence.
    pub(super) fn describe(&self, event: &Event) -> String {
        event.describe(|index| self.stage.scene.layout.joints.get(index).map(|joint| joint.name.as_str()))
    }
}

/// Draws the list.
pub(super) fn show(ui: &mut egui::Ui, papers: &Papers) {
    let Some(playback) = papers.latest.shown.as_ref().map(|shown| shown.playback) else { return };
    let known = if playback.span.is_some() { papers.events.all() } else { papers.events.until(playback.now) };
    if known.is_empty() {
        ui.label(RichText::new("Nothing has happened yet.").color(style::FAINT));
    }
    let row_height = ui.text_style_height(&egui::TextStyle::Body);
    egui::ScrollArea::vertical().auto_shrink(false).show_rows(ui, row_height, known.len(), |ui, rows| {
        for event in rows.filter_map(|row| known.get(known.len() - 1 - row)) {
            ui.horizontal(|ui| {
                let time = RichText::new(format!("{:8.3}", event.time.seconds())).monospace().color(style::FAINT);
                if playback.span.is_some() {
                    if ui.link(time).on_hover_text("Show this moment").clicked() {
                        papers.outbox.send(Request::Seek(event.time));
                    }
                } else {
                    ui.label(time);
                }
                let color = style::severity(event.severity);
                ui.label(RichText::new(event.severity.to_string()).strong().color(color));
                let sentence = papers.describe(event);
                ui.add(egui::Label::new(&sentence).truncate()).on_hover_text(&sentence);
            });
        }
    });
}
