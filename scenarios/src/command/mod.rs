//! One file per command of the program.

mod bench;
mod book;
mod bus;
mod chart;
mod check;
mod deliver;
mod diff;
mod doctor;
mod export;
mod map;
mod new;
mod replay;
mod robot;
mod run;
mod settings;
mod slam;
mod table;
#[cfg(feature = "viewer")]
mod view;

pub use bench::bench;
pub use book::book;
pub use bus::bus;
pub use chart::chart;
pub use check::check;
pub use diff::diff;
pub use doctor::doctor;
pub use export::export;
pub use new::new;
pub use replay::replay;
pub use robot::robot;
pub use run::run;
pub use settings::settings;
pub use slam::slam;
pub use table::table;
#[cfg(feature = "viewer")]
pub use view::view;

/// Without the feature `viewer` there is nothing to show.
#[cfg(not(feature = "viewer"))]
pub fn view(
    _args: &crate::cli::ViewArgs,
    _library: &crate::Library,
) -> Result<crate::outcome::Outcome, crate::ScenarioError> {
    Err(no_viewer())
}

/// The message of a program that was built without pictures.
#[cfg(not(feature = "viewer"))]
pub fn no_viewer() -> crate::ScenarioError {
    crate::ScenarioError::Usage(
        "this chiron was built without the feature `viewer`: it shows and draws nothing".to_owned(),
    )
}
