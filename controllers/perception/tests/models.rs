//! Objects as files.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use perception::ObjectModel;
use proptest::prelude::*;

fn told(text: &str) -> String {
    ObjectModel::parse(text, "objects.toml").unwrap_err().to_string()
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_place() {
    let object = "[[object]]\nname = \"a\"\n";
    for (text, expected) in [
        (String::new(), "object: expected at least one table, found none"),
        (
            format!("{object}[[object.part]]\n"),
            "object[0].part[0]: expected one of box, cylinder, cup and points, found 0 of them",
        ),
        (
            format!("{object}[[object.part]]\nbox = [1, 1, 1]\ncylinder = {{ radius = 1, height = 1 }}\n"),
            "found 2 of them",
        ),
        (
            format!("{object}[[object.part]]\nbox = [1, -1, 1]\n"),
            "part[0].box[1]: expected a number from 0.0001 to 10 [m], found integer `-1`",
        ),
        (
            format!("{object}[[object.part]]\ncup = {{ radius = 0.04, height = 0.1, wall = 0.05 }}\n"),
            "wall: expected less than radius and height, 0.04, found 0.05",
        ),
        (
            format!("{object}spacing = 0.1\n[[object.part]]\npoints = [[0, 0, 0, 0, 0, 0]]\n"),
            "expected a normal after the point, found one of length 0",
        ),
        (
            format!("{object}symmetry = {{ round = [0, 0, 1] }}\n[[object.part]]\nbox = [0.1, 0.1, 0.1]\n"),
            "symmetry: expected turns after which it looks the same",
        ),
        (
            format!("{object}spacing = 0.2\n[[object.part]]\nbox = [0.1, 0.1, 0.1]\n"),
            "expected 10 to 20000 points of the surface",
        ),
    ] {
        let found = told(&text);
        assert!(found.starts_with("objects.toml:") && found.contains(expected), "{found}\nis not\n{expected}");
    }
}

#[test]
fn what_is_inside_another_part_is_no_surface() {
    let text =
        "[[object]]\nname = \"a\"\n[[object.part]]\nbox = [0.1, 0.1, 0.1]\n[[object.part]]\nbox = [0.2, 0.04, 0.04]\n";
    let model = &ObjectModel::parse(text, "objects.toml").unwrap()[0];
    for sample in &model.surface().points {
        let [x, y, z] = [sample.point.x, sample.point.y, sample.point.z].map(f64::abs);
        let in_cube = x < 0.049 && y < 0.049 && z < 0.049;
        let in_bar = x < 0.099 && y < 0.019 && z < 0.019;
        assert!(!in_cube && !in_bar, "{}", sample.point);
    }
}

#[test]
fn an_object_of_points_is_as_its_points() {
    let line = |k: usize| format!("[{}, {}, 0.0, 0.0, 0.0, 2.0]", 0.01 * (k % 5) as f64, 0.01 * (k / 5) as f64);
    let points = (0..25).map(line).collect::<Vec<_>>().join(", ");
    let text = format!("[[object]]\nname = \"a\"\n[[object.part]]\npoints = [{points}]\nxyz = [0, 0, 0.3]\n");
    let model = &ObjectModel::parse(&text, "objects.toml").unwrap()[0];
    assert_eq!(model.surface().points.len(), 25);
    assert!(model.surface().points.iter().all(|sample| sample.point.z == 0.3 && sample.normal.z == 1.0));
}

proptest! {
    #[test]
    fn points_of_a_cylinder_lie_on_it_with_normals_outwards(radius in 0.02_f64..0.1, height in 0.02_f64..0.3) {
        let text = format!("[[object]]\nname = \"a\"\n[[object.part]]\ncylinder = {{ radius = {radius:?}, height = {height:?} }}\n");
        let model = &ObjectModel::parse(&text, "objects.toml").unwrap()[0];
        for sample in &model.surface().points {
            let across = sample.point.x.hypot(sample.point.y);
            let on_side = (across - radius).abs() < 1e-9;
            let on_cap = (sample.point.z.abs() - 0.5 * height).abs() < 1e-9 && across < radius + 1e-9;
            prop_assert!(on_side || on_cap);
            prop_assert!(sample.normal.dot(&sample.point.coords) > 0.0);
            prop_assert!((sample.normal.norm() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn files_of_any_text_are_read_or_refused_but_never_a_crash(text in "(\\[\\[object\\]\\]\n|name = \"a\"\n|\\[\\[object.part\\]\\]\n|box = \\[1, 1, 1\\]\n|cup = 3\n|spacing = 0.0[1-9]\n|[a-z =\\[\\]0-9.]{0,12}\n){0,8}") {
        drop(ObjectModel::parse(&text, "objects.toml"));
        drop(perception::ColourTable::parse(&text, "colours.toml"));
    }
}
