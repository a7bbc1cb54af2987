use super::*;

const CRUISE: f64 = 0.6;

fn map(height: impl Fn(f64, f64) -> f64) -> Arc<HeightMap> {
    let at = |index: usize| -2.0 + 0.25 * index as f64;
    let heights = (0..81 * 41).map(|index| height(at(index % 81), at(index / 81) - 3.0)).collect();
    Arc::new(HeightMap { cell: 0.25, origin_x: -2.0, origin_y: -5.0, columns: 81, rows: 41, heights })
}

/// A robot of Momaro's size that levels itself as badly.
fn momaro() -> PreviewSettings {
    let size = PreviewSettings { wheel_base: 0.8, track: 0.7, com_height: 0.75, ..PreviewSettings::default() };
    PreviewSettings { levelling_gain: 0.8, ..size }
}

fn preview(map: Option<Arc<HeightMap>>) -> RoutePreview {
    let goal = Waypoint { pose: Pose2 { x: 10.0, y: 0.0, yaw: 0.0 }, speed: CRUISE, rounding: 0.0 };
    let settings = momaro();
    let (odom_in_world, pose_in_odom) = (Pose2::default(), Pose2::default());
    RouteQuery { settings, map, odom_in_world, pose_in_odom, waypoints_in_odom: vec![goal] }.preview()
}

fn at(preview: &RoutePreview, x: f64) -> RoutePiece {
    *preview.piece_at(&Pose2 { x, y: 0.0, yaw: 0.0 }, 0.2).expect("on the way")
}

#[test]
fn without_a_map_the_way_is_taken_as_flat_and_says_so() {
    let preview = preview(None);
    assert_eq!(preview.known_share, 0.0);
    assert!(preview.pieces.iter().all(|piece| piece.speed_limit == CRUISE && piece.margin == 0.35), "half the track");
}

#[test]
fn on_a_ramp_the_margin_is_that_of_the_tilted_robot() {
    let slope = 15.0_f64.to_radians();
    let preview = preview(Some(map(|x, _| slope.tan() * x.clamp(3.0, 6.0))));
    let piece = at(&preview, 4.5);
    assert!((piece.slope_along - slope).abs() < 0.01, "{piece:?}");
    // half of 0.8 m · cos 15° less 0.75 m · sin(15°/1.8)
    let expected = 0.4 * slope.cos() - 0.75 * (slope / 1.8).sin();
    assert!((piece.margin - expected).abs() < 0.005, "{} m, by hand {expected} m", piece.margin);
    assert!(piece.lean_pitch > 0.1, "leans forward into the slope: {}", piece.lean_pitch);
    assert_eq!(at(&preview, 1.0).lean_pitch, 0.0);
}

#[test]
fn a_cross_slope_is_taken_slowly_and_low() {
    let preview = preview(Some(map(|x, y| if x > 4.0 { 0.36 * y } else { 0.0 })));
    let (flat, tilted) = (at(&preview, 0.0), at(&preview, 7.0));
    assert!(tilted.margin < flat.margin && tilted.slope_across > 0.3, "{tilted:?}");
    assert!(tilted.speed_limit < 0.8 * flat.speed_limit, "{tilted:?}");
    assert!(tilted.lowering > 0.02 && tilted.lean_roll < -0.1, "{tilted:?}");
}

#[test]
fn speed_comes_down_in_time_for_a_step() {
    let settings = PreviewSettings::default();
    let preview = preview(Some(map(|x, _| if x > 6.0 { 0.4 } else { 0.0 })));
    assert!((at(&preview, 6.0).speed_limit - settings.least_speed).abs() < 0.05, "{:?}", at(&preview, 6.0));
    for pair in preview.pieces.windows(2) {
        let way = pair[0].pose_in_odom.distance(&pair[1].pose_in_odom);
        let braking = (pair[0].speed_limit.powi(2) - pair[1].speed_limit.powi(2)) / (2.0 * way);
        assert!(braking <= settings.braking + 1e-9, "{braking} m/s² at {:?}", pair[0].pose_in_odom);
    }
}

#[test]
fn off_the_map_it_drives_carefully() {
    let preview = preview(Some(map(|x, _| if x > 5.0 { f64::NAN } else { 0.0 })));
    assert!(preview.known_share > 0.3 && preview.known_share < 0.6, "{}", preview.known_share);
    assert_eq!(at(&preview, 8.0).speed_limit, PreviewSettings::default().unknown_speed);
}

#[test]
fn a_result_travels_as_state() {
    let mut sent = preview(Some(map(|x, y| 0.1 * x * y)));
    let saved = robot_io::StateWriter::save(&mut sent);
    let mut arrived = RoutePreview::default();
    robot_io::StateReader::restore(&mut arrived, &saved).expect("same shape");
    assert_eq!(arrived, sent);
}
