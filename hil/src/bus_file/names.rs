//! Names that somebody may have meant.

/// How many suggestions a message makes.
const MOST: usize = 3;

/// `; near it: 'a', 'b'` with the names that differ least from `wrong`, or nothing if all are far.
pub(super) fn hint<'n>(wrong: &str, known: impl Iterator<Item = &'n str>) -> String {
    let far = wrong.chars().count() / 3 + 1;
    let mut near: Vec<(usize, &str)> = known.map(|name| (strsim::levenshtein(wrong, name), name)).collect();
    near.retain(|(distance, _)| *distance <= far);
    near.sort_by_key(|(distance, _)| *distance);
    let names: Vec<String> = near.iter().take(MOST).map(|(_, name)| format!("'{name}'")).collect();
    if names.is_empty() { String::new() } else { format!("; near it: {}", names.join(", ")) }
}

/// `a, b, c`.
pub(super) fn list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_come_first() {
        let known = ["left_hip", "left_knee", "right_hip", "wheel"];
        assert_eq!(hint("left_hp", known.into_iter()), "; near it: 'left_hip'");
        assert_eq!(hint("gripper_finger", known.into_iter()), "");
    }
}
