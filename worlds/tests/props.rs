//! Things made of several objects, from files of their own.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::path::Path;

use worlds::{ObjectJoint, World};

const GROUND: &str = "name = \"w\"\n[terrain]\ncell = 0.5\nsize = [10.0, 10.0]\nmaterial = \"concrete\"\n[[terrain.layer]]\nkind = \"flat\"\nheight = 0.5\n";
const SWITCH: &str = "name = \"switch\"
[[material]]
name = \"steel\"
base = \"concrete\"
friction = 0.3
[[object]]
name = \"body\"
box = { size = [0.2, 0.2, 0.4] }
position = [0.0, 0.0, 0.2]
material = \"steel\"
[[object]]
name = \"toggle\"
mesh = { file = \"toggle.obj\" }
position = [0.2, 0.0, 0.3]
mass = 0.1
material = \"steel\"
hinge = { on = \"body\", axis = [0.0, 1.0, 0.0] }
";
const TOGGLE: &str = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
const TWO: &str = "[[prop]]\nname = \"one\"\nfile = \"../props/switch.toml\"\nplace = [1.0, 2.0]\nrpy_deg = [0, 0, 90]\n\
                   [[prop]]\nname = \"two\"\nfile = \"../props/switch.toml\"\nposition = [-1.0, 0.0, 3.0]\n";

/// The world of `text`, beside the prop's file.
fn load(text: &str, switch: &str) -> Result<World, String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in [("props/switch.toml", switch), ("props/toggle.obj", TOGGLE), ("worlds/w.toml", text)] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    World::load(&folder.path().join("worlds/w.toml")).map_err(|error| error.to_string())
}

fn good() -> World {
    load(&format!("{GROUND}{TWO}"), SWITCH).unwrap()
}

#[test]
fn a_prop_stands_where_it_is_put_with_all_that_it_is_made_of() {
    let world = good();
    let names: Vec<&str> = world.objects.iter().map(|object| object.name.as_str()).collect();
    assert_eq!(names, ["one", "one_toggle", "two", "two_toggle"]);
    let at = |index: usize| world.objects[index].pose_in_world.translation.vector;
    // a turn to the left; set down a millimetre over the ground at 0.5 m
    let expected = [[1.0, 2.0, 0.701], [1.0, 2.2, 0.801], [-1.0, 0.0, 3.2], [-0.8, 0.0, 3.3]];
    for (index, expected) in expected.into_iter().enumerate() {
        assert!((at(index) - nalgebra::Vector3::from(expected)).norm() < 1e-9, "{index}: {}", at(index));
    }
    let carriers: Vec<Option<usize>> =
        world.objects.iter().map(|object| object.joint.as_ref().and_then(|joint| joint.carrier)).collect();
    assert_eq!(carriers, [None, Some(0), None, Some(2)]);
    let steel = world.materials.iter().position(|material| material.name == "steel").unwrap();
    assert!(world.objects.iter().all(|object| object.material == steel));
}

#[test]
fn a_world_with_props_makes_itself_again_from_its_sources() {
    let world = good();
    let names: Vec<&str> = world.sources.iter().map(|source| source.name.as_str()).collect();
    assert_eq!(names, ["w.toml", "../props/switch.toml", "../props/toggle.obj"]);
    assert_eq!(World::from_sources(&world.sources).unwrap(), world);
}

#[test]
fn materials_of_the_world_hold_over_those_of_its_props() {
    let own = "[[material]]\nname = \"steel\"\nbase = \"concrete\"\nfriction = 0.8\n";
    let world = load(&format!("{GROUND}{own}{TWO}"), SWITCH).unwrap();
    let steel: Vec<f64> =
        world.materials.iter().filter(|material| material.name == "steel").map(|steel| steel.friction).collect();
    assert_eq!(steel, [0.8]);
}

#[test]
fn a_world_may_say_what_is_not_as_in_the_file_of_joints() {
    let stiff = "[[prop.joint]]\nobject = \"toggle\"\nspring = 7.0\nfriction = 0.5\n";
    let world = load(&format!("{GROUND}{TWO}{stiff}"), SWITCH).unwrap();
    let joint = |name: &str| {
        let object = world.objects.iter().find(|object| object.name == name).unwrap();
        object.joint.clone().unwrap()
    };
    let (one, two) = (joint("one_toggle"), joint("two_toggle"));
    assert_eq!((two.spring, two.friction), (7.0, 0.5));
    assert_eq!(ObjectJoint { spring: two.spring, friction: two.friction, carrier: two.carrier, ..one.clone() }, two);
    assert!(one.spring != two.spring && one.friction != two.friction, "the first is as its file says");
}

#[test]
fn mistakes_are_named_with_file_line_and_field() {
    let world = |from: &str, to: &str| load(&format!("{GROUND}{TWO}").replacen(from, to, 1), SWITCH).unwrap_err();
    let joint = |text: &str| load(&format!("{GROUND}{TWO}[[prop.joint]]\n{text}"), SWITCH).unwrap_err();
    let prop = |from: &str, to: &str| load(&format!("{GROUND}{TWO}"), &SWITCH.replacen(from, to, 1)).unwrap_err();
    let cases = [
        (world("../props/switch.toml", "switch.toml"), "w.toml:11: prop[0].file: expected the name of a file"),
        (world("name = \"two\"", "name = \"one\""), "prop[1].name: expected a name of which no object has the like"),
        (world("place = [1.0, 2.0]", "place = [9.0, 2.0]"), "prop[0].place: expected a place on the terrain"),
        (world("rpy_deg = [0, 0, 90]", "mass = 2.0"), "prop[0].mass"),
        (joint("object = \"togle\""), "prop[1].joint[0].object: expected the name of an object of the prop's file"),
        (joint("object = \"body\""), "prop[1].joint[0].object: expected an object with a hinge or slide"),
        (joint("object = \"toggle\"\nspring = -1.0"), "prop[1].joint[0].spring: expected"),
        (joint("object = \"toggle\"\nlimits = [0, 1]"), "prop[1].joint[0].limits"),
        (
            joint("object = \"toggle\"\n[[prop.joint]]\nobject = \"toggle\""),
            "joint[1].object: expected each object at most once",
        ),
        (prop("name = \"switch\"\n", ""), "../props/switch.toml"),
        (prop("\"steel\"", "\"soil\""), "switch.toml:2: material[0]: expected a material of its own"),
        (prop("position = [0.0, 0.0, 0.2]", "place = [0.0, 0.0]"), "switch.toml:6: object[0].position"),
        (prop("mass = 0.1\n", "mass = 0.1\nmotion = { way = [[1, 1]] }\n"), "object[1].motion: expected"),
        (prop("\"toggle.obj\"", "\"toggel.obj\""), "switch.toml:13: object[1].mesh.file: expected the name of a file"),
        (prop("on = \"body\"", "on = \"one\""), "expected the name of an object before this one"),
        (prop("[[object]]", "[[objekt]]"), "switch.toml"),
    ];
    for (message, expected) in cases {
        assert!(message.contains(expected) && message.lines().count() == 1, "`{expected}`: {message}");
    }
}

#[test]
fn every_shipped_prop_is_in_the_workshop() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let world = World::load(&root.join("workshop.toml")).unwrap();
    let mut files: Vec<String> = std::fs::read_dir(root.join("../assets/props"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".toml") || name.ends_with(".obj"))
        .collect();
    files.sort();
    for file in files {
        let name = format!("../assets/props/{file}");
        assert!(world.sources.iter().any(|source| source.name == name), "{name}");
    }
}
