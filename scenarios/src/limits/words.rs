//! What a map says of itself: which rows it has, how it was measured, what counts as survived.

use super::course::{Course, Occasion};
use super::fall;
use super::map::Row;
use super::plan::{MapKind, MapPlan};
use super::push::Shove;
use super::walk::Way;
use crate::Stage;

/// What is drawn, for the progress.
pub fn title(kind: MapKind, case: &str) -> String {
    format!("{case}, {}", kind.word())
}

/// A row of a map of pushes, among whose courses are these.
pub fn row(occasion: Occasion, phases: usize, courses: &[Course]) -> Row {
    let carries = courses.iter().find_map(|course| course.carries.as_ref());
    let (name, about) = match occasion {
        Occasion::Phase(number) => (
            format!("{number}/{phases}"),
            match carries {
                Some((foot, landing)) if (number as f64) < landing * phases as f64 => format!("{foot} carries alone"),
                Some(_) => "both feet carry".to_owned(),
                None => "of a step".to_owned(),
            },
        ),
        Occasion::Driving => ("driving".to_owned(), "under way, without a gait".to_owned()),
        Occasion::Standing => ("standing".to_owned(), "with no mission".to_owned()),
    };
    Row { name, about }
}

/// The row of a map that has but one.
pub fn only_row(kind: MapKind) -> Row {
    let about = if kind == MapKind::Slope { "straight on, over an incline" } else { "straight on, over one step" };
    Row { name: kind.word().to_owned(), about: about.to_owned() }
}

/// How pushes were measured.
pub fn of_pushes(stage: &Stage, plan: &MapPlan, shove: &Shove, courses: &[Course]) -> Vec<String> {
    let [x, y, z] = shove.point;
    let place = if shove.point == [0.0; 3] { "the origin".to_owned() } else { format!("the point ({x}, {y}, {z}) m") };
    let mut method = vec![
        format!(
            "Each number is a change of velocity: a horizontal force of {} s at {place} of link {}, whose impulse is that velocity times the robot's {:.1} kg.",
            plan.push_seconds, shove.link, shove.mass
        ),
        "Directions are those in which it is pushed, counter-clockwise from where its base looks at that moment."
            .to_owned(),
        format!(
            "Survived: until {} s after the push {}. That it comes to rest, or keeps its way, is not asked.",
            plan.recover,
            fall::IN_WORDS
        ),
    ];
    let has_phases =
        courses.iter().flat_map(|course| &course.moments).any(|moment| matches!(moment.occasion, Occasion::Phase(_)));
    if has_phases {
        method.push(
            "Phases divide one step from the moment at which the first foot of the robot's file begins to carry alone to that at which the other one does. \
             For the other foot the map is the same, mirrored, as far as the robot is."
                .to_owned(),
        );
    }
    for (seed, course) in courses.iter().enumerate().filter(|(_, course)| !course.about.is_empty()) {
        let seed = stage.case.seed + seed as u64;
        method.push(if courses.len() > 1 { format!("Seed {seed}: {}", course.about) } else { course.about.clone() });
    }
    let saved = courses.iter().flat_map(|course| &course.moments).any(|moment| moment.snapshot.is_some());
    method.push(match saved {
        true => "Each run begins with the state just before its push, saved in the run in which nobody pushes, and is to the bit what it is from the beginning.",
        false => "Each run is computed from its beginning.",
    }
    .to_owned());
    if !stage.case.pushes.is_empty() {
        method.push("The scenario's own pushes are left out.".to_owned());
    }
    method.push(halving(plan));
    method
}

/// How slopes and steps were measured.
pub fn of_ways(stage: &Stage, plan: &MapPlan, way: &Way) -> Vec<String> {
    let ground = match plan.kind {
        MapKind::Slope => {
            "Each number is an incline: after 1 m of level ground it becomes that steep over 1 m, and the goal is 3 m farther. Directions are those in which \
             the ground rises, counter-clockwise from the way: at 90° it rises to the left, and the robot goes straight across."
        }
        MapKind::Step | MapKind::Push => {
            "Each number is the height of one step across the way, 2 m from where the robot begins and 2 m before its goal; down, it begins on top."
        }
    };
    vec![
        ground.to_owned(),
        format!(
            "The robot, its settings and sensors are the scenario's, and so are gravity and the material of the ground at its start; its \
             mission is one straight leg at {} m/s, without faults, pushes or other robots.",
            way.speed
        ),
        format!(
            "Survived: its mission says within {:.0} s that it has arrived, its base is really no more than 0.5 m from the goal, it stands there \
             for {} s, and until then {}.",
            way.patience(),
            plan.recover,
            fall::IN_WORDS
        ),
        format!("The world of the scenario ({}) is not used beside that.", stage.case.world),
        halving(plan),
    ]
}

fn halving(plan: &MapPlan) -> String {
    let (resolution, unit) = (plan.levels.resolution(), plan.kind.unit());
    format!(
        "The largest size survived is found by halving in steps of {resolution} {unit} up to {} {unit}, taken that what is survived is survived \
         below, too. With ≥ the limit itself was survived; \
         – is a robot that does not survive even without (its first run had size 0). Of several seeds the least counts.",
        plan.levels.limit()
    )
}
