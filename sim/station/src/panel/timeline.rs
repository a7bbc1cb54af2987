//! The time line of a log: scrub it, see where something happened.

use bevy_egui::egui::{self, Align2, Color32, FontId, Pos2, Rect, Sense, Stroke, StrokeKind};
use robot_io::Time;

use super::{Papers, style};
use crate::Request;

const HEIGHT: f32 = 44.0;
const RAIL: f32 = 10.0;

/// Draws the time line if there is one.
pub(super) fn show(ui: &mut egui::Ui, papers: &Papers) {
    let Some(playback) = papers.latest.shown.as_ref().map(|shown| shown.playback) else { return };
    let Some((first, last)) = playback.span else { return };
    egui::Panel::bottom("timeline").frame(style::panel()).show(ui, |ui| {
        let size = egui::vec2(ui.available_width(), HEIGHT);
        let (response, painter) = ui.allocate_painter(size, Sense::click_and_drag());
        let scale = Scale { first, last, left: response.rect.left() + 8.0, right: response.rect.right() - 8.0 };
        let rail = Rect::from_min_max(
            Pos2::new(scale.left, response.rect.top() + 8.0),
            Pos2::new(scale.right, response.rect.top() + 8.0 + RAIL),
        );
        painter.rect_filled(rail, 4.0, ui.visuals().extreme_bg_color);
        let now = scale.x(playback.now);
        painter.rect_filled(rail.with_max_x(now), 4.0, Color32::from_rgb(122, 66, 22));
        ticks(&painter, &scale, rail);
        let hovered = response.hover_pos();
        markers(ui, &painter, &scale, rail, papers, hovered);
        painter.line_segment(
            [Pos2::new(now, rail.top() - 5.0), Pos2::new(now, rail.bottom() + 5.0)],
            Stroke::new(2.5, style::ACCENT),
        );
        painter.circle_filled(Pos2::new(now, rail.center().y), 6.0, style::ACCENT);
        painter.rect_stroke(rail, 4.0, Stroke::new(1.0, Color32::from_gray(60)), StrokeKind::Outside);
        if let Some(pointer) = response.interact_pointer_pos()
            && (response.dragged() || response.clicked())
        {
            papers.outbox.send(Request::Seek(scale.time(pointer.x)));
        }
    });
}

/// Time along the rail.
struct Scale {
    first: Time,
    last: Time,
    left: f32,
    right: f32,
}

impl Scale {
    fn x(&self, time: Time) -> f32 {
        let whole = self.last.since(self.first).seconds().max(1e-9);
        let part = (time.since(self.first).seconds() / whole).clamp(0.0, 1.0);
        self.left + (self.right - self.left) * part as f32
    }

    fn time(&self, x: f32) -> Time {
        let part = f64::from(((x - self.left) / (self.right - self.left).max(1.0)).clamp(0.0, 1.0));
        let whole = self.last.since(self.first).seconds();
        Time::from_seconds(self.first.seconds() + part * whole)
    }
}

/// Seconds between ticks: a round number that leaves room for its label.
fn tick_step(seconds: f64, pixels: f32) -> f64 {
    let room = f64::from(pixels / 80.0).max(1.0);
    let steps = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1_800.0];
    steps.into_iter().find(|step| seconds / step <= room).unwrap_or(3_600.0)
}

fn ticks(painter: &egui::Painter, scale: &Scale, rail: Rect) {
    let whole = scale.last.since(scale.first).seconds();
    let step = tick_step(whole, scale.right - scale.left);
    let mut tick = (scale.first.seconds() / step).ceil() * step;
    while tick <= scale.last.seconds() {
        let x = scale.x(Time::from_seconds(tick));
        let stroke = Stroke::new(1.0, Color32::from_gray(90));
        painter.line_segment([Pos2::new(x, rail.bottom()), Pos2::new(x, rail.bottom() + 5.0)], stroke);
        let text = format!("{}", (tick * 10.0).round() / 10.0);
        let at = Pos2::new(x, rail.bottom() + 6.0);
        painter.text(at, Align2::CENTER_TOP, text, FontId::proportional(11.0), style::FAINT);
        tick += step;
    }
}

fn markers(ui: &egui::Ui, painter: &egui::Painter, scale: &Scale, rail: Rect, papers: &Papers, hovered: Option<Pos2>) {
    let mut told = Vec::new();
    for event in papers.events.all() {
        let x = scale.x(event.time);
        let top = Pos2::new(x, rail.top() - 7.0);
        let corners = vec![top, top + egui::vec2(8.0, 0.0), top + egui::vec2(4.0, 7.0)];
        let corners = corners.into_iter().map(|corner| corner - egui::vec2(4.0, 0.0)).collect();
        painter.add(egui::Shape::convex_polygon(corners, style::severity(event.severity), Stroke::NONE));
        let line = Stroke::new(1.0, style::severity(event.severity).gamma_multiply(0.6));
        painter.line_segment([Pos2::new(x, rail.top()), Pos2::new(x, rail.bottom())], line);
        if hovered.is_some_and(|at| (at.x - x).abs() < 5.0) {
            told.push(format!("{}  {}", event.time, papers.describe(event)));
        }
    }
    if let Some(at) = hovered {
        let text = if told.is_empty() { scale.time(at.x).to_string() } else { told.join("\n") };
        // as wide as its text, not as the one before it
        egui::Tooltip::always_open(ui.ctx().clone(), ui.layer_id(), ui.id().with("moment"), at)
            .show(|ui| ui.add(egui::Label::new(text).extend()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_on_the_rail_is_a_time_and_back() {
        let scale = Scale { first: Time::from_seconds(2.0), last: Time::from_seconds(12.0), left: 100.0, right: 300.0 };
        assert_eq!(scale.x(Time::from_seconds(7.0)), 200.0);
        assert_eq!(scale.time(200.0), Time::from_seconds(7.0));
        assert_eq!(scale.time(-50.0), Time::from_seconds(2.0));
        assert_eq!(scale.x(Time::from_seconds(99.0)), 300.0);
    }

    #[test]
    fn ticks_are_round_and_never_crowded() {
        assert_eq!(tick_step(60.0, 1_000.0), 5.0);
        assert_eq!(tick_step(3.0, 1_000.0), 0.5);
        for seconds in [0.5, 7.0, 90.0, 4_000.0] {
            assert!(seconds / tick_step(seconds, 800.0) <= 10.0);
        }
    }
}
