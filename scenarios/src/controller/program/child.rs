//! A process that reads lines and writes lines, without anybody ever waiting for it longer than they want.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, bounded};

/// No line is longer [bytes].
const LONGEST_LINE: u64 = 1 << 24;
/// So long a process may take to end once nobody asks it any more.
const LEAVE: Duration = Duration::from_secs(1);
/// Lines that wait to be read; a process that writes more waits.
const WAITING: usize = 16;

/// A process with a thread for each of its ends.
#[derive(Debug)]
pub struct Lines {
    child: Child,
    /// `None` once it shall end.
    to: Option<Sender<Vec<u8>>>,
    from: Receiver<Result<String, String>>,
}

impl Lines {
    /// Starts a program with its arguments in a folder; what it writes to its error output is shown as it is.
    pub fn start(words: &[String], folder: &Path) -> Result<Lines, String> {
        let (program, arguments) = words.split_first().ok_or("expected a program, found nothing")?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        // Ctrl-C is chiron's: the program ends when nobody asks it any more
        command.process_group(0);
        let mut child = command.spawn().map_err(|error| format!("cannot start '{program}': {error}"))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("cannot talk to '{program}'"));
        };
        let (to, lines_to) = bounded(1);
        let (lines_from, from) = bounded(WAITING);
        let write = move || write_lines(stdin, &lines_to);
        let read = move || read_lines(stdout, &lines_from);
        let threads = [
            std::thread::Builder::new().name("program in".to_owned()).spawn(write),
            std::thread::Builder::new().name("program out".to_owned()).spawn(read),
        ];
        for thread in threads {
            thread.map_err(|error| format!("no thread for '{program}': {error}"))?;
        }
        Ok(Lines { child, to: Some(to), from })
    }

    /// Sends a line; never waits for the program to read it.
    pub fn send(&mut self, mut line: Vec<u8>) -> Result<(), String> {
        line.push(b'\n');
        let sent = self.to.as_ref().is_some_and(|to| to.try_send(line).is_ok());
        if sent { Ok(()) } else { Err(self.end()) }
    }

    /// The next line, if it comes within `patience`; an error if there will be none.
    pub fn receive(&mut self, patience: Duration) -> Result<Option<String>, String> {
        match self.from.recv_timeout(patience) {
            Ok(line) => line.map(Some),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(self.end()),
        }
    }

    /// How it ended.
    fn end(&mut self) -> String {
        match wait(&mut self.child, LEAVE) {
            Some(status) => format!("its program has ended: {status}"),
            None => "its program has closed its output".to_owned(),
        }
    }
}

impl Drop for Lines {
    /// A program whose input has ended may put its things in order before it goes.
    fn drop(&mut self) {
        self.to = None;
        if wait(&mut self.child, LEAVE).is_none() {
            // it may end in this very moment
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Waits for the end of a process, but not for ever.
fn wait(child: &mut Child, patience: Duration) -> Option<std::process::ExitStatus> {
    let until = Instant::now() + patience;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(2)),
            _ => return None,
        }
    }
}

/// Writes until nobody sends, or nobody reads.
fn write_lines(mut stdin: ChildStdin, lines: &Receiver<Vec<u8>>) {
    for line in lines {
        if stdin.write_all(&line).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

/// Reads until the end, or until nobody listens.
fn read_lines(stdout: ChildStdout, lines: &Sender<Result<String, String>>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        let line = match stdout.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) if line.len() as u64 >= LONGEST_LINE => {
                Err(format!("its program wrote a line of more than {LONGEST_LINE} bytes"))
            }
            Ok(_) => String::from_utf8(line).map_err(|_| "its program wrote what is no UTF-8".to_owned()),
        };
        let ends = line.is_err();
        if lines.send(line).is_err() || ends {
            return;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn shell(script: &str) -> Lines {
        Lines::start(&["sh".to_owned(), "-c".to_owned(), script.to_owned()], Path::new("/")).unwrap()
    }

    #[test]
    fn lines_go_there_and_back() {
        let mut echo = shell("cat");
        for line in ["one", "two"] {
            echo.send(line.into()).unwrap();
            assert_eq!(echo.receive(Duration::from_secs(20)).unwrap().unwrap(), format!("{line}\n"));
        }
        assert_eq!(echo.receive(Duration::ZERO), Ok(None), "nothing was sent");
    }

    #[test]
    fn the_end_of_a_program_is_told_with_its_status() {
        let mut gone = shell("exit 3");
        let end = gone.receive(Duration::from_secs(20)).unwrap_err();
        assert!(end.contains("has ended") && end.contains('3'), "{end}");
    }

    #[test]
    fn a_program_that_reads_nothing_makes_nobody_wait() {
        let mut deaf = shell("sleep 60");
        let long = vec![b'x'; 1 << 20];
        let sent: Vec<bool> = (0..4).map(|_| deaf.send(long.clone()).is_ok()).collect();
        assert!(sent[0] && !sent[3], "{sent:?}");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = Lines::start(&["no_such_program".to_owned()], Path::new("/")).unwrap_err();
        assert!(error.contains("cannot start 'no_such_program'"), "{error}");
    }
}
