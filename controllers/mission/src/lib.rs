//! What the robot does with itself: a mission composes the skills and supervises them.
//!
//! A [`MissionPlan`] comes from a [file](MissionPlan::parse): places to drive to, things to do there. A [`Mission`] is the
//! [`Controller`](robot_io::Controller) that carries it out. In each cycle it estimates where the robot is, obeys the
//! operator, looks after the robot's health, follows the plan and moves the base, each at the rate that its [`Schedule`]
//! says. Slow work, the [preview] of the way ahead, is a deadline task.
//!
//! Instead of timeouts there is [progress monitoring](ProgressMonitor); instead of hope there is a supervisor, which
//! slows the robot down or [stops](StopCause) it and says why with numbers.

mod arms;
mod as_chart;
mod autonomy;
mod base;
mod behaviour;
mod by_hand;
mod by_map;
mod by_steps;
mod carriage;
mod carried;
mod control;
mod decide;
mod driving;
mod errand;
mod error;
mod fall_settings;
mod feet;
mod file;
mod hands;
mod lookout;
mod mission;
mod mobility;
mod motion;
mod operator;
mod order;
mod part;
mod parts;
mod plan;
mod posture;
pub mod preview;
mod preview_client;
mod progress;
mod ramp;
mod resolve;
mod robot_size;
mod schedule;
mod sending;
mod sent;
mod sequencer;
mod server;
mod service;
mod settings;
mod skill;
mod stance;
mod standing;
mod status;
mod steps;
mod steps_settings;
mod stick;
mod supervision;
mod task;
mod tuning;
mod walking;
mod walking_settings;
mod withdrawal;
mod withdrawal_settings;

/// Who says so, in events.
pub(crate) const SOURCE: &str = "mission";

pub use autonomy::Autonomy;
pub use base::{
    BASE, BASE_GOAL, BaseFailure, BaseGoal, BaseProgress, BaseStatus, BaseTask, Destination, GoalStatus, StanceChange,
};
pub use behaviour::{Behaviour, BehaviourPlan};
pub use carriage::Carriage;
pub use carried::{CARRIED, Carried, CarriedThing};
pub use driving::Driving;
pub use error::MissionError;
pub use fall_settings::{FallPosture, FallSettings, ForesightSettings};
pub use feet::Feet;
pub use file::MOST_STEPS;
pub use mission::Mission;
pub use mobility::{Look, Mobility};
pub use motion::{Motion, MotionFiles, MotionFrame, MotionProgress, MotionStep, Phase, PhaseTask};
pub use part::Part;
pub use plan::{Action, Frame, Leg, MissionPlan, OnStall, ProgressRules, STEP_KEYS, Step};
pub use posture::movable;
pub use preview::RoutePreview;
pub use progress::{ProgressMonitor, ProgressThresholds, Remaining};
pub use ramp::RampLimits;
/// Statecharts as files.
pub use runtime::chart;
pub use schedule::{Schedule, Slot};
pub use server::MissionServer;
pub use settings::MissionSettings;
pub use skill::{
    Ending, Ends, FAILED, Feedback, SKIPPED_AFTER_FAILURE, STOPPED_BY_FAILURE, Skill, SkillContext, SkillJoint,
    SkillRefusal, SkillSetup, SkillStep, Skills,
};
pub use stance::{BaseTarget, Rest, Stance};
pub use standing::Standing;
pub use status::{Activity, MissionStatus};
pub use steps_settings::StepsSettings;
pub use supervision::{DriveFault, StopCause, SupervisionSettings};
pub use tuning::{TUNABLES, Tunable};
pub use walking::Walking;
pub use walking_settings::{BodySettings, DriveSettings, WalkingSettings};
pub use withdrawal_settings::{LawSettings, WithdrawalSettings};
