//! A small tile of an image. A click predicts the image, and its label can be corrected.

use std::sync::Arc;

use egui::{Align, Id, Layout, Popup, RichText, Role, ScrollArea, Ui, Vec2};

use crate::data::Correction;
use crate::run::event::{Picture, RunHeader};
use crate::session::views::{DataView, Split};
use crate::session::words::by_number;
use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::{self, allocate_named, faint, focus_ring};

/// Height of a tile's menu without the list of classes, and of the window's edges.
const AROUND_CLASSES: f32 = 165.0;

/// A tile of an image of a run.
pub struct Tile<'a> {
    /// The run.
    pub header: &'a RunHeader,
    /// The run's dataset; `None` for an image of an added task, which is in the run's folder.
    pub data: Option<&'a Arc<DataView>>,
    /// The split of the image.
    pub split: Split,
    /// The source of the image and its index there.
    pub place: (usize, usize),
    /// The true class, as a position in the class order.
    pub truth: usize,
    /// The predicted class, as a position in the class order.
    pub given: Option<usize>,
    /// Size of the image, in points.
    pub side: f32,
    /// The text below the image: the true class, the predicted class and the certainty.
    pub words: Option<[String; 3]>,
}

/// Draws tiles in rows that are aligned at the top.
pub fn in_rows(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    let rows = Layout::left_to_right(Align::Min).with_main_wrap(true);
    ui.with_layout(rows, add);
}

impl Tile<'_> {
    /// Draws the tile.
    pub fn show(&self, ui: &mut Ui, cx: &mut Cx<'_>) {
        widgets::part(ui, self.side, |ui| {
            ui.spacing_mut().item_spacing.y = 1.0;
            let picture = self.thumbnail(ui, cx);
            let t = tokens(ui);
            for (line, colour) in self.words.iter().flatten().zip([t.text, t.text, t.strong]) {
                widgets::truncated(ui, line, regular(11.5), colour);
            }
            if let (Some(picture), Some(data)) = (picture, self.data) {
                self.label(ui, cx, data, &picture);
            }
        });
    }

    /// Returns a unique accessible name, because a cell of the confusion matrix can show the same image.
    fn name(&self) -> String {
        let name = match self.place {
            (_, index) if self.split == Split::Train => {
                tr!("train-tile-training-image", index = index.to_string())
            }
            (0, index) => {
                let of = self.header.config.measured_on();
                tr!("train-tile-test-image", of, index = index.to_string())
            }
            (task, index) => {
                let index = index.to_string();
                tr!("train-tile-added-task-image", index, task)
            }
        };
        match (&self.words, self.split) {
            (Some(_), Split::Test) => tr!("train-tile-mistake", name),
            (Some(_), Split::Train) => tr!("train-tile-doubtful", name),
            (None, _) => name,
        }
    }

    fn class(&self, position: usize) -> Option<&String> {
        self.header.class_order.get(position)
    }

    fn thumbnail(&self, ui: &mut Ui, cx: &mut Cx<'_>) -> Option<Arc<Picture>> {
        let name = self.name();
        let (rect, response) = allocate_named(ui, Vec2::splat(self.side), Role::Button, &name);
        let picture = match self.data {
            Some(data) => cx.session.picture_of(data, self.split, self.place.1),
            None => cx
                .session
                .added_task_picture(self.header, self.place.0, self.place.1),
        };
        let found = cx.look_up(picture);
        if let Some(Ok(picture)) = &found {
            cx.textures.paint_square(ui, picture, rect, 4);
        } else {
            ui.painter().rect_filled(rect, 4.0, tokens(ui).background);
        }
        focus_ring(ui, rect, 4, &response);
        match found? {
            Ok(picture) => {
                let tip = format!("{}\n{}", picture.name, tr!("train-tile-hint"));
                if response.on_hover_text(tip).clicked() {
                    cx.act(UiCommand::PredictWith(self.header.folder.clone()));
                    let truth = self.class(self.truth).cloned();
                    cx.act(UiCommand::PredictPicture(picture.clone(), truth));
                    cx.act(UiCommand::Show(Page::Predict));
                }
                Some(picture)
            }
            Err(problem) => {
                response.on_hover_text(problem.what_said());
                None
            }
        }
    }

    /// Draws the label of the image and the menu to correct it.
    fn label(&self, ui: &mut Ui, cx: &mut Cx<'_>, data: &Arc<DataView>, picture: &Picture) {
        let (split, index) = (self.split, self.place.1);
        let corrected = cx
            .session
            .corrected_label(data, split, index, &picture.name);
        let corrected = cx.look_up(corrected);
        let words = match corrected.as_ref().map(|correction| &correction.class) {
            None => tr!("train-correct-label").to_string(),
            Some(None) => tr!("train-label-excluded").to_string(),
            Some(Some(class)) => tr!("train-label-now", class = class.as_str()),
        };
        let t = tokens(ui);
        let colour = if corrected.is_some() {
            t.good
        } else {
            t.subdued
        };
        let text = RichText::new(words).font(regular(11.0)).color(colour);
        let button = ui.add(egui::Button::new(text).frame(false).truncate());
        let button = button.accessible_name(tr!("train-correct-image", name = self.name()));
        let button = button.on_hover_text(tr!("train-correct-label-hint"));
        // The id depends on the image, so that an open menu stays with its image when images move.
        let id = Id::unique(("really", &self.header.run, self.split, self.place));
        Popup::menu(&button)
            .id(id)
            .show(|ui| self.choices(ui, cx, data, corrected.as_ref()));
    }

    fn choices(
        &self,
        ui: &mut Ui,
        cx: &mut Cx<'_>,
        data: &Arc<DataView>,
        corrected: Option<&Correction>,
    ) {
        ui.set_min_width(170.0);
        faint(ui, tr!("train-correct-label-title"));
        let (truth, given) = (
            self.class(self.truth),
            self.given.and_then(|g| self.class(g)),
        );
        let answered = given.filter(|given| Some(*given) != truth);
        let mut names: Vec<&String> = data.classes.iter().collect();
        names.retain(|name| Some(*name) != truth && Some(*name) != answered);
        names.sort_by(|a, b| by_number(a, b));
        let mut chosen = None;
        let how = match self.split {
            Split::Test => "train-label-as-predicted",
            Split::Train => "train-label-as-it-looks",
        };
        if let Some(name) = answered
            && ui.button(tr!(how, class = name.as_str())).clicked()
        {
            chosen = Some(Some(name.clone()));
        }
        let room = ui.ctx().content_rect().height() - AROUND_CLASSES;
        let list = ScrollArea::vertical()
            .max_height(room.clamp(40.0, 220.0))
            .min_scrolled_height(40.0);
        list.show(ui, |ui| {
            for name in names {
                if ui.button(name).clicked() {
                    chosen = Some(Some(name.clone()));
                }
            }
        });
        ui.separator();
        if ui.button(tr!("train-exclude-image")).clicked() {
            chosen = Some(None);
        }
        if let Some(class) = chosen {
            let (data, split, index) = (data.clone(), self.split, self.place.1);
            cx.change(move |session| session.correct_label(&data, split, index, class));
        }
        if let Some(correction) = corrected
            && ui
                .link(tr!("train-label-revert", class = correction.was.as_str()))
                .clicked()
        {
            let back = correction.taken_back();
            let place = data.place.clone();
            cx.change(move |session| session.set_corrected_label(place, back));
            ui.close();
        }
    }
}
