//! Worlds made for a map: an incline, or one step.

use std::io::Cursor;

use image::{ImageBuffer, ImageFormat, Luma};
use robot_io::Pose2;
use toml::{Table, Value};
use worlds::{Source, World};

use crate::ScenarioError;

/// Where the ground begins to rise, along the way [m]; the way begins at 0 …
const BEGINS: f64 = 1.0;
/// … over how much it becomes as steep as it gets [m] …
const BLEND: f64 = 1.0;
/// … and where the way ends on a slope: 3 m as steep [m].
pub const SLOPE_GOAL: f64 = 5.0;
/// Where a step is [m] …
const STEP: f64 = 2.0;
/// … and where the way over it ends [m].
pub const STEP_GOAL: f64 = 4.0;

/// The terrain of a slope: x from −2 to 8 m, y from −3 to 3 m.
const SLOPE: Grid = Grid { cell: 0.05, size: [10.0, 6.0], center: [3.0, 0.0] };
/// The terrain of a step: x from −2 to 7 m, y from −2 to 2 m; its face leans over one cell.
const STEPPED: Grid = Grid { cell: 0.025, size: [9.0, 4.0], center: [2.5, 0.0] };

/// A terrain's grid.
struct Grid {
    cell: f64,
    size: [f64; 2],
    center: [f64; 2],
}

/// Ground that becomes a slope of `degrees` ahead of the origin, along +x; it rises towards `direction` [°], counter-clockwise from +x. The middle line
/// `y = 0` is the way. Gravity and materials are those of `like` at `place`.
pub fn slope(like: &World, place: &Pose2, degrees: f64, direction: f64) -> Result<World, ScenarioError> {
    let (sin, cos) = libm::sincos(direction.to_radians());
    let tan = libm::tan(degrees.to_radians());
    let height = |x: f64, y: f64| tan * (cos * risen(x) + sin * y * begun(x));
    let columns = samples(SLOPE.size[0], SLOPE.cell);
    let rows = samples(SLOPE.size[1], SLOPE.cell);
    let at = |column: u32, row: u32| {
        let (x, y) = (f64::from(column) - 0.5 * f64::from(columns - 1), f64::from(row) - 0.5 * f64::from(rows - 1));
        height(SLOPE.center[0] + SLOPE.cell * x, SLOPE.center[1] + SLOPE.cell * y)
    };
    let all = || (0..rows).flat_map(|row| (0..columns).map(move |column| at(column, row)));
    let (low, high) = all().fold((0.0, 0.0), |(low, high), height| (f64::min(low, height), f64::max(high, height)));
    if high - low < 1e-9 {
        return world(like, place, &SLOPE, Vec::new(), None);
    }
    // as fine as sixteen bits make it: some hundredths of a millimetre
    let scale = (high - low) / f64::from(u16::MAX);
    let grey = |height: f64| ((height - low) / scale).round().clamp(0.0, f64::from(u16::MAX)) as u16;
    let picture = ImageBuffer::from_fn(columns, rows, |column, row| Luma([grey(at(column, rows - 1 - row))]));
    let mut png = Cursor::new(Vec::new());
    let unwritten =
        |error: image::ImageError| ScenarioError::Usage(format!("--map slope: its heights cannot be written: {error}"));
    picture.write_to(&mut png, ImageFormat::Png).map_err(unwritten)?;
    let file = "slope.png";
    let layer = [
        ("kind", Value::from("image")),
        ("file", Value::from(file)),
        ("scale", Value::from(scale)),
        ("offset", Value::from(low)),
    ];
    let heights = Source { name: file.to_owned(), bytes: png.into_inner() };
    world(like, place, &SLOPE, vec![table(layer)], Some(heights))
}

/// A step across the way along +x, `height` [m] up, or down where it is negative. Gravity and materials are those of `like` at `place`.
pub fn step(like: &World, place: &Pose2, height: f64) -> Result<World, ScenarioError> {
    let far = 100.0;
    let (from, to) = if height >= 0.0 { (STEP, far) } else { (-far, STEP - STEPPED.cell) };
    let corner = |x: f64, y: f64| Value::from(vec![x, y]);
    let rectangle = table([("min", corner(from, -far)), ("max", corner(to, far))]);
    let region = table([("rectangle", Value::from(rectangle))]);
    let layer = [("kind", Value::from("flat")), ("height", Value::from(height.abs())), ("region", Value::from(region))];
    let layers = if height == 0.0 { Vec::new() } else { vec![table(layer)] };
    world(like, place, &STEPPED, layers, None)
}

/// How far the ground has risen along the way, as a part of the full slope [m]: a parabola joins the level to the slope.
fn risen(x: f64) -> f64 {
    let x = x - BEGINS;
    match x {
        _ if x <= 0.0 => 0.0,
        _ if x >= BLEND => x - 0.5 * BLEND,
        _ => x * x / (2.0 * BLEND),
    }
}

/// How much of the slope across the way there is, 0 to 1, without an edge at either end.
fn begun(x: f64) -> f64 {
    let part = ((x - BEGINS) / BLEND).clamp(0.0, 1.0);
    part * part * (3.0 - 2.0 * part)
}

fn samples(size: f64, cell: f64) -> u32 {
    (size / cell).round() as u32 + 1
}

fn table<const N: usize>(fields: [(&str, Value); N]) -> Table {
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// A world with these layers, and what lies on the ground of another one.
fn world(
    like: &World,
    place: &Pose2,
    grid: &Grid,
    layers: Vec<Table>,
    heights: Option<Source>,
) -> Result<World, ScenarioError> {
    let text =
        like.sources.first().map(|source| String::from_utf8_lossy(&source.bytes).into_owned()).unwrap_or_default();
    // it has been read before, by the worlds' own reader
    let theirs: Table = text.parse().unwrap_or_default();
    let material = like.material_at(place.x, place.y).map_or("concrete", |material| material.name.as_str());
    let mut terrain = table([
        ("cell", Value::from(grid.cell)),
        ("size", Value::from(grid.size.to_vec())),
        ("center", Value::from(grid.center.to_vec())),
        ("material", Value::from(material)),
        ("deformable", Value::from(like.deformable)),
    ]);
    if !layers.is_empty() {
        terrain.insert("layer".to_owned(), Value::from(layers));
    }
    let mut file = table([("name", Value::from("made for a map")), ("terrain", Value::from(terrain))]);
    for kept in ["gravity", "material", "pair"] {
        file.extend(theirs.get(kept).map(|value| (kept.to_owned(), value.clone())));
    }
    let unwritten =
        |error: toml::ser::Error| ScenarioError::Usage(format!("--map: its world cannot be written: {error}"));
    let text = toml::to_string(&file).map_err(unwritten)?;
    let own = Source { name: "made_for_a_map.toml".to_owned(), bytes: text.into_bytes() };
    Ok(World::from_sources(&std::iter::once(own).chain(heights).collect::<Vec<_>>())?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::path::Path;

    use super::*;
    use proptest::prelude::*;

    const MOON: &str = r#"
name = "moon"
gravity = 1.62

[terrain]
cell = 0.5
size = [4.0, 4.0]
material = "dust"

[[material]]
name = "dust"
base = "sand"
"#;

    fn flat() -> World {
        World::from_str(MOON, "moon.toml", Path::new(".")).unwrap()
    }

    proptest! {
        #[test]
        fn a_slope_is_as_steep_as_it_was_asked_for_and_rises_where_it_shall(degrees in 0.5..45.0_f64, direction in 0.0..360.0_f64) {
            let world = slope(&flat(), &Pose2::default(), degrees, direction).unwrap();
            let height = |x: f64, y: f64| world.terrain.height_at(x, y).unwrap();
            // over a metre, beyond where it has become steep
            let gradient = [height(4.5, 0.0) - height(3.5, 0.0), height(4.0, 0.5) - height(4.0, -0.5)];
            let steep = libm::atan(libm::hypot(gradient[0], gradient[1])).to_degrees();
            prop_assert!((steep - degrees).abs() < 0.02, "{}", steep);
            let towards = libm::atan2(gradient[1], gradient[0]) - direction.to_radians();
            prop_assert!(robot_io::math::wrap_angle(towards).abs() < 0.01, "{:?}", gradient);
            // and where the robot begins it is level
            for (x, y) in [(0.0, 0.0), (-1.0, 1.0), (0.9, -1.0)] {
                prop_assert!(height(x, y).abs() < 1e-4, "{}", height(x, y));
            }
        }
    }

    #[test]
    fn a_step_is_as_high_as_it_was_asked_for_up_and_down() {
        for height in [0.07, -0.12, 0.0] {
            let world = step(&flat(), &Pose2::default(), height).unwrap();
            let ground = |x: f64| world.terrain.height_at(x, 0.3).unwrap();
            assert!((ground(STEP_GOAL) - ground(0.0) - height).abs() < 1e-6, "{height}");
            assert!((ground(STEP + 0.03) - ground(STEP - 0.03) - height).abs() < 1e-6, "{height}");
        }
    }

    #[test]
    fn gravity_and_what_lies_there_are_the_scenarios() {
        for world in
            [slope(&flat(), &Pose2::default(), 5.0, 90.0).unwrap(), step(&flat(), &Pose2::default(), 0.1).unwrap()]
        {
            assert_eq!(world.gravity, 1.62);
            assert_eq!(world.material_at(0.0, 0.0).unwrap().name, "dust");
        }
    }
}
