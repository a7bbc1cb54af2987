//! Names that somebody may have meant.

/// How many suggestions a message makes.
const MOST: usize = 3;
/// More letters than these are no slip of the fingers, however long a name is: `gyro_bias` is not `accel_bias` misspelt.
const SLIP: usize = 2;

/// The one that is a slip of the fingers away from `name`, or is `name` without its unit, if there is one.
pub(crate) fn misspelt<'n>(name: &str, known: &[&'n str]) -> Option<&'n str> {
    let lacks_unit = |other: &&str| name.strip_prefix(other).is_some_and(|unit| unit.starts_with('_'));
    let slip = within(SLIP.min(name.chars().count() / 3), name, known.iter().copied()).first().copied();
    slip.or_else(|| known.iter().copied().find(lacks_unit))
}

/// `; near it: 'a', 'b'` with the names that differ least from `wrong`, or nothing if all are far.
pub fn hint<'n>(wrong: &str, known: impl Iterator<Item = &'n str>) -> String {
    let near = within(wrong.chars().count() / 3 + 1, wrong, known);
    let names: Vec<String> = near.iter().take(MOST).map(|name| format!("'{name}'")).collect();
    if names.is_empty() { String::new() } else { format!("; near it: {}", names.join(", ")) }
}

fn within<'n>(far: usize, name: &str, known: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut near: Vec<(usize, &str)> = known.map(|other| (strsim::osa_distance(name, other), other)).collect();
    near.retain(|(distance, _)| *distance <= far);
    near.sort_by_key(|(distance, _)| *distance);
    near.into_iter().map(|(_, other)| other).collect()
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

    #[test]
    fn a_slip_is_a_letter_or_two_or_a_unit() {
        assert_eq!(misspelt("wheel", &["whole", "wehel", "heel"]), Some("wehel"));
        assert_eq!(misspelt("gyro_noise_density", &["gryo_niose_density"]), Some("gryo_niose_density"));
        assert_eq!(misspelt("gyro_noise_density", &["accel_noise_density"]), None);
        assert_eq!(misspelt("x", &["y"]), None);
        assert_eq!(misspelt("watchdog_ms", &["watch", "watchdog"]), Some("watchdog"));
    }
}
