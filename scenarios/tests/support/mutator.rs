//! Breaks texts, bytes and command lines, the same way each time for the same number.

use robot_io::RandomStream;

/// What people, programs and bad luck write where a number should stand.
const NUMBERS: [&str; 28] = [
    "0",
    "0.0",
    "-0.0",
    "1",
    "-1",
    "-1.0",
    "2",
    "1e300",
    "-1e300",
    "1e-300",
    "1e9",
    "-1e9",
    "1e6",
    "1e5",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "99999999999999999999",
    "4294967296",
    "18446744073709551615",
    "0.001",
    "1000.0",
    "\"text\"",
    "[]",
    "{}",
    "true",
    "",
];
/// What is put between other letters.
const PIECES: [&str; 14] = ["\n", "=", "[", "]]", "\"", "'", "<", "/>", "\u{0}", "ä", "🤖", "#", "..", "[[check]]\n"];

/// Chooses; the same number, the same choices.
#[derive(Debug)]
pub struct Mutator {
    stream: RandomStream,
    drawn: u64,
}

impl Mutator {
    /// The mutator of an input's number.
    pub fn new(number: u64) -> Mutator {
        Mutator { stream: RandomStream::new(number, "mutation"), drawn: 0 }
    }

    /// A number below `count`, 0 if that is 0.
    pub fn below(&mut self, count: usize) -> usize {
        self.drawn += 1;
        (self.stream.bits(self.drawn, 0) % count.max(1) as u64) as usize
    }

    fn of<'c>(&mut self, choices: &[&'c str]) -> &'c str {
        choices[self.below(choices.len())]
    }
}

/// A text with one to three things wrong in it.
pub fn mutated_text(text: &str, mutator: &mut Mutator) -> String {
    let mut text = text.to_owned();
    for _ in 0..=mutator.below(3) {
        text = match mutator.below(8) {
            0..=3 => with_another_number(&text, mutator),
            4 => with_lines_changed(&text, mutator),
            5 => with_another_word(&text, mutator),
            6 => with_letters_changed(&text, mutator),
            _ => with_element_twice(&text, mutator),
        };
    }
    text
}

/// Bytes with some of them changed, lost or more.
pub fn mutated_bytes(bytes: &[u8], mutator: &mut Mutator) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=mutator.below(4) {
        let at = mutator.below(bytes.len());
        match mutator.below(5) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..(at + 1 + mutator.below(64)).min(bytes.len()))),
            2 => drop(bytes.splice(at..at, vec![mutator.below(256) as u8; 1 + mutator.below(64)]).count()),
            3 if at + 8 <= bytes.len() => {
                // lengths and offsets beyond all bounds
                let large = [u64::MAX, 1 << 31, 1 << 40, 0][mutator.below(4)];
                bytes[at..at + 8].copy_from_slice(&large.to_le_bytes());
            }
            _ if at < bytes.len() => bytes[at] ^= 1 << mutator.below(8),
            _ => {}
        }
    }
    bytes
}

/// What a word of a command line is replaced with or joined by.
const FLAGS: [&str; 22] = [
    "--seed",
    "--duration",
    "--plant",
    "--twin",
    "--scans",
    "--out",
    "--force",
    "--realtime",
    "--workers",
    "--core",
    "--no-log",
    "--screenshot",
    "--at",
    "--jobs",
    "--seeds",
    "--junit",
    "--fork-at",
    "--set",
    "--verify",
    "--quiet",
    "--drop-test",
    "--eval",
];

/// What a flag or argument may be given.
const VALUES: [&str; 26] = [
    "1..1000000000000000000",
    "1..=3",
    "-1",
    "1000000",
    "18446744073709551616",
    "nan",
    "inf",
    "1e300",
    "",
    "..",
    "/proc/nowhere",
    "/dev/full",
    "/dev/null",
    "whole.mcap",
    "nowhere/at/all",
    "a=b",
    "locomotion.body.gain=1e300",
    "cruise_speed=nan",
    "preview.spacing=1e-300",
    "sim",
    "modelled-bus",
    "ethercat:nowhere",
    "bench_two_drives",
    "🤖",
    "0",
    "0.05",
];

/// The words of a command line with some of them changed.
pub fn mutated_words(line: &str, mutator: &mut Mutator) -> Vec<String> {
    let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    for _ in 0..=mutator.below(3) {
        let at = 1 + mutator.below(words.len());
        match mutator.below(4) {
            0 if at < words.len() => drop(words.remove(at)),
            1 => words.insert(at.min(words.len()), mutator.of(&FLAGS).to_owned()),
            _ if at < words.len() => words[at] = mutator.of(&VALUES).to_owned(),
            _ => words.push(mutator.of(&VALUES).to_owned()),
        }
    }
    // what is left of a command line must still be short
    if words[0] == "check" && !words.iter().any(|word| word == "swapped_boards") {
        words.insert(1, "swapped_boards".to_owned());
    }
    if words[0] == "run" && !words.iter().any(|word| word == "--duration") {
        words.extend(["--duration".to_owned(), "0.02".to_owned()]);
    }
    words
}

/// Where numbers stand: the byte ranges of words that begin like one.
fn numbers_in(text: &str) -> Vec<std::ops::Range<usize>> {
    let (mut found, bytes) = (Vec::new(), text.as_bytes());
    let mut at = 0;
    while at < bytes.len() {
        let begins = bytes[at].is_ascii_digit()
            && (at == 0 || !(bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_'));
        if !begins {
            at += 1;
            continue;
        }
        let length = bytes[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'.').count();
        let signed = at > 0 && bytes[at - 1] == b'-';
        found.push(at - usize::from(signed)..at + length);
        at += length;
    }
    found
}

fn with_another_number(text: &str, mutator: &mut Mutator) -> String {
    let places = numbers_in(text);
    if places.is_empty() {
        return text.to_owned();
    }
    let place = places[mutator.below(places.len())].clone();
    format!("{}{}{}", &text[..place.start], mutator.of(&NUMBERS), &text[place.end..])
}

fn with_lines_changed(text: &str, mutator: &mut Mutator) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let (a, b) = (mutator.below(lines.len()), mutator.below(lines.len()));
    match mutator.below(4) {
        0 => drop(lines.remove(a)),
        1 => lines.insert(a, lines[b]),
        2 => lines.swap(a, b),
        _ => lines.truncate(a),
    }
    lines.join("\n")
}

/// A name in quotes becomes another that stands in the text, or one that does not.
fn with_another_word(text: &str, mutator: &mut Mutator) -> String {
    let quoted: Vec<(usize, &str)> = text
        .split('"')
        .scan(0, |at, part| {
            let begin = *at;
            *at += part.len() + 1;
            Some((begin, part))
        })
        .skip(1)
        .step_by(2)
        .collect();
    if quoted.is_empty() {
        return text.to_owned();
    }
    let (at, word) = quoted[mutator.below(quoted.len())];
    let other = if mutator.below(3) == 0 { "no_such_thing" } else { quoted[mutator.below(quoted.len())].1 };
    format!("{}{other}{}", &text[..at], &text[at + word.len()..])
}

fn with_letters_changed(text: &str, mutator: &mut Mutator) -> String {
    let letters: Vec<char> = text.chars().collect();
    let at = mutator.below(letters.len());
    let until = (at + mutator.below(20)).min(letters.len());
    let piece = if mutator.below(2) == 0 { mutator.of(&PIECES) } else { "" };
    letters[..at].iter().chain(piece.chars().collect::<Vec<_>>().iter()).chain(&letters[until..]).collect()
}

/// An XML element or a TOML table twice.
fn with_element_twice(text: &str, mutator: &mut Mutator) -> String {
    let begins: Vec<usize> = text.match_indices(['<', '[']).map(|(at, _)| at).collect();
    if begins.is_empty() {
        return text.to_owned();
    }
    let at = begins[mutator.below(begins.len())];
    let end = match text.as_bytes()[at] {
        b'<' => text[at..].find('>').map_or(text.len(), |end| at + end + 1),
        _ => text[at + 1..].find("\n[").map_or(text.len(), |end| at + 1 + end),
    };
    format!("{}{}\n{}", &text[..at], &text[at..end], &text[at..])
}
