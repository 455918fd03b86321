//! The images of a folder by predicted class: the number of images in each class, and a gallery with the least confident
//! images first. Images can be moved to other classes.

use std::sync::{Arc, Weak};

use egui::{Id, Popup, RichText, Role, ScrollArea, Ui, Vec2};

use super::run_title;
use crate::experiment::prediction_table::Assignment;
use crate::run::rejection::ACCEPTED_PERCENT;
use crate::session::Session;
use crate::session::by_class::{DisplayedGroups, ImagesByClass};
use crate::session::formatting::{compare_natural, format_count, format_percent, format_signed};
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::pages::train::image_tile::in_rows;
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::{
    self, allocate_named, button, card, faint, focus_ring, primary_button, sentence,
};

/// Number of images shown for each group while all groups are shown.
const GROUP_PREVIEW: usize = 12;
/// Number of images per page while a single group is shown.
const PAGE_SIZE: usize = 96;
/// Size of an image, in points.
const IMAGE_SIZE: f32 = 84.0;

/// The state of the gallery that is kept between frames.
#[derive(Default)]
pub struct State {
    open: bool,
    /// The only group that is shown; `None` for all groups.
    group: Option<Assignment>,
    filter: String,
    more: usize,
    /// A cache of the displayed groups, valid for these images and this search text.
    listed: Option<(Weak<ImagesByClass>, String, Arc<DisplayedGroups>)>,
}

impl State {
    /// Shows the images by class once they are read.
    pub fn open(&mut self) {
        *self = Self { open: true, ..Self::default() };
    }

    /// Shows the prediction of a single image again.
    pub fn close(&mut self) {
        self.open = false;
    }

    /// Returns whether the gallery is shown.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Returns the displayed groups. They are computed again if an image was moved or the search text has changed.
    fn listed(&mut self, by_class: &Arc<ImagesByClass>) -> Arc<DisplayedGroups> {
        let query = self.filter.trim();
        if let Some((source, filter, listed)) = &self.listed
            && source.as_ptr() == Arc::as_ptr(by_class)
            && filter == query
        {
            return listed.clone();
        }
        let listed = Arc::new(by_class.displayed_groups(query));
        self.listed = Some((Arc::downgrade(by_class), query.into(), listed.clone()));
        listed
    }
}

/// Draws the gallery in place of a prediction. Returns whether there is a gallery.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) -> bool {
    if !cx.pages.predict.by_class.open {
        return false;
    }
    let Some(by_class) = cx.session.predict.images_by_class.ready().cloned() else {
        return false;
    };
    images_by_class(ui, cx, &by_class, true);
    true
}

/// Draws the images by class. With `with_run`, or if it is not the model on Start, the run and its limit for rejections
/// are included.
pub fn images_by_class(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    by_class: &Arc<ImagesByClass>,
    with_run: bool,
) {
    let listed = cx.pages.predict.by_class.listed(by_class);
    // After its last image was moved, a group is no longer listed.
    let has_group = |only: &Assignment| listed.groups.iter().any(|(group, ..)| group == only);
    cx.pages.predict.by_class.group.take_if(|only| !has_group(only));
    show_header(ui, cx, by_class, with_run);
    let listed = cx.pages.predict.by_class.listed(by_class);
    let only_group = cx.pages.predict.by_class.group.clone();
    let mut is_any_shown = false;
    for (group, _, images) in &listed.groups {
        if !images.is_empty() && only_group.as_ref().is_none_or(|only| only == group) {
            is_any_shown = true;
            gallery(ui, cx, by_class, group, images);
        }
    }
    if !is_any_shown {
        card(ui, |ui| faint(ui, tr!("predict-sorted-no-match")));
    }
}

/// Draws the number of images of each group, the choice of a group, and the table.
fn show_header(ui: &mut Ui, cx: &mut Cx<'_>, by_class: &Arc<ImagesByClass>, with_run: bool) {
    let listed = cx.pages.predict.by_class.listed(by_class);
    card(ui, |ui| {
        let title = tr!("predict-sorted-by-class", n = by_class.images.len());
        widgets::title_row(ui, title, |ui| {
            if with_run && ui.link(tr!("predict-sorted-back")).clicked() {
                cx.pages.predict.by_class.close();
            }
        });
        ui.horizontal_wrapped(|ui| {
            let state = &mut cx.pages.predict.by_class;
            let mut chosen = None;
            if ui.selectable_label(state.group.is_none(), tr!("predict-sorted-all")).clicked() {
                chosen = Some(None);
            }
            for (group, count, _) in &listed.groups {
                let label = format!("{} {}", ImagesByClass::name(group), format_count(*count));
                let is_selected = state.group.as_ref() == Some(group);
                if ui.selectable_label(is_selected, label).clicked() {
                    chosen = Some(Some(group.clone()));
                }
            }
            if let Some(group) = chosen {
                (state.group, state.more) = (group, 0);
            }
        });
        // Start shows another model after another dataset or run is chosen.
        let model = cx.session.model();
        if with_run || model.is_none_or(|row| row.folder != by_class.request.run) {
            run(ui, cx, by_class);
        }
        ui.horizontal_wrapped(|ui| {
            let state = &mut cx.pages.predict.by_class;
            let edit = widgets::line_edit(&mut state.filter, 180.0)
                .hint_text(tr!("predict-sorted-filter-hint"));
            ui.add(edit).accessible_name(tr!("predict-sorted-filter"));
            table(ui, cx, by_class, listed.moved);
        });
    });
}

/// Draws the run that classified the images, and the limit above which images are rejected.
fn run(ui: &mut Ui, cx: &Cx<'_>, by_class: &ImagesByClass) {
    let run = run_title(cx.session, &by_class.request.run).unwrap_or_default();
    let task = by_class.request.task + 1;
    faint(ui, tr!("predict-sorted-by-run", run, task));
    if let Some(threshold) = by_class.request.threshold {
        let limit = format_signed(threshold.into(), 2);
        let text = tr!("predict-sorted-limit", limit, n = 100 - ACCEPTED_PERCENT);
        faint(ui, text);
    }
}

/// Draws the path of the table, and a button to save moves that it does not contain yet.
fn table(ui: &mut Ui, cx: &mut Cx<'_>, by_class: &ImagesByClass, moved: usize) {
    if !by_class.is_saved {
        if primary_button(ui, tr!("predict-sorted-save-table"), true).clicked() {
            cx.change(Session::save_class_corrections);
        }
        faint(ui, tr!("predict-sorted-images-moved", n = moved));
        return;
    }
    let name = by_class.request.csv.file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    let text = match moved {
        0 => tr!("predict-sorted-table", name),
        moved => tr!("predict-sorted-table-moved", name, n = moved),
    };
    faint(ui, text);
    if button(ui, tr!("predict-sorted-copy"))
        .on_hover_text(tr!("predict-sorted-copy-hint"))
        .clicked()
    {
        cx.change(Session::copy_images_by_class);
    }
}

/// Draws the images of a group.
fn gallery(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    by_class: &Arc<ImagesByClass>,
    group: &Assignment,
    images: &[usize],
) {
    let is_single_group = cx.pages.predict.by_class.group.is_some();
    let shown = match is_single_group {
        true => PAGE_SIZE + cx.pages.predict.by_class.more,
        false => GROUP_PREVIEW,
    };
    card(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            widgets::title(ui, ImagesByClass::name(group));
            let n = images.len();
            let count = match group {
                Assignment::As(_) => tr!("predict-sorted-least-confident", n),
                Assignment::NoneOfThese | Assignment::Unreadable => tr!("count-images", n),
            };
            faint(ui, count);
        });
        if *group == Assignment::Unreadable {
            for &index in images.iter().take(shown) {
                let image = &by_class.images[index];
                let why = image.problem.as_deref().unwrap_or_default();
                sentence(ui, format!("{}: {why}", image.path.display()));
            }
        } else {
            in_rows(ui, |ui| {
                ui.spacing_mut().item_spacing = Vec2::new(8.0, 10.0);
                for &index in images.iter().take(shown) {
                    tile(ui, cx, by_class, index);
                }
            });
        }
        if images.len() > shown {
            let more = tr!("predict-sorted-more", n = images.len() - shown);
            if ui.link(more).clicked() {
                let state = &mut cx.pages.predict.by_class;
                match is_single_group {
                    true => state.more += PAGE_SIZE,
                    false => state.group = Some(group.clone()),
                }
            }
        }
    });
}

/// Draws an image with its score and a menu to move it. A click predicts the image individually.
fn tile(ui: &mut Ui, cx: &mut Cx<'_>, by_class: &Arc<ImagesByClass>, index: usize) {
    let image = &by_class.images[index];
    let name = image.path.display().to_string();
    widgets::part(ui, IMAGE_SIZE, |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        thumbnail(ui, cx, by_class, index, &name);
        let t = tokens(ui);
        let answer = image.class.as_deref().unwrap_or_default();
        let score = format_percent(f64::from(image.score), 0);
        let caption = match by_class.is_moved(index) {
            true if image.none_of_these == Some(true) => {
                tr!("predict-sorted-previous-class", class = tr!("predict-none"))
            }
            true => tr!("predict-sorted-previous-class", class = answer),
            false if by_class.groups[index] == Assignment::NoneOfThese => {
                tr!("predict-sorted-nearest", class = answer)
            }
            false => tr!("predict-score", score = &score),
        };
        let label = widgets::truncated(ui, caption, regular(11.5), t.text);
        label.on_hover_text(tr!("predict-sorted-prediction", name = &name, class = answer, score));
        let text = RichText::new(tr!("predict-sorted-move"));
        let text = text.font(regular(11.0)).color(t.subdued);
        let opener = ui.add(egui::Button::new(text).frame(false));
        let opener = opener.accessible_name(tr!("predict-sorted-move-image", name = &name));
        let id = Id::unique(("move", by_class.request.ticket, index));
        Popup::menu(&opener).id(id).show(|ui| move_menu(ui, cx, by_class, index));
    });
}

fn thumbnail(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    by_class: &Arc<ImagesByClass>,
    index: usize,
    name: &str,
) {
    let (rect, response) = allocate_named(ui, Vec2::splat(IMAGE_SIZE), Role::Button, name);
    let lookup = cx.session.image_of_class(by_class, index);
    let result = ui.is_rect_visible(rect).then(|| cx.look_up(lookup)).flatten();
    let Some(Ok(image)) = result else {
        ui.painter().rect_filled(rect, 4.0, tokens(ui).background);
        focus_ring(ui, rect, 4, &response);
        return;
    };
    cx.textures.paint_square(ui, &image, rect, 4);
    focus_ring(ui, rect, 4, &response);
    let response =
        response.on_hover_text(format!("{name}\n{}", tr!("predict-sorted-full-prediction")));
    if response.clicked()
        && let Some(file) = by_class.file(index)
    {
        cx.dispatch(UiCommand::PredictFile(file));
    }
}

/// Draws the menu of groups that an image can be moved to.
fn move_menu(ui: &mut Ui, cx: &mut Cx<'_>, by_class: &ImagesByClass, index: usize) {
    ui.set_min_width(150.0);
    faint(ui, tr!("predict-sorted-move-to"));
    let mut classes: Vec<&String> = by_class.classes.iter().collect();
    classes.sort_by(|a, b| compare_natural(a, b));
    let mut chosen = None;
    ScrollArea::vertical().max_height(220.0).show(ui, |ui| {
        let groups = classes.into_iter().cloned().map(Assignment::As);
        for group in groups.chain([Assignment::NoneOfThese]) {
            let is_other = group != by_class.groups[index];
            if is_other && ui.button(ImagesByClass::name(&group)).clicked() {
                chosen = Some(group);
            }
        }
    });
    if let Some(group) = chosen {
        cx.change(move |session| session.move_image_to_class(index, group));
        ui.close();
    }
}
