#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;
use robot_io::Time;

use super::*;

/// "Take and return" of the thesis, table 3.3: the connections to arm, gaze and hand.
const TAKE_AND_RETURN: &str = include_str!("take_and_return.toml");

#[test]
fn the_rules_of_take_and_return_have_one_winner_at_each_port() {
    let arbiters = Arbiters::parse(TAKE_AND_RETURN, "take_and_return.toml").unwrap();
    assert_eq!(arbiters.plans.len(), 16);
    for channel in ["arm", "gaze", "hand"] {
        let plans: Vec<&Plan> = arbiters.plans.iter().filter(|plan| plan.channel == channel).collect();
        for case in 0..1_u32 << arbiters.plans.len() {
            let winners = plans.iter().filter(|plan| plan.rule.holds(&|name| case & 1 << name != 0)).count();
            assert!(winners <= 1, "{channel}: {case:b}");
        }
    }
}

#[test]
fn rules_with_two_winners_are_refused_with_the_case() {
    let text = "
        [[connection]]
        name = 'a'
        from = 'one'
        channel = 'arm'
        gain = 1.0
        time = 1.0
        rule = 'a'

        [[connection]]
        name = 'b'
        from = 'other'
        channel = 'arm'
        gain = 1.0
        time = 1.0
        rule = 'b or not a'
    ";
    let error = Arbiters::parse(text, "rules.toml").unwrap_err().to_string();
    assert_eq!(
        error,
        "rules.toml:11: channel 'arm': expected at most one winner at any time, found 'a' and 'b' both win with active: a, b"
    );
    assert!(Arbiters::parse(&text.replace("b or not a", "b and not a"), "rules.toml").is_ok());
}

#[test]
fn what_is_wrong_in_a_file_is_told_with_its_line() {
    let file = |gain: &str, rule: &str| {
        format!("[[connection]]\nname = 'a'\nfrom = 'x'\nchannel = 'c'\ngain = {gain}\ntime = 1.0\nrule = '{rule}'\n")
    };
    let message = |text: &str| Arbiters::parse(text, "r.toml").unwrap_err().to_string();
    assert_eq!(message(&file("2.0", "a")), "r.toml:5: connection 'a': gain: expected 0 to 1, found 2");
    assert!(message(&file("1.0", "a and")).starts_with("r.toml:7: connection 'a': rule: at character 6:"));
    assert!(message("[[connection]]\nnmae = 'a'").starts_with("r.toml:2: [[connection]] nmae: expected one of "));
    assert!(message(&(file("1.0", "a") + &file("1.0", "a"))).contains("found 'a' again"));
}

#[test]
fn a_connection_that_falls_silent_leaves_the_channel_to_the_next() {
    let text = "
        [[connection]]
        name = 'track'
        from = 'tracker'
        channel = 'gaze'
        gain = 0.5
        time = 1.0
        rule = 'track'

        [[connection]]
        name = 'look'
        from = 'look_around'
        channel = 'gaze'
        gain = 1.0
        time = 1.0
        rule = 'not track'
    ";
    let mut arbiters = Arbiters::parse(text, "rules.toml").unwrap();
    let [track, look] = ["tracker", "look_around"].map(|from| arbiters.connection(from, "gaze").unwrap());
    let at = |milliseconds: u64| Time::from_seconds(1e-3 * milliseconds as f64);
    assert!(arbiters.passes(look, at(0)));
    assert!(!arbiters.passes(track, at(10)), "one message is not enough");
    assert!(arbiters.passes(look, at(15)));
    (20..60).step_by(10).for_each(|now| assert!(!arbiters.passes(track, at(now)) || now > 10));
    assert!(arbiters.passes(track, at(60)) && !arbiters.passes(look, at(65)));
    assert!(!arbiters.passes(look, at(1_000)) && arbiters.passes(look, at(1_100)), "a second after the last message");
}

proptest! {
    #[test]
    fn any_file_is_read_or_refused(text in "\\PC{0,200}") {
        drop(Arbiters::parse(&text, "any.toml"));
    }

    /// Whatever comes when, never two connections of a channel pass in the same moment.
    #[test]
    fn there_is_one_winner(steps in prop::collection::vec((0_usize..16, 1_u64..800), 1..200)) {
        let mut arbiters = Arbiters::parse(TAKE_AND_RETURN, "take_and_return.toml").unwrap();
        let mut now = 0;
        for (connection, later) in steps {
            now += later;
            let time = Time::from_seconds(1e-3 * now as f64);
            arbiters.passes(connection, time);
            let active: Vec<bool> = arbiters.activations.iter_mut().map(|one| one.is_active(time)).collect();
            for channel in ["arm", "gaze", "hand"] {
                let holds = |plan: &&Plan| plan.channel == channel && plan.rule.holds(&|name| active[name]);
                prop_assert!(arbiters.plans.iter().filter(holds).count() <= 1);
            }
        }
    }
}
