//! Colours, patches, and what is far away.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use nalgebra::{Isometry3, Point3, Vector2, Vector3};
use perception::{
    BlobFinder, CameraView, ColourClass, ColourTable, Ellipse, Ground, PerceptionError, SightingFinder,
    SightingSettings, yuv_of,
};
use proptest::prelude::*;
use robot_io::{HeightMap, Image, Intrinsics};
use support::{World, battery, camera_at, colour_picture, colours, cup, standing};

fn finder() -> SightingFinder {
    let mut classes = colours().classes().to_vec();
    classes[0] = ColourClass { foot_to_middle: 0.04, width: [0.04, 0.2], ..classes[0].clone() };
    classes[1] = ColourClass { foot_to_middle: 0.04, width: [0.03, 0.3], ..classes[1].clone() };
    SightingFinder::new(ColourTable::new(classes), SightingSettings::default()).unwrap()
}

const LEVEL: Ground<'_> = Ground::Plane {
    point: Point3::new(0.0, 0.0, 0.0),
    normal: nalgebra::Unit::new_unchecked(Vector3::new(0.0, 0.0, 1.0)),
};

/// The centaur's head: 1.6 m high, wide.
fn head(yaw: f64) -> CameraView {
    let intrinsics = Intrinsics::with_field_of_view(640, 360, 110.0_f64.to_radians());
    CameraView::still(
        intrinsics,
        Isometry3::new(Vector3::new(0.0, 0.0, 1.6), Vector3::zeros())
            * Isometry3::rotation(Vector3::z() * yaw)
            * Isometry3::rotation(Vector3::y() * 0.4),
    )
}

#[test]
fn a_cup_metres_away_is_where_its_ellipse_says() {
    let mut finder = finder();
    for seed in 0..20 {
        let distance = 1.5 + 0.12 * seed as f64;
        let (x, y) = (distance * 0.9, distance * 0.3);
        let image = colour_picture(&World::of(&[cup(standing(x, y, 0.05, 0.0))]), &head(0.0), seed);
        let seen = finder.find(&image, &head(0.0), &LEVEL).unwrap();
        assert_eq!(seen.len(), 1, "seed {seed}, {distance} m: {seen:#?}");
        let off = seen[0].position - Point3::new(x, y, 0.0);
        let square = off.dot(&(seen[0].covariance.try_inverse().unwrap() * off));
        assert!(square < 16.3, "seed {seed}, {distance} m: off by {off:?}, {square:.1}");
        assert!(off.norm() < 0.1 * distance, "seed {seed}, {distance} m: off by {off:?}");
    }
}

#[test]
fn what_is_sighted_is_as_uncertain_as_it_is_far_and_along_the_ray() {
    let mut finder = finder();
    let mut deviations = Vec::new();
    for x in [1.5, 3.0] {
        let image = colour_picture(&World::of(&[cup(standing(x, 0.0, 0.05, 0.0))]), &head(0.0), 1);
        let covariance = finder.find(&image, &head(0.0), &LEVEL).unwrap()[0].covariance;
        assert!(covariance[(0, 0)] > covariance[(1, 1)], "{covariance}");
        deviations.push(covariance[(0, 0)].sqrt());
    }
    assert!(deviations[1] > 1.8 * deviations[0], "{deviations:?}");
}

#[test]
fn two_objects_of_two_colours_are_told_apart_and_empty_ground_shows_none() {
    let mut finder = finder();
    let world = World::of(&[cup(standing(1.5, 0.4, 0.05, 0.0)), battery(standing(1.8, -0.5, 0.04, 0.7))]);
    let image = colour_picture(&world, &head(0.0), 3);
    let mut classes: Vec<usize> =
        finder.find(&image, &head(0.0), &LEVEL).unwrap().iter().map(|seen| seen.class).collect();
    classes.sort_unstable();
    assert_eq!(classes, [0, 1]);
    for seed in 0..20 {
        let world = World { bodies: Vec::new(), waves: 0.004 * seed as f64 };
        let view = head(0.3 * seed as f64);
        let seen = finder.find(&colour_picture(&world, &view, seed), &view, &LEVEL).unwrap();
        assert!(seen.is_empty(), "seed {seed}: {seen:?}");
    }
}

#[test]
fn an_object_on_a_hill_is_found_by_the_height_map() {
    let (columns, rows, cell) = (80, 80, 0.05);
    let hill = |x: f64| 0.3 * (x - 1.0).max(0.0);
    let heights = (0..columns * rows).map(|k| hill((k % columns) as f64 * cell)).collect();
    let map = HeightMap { cell, origin_x: 0.0, origin_y: -2.0, columns, rows, heights };
    // the rays of a flat ground would end elsewhere
    let ray = Vector3::new(2.0, 0.2, 0.3 - 1.6);
    let hit = Ground::Heights(&map).meet(&Point3::new(0.0, 0.0, 1.6), &ray, 20.0).unwrap();
    assert!((hit.point - Point3::new(2.0, 0.2, 0.3)).norm() < 1e-6, "{:?}", hit.point);
    assert!((hit.normal - Vector3::new(-0.3, 0.0, 1.0).normalize()).norm() < 1e-6);
    let flat = LEVEL.meet(&Point3::new(0.0, 0.0, 1.6), &ray, 20.0).unwrap();
    assert!((flat.point.x - 2.0).abs() > 0.4);
    assert_eq!(Ground::Heights(&map).meet(&Point3::new(0.0, 0.0, 1.6), &Vector3::x(), 20.0), None);
    assert_eq!(Ground::Heights(&HeightMap::default()).meet(&Point3::new(0.0, 0.0, 1.6), &ray, 20.0), None);
}

#[test]
fn a_picture_of_the_wrong_size_and_classes_that_make_no_sense_are_refused() {
    let error = finder().find(&Image::default(), &head(0.0), &LEVEL).unwrap_err();
    assert_eq!(error, PerceptionError::Picture { camera: "colour", expected: 640 * 360, found: 0 });
    let told = |text: &str| ColourTable::parse(text, "colours.toml").unwrap_err().to_string();
    let one = "[[class]]\nname = \"cup\"\n";
    let ellipse = "[[class.ellipse]]\ncentre = [190, 100]\nhalf_axes = [10, 5]\n";
    for (text, expected) in [
        (String::new(), "class: expected 1 to 16 tables, found 0"),
        (one.to_owned(), "class[0].ellipse: expected at least one table, found none"),
        (
            format!("{one}luma = [200, 100]\n{ellipse}"),
            "class[0].luma: expected the darkest before the brightest, found 200 and 100",
        ),
        (format!("{one}{ellipse}{one}{ellipse}"), "expected a name that is used once, found a second `cup`"),
        (
            format!("{one}[[class.ellipse]]\ncentre = [190, 300]\nhalf_axes = [10, 5]\n"),
            "centre[1]: expected a number from 0 to 255 [1], found integer `300`",
        ),
        (format!("{one}colour = 3\n{ellipse}"), "class[0].colour: expected one of"),
    ] {
        let found = told(&text);
        assert!(found.starts_with("colours.toml:") && found.contains(expected), "{found}\nis not\n{expected}");
    }
    let few = ColourClass::train("cup", &[[1, 2, 3]; 5], 3.0).unwrap_err().to_string();
    assert_eq!(few, "perception: examples: expected at least 20 pixels of 'cup', found 5");
}

#[test]
fn a_class_that_is_trained_knows_its_colour_in_light_and_shade() {
    let table = colours();
    for light in [0.5, 0.7, 1.0] {
        let rgb = support::BLUE.map(|level| (level * light) as u8);
        assert_eq!(table.class_of(rgb), Some(0), "{light}: {rgb:?} {:?}", yuv_of(rgb));
        assert_eq!(table.class_of(support::SOIL.map(|level| (level * light) as u8)), None);
    }
}

proptest! {
    #[test]
    fn classes_are_written_as_they_are_read(
        centre in prop::array::uniform2(0.0_f64..255.0), half_axes in prop::array::uniform2(0.5_f64..100.0),
        angle in -3.0_f64..3.0, luma in prop::array::uniform2(0_u8..=255), far in 0.0_f64..1.0,
    ) {
        let luma = [luma[0].min(luma[1]), luma[0].max(luma[1])];
        let class = ColourClass { foot_to_middle: far, ..ColourClass::new("a \"b\"", vec![Ellipse { centre, half_axes, angle }], luma) };
        let table = ColourTable::new(vec![class.clone()]);
        let read = ColourTable::parse(&table.to_toml(), "colours.toml").unwrap();
        let again = &read.classes()[0];
        prop_assert!((again.ellipses[0].angle - angle).abs() < 1e-12);
        let ellipses = class.ellipses.clone();
        prop_assert_eq!(&ColourClass { ellipses, ..again.clone() }, &class);
    }

    #[test]
    fn patches_are_what_a_flood_finds(pixels in prop::collection::vec(0_u8..3, 12 * 9)) {
        let table = ColourTable::new([support::BLUE, support::YELLOW].map(|rgb| {
            let [_, u, v] = yuv_of(rgb.map(|level| level as u8));
            let ellipse = Ellipse { centre: [f64::from(u), f64::from(v)], half_axes: [3.0; 2], angle: 0.0 };
            ColourClass { least_pixels: 1, least_fill: 0.0, most_aspect: 1e3, ..ColourClass::new("x", vec![ellipse], [0, 255]) }
        }).to_vec());
        let colour = |class: &u8| [[0; 3], support::BLUE.map(|level| level as u8), support::YELLOW.map(|level| level as u8)][usize::from(*class)];
        let image = Image { width: 12, height: 9, rgb: pixels.iter().flat_map(colour).collect(), ..Image::default() };
        let mut finder = BlobFinder::default();
        let mut found: Vec<(usize, usize)> = finder.find(&table, &image).iter().map(|blob| (blob.class, blob.pixels)).collect();
        let mut expected = floods(pixels, 12);
        found.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(found, expected);
    }
}

/// Class and size of each patch, by filling from each pixel that is left.
fn floods(mut pixels: Vec<u8>, width: usize) -> Vec<(usize, usize)> {
    let mut floods = Vec::new();
    for start in 0..pixels.len() {
        let class = pixels[start];
        let (mut edge, mut count) = (vec![start], 0);
        while let Some(at) = edge.pop().filter(|_| class != 0) {
            if core::mem::replace(&mut pixels[at], 0) != class {
                continue;
            }
            count += 1;
            let (column, row) = ((at % width) as i64, (at / width) as i64);
            for (x, y) in (-1..=1).flat_map(|x| (-1..=1).map(move |y| (column + x, row + y))) {
                let place = y * width as i64 + x;
                if (0..width as i64).contains(&x)
                    && (0..pixels.len() as i64).contains(&place)
                    && pixels[place as usize] == class
                {
                    edge.push(place as usize);
                }
            }
        }
        if count > 0 {
            floods.push((usize::from(class) - 1, count));
        }
    }
    floods
}

#[test]
fn the_foot_of_a_patch_is_its_end_towards_the_ground() {
    let view = CameraView::still(support::colour_intrinsics(), camera_at(Point3::new(1.0, 0.0, 0.05), 1.2, 0.5, 0.0));
    let image = colour_picture(&World::of(&[cup(standing(1.0, 0.0, 0.05, 0.0))]), &view, 1);
    let mut finder = BlobFinder::default();
    let blob = finder.find(&colours(), &image)[0].clone();
    let foot = finder.foot(&blob, &Vector2::new(0.0, 1.0));
    let (column, row, _) = view.project(&Point3::new(1.0 - 0.04, 0.0, 0.0)).unwrap();
    assert!((foot - Vector2::new(column, row)).norm() < 2.0, "{foot} is not {column} {row}");
}
