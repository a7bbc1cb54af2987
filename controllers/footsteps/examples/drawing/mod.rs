//! A plan on its ground, as an SVG.

use std::fmt::Write;

use footsteps::FootstepPlan;
use nalgebra::Vector2;
use walking::{Footstep, Side};

use crate::grounds::Case;

/// Pixels for each metre.
const SCALE: f64 = 150.0;
/// Side of the squares that are drawn [m].
const SQUARE: f64 = 0.02;

/// The ground from above, light where it is high; left feet red, right feet blue, numbered as they are set.
pub fn draw(case: &Case, plan: &FootstepPlan) -> String {
    let (low, high) = (Vector2::from(case.low), Vector2::from(case.high));
    let size = (high - low) * SCALE;
    let mut svg =
        format!("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0}\" height=\"{:.0}\">\n", size.x, size.y);
    ground(case, &mut svg);
    let place = |x: f64, y: f64| ((x - low.x) * SCALE, (high.y - y) * SCALE);
    for foot in &plan.feet {
        sole(&mut svg, foot, "none", place);
    }
    for (number, step) in plan.steps.iter().enumerate() {
        let colour = if step.foot.side == Side::Left { "#d04030" } else { "#3060c0" };
        sole(&mut svg, &step.foot, colour, place);
        let (x, y) = place(step.foot.position.x, step.foot.position.y);
        let text = format!(
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"12\" fill=\"white\">{number}</text>\n",
            y + 4.0
        );
        svg.push_str(&text);
    }
    let about = format!("{}: {} steps, cost {:.1}, bound {:.3}", case.name, plan.steps.len(), plan.cost, plan.bound);
    let _ = writeln!(svg, "<text x=\"8\" y=\"18\" font-size=\"14\" fill=\"#b05000\">{about}</text>\n</svg>");
    svg
}

fn ground(case: &Case, svg: &mut String) {
    let count = |axis: usize| ((case.high[axis] - case.low[axis]) / SQUARE).round() as usize;
    let height = |column: usize, row: usize| {
        (case.ground)(case.low[0] + (column as f64 + 0.5) * SQUARE, case.low[1] + (row as f64 + 0.5) * SQUARE)
    };
    let all = (0..count(1)).flat_map(|row| (0..count(0)).map(move |column| (column, row)));
    let heights: Vec<f64> = all.map(|(column, row)| height(column, row)).filter(|h| h.is_finite()).collect();
    let (least, most) = heights.iter().fold((f64::MAX, f64::MIN), |(a, b), h| (a.min(*h), b.max(*h)));
    let grey = |height: f64| 60 + (170.0 * (height - least) / (most - least).max(0.01)) as u32;
    for row in 0..count(1) {
        let mut from = 0;
        for column in 1..=count(0) {
            if column < count(0) && grey(height(column, row)) == grey(height(from, row)) {
                continue;
            }
            let (x, y) = (from as f64 * SQUARE * SCALE, (count(1) - row - 1) as f64 * SQUARE * SCALE);
            let (width, tall, tone) =
                ((column - from) as f64 * SQUARE * SCALE, SQUARE * SCALE, grey(height(from, row)));
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"rgb({tone},{tone},{tone})\"/>",
                width + 0.3,
                tall + 0.3
            );
            from = column;
        }
    }
}

fn sole(svg: &mut String, foot: &Footstep, colour: &str, place: impl Fn(f64, f64) -> (f64, f64)) {
    let area = footsteps::Rectangle::sole(foot, [0.16, 0.08]);
    let corners = [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)].map(|(along, across)| {
        let corner = area.place(along * area.half.x, across * area.half.y);
        let (x, y) = place(corner.x, corner.y);
        format!("{x:.1},{y:.1}")
    });
    let _ = writeln!(
        svg,
        "<polygon points=\"{}\" fill=\"{colour}\" fill-opacity=\"0.75\" stroke=\"white\"/>",
        corners.join(" ")
    );
}
