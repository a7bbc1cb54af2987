//! Live plots of any signal.

use bevy_egui::egui::{self, RichText};
use egui_plot::{Corner, Legend, Line, Plot, PlotPoints, VLine};

use super::{Papers, style};
use crate::history::History;

/// Which signals are plotted where.
#[derive(Default)]
pub(super) struct PlotDesk {
    panes: Vec<Pane>,
    search: String,
    /// How far back one looks [s].
    window: Option<f64>,
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
    controls(ui, desk);
    if !desk.search.is_empty() {
        matches(ui, desk, papers);
    }
    let Some(now) = papers.latest.shown.as_ref().map(|shown| shown.frame.time.seconds()) else { return };
    let window = desk.window.unwrap_or(WINDOW);
    let mut closed = None;
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let room = ui.available_height() / desk.panes.len().max(1) as f32 - 10.0;
        for pane in &mut desk.panes {
            if draw_pane(ui, pane, &papers.history, (now, window), room.clamp(130.0, 260.0)) {
                closed = Some(pane.id);
            }
        }
    });
    desk.panes.retain(|pane| Some(pane.id) != closed);
}

/// The unit in a signal's name, brackets included.
fn unit(name: &str) -> &str {
    name.rfind('[').map_or("", |start| &name[start..])
}

/// The signals whose name has all the words.
fn search<'h>(history: &'h History, words: &str) -> Vec<&'h str> {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let found = |name: &str| {
        let name = name.to_lowercase();
        words.iter().all(|word| name.contains(word))
    };
    let names = history.signals().iter().map(|signal| signal.name.as_str());
    names.filter(|name| found(name)).take(MATCHES).collect()
}

fn controls(ui: &mut egui::Ui, desk: &mut PlotDesk) {
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
}

fn matches(ui: &mut egui::Ui, desk: &mut PlotDesk, papers: &Papers) {
    let found = search(&papers.history, &desk.search);
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
fn draw_pane(ui: &mut egui::Ui, pane: &mut Pane, history: &History, (now, window): (f64, f64), height: f32) -> bool {
    let mut closed = false;
    ui.horizontal(|ui| {
        let units: Vec<&str> = pane.signals.first().map(|name| unit(name)).into_iter().collect();
        let title = if pane.signals.is_empty() { "choose a signal above".to_owned() } else { units.concat() };
        ui.label(RichText::new(title).small().color(style::FAINT));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            closed = ui.small_button("✖").on_hover_text("Close this plot").clicked();
        });
    });
    let plot = Plot::new(("signal plot", pane.id))
        .height(height - 24.0)
        .legend(Legend::default().position(Corner::LeftTop).background_alpha(0.6))
        .allow_scroll(false)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_boxed_zoom(false)
        .include_x(now - window)
        .include_x(now)
        .set_margin_fraction(egui::vec2(0.0, 0.12))
        .y_axis_min_width(38.0);
    plot.show(ui, |plot| {
        for (index, name) in pane.signals.iter().enumerate() {
            let Some(signal) = history.find(name) else { continue };
            let points: Vec<[f64; 2]> = history.series(signal).filter(|point| point[0] >= now - window).collect();
            let label = name.rfind(" [").map_or(name.as_str(), |end| &name[..end]);
            let line = Line::new(label, PlotPoints::from(points)).color(style::LINES[index % style::LINES.len()]);
            plot.line(line.width(1.6));
        }
        plot.vline(VLine::new("", now).color(style::FAINT.gamma_multiply(0.4)).width(1.0));
    });
    closed
}

#[cfg(test)]
mod tests {
    use super::*;
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
        assert_eq!(search(&history, "Position KNEE"), ["knee.position [rad]", "knee.command.position [rad]"]);
        assert!(search(&history, "knee elbow").is_empty());
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
