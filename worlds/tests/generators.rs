//! Each kind of layer does what its fields say, the same for the same seed and another for another.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::path::Path;

use worlds::{HeightMap, World, WorldError};

fn try_world(head: &str, layers: &str, folder: &Path) -> Result<World, WorldError> {
    let text =
        format!("name = \"test\"\n{head}\n[terrain]\ncell = 0.1\nsize = [8.0, 6.0]\nmaterial = \"soil\"\n{layers}");
    World::from_str(&text, "test.toml", folder)
}

fn world(head: &str, layers: &str) -> World {
    try_world(head, layers, Path::new(".")).unwrap_or_else(|error| panic!("{error}"))
}

fn height(world: &World, x: f64, y: f64) -> f64 {
    world.terrain.height_at(x, y).unwrap()
}

const SEEDED: [(&str, &str); 3] = [
    ("roughness", "amplitude = 0.02\nwavelength = 0.6\noctaves = 3"),
    ("stones", "count = 30\nradius = [0.1, 0.3]\nheight = [0.02, 0.2]"),
    ("material", "material = \"sand\"\nragged = 0.5\nregion = { border = 1.0 }"),
];

#[test]
fn seeded_layers_repeat_with_their_seed_and_differ_with_another() {
    for (kind, fields) in SEEDED {
        let layer = format!("[[terrain.layer]]\nkind = \"{kind}\"\n{fields}\n");
        let make = |seed: u32| world(&format!("seed = {seed}"), &layer).terrain;
        assert_eq!(make(1), make(1), "{kind}");
        assert_ne!(make(1), make(2), "{kind}");
        let own = world("seed = 3", &format!("{layer}seed = 1\n")).terrain;
        assert_eq!(own, make(1), "{kind}: a layer's own seed comes before the world's");
    }
}

#[test]
fn two_like_layers_are_not_the_same_layer_twice() {
    let layer = "[[terrain.layer]]\nkind = \"roughness\"\namplitude = 0.02\nwavelength = 0.6\n";
    let (one, two) = (world("", layer).terrain, world("", &format!("{layer}{layer}")).terrain);
    let doubled = one.heights.iter().zip(&two.heights).all(|(a, b)| (2.0 * a - b).abs() < 1e-12);
    assert!(!doubled);
}

#[test]
fn the_bits_of_a_generated_ground_are_pinned() {
    // Random numbers and noise are arithmetic and libm only: these bits hold on every machine. A change here changes
    // every recorded run; it must be meant.
    let layers: String =
        SEEDED.iter().map(|(kind, fields)| format!("[[terrain.layer]]\nkind = \"{kind}\"\n{fields}\n")).collect();
    let terrain = world("seed = 7", &layers).terrain;
    let fold = |hash: u64, bits: u64| (hash ^ bits).wrapping_mul(0x0000_0100_0000_01B3);
    let hash = terrain.heights.iter().fold(0xCBF2_9CE4_8422_2325, |hash, h| fold(hash, h.to_bits()));
    let hash = terrain.cell_materials.iter().fold(hash, |hash, &m| fold(hash, u64::from(m)));
    assert_eq!(hash, PINNED, "{hash:#018x}");
}

const PINNED: u64 = 0xeebe_b5d5_1108_bcff;

#[test]
fn layers_are_laid_in_order() {
    let wave = "[[terrain.layer]]\nkind = \"waves\"\namplitude = 0.1\nwavelength = 2.0\ndirection_deg = 90\n";
    let flat = "[[terrain.layer]]\nkind = \"flat\"\nheight = 0.3\n";
    assert!((height(&world("", &format!("{flat}{wave}")), 1.0, 0.5) - 0.4).abs() < 1e-12);
    assert_eq!(height(&world("", &format!("{wave}{flat}")), 1.0, 0.5), 0.3);
}

#[test]
fn a_region_limits_a_layer_and_its_feather_softens_it() {
    let layer = |rest: &str| world("", &format!("[[terrain.layer]]\nkind = \"flat\"\nheight = 1.0\n{rest}\n"));
    let pad = layer("region = { disc = { center = [0.0, 0.0], radius = 1.0 } }\nfeather = 1.0");
    assert_eq!((height(&pad, 0.5, 0.0), height(&pad, 2.5, 0.0)), (1.0, 0.0));
    assert!((height(&pad, 1.5, 0.0) - 0.5).abs() < 1e-12);
    let hole = layer("except = [{ rectangle = { min = [-1.0, -1.0], max = [1.0, 1.0] } }]");
    assert_eq!((height(&hole, 0.0, 0.0), height(&hole, 2.0, 0.0)), (0.0, 1.0));
}

#[test]
fn shapes_have_their_closed_forms() {
    let layer = |text: &str| world("", &format!("[[terrain.layer]]\n{text}\n"));
    let crater = layer("kind = \"crater\"\ncenter = [0.0, 0.0]\nradius = 2.0\ndepth = 0.5\nrim = 0.1");
    assert!((height(&crater, 0.0, 0.0) + 0.5).abs() < 1e-12);
    assert!((height(&crater, 1.0, 0.0) - (-0.5 + 0.6 * 0.25)).abs() < 1e-9);
    assert!((height(&crater, 2.0, 0.0) - 0.1).abs() < 1e-9);
    assert!(height(&crater, 3.1, 0.0).abs() < 1e-12);
    let mound = layer("kind = \"mound\"\ncenter = [1.0, 0.0]\nradius = 2.0\nheight = 0.8");
    assert!((height(&mound, 1.0, 0.0) - 0.8).abs() < 1e-12 && (height(&mound, 2.0, 0.0) - 0.4).abs() < 1e-9);
    let wall = layer("kind = \"wall\"\nfrom = [-1.0, 0.0]\nto = [1.0, 0.0]\nthickness = 0.4\nheight = 0.7");
    assert!((height(&wall, 0.0, 0.1) - 0.7).abs() < 1e-12 && height(&wall, 0.0, 0.4) == 0.0);
    let stairs = layer(
        "kind = \"steps\"\nstart = [0.05, 0.0]\ndirection_deg = 0\nwidth = 2.0\ncount = 4\nriser = 0.15\ntread = 0.3",
    );
    assert!((height(&stairs, 3.0, 0.0) - 0.6).abs() < 1e-12 && height(&stairs, -0.1, 0.0) == 0.0);
}

#[test]
fn stones_keep_their_size_and_their_distance() {
    let text = "[[route]]\nname = \"way\"\nwidth = 1.0\npoints = [[-3.9, 0.0], [3.9, 0.0]]\n\
        [[terrain.layer]]\nkind = \"stones\"\ncount = 200\nradius = [0.1, 0.3]\nheight = [0.05, 0.2]\nexcept = [{ route = \"way\" }]\n";
    let world = world("seed = 11", text);
    let (low, high) = world.terrain.height_range();
    assert_eq!(low, 0.0);
    assert!(high > 0.1 && high <= 0.2, "{high}");
    for i in 0..78 {
        for y in [-0.5, 0.0, 0.5] {
            assert_eq!(height(&world, -3.9 + 0.1 * f64::from(i), y), 0.0, "a stone on the way");
        }
    }
}

#[test]
fn a_height_map_is_laid_as_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let random = worlds::Random::new(4, 4);
    let values = (0..81 * 61).map(|i| random.bits(i) as u16).collect();
    let map = HeightMap { rows: 61, columns: 81, values };
    std::fs::write(folder.path().join("map.png"), map.encode("map.png").unwrap()).unwrap();
    let layer = "[[terrain.layer]]\nkind = \"image\"\nfile = \"map.png\"\nscale = 0.0001\noffset = -2.0\n";
    let world = try_world("", layer, folder.path()).unwrap();
    assert!(world.terrain.heights.iter().zip(map.heights(0.0001, -2.0)).all(|(a, b)| (a - b).abs() < 1e-9));
    assert_eq!(world.sources.len(), 2);
    assert_eq!(World::from_sources(&world.sources).unwrap(), world);
    // With its own cell size the image is interpolated: here it covers [0, 4] × [0, 3] at half the grid's cell.
    let placed = format!("{layer}cell = 0.05\ncenter = [2.0, 1.5]\n");
    let world = try_world("", &placed, folder.path()).unwrap();
    assert!((height(&world, 1.0, 1.0) - map.heights(0.0001, -2.0)[20 * 81 + 20]).abs() < 1e-9);
}

#[test]
fn meshes_boxes_and_cylinders_become_objects() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("wedge.obj"),
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n",
    )
    .unwrap();
    let text = "[[object]]\nname = \"wedge\"\nmesh = { file = \"wedge.obj\", scale = 0.5 }\nposition = [1.0, 0.0, 0.0]\nmaterial = \"rock\"\n\
        [[object]]\nname = \"drum\"\ncylinder = { radius = 0.2, height = 0.6 }\nplace = [0.0, 1.0]\nrpy_deg = [90.0, 0.0, 0.0]\nmass = 5\nmaterial = \"rock\"\n\
        [[object]]\nname = \"sheet\"\nmesh = { vertices = [[0,0,0],[1,0,0],[0,1,0]], triangles = [[0,1,2]] }\nposition = [0,0,1]\nmaterial = \"sand\"\ncolor = [1,0,0]\n";
    let world = try_world("", text, folder.path()).unwrap();
    let worlds::Shape::Mesh { vertices, triangles } = &world.objects[0].shape else { panic!("a mesh") };
    assert_eq!((vertices[1], triangles.len()), ([0.5, 0.0, 0.0], 4));
    // The drum lies on its side: its axis is level, its middle one radius above the ground.
    let drum = &world.objects[1].pose_in_world;
    assert!((drum.translation.z - 0.201).abs() < 1e-9 && (drum * nalgebra::Vector3::z()).z.abs() < 1e-12);
    assert_eq!(world.objects[2].color, [1.0, 0.0, 0.0]);
}

#[test]
fn a_file_changes_presets_and_adds_materials() {
    let text = "[[material]]\nname = \"soil\"\nfriction = 0.9\n[[material]]\nname = \"ice\"\nbase = \"concrete\"\nfriction = 0.05\n\
        [[material]]\nname = \"mud\"\nfriction = 0.4\nrestitution = 0\nrolling_resistance = 0.2\nsinkage = { max_depth = 0.1, frictional_modulus = 5e5 }\n";
    let world = world("", text);
    let material = |name: &str| world.materials.iter().find(|m| m.name == name).unwrap();
    assert_eq!((material("soil").friction, material("soil").rolling_resistance), (0.9, 0.05));
    assert_eq!((material("ice").friction, material("ice").restitution), (0.05, 0.1));
    assert_eq!((material("mud").sinkage.max_depth, material("mud").sinkage.exponent), (0.1, 1.0));
}

/// A world of a run: its sources make it again without the run.
fn of_run(seed: u64, layers: &str, tail: &str) -> World {
    let text = format!(
        "name = \"test\"\nseed = \"run\"\n[terrain]\ncell = 0.1\nsize = [8.0, 6.0]\nmaterial = \"soil\"\n{layers}{tail}"
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("varied.toml");
    std::fs::write(&path, text).unwrap();
    let world = World::load_for_run(&path, seed).unwrap();
    assert_eq!(World::from_sources(&world.sources).unwrap(), world);
    world
}

#[test]
fn a_world_with_the_runs_seed_differs_from_run_to_run() {
    let layers = "[[terrain.layer]]\nkind = \"wall\"\nfrom = [0.0, -1.0]\nto = [0.0, 1.0]\nthickness = 0.4\nheight = 1.0\n\
                  shift = \"door\"\n";
    let tail = "[[shift]]\nname = \"door\"\nwithin = [0.0, 1.5]\n[[object]]\nname = \"post\"\nshift = \"door\"\n\
                cylinder = { radius = 0.1, height = 1.0 }\nplace = [2.0, 1.0]\nmaterial = \"concrete\"\n";
    let mut places = Vec::new();
    for seed in 0..20 {
        let world = of_run(seed, layers, tail);
        assert_eq!(world, of_run(seed, layers, tail));
        let post = world.objects[0].pose_in_world.translation;
        assert_eq!(post.x, 2.0);
        assert!((post.y - 1.0).abs() <= 1.5);
        // the wall has moved along with the post
        let shift = post.y - 1.0;
        assert!(height(&world, 0.0, 0.9 + shift) > 0.9 && height(&world, 0.0, 1.4 + shift) < 0.1, "shift {shift}");
        places.push(post.y);
    }
    places.sort_by(f64::total_cmp);
    assert!(places[0] < 0.2 && places[19] > 1.8, "{places:?}");
}

#[test]
fn a_shift_goes_along_with_another() {
    let tail = "[[shift]]\nname = \"of_table\"\nwithin = [1.0, 1.0]\n\
                [[shift]]\nname = \"of_cup\"\nwithin = [0.1, 0.0]\nwith = \"of_table\"\n\
                [[object]]\nname = \"table\"\nshift = \"of_table\"\nbox = { size = [0.5, 0.5, 0.5] }\nplace = [0.0, 0.0]\n\
                material = \"concrete\"\n\
                [[object]]\nname = \"cup\"\nshift = \"of_cup\"\nbox = { size = [0.1, 0.1, 0.1] }\nposition = [0.0, 0.0, 0.6]\n\
                material = \"concrete\"\n";
    let mut widest = [0.0_f64, 0.0];
    for seed in 0..20 {
        let world = of_run(seed, "", tail);
        let [table, cup] = [0, 1].map(|index| world.objects[index].pose_in_world.translation);
        widest = [widest[0].max((cup.x - table.x).abs()), widest[1].max(table.x.abs())];
        assert!((cup.y - table.y).abs() < 1e-12 && widest[0] <= 0.1, "{cup} {table}");
    }
    assert!(widest[0] > 0.05 && widest[1] > 0.5, "{widest:?}");
    let alone = tail.replace("with = \"of_table\"", "with = \"of_cup\"");
    let refused = try_world("", &alone, Path::new(".")).unwrap_err().to_string();
    assert!(refused.contains("shift[1].with: expected a shift of this file: of_table"), "{refused}");
}

#[test]
fn scattered_things_stand_apart_in_their_region_on_the_ground() {
    let layers =
        "[[terrain.layer]]\nkind = \"flat\"\nheight = 0.3\nregion = { rectangle = { min = [0, -3], max = [4, 3] } }\n";
    let tail = "[[scatter]]\nname = \"pole\"\ncount = 12\ncylinder = { radius = 0.025, height = 1.6 }\nmaterial = \"rock\"\n\
                apart = 0.8\nregion = { rectangle = { min = [-3, -2], max = [3, 2] } }\n\
                except = [{ disc = { center = [0, 0], radius = 1.0 } }]\n";
    let world = of_run(3, layers, tail);
    assert!(world.objects.len() >= 10, "{}", world.objects.len());
    for (number, pole) in world.objects.iter().enumerate() {
        let place = pole.pose_in_world.translation;
        assert!(place.x.abs() < 3.0 && place.y.abs() < 2.0 && place.x.hypot(place.y) > 1.0, "{place}");
        let ground = place.z - 0.8 - 0.001;
        assert!((ground - if place.x > 0.1 { 0.3 } else { 0.0 }).abs() < 1e-9 || place.x.abs() < 0.2, "{place}");
        for other in &world.objects[..number] {
            let other = other.pose_in_world.translation;
            assert!((place.x - other.x).hypot(place.y - other.y) >= 0.8);
        }
    }
    assert_ne!(world.objects, of_run(4, layers, tail).objects);
}

#[test]
fn what_a_file_cannot_vary_is_refused_with_its_line() {
    let message = |head: &str, layers: &str| try_world(head, layers, Path::new(".")).unwrap_err().to_string();
    let unknown = "[[terrain.layer]]\nkind = \"flat\"\nshift = \"door\"\n";
    assert!(message("", unknown).contains("a shift of this file"), "{}", message("", unknown));
    let word = message("seed = \"walk\"", "");
    assert!(word.contains("test.toml:2") && word.contains("\"run\" for the seed of the run"), "{word}");
}
