//! How the panels look: dark, quiet, readable.

use std::ops::RangeInclusive;

use bevy_egui::egui::{self, Color32, CornerRadius, FontFamily, FontId, Margin, Stroke, TextStyle};
use robot_io::Severity;

/// The accent.
pub(super) const ACCENT: Color32 = Color32::from_rgb(255, 148, 64);
/// Text that explains.
pub(super) const FAINT: Color32 = Color32::from_rgb(148, 156, 168);
/// Text and numbers.
pub(super) const TEXT: Color32 = Color32::from_rgb(214, 219, 226);
/// All is well.
pub(super) const GOOD: Color32 = Color32::from_rgb(96, 208, 128);
/// Look out.
pub(super) const WARN: Color32 = Color32::from_rgb(250, 196, 80);
/// Something is wrong.
pub(super) const BAD: Color32 = Color32::from_rgb(255, 104, 92);

const PANEL: Color32 = Color32::from_rgb(24, 27, 32);
const INSET: Color32 = Color32::from_rgb(16, 18, 22);

/// Colours of plotted lines, distinct for most eyes (after Okabe and Ito, 2008).
pub(super) const LINES: [Color32; 8] = [
    Color32::from_rgb(86, 180, 233),
    Color32::from_rgb(230, 159, 0),
    Color32::from_rgb(0, 200, 140),
    Color32::from_rgb(240, 228, 66),
    Color32::from_rgb(224, 128, 190),
    Color32::from_rgb(232, 104, 40),
    Color32::from_rgb(110, 140, 255),
    Color32::from_rgb(220, 220, 220),
];

/// Gives a context its looks.
pub(super) fn apply(context: &egui::Context) {
    let mut visuals = egui::Visuals::dark();
    visuals.panel_fill = PANEL;
    visuals.window_fill = PANEL;
    visuals.extreme_bg_color = INSET;
    visuals.faint_bg_color = Color32::from_rgb(30, 34, 40);
    visuals.selection.bg_fill = Color32::from_rgb(122, 66, 22);
    visuals.selection.stroke = Stroke::new(1.0, Color32::from_rgb(255, 224, 196));
    visuals.hyperlink_color = ACCENT;
    visuals.window_corner_radius = CornerRadius::same(8);
    visuals.widgets.noninteractive.fg_stroke.color = TEXT;
    for widget in [&mut visuals.widgets.inactive, &mut visuals.widgets.hovered, &mut visuals.widgets.active] {
        widget.corner_radius = CornerRadius::same(5);
    }
    context.set_theme(egui::Theme::Dark);
    context.set_visuals(visuals);
    context.all_styles_mut(|style| {
        style.spacing.item_spacing = egui::vec2(7.0, 5.0);
        style.spacing.button_padding = egui::vec2(8.0, 3.0);
        let size = |points| FontId::new(points, FontFamily::Proportional);
        style.text_styles.insert(TextStyle::Body, size(13.5));
        style.text_styles.insert(TextStyle::Button, size(13.5));
        style.text_styles.insert(TextStyle::Small, size(11.0));
        style.text_styles.insert(TextStyle::Heading, size(16.0));
        style.text_styles.insert(TextStyle::Monospace, FontId::new(12.5, FontFamily::Monospace));
    });
}

/// The frame of a panel.
pub(super) fn panel() -> egui::Frame {
    egui::Frame::new().fill(PANEL).inner_margin(Margin::symmetric(10, 8))
}

/// A slider that shows so many decimals and changes nothing by being shown: a value that is finer than that stays as it is.
pub(super) fn slider(value: &mut f64, range: RangeInclusive<f64>, decimals: usize) -> egui::Slider<'_> {
    let text = move |value: f64, _: RangeInclusive<usize>| format!("{value:.decimals$}");
    egui::Slider::new(value, range).clamping(egui::SliderClamping::Edits).custom_formatter(text)
}

/// A section's title.
pub(super) fn title(ui: &mut egui::Ui, text: &str) {
    ui.add_space(6.0);
    ui.label(egui::RichText::new(text.to_uppercase()).small().strong().color(ACCENT));
}

/// The colour of a severity.
pub(super) fn severity(severity: Severity) -> Color32 {
    match severity {
        Severity::Info => Color32::from_rgb(120, 180, 240),
        Severity::Warning => WARN,
        Severity::Error => BAD,
        Severity::Stop => Color32::from_rgb(255, 60, 120),
    }
}
