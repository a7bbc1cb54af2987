//! The strip on top: time and how it passes.

use bevy_egui::egui::{self, Align, Color32, Layout, RichText};

use super::{Desk, Papers, style};
use crate::input::Action;
use crate::{Playback, Request, Status};

/// Slowest and fastest speed of the slider [1].
const SPEEDS: (f64, f64) = (0.05, 20.0);

/// Draws the strip.
pub(super) fn show(ui: &mut egui::Ui, desk: &mut Desk, papers: &Papers) {
    egui::Panel::top("transport").frame(style::panel()).show(ui, |ui| {
        ui.horizontal(|ui| {
            let playback = papers.latest.shown.as_ref().map_or_else(Playback::default, |shown| shown.playback);
            buttons(ui, desk, &playback);
            speed(ui, papers, &playback);
            ui.separator();
            clock(ui, papers, &playback);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui.button("? Help").on_hover_text("All keys (H)").clicked() {
                    desk.pressed.push(Action::Help);
                }
                if ui.button("☰ Panels").on_hover_text("Show or hide the side panels (Tab)").clicked() {
                    desk.pressed.push(Action::Panel);
                }
                takes(ui, desk, papers);
                ui.label(RichText::new(&papers.stage.scene.title).color(style::FAINT));
            });
        });
        if let Some(shown) = &papers.latest.shown {
            standing(ui, &shown.status, papers);
        }
    });
}

/// Pictures and films of the window.
fn takes(ui: &mut egui::Ui, desk: &mut Desk, papers: &Papers) {
    if ui.button("📷").on_hover_text("Picture of the window (F12)").clicked() {
        desk.pressed.push(Action::Picture);
    }
    let films = papers.capture.films();
    let text = RichText::new("⏺").color(if films { style::BAD } else { style::TEXT });
    let tip = if films { "End the film (F9)" } else { "Film of the window, in simulated time (F9)" };
    if ui.button(text).on_hover_text(tip).clicked() {
        desk.pressed.push(Action::Film);
    }
}

/// How robot and mission stand; a stop is not to be overlooked.
fn standing(ui: &mut egui::Ui, status: &Status, papers: &Papers) {
    if let Some(cause) = &status.stop {
        let text =
            format!("⏹ STOPPED: {cause}. Every joint is held. Backspace clears the stop, then R resumes the mission");
        egui::Frame::new().fill(Color32::from_rgb(178, 34, 34)).inner_margin(6).show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.label(RichText::new(text).strong().color(Color32::WHITE));
        });
    }
    ui.horizontal(|ui| {
        ui.label(RichText::new(format!("seed {}", status.seed)).color(style::FAINT));
        ui.label(&status.mission);
        if let Some(link) = &status.link {
            ui.label(RichText::new(format!("⏳ {link}")).color(style::ACCENT));
        }
        if let Some(verdict) = &status.result {
            let color = if verdict.passed { style::GOOD } else { style::BAD };
            let tip = "The scenario's time is over and its checks are evaluated. Drive on, or begin again (F5)";
            ui.label(RichText::new(&verdict.text).strong().color(color)).on_hover_text(tip);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if let Some(notice) = papers.capture.notice() {
                ui.label(RichText::new(notice).color(style::ACCENT));
            }
        });
    });
}

fn buttons(ui: &mut egui::Ui, desk: &mut Desk, playback: &Playback) {
    let (icon, tip) = if playback.paused { ("▶", "Let time pass (P)") } else { ("⏸", "Let time stand still (P)") };
    let size = egui::vec2(38.0, 26.0);
    if ui.add_sized(size, egui::Button::new(RichText::new(icon).size(16.0))).on_hover_text(tip).clicked() {
        desk.pressed.push(Action::PlayPause);
    }
    let step = egui::Button::new(RichText::new("⏭").size(16.0));
    if ui.add_sized(size, step).on_hover_text("One cycle on, then stand still (.)").clicked() {
        desk.pressed.push(Action::Step);
    }
}

fn speed(ui: &mut egui::Ui, papers: &Papers, playback: &Playback) {
    let mut speed = playback.speed.clamp(SPEEDS.0, SPEEDS.1);
    let slider = style::slider(&mut speed, SPEEDS.0..=SPEEDS.1, 2).logarithmic(true).suffix(" ×");
    let tip = "Wanted speed: simulated seconds per second ([ and ])";
    if ui.add(slider).on_hover_text(tip).changed() {
        papers.outbox.send(Request::Speed(speed));
    }
    if ui.small_button("1×").on_hover_text("Real time").clicked() {
        papers.outbox.send(Request::Speed(1.0));
    }
}

fn clock(ui: &mut egui::Ui, papers: &Papers, playback: &Playback) {
    ui.label(RichText::new(format!("{:9.3} s", playback.now.seconds())).monospace().size(17.0));
    let tip = "Real-time factor: simulated seconds per second, as measured";
    let factor = papers.pace.factor.map_or_else(|| "–".to_owned(), |factor| format!("{factor:.2} ×"));
    ui.label(RichText::new(factor).monospace().color(style::FAINT)).on_hover_text(tip);
    let (word, color) = match (papers.latest.ended, playback.paused, playback.span.is_some()) {
        (true, ..) => ("ended", style::FAINT),
        (_, true, _) => ("paused", style::WARN),
        (_, _, true) => ("log", style::ACCENT),
        _ => ("live", style::GOOD),
    };
    ui.label(RichText::new(word).strong().color(color));
}
