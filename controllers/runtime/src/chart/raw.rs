//! Chart files as they are written.
//!
//! ```toml
//! name = "fetch"
//! outcomes = ["done", "failed"]
//! initial = "approach"
//!
//! [inputs.place]
//! type = "pose"
//!
//! [inputs.height]
//! type = "number"
//! unit = "m"
//! default = 0.8
//!
//! [locals.weight]
//! type = "number"
//! optional = true
//!
//! [states.approach]
//! skill = "goto"
//! inputs = { to = "$input.place", tolerance = 0.1 }
//! needs = ["localized", "not battery_low"]
//! stall_time = 8.0          # without progress for so long it ends as "stalled" [s]
//! time_limit = 120.0        # after so long it ends as "timed_out" [s]
//!
//! [states.approach.on]
//! done = "grasp"
//! failed = "failed"
//! out_of_reach = "failed"
//! refused = "failed"
//! stalled = { ladder = ["again", "failed"] }     # once more, then not again
//! timed_out = "failed"
//!
//! [states.grasp]
//! chart = "grasp_from_table"
//! inputs = { height = "$input.height" }
//! keeps = { "local.weight" = "weight" }
//!
//! [states.grasp.on]
//! held = { to = "done", autonomy = "high" }      # below this level an operator is asked
//! lost = { to = "approach", with = { tolerance = 0.02 } }
//!
//! [profiles.low_table]
//! height = 0.7
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawChart {
    pub name: Spanned<String>,
    #[serde(default)]
    pub about: String,
    #[serde(default)]
    pub inputs: Named<RawParameter>,
    #[serde(default)]
    pub locals: Named<RawParameter>,
    #[serde(default)]
    pub outputs: Named<RawParameter>,
    pub outcomes: Spanned<Vec<String>>,
    pub initial: Spanned<String>,
    pub states: Named<RawState>,
    #[serde(default)]
    pub profiles: Named<BTreeMap<String, toml::Value>>,
}

/// By name, with the place in the file.
pub(super) type Named<T> = BTreeMap<String, Spanned<T>>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawParameter {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub unit: String,
    #[serde(default)]
    pub optional: bool,
    pub default: Option<toml::Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawState {
    pub skill: Option<String>,
    pub chart: Option<String>,
    pub regions: Option<Named<RawRegion>>,
    #[serde(default)]
    pub inputs: Named<toml::Value>,
    #[serde(default)]
    pub keeps: Named<String>,
    #[serde(default)]
    pub needs: Vec<Spanned<String>>,
    pub stall_time: Option<Spanned<f64>>,
    pub time_limit: Option<Spanned<f64>>,
    #[serde(default)]
    pub on: Named<toml::Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRegion {
    pub skill: Option<String>,
    pub chart: Option<String>,
    #[serde(default)]
    pub inputs: Named<toml::Value>,
    #[serde(default)]
    pub on: Named<String>,
}
