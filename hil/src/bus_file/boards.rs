//! The `[[board]]` tables: what is common to all types is read here, the rest by the type.

use page::{Fault, Page};
use robot_io::RobotLayout;
use toml::Value;

use super::calibration::Zeros;
use super::table::{Content, Field, Table};
use super::{BoardPlan, Identity, StopRules, names};
use crate::board::ParseBoard;

/// The longest chain of defaults that refer to each other.
const MOST_LIKES: usize = 8;
/// A name longer than this fits no message.
const LONGEST_NAME: usize = 64;

/// A board and where its fields stand.
#[derive(Debug)]
pub(super) struct BoardEntry {
    pub plan: BoardPlan,
    pub at: usize,
    pub serial_at: usize,
    pub alias_at: usize,
    pub joint_at: usize,
}

/// Reads all boards.
pub(super) fn read(
    page: &Page,
    tables: Vec<Table>,
    defaults: &Table,
    layout: &RobotLayout,
    types: &[(&str, ParseBoard)],
    zeros: (Option<&Zeros>, bool),
) -> Result<Vec<BoardEntry>, Fault> {
    defaults_are_tables(page, defaults)?;
    let one = |table: Table| Reader { page, defaults, layout, types, zeros }.board(table);
    tables.into_iter().map(one).collect()
}

fn defaults_are_tables(page: &Page, defaults: &Table) -> Result<(), Fault> {
    for (name, field) in &defaults.fields {
        let Content::Table(table) = &field.content else {
            let found = field.content.describe();
            return Err(
                page.fault(field.at, format!("[defaults]: expected tables [defaults.NAME], found {name} = {found}"))
            );
        };
        for own in ["name", "serial", "alias"] {
            if let Some(field) = table.fields.get(own) {
                let message = format!("[defaults.{name}] {own}: each board has its own; it cannot be shared");
                return Err(page.fault(field.at, message));
            }
        }
    }
    Ok(())
}

struct Reader<'a> {
    page: &'a Page<'a>,
    defaults: &'a Table,
    layout: &'a RobotLayout,
    types: &'a [(&'a str, ParseBoard)],
    /// Measured zero offsets; and whether they are about to be measured, so that all are 0.
    zeros: (Option<&'a Zeros>, bool),
}

impl Reader<'_> {
    fn board(&self, table: Table) -> Result<BoardEntry, Fault> {
        let page = self.page;
        let at = table.place("name");
        let mut table = self.with_defaults(table)?;
        let name = table.text(page, "name")?.ok_or_else(|| page.fault(at, "[[board]]: expected `name`"))?;
        if name.chars().count() > LONGEST_NAME {
            return Err(page.fault(at, format!("name: expected at most {LONGEST_NAME} letters, found '{name}'")));
        }
        let (serial_at, alias_at) = (table.place("serial"), table.place("alias"));
        let alias = table.whole(page, "alias", 1..=0xffff, "")?.map(|alias| alias as u16);
        let mut identity = self.identity(&mut table, &name, at)?;
        let parse = self.board_type(&mut table, &name, at)?;
        let joint_at = ["joint", "joints"].into_iter().find(|key| table.fields.contains_key(*key));
        let joint_at = joint_at.map_or(at, |key| table.place(key));
        self.joints_exist(&table, &name)?;
        let (zeros, measuring) = self.zeros;
        if measuring {
            table.fields.remove("offset");
        }
        let optional_at = table.place("optional");
        let optional = table.flag(page, "optional")?.unwrap_or(false);
        let calibrated = zeros.map_or(Ok(None), |zeros| zeros.apply(page, &mut table, &name, &mut identity))?;
        let stop = StopRules::read(page, &mut table, &format!("board '{name}': "))?;
        let kind = self.settings(parse, table, &name, at)?;
        if optional {
            self.may_be_absent(alias, &identity, &name, optional_at)?;
        }
        let plan = BoardPlan { name, alias, identity, kind, optional, stop, calibrated };
        Ok(BoardEntry { plan, at, serial_at, alias_at, joint_at })
    }

    /// Takes `like = "NAME"` out and puts what [defaults.NAME] says in its place, as often as needed.
    fn with_defaults(&self, mut table: Table) -> Result<Table, Fault> {
        for _ in 0..MOST_LIKES {
            let at = table.place("like");
            let Some(like) = table.text(self.page, "like")? else { return Ok(table) };
            let Some(Field { content: Content::Table(template), .. }) = self.defaults.fields.get(&like) else {
                let known = || self.defaults.fields.keys().map(String::as_str);
                let there = if self.defaults.fields.is_empty() {
                    "; the file has none".to_owned()
                } else {
                    format!("; there are: {}", names::list(known()))
                };
                let message = format!("like: expected the name of a [defaults.NAME], found '{like}'{there}");
                return Err(self.page.fault(at, message));
            };
            table = table.or(template);
        }
        Err(self.page.fault(table.at, format!("like: expected at most {MOST_LIKES} defaults in a chain, found more")))
    }

    /// A board that may be absent must be recognised when it is there.
    fn may_be_absent(&self, alias: Option<u16>, identity: &Identity, name: &str, at: usize) -> Result<(), Fault> {
        if alias.is_some() || identity.serial.is_some() {
            return Ok(());
        }
        let expected = "`alias` or `serial` beside it, so that it is known which board is there; found neither";
        Err(self.page.fault(at, format!("board '{name}': optional: expected {expected}")))
    }

    fn identity(&self, table: &mut Table, name: &str, at: usize) -> Result<Identity, Fault> {
        let mut word = |key: &str, least: u64| {
            let found = table.whole(self.page, key, least..=u64::from(u32::MAX), "")?;
            Ok::<_, Fault>(found.map(|number| number as u32))
        };
        let missing = |key: &str| self.page.fault(at, format!("board '{name}': expected `{key}`, a whole number"));
        Ok(Identity {
            vendor: word("vendor", 0)?.ok_or_else(|| missing("vendor"))?,
            product: word("product", 0)?.ok_or_else(|| missing("product"))?,
            revision: word("revision", 0)?,
            serial: word("serial", 1)?,
        })
    }

    fn board_type(&self, table: &mut Table, name: &str, at: usize) -> Result<ParseBoard, Fault> {
        let type_at = table.place("type");
        let known = || names::list(self.types.iter().map(|(word, _)| *word));
        let missing = || self.page.fault(at, format!("board '{name}': expected `type`, one of: {}", known()));
        let word = table.text(self.page, "type")?.ok_or_else(missing)?;
        let found = self.types.iter().find(|(known, _)| *known == word);
        let unknown = || format!("board '{name}': type: expected one of: {}, found '{word}'", known());
        found.map(|(_, parse)| *parse).ok_or_else(|| self.page.fault(type_at, unknown()))
    }

    /// The types look their joints up themselves; here is where near names and the very line are known.
    fn joints_exist(&self, table: &Table, name: &str) -> Result<(), Fault> {
        for key in ["joint", "joints"] {
            let Some(Field { at, content: Content::Value(value) }) = table.fields.get(key) else { continue };
            let named: Vec<&str> = match value {
                Value::String(joint) => vec![joint.as_str()],
                Value::Array(joints) => joints.iter().filter_map(Value::as_str).collect(),
                _ => Vec::new(),
            };
            if let Some(unknown) = named.iter().find(|joint| self.layout.joint(joint).is_none()) {
                let robot = &self.layout.robot;
                let hint = names::hint(unknown, self.layout.joints.iter().map(|joint| joint.name.as_str()));
                let message = format!("board '{name}': {key}: robot '{robot}' has no joint '{unknown}'{hint}");
                return Err(self.page.fault(*at, message));
            }
        }
        Ok(())
    }

    fn settings(
        &self,
        parse: ParseBoard,
        table: Table,
        name: &str,
        at: usize,
    ) -> Result<Box<dyn crate::board::BoardType>, Fault> {
        let places = table.places();
        let mut settings = table.into_toml();
        let kind = parse(&mut settings, self.layout).map_err(|message| {
            self.page.fault(place_of(&message, &places).unwrap_or(at), format!("board '{name}': {message}"))
        })?;
        if let Some(unknown) = settings.keys().next() {
            let place = places.iter().find(|(key, _)| key == unknown).map_or(at, |(_, place)| *place);
            let message = format!("board '{name}': a board of type {} has no field '{unknown}'", kind.type_name());
            return Err(self.page.fault(place, message));
        }
        Ok(kind)
    }
}

/// Where the field stands that a message names: the first in quotes, else the first word that is one.
fn place_of(message: &str, places: &[(String, usize)]) -> Option<usize> {
    let place = |word: &str| places.iter().find(|(key, _)| key == word).map(|(_, place)| *place);
    match message.split('\'').nth(1) {
        Some(quoted) => place(quoted),
        None => message.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).find_map(place),
    }
}
