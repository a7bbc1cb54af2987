//! Where a robot's mesh files lie.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Variables whose folders may hold ROS packages.
const PACKAGE_PATHS: [&str; 2] = ["ROS_PACKAGE_PATH", "CHIRON_MESHES"];
/// Longest mesh file [bytes].
const LARGEST: u64 = 1 << 26;

/// Finds mesh files by what a URDF calls them: `package://PACKAGE/PATH`, `file://PATH` or a path.
///
/// A package is looked for in the folders of `ROS_PACKAGE_PATH` and `CHIRON_MESHES`, and in all folders above the URDF.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MeshFinder {
    folders: Vec<PathBuf>,
    /// The URDF's own folder.
    beside: Option<PathBuf>,
}

impl MeshFinder {
    /// For the meshes of a URDF, or of one that came without a place.
    pub fn new(urdf: Option<&Path>) -> MeshFinder {
        let values = PACKAGE_PATHS.iter().filter_map(std::env::var_os);
        let folders = values.flat_map(|value| std::env::split_paths(&value).collect::<Vec<_>>()).collect();
        MeshFinder { folders, beside: urdf.and_then(Path::parent).map(Path::to_path_buf) }
    }

    /// The same with these folders in place of the environment's.
    pub fn with_folders(self, folders: Vec<PathBuf>) -> MeshFinder {
        MeshFinder { folders, ..self }
    }

    /// The content of a mesh file, or why there is none.
    pub fn read(&self, uri: &str) -> Result<Vec<u8>, String> {
        let places = self.places(uri);
        let Some(path) = places.iter().find(|path| path.is_file()) else { return Err("not found".to_owned()) };
        let length = path.metadata().map_err(|error| error.to_string())?.len();
        if length > LARGEST {
            return Err(format!("{length} bytes, more than {LARGEST}"));
        }
        std::fs::read(path).map_err(|error| error.to_string())
    }

    /// Where the file may lie, best first.
    pub fn places(&self, uri: &str) -> Vec<PathBuf> {
        if let Some(path) = uri.strip_prefix("file://") {
            return vec![PathBuf::from(path)];
        }
        let Some(in_package) = uri.strip_prefix("package://") else {
            let beside = self.beside.iter().map(|folder| folder.join(uri));
            let elsewhere = self.folders.iter().map(|folder| folder.join(uri));
            return beside.chain(elsewhere).chain([PathBuf::from(uri)]).collect();
        };
        let mut places: Vec<PathBuf> = self.folders.iter().map(|folder| folder.join(in_package)).collect();
        let (package, path) = in_package.split_once('/').unwrap_or((in_package, ""));
        for folder in self.beside.iter().flat_map(|folder| folder.ancestors()) {
            places.push(folder.join(in_package));
            if folder.file_name() == Some(OsStr::new(package)) {
                places.push(folder.join(path));
            }
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_looked_for_in_every_folder_and_above_the_urdf() {
        let finder = MeshFinder::new(Some(Path::new("/ws/arm/urdf/arm.urdf"))).with_folders(vec!["/a".into()]);
        let places = finder.places("package://arm/meshes/hand.stl");
        assert_eq!(places[0], Path::new("/a/arm/meshes/hand.stl"));
        assert!(places.contains(&PathBuf::from("/ws/arm/meshes/hand.stl")), "{places:?}");
        assert_eq!(finder.places("hand.stl")[0], Path::new("/ws/arm/urdf/hand.stl"));
        assert_eq!(finder.places("file:///x/arm.stl"), [PathBuf::from("/x/arm.stl")]);
    }

    #[test]
    fn a_file_that_is_not_there_is_said_to_be_so() {
        assert_eq!(MeshFinder::default().read("package://nowhere/hand.stl"), Err("not found".to_owned()));
    }
}
