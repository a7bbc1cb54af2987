//! Eyes and hands for the skills of a chart, as a scenario names them.

use page::{Fault, Fields};

/// A scenario's table `[hands]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandsTable {
    /// The depth camera that looks for objects.
    pub camera: String,
    /// The colour camera beside it; without one colours do not count.
    pub colour_camera: Option<String>,
    /// The file of objects that are known by their look.
    pub objects: String,
    /// The line of the table, from 1.
    pub line: usize,
}

impl HandsTable {
    pub(super) fn read(table: &mut Fields<'_>) -> Result<HandsTable, Fault> {
        let objects = table.need("objects", "the name of a file of objects")?;
        let hands = HandsTable {
            camera: table.text("camera")?.to_owned(),
            colour_camera: table.optional_text("colour_camera")?,
            objects: objects.text()?.to_owned(),
            line: table.line(),
        };
        if hands.objects.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)) {
            return Ok(hands);
        }
        let expected = "the name of a file of objects, of letters, digits, _ and -: the file without .toml";
        Err(objects.error(expected, &objects.found()))
    }
}
