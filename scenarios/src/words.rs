//! What may be said to a run.

use robot_io::{OperatorRequest, ShortName, Switch};

/// What may be said.
pub const WORDS: [(&str, OperatorRequest); 4] = [
    ("acknowledge", OperatorRequest::ClearEmergencyStop),
    ("stop", OperatorRequest::EmergencyStop),
    ("pause", OperatorRequest::Pause),
    ("resume", OperatorRequest::Resume),
];

/// The request that a word, or its first letter, asks for; `start NAME` and its like are for one component.
pub fn request(words: &str) -> Option<OperatorRequest> {
    let word = words.trim();
    if let Some((switch, component)) = word.split_once(' ') {
        let switch = Switch::ALL.into_iter().find(|known| known.word() == switch)?;
        return ShortName::new(component.trim()).map(|component| OperatorRequest::Switch { component, switch });
    }
    let fits = |(known, _): &&(&str, OperatorRequest)| *known == word || (word.len() == 1 && known.starts_with(word));
    WORDS.iter().find(fits).map(|(_, request)| *request)
}

/// The words, for messages.
pub fn known() -> String {
    let switches = Switch::ALL.map(Switch::word).join("|");
    format!("{}, {switches} COMPONENT", WORDS.map(|(word, _)| word).join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_for_the_robot_and_a_word_with_a_name_for_a_component() {
        assert_eq!(request(" p \n"), Some(OperatorRequest::Pause));
        let component = ShortName::new("gripper").unwrap_or_default();
        let switch = Switch::Start;
        assert_eq!(request("start gripper\n"), Some(OperatorRequest::Switch { component, switch }));
        for unknown in ["", "start", "s gripper", "begin gripper", &format!("stop {}", "x".repeat(49))] {
            assert_eq!(request(unknown), None, "{unknown}");
        }
    }
}
