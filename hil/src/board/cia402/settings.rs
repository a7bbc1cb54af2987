//! What a bus file says of a CiA 402 drive.

use page::{Fault, Fields, Range};
use robot_io::{JointKind, JointLimits, Period, RobotLayout};

use super::brake::Brake;
use super::homing::Homing;
use super::mode::{Mode, Modes};
use super::objects::{self, QUICK_STOP_DAMPS, QUICK_STOP_HOLDS, bits, standard_map};
use super::options::OptionCodes;
use super::sto::Sto;
use crate::board::SdoDownload;
use crate::board::fields::{self, DECELERATION, LEAST, gain, positive, sensor};
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

impl Settings {
    /// Reads the settings from a board's table.
    pub fn read(fields: &mut Fields<'_>, layout: &RobotLayout) -> Result<Settings, Fault> {
        let settings = Settings::gather(fields, layout)?;
        // a name that is misspelt would be blamed on another one below
        fields.finish()?;
        settings.check(fields)?;
        Ok(settings)
    }

    fn gather(fields: &mut Fields<'_>, layout: &RobotLayout) -> Result<Settings, Fault> {
        let joint = fields::joint(fields, layout)?;
        let kind = layout.joints[joint].kind;
        let encoder = fields::encoder(fields, kind)?;
        let velocity_unit = fields.number_or("velocity_unit", positive("rad/s"), 1e-6)?;
        let rated_torque = fields.number("rated_torque", Range::new(1e-3, 4e6, "N·m"))?;
        let limits = limits(fields, &layout.joints[joint].limits)?;
        let modes = modes(fields)?;
        let (gains, damp) = gains(fields)?;
        let extensions = fields.flag_or("extensions", true)?;
        let contact =
            fields.get("contact").map(|name| sensor(&name, "a contact switch", &layout.contacts)).transpose()?;
        let (brake, sto) = (Brake::read(fields)?, Sto::read(fields)?);
        let homing = Homing::read(fields, limits.velocity)?;
        let mut standard = standard_map(gains == Gains::Mapped, contact.is_some(), extensions);
        add_lab_objects(&mut standard, brake, sto);
        let map = map(fields, standard)?;
        let (bus_loss, quick_stop) = stops(fields, extensions)?;
        let window = fields.optional("following_window", positive("rad"))?;
        let time = fields.number_or("following_time", Range::new(0.0, 65.0, "s"), 0.01)?;
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
            following: window.map(|window| (window, time)),
            trip_temperature: fields.number_or("trip_temperature", Range::new(0.0, 3000.0, "°C"), 100.0)?,
            quick_stop,
            options: OptionCodes::read(fields)?,
            deceleration: fields.number_or("quick_stop_deceleration", DECELERATION, 10.0 * limits.velocity)?,
            bus_loss,
            brake,
            sto,
            homing,
            contact,
            extensions,
            map,
            maps_by_sdo: fields.word_or("mapping", &[("sdo", true), ("fixed", false)], true)?,
            follow_bit: fields.word_or("follows", &[("bit_12", true), ("enabled", false)], true)?,
            omit: fields::objects(fields, "omit")?,
            sdo: fields::downloads(fields, "sdo")?,
            period: layout.period,
        })
    }

    /// What fields demand of each other.
    fn check(&self, fields: &mut Fields<'_>) -> Result<(), Fault> {
        for own in OWN_GAINS {
            if let Some(own) = fields.get(own).filter(|_| !matches!(self.gains, Gains::Drive { .. })) {
                let expected = "none, as gains come with each command unless gains = \"drive\"";
                return Err(own.error(expected, &own.found()));
            }
        }
        if self.gains == Gains::Host && !self.modes.contains(Mode::Cst) {
            return Err(fields.error_at("modes", "\"cst\" among them, as gains = \"host\" needs it", "none"));
        }
        if let Some(time) = fields.get("following_time").filter(|_| self.following.is_none()) {
            return Err(time.error("`following_window` with it", &format!("{} alone", time.found())));
        }
        if cycle_words(self.period).is_none() {
            let expected = "a cycle of 1 to 255 times a power of ten [s], for object 0x60c2";
            return Err(fields.error(expected, &format!("one of {} ns", self.period.nanoseconds())));
        }
        self.check_lab_objects(fields)?;
        self.check_map(fields)?;
        check_sizes(fields, &self.map)
    }

    /// What brake and STO need must be in a map that the bus file gives.
    fn check_lab_objects(&self, fields: &Fields<'_>) -> Result<(), Fault> {
        let by_bridge = self.brake.is_some_and(|brake| brake.by_bridge);
        if by_bridge && self.map.output(objects::DIGITAL_OUTPUTS, 1).is_none() {
            return Err(fields.error_at("outputs", "object 0x60fe:1 among them for the brake", "none"));
        }
        let Some(Sto { index, sub, bit, .. }) = self.sto else { return Ok(()) };
        let mut entries = self.map.inputs.iter().flat_map(|pdo| &pdo.entries);
        match entries.find(|entry| (entry.index, entry.sub) == (index, sub)) {
            Some(entry) if bit < entry.bits => Ok(()),
            Some(entry) => {
                let expected = format!("less than {}, the bits of the object", entry.bits);
                Err(fields.error_at("sto.bit", &expected, &bit.to_string()))
            }
            None => {
                Err(fields.error_at("inputs", &format!("object {index:#06x}:{sub} among them for the STO"), "none"))
            }
        }
    }

    /// What must be mapped.
    fn check_map(&self, fields: &Fields<'_>) -> Result<(), Fault> {
        let Settings { modes, map, .. } = self;
        let several = modes.len() > 1 || self.homing.is_some();
        let (mapped, contact) = (self.gains == Gains::Mapped, self.contact.is_some());
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
        let lacks = |key: &str, index: u16, sub: u8| {
            Err(fields.error_at(key, &format!("object {index:#06x}:{sub} among them"), "none"))
        };
        for (needed, index, sub) in outputs {
            if needed && map.output(index, sub).is_none() {
                return lacks("outputs", index, sub);
            }
        }
        for (needed, index, sub) in inputs {
            if needed && map.input(index, sub).is_none() {
                return lacks("inputs", index, sub);
            }
        }
        Ok(())
    }
}

/// The fields of a drive's own gains.
const OWN_GAINS: [&str; 2] = ["stiffness", "damping"];

/// The robot's limits, which the bus file may narrow but not widen.
fn limits(fields: &mut Fields<'_>, robot: &JointLimits) -> Result<JointLimits, Fault> {
    let velocity = fields.number_or("max_velocity", Range::new(LEAST, robot.velocity, "rad/s"), robot.velocity)?;
    let effort = fields.number_or("max_torque", Range::new(LEAST, robot.effort, "N·m"), robot.effort)?;
    let Some(value) = fields.get("position_limits") else { return Ok(JointLimits { velocity, effort, ..*robot }) };
    let [lower, upper] = value.vector(Range::new(robot.lower, robot.upper, "rad"))?;
    if lower >= upper {
        return Err(value.error("[lowest, highest]", &value.found()));
    }
    Ok(JointLimits { lower, upper, velocity, effort })
}

fn modes(fields: &mut Fields<'_>) -> Result<Modes, Fault> {
    let Some(value) = fields.get("modes") else { return Ok(Modes::of(&Mode::WORDS.map(|(_, mode)| mode))) };
    let expected = "a list of \"csp\", \"csv\", \"cst\"";
    let modes = value.list(expected)?.iter().map(|mode| mode.word(&Mode::WORDS)).collect::<Result<Vec<Mode>, _>>()?;
    if modes.is_empty() { Err(value.error(expected, &value.found())) } else { Ok(Modes::of(&modes)) }
}

fn gains(fields: &mut Fields<'_>) -> Result<(Gains, f64), Fault> {
    let damping = gain("N·m·s/rad");
    let which = fields.word_or("gains", &[("mapped", 0), ("drive", 1), ("host", 2)], 0)?;
    if which == 1 {
        let own = (fields.number("stiffness", gain("N·m/rad"))?, fields.number("damping", damping)?);
        let damp = fields.number_or("damp", damping, own.1)?;
        return Ok((Gains::Drive { stiffness: own.0, damping: own.1 }, damp));
    }
    for own in OWN_GAINS {
        fields.get(own);
    }
    Ok((if which == 2 { Gains::Host } else { Gains::Mapped }, fields.number("damp", damping)?))
}

/// What a quick stop ends in (0x605A), and what the drive does by itself when its outputs stay away (0x6007). To hold or to
/// damp without a master is a quick stop that ends so.
fn stops(fields: &mut Fields<'_>, extensions: bool) -> Result<(i16, i16), Fault> {
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
    let (bus_loss, ends_in) = fields.word_or("bus_loss", LOSSES, (2, None))?;
    let quick_stop = fields.word_or("quick_stop", WORDS, ends_in.unwrap_or(2))?;
    if let Some(wanted) = ends_in.filter(|wanted| *wanted != quick_stop) {
        let word = |code: i16| WORDS.iter().find(|(_, other)| *other == code).map_or("", |(word, _)| *word);
        let (wanted, found) = (word(wanted), word(quick_stop));
        let expected = format!("\"{wanted}\", as bus_loss = \"{wanted}\" is a quick stop that ends so");
        return Err(fields.error_at("quick_stop", &expected, &format!("\"{found}\"")));
    }
    if quick_stop == QUICK_STOP_DAMPS && !extensions {
        let key = if ends_in.is_some() { "bus_loss" } else { "quick_stop" };
        let expected = "\"hold\" or another, as \"damp\" is this program's own object 0x2012 and extensions = false";
        return Err(fields.error_at(key, expected, "\"damp\""));
    }
    Ok((bus_loss, quick_stop))
}

/// The process data: what the bus file says, else `map`.
fn map(fields: &mut Fields<'_>, mut map: PdoMap) -> Result<PdoMap, Fault> {
    for (key, pdos) in [("outputs", &mut map.outputs), ("inputs", &mut map.inputs)] {
        if let Some(entries) = fields::entries(fields, key)? {
            let index = pdos.first().map_or(0, |pdo| pdo.index);
            *pdos = vec![Pdo { index, entries }];
        }
    }
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

/// Whether what is mapped has the right size.
fn check_sizes(fields: &Fields<'_>, map: &PdoMap) -> Result<(), Fault> {
    for (key, pdos) in [("outputs", &map.outputs), ("inputs", &map.inputs)] {
        for PdoEntry { index, sub, bits: found } in pdos.iter().flat_map(|pdo| &pdo.entries) {
            if let Some(wanted) = bits(*index).filter(|wanted| wanted != found) {
                let expected = format!("{wanted} bits of object {index:#06x}:{sub}");
                return Err(fields.error_at(key, &expected, &found.to_string()));
            }
        }
    }
    Ok(())
}

/// A period as object 0x60C2 says it, if it can: a number and a power of ten [s].
pub(super) fn cycle_words(period: Period) -> Option<(u8, i8)> {
    let (mut number, mut power) = (period.nanoseconds(), -9_i8);
    while number > 0 && number.is_multiple_of(10) {
        (number, power) = (number / 10, power + 1);
    }
    u8::try_from(number).ok().filter(|number| *number > 0).map(|number| (number, power))
}
