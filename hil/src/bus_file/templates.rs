//! What boards share with each other: `like = "NAME"` takes over what `[defaults.NAME]` says.

use page::{Fault, Fields, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

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
            templates.tables.push(without_like(&mut template));
        }
        Ok(templates)
    }

    /// A board's table with what its defaults say in the place of `like`, and what those are like.
    pub fn complete(&self, board: &mut Fields<'d>) -> Result<Spanned<DeTable<'d>>, Fault> {
        let (mut table, mut like) = without_like(board);
        for _ in 0..MOST_LIKES {
            let Some(name) = like else { return Ok(table) };
            let (template, next) = &self.tables[name.index("the name of a [defaults.NAME]", &self.names)?];
            merge(table.get_mut(), template.get_ref());
            like = next.clone();
        }
        Err(board.error_at("like", &format!("fewer than {MOST_LIKES} defaults in a chain"), "more"))
    }
}

fn without_like<'d>(fields: &mut Fields<'d>) -> (Spanned<DeTable<'d>>, Option<Value<'d>>) {
    let mut table = fields.written();
    table.get_mut().remove("like");
    (table, fields.get("like"))
}

/// Adds to a table what `template` has beside; tables within are merged, too.
fn merge<'d>(table: &mut DeTable<'d>, template: &DeTable<'d>) {
    for (key, value) in template {
        match (table.get_mut(key).map(Spanned::get_mut), value.get_ref()) {
            (None, _) => drop(table.insert(key.clone(), value.clone())),
            (Some(DeValue::Table(own)), DeValue::Table(template)) => merge(own, template),
            _ => {}
        }
    }
}
