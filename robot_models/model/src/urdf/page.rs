//! The URDF's text: XML with line numbers, and what ROS's forgiving parser forgives.

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use roxmltree::{Document, Error, Node};

use crate::ModelError;

/// No length [m], mass [kg], inertia [kg·m²], angle [rad] or coefficient of a robot is larger; a larger number is a typing error
/// or a wrong unit.
const LARGEST: f64 = 1e6;
/// Real files say 1e16 where they mean that a joint has no limit.
const UNLIMITED: f64 = 1e9;

/// A URDF file whose complaints name their line.
pub(crate) struct Page<'a> {
    /// The file's name.
    pub file: &'a str,
    /// Byte offset at which each line begins.
    line_starts: Vec<usize>,
}

impl<'a> Page<'a> {
    /// The page of a text.
    pub(crate) fn new(file: &'a str, text: &str) -> Page<'a> {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Page { file, line_starts: std::iter::once(0).chain(breaks).collect() }
    }

    /// The line of an element, from 1.
    pub(crate) fn line(&self, node: Node) -> usize {
        self.line_at(node.range().start)
    }

    /// The line of an attribute, or of its element if it is absent.
    pub(crate) fn attribute_line(&self, node: Node, name: &str) -> usize {
        node.attribute_node(name).map_or_else(|| self.line(node), |attribute| self.line_at(attribute.range().start))
    }

    fn line_at(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= offset)
    }

    /// A refusal of an element.
    pub(crate) fn refuse(&self, node: Node, expected: &str, found: &str) -> ModelError {
        ModelError::refused(self.file, self.line(node), describe(node), expected, found)
    }

    /// A refusal of an attribute.
    pub(crate) fn refuse_attribute(&self, node: Node, name: &str, expected: &str) -> ModelError {
        let found = node.attribute(name).map_or("nothing".into(), |value| format!("\"{value}\""));
        let what = format!("{}@{name}", describe(node));
        ModelError::refused(self.file, self.attribute_line(node, name), what, expected, found)
    }

    /// A required, non-empty text.
    pub(crate) fn text<'n>(&self, node: Node<'n, '_>, name: &str) -> Result<&'n str, ModelError> {
        let value = node.attribute(name).filter(|value| !value.trim().is_empty());
        value.ok_or_else(|| self.refuse_attribute(node, name, "a name"))
    }

    /// A required number; not NaN, and finite unless it is a limit.
    pub(crate) fn number(&self, node: Node, name: &str) -> Result<f64, ModelError> {
        self.optional_number(node, name)?.ok_or_else(|| self.refuse_attribute(node, name, "a number"))
    }

    /// A number that may be absent.
    pub(crate) fn optional_number(&self, node: Node, name: &str) -> Result<Option<f64>, ModelError> {
        let Some(text) = node.attribute(name) else { return Ok(None) };
        let number = text.trim().parse::<f64>().ok().filter(|number| number.abs() <= LARGEST);
        number.map(Some).ok_or_else(|| self.refuse_attribute(node, name, &format!("a number, -{LARGEST} to {LARGEST}")))
    }

    /// A limit that may be absent: a number, or an infinity, which is what a number beyond all robots means.
    pub(crate) fn optional_limit(&self, node: Node, name: &str) -> Result<Option<f64>, ModelError> {
        let Some(text) = node.attribute(name) else { return Ok(None) };
        let number = text.trim().parse::<f64>().ok().filter(|number| !number.is_nan());
        let number =
            number.map(|number| if number.abs() > UNLIMITED { number.signum() * f64::INFINITY } else { number });
        number.map(Some).ok_or_else(|| self.refuse_attribute(node, name, "a number"))
    }

    /// Several numbers, separated by white space; `None` if the attribute is absent.
    pub(crate) fn numbers<const N: usize>(&self, node: Node, name: &str) -> Result<Option<[f64; N]>, ModelError> {
        self.numbers_up_to(LARGEST, node, name)
    }

    /// The same with numbers of which only the direction matters.
    pub(crate) fn direction(&self, node: Node, name: &str) -> Result<Option<[f64; 3]>, ModelError> {
        self.numbers_up_to(f64::MAX, node, name)
    }

    fn numbers_up_to<const N: usize>(&self, most: f64, node: Node, name: &str) -> Result<Option<[f64; N]>, ModelError> {
        let Some(text) = node.attribute(name) else { return Ok(None) };
        let mut numbers = [0.0; N];
        let message =
            if most < f64::MAX { format!("{N} numbers, -{most} to {most}") } else { format!("{N} finite numbers") };
        let mut words = text.split_whitespace();
        for number in &mut numbers {
            let parsed = words.next().and_then(|word| word.parse::<f64>().ok()).filter(|number| number.abs() <= most);
            *number = parsed.ok_or_else(|| self.refuse_attribute(node, name, &message))?;
        }
        match words.next() {
            None => Ok(Some(numbers)),
            Some(_) => Err(self.refuse_attribute(node, name, &message)),
        }
    }

    /// The pose in an element's `<origin>` child; the identity if there is none.
    pub(crate) fn origin(&self, node: Node) -> Result<Isometry3<f64>, ModelError> {
        let Some(origin) = child(node, "origin") else { return Ok(Isometry3::identity()) };
        let [x, y, z] = self.numbers(origin, "xyz")?.unwrap_or([0.0; 3]);
        let rotation = match self.numbers(origin, "quat_xyzw")? {
            Some(_) if origin.has_attribute("rpy") => {
                return Err(self.refuse_attribute(origin, "quat_xyzw", "either rpy or quat_xyzw, not both"));
            }
            Some([x, y, z, w]) => UnitQuaternion::try_new(Quaternion::new(w, x, y, z), 1e-9)
                .ok_or_else(|| self.refuse_attribute(origin, "quat_xyzw", "a quaternion that is not zero"))?,
            None => {
                let [roll, pitch, yaw] = self.numbers(origin, "rpy")?.unwrap_or([0.0; 3]);
                rotation_from_rpy(roll, pitch, yaw)
            }
        };
        Ok(Isometry3::from_parts(Translation3::from(Vector3::new(x, y, z)), rotation))
    }
}

/// The first child element of this name.
pub(crate) fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    children(node, name).next()
}

/// All child elements of this name.
pub(crate) fn children<'a, 'i: 'a>(node: Node<'a, 'i>, name: &str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

/// The element's path up to the nearest link or joint, which is named: `joint "knee": limit`.
pub(crate) fn describe(node: Node) -> String {
    let mut path = Vec::new();
    for ancestor in node.ancestors().filter(Node::is_element) {
        let tag = ancestor.tag_name().name();
        if let ("link" | "joint" | "material", Some(name)) = (tag, ancestor.attribute("name")) {
            path.reverse();
            let below = if path.is_empty() { String::new() } else { format!(": {}", path.join("/")) };
            return format!("{tag} \"{name}\"{below}");
        }
        path.push(tag);
    }
    path.reverse();
    path.join("/")
}

/// Roll about x, then pitch about y, then yaw about z, all fixed axes [rad].
pub(crate) fn rotation_from_rpy(roll: f64, pitch: f64, yaw: f64) -> UnitQuaternion<f64> {
    let half = |axis: Vector3<f64>, angle: f64| {
        let (sin, cos) = libm::sincos(0.5 * angle);
        UnitQuaternion::new_unchecked(Quaternion::from_parts(cos, axis * sin))
    };
    half(Vector3::z(), yaw) * half(Vector3::y(), pitch) * half(Vector3::x(), roll)
}

/// The text as an XML parser accepts it. ROS's parser forgives prefixes that nobody declared, `--` in comments and a
/// late XML declaration; so do we, without moving a line.
pub(crate) fn readable(file: &str, text: &str) -> Result<String, ModelError> {
    let mut text = text.to_owned();
    let mut forgiven = false;
    let mut declared = Vec::new();
    loop {
        let error = match Document::parse(&text) {
            Ok(_) => return Ok(text),
            Err(error) => error,
        };
        match error {
            Error::UnknownNamespace(prefix, _) if prefix != "xacro" && !declared.contains(&prefix) => {
                let Some(root) = text.find("<robot") else { return Err(xml_error(file, &Error::NoRootNode)) };
                text.insert_str(root + "<robot".len(), &format!(" xmlns:{prefix}=\"undeclared:{prefix}\""));
                declared.push(prefix);
            }
            Error::UnknownNamespace(prefix, at) if prefix == "xacro" => {
                return Err(xacro(file, at.row as usize));
            }
            _ if !forgiven => {
                forgiven = true;
                blank(&mut text, "<!--", "-->");
                blank(&mut text, "<?xml", "?>");
            }
            error => return Err(xml_error(file, &error)),
        }
    }
}

/// The refusal of an unexpanded macro file.
pub(crate) fn xacro(file: &str, line: usize) -> ModelError {
    let expected = "a URDF; expand the xacro first (`xacro FILE.xacro > FILE.urdf`, from ROS)";
    ModelError::refused(file, line, "robot", expected, "a xacro file")
}

fn xml_error(file: &str, error: &Error) -> ModelError {
    // the message repeats the position that the error's place already gives
    let text = error.to_string();
    let found = text.split(" at ").next().unwrap_or(&text).to_owned();
    ModelError::refused(file, error.pos().row as usize, "XML", "well-formed XML", found)
}

/// Overwrites everything from `open` to `close` with spaces, but keeps the line breaks.
fn blank(text: &mut String, open: &str, close: &str) {
    let mut from = 0;
    while let Some(start) = text[from..].find(open).map(|at| from + at) {
        let Some(end) = text[start..].find(close).map(|at| start + at + close.len()) else { return };
        let spaces: String = text[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        text.replace_range(start..end, &spaces);
        from = start + spaces.len();
    }
}
