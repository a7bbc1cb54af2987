//! The operator without the viewer: words at the terminal, or from another one by a socket.
//!
//! A run whose time is real, on a bus or with `--realtime`, listens. `chiron bus acknowledge` and its like find it by its
//! socket, which only the same user may open. Words come in like a person's at the desk: they are recorded, and a replay takes
//! them from the log.

use std::fs;
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, bounded, unbounded};
use robot_io::{OperatorInput, OperatorRequest};

use crate::environment::runtime_folder;
use crate::words::{known, request};
use crate::{ScenarioError, terminal};

/// How long an answer may take: boards are configured again, faults are reset.
const PATIENCE: Duration = Duration::from_secs(20);
/// Between two looks for somebody who wants something.
const LOOK: Duration = Duration::from_millis(50);
/// Lines that wait for whoever asked.
const LINES: usize = 64;
/// The longest word and its end [bytes].
const LONGEST: u64 = 64;

/// The listening end, in the program that runs the robot.
#[derive(Debug)]
pub struct Console {
    requests: Option<Receiver<OperatorInput>>,
    told: Sender<String>,
    stopped: Arc<AtomicBool>,
    ends: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
    path: PathBuf,
}

impl Console {
    /// Listens for a run of this name: an interface, or a scenario.
    pub fn open(name: &str) -> Result<Console, ScenarioError> {
        let path = runtime_folder()?.join(format!("{name}.sock"));
        let listener = listen(&path)?;
        let (to, requests) = unbounded();
        let (told, lines) = bounded(LINES);
        let ends = Arc::new(AtomicBool::new(false));
        let stopped = Arc::new(AtomicBool::new(false));
        let desk = Desk { to: to.clone(), lines, stopped: stopped.clone(), ends: ends.clone() };
        let threads = Vec::new();
        let mut console = Console { requests: Some(requests), told, stopped, ends: ends.clone(), threads, path };
        console.spawn("operator socket", move || desk.serve(&listener))?;
        if std::io::stdin().is_terminal() {
            console.spawn("operator terminal", move || terminal::read(&to, &ends))?;
        }
        Ok(console)
    }

    fn spawn(&mut self, name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), ScenarioError> {
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(work);
        let failed = |error| ScenarioError::Usage(format!("no thread for the {name}: {error}"));
        self.threads.push(thread.map_err(failed)?);
        Ok(())
    }

    /// What was asked for, for the desk; once.
    pub fn take_requests(&mut self) -> Option<Receiver<OperatorInput>> {
        self.requests.take()
    }

    /// Something has happened that whoever asked is to hear; perhaps it has stopped the robot.
    pub fn tell(&self, line: String, stops: bool) {
        if stops {
            self.stopped.store(true, Ordering::Relaxed);
        } else if line.contains(CLEARED) {
            self.stopped.store(false, Ordering::Relaxed);
        }
        // with nobody to hear it, or too many lines, it is in the log all the same
        let _ = self.told.try_send(line);
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // a thread that has panicked has nothing left to do
            let _ = thread.join();
        }
        // somebody may have taken it away
        let _ = fs::remove_file(&self.path);
    }
}

/// A socket at `path`; one that a run has left behind is replaced, one that a run listens on is not.
fn listen(path: &Path) -> Result<UnixListener, ScenarioError> {
    if UnixStream::connect(path).is_ok() {
        return Err(ScenarioError::Usage(format!(
            "{}: a run of this name is listening already; end it first",
            path.display()
        )));
    }
    // what nobody listens on is of no use to anybody
    let _ = fs::remove_file(path);
    let failed = |error| ScenarioError::file(path, "listen on", &error);
    let listener = UnixListener::bind(path).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    Ok(listener)
}

/// The socket's end of the desk.
struct Desk {
    to: Sender<OperatorInput>,
    lines: Receiver<String>,
    stopped: Arc<AtomicBool>,
    ends: Arc<AtomicBool>,
}

impl Desk {
    fn serve(&self, listener: &UnixListener) {
        while !self.ends.load(Ordering::Relaxed) {
            match listener.accept() {
                Ok((stream, _)) => {
                    // whoever has gone away needs no answer
                    let _ = self.answer(stream);
                }
                Err(_) => std::thread::sleep(LOOK),
            }
        }
    }

    /// Takes a word, passes it on, and says what came of it.
    fn answer(&self, mut stream: UnixStream) -> std::io::Result<()> {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        stream.set_write_timeout(Some(Duration::from_secs(1)))?;
        let mut word = String::new();
        BufReader::new(std::io::Read::take(&stream, LONGEST)).read_line(&mut word)?;
        let Some(request) = request(&word) else {
            return writeln!(stream, "expected one of {}, found '{}'", known(), word.trim());
        };
        let acknowledges = request == OperatorRequest::ClearEmergencyStop;
        if acknowledges && !self.stopped.load(Ordering::Relaxed) {
            return writeln!(stream, "nothing to acknowledge: the robot is not stopped");
        }
        while self.lines.try_recv().is_ok() {}
        if self.to.send(OperatorInput { twist: None, request: Some(request) }).is_err() {
            return writeln!(stream, "the run has ended");
        }
        if acknowledges { self.tell_outcome(&mut stream) } else { writeln!(stream, "ok") }
    }

    /// The events until one that answers an acknowledgement.
    fn tell_outcome(&self, stream: &mut UnixStream) -> std::io::Result<()> {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end && !self.ends.load(Ordering::Relaxed) {
            let Ok(line) = self.lines.recv_timeout(LOOK) else { continue };
            writeln!(stream, "{line}")?;
            if line.contains(CLEARED) {
                return writeln!(stream, "ok");
            }
            if line.contains(NOT_CLEARED) {
                return Ok(());
            }
        }
        writeln!(stream, "no answer within {PATIENCE:?}, or the run has ended")
    }
}

/// What the safety filter says of an acknowledgement.
const CLEARED: &str = "emergency stop cleared";
const NOT_CLEARED: &str = "emergency stop not cleared";

/// Says a word to a run, by its name or the only one there is; the lines that come back, and whether it was done.
pub fn say(run: Option<&str>, word: &str) -> Result<(Vec<String>, bool), ScenarioError> {
    let path = find(run)?;
    let failed = |error| ScenarioError::file(&path, "talk to", &error);
    let mut stream = UnixStream::connect(&path).map_err(failed)?;
    stream.set_read_timeout(Some(PATIENCE + Duration::from_secs(5))).map_err(failed)?;
    writeln!(stream, "{word}").map_err(failed)?;
    let mut lines = BufReader::new(stream).lines().collect::<Result<Vec<String>, _>>().map_err(failed)?;
    let done = lines.last().is_some_and(|line| line == "ok");
    if done {
        lines.pop();
    }
    Ok((lines, done))
}

fn find(run: Option<&str>) -> Result<PathBuf, ScenarioError> {
    let folder = runtime_folder()?;
    let entries = fs::read_dir(&folder).map_err(|error| ScenarioError::file(&folder, "list", &error))?;
    let is_socket = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "sock");
    let listening = |path: &PathBuf| is_socket(path) && UnixStream::connect(path).is_ok();
    let mut there: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(listening).collect();
    there.sort();
    let names: Vec<String> = there.iter().filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect();
    let found = match run {
        Some(run) => names.iter().position(|name| name == run),
        None => (there.len() == 1).then_some(0),
    };
    found.map(|index| there.swap_remove(index)).ok_or_else(|| {
        let there = if names.is_empty() { "none that listens".to_owned() } else { names.join(", ") };
        let wanted = run.map_or("a name, as several may run or none".to_owned(), |run| format!("a run '{run}'"));
        ScenarioError::Usage(format!(
            "expected {wanted}, found: {there}; a run listens with --plant ethercat:INTERFACE or --realtime"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_or_its_first_letter() {
        assert_eq!(request("acknowledge\n"), Some(OperatorRequest::ClearEmergencyStop));
        assert_eq!(request("s"), Some(OperatorRequest::EmergencyStop));
        assert_eq!([request(""), request("ack"), request("x")], [None; 3]);
    }
}
