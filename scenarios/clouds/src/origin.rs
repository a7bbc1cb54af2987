//! What a path holds.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::CloudError;
use crate::bag::{Bag, Storage, files_of};
use crate::kitti::Kitti;

/// Where clouds come from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Origin {
    Bag(Bag),
    Kitti(Kitti),
}

/// The first bytes of files that people try, what they are, and what can be done with them.
const OTHERS: [(&[u8], &str); 6] = [
    (b"#ROSBAG V", "a ROS 1 bag; `mcap convert FILE.bag FILE.mcap` or `rosbags-convert` makes one that is read"),
    (b"LASF", "a LAS or LAZ file, which is a map and no recording of sweeps"),
    (b"# .PCD", "a PCD file, which is one cloud and no recording of sweeps"),
    (b"VERSION .7", "a PCD file, which is one cloud and no recording of sweeps"),
    (b"ply", "a PLY file, which is one cloud and no recording of sweeps"),
    (b"\x28\xb5\x2f\xfd", "a file packed by zstd; `zstd -d FILE` unpacks it"),
];

/// What a recorder that was killed leaves is no whole rosbag2 folder.
const UNFINISHED: &str = " and no metadata.yaml, which a recorder writes at its end; give the file, or make one with \
                          `ros2 bag reindex`";

/// Looks what a path is.
pub(crate) fn origin_of(path: &Path) -> Result<Origin, CloudError> {
    let about = path.metadata().map_err(|error| CloudError::file(path, error))?;
    if about.is_dir() {
        return folder(path);
    }
    if path.file_name().is_some_and(|name| name == "metadata.yaml") {
        return folder(path.parent().unwrap_or(Path::new(".")));
    }
    Ok(Origin::Bag(Bag::new(vec![(path.to_owned(), storage_of(path)?)])?))
}

fn folder(path: &Path) -> Result<Origin, CloudError> {
    let metadata = path.join("metadata.yaml");
    if metadata.is_file() {
        let files = files_of(path, &metadata)?;
        let stored = files.into_iter().map(|file| storage_of(&file).map(|storage| (file, storage)));
        return Ok(Origin::Bag(Bag::new(stored.collect::<Result<Vec<_>, _>>()?)?));
    }
    match Kitti::find(path)? {
        Some(kitti) => Ok(Origin::Kitti(kitti)),
        None => {
            let names = some_names(path)?;
            let is_left_behind = [".mcap", ".db3"].iter().any(|end| names.contains(end));
            let hint = if is_left_behind { UNFINISHED } else { "" };
            Err(CloudError::unread(path, format!("a folder with {names}{hint}")))
        }
    }
}

/// How a file holds messages, by its first bytes.
fn storage_of(path: &Path) -> Result<Storage, CloudError> {
    let mut head = Vec::new();
    let file = File::open(path).map_err(|error| CloudError::file(path, error))?;
    file.take(16).read_to_end(&mut head).map_err(|error| CloudError::file(path, error))?;
    if head.starts_with(mcap::MAGIC) {
        return Ok(Storage::Mcap);
    }
    if head.starts_with(b"SQLite format 3\0") {
        return Ok(Storage::Db3);
    }
    let known = OTHERS.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, what)| (*what).to_owned());
    let unknown = || match path.extension().and_then(|extension| extension.to_str()) {
        Some("bin") => "a single .bin file; give the folder of scans".to_owned(),
        _ if head.is_empty() => "an empty file".to_owned(),
        _ => format!("a file that begins with {head:02x?}"),
    };
    Err(CloudError::unread(path, known.unwrap_or_else(unknown)))
}

fn some_names(folder: &Path) -> Result<String, CloudError> {
    let entries = std::fs::read_dir(folder).map_err(|error| CloudError::file(folder, error))?;
    let mut names: Vec<PathBuf> = entries.take(1000).flatten().map(|entry| entry.file_name().into()).collect();
    names.sort();
    let shown: Vec<String> = names.iter().take(5).map(|name| name.display().to_string()).collect();
    Ok(match (names.len(), shown.join(", ")) {
        (0, _) => "nothing in it".to_owned(),
        (1..=5, shown) => shown,
        (_, shown) => format!("{shown} …"),
    })
}
