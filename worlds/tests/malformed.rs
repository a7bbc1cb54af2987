//! Bad files end in one clear message with file, line and field.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::path::Path;

use worlds::{HeightMap, World, WorldError};

const GOOD: &str = "name = \"test\"
[terrain]
cell = 0.5
size = [10.0, 5.0]
material = \"soil\"
[[terrain.layer]]
kind = \"ramp\"
start = [0.0, 0.0]
direction_deg = 0.0
angle_deg = 15.0
length = 2.0
width = 2.0
[[spawn]]
name = \"a\"
position = [0.0, 0.0]
[[object]]
name = \"crate\"
box = { size = [0.5, 0.5, 0.5] }
place = [1.0, 1.0]
mass = 2.0
material = \"rock\"
";

/// What to replace in the good file, by what, and two parts of the message that must come.
const CASES: &[(&str, &str, &str, &str)] = &[
    ("cell = 0.5", "cell = 0.0", "w.toml:3: terrain.cell: expected a number from 0.001", "float `0.0`"),
    ("cell = 0.5", "cell = nan", "w.toml:3: terrain.cell", "found float `nan`"),
    ("cell = 0.5", "cell = \"small\"", "w.toml:3: terrain.cell", "found string `\"small\"`"),
    ("cell = 0.5\n", "", "w.toml:2: terrain.cell", "found nothing"),
    ("cell = 0.5", "cell = 0.3", "w.toml:4: terrain.size: expected whole multiples of the cell", "[10.0, 5.0]"),
    ("cell = 0.5", "cell = 0.002", "w.toml:4: terrain.size: expected at most 4000000 samples", "5001 × 2501"),
    ("[10.0, 5.0]", "[10.0]", "w.toml:4: terrain.size: expected a list of 2 numbers", "a list of 1"),
    ("[10.0, 5.0]", "[10.0, -5.0]", "w.toml:4: terrain.size[1]", "float `-5.0`"),
    ("\"soil\"", "\"cheese\"", "w.toml:5: terrain.material: expected a known material: concrete, soil", "`cheese`"),
    ("\"ramp\"", "\"rampe\"", "w.toml:7: terrain.layer[0].kind: expected one of flat, image, ramp", "rampe"),
    (
        "angle_deg = 15.0",
        "angle_deg = 95",
        "w.toml:10: terrain.layer[0].angle_deg: expected a number from 0.1 to 89 [deg]",
        "integer `95`",
    ),
    ("width = 2.0", "widht = 2.0", "terrain.layer[0].width: expected a number", "found nothing"),
    (
        "width = 2.0",
        "width = 2.0\ncolour = 1",
        "w.toml:13: terrain.layer[0].colour: expected one of kind, seed",
        "an unknown field",
    ),
    (
        "width = 2.0",
        "width = 2.0\nblend = 3.0",
        "expected a blend that is not longer than the ramp",
        "blend 3 m, length 2 m",
    ),
    ("[[spawn]]", "[[spawns]]", "w.toml:13: spawns: expected one of name, gravity", "an unknown field"),
    (
        "position = [0.0, 0.0]",
        "position = [6.0, 0.0]",
        "w.toml:15: spawn[0].position: expected a point on the terrain, x -5 to 5",
        "[6, 0]",
    ),
    (
        "[[object]]",
        "[[spawn]]\nname = \"a\"\nposition = [1, 1]\n[[object]]",
        "w.toml:17: spawn[1].name: expected a name that is used once",
        "a second `a`",
    ),
    ("mass = 2.0", "mass = 0", "w.toml:20: object[0].mass: expected a number from 0.000001", "integer `0`"),
    (
        "name = \"test\"",
        "name = \"test\"\n[[pair]]\nmaterials = [\"cheese\", \"wax\"]\nfriction = 0.1",
        "w.toml:3: pair[0].materials: expected at least one material of this world",
        "cheese",
    ),
    (
        "name = \"test\"",
        "name = \"test\"\n[[pair]]\nmaterials = [\"sand\"]",
        "w.toml:3: pair[0].materials: expected two names",
        "1 of them",
    ),
    (
        "mass = 2.0",
        "hinge = { axis = [0, 0, 1] }",
        "w.toml:20: object[0].hinge: expected a mass beside a joint",
        "none",
    ),
    (
        "mass = 2.0",
        "mass = 2.0\nhinge = { axis = [0, 0, 0] }",
        "w.toml:21: object[0].hinge.axis: expected a direction",
        "a null vector",
    ),
    (
        "mass = 2.0",
        "mass = 2.0\nslide = { axis = [0, 0, 1], on = \"wall\" }",
        "object[0].slide.on: expected the name of an object before this one",
        "\"wall\"",
    ),
    (
        "mass = 2.0",
        "mass = 2.0\nhinge = { axis = [0, 0, 1], limits_deg = [10, 20] }",
        "object[0].hinge.limits_deg: expected limits around zero",
        "10 to 20",
    ),
    (
        "mass = 2.0",
        "mass = 2.0\nhinge = { axis = [0, 0, 1], latch = { within_deg = 3 } }",
        "object[0].hinge.latch.effort: expected",
        "nothing",
    ),
    (
        "place = [1.0, 1.0]",
        "place = [1.0, 1.0]\nposition = [1, 1, 1]",
        "object[0]: expected either position = [x, y, z] or place = [x, y]",
        "both",
    ),
    ("box = { size = [0.5, 0.5, 0.5] }", "", "object[0]: expected exactly one of box, cylinder, mesh", "0 of them"),
    (
        "name = \"test\"",
        "name = \"test\"\ngravity = -9.81",
        "w.toml:2: gravity: expected a number from 0 to 100 [m/s²]",
        "`-9.81`",
    ),
    ("name = \"test\"", "name = \"\"", "w.toml:1: name: expected a text that is not empty", "string"),
    ("name = \"test\"", "name = \"test\"\nseed = 1.5", "w.toml:2: seed: expected a whole number", "float `1.5`"),
    (
        "name = \"test\"",
        "name = \"test\"\n[[material]]\nname = \"goo\"\nfriction = -1",
        "w.toml:4: material[0].friction: expected a number from 0 to 10",
        "`-1`",
    ),
    (
        "[[spawn]]",
        "[[terrain.layer]]\nkind = \"flat\"\nregion = { route = \"way\" }\n[[spawn]]",
        "terrain.layer[1].region.route: expected a route of this file",
        "way",
    ),
    (
        "[[spawn]]",
        "[[terrain.layer]]\nkind = \"flat\"\nregion = { }\n[[spawn]]",
        "terrain.layer[1].region: expected disc, rectangle, border or route",
        "none",
    ),
    ("size = [10.0, 5.0]", "size = [10.0, 5.0", "w.toml:", "not valid TOML"),
    (
        "[[spawn]]",
        "[prior_map]\nfile = \"p.png\"\ncell = 0.001\nscale = 0.001\noffset = 0\n[[spawn]]",
        "w.toml:15: prior_map.cell: expected a number from 0.01 to 100 [m]",
        "0.001",
    ),
    ("cell = 0.5", "cell = 0.5\ncell = 0.6", "w.toml:4: not valid TOML", "duplicate key"),
    ("kind = \"ramp\"", "kind = \"waves\"\namplitude = 1e4\nwavelength = 1.0", "", "expected one of kind"),
    (
        "[[spawn]]",
        "[[terrain.layer]]\nkind = \"mound\"\ncenter = [2.5, 0]\nradius = 1.0\nheight = 999.9\n[[spawn]]",
        "expected terrain heights from -1000 to 1000 m",
        "1000.",
    ),
];

/// The error of the good file with one text replaced.
fn error(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from} is not in the file");
    World::from_str(&GOOD.replacen(from, to, 1), "w.toml", Path::new(".")).expect_err(to).to_string()
}

#[test]
fn the_good_file_is_good() {
    assert!(World::from_str(GOOD, "w.toml", Path::new(".")).is_ok());
}

#[test]
fn each_mistake_is_named_with_line_and_field() {
    for &(from, to, place, found) in CASES {
        let message = error(from, to);
        assert!(message.contains(place) && message.contains(found), "`{to}` gives: {message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn a_prior_map_finer_than_memory_is_refused() {
    let text = GOOD.replace("cell = 0.5", "cell = 10.0").replace("[10.0, 5.0]", "[10000.0, 5000.0]");
    let text = format!("{text}[prior_map]\nfile = \"p.png\"\ncell = 0.01\nscale = 0.001\noffset = 0\n");
    let error = World::from_str(&text, "w.toml", Path::new(".")).unwrap_err().to_string();
    assert!(error.contains("w.toml:24: prior_map.cell") && error.contains("at most 4000000 samples"), "{error}");
}

#[test]
fn missing_and_wrong_pictures_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let text = GOOD.replacen(
        "[[spawn]]",
        "[[terrain.layer]]\nkind = \"image\"\nfile = \"hills.png\"\nscale = 0.001\n[[spawn]]",
        1,
    );
    let load = || World::from_str(&text, "w.toml", folder.path());
    let error = load().unwrap_err();
    assert!(error.to_string().starts_with("w.toml:15: terrain.layer[1].file: expected the name of a file"), "{error}");
    assert!(error.to_string().contains("hills.png"), "{error}");
    let write = |bytes: &[u8]| std::fs::write(folder.path().join("hills.png"), bytes).unwrap();
    let map = |rows: usize, columns: usize| HeightMap { rows, columns, values: vec![7; rows * columns] };
    write(&map(11, 20).encode("hills.png").unwrap());
    let error = load().unwrap_err().to_string();
    assert_eq!(
        error,
        "hills.png: height map: expected 21 × 11 pixels (width × height), one per grid sample, found 20 × 11"
    );
    let good = map(11, 21).encode("hills.png").unwrap();
    write(&good[..good.len() - 20]);
    assert!(load().unwrap_err().to_string().contains("expected a complete 16-bit greyscale PNG"));
    write(&good);
    assert!(load().is_ok());
}

#[test]
fn files_that_are_not_there_or_not_text_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.toml");
    assert!(matches!(World::load(&path), Err(WorldError::Read { .. })));
    std::fs::write(&path, b"name = \"a\"\nx = \xff\n").unwrap();
    let error = World::load(&path).unwrap_err().to_string();
    assert!(error.contains("w.toml:2") && error.contains("UTF-8"), "{error}");
    assert!(matches!(World::from_sources(&[]), Err(WorldError::Read { .. })));
    assert!(matches!(World::load(folder.path()), Err(WorldError::Read { .. })), "a folder is no file");
}
