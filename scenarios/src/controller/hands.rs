//! Eyes and hands for whichever controller has a chart.

use std::sync::Arc;

use handling::{Body, Eyes, EyesPlan, HandlingError, Hands};
use perception::{ColourTable, ObjectModel};
use robot_io::RobotLayout;
use robot_model::RobotModel;

/// Eyes and hands that a controller may have, and what they are made from.
#[derive(Clone, Debug)]
pub(crate) struct HandsOffer {
    camera: String,
    models: Vec<ObjectModel>,
    /// The colour camera and the colours that models name, if they count.
    colours: Option<(String, ColourTable)>,
}

impl HandsOffer {
    pub fn new(camera: &str, models: Vec<ObjectModel>, colours: Option<(String, ColourTable)>) -> HandsOffer {
        HandsOffer { camera: camera.to_owned(), models, colours }
    }

    /// Eyes and hands of a robot, with this priority for the joints of its arms.
    pub fn make(
        &self,
        robot: &RobotModel,
        layout: &RobotLayout,
        priority: u32,
    ) -> Result<(Eyes, Hands), HandlingError> {
        // a mesh of the robot has no corners here: it is refused by its name
        let body = Arc::new(Body::new(robot, &self.models, |_| None)?);
        let plan = EyesPlan::new(robot, layout, &self.camera, self.models.clone())?;
        let plan = match &self.colours {
            Some((camera, table)) => plan.with_colours(layout, camera, table.clone())?,
            None => plan,
        };
        Ok((Eyes::new(Arc::clone(&body), plan)?, Hands::new(body, layout, priority)?))
    }
}
