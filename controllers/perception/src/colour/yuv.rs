//! From red, green and blue to brightness and colour.

/// Brightness Y and colour U, V of a pixel, each 0 to 255; 128 is no colour. ITU-R BT.601 with the full range, as in JPEG, in whole numbers.
pub fn yuv_of([red, green, blue]: [u8; 3]) -> [u8; 3] {
    let [r, g, b] = [red, green, blue].map(i32::from);
    let y = (77 * r + 150 * g + 29 * b + 128) >> 8;
    let u = ((-43 * r - 85 * g + 128 * b + 128) >> 8) + 128;
    let v = ((128 * r - 107 * g - 21 * b + 128) >> 8) + 128;
    [y, u, v].map(|value| value.clamp(0, 255) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grey_has_no_colour_and_red_green_and_blue_lie_apart() {
        for level in [0, 77, 255] {
            assert_eq!(yuv_of([level; 3]), [level, 128, 128]);
        }
        let [[_, _, red], [_, u, v], [_, blue, _]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255]].map(yuv_of);
        assert!(red > 240 && blue > 240 && u < 60 && v < 60, "{red} {blue} {u} {v}");
    }
}
