//! The program, as a shell sees it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};

/// The checkout.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The program, in the checkout.
pub fn chiron(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chiron"));
    command.args(arguments).current_dir(ROOT);
    command
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// All that a program has said.
pub fn said(output: &Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}

/// Runs a command that must end with this code; returns all that it says.
pub fn ends(command: &mut Command, code: i32) -> String {
    let output = command.output().unwrap();
    let said = said(&output);
    assert!(!said.contains("panicked"), "{said}");
    assert_eq!(output.status.code(), Some(code), "{command:?}: {said}");
    said
}

/// A program that runs beside the test, and no longer than it.
pub struct Running(pub Child);

impl Running {
    /// Sends it a signal, as `INT`.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.0.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // it may have ended by itself, which is what the test then fails on
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A shell in a folder of its own that has the library in it, and in which `out/…` appears.
pub struct Shell(tempfile::TempDir);

impl Shell {
    pub fn new() -> Shell {
        let folder = tempfile::tempdir().unwrap();
        for library in ["scenarios", "worlds", "robot_models"] {
            std::os::unix::fs::symlink(Path::new(ROOT).join(library), folder.path().join(library)).unwrap();
        }
        Shell(folder)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn command(&self, line: &str) -> Command {
        let mut command = chiron(&line.split_whitespace().collect::<Vec<_>>());
        command.current_dir(self.0.path());
        command
    }

    pub fn chiron(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// Types a command that must succeed; returns what it says.
    pub fn passes(&self, line: &str) -> String {
        ends(&mut self.command(line), 0)
    }

    /// Types a command that must be refused; returns why.
    pub fn refused(&self, line: &str) -> String {
        ends(&mut self.command(line), 2)
    }
}
