//! A check that is not ours, added by a program of somebody else's in one line.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

extern crate scenarios as chiron;

use desk::Desk;
use scenarios::outcome::Outcome;

#[path = "support/desk.rs"]
mod desk;

#[allow(dead_code, missing_docs, reason = "a program of its own")]
#[path = "../templates/check/main.rs"]
mod page;

const CASE: &str = "shoves/shoves.toml";

fn desk() -> Desk {
    Desk::beginning("check", "shoves", page::checks())
}

fn found(metrics: &serde_json::Value) -> f64 {
    let check = &metrics["checks"][0];
    assert_eq!(check["name"], "set in motion at least 2 times");
    check["value"].as_f64().unwrap()
}

#[test]
fn it_sees_the_run_and_a_fork_goes_on_from_what_it_has_seen() {
    let pushed = desk();
    let (outcome, metrics) = pushed.run(CASE, &[], "out").unwrap();
    let counted = found(&metrics);
    assert!(outcome == Outcome::Passed && counted >= 2.0, "{counted}");
    let (log, fork) = (pushed.at("out/run.mcap"), pushed.at("fork"));
    let forked = ["replay", log.to_str().unwrap(), "--fork-at", "3.4", "--out", fork.to_str().unwrap(), "--quiet"];
    assert_eq!(pushed.chiron(&forked).unwrap(), Outcome::Passed, "the pushes were before the fork");
    let metrics = std::fs::read_to_string(fork.join("metrics.json")).unwrap();
    assert_eq!(found(&serde_json::from_str(&metrics).unwrap()), counted);
    pushed.change(CASE, "200.0", "0.0");
    let (never, _) = pushed.run(CASE, &["--force"], "out").unwrap();
    assert_eq!(never, Outcome::Failed, "nobody pushes it");
}

#[test]
fn a_kind_or_a_setting_that_there_is_not_is_refused_with_its_line() {
    for (from, to, expected) in [
        ("\"shoves\"", "\"shove\"", "shoves.toml:20: check: kind: expected one of metric, object, contact, reached"),
        ("least = 2", "least = 2\nmost = 3", "shoves.toml:20: check: unknown field `most`"),
        ("kind = \"shoves\"\n", "", "shoves.toml:20: check[0].kind: expected metric, object, contact, reached"),
        (
            "kind = \"shoves\"\n",
            "kind = \"reached\"\n",
            "check[0].x: expected a number from -10000 to 10000 [m], found nothing",
        ),
    ] {
        let desk = desk();
        desk.change(CASE, from, to);
        let refused = desk.refused(CASE, &[]);
        assert!(refused.contains(expected), "{to}: {refused}");
        assert!(!desk.at("refused").exists(), "{to}");
    }
}

#[test]
fn the_tutorial_shows_what_is_run() {
    desk::expect_shown("impl OwnCheck for Shoves {", include_str!("../templates/check/main.rs"));
}
