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
}

impl PlantKind {
    /// True if boards stand between the controller and the robot.
    pub fn has_bus(&self) -> bool {
        *self != PlantKind::Sim
    }

    /// True if this program moves the world behind the plug, so that a run can be computed again.
    pub fn is_simulated(&self) -> bool {
        !matches!(self, PlantKind::EtherCat(_))
    }
}

impl fmt::Display for PlantKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlantKind::Sim => f.write_str("sim"),
            PlantKind::VirtualBus => f.write_str("virtual-bus"),
            PlantKind::ModelledBus => f.write_str("modelled-bus"),
            PlantKind::EtherCat(interface) => write!(f, "ethercat:{interface}"),
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
            _ => Err(format!("expected sim, virtual-bus, modelled-bus or ethercat:INTERFACE, found '{text}'")),
        }
    }
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
        for plant in [PlantKind::Sim, PlantKind::VirtualBus, PlantKind::ModelledBus, ethercat] {
            assert_eq!(plant.to_string().parse(), Ok(plant));
        }
    }

    #[test]
    fn an_unknown_plant_is_answered_with_the_known_ones() {
        for text in ["", "bus", "ethercat", "ethercat:", "ethercat:a b", "ethercat:sixteen_bytes_xx"] {
            let message = text.parse::<PlantKind>().err();
            assert_eq!(
                message,
                Some(format!("expected sim, virtual-bus, modelled-bus or ethercat:INTERFACE, found '{text}'"))
            );
        }
    }
}
