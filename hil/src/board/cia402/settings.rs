//! What a bus file says of a CiA 402 drive.

use robot_io::{JointKind, JointLimits, Period, RobotLayout};
use toml::{Table, Value};

use super::brake::Brake;
use super::homing::Homing;
use super::mode::{Mode, Modes};
use super::objects::{self, QUICK_STOP_DAMPS, QUICK_STOP_HOLDS, bits, standard_map};
use super::options::OptionCodes;
use super::sto::Sto;
use crate::board::SdoDownload;
use crate::board::fields::{Fields, LEAST, MOST, number_in, texts};
use crate::board::scaling::{EncoderScale, Scale};
use crate::pdo::{Pdo, PdoEntry, PdoMap};

/// All settings of one drive. The fields of the bus file are listed in this folder's README.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The joint's index in the layout.
    pub joint: usize,
    /// Whether the joint turns for ever, so that its counter wraps around.
    pub endless: bool,
    /// What the encoder counts.
    pub encoder: EncoderScale,
    /// Joint position [rad] or [m] to increments.
    pub position: Scale,
    /// Joint velocity [rad/s] or [m/s] to velocity units.
    pub velocity: Scale,
    /// Joint effort [N·m] or [N] to per mille of the rated torque.
    pub effort: Scale,
    /// The rated torque seen behind the gear: 1000 ‰ [N·m] or [N].
    pub rated_torque: f64,
    /// What the drive must not exceed, in the joint's units.
    pub limits: JointLimits,
    /// The modes that may be used.
    pub modes: Modes,
    /// Who closes the loop around stiffness and damping.
    pub gains: Gains,
    /// Damping for standing still without a command [N·m·s/rad].
    pub damp: f64,
    /// Following error [rad] or [m] and how long it may last [s]; `None` for no watch.
    pub following: Option<(f64, f64)>,
    /// The drive trips at this winding temperature [°C].
    pub trip_temperature: f64,
    /// Object 0x605A.
    pub quick_stop: i16,
    /// Objects 0x605B to 0x605E.
    pub options: OptionCodes,
    /// Object 0x6085 [rad/s²] or [m/s²].
    pub deceleration: f64,
    /// Object 0x6007.
    pub bus_loss: i16,
    /// The joint's brake, if it has one.
    pub brake: Option<Brake>,
    /// Where the drive shows an open STO, if it does.
    pub sto: Option<Sto>,
    /// How the drive finds its zero; `None` for a drive that always knows it.
    pub homing: Option<Homing>,
    /// Index in the layout of a contact switch on the drive.
    pub contact: Option<usize>,
    /// Whether the drive has our manufacturer objects.
    pub extensions: bool,
    /// The process data.
    pub map: PdoMap,
    /// Whether the map is written by SDO.
    pub maps_by_sdo: bool,
    /// Whether statusword bit 12 says that the drive follows; a drive without it follows once it is enabled.
    pub follow_bit: bool,
    /// Objects that are not written at start-up.
    pub omit: Vec<(u16, u8)>,
    /// Further objects that are written at start-up.
    pub sdo: Vec<SdoDownload>,
    /// The cycle of the set-points.
    pub period: Period,
}

/// Who closes the loop around a command's stiffness and damping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gains {
    /// The drive, with gains that arrive in the process data each cycle.
    Mapped,
    /// The drive, with its own gains.
    Drive {
        /// [N·m/rad].
        stiffness: f64,
        /// [N·m·s/rad].
        damping: f64,
    },
    /// The bridge: the drive only makes torque.
    Host,
}

const FIELDS: &[&str] = &[
    "joint",
    "sign",
    "offset",
    "counts",
    "gear",
    "feed",
    "velocity_unit",
    "rated_torque",
    "max_torque",
    "max_velocity",
    "position_limits",
    "modes",
    "gains",
    "stiffness",
    "damping",
    "damp",
    "following_window",
    "following_time",
    "trip_temperature",
    "quick_stop",
    "quick_stop_deceleration",
    "fault_reaction",
    "bus_loss",
    "shutdown",
    "disable_operation",
    "halt",
    "slow_down_deceleration",
    "brake",
    "sto",
    "homing",
    "contact",
    "extensions",
    "outputs",
    "inputs",
    "mapping",
    "follows",
    "omit",
    "sdo",
];

impl Settings {
    /// Takes the settings out of a board's table.
    pub fn read(table: &mut Table, layout: &RobotLayout) -> Result<Settings, String> {
        let mut fields = Fields::new(table, FIELDS)?;
        let joint = fields.joint("joint", layout)?;
        let kind = layout.joints[joint].kind;
        let encoder = fields.encoder(kind)?;
        let velocity_unit = fields.maybe_number("velocity_unit", "[rad/s]", LEAST..=MOST)?.unwrap_or(1e-6);
        let rated_torque = fields.number("rated_torque", "[N·m]", 1e-3..=4e6)?;
        let limits = limits(&mut fields, &layout.joints[joint].limits)?;
        let modes = modes(&mut fields)?;
        let (gains, damp) = gains(&mut fields, modes)?;
        let extensions = fields.flag("extensions", true)?;
        let contact = fields.sensor("contact", "contact switch", &layout.contacts)?;
        let (brake, sto) = (Brake::read(&mut fields)?, Sto::read(&mut fields)?);
        let homing = Homing::read(&mut fields, limits.velocity)?;
        let mut standard = standard_map(gains == Gains::Mapped, contact.is_some(), extensions);
        add_lab_objects(&mut standard, brake, sto);
        let map = map(&mut fields, standard)?;
        check_lab_objects(&map, brake, sto)?;
        check_map(&map, (modes, homing.is_some()), gains, contact.is_some())?;
        cycle_words(layout.period)?;
        let (bus_loss, quick_stop) = stops(&mut fields, extensions)?;
        Ok(Settings {
            joint,
            endless: kind == JointKind::Continuous,
            encoder,
            position: encoder.scale(),
            velocity: Scale::of_unit(encoder.sign * velocity_unit),
            effort: Scale::of_ratio(encoder.sign * 1000.0, rated_torque),
            rated_torque,
            limits,
            modes,
            gains,
            damp,
            following: following(&mut fields)?,
            trip_temperature: fields.maybe_number("trip_temperature", "[°C]", 0.0..=3000.0)?.unwrap_or(100.0),
            quick_stop,
            options: OptionCodes::read(&mut fields)?,
            deceleration: fields
                .maybe_number("quick_stop_deceleration", "[rad/s²]", 1e-3..=MOST)?
                .unwrap_or(10.0 * limits.velocity),
            bus_loss,
            brake,
            sto,
            homing,
            contact,
            extensions,
            map,
            maps_by_sdo: fields.word("mapping", &[("sdo", true), ("fixed", false)], true)?,
            follow_bit: fields.word("follows", &[("bit_12", true), ("enabled", false)], true)?,
            omit: fields.objects("omit")?,
            sdo: fields.downloads("sdo")?,
            period: layout.period,
        })
    }
}

/// The robot's limits, which the bus file may narrow but not widen.
fn limits(fields: &mut Fields<'_>, robot: &JointLimits) -> Result<JointLimits, String> {
    let narrowed = |value: Option<f64>, robot: f64| value.unwrap_or(robot).min(robot);
    let velocity = narrowed(fields.maybe_number("max_velocity", "[rad/s]", LEAST..=robot.velocity)?, robot.velocity);
    let effort = narrowed(fields.maybe_number("max_torque", "[N·m]", LEAST..=robot.effort)?, robot.effort);
    let expected = format!("[lowest, highest] within {} to {}", robot.lower, robot.upper);
    let pair = |value: &Value| match value.as_array()?.as_slice() {
        [low, high] => {
            let number = |value: &Value| number_in(value, &(robot.lower..=robot.upper));
            Some((number(low)?, number(high)?)).filter(|(low, high)| low < high)
        }
        _ => None,
    };
    let (lower, upper) = fields.optional("position_limits", &expected, pair)?.unwrap_or((robot.lower, robot.upper));
    Ok(JointLimits { lower, upper, velocity, effort })
}

fn modes(fields: &mut Fields<'_>) -> Result<Modes, String> {
    let read = |value: &Value| {
        let modes = texts(value)?.into_iter().map(Mode::from_word).collect::<Option<Vec<Mode>>>()?;
        (!modes.is_empty()).then(|| Modes::of(&modes))
    };
    let all = Modes::of(&[Mode::Csp, Mode::Csv, Mode::Cst]);
    Ok(fields.optional("modes", "a list of \"csp\", \"csv\", \"cst\"", read)?.unwrap_or(all))
}

fn gains(fields: &mut Fields<'_>, modes: Modes) -> Result<(Gains, f64), String> {
    let words = &[("mapped", 0), ("drive", 1), ("host", 2)];
    let which = fields.word("gains", words, 0)?;
    if which == 1 {
        let stiffness = fields.number("stiffness", "[N·m/rad]", 0.0..=MOST)?;
        let damping = fields.number("damping", "[N·m·s/rad]", 0.0..=MOST)?;
        let damp = fields.maybe_number("damp", "[N·m·s/rad]", 0.0..=MOST)?.unwrap_or(damping);
        return Ok((Gains::Drive { stiffness, damping }, damp));
    }
    for own in ["stiffness", "damping"] {
        let none = "none, as gains come with each command unless gains = \"drive\"";
        fields.optional(own, none, |_| None::<()>)?;
    }
    if which == 2 && !modes.contains(Mode::Cst) {
        return Err("field 'modes': expected \"cst\" among them, as gains = \"host\" needs it, found none".into());
    }
    let damp = fields.number("damp", "[N·m·s/rad]", 0.0..=MOST)?;
    Ok((if which == 2 { Gains::Host } else { Gains::Mapped }, damp))
}

/// What a quick stop ends in (0x605A), and what the drive does by itself when its outputs stay away (0x6007). To hold or to
/// damp without a master is a quick stop that ends so.
fn stops(fields: &mut Fields<'_>, extensions: bool) -> Result<(i16, i16), String> {
    const WORDS: &[(&str, i16)] = &[
        ("ramp", 2),
        ("off", 0),
        ("hold", QUICK_STOP_HOLDS),
        ("damp", QUICK_STOP_DAMPS),
        ("slow_ramp", 1),
        ("slow_hold", 5),
    ];
    const LOSSES: &[(&str, (i16, Option<i16>))] = &[
        ("disable", (2, None)),
        ("quick_stop", (3, None)),
        ("fault", (1, None)),
        ("hold", (3, Some(QUICK_STOP_HOLDS))),
        ("damp", (3, Some(QUICK_STOP_DAMPS))),
    ];
    let (bus_loss, ends_in) = fields.word("bus_loss", LOSSES, (2, None))?;
    let quick_stop = fields.word("quick_stop", WORDS, ends_in.unwrap_or(2))?;
    if let Some(wanted) = ends_in.filter(|wanted| *wanted != quick_stop) {
        let word = |code: i16| WORDS.iter().find(|(_, other)| *other == code).map_or("", |(word, _)| *word);
        let (wanted, found) = (word(wanted), word(quick_stop));
        let message = format!(
            "expected \"{wanted}\", as bus_loss = \"{wanted}\" is a quick stop that ends so, found \"{found}\""
        );
        return Err(format!("field 'quick_stop': {message}"));
    }
    if quick_stop == QUICK_STOP_DAMPS && !extensions {
        return Err(
            "field 'quick_stop': \"damp\" is this program's own object 0x2012; with extensions = false expected \
                    \"hold\", \"ramp\" or \"off\", or another bus_loss"
                .to_owned(),
        );
    }
    Ok((bus_loss, quick_stop))
}

fn following(fields: &mut Fields<'_>) -> Result<Option<(f64, f64)>, String> {
    let window = fields.maybe_number("following_window", "[rad]", LEAST..=MOST)?;
    let time = fields.maybe_number("following_time", "[s]", 0.0..=65.0)?;
    match (window, time) {
        (None, Some(time)) => {
            Err(format!("field 'following_time': expected 'following_window' with it, found {time} alone"))
        }
        (window, time) => Ok(window.map(|window| (window, time.unwrap_or(0.01)))),
    }
}

/// The process data: what the bus file says, else `map`.
fn map(fields: &mut Fields<'_>, mut map: PdoMap) -> Result<PdoMap, String> {
    let mut replace = |name: &str, pdos: &mut Vec<Pdo>| -> Result<(), String> {
        if let Some(entries) = fields.entries(name)? {
            let index = pdos.first().map_or(0, |pdo| pdo.index);
            *pdos = vec![Pdo { index, entries }];
        }
        Ok(())
    };
    replace("outputs", &mut map.outputs)?;
    replace("inputs", &mut map.inputs)?;
    Ok(map)
}

/// What brake and STO need of a map that is ours to choose.
fn add_lab_objects(map: &mut PdoMap, brake: Option<Brake>, sto: Option<Sto>) {
    let outputs = brake.filter(|brake| brake.by_bridge).map(|_| PdoEntry::new(objects::DIGITAL_OUTPUTS, 1, 32));
    let missing = |sto: &Sto| map.input(sto.index, sto.sub).is_none();
    let inputs = sto.filter(missing).map(|sto| PdoEntry::new(sto.index, sto.sub, bits(sto.index).unwrap_or(32)));
    map.outputs.iter_mut().take(1).for_each(|pdo| pdo.entries.extend(outputs));
    map.inputs.iter_mut().take(1).for_each(|pdo| pdo.entries.extend(inputs));
}

/// What they need must be in a map that the bus file gives.
fn check_lab_objects(map: &PdoMap, brake: Option<Brake>, sto: Option<Sto>) -> Result<(), String> {
    if brake.is_some_and(|brake| brake.by_bridge) && map.output(objects::DIGITAL_OUTPUTS, 1).is_none() {
        return Err("field 'outputs': expected object 0x60fe:1 among them for the brake, found none".to_owned());
    }
    let Some(Sto { index, sub, bit, .. }) = sto else { return Ok(()) };
    let entries = map.inputs.iter().flat_map(|pdo| &pdo.entries);
    let found = entries.clone().find(|entry| (entry.index, entry.sub) == (index, sub));
    match found {
        Some(entry) if bit < entry.bits => Ok(()),
        Some(entry) => {
            Err(format!("field 'bit': expected less than {}, the bits of the object, found {bit}", entry.bits))
        }
        None => Err(format!("field 'inputs': expected object {index:#06x}:{sub} among them for the STO, found none")),
    }
}

/// What must be mapped, and whether what is mapped has the right size.
fn check_map(map: &PdoMap, (modes, homes): (Modes, bool), gains: Gains, contact: bool) -> Result<(), String> {
    let several = modes.len() > 1 || homes;
    let mapped = gains == Gains::Mapped;
    let outputs = [
        (true, objects::CONTROLWORD, 0),
        (several, objects::MODE, 0),
        (modes.contains(Mode::Csp), objects::TARGET_POSITION, 0),
        (modes.contains(Mode::Csv), objects::TARGET_VELOCITY, 0),
        (modes.contains(Mode::Cst), objects::TARGET_TORQUE, 0),
        (mapped, objects::GAINS, 1),
        (mapped, objects::GAINS, 2),
    ];
    let inputs = [
        (true, objects::STATUSWORD, 0),
        (several, objects::MODE_DISPLAY, 0),
        (true, objects::POSITION, 0),
        (true, objects::VELOCITY, 0),
        (contact, objects::DIGITAL_INPUTS, 0),
        (contact, objects::CONTACT_FORCE, 0),
    ];
    let missing = |found: bool, needed: bool| needed && !found;
    for (needed, index, sub) in outputs {
        if missing(map.output(index, sub).is_some(), needed) {
            return Err(format!("field 'outputs': expected object {index:#06x}:{sub} among them, found none"));
        }
    }
    for (needed, index, sub) in inputs {
        if missing(map.input(index, sub).is_some(), needed) {
            return Err(format!("field 'inputs': expected object {index:#06x}:{sub} among them, found none"));
        }
    }
    let mut all = map.outputs.iter().chain(&map.inputs).flat_map(|pdo| &pdo.entries);
    let wrong = |entry: &&PdoEntry| bits(entry.index).is_some_and(|bits| bits != entry.bits);
    match all.find(wrong) {
        Some(PdoEntry { index, sub, bits: found }) => {
            let expected = bits(*index).unwrap_or(0);
            Err(format!("process data, object {index:#06x}:{sub}: expected {expected} bits, found {found}"))
        }
        None => Ok(()),
    }
}

/// A period as object 0x60C2 says it: a number and a power of ten [s].
pub(super) fn cycle_words(period: Period) -> Result<(u8, i8), String> {
    let (mut number, mut power) = (period.nanoseconds(), -9_i8);
    while number > 0 && number.is_multiple_of(10) {
        (number, power) = (number / 10, power + 1);
    }
    let wanted = || {
        format!("cycle period: expected 1 to 255 times a power of ten [s] for object 0x60c2, found {number}e{power}")
    };
    u8::try_from(number).ok().filter(|number| *number > 0).map(|number| (number, power)).ok_or_else(wanted)
}
