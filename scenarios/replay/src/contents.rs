//! Snapshots, and the contents of the sealed values to which they refer: each is in a log once.

use robot_io::{Digest, Pool, Saved};

/// A snapshot as it stands in a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoggedSnapshot {
    /// The program's opaque state.
    pub state: Vec<u8>,
    /// The contents to which it refers.
    pub pool: Pool,
}

pub(crate) fn write_contents(digest: Digest, contents: &Saved, out: &mut Vec<u8>) {
    out.extend_from_slice(&digest.0.to_le_bytes());
    write_digests(contents.parts.iter().copied(), contents.parts.len(), out);
    out.extend_from_slice(&contents.words);
}

pub(crate) fn write_snapshot(cycle: u64, refers_to: &Pool, state: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&cycle.to_le_bytes());
    write_digests(refers_to.iter().map(|(digest, _)| digest), refers_to.len(), out);
    out.extend_from_slice(state);
}

/// The digest of contents, and they.
pub(crate) fn read_contents(data: &[u8]) -> Result<(Digest, Saved), String> {
    let (digest, parts, words) = split(data)?;
    Ok((Digest(digest), Saved { words: words.into(), parts: parts.into() }))
}

/// The cycle that begins from a snapshot, the contents to which it refers, and the state.
pub(crate) fn read_snapshot(data: &[u8]) -> Result<(u64, Vec<Digest>, &[u8]), String> {
    split(data)
}

fn write_digests(digests: impl Iterator<Item = Digest>, count: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&(count as u32).to_le_bytes());
    digests.for_each(|digest| out.extend_from_slice(&digest.0.to_le_bytes()));
}

/// A number, a list of digests, and the rest.
fn split(data: &[u8]) -> Result<(u64, Vec<Digest>, &[u8]), String> {
    let short = || format!("{} bytes", data.len());
    let (number, rest) = data.split_first_chunk::<8>().ok_or_else(short)?;
    let (count, rest) = rest.split_first_chunk::<4>().ok_or_else(short)?;
    let count = u32::from_le_bytes(*count) as usize;
    let (digests, rest) = rest.split_at_checked(8 * count).ok_or_else(|| format!("{count} digests in {}", short()))?;
    let (digests, _) = digests.as_chunks::<8>();
    let digests = digests.iter().map(|digest| Digest(u64::from_le_bytes(*digest))).collect();
    Ok((u64::from_le_bytes(*number), digests, rest))
}
