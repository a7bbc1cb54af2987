//! The `[[board]]` tables: what is common to all types is read here, the rest by the type.

use page::{Fault, Fields, Value};
use robot_io::RobotLayout;

use super::calibration::Zeros;
use super::{BoardPlan, Identity, StopRules};
use crate::board::ParseBoard;

/// A name longer than this fits no message.
const LONGEST_NAME: usize = 64;

/// A board and its fields.
#[derive(Debug)]
pub(super) struct BoardEntry<'d> {
    pub plan: BoardPlan,
    pub fields: Fields<'d>,
}

/// What is needed to read a board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a> {
    pub layout: &'a RobotLayout,
    pub types: &'a [(&'a str, ParseBoard)],
    pub zeros: Option<&'a Zeros>,
}

/// A board's name.
pub(super) fn name<'d>(fields: &mut Fields<'d>) -> Result<&'d str, Fault> {
    let value = fields.need("name", "a text")?;
    let name = value.text()?;
    if name.chars().count() > LONGEST_NAME {
        return Err(value.error(&format!("at most {LONGEST_NAME} letters"), &value.found()));
    }
    Ok(name)
}

impl Reader<'_> {
    /// Reads the table of the board with this name; it is complete.
    pub fn board<'d>(&self, name: &str, fields: Fields<'d>) -> Result<BoardEntry<'d>, Fault> {
        let mut fields = fields.named(format!("board '{name}'"));
        let name = fields.text("name")?.to_owned();
        let alias = fields.get("alias").map(|alias| alias.whole_in(1..=u16::MAX, "")).transpose()?;
        let mut identity = identity(&mut fields)?;
        let parse = fields.word("type", self.types)?;
        let optional = fields.flag_or("optional", false)?;
        let stop = StopRules::read(&mut fields)?;
        let kind = parse(&mut fields, self.layout)?;
        fields.finish()?;
        let joint = kind.joints().first().map(|joint| self.layout.joints[*joint].name.as_str());
        let calibrated = self.zeros.map_or(Ok(None), |zeros| zeros.identify(&name, joint, &mut identity))?;
        if optional && alias.is_none() && identity.serial.is_none() {
            let expected = "`alias` or `serial` beside it, so that it is known which board is there";
            return Err(fields.error_at("optional", expected, "neither"));
        }
        Ok(BoardEntry { plan: BoardPlan { name, alias, identity, kind, optional, stop, calibrated }, fields })
    }
}

fn identity(fields: &mut Fields<'_>) -> Result<Identity, Fault> {
    let any = |number: Value<'_>| number.whole_in(0..=u32::MAX, "");
    Ok(Identity {
        vendor: fields.whole("vendor", 0..=u32::MAX.into())? as u32,
        product: fields.whole("product", 0..=u32::MAX.into())? as u32,
        revision: fields.get("revision").map(any).transpose()?,
        serial: fields.get("serial").map(|serial| serial.whole_in(1..=u32::MAX, "")).transpose()?,
    })
}
