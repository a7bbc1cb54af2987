//! Components together: order, channels, snapshots.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use robot_io::{Period, State, StateReader, StateWriter};
use runtime::{
    Alarms, Component, Cycle, Declaration, Holder, Reads, ReadsBefore, Runtime, RuntimeError, Stream, Writes,
};
use support::{Bench, Counter, Doubler, Flood, Sum, build, groups, layout};

fn refusal(builder: runtime::Builder) -> String {
    builder.build(&layout(), &groups(), Holder::with_gains(&[(1.0, 1.0); 6])).unwrap_err().to_string()
}

#[test]
fn whoever_reads_is_updated_after_whoever_writes() {
    let chain = Runtime::builder()
        .with("last", Doubler::new("b", "c"))
        .with("middle", Doubler::new("a", "b"))
        .with("first", Counter::on("a"));
    let runtime = build(chain);
    assert_eq!(runtime.order().collect::<Vec<_>>(), ["first", "middle", "last"]);
}

#[test]
fn what_is_written_in_a_cycle_is_read_in_the_same_cycle() {
    #[derive(Default, State)]
    struct Witness {
        #[state(fixed)]
        ends: Option<(Reads<Stream<u64>>, ReadsBefore<u64>)>,
    }
    impl Component for Witness {
        fn declare(&mut self, wants: &mut Declaration<'_>) {
            self.ends = Some((wants.reads("b"), wants.reads_before("b")));
        }
        fn update(&mut self, cycle: &mut Cycle<'_>) {
            let (now, before) = self.ends.unwrap();
            let [now, before] = [cycle.latest(now), cycle.before(before)].map(|value| value.copied().unwrap_or(99));
            assert_eq!(now, 2 * cycle.readings.cycle + 2);
            assert_eq!(before, if now == 2 { 99 } else { now - 2 });
        }
    }
    let all = Runtime::builder()
        .with("witness", Witness::default())
        .with("double", Doubler::new("a", "b"))
        .with("count", Counter::on("a"));
    assert!(Bench::new(all).cycles(5).is_empty(), "a witness that panics is told of");
}

#[test]
fn what_cannot_work_together_is_refused_by_name() {
    let circle = Runtime::builder().with("one", Doubler::new("a", "b")).with("other", Doubler::new("b", "a"));
    let message = refusal(circle);
    assert!(
        message.contains("one –'b'→ other –'a'→ one") || message.contains("other –'a'→ one –'b'→ other"),
        "{message}"
    );
    let twice = Runtime::builder().with("x", Counter::on("a")).with("y", Counter::on("a"));
    assert_eq!(refusal(twice), "channel 'a': expected one writer, or an arbiter, found x, y");
    let nobody = Runtime::builder().with("reader", Doubler::new("odometry", "b"));
    assert_eq!(refusal(nobody), "channel 'odometry': expected somebody who writes what reader reads, found nobody");
    let own = Runtime::builder().with("echo", Doubler::new("a", "a"));
    assert_eq!(refusal(own), "echo: expected to read what others write, found its own channel 'a'");
    let kinds = Runtime::builder().with("count", Counter::on("flood")).with("sum", Sum::default());
    assert_eq!(refusal(kinds), "channel 'flood': expected a stream of u64, as it was named first, found events of u64");
    let names = Runtime::builder().with("a", Counter::on("a")).with("a", Counter::on("b"));
    assert_eq!(refusal(names), "expected components of different names, found 'a' twice");
    let group = Runtime::builder().with("mover", support::Mover::new("tail", 1, 0.0));
    assert_eq!(refusal(group), "mover: expected a joint group of the robot (arm, hand, arm_and_hand), found 'tail'");
    let fast = Counter { every: Some(Period::from_microseconds(100)), ..Counter::on("a") };
    assert_eq!(
        refusal(Runtime::builder().with("fast", fast)),
        "fast: expected an interval of at least a cycle, 1.000 ms, found 100.000 µs"
    );
    assert!(matches!(
        build(Runtime::builder().with("a", Counter::on("a"))).switch("b", runtime::Switch::Stop),
        Err(RuntimeError::Unknown { .. })
    ));
}

#[test]
fn each_has_its_own_rate() {
    let slow = Counter { every: Some(Period::from_milliseconds(4)), ..Counter::on("a") };
    let mut bench = Bench::new(Runtime::builder().with("slow", slow).with("double", Doubler::new("a", "b")));
    bench.cycles(9);
    let saved = StateWriter::save(&mut bench.runtime);
    let count = [0, 4, 8].len() as u64;
    assert!(saved.chunks(8).any(|word| word == count.to_le_bytes()), "updated in cycles 0, 4 and 8");
}

#[test]
fn no_event_is_lost_whatever_the_readers_rate() {
    #[derive(Default, State)]
    struct Checks {
        #[state(fixed)]
        from: Option<Reads<runtime::Events<u64>>>,
        next: u64,
    }
    impl Component for Checks {
        fn declare(&mut self, wants: &mut Declaration<'_>) {
            self.from = Some(wants.reads_events("flood"));
            wants.every(Period::from_milliseconds(7));
        }
        fn update(&mut self, cycle: &mut Cycle<'_>) {
            for event in cycle.events(self.from.unwrap()) {
                self.next += 1;
                assert_eq!(*event, self.next);
            }
        }
    }
    let mut bench = Bench::new(Runtime::builder().with("flood", Flood::of(3)).with("checks", Checks::default()));
    assert!(bench.cycles(100).is_empty());
}

#[test]
fn an_alarm_wakes_a_slow_reader_at_once() {
    #[derive(Default, State)]
    struct Bell {
        #[state(fixed)]
        out: Option<Writes<Alarms<u64>>>,
    }
    impl Component for Bell {
        fn declare(&mut self, wants: &mut Declaration<'_>) {
            self.out = Some(wants.writes_alarms("bell"));
        }
        fn update(&mut self, cycle: &mut Cycle<'_>) {
            if cycle.readings.cycle == 5 {
                cycle.raise(self.out.unwrap(), 5);
            }
        }
    }
    #[derive(Default, State)]
    struct Sleeper {
        #[state(fixed)]
        bell: Option<Reads<Alarms<u64>>>,
        #[state(fixed)]
        woken: Option<Writes<Stream<u64>>>,
    }
    impl Component for Sleeper {
        fn declare(&mut self, wants: &mut Declaration<'_>) {
            wants.every(Period::from_milliseconds(1_000));
            self.bell = Some(wants.reads_alarms("bell"));
            self.woken = Some(wants.writes("woken"));
        }
        fn update(&mut self, cycle: &mut Cycle<'_>) {
            let (bell, woken) = (self.bell.unwrap(), self.woken.unwrap());
            let rung = cycle.alarms(bell).next().copied();
            let now = cycle.readings.cycle;
            assert!(now == 0 || (now, rung) == (5, Some(5)), "{now} {rung:?}");
            cycle.write(woken, now);
        }
    }
    let mut bench = Bench::new(
        Runtime::builder()
            .with("sleeper", Sleeper::default())
            .with("bell", Bell::default())
            .with("double", Doubler::new("woken", "b")),
    );
    assert!(bench.cycles(900).is_empty());
}

#[test]
fn a_run_goes_on_from_a_snapshot_as_if_nothing_had_been() {
    let all = || {
        Bench::new(
            Runtime::builder()
                .with("double", Doubler::new("a", "b"))
                .with("count", Counter { every: Some(Period::from_milliseconds(3)), ..Counter::on("a") })
                .with("flood", Flood::of(2))
                .with("sum", Sum { every: Some(Period::from_milliseconds(5)), ..Sum::default() })
                .with("mover", support::Mover::new("arm", 1, 0.3)),
        )
    };
    let (mut one, mut other) = (all(), all());
    one.cycles(17);
    StateReader::restore(&mut other.runtime, &StateWriter::save(&mut one.runtime)).unwrap();
    other.readings = one.readings.clone();
    for _ in 0..40 {
        one.cycle();
        other.cycle();
        assert_eq!(one.digest(), other.digest());
        assert_eq!(one.commands, other.commands);
    }
}
