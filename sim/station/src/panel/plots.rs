//! Live plots of any signal.

use bevy_egui::egui::{self, RichText};
use egui_plot::{Corner, Legend, Line, Plot, PlotPoints, VLine};

use robot_io::Time;

use super::{Papers, style};
use crate::Request;

/// Which signals are plotted where.
#[derive(Default)]
pub(super) struct PlotDesk {
    panes: Vec<Pane>,
    search: String,
    /// How far back one looks [s].
    window: Option<f64>,
    /// Of a log, the part that is shown in place of all of it?
    part: bool,
    next_id: u64,
}

/// One plot.
struct Pane {
    id: u64,
    /// Names, because a log or a controller may bring a signal later.
    signals: Vec<String>,
}

/// How far back a new desk looks [s].
const WINDOW: f64 = 20.0;
/// Samples of a line at most, more than a plot has pixels.
const MOST_POINTS: usize = 4_000;
/// Matches shown at most.
const MATCHES: usize = 60;
/// What a desk shows that nobody arranged.
const FIRST: [&[&str]; 2] = [&["base.roll [rad]", "base.pitch [rad]"], &["odometry.velocity.x [m/s]", "twist.x [m/s]"]];

impl PlotDesk {
    /// A desk with these signals, one plot for each unit.
    pub(super) fn new(names: &[String]) -> PlotDesk {
        let mut desk = PlotDesk::default();
        for name in names {
            match desk.panes.iter().position(|pane| pane.signals.iter().any(|known| unit(known) == unit(name))) {
                Some(pane) => desk.panes[pane].signals.push(name.clone()),
                None => desk.open(vec![name.clone()]),
            }
        }
        if desk.panes.is_empty() {
            for signals in FIRST {
                desk.open(signals.iter().map(|name| (*name).to_owned()).collect());
            }
        }
        desk
    }

    /// Opens plots of a joint's position, velocity and effort with their commands.
    pub(super) fn open_joint(&mut self, joint: &str, papers: &Papers) {
        for what in ["position", "velocity", "effort"] {
            let heads = [format!("{joint}.{what} ["), format!("{joint}.command.{what} [")];
            let of_joint = |name: &str| heads.iter().any(|head| name.starts_with(head));
            let names = papers.history.signals().iter().filter(|signal| of_joint(&signal.name));
            self.open(names.map(|signal| signal.name.clone()).collect());
        }
    }

    fn open(&mut self, signals: Vec<String>) {
        self.panes.push(Pane { id: self.next_id, signals });
        self.next_id += 1;
    }

    /// Adds a signal to the last plot, or takes it away.
    fn toggle(&mut self, name: &str) {
        if self.panes.is_empty() {
            self.open(Vec::new());
        }
        if let Some(pane) = self.panes.last_mut() {
            match pane.signals.iter().position(|known| known == name) {
                Some(index) => drop(pane.signals.remove(index)),
                None => pane.signals.push(name.to_owned()),
            }
        }
    }
}

/// Draws search field and plots.
pub(super) fn show(ui: &mut egui::Ui, desk: &mut PlotDesk, papers: &Papers) {
    controls(ui, desk, papers);
    if !desk.search.is_empty() {
        matches(ui, desk, papers);
    }
    let Some(view) = View::of(desk, papers) else { return };
    let mut closed = None;
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let room = ui.available_height() / desk.panes.len().max(1) as f32 - 10.0;
        for pane in &mut desk.panes {
            if draw_pane(ui, pane, papers, &view, room.clamp(130.0, 260.0)) {
                closed = Some(pane.id);
            }
        }
    });
    desk.panes.retain(|pane| Some(pane.id) != closed);
}

/// Which time is shown.
struct View {
    now: f64,
    from: f64,
    to: f64,
    /// All of a log: it can be moved and zoomed, and a click goes there.
    whole: bool,
}

impl View {
    fn of(desk: &PlotDesk, papers: &Papers) -> Option<View> {
        let shown = papers.latest.shown.as_ref()?;
        let now = shown.frame.time.seconds();
        match shown.playback.span {
            Some((first, last)) if !desk.part && papers.past.known.is_some() => {
                Some(View { now, from: first.seconds(), to: last.seconds(), whole: true })
            }
            _ => Some(View { now, from: now - desk.window.unwrap_or(WINDOW), to: now, whole: false }),
        }
    }

    /// A signal's samples in this time: of a log all that it holds, otherwise what has been shown.
    fn points(&self, name: &str, papers: &Papers) -> Vec<[f64; 2]> {
        let logged = papers.past.known.as_ref().and_then(|past| past.points(name, self.from, self.to, MOST_POINTS));
        logged.unwrap_or_else(|| {
            let signal = papers.history.find(name);
            let shown = signal.into_iter().flat_map(|signal| papers.history.series(signal));
            shown.filter(|point| point[0] >= self.from).collect()
        })
    }
}

/// The unit in a signal's name, brackets included.
fn unit(name: &str) -> &str {
    name.rfind('[').map_or("", |start| &name[start..])
}

/// The signals whose name has all the words.
fn search<'n>(names: impl Iterator<Item = &'n str>, words: &str) -> Vec<&'n str> {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let found = |name: &&str| {
        let name = name.to_lowercase();
        words.iter().all(|word| name.contains(word))
    };
    names.filter(found).take(MATCHES).collect()
}

/// All signals that there are to plot: those of a frame, then what a log has beside them.
fn names<'p>(papers: &'p Papers) -> impl Iterator<Item = &'p str> {
    let logged = papers.past.known.iter().flat_map(|past| past.names());
    let others = logged.filter(|name| papers.history.find(name).is_none());
    papers.history.signals().iter().map(|signal| signal.name.as_str()).chain(others)
}

fn controls(ui: &mut egui::Ui, desk: &mut PlotDesk, papers: &Papers) {
    ui.horizontal(|ui| {
        ui.label("🔍");
        let field = egui::TextEdit::singleline(&mut desk.search).hint_text("knee position");
        ui.add(field.desired_width(150.0)).on_hover_text("Words of a signal's name; click a match to plot it");
        if ui.button("✖").on_hover_text("Clear the search").clicked() {
            desk.search.clear();
        }
        if ui.button("+ plot").on_hover_text("A new plot below; matches go there").clicked() {
            desk.open(Vec::new());
        }
        let mut window = desk.window.unwrap_or(WINDOW);
        let value = egui::DragValue::new(&mut window).range(1.0..=crate::history::LENGTH).suffix(" s").speed(0.2);
        if ui.add(value).on_hover_text("How far back the plots look").changed() {
            desk.window = Some(window);
        }
    });
    if papers.past.known.is_some() {
        let tip = "The log from end to end: drag to move, Ctrl and wheel to zoom, click to go there";
        let mut whole = !desk.part;
        if ui.checkbox(&mut whole, "whole log").on_hover_text(tip).changed() {
            desk.part = !whole;
        }
    } else if papers.is_log() {
        ui.label(RichText::new("reading the log's signals …").small().color(style::FAINT));
    }
}

fn matches(ui: &mut egui::Ui, desk: &mut PlotDesk, papers: &Papers) {
    let found = search(names(papers), &desk.search);
    if found.is_empty() {
        ui.label(RichText::new("no such signal").color(style::FAINT));
    }
    let mut chosen = None;
    egui::ScrollArea::vertical().id_salt("matches").max_height(150.0).show(ui, |ui| {
        for name in found {
            let plotted = desk.panes.last().is_some_and(|pane| pane.signals.iter().any(|known| known == name));
            if ui.selectable_label(plotted, name).clicked() {
                chosen = Some(name);
            }
        }
    });
    ui.separator();
    if let Some(name) = chosen {
        desk.toggle(name);
    }
}

/// Draws one plot; true if it is to be closed.
fn draw_pane(ui: &mut egui::Ui, pane: &mut Pane, papers: &Papers, view: &View, height: f32) -> bool {
    let mut closed = false;
    ui.horizontal(|ui| {
        let units: Vec<&str> = pane.signals.first().map(|name| unit(name)).into_iter().collect();
        let title = if pane.signals.is_empty() { "choose a signal above".to_owned() } else { units.concat() };
        ui.label(RichText::new(title).small().color(style::FAINT));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            closed = ui.small_button("✖").on_hover_text("Close this plot").clicked();
        });
    });
    let plot = Plot::new(("signal plot", pane.id, view.whole))
        .height(height - 24.0)
        .legend(Legend::default().position(Corner::LeftTop).background_alpha(0.6))
        .allow_scroll(false)
        .allow_drag([view.whole, false])
        .allow_zoom([view.whole, false])
        .allow_boxed_zoom(false)
        .include_x(view.from)
        .include_x(view.to)
        .set_margin_fraction(egui::vec2(0.0, 0.12))
        .y_axis_min_width(38.0);
    let drawn = plot.show(ui, |plot| {
        for (index, name) in pane.signals.iter().enumerate() {
            let label = name.rfind(" [").map_or(name.as_str(), |end| &name[..end]);
            let points = PlotPoints::from(view.points(name, papers));
            plot.line(Line::new(label, points).color(style::LINES[index % style::LINES.len()]).width(1.6));
        }
        plot.vline(VLine::new("", view.now).color(style::FAINT.gamma_multiply(0.7)).width(1.0));
        plot.pointer_coordinate()
    });
    if view.whole
        && drawn.response.clicked()
        && let Some(place) = drawn.inner
    {
        papers.outbox.send(Request::Seek(Time::from_seconds(place.x.clamp(view.from, view.to))));
    }
    closed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::History;
    use robot_io::RobotLayout;

    #[test]
    fn signals_of_one_unit_share_a_plot() {
        let names = ["hip.position [rad]", "hip.velocity [rad/s]", "knee.position [rad]"].map(str::to_owned);
        let desk = PlotDesk::new(&names);
        let counts: Vec<usize> = desk.panes.iter().map(|pane| pane.signals.len()).collect();
        assert_eq!(counts, [2, 1]);
    }

    #[test]
    fn all_words_of_a_search_must_be_there_in_any_order() {
        let history = History::new(&RobotLayout::example());
        let names = || history.signals().iter().map(|signal| signal.name.as_str());
        assert_eq!(search(names(), "Position KNEE"), ["knee.position [rad]", "knee.command.position [rad]"]);
        assert!(search(names(), "knee elbow").is_empty());
    }

    #[test]
    fn a_second_click_takes_a_signal_away() {
        let mut desk = PlotDesk::default();
        desk.toggle("a [m]");
        desk.toggle("b [m]");
        desk.toggle("a [m]");
        assert_eq!(desk.panes[0].signals, ["b [m]"]);
    }
}
