//! An ESI file's devices (ETG.2000, "EtherCATInfo").

use page::Fault;
use roxmltree::{Document, Node};

use super::text::{decode, number};
use super::{EsiCoe, EsiDevice, EsiEntry, EsiMode, EsiPdo, EsiSyncManager};
use crate::HilError;

/// English, of which makers' files nearly always have a name.
const ENGLISH: &str = "1033";
/// The largest entry that is believed [bits].
const LARGEST_ENTRY: i64 = 65_535;

/// The devices of a file, in its order; `shown_path` is the name that errors give.
pub fn read(bytes: &[u8], shown_path: &str) -> Result<Vec<EsiDevice>, HilError> {
    let wrong = |line: usize, message: String| HilError::File(Fault::new(shown_path, line, message));
    let text = decode(bytes)
        .map_err(|(at, message)| wrong(1 + bytes.iter().take(at).filter(|byte| **byte == b'\n').count(), message))?;
    let document = Document::parse(&text).map_err(|error| wrong(error.pos().row as usize, format!("XML: {error}")))?;
    let page = Page { document: &document, file: shown_path };
    let root = document.root_element();
    if root.tag_name().name() != "EtherCATInfo" {
        let found = root.tag_name().name();
        return Err(page.error(root, format!("expected the element EtherCATInfo of an ESI file, found {found}")));
    }
    let vendor = page.needed(root, "Vendor")?;
    let id = page.needed(vendor, "Id")?;
    let (vendor_id, vendor_name) = (page.number(id, 0, u32::MAX.into())? as u32, name_of(vendor));
    let descriptions = page.needed(root, "Descriptions")?;
    let devices = page.needed(descriptions, "Devices")?;
    let elements: Vec<Node<'_, '_>> = children(devices, "Device").collect();
    if elements.is_empty() {
        return Err(page.error(devices, "expected at least one Device, found none".to_owned()));
    }
    let device = |element| page.device(element, vendor_id, &vendor_name);
    elements.into_iter().map(device).collect()
}

struct Page<'d> {
    document: &'d Document<'d>,
    file: &'d str,
}

impl<'d> Page<'d> {
    fn line(&self, node: Node<'_, '_>) -> usize {
        self.document.text_pos_at(node.range().start).row as usize
    }

    fn error(&self, node: Node<'_, '_>, message: String) -> HilError {
        HilError::File(Fault::new(self.file, self.line(node), message))
    }

    fn needed<'n>(&self, node: Node<'n, 'n>, name: &str) -> Result<Node<'n, 'n>, HilError> {
        let missing =
            || self.error(node, format!("{}: expected the element {name}, found none", node.tag_name().name()));
        children(node, name).next().ok_or_else(missing)
    }

    /// The number that an element holds.
    fn number(&self, node: Node<'_, '_>, least: i64, most: i64) -> Result<i64, HilError> {
        let text = node.text().unwrap_or_default();
        self.number_of(node, node.tag_name().name(), text, least, most)
    }

    /// The number that an attribute holds; `None` without the attribute.
    fn attribute(&self, node: Node<'_, '_>, name: &str, most: u32) -> Result<Option<u32>, HilError> {
        let Some(text) = node.attribute(name) else { return Ok(None) };
        self.number_of(node, name, text, 0, most.into()).map(|number| Some(number as u32))
    }

    fn number_of(&self, node: Node<'_, '_>, name: &str, text: &str, least: i64, most: i64) -> Result<i64, HilError> {
        let found = number(text).filter(|number| (least..=most).contains(number));
        found.ok_or_else(|| {
            let expected = format!("a number from {least} to {most} (#x1A2B or decimal)");
            self.error(node, format!("{name}: expected {expected}, found '{}'", text.trim()))
        })
    }

    fn device(&self, element: Node<'d, 'd>, vendor: u32, vendor_name: &str) -> Result<EsiDevice, HilError> {
        let kind = self.needed(element, "Type")?;
        let missing = |name: &str| self.error(kind, format!("Type: expected the attribute {name}, found none"));
        let product = self.attribute(kind, "ProductCode", u32::MAX)?.ok_or_else(|| missing("ProductCode"))?;
        let pdos = |name: &str| children(element, name).map(|pdo| self.pdo(pdo)).collect::<Result<Vec<_>, _>>();
        Ok(EsiDevice {
            line: self.line(element),
            vendor,
            vendor_name: vendor_name.to_owned(),
            product,
            revision: self.attribute(kind, "RevisionNo", u32::MAX)?.unwrap_or(0),
            type_name: plain(kind.text().unwrap_or_default()),
            name: name_of(element),
            sync_managers: children(element, "Sm").map(|sm| self.sync_manager(sm)).collect::<Result<_, _>>()?,
            outputs: pdos("RxPdo")?,
            inputs: pdos("TxPdo")?,
            coe: children(element, "Mailbox").flat_map(|mailbox| children(mailbox, "CoE")).next().map(coe),
            modes: children(element, "Dc")
                .flat_map(|dc| children(dc, "OpMode"))
                .map(|mode| self.mode(mode))
                .collect::<Result<_, _>>()?,
        })
    }

    fn sync_manager(&self, sm: Node<'_, '_>) -> Result<EsiSyncManager, HilError> {
        Ok(EsiSyncManager {
            kind: plain(sm.text().unwrap_or_default()),
            start: self.attribute(sm, "StartAddress", 0xffff)?.unwrap_or(0),
            size: self.attribute(sm, "DefaultSize", 0xffff)?.unwrap_or(0),
        })
    }

    fn pdo(&self, pdo: Node<'d, 'd>) -> Result<EsiPdo, HilError> {
        Ok(EsiPdo {
            index: self.number(self.needed(pdo, "Index")?, 1, 0xffff)? as u16,
            name: name_of(pdo),
            sync_manager: self.attribute(pdo, "Sm", 255)?,
            fixed: is_true(pdo, "Fixed"),
            entries: children(pdo, "Entry").map(|entry| self.entry(entry)).collect::<Result<_, _>>()?,
        })
    }

    fn entry(&self, entry: Node<'d, 'd>) -> Result<EsiEntry, HilError> {
        let sub = children(entry, "SubIndex").next().map(|sub| self.number(sub, 0, 255)).transpose()?;
        Ok(EsiEntry {
            index: self.number(self.needed(entry, "Index")?, 0, 0xffff)? as u16,
            sub: sub.unwrap_or(0) as u8,
            bits: self.number(self.needed(entry, "BitLen")?, 0, LARGEST_ENTRY)? as u32,
            name: name_of(entry),
        })
    }

    fn mode(&self, mode: Node<'d, 'd>) -> Result<EsiMode, HilError> {
        let number = |name: &str, least, most| {
            let child =
                children(mode, name).next().filter(|child| child.text().is_some_and(|text| !text.trim().is_empty()));
            child.map(|child| self.number(child, least, most)).transpose()
        };
        Ok(EsiMode {
            name: name_of(mode),
            assign_activate: number("AssignActivate", 0, 0xffff)?.unwrap_or(0) as u16,
            sync0_shift: number("ShiftTimeSync0", i32::MIN.into(), i32::MAX.into())?.unwrap_or(0),
        })
    }
}

fn children<'n>(node: Node<'n, 'n>, name: &str) -> impl Iterator<Item = Node<'n, 'n>> {
    node.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

/// The English name, or the first one that there is.
fn name_of(node: Node<'_, '_>) -> String {
    let mut names = node.children().filter(|child| child.tag_name().name() == "Name");
    let english = names.clone().find(|name| name.attribute("LcId") == Some(ENGLISH));
    plain(english.or_else(|| names.next()).and_then(|name| name.text()).unwrap_or_default())
}

/// On one line, without what no comment may hold.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().filter(|letter| !letter.is_control()).collect()
}

fn is_true(node: Node<'_, '_>, attribute: &str) -> bool {
    node.attribute(attribute).is_some_and(|value| matches!(value.trim(), "1" | "true" | "True" | "TRUE"))
}

fn coe(node: Node<'_, '_>) -> EsiCoe {
    EsiCoe {
        pdo_assign: is_true(node, "PdoAssign"),
        pdo_config: is_true(node, "PdoConfig"),
        complete_access: is_true(node, "CompleteAccess"),
    }
}
