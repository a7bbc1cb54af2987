//! What boards share with each other: `like = "NAME"` takes over what `[defaults.NAME]` says.

use page::{Fault, Fields, Value, complete};
use toml::Spanned;
use toml::de::DeTable;

/// The longest chain of defaults that refer to each other.
const MOST_LIKES: usize = 8;

/// The tables of `[defaults]`.
#[derive(Debug, Default)]
pub(super) struct Templates<'d> {
    names: Vec<&'d str>,
    /// What each says, and what it is like itself.
    tables: Vec<(Spanned<DeTable<'d>>, Option<Value<'d>>)>,
}

impl<'d> Templates<'d> {
    /// Reads `[defaults]`, which may be left out.
    pub fn read(file: &mut Fields<'d>) -> Result<Templates<'d>, Fault> {
        let mut templates = Templates::default();
        let Some(defaults) = file.get("defaults") else { return Ok(templates) };
        for (name, template) in defaults.table()?.unread() {
            let mut template = template.table()?;
            for own in ["name", "serial", "alias"] {
                if let Some(own) = template.get(own) {
                    return Err(own.error("none, as each board has its own", &own.found()));
                }
            }
            templates.names.push(name.into_inner());
            templates.tables.push(template.without_like());
        }
        Ok(templates)
    }

    /// A board's table with what its defaults say in the place of `like`, and what those are like.
    pub fn complete(&self, board: &mut Fields<'d>) -> Result<Spanned<DeTable<'d>>, Fault> {
        let (mut table, mut like) = board.without_like();
        for _ in 0..MOST_LIKES {
            let Some(name) = like else { return Ok(table) };
            let (template, next) = &self.tables[name.index("the name of a [defaults.NAME]", &self.names)?];
            complete(table.get_mut(), template.get_ref());
            like = next.clone();
        }
        Err(board.error_at("like", &format!("fewer than {MOST_LIKES} defaults in a chain"), "more"))
    }
}
