#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;
use serde::Deserialize;

use super::*;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only what is refused is looked at")]
struct Robot {
    name: String,
    #[serde(default)]
    wheel: Vec<Wheel>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only what is refused is looked at")]
struct Wheel {
    radius: f64,
    place: Option<Place>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only what is refused is looked at")]
struct Place {
    x: f64,
}

fn refused(text: &str) -> String {
    Page { file: "a.toml", text }.read::<Robot>().unwrap_err().to_string()
}

#[test]
fn what_is_wrong_is_told_with_line_and_field() {
    for (text, told) in [
        ("name = 3\n", "a.toml:1: name: expected a text, found integer `3`"),
        (
            "name = \"a\"\n\n[[wheel]]\nradius = true\n",
            "a.toml:4: [[wheel]] radius: expected a number, found boolean `true`",
        ),
        (
            "name = \"a\"\n\n[[wheel]] # the [spare] one\nradius = true\n",
            "a.toml:4: [[wheel]] radius: expected a number, found boolean `true`",
        ),
        (
            "name = \"a\"\n[[wheel]]\nplace = { x = 1 }\n",
            "a.toml:2: [[wheel]]: expected the field `radius`, found none",
        ),
        (
            "name = \"a\"\n[[wheel]]\nradius = 1\nplace = { x = \"far\" }\n",
            "a.toml:4: [[wheel]] x: expected a number, found string \"far\"",
        ),
        ("naem = \"a\"\n", "a.toml:1: naem: expected `name` or `wheel`, found unknown field `naem`"),
        ("name = \"a\"\nwheel = 2\n", "a.toml:2: wheel: expected a list, found integer `2`"),
        ("", "a.toml:1: the file: expected the field `name`, found none"),
    ] {
        assert_eq!(refused(text), told);
    }
    assert!(refused("name = \n").starts_with("a.toml:1: not valid TOML: "), "{}", refused("name = \n"));
}

#[test]
fn bytes_that_are_no_text_are_refused_in_their_line() {
    let fault = Page::of_bytes("a.toml", b"name = \"a\"\n\xff").map(|page| page.text.len()).unwrap_err();
    assert_eq!(fault.to_string(), "a.toml:2: the file: expected UTF-8 text, found bytes that are not UTF-8");
}

#[test]
fn what_is_lacking_is_lacking_at_the_end() {
    let page = Page { file: "a.toml", text: "name = \"a\"\n# no board\n\n" };
    assert_eq!(
        page.lacks("board", "a [[board]]").to_string(),
        "a.toml:2: board: expected a [[board]], found none up to the end of the file"
    );
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Trouble {
    Stuck { joint: String },
    Late { cycles: u64 },
}

/// A `[[fault]]`: when, and what.
fn trouble(text: &str) -> Result<(f64, Trouble), Fault> {
    let page = Page { file: "a.toml", text };
    let root = page.parse()?;
    let mut faults = page.fields(&root).each("fault", |fault| {
        let at = fault.number("at", Range::new(0.0, 9.0, "s"))?;
        let kind = fault.kind(&["stuck", "late"])?;
        Ok((at, fault.rest_of(&kind)?))
    })?;
    Ok(faults.remove(0))
}

#[test]
fn what_a_table_holds_depends_on_its_kind() {
    let read = |text| trouble(text).unwrap();
    let stuck = read("[[fault]]\nkind = \"stuck\"\njoint = \"knee\"\nat = 2\n");
    assert_eq!(stuck, (2.0, Trouble::Stuck { joint: "knee".to_owned() }));
    assert_eq!(read("fault = [{ at = 1.5, kind = \"late\", cycles = 3 }]").1, Trouble::Late { cycles: 3 });
    for (rest, told) in [
        ("kind = \"late\"\ncycles = 1\n", "a.toml:1: fault[0].at: expected a number from 0 to 9 [s], found nothing"),
        ("at = \"soon\"\n", "a.toml:2: fault[0].at: expected a number from 0 to 9 [s], found string `\"soon\"`"),
        ("at = 1\ncycles = 2\n", "a.toml:1: fault[0].kind: expected one of stuck, late, found nothing"),
        ("at = 1\nkind = 3\n", "a.toml:3: fault[0].kind: expected one of stuck, late, found integer `3`"),
        ("at = 1\nkind = \"lat\"\n", "a.toml:3: fault[0].kind: expected one of stuck, late, found string `\"lat\"`"),
        ("at = 1\nkind = \"late\"\n", "a.toml:1: [[fault]]: expected the field `cycles`, found none"),
        (
            "at = 1\nkind = \"late\"\ncycles = -1\n",
            "a.toml:4: [[fault]] cycles: expected a whole number, found integer `-1`",
        ),
        (
            "at = 1\nkind = \"late\"\ncycles = 1\njoint = \"knee\"\n",
            "a.toml:5: [[fault]] joint: expected one of cycles, found unknown field `joint`",
        ),
    ] {
        assert_eq!(trouble(&format!("[[fault]]\n{rest}")).unwrap_err().to_string(), told);
    }
}

type Motor = (Option<f64>, u64, u64, bool, i8, Vec<String>);

/// A motor: `[[motor]]` with every kind of field.
fn motor(text: &str) -> Result<Motor, Fault> {
    let page = Page { file: "a.toml", text };
    let root = page.parse()?;
    let mut motors = page.fields(&root).each_named("motor", |motor, _| {
        let ratio = motor.optional("ratio", Range::new(1.0, 9.0, "1"))?;
        let (counts, poles) = (motor.whole("counts", 1..=4096)?, motor.whole_or("poles", 2..=8, 4)?);
        let (brake, turns) = (motor.flag_or("brake", true)?, motor.word_or("turns", &[("left", -1), ("right", 1)], 1)?);
        let places = motor.get("at").map(Value::table).transpose()?.map(|at| at.unread()).unwrap_or_default();
        let places = places.iter().map(|(name, place)| format!("{}: {}", page.line(name), place.field)).collect();
        Ok((ratio, counts, poles, brake, turns, places))
    })?;
    motors.pop().ok_or_else(|| page.lacks("motor", "a [[motor]]"))
}

#[test]
fn fields_are_read_one_by_one_with_their_bounds() {
    let all = "name = \"a\"\nratio = 2\ncounts = 9\npoles = 6\nbrake = false\nturns = \"left\"\nat = { knee = 1.5 }\n";
    let read = |text: &str| motor(&format!("[[motor]]\n{text}"));
    assert_eq!(read(all).unwrap(), (Some(2.0), 9, 6, false, -1, vec!["8: motor[0].at.knee".to_owned()]));
    assert_eq!(read("name = \"a\"\ncounts = 0x10").unwrap(), (None, 16, 4, true, 1, Vec::new()));
    for (rest, told) in [
        ("name = \"a\"\n", "1: motor[0].counts: expected a whole number from 1 to 4096, found nothing"),
        ("name = \"a\"\ncounts = 0\n", "3: motor[0].counts: expected a whole number from 1 to 4096, found integer `0`"),
        (
            "name = \"a\"\ncounts = 2.0\n",
            "3: motor[0].counts: expected a whole number from 1 to 4096, found float `2.0`",
        ),
        (
            "name = \"a\"\ncounts = 1\nratio = nan\n",
            "4: motor[0].ratio: expected a number from 1 to 9 [1], found float `nan`",
        ),
        ("name = \"a\"\ncounts = 1\nbrake = 1\n", "4: motor[0].brake: expected true or false, found integer `1`"),
        (
            "name = \"a\"\ncounts = 1\nturns = \"up\"\n",
            "4: motor[0].turns: expected one of \"left\", \"right\", found string `\"up\"`",
        ),
        (
            "name = \"a\"\ncuonts = 1\n",
            "3: motor[0].counts: expected a whole number from 1 to 4096, found nothing; near it: 'cuonts'",
        ),
        (
            "name = \"a\"\ncounts = 1\npitch = 1\n",
            "4: motor[0].pitch: expected one of name, ratio, counts, poles, brake, turns, at, found an unknown field",
        ),
        (
            "name = \"a\"\ncounts = 1\n[[motor]]\nname = \"a\"\n",
            "5: motor[1].name: expected a name that is used once, found a second `a`",
        ),
    ] {
        assert_eq!(read(rest).unwrap_err().to_string(), format!("a.toml:{told}"));
    }
}

/// How many legs there are, with names of their own; how many fingers the arms with other names have; what else is told.
fn limbs(text: &str) -> Result<(usize, Vec<Option<u64>>, String), Fault> {
    let page = Page { file: "a.toml", text };
    let root = page.parse()?;
    let mut fields = page.fields(&root);
    let mut taken = Vec::new();
    let legs = fields.each_named_unlike(&mut taken, "leg", |_, _| Ok(()))?;
    let fingers = |hand: &mut Fields<'_>| hand.whole("fingers", 1..=9);
    let arms = fields.each_named_unlike(&mut taken, "arm", |arm, _| arm.one("hand", fingers))?;
    let unread = fields.unread().iter().map(|(name, value)| format!("{}: {}", page.line(name), value.field)).collect();
    fields.only(&["leg", "arm", "head"])?;
    Ok((legs.len(), arms, unread))
}

#[test]
fn lists_may_share_their_names_and_a_file_its_fields() {
    let text = "leg = [{ name = \"left\" }, { name = \"right\" }]\nhead = 1\n\
                [[arm]]\nname = \"only\"\nhand.fingers = 3\n[[arm]]\nname = \"lost\"\n";
    assert_eq!(limbs(text).unwrap(), (2, vec![Some(3), None], "2: head".to_owned()));
    for (from, to, told) in [
        ("only", "left", "4: arm[0].name: expected a name that is used once, found a second `left`"),
        ("hand.fingers", "hand.toes", "5: arm[0].hand.fingers: expected a whole number from 1 to 9, found nothing"),
        ("hand.f", "hand.toes = 1\nhand.f", "5: arm[0].hand.toes: expected one of fingers, found an unknown field"),
        ("head", "tail", "2: tail: expected one of leg, arm, head, found an unknown field"),
    ] {
        assert_eq!(limbs(&text.replace(from, to)).unwrap_err().to_string(), format!("a.toml:{told}"));
    }
}

/// A `[[motor]]` that takes over what `[shared]` says beside.
fn shared(text: &str) -> Result<(i8, i8, usize), Fault> {
    let page = Page { file: "a.toml", text };
    let root = page.parse()?;
    let mut file = page.fields(&root);
    let shared = file.need("shared", "a table")?.table()?.written();
    let motor = file.tables("motor")?.remove(0);
    file.finish()?;
    let mut whole = motor.written();
    whole.get_mut().extend(shared.into_inner());
    let mut motor = page.fields(&whole).named("motor 'hip'".to_owned());
    let turns = motor.word("turns", &[("left", -1), ("right", 1)])?;
    let steps = motor.need("steps", "steps")?.whole_in(-9..=9, "1/s")?;
    let joint = motor.need("joint", "a joint")?.index("a joint", &["hip", "knee"])?;
    if steps == 0 {
        return Err(motor.error_at("brake.by", "a brake", "none"));
    }
    motor.finish()?;
    Ok((turns, steps, joint))
}

#[test]
fn a_table_that_was_completed_is_read_as_one_that_was_written() {
    let read = |text: &str| shared(&format!("[shared]\nturns = \"left\"\n{text}"));
    assert_eq!(read("[[motor]]\nsteps = -3\njoint = \"knee\"\n").unwrap(), (-1, -3, 1));
    assert_eq!(read("joint = \"hip\"\n[[motor]]\nsteps = 0x9\n").unwrap(), (-1, 9, 0));
    for (rest, told) in [
        (
            "steps = 1\n[[motor]]\njiont = 1\n",
            "5: motor 'hip'.joint: expected a joint, found nothing; near it: 'jiont'",
        ),
        ("[[motor]]\n", "3: motor 'hip'.steps: expected steps, found nothing"),
        (
            "steps = 10\n[[motor]]\n",
            "3: motor 'hip'.steps: expected a whole number from -9 to 9 [1/s], found integer `10`",
        ),
        (
            "joint = \"kne\"\n[[motor]]\nsteps = 1\n",
            "3: motor 'hip'.joint: expected a joint, found string `\"kne\"`; near it: 'knee'",
        ),
        (
            "[[motor]]\nsteps = 1\njoint = \"wheel\"\n",
            "5: motor 'hip'.joint: expected a joint, found string `\"wheel\"`; there are: hip, knee",
        ),
        (
            "steps = 0\njoint = \"hip\"\n[[motor]]\n\n[motor.brake]\nby = 1\n",
            "8: motor 'hip'.brake.by: expected a brake, found none",
        ),
        ("steps = 0\njoint = \"hip\"\n[[motor]]\n", "5: motor 'hip'.brake.by: expected a brake, found none"),
        (
            "steps = 1\njoint = \"hip\"\nstep = 2\n[[motor]]\n",
            "5: motor 'hip'.step: expected one of turns, steps, joint, found an unknown field; near it: 'steps'",
        ),
    ] {
        assert_eq!(read(rest).unwrap_err().to_string(), format!("a.toml:{told}"));
    }
    assert_eq!(
        shared("[shared]\n[[motor]]\n").unwrap_err().to_string(),
        "a.toml:2: motor 'hip'.turns: expected one of \"left\", \"right\", found nothing"
    );
}

type Whole = (String, Option<String>, Vec<String>, u64, [f64; 2], i8, toml::Table);

/// A robot with texts, numbers and tables that may be left out.
fn robot(text: &str) -> Result<Whole, Fault> {
    let page = Page { file: "a.toml", text };
    let root = page.parse()?;
    page.fields(&root).read_by(|robot| {
        let title = robot.need("title", "a line")?.any_text()?.to_owned();
        let pose = robot.optional_text("pose")?;
        let sensors = robot.get("sensors").map_or(Ok(Vec::new()), |sensors| sensors.texts())?;
        let counts: u64 = robot.get("counts").map_or(Ok(0), |counts| counts.parse())?;
        let point = robot.vector_or("point", Range::new(-1.0, 1.0, "m"), [0.5; 2])?;
        let turns = robot.word("turns", &[("left", -1), ("right", 1)])?;
        let settings: toml::Table = robot.one("settings", Fields::rest)?.unwrap_or_default();
        if settings.contains_key("off") {
            return Err(robot.refuse(format!("{} beside line {}", settings.len(), robot.line())));
        }
        Ok((title, pose, sensors, counts, point, turns, settings))
    })
}

#[test]
fn what_may_be_left_out_is_read_where_it_is_there() {
    let read = |rest: &str| robot(&format!("title = \"\"\nturns = \"right\"\n{rest}"));
    assert_eq!(read("").unwrap(), (String::new(), None, Vec::new(), 0, [0.5; 2], 1, toml::Table::new()));
    let all =
        "pose = \"stand\"\nsensors = [\"a\", \"\"]\ncounts = \"7\"\npoint = [0, 1]\nsettings = { a = 1979-05-27 }\n";
    let (_, pose, sensors, counts, point, _, settings) = read(all).unwrap();
    assert_eq!((pose.as_deref(), sensors.len(), counts, point), (Some("stand"), 2, 7, [0.0, 1.0]));
    assert_eq!(settings.keys().collect::<Vec<_>>(), ["a"]);
    for (rest, told) in [
        ("pose = \" \"", "3: pose: expected a text that is not empty, found string `\" \"`"),
        ("sensors = [\n3]", "4: sensors[0]: expected a text, found integer `3`"),
        ("counts = \"x\"", "3: counts: invalid digit found in string"),
        ("point = [0, 1, 1]", "3: point: expected a list of 2 numbers from -1 to 1 [m], found a list of 3"),
        ("settings = 3", "3: settings: expected a table, found integer `3`"),
        ("settings = { off = 1 }", "1: (file): 1 beside line 1"),
        (
            "other = 1",
            "3: other: expected one of title, pose, sensors, counts, point, turns, settings, found an unknown field",
        ),
    ] {
        assert_eq!(read(rest).unwrap_err().to_string(), format!("a.toml:{told}"));
    }
    assert_eq!(
        robot("title = \"\"").unwrap_err().to_string(),
        "a.toml:1: turns: expected one of \"left\", \"right\", found nothing"
    );
}

#[test]
fn whole_numbers_have_all_the_digits_that_their_bounds_allow() {
    let page = Page { file: "a.toml", text: "seed = 18446744073709551615\n" };
    let root = page.parse().unwrap();
    assert_eq!(page.fields(&root).whole("seed", 0..=u64::MAX), Ok(u64::MAX));
    let found = page.fields(&root).whole("seed", 0..=9).unwrap_err().to_string();
    assert!(found.ends_with("found integer `18446744073709551615`"), "{found}");
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_in_one_of_its_lines(text in "([a-z\\[\\]={}\"0-9.é\n ]|name|wheel|radius){0,80}") {
        if let Err(fault) = (Page { file: "a.toml", text: &text }).read::<Robot>() {
            prop_assert!(fault.line >= 1 && fault.line <= text.lines().count().max(1) + 1, "{fault} in {text:?}");
        }
    }
}
