//! What may be said to a run.

use robot_io::OperatorRequest;

/// What may be said.
pub const WORDS: [(&str, OperatorRequest); 4] = [
    ("acknowledge", OperatorRequest::ClearEmergencyStop),
    ("stop", OperatorRequest::EmergencyStop),
    ("pause", OperatorRequest::Pause),
    ("resume", OperatorRequest::Resume),
];

/// The request that a word, or its first letter, asks for.
pub fn request(word: &str) -> Option<OperatorRequest> {
    let word = word.trim();
    let fits = |(known, _): &&(&str, OperatorRequest)| *known == word || (word.len() == 1 && known.starts_with(word));
    WORDS.iter().find(fits).map(|(_, request)| *request)
}

/// The words, for messages.
pub fn known() -> String {
    WORDS.map(|(word, _)| word).join(", ")
}
