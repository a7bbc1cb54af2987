//! What a log says of itself before its first cycle.

use std::collections::BTreeMap;

use robot_io::RobotLayout;

/// Everything that a replay needs beside the cycles: whose run it was, and the files that made it.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// Joints, sensors and cycle period.
    pub layout: RobotLayout,
    /// The scenario's name.
    pub case: String,
    /// The scenario's seed.
    pub seed: u64,
    /// The program and its version, for example `chiron 0.1.0 (263ddab)`.
    pub program: String,
    /// The files that were read: scenario, URDF, TOML, height maps.
    pub attachments: Vec<Attachment>,
    /// Anything else worth knowing, by name.
    pub metadata: Vec<(String, String)>,
}

impl Header {
    /// A header without files.
    pub fn new(layout: RobotLayout, case: &str, seed: u64) -> Header {
        Header {
            layout,
            case: case.to_owned(),
            seed,
            program: concat!("chiron ", env!("CARGO_PKG_VERSION")).to_owned(),
            attachments: Vec::new(),
            metadata: Vec::new(),
        }
    }

    /// The same header with one more file.
    #[must_use]
    pub fn with_file(mut self, name: &str, media_type: &str, bytes: Vec<u8>) -> Header {
        self.attachments.push(Attachment { name: name.to_owned(), media_type: media_type.to_owned(), bytes });
        self
    }

    /// The contents of an attached file.
    pub fn file(&self, name: &str) -> Option<&[u8]> {
        self.attachments.iter().find(|attachment| attachment.name == name).map(|attachment| attachment.bytes.as_slice())
    }

    /// A piece of metadata by name.
    pub fn meta(&self, name: &str) -> Option<&str> {
        self.metadata.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// A file that travels inside the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Its name, as the scenario names it.
    pub name: String,
    /// Its media type, for example `application/toml` or `image/png`.
    pub media_type: String,
    /// Its contents.
    pub bytes: Vec<u8>,
}

/// The BLAKE3 hash of a metadata record: of its keys and values in order, each followed by a zero byte.
pub(crate) fn hash_of_metadata(metadata: &BTreeMap<String, String>) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for text in metadata.iter().flat_map(|(key, value)| [key, value]) {
        hasher.update(text.as_bytes()).update(&[0]);
    }
    hasher.finalize()
}
