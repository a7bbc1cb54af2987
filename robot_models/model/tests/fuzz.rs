//! Whatever stands in a URDF or a state: an answer or one message, never a panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use proptest::prelude::*;
use robot_model::{Configuration, Data, GRAVITY_IN_WORLD, RobotModel, Source, Urdf, crba, evaluate, rnea};
use support::LEG;

/// Words that URDFs are made of, and words that they are not.
const WORDS: [&str; 24] = [
    "\"",
    "<",
    ">",
    "/>",
    "<!--",
    "-->",
    "<![CDATA[",
    "&lt;",
    "&#0;",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "-1",
    "0",
    "1e-320",
    "hip",
    "knee",
    "base",
    "link",
    "joint",
    "xmlns:a=\"b\"",
    "a:b",
    "\u{feff}é\n",
];

/// One way to damage a text: where, how much to remove, what to put there.
fn damage() -> impl Strategy<Value = (f64, usize, usize)> {
    (0.0..1.0_f64, 0..12_usize, 0..WORDS.len() + 1)
}

fn apply(text: &str, damages: &[(f64, usize, usize)]) -> String {
    let mut text: Vec<char> = text.chars().collect();
    for (place, removed, word) in damages {
        let start = (place * text.len() as f64) as usize;
        let end = (start + removed).min(text.len());
        text.splice(start..end, WORDS.get(*word).unwrap_or(&"").chars());
    }
    text.into_iter().collect()
}

/// Replaces the `which`-th attribute value by a word: most of these are still XML.
fn with_value(text: &str, which: usize, word: &str) -> String {
    let mut parts: Vec<&str> = text.split('"').collect();
    let values = parts.len() / 2;
    parts[2 * (which % values) + 1] = word;
    parts.join("\"")
}

/// A tree that was accepted can be computed with.
fn use_it(text: &str) {
    match Urdf::read("fuzz.urdf", text) {
        Ok(urdf) => {
            let zero = vec![0.0; urdf.tree.velocity_dof()];
            let mut data = Data::new(&urdf.tree);
            let configuration = Configuration::zero(&urdf.tree);
            crba(&urdf.tree, &configuration, &mut data);
            rnea(&urdf.tree, &configuration, &zero, &zero, &GRAVITY_IN_WORLD, &mut data);
            assert!(!urdf.report.to_string().is_empty());
        }
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with("fuzz.urdf:"), "{message}");
            assert!(message.contains("expected") && message.contains("found"), "{message}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn damaged_urdfs(damages in prop::collection::vec(damage(), 1..6)) {
        use_it(&apply(LEG, &damages));
    }

    #[test]
    fn urdfs_with_odd_values(changes in prop::collection::vec((0..1000_usize, 0..WORDS.len()), 1..4)) {
        let words = changes.iter().map(|(which, word)| (which, WORDS[*word].replace(['"', '<', '&'], "")));
        use_it(&words.fold(LEG.to_owned(), |text, (which, word)| with_value(&text, *which, &word)));
    }

    #[test]
    fn urdfs_with_lines_moved(from in 0..90_usize, to in 0..90_usize, twice in any::<bool>()) {
        let mut lines: Vec<&str> = LEG.lines().collect();
        let line = lines[from];
        if !twice {
            lines.remove(from);
        }
        lines.insert(to.min(lines.len()), line);
        use_it(&lines.join("\n"));
    }

    #[test]
    fn random_texts(text in "\\PC{0,200}") {
        use_it(&text);
    }

    #[test]
    fn damaged_states(damages in prop::collection::vec(damage(), 1..4)) {
        let state = r#"{"base":{"position":[0,1,2],"orientation":[0,0,0,1]},
            "q":{"hip":0.1,"knee":0.2},"v":[0,0,0,0,0,0,1,2,3]}"#;
        let bytes = LEG.as_bytes().into();
        let model = RobotModel::from_urdf(Source { name: "leg.urdf".into(), bytes }).unwrap();
        if let Err(error) = evaluate(&model, &apply(state, &damages), "state.json") {
            prop_assert!(error.to_string().starts_with("state.json:"), "{}", error);
        }
    }
}

#[test]
fn very_deep_files_end_in_a_message() {
    for element in ["a", "link name='a'"] {
        let tag = element.split(' ').next().unwrap();
        let text = format!(
            "<robot name='r'>{}{}</robot>",
            format!("<{element}>").repeat(200_000),
            format!("</{tag}>").repeat(200_000)
        );
        use_it(&text);
    }
}

#[test]
fn very_long_chains_are_read() {
    let links: String = (0..5000).map(|i| format!("<link name='l{i}'/>")).collect();
    let joint =
        |i: usize| format!("<joint name='j{i}' type='fixed'><parent link='l{i}'/><child link='l{}'/></joint>", i + 1);
    let joints: String = (0..4999).map(joint).collect();
    let urdf = Urdf::read("long.urdf", &format!("<robot name='r'>{links}{joints}</robot>")).unwrap();
    assert_eq!(urdf.tree.links.len(), 5000);
}
