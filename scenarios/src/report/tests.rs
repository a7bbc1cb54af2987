//! The report as a whole: complete, well-formed, harmless, small.

use roxmltree::{Document, ParsingOptions};

use super::sample::Sample;
use super::*;

fn parsed(page: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(page, options).unwrap()
}

fn paths_of<'d>(document: &'d Document<'_>, look: &str) -> Vec<&'d str> {
    let has_look = |class: Option<&str>| class.is_some_and(|class| class.split(' ').any(|word| word == look));
    let paths = document.descendants().filter(|node| node.has_tag_name(("http://www.w3.org/1999/xhtml", "path")));
    paths.filter(|path| has_look(path.attribute("class"))).filter_map(|path| path.attribute("d")).collect()
}

/// No picture, place or read-out is made of a number that is not finite.
fn assert_numbers(document: &Document<'_>) {
    for attribute in document.descendants().flat_map(|node| node.attributes()) {
        let is_numeric = ["d", "style", "viewBox"].contains(&attribute.name()) || attribute.name().starts_with("data-");
        let value = attribute.value();
        assert!(!is_numeric || !(value.contains("NaN") || value.contains("inf")), "{}: {value}", attribute.name());
    }
}

#[test]
#[ignore = "writes the made-up report to $CHIRON_SAMPLE_REPORT, for those who change its looks"]
fn write_the_sample() {
    let path = std::env::var("CHIRON_SAMPLE_REPORT").unwrap();
    write(Path::new(&path), &Sample::mapped().input()).unwrap();
}

#[test]
fn a_statechart_has_a_row_for_each_state_and_a_bar_for_each_time_that_it_was_active() {
    let mut sample = Sample::new();
    let state = |path: &str, because: &str| {
        let (path, told, because) = (path.to_owned(), "to = -0.3 rad & <more>".to_owned(), because.to_owned());
        std::sync::Arc::new(robot_io::ActiveState { path, told, because, ..robot_io::ActiveState::default() })
    };
    let at = robot_io::Time::from_seconds;
    let states = [state("greet/up", ""), state("greet/down", "greet/up ended as 'done'"), state("greet/up", "again")];
    for (seconds, state) in [15.0, 30.0, 45.0].into_iter().zip(states) {
        sample.series.states.observe(at(seconds), &[state]);
    }
    let page = page(&sample.input(), true, "out/run/");
    let document = parsed(&page);
    assert_numbers(&document);
    let classes = |wanted: &'static str| {
        let is_one = move |node: &roxmltree::Node<'_, '_>| node.attribute("class") == Some(wanted);
        document.descendants().filter(is_one).collect::<Vec<_>>()
    };
    let bars = classes("active");
    let rows = classes("events states time")[0].descendants().filter(|node| node.attribute("class") == Some("row"));
    assert_eq!((rows.count(), bars.len()), (2, 3));
    let title = bars[1].attribute("title").unwrap();
    assert!(title.contains("greet/up: 45.000 s to 60.000 s, until the end"), "{title}");
    assert_eq!(bars[2].attribute("style"), Some("left:50.00%;width:25.00%"));
    assert!(bars[2].attribute("title").unwrap().contains("to = -0.3 rad & <more>"));
}

#[test]
fn steps_are_drawn_where_soles_stood_and_were_planned() {
    let mut sample = Sample::new();
    assert!(!page(&sample.input(), true, "out/run/").contains("id=\"steps\""), "nobody walked");
    let feet = &mut sample.series.feet;
    feet.sole = [0.3, 0.1];
    let at = |x: f64, y: f64| Pose2 { x, y, yaw: 0.0 };
    feet.stood = vec![(0, at(-8.0, -5.9)), (1, at(-8.0, -6.1)), (0, at(-7.5, -5.9))];
    feet.planned = vec![at(-7.5, -5.9), at(f64::NAN, 0.0)];
    feet.balance = [0.0, 0.01, 0.02].map(|off| vec![at(-8.0 + off, -6.0), at(-7.8 + off, f64::NAN)]);
    feet.forces = [vec![400.0, 0.0], vec![400.0, 800.0]];
    let page = page(&sample.input(), true, "out/run/");
    let document = parsed(&page);
    assert_numbers(&document);
    let has = |node: &roxmltree::Node<'_, '_>| node.attribute("id") == Some("steps");
    let steps = document.descendants().find(has).unwrap();
    let d = |look: &str| {
        let is_look = |node: &roxmltree::Node<'_, '_>| node.attribute("class") == Some(look);
        steps.descendants().find(is_look).and_then(|path| path.attribute("d")).unwrap().to_owned()
    };
    assert_eq!(d("line c1").matches('M').count(), 2, "two soles of the left foot");
    // the first, 30 cm by 10 cm, from its front left corner on, 60 cm from the picture's edges
    assert_eq!(d("line c2"), "M75 75L75 85L45 85L45 75L75 75");
    assert_eq!(d("line plan dashed").matches('M').count(), 1, "one step is known");
    assert!(page.contains("Vertical forces"));
}

#[test]
fn a_rich_run_makes_one_small_page_with_every_section() {
    let sample = Sample::new();
    let page = page(&sample.input(), true, "out/run/");
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    let document = parsed(&page);
    let sections: Vec<&str> = document
        .descendants()
        .filter(|node| node.has_tag_name(("http://www.w3.org/1999/xhtml", "section")))
        .filter_map(|node| node.attribute("id"))
        .collect();
    let expected = [
        "checks",
        "scene",
        "path",
        "events",
        "base",
        "odometry",
        "wheels",
        "joints",
        "efforts",
        "temperatures",
        "safety",
        "tasks",
        "again",
    ];
    assert_eq!(sections, expected);
    assert_numbers(&document);
    for external in ["src=\"http", "href=\"http", "@import", "url("] {
        assert!(!page.contains(external), "the page needs {external}");
    }
}

#[test]
fn a_run_with_a_map_shows_it_with_its_errors() {
    let sample = Sample::mapped();
    let page = page(&sample.input(), true, "out/run/");
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    let document = parsed(&page);
    assert_numbers(&document);
    let section = document.descendants().find(|node| node.attribute("id") == Some("map")).unwrap();
    let text: String = section.descendants().filter_map(|node| node.text()).collect();
    for expected in
        ["Height map", "Cost map", "Position error over distance driven", "Drift of localisation", "baseline", "10 m"]
    {
        assert!(text.contains(expected), "{expected}");
    }
    assert!(text.contains("loop closed") && !text.contains("wheel does not follow"), "only what mapping tells");
    let pictures = section.descendants().filter(|node| node.tag_name().name() == "img").count();
    assert_eq!(pictures, 2, "heights and costs");
    let (ties, loops) = (paths_of(&document, "tie")[0], paths_of(&document, "loop")[0]);
    assert_eq!((ties.matches('M').count(), loops.matches('M').count()), (13, 1));
    let figures: Vec<&str> =
        section.descendants().filter(|node| node.tag_name().name() == "dd").filter_map(|node| node.text()).collect();
    assert_eq!(figures[..2], ["4 ", "14 "], "sweeps, key views");
    assert!(text.contains("1 left out") && text.contains("1 loop edge"));
}

#[test]
fn the_same_map_makes_the_same_page() {
    let page = || page(&Sample::mapped().input(), true, "");
    assert_eq!(page(), page());
}

#[test]
fn the_page_says_how_to_run_it_again_with_the_seed_that_differs() {
    let mut sample = Sample::new();
    sample.case.seed = 7;
    let page = page(&sample.input(), true, "out/run/");
    assert!(page.contains("chiron run centaur_crosses_spacebot --seed 7\n"), "the seed differs, the duration does not");
    assert!(page.contains("chiron replay out/run/run.mcap --verify"));
    let without_log = super::page(&sample.input(), false, "out/run/");
    assert!(!without_log.contains("chiron replay") && without_log.contains("kept no log"));
}

#[test]
fn hostile_text_stays_text() {
    let mut sample = Sample::new();
    let hostile = "</script><script>alert('x')</script>\"&\u{1}]]>";
    sample.case.title = hostile.to_owned();
    sample.case.about = hostile.to_owned();
    sample.outcome.checks[0].name = hostile.to_owned();
    sample.outcome.mission = hostile.to_owned();
    sample.layout.joints.iter_mut().for_each(|joint| joint.name += hostile);
    sample.pictures[0].title = hostile.to_owned();
    sample.series.events[0].what = hostile.into();
    let page = page(&sample.input(), true, hostile);
    assert_eq!(page.matches("<script>").count(), 1);
    let document = parsed(&page);
    assert!(document.descendants().any(|node| node.text() == Some(&hostile.replace('\u{1}', "\u{fffd}"))));
}

#[test]
fn what_is_not_a_number_makes_gaps() {
    let mut sample = Sample::new();
    let series = &mut sample.series;
    series.joints[4].velocity[300..600].fill(f64::NAN);
    series.joints[4].velocity_command.fill(f64::NAN);
    series.joints[4].effort[10] = f64::INFINITY;
    series.joints[4].temperature.fill(f64::NAN);
    series.odometry[200..400].fill(Pose2 { x: f64::NAN, y: f64::NAN, yaw: f64::NAN });
    series.truth[100] = Pose2 { x: f64::NAN, y: f64::INFINITY, yaw: 0.0 };
    let page = page(&sample.input(), true, "");
    let document = parsed(&page);
    let lines = paths_of(&document, "line");
    assert!(lines.iter().all(|path| path.chars().all(|c| "ML -0123456789".contains(c))), "only numbers are drawn");
    let odometry = paths_of(&document, "dashed")[0];
    assert_eq!(odometry.matches('M').count(), 2, "lost odometry leaves a gap");
    let wheel = &paths_of(&document, "command");
    assert!(wheel.iter().any(|path| path.is_empty()), "a command that was never given is not drawn");
}

#[test]
fn an_empty_run_still_gives_a_page() {
    let sample = Sample::empty();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.html");
    write(&path, &sample.input()).unwrap();
    let page = std::fs::read_to_string(&path).unwrap();
    assert_numbers(&parsed(&page));
    assert!(page.contains("No path was recorded.") && page.contains("kept no log"));
}

#[test]
fn a_report_that_cannot_be_written_names_its_place() {
    let sample = Sample::empty();
    let error = write(Path::new("/dev/null/report.html"), &sample.input()).unwrap_err();
    assert!(error.to_string().starts_with("/dev/null: cannot create"), "{error}");
}
