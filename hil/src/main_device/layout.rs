//! Where each board's bytes lie in the process image on the wire, and what working counter that gives.
//!
//! ethercrab puts all inputs first, then all outputs, each in the order of the cable, and cuts the whole into as few
//! frames as hold it.

use core::ops::Range;

use super::storage::LONGEST_FRAME;

/// Ethernet's and EtherCAT's headers [bytes].
const HEADERS: usize = 14 + 2;
/// A datagram's header and working counter [bytes].
const DATAGRAM: usize = 10 + 2;
/// The datagram that spreads the reference clock's time, which stands before the first piece.
const TIME: usize = DATAGRAM + 8;

/// A board's bytes in the image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub inputs: Range<usize>,
    pub outputs: Range<usize>,
}

/// Places from each board's bytes to and from the MainDevice, in the order of the cable.
pub(super) fn places(lengths: &[(usize, usize)]) -> Vec<Place> {
    let outputs_begin: usize = lengths.iter().map(|(_, inputs)| inputs).sum();
    let (mut input, mut output) = (0, outputs_begin);
    let place = |&(outputs, inputs): &(usize, usize)| {
        let place = Place { inputs: input..input + inputs, outputs: output..output + outputs };
        (input, output) = (place.inputs.end, place.outputs.end);
        place
    };
    lengths.iter().map(place).collect()
}

/// The pieces that the image is cut into, one a frame.
fn pieces(total: usize, with_time: bool) -> Vec<Range<usize>> {
    let whole = LONGEST_FRAME - HEADERS - DATAGRAM;
    let mut pieces = Vec::new();
    let (mut begin, mut room) = (0, if with_time { whole - TIME } else { whole });
    while begin < total {
        let end = (begin + room).min(total);
        pieces.push(begin..end);
        (begin, room) = (end, whole);
    }
    pieces
}

/// What each board adds to the working counter: in each piece 1 for its inputs and 2 for its outputs, so that a board on a
/// cut counts twice.
pub(super) fn expected_counts(places: &[Place], with_time: bool) -> Vec<u16> {
    let total = places.iter().map(|place| place.outputs.end.max(place.inputs.end)).max().unwrap_or(0);
    let pieces = pieces(total, with_time);
    let touched = |bytes: &Range<usize>| {
        let touches = |piece: &&Range<usize>| bytes.start.max(piece.start) < bytes.end.min(piece.end);
        pieces.iter().filter(touches).count() as u16
    };
    places.iter().map(|place| touched(&place.inputs) + 2 * touched(&place.outputs)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_stand_before_outputs() {
        let places = places(&[(2, 3), (0, 4), (5, 0)]);
        assert_eq!(places[0], Place { inputs: 0..3, outputs: 7..9 });
        assert_eq!(places[1], Place { inputs: 3..7, outputs: 9..9 });
        assert_eq!(places[2], Place { inputs: 7..7, outputs: 9..14 });
        assert_eq!(expected_counts(&places, true), [3, 1, 2]);
    }

    #[test]
    fn a_board_on_a_cut_counts_twice() {
        // 60 boards of 28 bytes: inputs 960 bytes, outputs 720, cut at 1466 within the outputs of a board
        let lengths = [(12, 16); 60];
        let all = |lengths: &[(usize, usize)]| expected_counts(&places(lengths), true).iter().sum::<u16>();
        assert_eq!(all(&lengths), 182);
        assert_eq!(all(&lengths[..38]), 114);
        assert_eq!(pieces(1680, false), [0..1486, 1486..1680]);
    }
}
