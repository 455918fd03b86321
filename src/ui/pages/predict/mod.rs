//! Ask a run about an image: drop, paste or draw one; bars and energies of the experts, who decided
//! and why, and the same image through all task snapshots.

mod answer;
mod source;

use std::path::PathBuf;

use egui::{Event, Ui};

use crate::session::Session;
use crate::session::drawing::Drawing;
use crate::ui::app::Cx;
use crate::ui::command::{Page, UiCommand};
use crate::ui::widgets::{self, Fixed, button, two_columns};

/// What the page remembers between frames.
pub struct State {
    draw: bool,
    drawing: Drawing,
    playing: bool,
    next_step: f64,
    samples_from: usize,
    seen: Option<((u64, usize), egui::TextureHandle)>,
}

impl State {
    /// Shows a picture that was given instead of the canvas.
    pub fn show_picture(&mut self) {
        self.draw = false;
    }
}

impl Default for State {
    fn default() -> Self {
        Self {
            draw: true,
            drawing: Drawing {
                strokes: Vec::new(),
                pen: 0.075,
            },
            playing: false,
            next_step: 0.0,
            samples_from: 0,
            seen: None,
        }
    }
}

/// Runs that can be asked: the live one first, then the stored ones, newest first.
pub fn askable(session: &Session) -> Vec<(PathBuf, String)> {
    let mut list = Vec::new();
    if let Some(run) = &session.live
        && let Some(header) = &run.header
        && !run.reports.is_empty()
    {
        let still = if run.stage.is_live() {
            " · still learning"
        } else {
            ""
        };
        list.push((header.folder.clone(), format!("{}{still}", run.title)));
    }
    for row in session.runs.ready().map_or(&[][..], |rows| rows.as_slice()) {
        let known = list.iter().any(|(folder, _)| *folder == row.folder);
        if !known && row.header.is_some() && !row.answers().accuracy.is_empty() {
            list.push((
                row.folder.clone(),
                format!("{} · {}", row.title(), row.name),
            ));
        }
    }
    list
}

/// Draws the page.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    let list = askable(cx.session);
    if list.is_empty() {
        widgets::empty(
            ui,
            "No run to ask yet",
            "Train one first; as soon as its first task is learned, it answers here",
            |ui| {
                if button(ui, "Set up an experiment").clicked() {
                    cx.act(UiCommand::Show(Page::Experiment));
                }
            },
        );
        return;
    }
    if cx.session.predict.run.is_none()
        && let Some((folder, _)) = list.first()
    {
        cx.session.choose_predictor(folder.clone());
    }
    pasted(ui, cx);
    two_columns(ui, cx, Fixed::Left(332.0), source::left, answer::right);
}

/// What comes out of the clipboard: a picture, or the path of one.
fn pasted(ui: &Ui, cx: &mut Cx<'_>) {
    let events = ui.input(|i| i.events.clone());
    for event in events {
        match event {
            Event::PasteImage(image) => {
                let rgb = image
                    .pixels
                    .iter()
                    .flat_map(|pixel| [pixel.r(), pixel.g(), pixel.b()])
                    .collect();
                let picture = crate::run::event::Picture {
                    name: "pasted picture".into(),
                    width: image.width(),
                    height: image.height(),
                    rgb,
                };
                cx.pages.predict.draw = false;
                cx.act(UiCommand::PredictPicture(picture.into(), None));
            }
            Event::Paste(text) if ui.memory(|m| m.focused().is_none()) => {
                let path = text.trim().trim_start_matches("file://");
                cx.pages.predict.draw = false;
                cx.act(UiCommand::PredictFile(PathBuf::from(path)));
            }
            _ => {}
        }
    }
}
