//! Charts that cannot be carried out.

use super::{FETCH, TAKE, read_with};

/// What is told of the charts with a part of one of them replaced.
fn message(chart: &str, from: &str, to: &str) -> String {
    assert!(chart.contains(from), "{from}");
    let changed = chart.replacen(from, to, 1);
    let read = if chart == FETCH { read_with(&changed, TAKE) } else { read_with(FETCH, &changed) };
    read.unwrap_err().to_string()
}

fn expect(cases: &[(String, &str)]) {
    for (found, expected) in cases {
        assert!(found.contains(expected), "expected {expected:?}\n   found {found:?}");
        assert!(found.starts_with("fetch.toml:") || found.starts_with("take.toml:"), "{found}");
    }
}

#[test]
fn everything_that_is_wrong_is_told_with_file_and_line() {
    let fetch = |from: &str, to: &str| message(FETCH, from, to);
    let cases = [
        (
            fetch("arrived = \"take\"\n", ""),
            "fetch.toml:19: state 'approach': expected what follows its outcome 'arrived'",
        ),
        (
            fetch("arrived =", "arived ="),
            "fetch.toml:27: state 'approach': on: expected one of its outcomes (arrived, refused,",
        ),
        (fetch("skill = \"go_to\"", "skill = \"fly_to\""), "expected a skill (go_to, grasp, look), found 'fly_to'"),
        (
            fetch("chart = \"take\"", "chart = \"tke\""),
            "fetch.toml:32: chart 'tke': expected a chart (fetch, take), found 'tke'",
        ),
        (
            fetch("chart = \"take\"", "chart = \"fetch\""),
            "expected a chart that does not lead back, found fetch → fetch",
        ),
        (
            fetch("inputs = { pose = \"$input.place\" }\n", ""),
            "entered by initial: expected a value for its input 'pose' (pose), found none",
        ),
        (
            fetch("$input.place", "$input.height"),
            "fetch.toml:21: state 'approach': input 'pose': expected pose, found number",
        ),
        (fetch("$input.place", "$input.plce"), "expected one of $input's (height, place), found 'plce'"),
        (
            fetch("\"localized\"", "\"lokalized\""),
            "needs: expected a fact (localized, holding), perhaps with 'not' before it, found 'lokalized'",
        ),
    ];
    expect(&cases);
}

#[test]
fn numbers_places_and_profiles_that_make_no_sense_are_told() {
    let fetch = |from: &str, to: &str| message(FETCH, from, to);
    let cases = [
        (
            fetch("stall_time = 2.0", "stall_time = -2.0"),
            "fetch.toml:23: state 'approach': stall_time: expected 0.001 to 1,000,000 s, found -2",
        ),
        (
            fetch("initial = \"approach\"", "initial = \"x\""),
            "fetch.toml:5: initial: expected a state (approach, take), found 'x'",
        ),
        (
            fetch("[\"again\", \"failed\"]", "[\"again\", \"fail\"]"),
            "expected one of approach, take, done, failed, or again, found 'fail'",
        ),
        (
            fetch("lost = { ladder = [\"approach\", \"failed\"] }", "lost = { ladder = [] }"),
            "expected at least one step, found none",
        ),
        (
            fetch("outcomes = [\"done\", \"failed\"]", "outcomes = [\"done\", \"failed\", \"tired\"]"),
            "outcome 'tired': expected a transition that leads to it, found none",
        ),
        (fetch("autonomy = \"high\"", "autonomy = \"some\""), "expected autonomy = \"low\", \"high\" or \"full\""),
        (fetch("height = 0.7", "height = \"low\""), "profile 'low': input 'height': expected number, found text"),
        (fetch("default = 0.8", "default = true"), "input 'height': expected a default of type number, found true"),
        (
            fetch("name = \"fetch\"", "name = \"fech\""),
            "fetch.toml:2: name: expected 'fetch', as it is called from outside, found 'fech'",
        ),
        (fetch("time_limit", "tme_limit"), "unknown field"),
    ];
    expect(&cases);
}

#[test]
fn what_is_wrong_in_a_chart_within_is_told_with_its_own_file() {
    let take = |from: &str, to: &str| message(TAKE, from, to);
    let cases = [
        (
            take("\"output.weight\" = \"weight\"", "\"output.wait\" = \"weight\""),
            "keeps: expected \"local.NAME\" or \"output.NAME\" of the chart, found 'output.wait'",
        ),
        (take("joined = \"close\"\n", ""), "expected what follows its outcome 'joined'"),
        (
            take("seen = \"wait\", ", ""),
            "region 'eyes': expected 'wait' or an outcome of the state for its outcome 'seen', found nothing",
        ),
        (take("\"$last.weight\"", "\"$last.size\""), "expected one of $last's (weight), found 'size'"),
        (
            take("joined = \"close\"", "joined = \"held\""),
            "take.toml:30: state 'close': expected a way that leads to it, found none",
        ),
    ];
    expect(&cases);
}
