//! Classes of actuators.

use page::{Fault, Fields, Page, Range, complete};
use robot_io::Period;
use toml::Spanned;
use toml::de::DeTable;

use super::numbers::{EFFORT, TEMPERATURE, noise, period};

/// One kind of geared drive. All figures are on the link's side of the gear unless they say otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct ActuatorClass {
    /// The class's name, unique in the file.
    pub name: String,
    /// Effort that it can give continuously [N·m].
    pub rated_effort: f64,
    /// Effort that it can give for a short time, at standstill [N·m].
    pub peak_effort: f64,
    /// Speed at which no effort is left; the torque–speed line falls from peak effort at standstill to here [rad/s].
    pub no_load_speed: f64,
    /// Motor turns per turn of the link.
    pub gear_ratio: f64,
    /// Inertia of rotor and first gear stage, on the motor's side [kg·m²].
    pub rotor_inertia: f64,
    /// Coulomb friction [N·m].
    pub coulomb_friction: f64,
    /// Viscous friction [N·m·s/rad].
    pub viscous_friction: f64,
    /// From a command at the plug to torque in the air gap (file: `delay_us`).
    pub delay: Period,
    /// From what the drive measures to who reads it (file: `feedback_delay_us`).
    pub feedback_delay: Period,
    /// Time constant of the filter on differences of encoder counts by which the servo damps (file: `velocity_filter_us`).
    pub velocity_filter: Period,
    /// Play of the gear, from stop to stop [rad].
    pub backlash: f64,
    /// Counts of the position encoder per turn of the link.
    pub encoder_counts_per_turn: u32,
    /// What it reports the position of.
    pub encoder_at: EncoderAt,
    /// Standard deviation of one position reading [rad].
    pub position_noise: f64,
    /// Standard deviation of one velocity reading [rad/s].
    pub velocity_noise: f64,
    /// Standard deviation of one effort reading [N·m].
    pub effort_noise: f64,
    /// Torque per current on the motor's side [N·m/A].
    pub torque_constant: f64,
    /// Fraction of the motor's mechanical power that leaves the gear, 0 to 1.
    pub efficiency: f64,
    /// How it warms up.
    pub thermal: Thermal,
    /// Stiffness of a spring between gear and link [N·m/rad]; `None` for a rigid drive.
    pub spring: Option<f64>,
}

/// Where the encoder sits that a drive reports, and by whose position its servo is stiff. It damps by the motor's in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EncoderAt {
    /// On the motor: play and spring are behind it.
    #[default]
    Motor,
    /// On the link, as a second one: a drive with a spring then also reports the spring's torque, by how far motor and link are apart,
    /// in place of the motor's.
    Link,
}

/// One thermal node for the winding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thermal {
    /// From winding to ambient [K/W].
    pub resistance: f64,
    /// Of winding and housing together [J/K].
    pub capacitance: f64,
    /// Temperature of the air, where the winding starts [°C].
    pub ambient: f64,
    /// From here the effort limit falls linearly towards zero at `trip_at` [°C].
    pub derate_from: f64,
    /// Here the drive latches a fault [°C].
    pub trip_at: f64,
    /// Heat in the winding per square of the effort on the link [W/(N·m)²].
    pub copper_loss: f64,
}

impl EncoderAt {
    const WORDS: [(&str, EncoderAt); 2] = [("motor", EncoderAt::Motor), ("link", EncoderAt::Link)];
}

impl ActuatorClass {
    /// All classes of a file; one that is `like` an earlier one has all figures of it that its own table does not have.
    pub(super) fn read_all<'d>(fields: &mut Fields<'d>, page: Page<'d>) -> Result<Vec<ActuatorClass>, Fault> {
        let (mut names, mut tables, mut classes) = (Vec::new(), Vec::new(), Vec::new());
        for mut table in fields.tables("actuator")? {
            let name = table.unique_name(&mut names)?;
            let (mut whole, like) = table.without_like();
            if let Some(like) = like {
                let earlier = &names[..names.len() - 1];
                let template: &Spanned<DeTable<'_>> =
                    &tables[like.index("the name of an earlier [[actuator]]", earlier)?];
                complete(whole.get_mut(), template.get_ref());
            }
            let path = format!("actuator[{}]", classes.len());
            classes.push(page.fields(&whole).named(path).read_by(|fields| {
                fields.get("name");
                ActuatorClass::read(fields, name)
            })?);
            tables.push(whole);
        }
        Ok(classes)
    }

    fn read(fields: &mut Fields<'_>, name: String) -> Result<ActuatorClass, Fault> {
        let rated_effort = fields.number("rated_effort", EFFORT)?;
        let peak = fields.need("peak_effort", "an effort [N·m or N]")?;
        let peak_effort = peak.number(EFFORT)?;
        if peak_effort < rated_effort {
            let expected = format!("at least rated_effort {rated_effort} N·m");
            return Err(peak.error(&expected, &format!("{peak_effort} N·m")));
        }
        Ok(ActuatorClass {
            name,
            rated_effort,
            peak_effort,
            no_load_speed: fields.number("no_load_speed", Range::new(1e-6, 1e5, "rad/s or m/s"))?,
            gear_ratio: fields.number("gear_ratio", Range::new(1e-4, 1e5, "1"))?,
            rotor_inertia: fields.number("rotor_inertia", Range::new(0.0, 100.0, "kg·m²"))?,
            coulomb_friction: fields.number("coulomb_friction", Range::new(0.0, 1e6, "N·m or N"))?,
            viscous_friction: fields.number("viscous_friction", Range::new(0.0, 1e6, "N·m·s/rad or N·s/m"))?,
            delay: period(fields, "delay_us")?,
            feedback_delay: period(fields, "feedback_delay_us")?,
            velocity_filter: period(fields, "velocity_filter_us")?,
            backlash: fields.number("backlash", Range::new(0.0, 1.0, "rad or m"))?,
            encoder_counts_per_turn: fields.whole("encoder_counts_per_turn", 1..=u32::MAX.into())? as u32,
            encoder_at: fields.word_or("encoder_at", &EncoderAt::WORDS, EncoderAt::Motor)?,
            position_noise: fields.number("position_noise", noise("rad or m"))?,
            velocity_noise: fields.number("velocity_noise", noise("rad/s or m/s"))?,
            effort_noise: fields.number("effort_noise", noise("N·m or N"))?,
            torque_constant: fields.number("torque_constant", Range::new(1e-6, 1e4, "N·m/A"))?,
            efficiency: fields.number("efficiency", Range::new(1e-6, 1.0, "1"))?,
            spring: fields.optional("spring", Range::new(1e-3, 1e9, "N·m/rad or N/m"))?,
            thermal: fields.need("thermal", "a table")?.table()?.read_by(Thermal::read)?,
        })
    }

    /// The rotor's inertia as the link feels it [kg·m²].
    pub fn reflected_inertia(&self) -> f64 {
        self.rotor_inertia * self.gear_ratio * self.gear_ratio
    }

    /// Size of one encoder count on the link [rad].
    pub fn encoder_step(&self) -> f64 {
        core::f64::consts::TAU / f64::from(self.encoder_counts_per_turn)
    }
}

impl Thermal {
    fn read(fields: &mut Fields<'_>) -> Result<Thermal, Fault> {
        let resistance = fields.number("resistance", Range::new(1e-6, 1e4, "K/W"))?;
        let capacitance = fields.number("capacitance", Range::new(1e-6, 1e7, "J/K"))?;
        let ambient = fields.number("ambient", TEMPERATURE)?;
        let mut above = |key, cooler: &str, least: f64| {
            let value = fields.need(key, "a temperature [°C]")?;
            let temperature = value.number(TEMPERATURE)?;
            let found = || format!("{temperature} °C");
            let warmer = (temperature > least).then_some(temperature);
            warmer.ok_or_else(|| value.error(&format!("above {cooler} {least} °C"), &found()))
        };
        let derate_from = above("derate_from", "ambient", ambient)?;
        let trip_at = above("trip_at", "derate_from", derate_from)?;
        let copper_loss = fields.number("copper_loss", Range::new(0.0, 1e6, "W/(N·m)²"))?;
        Ok(Thermal { resistance, capacitance, ambient, derate_from, trip_at, copper_loss })
    }

    /// Time constant of the winding's temperature [s].
    pub fn time_constant(&self) -> f64 {
        self.resistance * self.capacitance
    }

    /// Temperature that a constant effort [N·m] leads to in the end [°C].
    pub fn steady_temperature(&self, effort: f64) -> f64 {
        self.ambient + self.resistance * self.copper_loss * effort * effort
    }
}
