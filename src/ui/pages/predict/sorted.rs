//! The images of a folder by predicted class: the number of images in each class, and a gallery with the least confident
//! images first. Images can be moved to other classes.

use std::sync::{Arc, Weak};

use egui::{Id, Popup, RichText, Role, ScrollArea, Ui, Vec2};

use super::listed_as;
use crate::experiment::sheet::Sorted;
use crate::run::refusal::KEPT;
use crate::session::Session;
use crate::session::sorted::{Listed, SortedPictures};
use crate::session::words::{by_number, count_text, percent, signed};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::pages::train::pictures::in_rows;
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::{
    self, allocate_named, button, card, faint, focus_ring, primary_button, sentence,
};

/// Number of images shown for each group while all groups are shown.
const FEW: usize = 12;
/// Number of images per page while a single group is shown.
const MANY: usize = 96;
/// Size of an image, in points.
const SIDE: f32 = 84.0;

/// The state of the gallery that is kept between frames.
#[derive(Default)]
pub struct State {
    open: bool,
    /// The only group that is shown; `None` for all groups.
    group: Option<Sorted>,
    filter: String,
    more: usize,
    /// A cache of the displayed groups, valid for these images and this search text.
    listed: Option<(Weak<SortedPictures>, String, Arc<Listed>)>,
}

impl State {
    /// Shows the images by class once they are read.
    pub fn open(&mut self) {
        *self = Self {
            open: true,
            ..Self::default()
        };
    }

    /// Shows the prediction of a single image again.
    pub fn leave(&mut self) {
        self.open = false;
    }

    /// Returns whether the gallery is shown.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Returns the displayed groups. They are computed again if an image was moved or the search text has changed.
    fn listed(&mut self, sorted: &Arc<SortedPictures>) -> Arc<Listed> {
        let wanted = self.filter.trim();
        if let Some((of, words, listed)) = &self.listed
            && of.as_ptr() == Arc::as_ptr(sorted)
            && words == wanted
        {
            return listed.clone();
        }
        let listed = Arc::new(sorted.listed(wanted));
        self.listed = Some((Arc::downgrade(sorted), wanted.into(), listed.clone()));
        listed
    }
}

/// Draws the gallery in place of a prediction. Returns whether there is a gallery.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) -> bool {
    if !cx.pages.predict.sorted.open {
        return false;
    }
    let Some(sorted) = cx.session.predict.sorted.ready().cloned() else {
        return false;
    };
    by_class(ui, cx, &sorted, true);
    true
}

/// Draws the images by class. With `with_run`, the run and its limit for rejections are included.
pub fn by_class(ui: &mut Ui, cx: &mut Cx<'_>, sorted: &Arc<SortedPictures>, with_run: bool) {
    head(ui, cx, sorted, with_run);
    let listed = cx.pages.predict.sorted.listed(sorted);
    let alone = cx.pages.predict.sorted.group.clone();
    let mut any = false;
    for (group, _, pictures) in &listed.groups {
        if !pictures.is_empty() && alone.as_ref().is_none_or(|alone| alone == group) {
            any = true;
            gallery(ui, cx, sorted, group, pictures);
        }
    }
    if !any {
        card(ui, |ui| faint(ui, tr!("predict-sorted-no-match")));
    }
}

/// Draws the number of images of each group, the choice of a group, and the table.
fn head(ui: &mut Ui, cx: &mut Cx<'_>, sorted: &Arc<SortedPictures>, with_run: bool) {
    let listed = cx.pages.predict.sorted.listed(sorted);
    card(ui, |ui| {
        let title = tr!("predict-sorted-by-class", n = sorted.pictures.len());
        widgets::title_row(ui, title, |ui| {
            if with_run && ui.link(tr!("predict-sorted-back")).clicked() {
                cx.pages.predict.sorted.leave();
            }
        });
        ui.horizontal_wrapped(|ui| {
            let state = &mut cx.pages.predict.sorted;
            let mut chosen = None;
            if ui
                .selectable_label(state.group.is_none(), tr!("predict-sorted-all"))
                .clicked()
            {
                chosen = Some(None);
            }
            for (group, count, _) in &listed.groups {
                let words = format!("{} {}", SortedPictures::name(group), count_text(*count));
                let here = state.group.as_ref() == Some(group);
                if ui.selectable_label(here, words).clicked() {
                    chosen = Some(Some(group.clone()));
                }
            }
            if let Some(group) = chosen {
                (state.group, state.more) = (group, 0);
            }
        });
        if with_run {
            run(ui, cx, sorted);
        }
        ui.horizontal_wrapped(|ui| {
            let state = &mut cx.pages.predict.sorted;
            let edit = widgets::line_edit(&mut state.filter, 180.0)
                .hint_text(tr!("predict-sorted-filter-hint"));
            ui.add(edit).accessible_name(tr!("predict-sorted-filter"));
            table(ui, cx, sorted, listed.moved);
        });
    });
}

/// Draws the run that classified the images, and the limit above which images are rejected.
fn run(ui: &mut Ui, cx: &Cx<'_>, sorted: &SortedPictures) {
    let run = listed_as(cx.session, &sorted.request.run).unwrap_or_default();
    let task = sorted.request.task + 1;
    faint(ui, tr!("predict-sorted-by-run", run, task));
    if let Some(threshold) = sorted.request.threshold {
        let limit = signed(threshold.into(), 2);
        let words = tr!("predict-sorted-limit", limit, n = 100 - KEPT);
        faint(ui, words);
    }
}

/// Draws the path of the table, and a button to save moves that it does not contain yet.
fn table(ui: &mut Ui, cx: &mut Cx<'_>, sorted: &SortedPictures, moved: usize) {
    if !sorted.is_kept {
        if primary_button(ui, tr!("predict-sorted-save-table"), true).clicked() {
            cx.change(Session::keep_sorted);
        }
        faint(ui, tr!("predict-sorted-images-moved", n = moved));
        return;
    }
    let name = sorted.request.csv.file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    let words = match moved {
        0 => tr!("predict-sorted-table", name),
        moved => tr!("predict-sorted-table-moved", name, n = moved),
    };
    faint(ui, words);
    if button(ui, tr!("predict-sorted-copy"))
        .on_hover_text(tr!("predict-sorted-copy-hint"))
        .clicked()
    {
        cx.change(Session::copy_sorted);
    }
}

/// Draws the images of a group.
fn gallery(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    sorted: &Arc<SortedPictures>,
    group: &Sorted,
    pictures: &[usize],
) {
    let alone = cx.pages.predict.sorted.group.is_some();
    let shown = match alone {
        true => MANY + cx.pages.predict.sorted.more,
        false => FEW,
    };
    card(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            widgets::title(ui, SortedPictures::name(group));
            let n = pictures.len();
            let count = match group {
                Sorted::As(_) => tr!("predict-sorted-least-confident", n),
                Sorted::NoneOfThese | Sorted::Unreadable => tr!("count-images", n),
            };
            faint(ui, count);
        });
        if *group == Sorted::Unreadable {
            for &at in pictures.iter().take(shown) {
                let one = &sorted.pictures[at];
                let why = one.problem.as_deref().unwrap_or_default();
                sentence(ui, format!("{}: {why}", one.path.display()));
            }
        } else {
            in_rows(ui, |ui| {
                ui.spacing_mut().item_spacing = Vec2::new(8.0, 10.0);
                for &at in pictures.iter().take(shown) {
                    tile(ui, cx, sorted, at);
                }
            });
        }
        if pictures.len() > shown {
            let more = tr!("predict-sorted-more", n = pictures.len() - shown);
            if ui.link(more).clicked() {
                let state = &mut cx.pages.predict.sorted;
                match alone {
                    true => state.more += MANY,
                    false => state.group = Some(group.clone()),
                }
            }
        }
    });
}

/// Draws an image with its score and a menu to move it. A click predicts the image individually.
fn tile(ui: &mut Ui, cx: &mut Cx<'_>, sorted: &Arc<SortedPictures>, at: usize) {
    let one = &sorted.pictures[at];
    let name = one.path.display().to_string();
    widgets::part(ui, SIDE, |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        thumbnail(ui, cx, sorted, at, &name);
        let t = tokens(ui);
        let answer = one.class.as_deref().unwrap_or_default();
        let score = percent(f64::from(one.score), 0);
        let words = match sorted.is_moved(at) {
            true => tr!("predict-sorted-previous-class", class = answer),
            false if sorted.groups[at] == Sorted::NoneOfThese => {
                tr!("predict-sorted-nearest", class = answer)
            }
            false => tr!("predict-score", score = &score),
        };
        let label = widgets::truncated(ui, words, regular(11.5), t.text);
        label.on_hover_text(tr!(
            "predict-sorted-prediction",
            name = &name,
            class = answer,
            score
        ));
        let text = RichText::new(tr!("predict-sorted-move"));
        let text = text.font(regular(11.0)).color(t.subdued);
        let opener = ui.add(egui::Button::new(text).frame(false));
        let opener = opener.accessible_name(tr!("predict-sorted-move-image", name = &name));
        let id = Id::unique(("move", sorted.request.ticket, at));
        Popup::menu(&opener)
            .id(id)
            .show(|ui| targets(ui, cx, sorted, at));
    });
}

fn thumbnail(ui: &mut Ui, cx: &mut Cx<'_>, sorted: &Arc<SortedPictures>, at: usize, name: &str) {
    let (rect, response) = allocate_named(ui, Vec2::splat(SIDE), Role::Button, name);
    let picture = cx.session.sorted_picture(sorted, at);
    let found = ui
        .is_rect_visible(rect)
        .then(|| cx.look_up(picture))
        .flatten();
    let Some(Ok(picture)) = found else {
        ui.painter().rect_filled(rect, 4.0, tokens(ui).background);
        focus_ring(ui, rect, 4, &response);
        return;
    };
    cx.textures.paint_square(ui, &picture, rect, 4);
    focus_ring(ui, rect, 4, &response);
    let response =
        response.on_hover_text(format!("{name}\n{}", tr!("predict-sorted-full-prediction")));
    if response.clicked()
        && let Some(file) = sorted.file(at)
    {
        cx.act(UiCommand::PredictFile(file));
    }
}

/// Draws the menu of groups that an image can be moved to.
fn targets(ui: &mut Ui, cx: &mut Cx<'_>, sorted: &SortedPictures, at: usize) {
    ui.set_min_width(150.0);
    faint(ui, tr!("predict-sorted-move-to"));
    let mut classes: Vec<&String> = sorted.classes.iter().collect();
    classes.sort_by(|a, b| by_number(a, b));
    let mut chosen = None;
    ScrollArea::vertical().max_height(220.0).show(ui, |ui| {
        let groups = classes.into_iter().cloned().map(Sorted::As);
        for group in groups.chain([Sorted::NoneOfThese]) {
            let is_other = group != sorted.groups[at];
            if is_other && ui.button(SortedPictures::name(&group)).clicked() {
                chosen = Some(group);
            }
        }
    });
    if let Some(group) = chosen {
        cx.change(move |session| session.move_sorted(at, group));
        ui.close();
    }
}
