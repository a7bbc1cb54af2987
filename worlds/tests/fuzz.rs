//! No bytes make the readers panic: random ones, and valid files with a few bytes changed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::path::Path;

use proptest::prelude::*;
use worlds::{HeightMap, Source, World};

/// A small world with every kind of layer and table.
const EVERYTHING: &str = include_str!("everything.toml");

/// A prop with every kind of table.
const PROP: &str = "name = \"p\"\n[[material]]\nname = \"steel\"\nbase = \"concrete\"\nfriction = 0.3\n\
    [[object]]\nname = \"body\"\nbox = { size = [0.2, 0.2, 0.4] }\nposition = [0.0, 0.0, 0.2]\nmaterial = \"steel\"\n\
    [[object]]\nname = \"arm\"\ncylinder = { radius = 0.1, height = 0.2 }\nposition = [0.3, 0.0, 0.2]\nrpy_deg = [0, 90, 0]\n\
    mass = 0.2\nmaterial = \"steel\"\ncolor = [1.0, 0.0, 0.0]\n\
    hinge = { on = \"body\", axis = [0, 1, 0], at = [0, 0, 0.1], limits_deg = [0, 40], latch = { effort = 0.6 } }\n";

fn read(text: &str) {
    if let Ok(world) = World::from_str(text, "fuzz.toml", Path::new("/nonexistent")) {
        let terrain = &world.terrain;
        assert_eq!(terrain.heights.len(), terrain.rows * terrain.columns);
        assert!(terrain.heights.iter().all(|h| h.is_finite()));
        assert!(terrain.cell_materials.iter().all(|&m| usize::from(m) < world.materials.len()));
        if terrain.heights.len() < 10_000 {
            let _ = world.top_view(2.0);
            let _ = terrain.resampled(terrain.cell * 3.0);
        }
    }
}

fn png() -> Vec<u8> {
    let values = (0..12 * 9).map(|i| (i * 601) as u16).collect();
    HeightMap { rows: 9, columns: 12, values }.encode("seed").unwrap()
}

#[test]
fn the_seed_file_is_valid() {
    World::from_str(EVERYTHING, "everything.toml", Path::new("/nonexistent")).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_text(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn random_toml_words(words in prop::collection::vec(prop::sample::select(vec![
        "[", "]", "[[", "]]", "{", "}", "=", ",", "\n", "name", "terrain", "layer", "kind", "\"ramp\"", "cell", "size",
        "0.1", "-1", "nan", "inf", "1e999", "9223372036854775807", "\"soil\"", "material", "region", "disc", ".", "#", "'", "\"\"\"",
    ]), 0..60)) {
        read(&words.concat());
    }

    #[test]
    fn a_valid_world_with_bytes_changed(
        changes in prop::collection::vec((0..EVERYTHING.len(), prop::sample::select(b"0129-.eE+_x\"'[]{}=,\n #azN\xff".to_vec())), 1..5)
    ) {
        let mut bytes = EVERYTHING.as_bytes().to_vec();
        for (at, byte) in changes {
            bytes[at] = byte;
        }
        read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn a_valid_world_with_a_number_replaced(
        which in 0usize..200,
        number in prop::sample::select(vec!["0", "-0.0", "1e-300", "1e300", "nan", "-inf", "1e4", "-1e4", "0.001", "9223372036854775807", "0x10", "[]", "{}", "true"])
    ) {
        let numbers: Vec<(usize, &str)> = EVERYTHING.split_inclusive([' ', '[', ',', '\n', ']', '}'])
            .scan(0, |at, piece| { let start = *at; *at += piece.len(); Some((start, piece.trim_end_matches([' ', '[', ',', '\n', ']', '}']))) })
            .filter(|(_, piece)| piece.parse::<f64>().is_ok()).collect();
        let (at, old) = numbers[which % numbers.len()];
        read(&format!("{}{number}{}", &EVERYTHING[..at], &EVERYTHING[at + old.len()..]));
    }

    #[test]
    fn random_pictures(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0usize..200, cut in 0usize..400) {
        let _ = HeightMap::decode(&bytes, "fuzz.png");
        let mut png = png();
        for (offset, &byte) in bytes.iter().take(4).enumerate() {
            let length = png.len();
            png[(at * 7 + offset * 13) % length] = byte;
        }
        png.truncate(png.len().saturating_sub(cut / 8));
        if let Ok(map) = HeightMap::decode(&png, "fuzz.png") {
            prop_assert_eq!(map.values.len(), map.rows * map.columns);
        }
    }

    #[test]
    fn a_valid_picture_with_bytes_changed_and_its_checksums_repaired(
        changes in prop::collection::vec((0usize..400, any::<u8>()), 1..6)
    ) {
        let mut png = png();
        for (at, byte) in changes {
            let length = png.len();
            png[8 + at % (length - 8)] = byte;
        }
        repair(&mut png);
        if let Ok(map) = HeightMap::decode(&png, "fuzz.png") {
            prop_assert_eq!(map.values.len(), map.rows * map.columns);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_valid_prop_with_bytes_changed(
        changes in prop::collection::vec((0..PROP.len(), prop::sample::select(b"0129-.eE+_x\"'[]{}=,\n #azN\xff".to_vec())), 1..5)
    ) {
        let mut bytes = PROP.as_bytes().to_vec();
        for (at, byte) in changes {
            bytes[at] = byte;
        }
        let _ = World::from_sources(&with_prop(bytes));
    }
}

/// A world whose one thing is a prop.
fn with_prop(prop: Vec<u8>) -> [Source; 2] {
    let world = "name = \"w\"\n[terrain]\ncell = 0.5\nsize = [4.0, 4.0]\nmaterial = \"soil\"\n\
                 [[prop]]\nname = \"one\"\nfile = \"p.toml\"\nplace = [0.0, 0.0]\n";
    [("w.toml", world.as_bytes().to_vec()), ("p.toml", prop)]
        .map(|(name, bytes)| Source { name: name.to_owned(), bytes })
}

#[test]
fn the_seed_prop_is_valid() {
    World::from_sources(&with_prop(PROP.as_bytes().to_vec())).unwrap();
}

/// Writes the checksum that each chunk's changed content asks for, as far as the chunks' lengths lead.
fn repair(png: &mut [u8]) {
    let mut at = 8;
    while at + 12 <= png.len() {
        let length = u32::from_be_bytes([png[at], png[at + 1], png[at + 2], png[at + 3]]) as usize;
        let end = at.saturating_add(8).saturating_add(length);
        if end + 4 > png.len() {
            return;
        }
        let checksum = crc(&png[at + 4..end]).to_be_bytes();
        png[end..end + 4].copy_from_slice(&checksum);
        at = end + 4;
    }
}

/// CRC-32 as in the PNG specification, annex D.
fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { 0xEDB8_8320 ^ (crc >> 1) } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step))
}

#[test]
fn a_picture_that_claims_to_be_huge_is_refused_before_memory_is_taken() {
    let mut png = png();
    png[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 1, 0, 0]);
    repair(&mut png);
    let error = HeightMap::decode(&png, "huge.png").unwrap_err().to_string();
    assert!(error.contains("huge.png") && error.contains("65536 × 65536"), "{error}");
}
