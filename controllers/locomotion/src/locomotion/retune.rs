//! Other settings for a robot that is already on its way.

use robot_io::{SettingError, Settings as _};

use super::Locomotion;
use crate::{LocomotionError, Settings};

impl Locomotion {
    /// Takes other settings of driving, body and margin from now on, or refuses them all and goes on as before.
    pub fn retune(&mut self, settings: &Settings) -> Result<(), LocomotionError> {
        check(settings, self.fastest)?;
        let Settings { drive, body, margin, .. } = settings;
        self.drive.retune(*drive);
        self.body.retune(*body);
        (self.settings.drive, self.settings.body, self.settings.margin) = (*drive, *body, *margin);
        Ok(())
    }
}

/// The settings make sense, and the wheels can turn as fast as they may ask for.
pub(super) fn check(settings: &Settings, fastest: f64) -> Result<(), LocomotionError> {
    settings.check()?;
    if settings.drive.speed > fastest {
        let expected = format!("at most {fastest} m/s, as fast as the wheels can turn");
        return Err(SettingError::new("drive.speed", "m/s", &expected, settings.drive.speed).into());
    }
    Ok(())
}
