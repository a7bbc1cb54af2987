//! What the marks about feet mean, in a corner of the picture, as long as there are any.

use bevy::color::{Color, ColorToPacked};
use bevy_egui::egui::{self, Color32, CornerRadius, RichText, Shape, Stroke, StrokeKind};

use super::{Papers, style};
use crate::overlays::{CAPTURE, PRESSURE, SIDES, WRENCH};
use crate::{Overlays, StationFrame, belief, step_plan};

/// How a mark looks.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Look {
    Disc,
    Ring,
    Diamond,
    HollowDiamond,
    Sole,
    SoleToCome,
    Arrow,
}

/// A mark and what it means.
type Row = (Look, Color, &'static str);

/// Space between the legend and the picture's edges [points].
const MARGIN: f32 = 12.0;
/// Size of a mark [points].
const SIZE: f32 = 14.0;

/// Draws the legend into the lower left corner of the world's part of the window.
pub(super) fn show(context: &egui::Context, picture: egui::Rect, papers: &Papers) {
    let rows = papers.latest.shown.as_ref().map_or_else(Vec::new, |shown| rows(&papers.shown.0, shown));
    if rows.is_empty() {
        return;
    }
    let corner = picture.left_bottom() + egui::vec2(MARGIN, -MARGIN);
    let area = egui::Area::new("legend".into()).pivot(egui::Align2::LEFT_BOTTOM).fixed_pos(corner).interactable(false);
    area.show(context, |ui| {
        let paper = Color32::from_rgba_unmultiplied(24, 27, 32, 205);
        let frame = egui::Frame::new().fill(paper).corner_radius(CornerRadius::same(6)).inner_margin(8);
        frame.show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            for (look, color, words) in rows {
                ui.horizontal(|ui| {
                    let (place, _) = ui.allocate_exact_size(egui::vec2(SIZE, SIZE), egui::Sense::hover());
                    draw(ui.painter(), place, look, ink(color));
                    ui.label(RichText::new(words).size(12.0).color(style::TEXT));
                });
            }
        });
    });
}

/// The marks that are drawn of a frame.
fn rows(overlays: &Overlays, shown: &StationFrame) -> Vec<Row> {
    let mut rows = Vec::new();
    let says = |names| belief::place_in_odom(&shown.telemetry, names).is_some();
    if overlays.balance_points && says(belief::CAPTURE) {
        rows.push((Look::Disc, CAPTURE, "capture point"));
        rows.push((Look::Ring, CAPTURE, "capture point, planned"));
    }
    if overlays.balance_points && says(belief::ZMP_WANTED) {
        rows.push((Look::Diamond, PRESSURE, "zero-moment point"));
        rows.push((Look::HollowDiamond, PRESSURE, "zero-moment point, wanted"));
    }
    if overlays.footsteps && step_plan::size(&shown.telemetry).is_some() {
        rows.push((Look::Sole, SIDES[0], "left sole"));
        rows.push((Look::Sole, SIDES[1], "right sole"));
    }
    if overlays.footsteps && !step_plan::to_come(shown).is_empty() {
        rows.push((Look::SoleToCome, Color::srgb(0.84, 0.86, 0.89), "step to come"));
    }
    if overlays.contact_wrenches && shown.frame.contacts.iter().any(|contact| contact.link.is_some()) {
        rows.push((Look::Arrow, WRENCH, "force on a link, 1 m for the weight"));
    }
    rows
}

fn draw(painter: &egui::Painter, place: egui::Rect, look: Look, color: Color32) {
    let (centre, half) = (place.center(), 0.4 * place.width());
    let stroke = Stroke::new(1.6, color);
    let sides = [egui::vec2(0.0, -half), egui::vec2(half, 0.0), egui::vec2(0.0, half), egui::vec2(-half, 0.0)];
    let corners = sides.map(|side| centre + side).to_vec();
    let sole = egui::Rect::from_center_size(centre, egui::vec2(2.4 * half, 1.8 * half));
    let outline = |rect: egui::Rect| painter.rect_stroke(rect, 0.0, stroke, StrokeKind::Middle);
    match look {
        Look::Disc => drop(painter.circle_filled(centre, half, color)),
        Look::Ring => drop(painter.circle_stroke(centre, half, stroke)),
        Look::Diamond => drop(painter.add(Shape::convex_polygon(corners, color, Stroke::NONE))),
        Look::HollowDiamond => drop(painter.add(Shape::closed_line(corners, stroke))),
        Look::Sole => drop(outline(sole)),
        Look::SoleToCome => {
            outline(sole);
            outline(sole.shrink(3.2));
        }
        Look::Arrow => painter.arrow(centre + egui::vec2(0.0, half), egui::vec2(0.0, -2.0 * half), stroke),
    }
}

fn ink(color: Color) -> Color32 {
    let [red, green, blue] = color.to_srgba().to_u8_array_no_alpha();
    Color32::from_rgb(red, green, blue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_drawn_is_explained() {
        let mut shown = StationFrame::default();
        let all = Overlays { balance_points: true, footsteps: true, contact_wrenches: true, ..Overlays::NONE };
        assert!(rows(&all, &shown).is_empty(), "a robot on wheels needs no legend");
        for name in belief::CAPTURE {
            shown.telemetry.scalar(name, 0.1);
        }
        let words: Vec<&str> = rows(&all, &shown).iter().map(|(_, _, words)| *words).collect();
        assert_eq!(words, ["capture point", "capture point, planned"]);
        assert!(rows(&Overlays::NONE, &shown).is_empty());
    }
}
