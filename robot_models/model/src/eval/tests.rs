#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use serde_json::{Value, json};

use crate::{RobotModel, Source, evaluate};

fn leg() -> RobotModel {
    let bytes = include_bytes!("../../tests/support/leg.urdf").as_slice().into();
    RobotModel::from_urdf(Source { name: "leg.urdf".into(), bytes }).unwrap()
}

fn answer(state: Value) -> Value {
    serde_json::to_value(evaluate(&leg(), &state.to_string(), "state.json").unwrap()).unwrap()
}

fn refusal(state: Value) -> String {
    evaluate(&leg(), &state.to_string(), "state.json").expect_err("this should be refused").to_string()
}

#[test]
fn at_rest_the_base_carries_the_weight_and_the_hip_what_hangs_on_it() {
    let answer = answer(json!({}));
    assert_eq!(answer["velocity_order"][8], "roll");
    let weight = answer["bias"][2].as_f64().unwrap();
    assert!((weight - 8.8 * 9.81).abs() < 1e-12, "{weight} N");
    assert_eq!(answer["bias"], answer["inverse_dynamics"]);
    assert_eq!(answer["mass_matrix"].as_array().unwrap().len(), 9);
    assert_eq!(answer["links"]["camera"], json!({"position": [0.0, 0.0, 0.5], "orientation": [0.0, 0.0, 0.0, 1.0]}));
}

#[test]
fn the_knee_holds_up_what_is_below_it_when_the_leg_is_upright() {
    let text = String::from_utf8_lossy(include_bytes!("../../tests/support/leg.urdf")).replace("rpy=\"0.2 0 0.1\"", "");
    let bytes = text.as_bytes().into();
    let model = RobotModel::from_urdf(Source { name: "leg.urdf".into(), bytes }).unwrap();
    let knee = evaluate(&model, "{}", "state.json").unwrap().bias[7];
    // its axis points down: a negative effort pulls shank, wheel and fender up
    assert!((knee + 1.8 * 9.81).abs() < 1e-12, "{knee} N");
}

#[test]
fn what_is_left_out_is_remarked() {
    let remarks = answer(json!({"q": {"hip": 2.0}}))["remarks"].to_string();
    for part in
        ["base: not given", "2 of 3 joints not given", "v: not given", "q.hip: 2 is outside its limits [-1, 1.5]"]
    {
        assert!(remarks.contains(part), "{part} is not in {remarks}");
    }
}

#[test]
fn names_the_field_that_does_not_fit() {
    assert_eq!(refusal(json!({"q": {"hop": 1}})), "state.json: q.hop: expected a joint of this robot, found \"hop\"");
    assert_eq!(
        refusal(json!({"q": {"sole_fixed": 1}})),
        "state.json: q.sole_fixed: expected a joint that moves, found the fixed joint \"sole_fixed\""
    );
    assert_eq!(refusal(json!({"q": {"hip": "up"}})), "state.json: q.hip: expected a number, found \"up\"");
    assert_eq!(
        refusal(json!({"v": [1, 2]})),
        "state.json: v: expected 9 numbers (base linear, base angular, one per joint), found 2"
    );
    assert_eq!(
        refusal(json!({"a": [0, 0, 0, 0, 0, 0, 0, null, 0]})),
        "state.json: a[7]: expected a number, found null"
    );
    assert_eq!(
        refusal(json!({"base": {"position": [0, 0]}})),
        "state.json: base.position: expected 3 numbers (x, y, z [m]), found 2"
    );
    assert_eq!(refusal(json!({"p": 1})), "state.json: p: expected one of base, q, v, a, found p");
    assert_eq!(refusal(json!([])), "state.json: state: expected an object, found an array of 0");
    let broken = evaluate(&leg(), "{\n\"q\": {,}}", "state.json").unwrap_err().to_string();
    assert_eq!(broken, "state.json:2: JSON: expected a JSON object, found key must be a string");
}

#[test]
fn an_orientation_is_normalised_if_typed_and_refused_if_wrong() {
    let typed = answer(json!({"base": {"orientation": [0, 0, 0.6001, 0.8]}}));
    assert!(typed["remarks"].to_string().contains("normalised"));
    let [z, w] = [2, 3].map(|index| typed["links"]["base"]["orientation"][index].as_f64().unwrap());
    assert!((z / w - 0.6001 / 0.8).abs() < 1e-15 && (z.hypot(w) - 1.0).abs() < 1e-15);
    assert_eq!(
        refusal(json!({"base": {"orientation": [0, 0, 0, 2]}})),
        "state.json: base.orientation: expected a quaternion of length 1, found length 2"
    );
}

#[test]
fn a_mimic_joint_must_agree_with_its_master() {
    answer(json!({"q": {"hip": 0.4, "fender_tilt": -0.1}}));
    assert_eq!(
        refusal(json!({"q": {"hip": 0.5, "fender_tilt": 0.4}})),
        "state.json: q.fender_tilt: expected -0.15 = -0.5 · 0.5 + 0.1, because joint \"fender_tilt\" mimics joint \
         \"hip\", found 0.4"
    );
}
