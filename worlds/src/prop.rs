//! The `[[prop]]` tables: things made of several objects, from files of their own that any world can name.
//!
//! A prop's file has `[[object]]` tables, placed in the prop's frame, and the `[[material]]` tables that they need. Its first object bears the
//! prop's name in the world, the others `NAME_OWN`; what one of them hangs `on` is another of the same prop.

use nalgebra::Point3;
use page::{Fault, Fields, Page, Value};
use toml::Spanned;
use toml::de::DeTable;

use crate::files::Reader;
use crate::layers::Site;
use crate::materials::{MOST_MATERIALS, read_material};
use crate::objects::{self, Frame, outline, read_pose};
use crate::{Material, Object, PRESETS, WorldError};

/// A prop's file: as the world file names it, and its bytes.
pub(crate) struct PropFile {
    name: String,
    bytes: Vec<u8>,
}

/// The same, taken apart.
pub(crate) struct Sheet<'t> {
    page: Page<'t>,
    root: Spanned<DeTable<'t>>,
}

impl PropFile {
    fn sheet(&self) -> Result<Sheet<'_>, Fault> {
        let page = Page::of_bytes(&self.name, &self.bytes)?;
        Ok(Sheet { page, root: page.parse()? })
    }
}

/// The files that tables name, each once.
pub(crate) fn files(tables: &mut [Fields<'_>], reader: &mut Reader<'_>) -> Result<Vec<PropFile>, WorldError> {
    let mut files: Vec<PropFile> = Vec::new();
    for table in tables {
        let value = table.need("file", "the name of a prop's file")?;
        let (name, bytes) = crate::fields::file(&value, reader)?;
        if !files.iter().any(|file| file.name == name) {
            files.push(PropFile { name: name.to_owned(), bytes });
        }
    }
    Ok(files)
}

/// Takes files apart.
pub(crate) fn sheets(files: &[PropFile]) -> Result<Vec<Sheet<'_>>, Fault> {
    files.iter().map(PropFile::sheet).collect()
}

/// Adds the materials of props to those of the world, whose own of the same name hold.
pub(crate) fn add_materials(sheets: &[Sheet<'_>], materials: &mut Vec<Material>) -> Result<(), Fault> {
    let of_world = materials.len();
    for sheet in sheets {
        let mut fields = sheet.page.fields(&sheet.root);
        let mut taken = Vec::new();
        for mut table in fields.tables("material")? {
            let name = table.unique_name(&mut taken)?;
            if PRESETS.contains(&name.as_str()) {
                return Err(table.error("a material of its own, none that every world has", &format!("`{name}`")));
            }
            let material = read_material(&mut table, name, materials)?;
            let known = materials.iter().position(|known| known.name == material.name);
            match known {
                Some(index) if index < of_world || materials[index] == material => {}
                Some(_) => {
                    let found = format!("another `{}`", material.name);
                    return Err(table.error("a material that is the same in all props of the world", &found));
                }
                None if materials.len() >= MOST_MATERIALS => {
                    return Err(table.error(&format!("at most {MOST_MATERIALS} materials"), "more"));
                }
                None => materials.push(material),
            }
            table.finish()?;
        }
    }
    Ok(())
}

/// Reads the tables and adds their objects.
pub(crate) fn read(
    tables: Vec<Fields<'_>>,
    sheets: &[Sheet<'_>],
    site: &mut Site<'_, '_>,
    objects: &mut Vec<Object>,
) -> Result<(), WorldError> {
    for mut table in tables {
        let named = table.need("name", "a text")?;
        let name = named.text()?;
        let file = table.text("file")?;
        let Some(sheet) = sheets.iter().find(|sheet| sheet.page.file == file) else { continue };
        let mut own = sheet.objects(site)?;
        change_joints(&mut table, &mut own)?;
        let corners: Vec<[f64; 3]> = own.iter().flat_map(corners).collect();
        let pose = read_pose(&mut table, &corners, site)?;
        table.finish()?;
        let first = objects.len();
        for (number, object) in own.into_iter().enumerate() {
            let name = if number == 0 { name.to_owned() } else { format!("{name}_{}", object.name) };
            refuse_second(&named, &name, objects)?;
            let joint = object.joint.map(|mut joint| {
                joint.carrier = joint.carrier.map(|carrier| first + carrier);
                joint
            });
            objects.push(Object { name, pose_in_world: pose * object.pose_in_world, joint, ..object });
        }
    }
    Ok(())
}

/// Lets joints of a prop's objects be as its place in the world says, and not as its file does.
fn change_joints(table: &mut Fields<'_>, objects: &mut [Object]) -> Result<(), Fault> {
    let mut changed: Vec<String> = Vec::new();
    for mut change in table.tables("joint")? {
        let named = change.need("object", "the name of an object of the prop's file")?;
        let name = named.text()?;
        let Some(object) = objects.iter_mut().find(|object| object.name == name) else {
            return Err(named.error("the name of an object of the prop's file", &format!("\"{name}\"")));
        };
        let Some(joint) = &mut object.joint else {
            return Err(named.error("an object with a hinge or slide", &format!("\"{name}\", which has none")));
        };
        if changed.iter().any(|other| other == name) {
            return Err(named.error("each object at most once", &format!("a second \"{name}\"")));
        }
        changed.push(name.to_owned());
        joint.change(&mut change)?;
        change.finish()?;
    }
    Ok(())
}

fn refuse_second(named: &Value<'_>, name: &str, objects: &[Object]) -> Result<(), Fault> {
    match objects.iter().any(|object| object.name == name) {
        true => Err(named.error("a name of which no object has the like", &format!("a second `{name}`"))),
        false => Ok(()),
    }
}

impl Sheet<'_> {
    /// Its objects, in the prop's frame.
    fn objects(&self, site: &mut Site<'_, '_>) -> Result<Vec<Object>, WorldError> {
        let mut fields = self.page.fields(&self.root);
        fields.text("name")?;
        fields.tables("material")?;
        let folder = self.page.file.rfind('/').map_or("", |end| &self.page.file[..=end]);
        let outside = core::mem::replace(&mut site.reader.within, folder.to_owned());
        let objects = objects::read(&mut fields, site, Frame::Prop);
        site.reader.within = outside;
        let objects = objects?;
        if objects.is_empty() {
            return Err(fields.error("at least one [[object]]", "none").into());
        }
        fields.finish()?;
        Ok(objects)
    }
}

/// The corners of an object in the frame that it is placed in.
fn corners(object: &Object) -> impl Iterator<Item = [f64; 3]> {
    let pose = object.pose_in_world;
    outline(&object.shape).into_iter().map(move |corner| (pose * Point3::from(corner)).into())
}
