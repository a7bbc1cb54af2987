//! Point clouds as binary PLY, which MeshLab, CloudCompare and Open3D read.

/// The bytes of a cloud with a time for each point [s]: `x y z time`, all float.
pub fn to_ply(points: &[([f32; 3], f32)], comment: &str) -> Vec<u8> {
    let comment = comment.replace('\n', " ");
    let head = format!(
        "ply\nformat binary_little_endian 1.0\ncomment {comment}\nelement vertex {}\nproperty float x\nproperty float y\n\
         property float z\nproperty float time\nend_header\n",
        points.len()
    );
    let mut bytes = head.into_bytes();
    bytes.reserve(16 * points.len());
    for (position, time) in points {
        position.iter().chain([time]).for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_sixteen_bytes_behind_the_head() {
        let bytes = to_ply(&[([1.0, 2.0, 3.0], 0.5), ([4.0, 5.0, 6.0], 0.75)], "two\npoints");
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.starts_with("ply\nformat binary_little_endian 1.0\ncomment two points\nelement vertex 2\n"));
        let begin = bytes.len() - 32;
        assert!(bytes[..begin].ends_with(b"end_header\n"));
        assert_eq!(bytes[begin..begin + 4], 1.0_f32.to_le_bytes());
    }
}
