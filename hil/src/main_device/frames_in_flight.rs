//! Which frames are out, and whether one that comes back is the one that was sent.
//!
//! ethercrab recognises a frame by one byte, its first datagram's index, which comes round again after a few cycles: a frame
//! that was held up for long enough would be taken for a new one. So each frame carries a number of 32 bits in its source
//! address, which boards leave alone but for one bit of its first byte, and its shape is remembered: the command, index and
//! length of each datagram.

use crate::exchange::Statistics;

/// The Ethernet header's length [bytes].
const ETHERNET: usize = 14;
/// Where the EtherCAT datagrams begin.
const DATAGRAMS: usize = ETHERNET + 2;
/// A datagram's header and its working counter [bytes].
const HEADER: usize = 10;
const COUNTER: usize = 2;
/// The first two bytes of our source address; a board that passes a frame on sets bit 1 of the first.
const SOURCE: [u8; 2] = [0x10, 0x10];
const PASSED_ON: u8 = 0x02;
/// How many frames are remembered.
const REMEMBERED: usize = 256;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Fate {
    #[default]
    Unsent,
    Waiting,
    Answered,
    GivenUp,
}

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    number: u32,
    shape: u32,
    fate: Fate,
}

/// The frames that are out, and those of a while before.
#[derive(Debug)]
pub(super) struct FramesInFlight {
    entries: [Entry; REMEMBERED],
    next: u32,
    waiting: u32,
    pub statistics: Statistics,
}

impl Default for FramesInFlight {
    fn default() -> Self {
        FramesInFlight {
            entries: [Entry::default(); REMEMBERED],
            next: 1,
            waiting: 0,
            statistics: Statistics::default(),
        }
    }
}

impl FramesInFlight {
    /// Numbers a frame that is about to be sent.
    pub fn enter(&mut self, frame: &mut [u8]) {
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        let shape = shape(frame).unwrap_or_default();
        // the same frame once more: ethercrab has lost patience, and the first one's answer would come too late
        self.give_up_those(|entry| entry.shape == shape);
        if let Some(source) = frame.get_mut(6..12) {
            source[..2].copy_from_slice(&SOURCE);
            source[2..].copy_from_slice(&number.to_le_bytes());
        }
        let entry = &mut self.entries[number as usize % REMEMBERED];
        if entry.fate == Fate::Waiting {
            self.statistics.lost += 1;
            self.waiting -= 1;
        }
        *entry = Entry { number, shape, fate: Fate::Waiting };
        self.waiting += 1;
        self.statistics.sent += 1;
    }

    /// True if a frame that has arrived is one that is waited for, as it was sent. Any other is counted.
    pub fn admit(&mut self, frame: &[u8]) -> bool {
        if frame.get(12..ETHERNET) != Some(&[0x88, 0xa4]) || frame.get(6..8) == Some(&SOURCE) {
            self.statistics.foreign += 1;
            return false;
        }
        if frame.get(6..8) != Some(&[SOURCE[0] | PASSED_ON, SOURCE[1]]) {
            self.statistics.stray += 1;
            return false;
        }
        let number = frame.get(8..12).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes);
        let entry = &mut self.entries[number as usize % REMEMBERED];
        let (known, fate) = (entry.number == number, entry.fate);
        let counter = match fate {
            Fate::Unsent => &mut self.statistics.stray,
            _ if !known => &mut self.statistics.late,
            Fate::GivenUp => &mut self.statistics.late,
            Fate::Answered => &mut self.statistics.duplicate,
            Fate::Waiting if shape(frame) != Some(entry.shape) => &mut self.statistics.malformed,
            Fate::Waiting => {
                entry.fate = Fate::Answered;
                self.waiting -= 1;
                self.statistics.received += 1;
                return true;
            }
        };
        *counter += 1;
        false
    }

    /// Waits no longer for anything.
    pub fn give_up(&mut self) {
        self.give_up_those(|_| true);
    }

    fn give_up_those(&mut self, which: impl Fn(&Entry) -> bool) {
        let mut left = self.waiting;
        for back in 1..=REMEMBERED as u32 {
            if left == 0 {
                return;
            }
            let entry = &mut self.entries[self.next.wrapping_sub(back) as usize % REMEMBERED];
            if entry.fate == Fate::Waiting {
                left -= 1;
                if which(entry) {
                    entry.fate = Fate::GivenUp;
                    self.waiting -= 1;
                    self.statistics.lost += 1;
                }
            }
        }
    }
}

/// A digest of the commands, indices and lengths of a frame's datagrams; `None` if they do not fill the frame as it says.
fn shape(frame: &[u8]) -> Option<u32> {
    let header = u16::from_le_bytes(frame.get(ETHERNET..DATAGRAMS)?.try_into().ok()?);
    let (length, kind) = (usize::from(header & 0x07ff), header >> 12);
    let mut rest = frame.get(DATAGRAMS..DATAGRAMS + length)?;
    let mut digest = 0x811c_9dc5_u32 ^ u32::from(kind);
    loop {
        let [command, index, _, _, _, _, low, high, ..] = *rest.get(..HEADER)? else { return None };
        // the circulating bit is the boards' to set
        let high = high & 0b1011_1111;
        for byte in [command, index, low, high] {
            digest = (digest ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
        let data = usize::from(u16::from_le_bytes([low, high]) & 0x07ff);
        rest = rest.get(HEADER + data + COUNTER..)?;
        let more = high & 0x80 != 0;
        if !more {
            return rest.is_empty().then_some(digest);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A frame with one BRD of two bytes.
    fn frame() -> Vec<u8> {
        let mut frame = vec![0xff; 6];
        frame.extend([0x10; 6]);
        frame.extend([0x88, 0xa4, 14, 0x10]);
        frame.extend([7, 3, 0, 0, 0x30, 1, 2, 0, 0, 0, 0, 0, 0, 0]);
        frame
    }

    /// As it comes back from a board.
    fn answered(sent: &[u8]) -> Vec<u8> {
        let mut answer = sent.to_vec();
        answer[6] |= PASSED_ON;
        answer[26] = 8;
        answer[28] = 1;
        answer
    }

    #[test]
    fn each_frame_is_taken_once_and_in_time() {
        let mut frames = FramesInFlight::default();
        let (mut first, mut second) = (frame(), frame());
        frames.enter(&mut first);
        assert!(frames.admit(&answered(&first)));
        assert!(!frames.admit(&answered(&first)), "a second time");
        frames.enter(&mut second);
        frames.give_up();
        assert!(!frames.admit(&answered(&second)), "too late");
        let statistics = frames.statistics;
        assert_eq!((statistics.received, statistics.duplicate, statistics.lost, statistics.late), (1, 1, 1, 1));
    }

    #[test]
    fn a_frame_of_an_earlier_cycle_with_the_same_index_is_late() {
        let mut frames = FramesInFlight::default();
        let (mut old, mut new) = (frame(), frame());
        frames.enter(&mut old);
        frames.give_up();
        (0..REMEMBERED).for_each(|_| {
            new = frame();
            frames.enter(&mut new);
        });
        assert!(!frames.admit(&answered(&old)));
        assert!(frames.admit(&answered(&new)));
        assert_eq!(frames.statistics.late, 1);
    }

    #[test]
    fn of_a_frame_that_is_sent_again_only_the_second_answer_counts() {
        let mut frames = FramesInFlight::default();
        let (mut first, mut second) = (frame(), frame());
        frames.enter(&mut first);
        frames.enter(&mut second);
        assert!(!frames.admit(&answered(&first)));
        assert!(frames.admit(&answered(&second)));
        let statistics = frames.statistics;
        assert_eq!((statistics.lost, statistics.late, statistics.received), (1, 1, 1));
    }

    #[test]
    fn strangers_echoes_and_other_shapes_are_counted() {
        let mut frames = FramesInFlight::default();
        let mut sent = frame();
        frames.enter(&mut sent);
        assert!(!frames.admit(&sent), "our own, not passed by any board");
        let mut other = answered(&sent);
        other[6] = 0x02;
        assert!(!frames.admit(&other));
        let mut longer = answered(&sent);
        longer[22] = 4;
        assert!(!frames.admit(&longer));
        let mut other_index = answered(&sent);
        other_index[17] = 9;
        assert!(!frames.admit(&other_index));
        assert!(!frames.admit(&answered(&sent)[..20]));
        assert!(frames.admit(&answered(&sent)));
        let statistics = frames.statistics;
        assert_eq!((statistics.foreign, statistics.stray, statistics.malformed), (1, 1, 3));
    }

    proptest! {
        #[test]
        fn no_bytes_at_all_break_it(bytes in proptest::collection::vec(any::<u8>(), 0..80), ours: bool) {
            let mut frames = FramesInFlight::default();
            let mut sent = frame();
            frames.enter(&mut sent);
            let mut bytes = bytes;
            if ours && bytes.len() >= 14 {
                bytes[6..14].copy_from_slice(&answered(&sent)[6..14]);
            }
            let admitted = frames.admit(&bytes);
            prop_assert!(!admitted || shape(&bytes) == shape(&sent));
            frames.give_up();
            prop_assert_eq!(frames.waiting, 0);
        }
    }
}
