//! A robot that is put into a world.

use robot_io::RandomStream;
use robot_model::RobotModel;

use crate::error::PlantError;
use crate::setup::Setup;

/// One of the robots of a simulation. The first one has its name from whoever asks for it; those beside it have names of their own.
#[derive(Clone, Copy)]
pub struct Member<'a> {
    /// What it is called among the robots; empty for the first.
    pub name: &'a str,
    /// What it is.
    pub robot: &'a RobotModel,
    /// How it begins. Physics step and control cycle are those of the first robot.
    pub setup: &'a Setup,
}

impl Member<'_> {
    /// An error that says whose it is; that of the first robot's needs no name.
    pub(crate) fn error(&self, error: PlantError) -> PlantError {
        match self.name {
            "" => error,
            name => PlantError::Of { robot: name.to_owned(), error: Box::new(error) },
        }
    }

    /// The seed of its noise: robots of one model and one seed differ by their names.
    pub(crate) fn seed(&self) -> u64 {
        match self.name {
            "" => self.setup.seed,
            name => RandomStream::new(self.setup.seed, &format!("robot/{name}")).bits(0, 0),
        }
    }
}
