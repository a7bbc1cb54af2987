//! What stands behind the plug.

use core::fmt;
use core::str::FromStr;

/// What stands behind the plug in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PlantKind {
    /// The simulation itself.
    #[default]
    Sim,
    /// Emulated EtherCAT boards in memory, in lock-step, with the simulation behind them.
    VirtualBus,
    /// What a bus does to signals, without EtherCAT: a cycle of delay and the process image's quantisation.
    ModelledBus,
    /// Boards on this network interface, in real time.
    EtherCat(String),
    /// A plant that a program of somebody else's adds to those of ours.
    Own {
        /// Its name in the registry.
        name: String,
        /// What it is told, behind a colon.
        argument: Option<String>,
    },
}

impl PlantKind {
    /// True if boards stand between the controller and the robot.
    pub fn has_bus(&self) -> bool {
        matches!(self, PlantKind::VirtualBus | PlantKind::ModelledBus | PlantKind::EtherCat(_))
    }

    /// True if this program moves the world behind the plug, so that a run can be computed again.
    pub fn is_simulated(&self) -> bool {
        matches!(self, PlantKind::Sim | PlantKind::VirtualBus | PlantKind::ModelledBus)
    }
}

impl fmt::Display for PlantKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlantKind::Sim => f.write_str("sim"),
            PlantKind::VirtualBus => f.write_str("virtual-bus"),
            PlantKind::ModelledBus => f.write_str("modelled-bus"),
            PlantKind::EtherCat(interface) => write!(f, "ethercat:{interface}"),
            PlantKind::Own { name, argument: None } => f.write_str(name),
            PlantKind::Own { name, argument: Some(argument) } => write!(f, "{name}:{argument}"),
        }
    }
}

impl FromStr for PlantKind {
    type Err = String;

    fn from_str(text: &str) -> Result<PlantKind, String> {
        match (text, text.strip_prefix("ethercat:")) {
            ("sim", _) => Ok(PlantKind::Sim),
            ("virtual-bus", _) => Ok(PlantKind::VirtualBus),
            ("modelled-bus", _) => Ok(PlantKind::ModelledBus),
            (_, Some(interface)) if is_interface(interface) => Ok(PlantKind::EtherCat(interface.to_owned())),
            _ if own_name(text).is_some() => {
                let name = own_name(text).unwrap_or_default().to_owned();
                let argument = text.split_once(':').map(|(_, argument)| argument.to_owned());
                Ok(PlantKind::Own { name, argument })
            }
            _ => Err(format!("expected sim, virtual-bus, modelled-bus or ethercat:INTERFACE, found '{text}'")),
        }
    }
}

/// The name of a plant of somebody else's in front of a colon: small letters, digits, - and _, a letter first.
fn own_name(text: &str) -> Option<&str> {
    let name = text.split(':').next().unwrap_or_default();
    let letters = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte));
    let begins = name.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    (letters && begins && name != "ethercat").then_some(name)
}

/// Linux names its network interfaces with at most 15 bytes, none of them a slash or a space.
fn is_interface(name: &str) -> bool {
    (1..=15).contains(&name.len()) && !name.contains(['/', ':']) && !name.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plant_is_written_as_it_is_read() {
        let ethercat = PlantKind::EtherCat("enp3s0".to_owned());
        let own = |argument: Option<&str>| PlantKind::Own {
            name: "my-rig".to_owned(),
            argument: argument.map(str::to_owned),
        };
        let own = [own(None), own(Some("10.0.0.1:99"))];
        for plant in [PlantKind::Sim, PlantKind::VirtualBus, PlantKind::ModelledBus, ethercat].into_iter().chain(own) {
            assert_eq!(plant.to_string().parse(), Ok(plant));
        }
    }

    #[test]
    fn an_unknown_plant_is_answered_with_the_known_ones() {
        for text in ["", "Bus", "7", ":x", "a b", "ethercat", "ethercat:", "ethercat:a b", "ethercat:sixteen_bytes_xx"]
        {
            let message = text.parse::<PlantKind>().err();
            assert_eq!(
                message,
                Some(format!("expected sim, virtual-bus, modelled-bus or ethercat:INTERFACE, found '{text}'"))
            );
        }
    }
}
