//! Item 14 of "it holds where nobody looked": somebody with Python reads `/io` at full rate, to the bit, by `decode_io.py`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use replay::LogReader;
use support::{layout, operator, record};

const DECODER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/decode_io.py");
const CYCLES: u64 = 300;
/// Signals of every kind: integers, numbers, and those that are there only while the operator is.
const SIGNALS: [&str; 6] = [
    "readings/cycle",
    "readings/joints/left_leg_joint_2/position",
    "readings/imus/imu_0/orientation/w",
    "readings/operator/twist/yaw",
    "commands/joints/left_leg_joint_1/effort",
    "commands/emergency_stop",
];

/// Decodes messages that stand in standard input, each behind its length, without any package.
const WITHOUT_PACKAGES: &str = "
import struct, sys
sys.path.insert(0, sys.argv[1])
import decode_io
data, at, parts = sys.stdin.buffer.read(), 0, []
while at < len(data):
    (length,) = struct.unpack_from('<I', data, at)
    parts.append(data[at + 4 : at + 4 + length])
    at += 4 + length
words, fields = decode_io.Words(), decode_io.layout(parts[0].decode())
for message in parts[1:]:
    row = decode_io.signals(words.unpack(message), fields)
    print(','.join('' if row.get(name) is None else repr(row[name]) for name in sys.argv[2:]))
";

fn python(arguments: &[&str], input: &[u8]) -> Option<Output> {
    let mut command = Command::new("python3");
    let command = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    drop(writer.join());
    Some(output)
}

/// What our own reader says of the same signals.
fn expected(path: &Path) -> Vec<[Option<f64>; SIGNALS.len()]> {
    let log = LogReader::open(path).unwrap();
    let row = |cycle: replay::Cycle| {
        let (readings, commands) = (&cycle.readings, &cycle.commands);
        [
            Some(readings.cycle as f64),
            Some(readings.joints[2].position),
            Some(readings.imus[0].orientation.w),
            readings.operator.twist.map(|twist| twist.yaw),
            Some(commands.joints[1].effort),
            Some(f64::from(u8::from(commands.emergency_stop))),
        ]
    };
    log.cycles().map(|cycle| row(cycle.unwrap())).collect()
}

fn compare(text: &str, expected: &[[Option<f64>; SIGNALS.len()]]) {
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows.len(), expected.len());
    for (row, expected) in rows.iter().zip(expected) {
        let found: Vec<Option<f64>> = row.split(',').map(|cell| cell.parse().ok()).collect();
        let bits = |numbers: &[Option<f64>]| numbers.iter().map(|number| number.map(f64::to_bits)).collect::<Vec<_>>();
        assert_eq!(bits(&found), bits(expected), "{row}");
    }
}

/// The `/io` messages of a log behind the schema, each behind its length.
fn messages(path: &Path) -> Vec<u8> {
    let (bytes, mut out) = (std::fs::read(path).unwrap(), Vec::new());
    let mut add = |part: &[u8]| {
        out.extend_from_slice(&(part.len() as u32).to_le_bytes());
        out.extend_from_slice(part);
    };
    let mut has_schema = false;
    for message in mcap::MessageStream::new(&bytes).unwrap() {
        let message = message.unwrap();
        if message.channel.topic != "/io" {
            continue;
        }
        if !has_schema {
            add(&message.channel.schema.as_ref().unwrap().data);
            has_schema = true;
        }
        add(&message.data);
    }
    out
}

#[test]
fn every_cycle_is_decoded_to_the_bit_by_pythons_own_library() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    record(&path, 5, CYCLES, 3);
    assert!((0..CYCLES).any(|cycle| operator(cycle).twist.is_some()) && !layout(5).joints.is_empty());
    let crate_folder = env!("CARGO_MANIFEST_DIR");
    let arguments = [["-B", "-c", WITHOUT_PACKAGES, crate_folder].as_slice(), SIGNALS.as_slice()].concat();
    let Some(output) = python(&arguments, &messages(&path)) else {
        eprintln!("SKIPPED: there is no python3 on this machine, so decode_io.py is not tested");
        return;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    compare(&String::from_utf8(output.stdout).unwrap(), &expected(&path));
}

#[test]
fn the_decoder_reads_a_log_by_itself_where_the_package_mcap_is() {
    let has_package = python(&["-c", "import mcap.reader, lz4"], &[]).is_some_and(|output| output.status.success());
    if !has_package {
        eprintln!(
            "SKIPPED: python3 has no package mcap with lz4 (pip install mcap lz4), so decode_io.py is not run on a file"
        );
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    record(&path, 5, CYCLES, 3);
    let output = python(&["-B", DECODER, path.to_str().unwrap(), "left_leg_joint_2/position"], &[]).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("time [s],readings/joints/left_leg_joint_2/position [rad or m],"), "{text}");
    let position = |line: &str| line.split(',').nth(1).map(|cell| cell.parse::<f64>().unwrap());
    let found: Vec<Option<f64>> = text.lines().skip(1).map(position).collect();
    let expected: Vec<Option<f64>> = expected(&path).iter().map(|row| row[1]).collect();
    assert_eq!(found, expected);
}

#[test]
fn what_is_no_log_is_answered_with_a_message() {
    let Some(output) = python(&["-B", DECODER, "/nowhere/run.mcap"], &[]) else { return };
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("/nowhere/run.mcap") || said.contains("pip install mcap"), "{said}");
}
