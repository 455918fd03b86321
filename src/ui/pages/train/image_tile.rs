//! A small tile of an image. A click predicts the image, and its label can be corrected.

use std::sync::Arc;

use egui::{Align, Id, Layout, Popup, RichText, Role, ScrollArea, Ui, Vec2};

use crate::data::Correction;
use crate::run::event::{NamedImage, RunHeader};
use crate::session::formatting::compare_natural;
use crate::session::views::{DataView, Split};
use crate::tr;
use crate::ui::command::{Page, UiCommand};
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::{self, allocate_named, faint, focus_ring};

/// Height of a tile's menu without the list of classes, and of the window's edges.
const MENU_MARGIN: f32 = 165.0;

/// A tile of an image of a run.
pub struct Tile<'a> {
    /// The run.
    pub header: &'a RunHeader,
    /// The run's dataset; `None` for an image of an added task, which is in the run's folder.
    pub data: Option<&'a Arc<DataView>>,
    /// The split of the image.
    pub split: Split,
    /// The source of the image and its index there.
    pub location: (usize, usize),
    /// The true class, as a position in the class order.
    pub truth: usize,
    /// The predicted class, as a position in the class order.
    pub predicted: Option<usize>,
    /// Size of the image, in points.
    pub side: f32,
    /// The text below the image: the true class, the predicted class and the certainty.
    pub caption: Option<[String; 3]>,
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
            let image = self.thumbnail(ui, cx);
            let t = tokens(ui);
            for (line, colour) in self.caption.iter().flatten().zip([t.text, t.text, t.strong]) {
                widgets::truncated(ui, line, regular(11.5), colour);
            }
            if let (Some(image), Some(data)) = (image, self.data) {
                self.label(ui, cx, data, &image);
            }
        });
    }

    /// Returns a unique accessible name, because a cell of the confusion matrix can show the same image.
    fn name(&self) -> String {
        let name = match self.location {
            (_, index) if self.split == Split::Train => {
                tr!("train-tile-training-image", index = index.to_string())
            }
            (0, index) => {
                let of = self.header.config.evaluation_split();
                tr!("train-tile-test-image", of, index = index.to_string())
            }
            (task, index) => {
                let index = index.to_string();
                tr!("train-tile-added-task-image", index, task)
            }
        };
        match (&self.caption, self.split) {
            (Some(_), Split::Test) => tr!("train-tile-mistake", name),
            (Some(_), Split::Train) => tr!("train-tile-doubtful", name),
            (None, _) => name,
        }
    }

    fn class(&self, position: usize) -> Option<&String> {
        self.header.class_order.get(position)
    }

    fn thumbnail(&self, ui: &mut Ui, cx: &mut Cx<'_>) -> Option<Arc<NamedImage>> {
        let name = self.name();
        let (rect, response) = allocate_named(ui, Vec2::splat(self.side), Role::Button, &name);
        let lookup = match self.data {
            Some(data) => cx.session.sample_image(data, self.split, self.location.1),
            None => cx.session.added_task_image(self.header, self.location.0, self.location.1),
        };
        let result = cx.look_up(lookup);
        if let Some(Ok(image)) = &result {
            cx.textures.paint_square(ui, image, rect, 4);
        } else {
            ui.painter().rect_filled(rect, 4.0, tokens(ui).background);
        }
        focus_ring(ui, rect, 4, &response);
        match result? {
            Ok(image) => {
                let tip = format!("{}\n{}", image.name, tr!("train-tile-hint"));
                if response.on_hover_text(tip).clicked() {
                    cx.dispatch(UiCommand::PredictWith(self.header.folder.clone()));
                    let truth = self.class(self.truth).cloned();
                    cx.dispatch(UiCommand::PredictImage(image.clone(), truth));
                    cx.dispatch(UiCommand::Show(Page::Predict));
                }
                Some(image)
            }
            Err(problem) => {
                response.on_hover_text(problem.translated_what());
                None
            }
        }
    }

    /// Draws the label of the image and the menu to correct it.
    fn label(&self, ui: &mut Ui, cx: &mut Cx<'_>, data: &Arc<DataView>, image: &NamedImage) {
        let (split, index) = (self.split, self.location.1);
        let corrected = cx.session.corrected_label(data, split, index, &image.name);
        let corrected = cx.look_up(corrected);
        let status = match corrected.as_ref().map(|correction| &correction.class) {
            None => tr!("train-correct-label").to_string(),
            Some(None) => tr!("train-label-excluded").to_string(),
            Some(Some(class)) => tr!("train-label-now", class = class.as_str()),
        };
        let t = tokens(ui);
        let colour = if corrected.is_some() { t.good } else { t.subdued };
        let text = RichText::new(status).font(regular(11.0)).color(colour);
        let button = ui.add(egui::Button::new(text).frame(false).truncate());
        let button = button.accessible_name(tr!("train-correct-image", name = self.name()));
        let button = button.on_hover_text(tr!("train-correct-label-hint"));
        // The id depends on the image, so that an open menu stays with its image when images move.
        let id = Id::unique(("really", &self.header.run, self.split, self.location));
        Popup::menu(&button).id(id).show(|ui| self.label_menu(ui, cx, data, corrected.as_ref()));
    }

    fn label_menu(
        &self,
        ui: &mut Ui,
        cx: &mut Cx<'_>,
        data: &Arc<DataView>,
        corrected: Option<&Correction>,
    ) {
        ui.set_min_width(170.0);
        faint(ui, tr!("train-correct-label-title"));
        let (truth, predicted) =
            (self.class(self.truth), self.predicted.and_then(|g| self.class(g)));
        let prediction = predicted.filter(|class| Some(*class) != truth);
        let mut names: Vec<&String> = data.classes.iter().collect();
        names.retain(|name| Some(*name) != truth && Some(*name) != prediction);
        names.sort_by(|a, b| compare_natural(a, b));
        let mut chosen = None;
        let message_id = match self.split {
            Split::Test => "train-label-as-predicted",
            Split::Train => "train-label-as-it-looks",
        };
        if let Some(name) = prediction
            && ui.button(tr!(message_id, class = name.as_str())).clicked()
        {
            chosen = Some(Some(name.clone()));
        }
        let available_height = ui.ctx().content_rect().height() - MENU_MARGIN;
        let area = ScrollArea::vertical()
            .max_height(available_height.clamp(40.0, 220.0))
            .min_scrolled_height(40.0);
        area.show(ui, |ui| {
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
            let (data, split, index) = (data.clone(), self.split, self.location.1);
            cx.change(move |session| session.correct_label(&data, split, index, class));
        }
        if let Some(correction) = corrected
            && ui.link(tr!("train-label-revert", class = correction.was.as_str())).clicked()
        {
            let reverted = correction.inverse();
            let location = data.location.clone();
            cx.change(move |session| session.set_corrected_label(location, reverted));
            ui.close();
        }
    }
}
