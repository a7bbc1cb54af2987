//! What is believed about the ground, and which ground carries a foot.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

use super::Foothold;
use crate::refusal::{Reason, Refusal};

/// How a height map is read.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct TerrainSettings {
    /// A map with larger cells than this is refused [m]: too few would lie under a sole.
    #[setting(0.08, range = 0.001..=0.5)]
    pub coarsest: f64,
    /// Standard deviation of each height of a map [m]: so much noise is taken out.
    #[setting(0.0, range = 0.0..=0.1)]
    pub noise: f64,
    /// Neighbouring cells whose heights differ by more than this lie on an edge [m].
    #[setting(0.05, positive)]
    pub edge: f64,
    /// Ground that is lower than the plane on which the sole rests by no more than this tells how it leans [m].
    #[setting(0.015, positive)]
    pub contact: f64,
    /// Ground that is lower than that plane by no more than this carries [m].
    #[setting(0.03, positive)]
    pub give: f64,
    /// Around the sole so much has to be free of higher ground, and half a cell [m].
    #[setting(0.005, range = 0.0..=0.2)]
    pub skirt: f64,
    /// Ground that nobody knows is taken for as high as the nearest that is known within this distance [m]. With 0 no foot is set
    /// there.
    #[setting(0.0, range = 0.0..=5.0)]
    pub assume: f64,
    /// Cells in which heights differ by more than this hold a wall or something that stands [m].
    #[setting(0.3, positive)]
    pub wall: f64,
    /// So high over the ground is something thin of which a few points were seen [m].
    #[setting(1.0, positive)]
    pub pole: f64,
}

/// Which ground carries a foot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct FootingSettings {
    /// The most that a sole may lean [rad].
    #[setting(0.35, range = 0.0..=1.0)]
    pub tilt: f64,
    /// The least share of a sole that has to be carried.
    #[setting(0.8, share)]
    pub support: f64,
    /// The same of each of its quarters.
    #[setting(0.4, share)]
    pub quarter: f64,
    /// The roughest ground under a sole [m].
    #[setting(0.02, positive)]
    pub roughness: f64,
    /// The largest share of a sole over ground that nobody knows.
    #[setting(0.1, share)]
    pub unknown: f64,
}

impl FootingSettings {
    /// Refuses ground that does not carry.
    pub fn judge(&self, ground: &Foothold) -> Result<(), Refusal> {
        const NO_LEAST: f64 = f64::NEG_INFINITY;
        let tilt = libm::acos(ground.normal.z.clamp(-1.0, 1.0));
        Refusal::unless(Reason::Unknown, [NO_LEAST, self.unknown], ground.unknown)?;
        Refusal::unless(Reason::Tilt, [NO_LEAST, self.tilt], tilt)?;
        Refusal::unless(Reason::Support, [self.support, f64::INFINITY], ground.support)?;
        Refusal::unless(Reason::Quarter, [self.quarter, f64::INFINITY], ground.weakest_quarter)?;
        Refusal::unless(Reason::Roughness, [NO_LEAST, self.roughness], ground.roughness)
    }
}
