//! `chiron export`: a log's numbers as tables.

use robot_io::Time;

use crate::ScenarioError;
use crate::cli::ExportArgs;
use crate::export::{Format, Selection, export as write_tables};
use crate::outcome::Outcome;
use crate::progress::Progress;

/// Later than any log.
const END_OF_TIME: Time = Time::from_nanoseconds(u64::MAX);

/// Writes the tables of a log in the formats asked for.
pub fn export(args: &ExportArgs, quiet: bool) -> Result<Outcome, ScenarioError> {
    let selection = selection(args)?;
    let log = ::replay::LogReader::open(&args.log)?;
    let (_, end) = log.last_cycle()?.ok_or_else(|| ScenarioError::File {
        path: args.log.clone(),
        message: "expected at least one cycle, found none".to_owned(),
    })?;
    if let Some(cut) = log.cut() {
        println!("the log was {cut}; what stands before is exported");
    }
    let folder = args.out.clone().unwrap_or_else(|| args.log.with_extension("tables"));
    let formats = [(args.csv || !args.parquet, Format::Csv), (args.parquet, Format::Parquet)];
    for (_, format) in formats.into_iter().filter(|(wanted, _)| *wanted) {
        let mut progress = Progress::new("export", selection.to.min(end), quiet);
        let written = write_tables(&log, &selection, format, &folder, &mut progress)?;
        progress.finish();
        for table in written {
            println!("{}: {} rows, {} columns", table.path.display(), table.rows, table.columns);
        }
    }
    Ok(Outcome::Passed)
}

fn selection(args: &ExportArgs) -> Result<Selection, ScenarioError> {
    let from = args.from.map_or(Time::ZERO, Time::from_seconds);
    let to = args.to.map_or(END_OF_TIME, Time::from_seconds);
    if from > to {
        return Err(ScenarioError::Usage(format!("--from: expected a time up to --to ({to}), found {from}")));
    }
    Ok(Selection { from, to, every: args.every, columns: args.columns.clone() })
}
