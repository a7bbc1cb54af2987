//! No bytes make the readers panic: random ones, and valid files with a few bytes changed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::path::Path;

use proptest::prelude::*;
use worlds::{HeightMap, World};

/// A small world with every kind of layer and table.
const EVERYTHING: &str = include_str!("everything.toml");

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
    #![proptest_config(ProptestConfig::with_cases(400))]

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
}
