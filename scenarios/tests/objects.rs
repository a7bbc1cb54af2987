//! Checks that ask where an object of the world is: a door that a spring opens, a drawer, a crate that falls.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::path::Path;

use support::shell::{chiron, said};

const WORLD: &str = r#"
name = "closet"
[terrain]
cell = 0.5
size = [8.0, 8.0]
material = "concrete"

[[object]]
name = "door"
box = { size = [0.8, 0.04, 1.0] }
position = [2.0, 2.0, 1.0]
mass = 5.0
material = "rock"
hinge = { axis = [0, 0, 1], at = [-0.4, 0, 0], limits_deg = [0, 70], damping = 2.0, spring = 10.0, rest_deg = 60 }

[[object]]
name = "drawer"
box = { size = [0.3, 0.3, 0.1] }
position = [-2.0, 2.0, 1.0]
mass = 1.0
material = "rock"
slide = { axis = [1, 0, 0], limits = [0, 0.4], damping = 20.0, spring = 40.0, rest = 0.2 }

[[object]]
name = "crate"
box = { size = [0.3, 0.3, 0.3] }
position = [2.0, -2.0, 0.65]
mass = 4.0
material = "rock"
"#;

/// What a run with these checks says, and its exit code.
fn check(folder: &Path, checks: &str) -> (String, Option<i32>) {
    std::fs::write(folder.join("closet.toml"), WORLD).unwrap();
    let case = "title = \"Things move by themselves\"\nworld = \"closet.toml\"\nrobot = \"bench\"\nseed = 1\nduration = 4.0\n\
                spawn = { x = 0.0, y = 0.0, yaw = 0.0 }\n";
    std::fs::write(folder.join("things.toml"), format!("{case}{checks}")).unwrap();
    let output = chiron(&["check", folder.join("things.toml").to_str().unwrap()]).output().unwrap();
    (said(&output), output.status.code())
}

/// A check on an object.
fn on(object: &str, metric: &str, limit: &str) -> String {
    format!("[[check]]\nkind = \"object\"\nobject = \"{object}\"\nmetric = \"{metric}\"\n{limit}\n")
}

#[test]
fn a_check_knows_how_far_a_door_is_open_and_where_a_crate_has_gone() {
    let folder = tempfile::tempdir().unwrap();
    let holds = [
        on("door", "hinge.final", "above = 59.0\nbelow = 61.0"),
        on("door", "turned.final", "above = 59.0\nbelow = 61.0"),
        on("door", "hinge.max", "below = 5.0\nbefore = 0.1"),
        on("drawer", "slide.final", "above = 0.195\nbelow = 0.205"),
        on("drawer", "moved.max", "below = 0.21"),
        on("crate", "moved.final", "above = 0.49\nbelow = 0.51"),
        on("crate", "turned.max", "below = 1.0"),
    ];
    let (said, code) = check(folder.path(), &holds.concat());
    assert_eq!(code, Some(0), "{said}");
    let (said, code) = check(folder.path(), &on("door", "hinge.final", "below = 30.0"));
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("door: hinge.final ≤ 30 deg: found 59."), "{said}");
}

#[test]
fn an_object_that_is_not_there_and_a_hinge_that_it_has_not_are_refused_with_the_line() {
    let folder = tempfile::tempdir().unwrap();
    for (check_text, expected) in [
        (
            on("gate", "hinge.max", "below = 1.0"),
            "things.toml:9: check: object: expected one of world 'closet': door, drawer, crate; found 'gate'",
        ),
        (
            on("crate", "slide.max", "below = 1.0"),
            "things.toml:9: check: metric: expected an object with a slide for 'slide.max', found 'crate', which has none",
        ),
        (on("drawer", "hinge.max", "below = 1.0"), "things.toml:9: check: metric: expected an object with a hinge"),
        (
            on("door", "angle.max", "below = 1.0"),
            "expected signal.reducer with a signal of hinge, slide, moved, turned, lifted, leans",
        ),
        (on("door", "hinge.max", ""), "things.toml:7: check[0]: expected `below` or `above`, found neither"),
    ] {
        let (said, code) = check(folder.path(), &check_text);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(expected), "{said}");
    }
}
