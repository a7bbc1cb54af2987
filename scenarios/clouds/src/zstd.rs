//! Chunks packed by Zstandard (RFC 8878), unpacked in Rust. `mcap`'s own way is the C library, whose build would have every crate
//! rebuilt that has C in it.
//!
//! Blocks are handed to the decoder one at a time: a few bytes can stand for 128 kB, and memory shall not follow what is claimed.

use mcap::sans_io::decompressor::{DecompressResult, Decompressor};
use mcap::{McapError, McapResult};
use ruzstd::decoding::FrameDecoder;

/// The magic number of a frame.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// A larger window is refused [bytes].
const LARGEST_WINDOW: u64 = 64 << 20;
/// Header of a block and checksum of a frame [bytes].
const BLOCK_HEAD: usize = 3;
const CHECKSUM: usize = 4;

/// Unpacks frame after frame.
#[derive(Default)]
pub(crate) struct Zstd {
    frame: Option<FrameDecoder>,
    /// The frame ends with a checksum.
    has_checksum: bool,
    need: usize,
}

/// What a frame's header says.
struct Head {
    length: usize,
    window: u64,
    has_checksum: bool,
}

impl Zstd {
    /// The bytes of the next block with what belongs to it; `None` if they are not all there, with `need` said.
    fn next(&mut self, source: &[u8]) -> McapResult<Option<usize>> {
        let head = match &self.frame {
            Some(_) => Head { length: 0, window: 0, has_checksum: self.has_checksum },
            None => match head(source)? {
                Some(head) => head,
                None => return Ok(self.ask(source.len() + 1)),
            },
        };
        if head.window > LARGEST_WINDOW {
            return Err(wrong(format!("a window of at most {LARGEST_WINDOW} bytes expected, {} found", head.window)));
        }
        self.has_checksum = head.has_checksum;
        let Some(block) = source.get(head.length..head.length + BLOCK_HEAD) else {
            return Ok(self.ask(head.length + BLOCK_HEAD));
        };
        let word = u32::from_le_bytes([block[0], block[1], block[2], 0]);
        let (is_last, kind, size) = (word & 1 == 1, word >> 1 & 3, (word >> 3) as usize);
        let content = if kind == 1 { 1 } else { size };
        let checksum = if is_last && self.has_checksum { CHECKSUM } else { 0 };
        let length = head.length + BLOCK_HEAD + content + checksum;
        Ok(if source.len() < length { self.ask(length) } else { Some(length) })
    }

    fn ask(&mut self, need: usize) -> Option<usize> {
        self.need = need;
        None
    }
}

/// A frame's header (RFC 8878, 3.1.1.1); `None` if it is not all there.
fn head(source: &[u8]) -> McapResult<Option<Head>> {
    let [a, b, c, d, descriptor, rest @ ..] = source else { return Ok(None) };
    if [*a, *b, *c, *d] != MAGIC {
        return Err(wrong(format!("the frame's magic number {MAGIC:02x?} expected, {:02x?} found", &source[..4])));
    }
    let is_single = descriptor >> 5 & 1 == 1;
    let window_bytes = usize::from(!is_single);
    let dictionary_bytes = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let size_bytes = match descriptor >> 6 {
        0 => usize::from(is_single),
        flag => 1 << flag,
    };
    let Some(rest) = rest.get(..window_bytes + dictionary_bytes + size_bytes) else { return Ok(None) };
    let mut size = [0; 8];
    size[..size_bytes].copy_from_slice(&rest[window_bytes + dictionary_bytes..]);
    let window = if is_single {
        u64::from_le_bytes(size)
    } else {
        let base = 1_u64 << (10 + (rest[0] >> 3));
        base + base / 8 * u64::from(rest[0] & 7)
    };
    Ok(Some(Head { length: 5 + rest.len(), window, has_checksum: descriptor >> 2 & 1 == 1 }))
}

impl Decompressor for Zstd {
    fn next_read_size(&self) -> usize {
        self.need
    }

    fn decompress(&mut self, source: &[u8], target: &mut [u8]) -> McapResult<DecompressResult> {
        self.need = 0;
        if let Some(frame) = &mut self.frame {
            if frame.can_collect() > 0 {
                let (_, wrote) = frame.decode_from_to(&[], target).map_err(|error| wrong(error.to_string()))?;
                return Ok(DecompressResult { consumed: 0, wrote });
            }
            if frame.is_finished() {
                self.frame = None;
            }
        }
        let Some(length) = self.next(source)? else { return Ok(DecompressResult { consumed: 0, wrote: 0 }) };
        let frame = self.frame.get_or_insert_with(FrameDecoder::new);
        let (_, wrote) = frame.decode_from_to(&source[..length], target).map_err(|error| wrong(error.to_string()))?;
        Ok(DecompressResult { consumed: length, wrote })
    }

    fn reset(&mut self) -> McapResult<()> {
        *self = Zstd::default();
        Ok(())
    }

    fn name(&self) -> &'static str {
        "zstd"
    }
}

fn wrong(message: String) -> McapError {
    McapError::DecompressionError(format!("zstd: {message}"))
}
