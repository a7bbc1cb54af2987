//! Sessions of a map: begun, and brought to a cycle.

use super::stop::Stop;
use crate::session::{Session, Snapshot};
use crate::{Staffing, Stage, interrupt};

/// A session of the stage, at its beginning or where a snapshot of the same run was taken.
pub fn begin(stage: &Stage, from: Option<&Snapshot>) -> Result<Session, Stop> {
    let mut session = Session::start(stage.assemble(Staffing::default())?)?;
    from.map_or(Ok(()), |snapshot| session.restore(snapshot))?;
    Ok(session)
}

/// Lets time go on until `cycle` comes next.
pub fn go_to(session: &mut Session, cycle: u64) -> Result<(), Stop> {
    while session.next_cycle() < cycle {
        if interrupt::requested() {
            return Err(Stop::Interrupted);
        }
        session.cycle()?;
    }
    Ok(())
}
