//! A film as a file: Motion JPEG in AVI, which players and converters of all systems know and which needs no encoder but that of
//! a picture (Microsoft, "AVI RIFF file reference"; the chunk of a picture is a whole JPEG file).

use std::io::{Error, Seek, SeekFrom, Write};

/// Where the number of pictures stands, once for the file and once for its only stream, and the sizes of what grows.
const RIFF_SIZE_AT: u64 = 4;
const TOTAL_AT: u64 = 48;
const LENGTH_AT: u64 = 140;
const MOVI_SIZE_AT: u64 = 216;
/// Where the list of pictures begins: offsets in the index count from its name.
const MOVI_AT: u64 = 220;
/// The index is there.
const HAS_INDEX: u32 = 0x10;
/// Each picture stands alone.
const KEY_FRAME: u32 = 0x10;
/// A file is no longer than this [bytes]: sizes are 32 bits, and older players take half of that.
pub(super) const LARGEST: u64 = 1_900_000_000;

/// A film under way.
#[derive(Debug)]
pub(super) struct Avi<W> {
    out: W,
    /// Offset of each picture from the list's name, and its size; 0 for one that repeats the one before.
    index: Vec<(u32, u32)>,
    at: u64,
}

impl<W: Write + Seek> Avi<W> {
    /// Begins a film of this many pixels and pictures a second.
    pub(super) fn begin(mut out: W, (width, height): (u32, u32), rate: u32) -> Result<Avi<W>, Error> {
        let mut head = Vec::new();
        let word = |head: &mut Vec<u8>, value: u32| head.extend_from_slice(&value.to_le_bytes());
        let words = |head: &mut Vec<u8>, values: &[u32]| values.iter().for_each(|value| word(head, *value));
        head.extend_from_slice(b"RIFF\0\0\0\0AVI LIST");
        word(&mut head, 192);
        head.extend_from_slice(b"hdrlavih");
        // microseconds per picture, bytes per second, padding, flags, pictures, initial, streams, buffer, size, reserved
        words(&mut head, &[56, 1_000_000 / rate, 0, 0, HAS_INDEX, 0, 0, 1, 0, width, height, 0, 0, 0, 0]);
        head.extend_from_slice(b"LIST");
        word(&mut head, 116);
        head.extend_from_slice(b"strlstrh");
        word(&mut head, 56);
        head.extend_from_slice(b"vidsMJPG");
        // flags, priority and language, initial, scale, rate, start, length, buffer, quality, sample size
        words(&mut head, &[0, 0, 0, 1, rate, 0, 0, 0, u32::MAX, 0]);
        words(&mut head, &[0, (width & 0xffff) | (height << 16)]);
        head.extend_from_slice(b"strf");
        // BITMAPINFOHEADER: its size, width, height, planes and bits, compression, bytes, resolution, palette
        words(&mut head, &[40, 40, width, height, 1 | (24 << 16)]);
        head.extend_from_slice(b"MJPG");
        words(&mut head, &[width * height * 3, 0, 0, 0, 0]);
        head.extend_from_slice(b"LIST\0\0\0\0movi");
        out.write_all(&head)?;
        Ok(Avi { out, index: Vec::new(), at: head.len() as u64 })
    }

    /// How many pictures there are.
    pub(super) fn frames(&self) -> u64 {
        self.index.len() as u64
    }

    /// True if there is no room for another picture.
    pub(super) fn is_full(&self) -> bool {
        self.at > LARGEST
    }

    /// Adds a picture, a whole JPEG file; an empty one repeats the one before.
    pub(super) fn frame(&mut self, jpeg: &[u8]) -> Result<(), Error> {
        self.index.push(((self.at - MOVI_AT) as u32, jpeg.len() as u32));
        self.out.write_all(b"00dc")?;
        self.out.write_all(&(jpeg.len() as u32).to_le_bytes())?;
        self.out.write_all(jpeg)?;
        let padding = jpeg.len() % 2;
        self.out.write_all(&[0][..padding])?;
        self.at += 8 + (jpeg.len() + padding) as u64;
        Ok(())
    }

    /// Writes the index and the numbers that were not known before.
    pub(super) fn finish(mut self) -> Result<W, Error> {
        let (list, frames) = ((self.at - MOVI_AT) as u32, self.index.len() as u32);
        self.out.write_all(b"idx1")?;
        self.out.write_all(&(16 * frames).to_le_bytes())?;
        for (offset, size) in &self.index {
            let flags = if *size > 0 { KEY_FRAME } else { 0 };
            self.out.write_all(b"00dc")?;
            [flags, *offset, *size].into_iter().try_for_each(|word| self.out.write_all(&word.to_le_bytes()))?;
        }
        let whole = (self.at + 8 + 16 * u64::from(frames) - 8) as u32;
        for (place, value) in [(RIFF_SIZE_AT, whole), (TOTAL_AT, frames), (LENGTH_AT, frames), (MOVI_SIZE_AT, list)] {
            self.out.seek(SeekFrom::Start(place))?;
            self.out.write_all(&value.to_le_bytes())?;
        }
        self.out.flush()?;
        Ok(self.out)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// The chunks of a list: name and content; a list's content begins with its own name.
    fn chunks(mut bytes: &[u8]) -> Vec<(&[u8], &[u8])> {
        let mut found = Vec::new();
        while bytes.len() >= 8 {
            let size = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize;
            found.push((&bytes[..4], &bytes[8..8 + size]));
            bytes = &bytes[(8 + size + size % 2).min(bytes.len())..];
        }
        assert!(bytes.is_empty(), "{} bytes after the last chunk", bytes.len());
        found
    }

    fn word(bytes: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
    }

    #[test]
    fn a_film_is_a_riff_file_whose_sizes_counts_and_index_are_right() {
        let mut avi = Avi::begin(Cursor::new(Vec::new()), (640, 360), 25).unwrap();
        let pictures: [&[u8]; 3] = [b"odd", b"", b"even"];
        pictures.iter().for_each(|picture| avi.frame(picture).unwrap());
        assert_eq!(avi.frames(), 3);
        let file = avi.finish().unwrap().into_inner();

        let whole = chunks(&file);
        assert_eq!((whole.len(), whole[0].0), (1, &b"RIFF"[..]));
        assert_eq!(&whole[0].1[..4], b"AVI ");
        let parts = chunks(&whole[0].1[4..]);
        let names: Vec<&[u8]> = parts.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, [&b"LIST"[..], b"LIST", b"idx1"]);
        let header = chunks(&parts[0].1[4..]);
        assert_eq!((header[0].0, header[0].1.len(), word(header[0].1, 16)), (&b"avih"[..], 56, 3));
        let stream = chunks(&header[1].1[4..]);
        assert_eq!((stream[0].1.len(), word(stream[0].1, 24), word(stream[0].1, 32)), (56, 25, 3));
        assert_eq!((stream[1].1.len(), word(stream[1].1, 4), word(stream[1].1, 8)), (40, 640, 360));

        assert_eq!(&parts[1].1[..4], b"movi");
        let film: Vec<&[u8]> = chunks(&parts[1].1[4..]).iter().map(|(_, picture)| *picture).collect();
        assert_eq!(film, pictures);
        for (entry, picture) in parts[2].1.chunks(16).zip(pictures) {
            let at = word(entry, 8) as usize;
            assert_eq!(&parts[1].1[at..at + 4], b"00dc", "the offset counts from the list's name");
            assert_eq!(word(entry, 12) as usize, picture.len());
        }
    }
}
