//! Trajectories as the TUM RGB-D benchmark writes them (Sturm et al. 2012), which `evo` and its kin read: a line per pose,
//! `time x y z qx qy qz qw`, in seconds and metres.

use std::fmt::Write;

use nalgebra::Isometry3;
use robot_io::Time;

/// The text of a trajectory; `comment` goes into its first line.
pub fn to_tum(poses: impl IntoIterator<Item = (Time, Isometry3<f64>)>, comment: &str) -> String {
    let mut text = format!("# {comment}: time [s] x y z [m] qx qy qz qw\n");
    for (time, pose) in poses {
        let (t, q) = (pose.translation, pose.rotation.quaternion());
        let nanoseconds = time.nanoseconds();
        // a String takes everything that is written to it
        let _ = writeln!(
            text,
            "{}.{:09} {:.6} {:.6} {:.6} {:.9} {:.9} {:.9} {:.9}",
            nanoseconds / 1_000_000_000,
            nanoseconds % 1_000_000_000,
            t.x,
            t.y,
            t.z,
            q.i,
            q.j,
            q.k,
            q.w
        );
    }
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use nalgebra::Vector3;

    #[test]
    fn a_pose_is_a_line_of_eight_numbers() {
        let pose = Isometry3::new(Vector3::new(1.0, -2.0, 0.5), Vector3::new(0.0, 0.0, 1.0));
        let text = to_tum([(Time::from_nanoseconds(1_050_000_000), pose)], "base in map");
        let line = text.lines().nth(1).unwrap();
        assert!(line.starts_with("1.050000000 1.000000 -2.000000 0.500000 0.0"), "{line}");
        let numbers: Vec<f64> = line.split(' ').map(|number| number.parse().unwrap()).collect();
        assert_eq!(numbers.len(), 8);
    }
}
