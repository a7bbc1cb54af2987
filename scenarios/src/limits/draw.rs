//! From a plan to a map: every cell by halving, with every seed.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use rayon::prelude::*;

use super::bisect::{highest, most_tries};
use super::course::{Course, Moment, Occasion, course};
use super::map::{Cell, Direction, Map, Row, Survived, directions};
use super::plan::{MapKind, MapPlan};
use super::push::Shove;
use super::stop::Stop;
use super::walk::Way;
use super::words;
use crate::progress::Counted;
use crate::{ScenarioError, Stage};

/// What became of a run.
struct Tried {
    /// How much was simulated [s].
    seconds: f64,
    /// Why it has not survived, if it has not.
    fate: Option<String>,
}

/// What is tried.
enum Trials<'a> {
    Push { shove: Shove, courses: Vec<Course>, occasions: Vec<Occasion>, plan: &'a MapPlan },
    Way { way: Way, stages: &'a [Stage], plan: &'a MapPlan },
}

/// Draws the map of a scenario; a stage for each seed.
pub fn draw(stages: &[Stage], plan: &MapPlan, quiet: bool) -> Result<Map, Stop> {
    let begun = Instant::now();
    let first = stages.first().ok_or_else(|| ScenarioError::Usage("--seeds: expected at least one".to_owned()))?;
    expect_simulated(first, plan)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(plan.jobs).build();
    let pool = pool.map_err(|error| ScenarioError::Usage(format!("--jobs: {error}")))?;
    let trials = pool.install(|| Trials::of(stages, plan, quiet))?;
    let (rows, directions) = (trials.rows(plan), directions(plan));
    let places = rows.len() * stages.len();
    let tries = places as u64 + (places * directions.len()) as u64 * most_tries(plan.levels.top());
    let work = Work {
        plan,
        trials: &trials,
        progress: Counted::new(&words::title(plan.kind, &first.case.name), tries, quiet),
        runs: AtomicU64::new(0),
        nanoseconds: AtomicU64::new(0),
    };
    let cells = pool.install(|| work.cells(rows.len(), stages.len(), &directions));
    work.progress.finish();
    let cells = cells?;
    let case = &first.case;
    Ok(Map {
        kind: plan.kind.word(),
        case: case.name.clone(),
        title: case.title.clone(),
        robot: case.robot.clone(),
        mass_kg: first.robot.tree.mass(),
        plant: case.plant.to_string(),
        seeds: stages.iter().map(|stage| stage.case.seed).collect(),
        unit: plan.kind.unit(),
        resolution: plan.levels.resolution(),
        limit: plan.levels.limit(),
        method: trials.method(first, plan),
        rows,
        directions,
        cells,
        runs: work.runs.into_inner(),
        simulated_s: work.nanoseconds.into_inner() as f64 * 1e-9,
        wall_s: begun.elapsed().as_secs_f64(),
        version: env!("CARGO_PKG_VERSION"),
    })
}

/// A robot that really falls shall not do so hundreds of times.
fn expect_simulated(stage: &Stage, plan: &MapPlan) -> Result<(), ScenarioError> {
    let plant = &stage.case.plant;
    let message = || {
        let kind = plan.kind.word();
        ScenarioError::Usage(format!(
            "--map {kind}: expected a plant that is simulated (sim, virtual-bus or modelled-bus), found '{plant}'"
        ))
    };
    plant.is_simulated().then_some(()).ok_or_else(message)
}

impl<'a> Trials<'a> {
    /// What a plan asks for. For pushes each seed is run once to see when to push.
    fn of(stages: &'a [Stage], plan: &'a MapPlan, quiet: bool) -> Result<Trials<'a>, Stop> {
        let first = &stages[0];
        if plan.kind != MapKind::Push {
            return Ok(Trials::Way { way: Way::of(plan.kind, first)?, stages, plan });
        }
        let shove = Shove::of(first, plan.push_link.as_deref(), plan.push_seconds)?;
        if !quiet {
            eprintln!("{}: looks how it goes when nobody pushes", first.case.name);
        }
        let courses = stages.par_iter().with_max_len(1).map(|stage| course(stage, plan.phases, plan.from_start));
        let courses: Vec<Course> = courses.collect::<Result<_, Stop>>()?;
        let of = |course: &Course| {
            let there = course.moments.iter().map(|moment| moment.occasion);
            there.chain(course.lost.iter().map(|(occasion, _)| *occasion)).collect::<Vec<_>>()
        };
        let occasions: BTreeSet<Occasion> = courses.iter().flat_map(of).collect();
        Ok(Trials::Push { shove, courses, occasions: occasions.into_iter().collect(), plan })
    }

    fn rows(&self, plan: &MapPlan) -> Vec<Row> {
        match self {
            Trials::Push { occasions, courses, .. } => {
                occasions.iter().map(|occasion| words::row(*occasion, plan.phases, courses)).collect()
            }
            Trials::Way { .. } => vec![words::only_row(plan.kind)],
        }
    }

    fn method(&self, stage: &Stage, plan: &MapPlan) -> Vec<String> {
        match self {
            Trials::Push { shove, courses, .. } => words::of_pushes(stage, plan, shove, courses),
            Trials::Way { way, .. } => words::of_ways(stage, plan, way),
        }
    }

    /// A run; of size 0 it is without a push, and over level ground.
    fn run(&self, row: usize, seed: usize, degrees: f64, size: f64) -> Result<Tried, Stop> {
        match self {
            Trials::Way { way, stages, plan } => {
                let (seconds, fate) = way.run(&stages[seed], degrees, size, plan.recover)?;
                Ok(Tried { seconds, fate })
            }
            Trials::Push { shove, courses, occasions, plan } => match moment(&courses[seed], occasions[row]) {
                Err(what) => Ok(Tried { seconds: 0.0, fate: Some(what) }),
                Ok(moment) => {
                    let (session, fate) = shove.run(moment, degrees, size, plan.recover)?;
                    let begins = moment.snapshot.as_ref().map_or(0, |snapshot| snapshot.next_cycle);
                    let cycles = session.next_cycle().saturating_sub(begins);
                    Ok(Tried { seconds: cycles as f64 * session.layout().period.seconds(), fate })
                }
            },
        }
    }
}

/// The moment of an occasion, or why there is none.
fn moment(course: &Course, occasion: Occasion) -> Result<&Moment, String> {
    let lost = || {
        let lost = course.lost.iter().find(|(lost, _)| *lost == occasion);
        lost.map_or_else(|| "with this seed it does not come to that".to_owned(), |(_, what)| what.clone())
    };
    course.moments.iter().find(|moment| moment.occasion == occasion).ok_or_else(lost)
}

/// The runs of a map.
struct Work<'a> {
    plan: &'a MapPlan,
    trials: &'a Trials<'a>,
    progress: Counted,
    runs: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Work<'_> {
    /// All cells, row by row.
    fn cells(&self, rows: usize, seeds: usize, directions: &[Direction]) -> Result<Vec<Cell>, Stop> {
        let places: Vec<(usize, usize)> = (0..rows).flat_map(|row| (0..seeds).map(move |seed| (row, seed))).collect();
        let unharmed = places.par_iter().with_max_len(1).map(|(row, seed)| {
            self.progress.advance(1);
            self.run(*row, *seed, 0.0, 0)
        });
        let unharmed: Vec<Option<String>> = unharmed.collect::<Result<_, Stop>>()?;
        let all: Vec<(usize, usize, usize)> = (0..rows)
            .flat_map(|row| (0..directions.len()).flat_map(move |to| (0..seeds).map(move |seed| (row, to, seed))))
            .collect();
        let values = all.par_iter().with_max_len(1).map(|(row, to, seed)| match &unharmed[row * seeds + seed] {
            Some(fate) => {
                self.progress.advance(most_tries(self.plan.levels.top()));
                Ok(Survived { size: None, then: Some(fate.clone()) })
            }
            None => self.survived(*row, *seed, directions[*to].degrees),
        });
        let values: Vec<Survived> = values.collect::<Result<_, Stop>>()?;
        let cell = |(number, values): (usize, &[Survived])| {
            Cell::new(number / directions.len(), number % directions.len(), values.to_vec())
        };
        Ok(values.chunks(seeds).enumerate().map(cell).collect())
    }

    /// The largest size that is survived, given that nothing is.
    fn survived(&self, row: usize, seed: usize, degrees: f64) -> Result<Survived, Stop> {
        let levels = &self.plan.levels;
        let (mut then, mut tries) = (None, 0);
        let level = highest(levels.top(), |level| {
            let fate = self.run(row, seed, degrees, level)?;
            self.progress.advance(1);
            tries += 1;
            let holds = fate.is_none();
            // the last level that did not hold is the one above the answer
            then = fate.or(then.take());
            Ok::<bool, Stop>(holds)
        })?;
        self.progress.advance(most_tries(levels.top()).saturating_sub(tries));
        Ok(Survived { size: Some(levels.value(level)), then })
    }

    /// A run; why it has not survived, if it has not.
    fn run(&self, row: usize, seed: usize, degrees: f64, level: usize) -> Result<Option<String>, Stop> {
        let Tried { seconds, fate } = self.trials.run(row, seed, degrees, self.plan.levels.value(level))?;
        self.runs.fetch_add(1, Ordering::Relaxed);
        self.nanoseconds.fetch_add((seconds * 1e9) as u64, Ordering::Relaxed);
        Ok(fate)
    }
}
