//! What of the robot's map is drawn, what its colours mean, and how well the robot knows where it is.

use bevy_egui::egui::{self, Color32, RichText, Sense, pos2, vec2};
use robot_io::colour_maps::{cost_colour, height_colour, height_range};
use robot_io::{Grid, Layer, Localization, LocalizationState};

use super::{Papers, side, style};
use crate::input::{Action, KEYS};
use crate::layers::costs_among;

/// Width and height of a ramp [points], and its steps.
const RAMP: (f32, f32) = (72.0, 9.0);
const RAMP_STEPS: u8 = 24;

/// Draws the section.
pub(super) fn show(ui: &mut egui::Ui, papers: &mut Papers) {
    style::title(ui, "Map");
    for binding in KEYS {
        if matches!(binding.action, Action::Overlay(overlay) if overlay.is_of_map()) {
            side::switch(ui, binding, papers);
        }
    }
    let Some(shown) = &papers.latest.shown else { return };
    if let Some(place) = &shown.telemetry.localization {
        let (text, color) = told(place);
        ui.horizontal(|ui| {
            ui.label(RichText::new("place").color(style::FAINT));
            ui.label(RichText::new(text).monospace().color(color)).on_hover_text(
                "How far the robot trusts its place on the map, with the standard deviation in the plane",
            );
        });
    }
    let layers = &shown.telemetry.layers;
    for (_, layer) in layers {
        legend(ui, layer, costs_among(layers));
    }
}

/// What a layer's colours mean and how much there is of it.
fn legend(ui: &mut egui::Ui, layer: &Layer, costs: Option<&Grid>) {
    match layer {
        Layer::Heights(map) => {
            let Some((low, high)) = height_range(map, costs) else { return };
            let colour = |part| {
                let [red, green, blue] = height_colour(part);
                Color32::from_rgb(red, green, blue)
            };
            ramp(ui, "height", &format!("{low:.2}"), colour, &format!("{high:.2} m"));
        }
        Layer::Grid(_) => {
            let colour = |part| {
                let [red, green, blue, _] = cost_colour(part);
                Color32::from_rgb(red, green, blue)
            };
            ramp(ui, "cost", "free", colour, "forbidden");
        }
        Layer::Surfels(surfels) => count(ui, "surfels", &surfels.len().to_string()),
        Layer::Graph(graph) => {
            let loops = graph.edges.iter().filter(|edge| edge.closes_loop).count();
            count(ui, "key views", &format!("{}, loop edges {loops}", graph.nodes.len()));
        }
        Layer::Cloud(cloud, _) => count(ui, "points", &cloud.points.len().to_string()),
        Layer::Path(_) | Layer::Outline(_) | Layer::Markers(_) => {}
    }
}

fn count(ui: &mut egui::Ui, name: &str, text: &str) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(name).color(style::FAINT));
        ui.label(RichText::new(text).monospace());
    });
}

/// A strip of colours with its ends named.
fn ramp(ui: &mut egui::Ui, name: &str, low: &str, colour: impl Fn(f64) -> Color32, high: &str) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(name).color(style::FAINT));
        ui.label(RichText::new(low).small());
        let (strip, _) = ui.allocate_exact_size(vec2(RAMP.0, RAMP.1), Sense::hover());
        let width = RAMP.0 / f32::from(RAMP_STEPS);
        for step in 0..RAMP_STEPS {
            let left = strip.left() + width * f32::from(step);
            let piece = egui::Rect::from_min_size(pos2(left, strip.top()), vec2(width + 0.5, RAMP.1));
            ui.painter().rect_filled(piece, 0.0, colour(f64::from(step) / f64::from(RAMP_STEPS - 1)));
        }
        ui.label(RichText::new(high).small());
    });
}

/// The state in words with the place's standard deviation [mm].
fn told(place: &Localization) -> (String, Color32) {
    let (word, color) = match place.state {
        LocalizationState::Starting => ("no map yet", style::FAINT),
        LocalizationState::Localized => ("known", style::GOOD),
        LocalizationState::Degraded => ("unsure", style::WARN),
        LocalizationState::Lost => return ("lost".to_owned(), style::BAD),
    };
    let variance = place.covariance[(0, 0)] + place.covariance[(1, 1)];
    (format!("{word} ±{:.0} mm", 1e3 * variance.max(0.0).sqrt()), color)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_told_with_its_deviation_unless_it_is_lost() {
        let mut place = Localization { state: LocalizationState::Localized, ..Localization::default() };
        place.covariance[(0, 0)] = 9e-4;
        place.covariance[(1, 1)] = 16e-4;
        assert_eq!(told(&place), ("known ±50 mm".to_owned(), style::GOOD));
        assert_eq!(told(&Localization { state: LocalizationState::Lost, ..place }), ("lost".to_owned(), style::BAD));
    }
}
