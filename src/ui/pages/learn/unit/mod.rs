//! An open lesson: text and live blocks in one column.

mod ask;
mod end;
mod figure;
mod runs;
mod text;

pub use text::words;

use std::collections::HashMap;
use std::sync::Arc;

use egui::style::ScrollAnimation;
use egui::{Align, Ui};

use crate::session::units::{self, Chart, Figures, Unit, UnitPart};
use crate::texts::Language;
use crate::ui::pages::Cx;
use crate::ui::theme::GAP;
use crate::ui::widgets::matrix;
use crate::ui::widgets::terms::Explained;
use crate::ui::widgets::{faint, scroll};

/// Maximum width of text, in points: about eighty characters.
const WIDEST: f32 = 700.0;

/// The state of a lesson that is kept between frames.
#[derive(Default)]
pub(super) struct State {
    /// The lesson and the results of the cached charts.
    of: Option<(Arc<Unit>, Arc<Figures>)>,
    /// The charts with their numbers as text, by the index of the part in the lesson.
    charts: HashMap<usize, (Chart, String)>,
    /// The textures of matrices, by the index of the part in the lesson.
    matrices: HashMap<usize, matrix::Picture>,
    /// Whether the next frame scrolls to the top.
    pub(super) to_top: bool,
}

impl State {
    /// Clears the cached charts if the lesson or the results have changed.
    fn renew(&mut self, unit: &Arc<Unit>, figures: &Arc<Figures>) {
        let mut of = self.of.iter();
        if !of.any(|(known, of)| Arc::ptr_eq(known, unit) && Arc::ptr_eq(of, figures)) {
            self.of = Some((unit.clone(), figures.clone()));
            self.charts.clear();
        }
    }
}

/// Draws a column in the centre of the page.
pub(super) fn column<R>(ui: &mut Ui, add: impl FnOnce(&mut Ui) -> R) -> R {
    let room = ui.available_width();
    let width = room.min(WIDEST);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        ui.add_space((room - width) / 2.0);
        ui.vertical(|ui| {
            ui.set_width(width);
            ui.spacing_mut().item_spacing = egui::vec2(8.0, GAP);
            add(ui)
        })
        .inner
    })
    .inner
}

/// Draws the lesson.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>, unit: &Arc<Unit>) {
    let unit = &in_language(cx, unit);
    let figures = cx.session.learn.units.figures.clone();
    cx.pages.learn.unit.renew(unit, &figures);
    scroll(ui, &unit.name, |ui| {
        if std::mem::take(&mut cx.pages.learn.unit.to_top) {
            let top = egui::Rect::from_min_size(ui.cursor().min, egui::Vec2::ZERO);
            ui.scroll_to_rect_animation(top, Some(Align::TOP), ScrollAnimation::none());
        }
        column(ui, |ui| {
            text::title(ui, &unit.title);
            faint(ui, unit.time());
            // A term is explained only once in each section.
            let mut explained = Explained::default();
            let hidden = cx.session.learn.units.hidden(unit);
            let shown = hidden.map_or(unit.parts.len(), |(shown, _)| shown);
            for (place, part) in unit.parts.iter().take(shown).enumerate() {
                // An empty part is skipped because it would take space.
                if matches!(part, UnitPart::Expect(_)) {
                    continue;
                }
                ui.push_id(place, |ui| match part {
                    UnitPart::Text(paragraph) => {
                        if paragraph.is_heading() {
                            explained = Explained::default();
                        }
                        let told = (&*figures, unit.language);
                        match paragraph.waits(&figures) {
                            true => {
                                faint(ui, unit.language.text("learn-available-after-runs"));
                            }
                            false => text::paragraph(ui, paragraph, told, &mut explained),
                        }
                    }
                    UnitPart::Runs(block) => runs::show(ui, cx, place, block),
                    UnitPart::Teach(teach) => runs::teach(ui, cx, teach),
                    UnitPart::Ask(question) => ask::show(ui, cx, question, &figures, unit.language),
                    UnitPart::Figure(figure) => {
                        let state = &mut cx.pages.learn.unit;
                        let chart = state.charts.entry(place).or_insert_with(|| {
                            let chart = figure.chart(unit, &figures, unit.language);
                            let numbers = chart.text(unit.language);
                            (chart, numbers)
                        });
                        let picture = state.matrices.entry(place).or_default();
                        figure::show(ui, &figure.title, chart, unit.language, picture);
                    }
                    UnitPart::Expect(_) => {}
                });
            }
            match hidden {
                Some((_, message)) => drop(faint(ui, unit.language.text(message))),
                None => end::show(ui, cx, unit),
            }
            ui.add_space(40.0);
        });
    });
}

/// Returns the lesson in the window's language, if it is available.
fn in_language(cx: &mut Cx<'_>, unit: &Arc<Unit>) -> Arc<Unit> {
    let language = Language::spoken();
    if unit.language == language {
        return unit.clone();
    }
    let entries = cx
        .session
        .learn
        .units
        .list
        .ready()
        .cloned()
        .unwrap_or_default();
    let same = entries.iter().filter(|entry| entry.name == unit.name);
    let mut units = same.filter_map(|entry| entry.unit.as_ref().ok());
    let other = units.find(|unit| unit.language == language).cloned();
    let Some(other) = other else {
        return unit.clone();
    };
    if units_agree(unit, &other) {
        let opened = other.clone();
        cx.change(move |session| session.open_unit(Some(opened)));
        return other;
    }
    unit.clone()
}

/// Returns whether two lessons name the same runs. If not, they are different lessons with the same name.
fn units_agree(a: &units::Unit, b: &units::Unit) -> bool {
    let names = |unit: &units::Unit| {
        unit.plans()
            .map(|plan| plan.name.clone())
            .collect::<Vec<_>>()
    };
    names(a) == names(b)
}
