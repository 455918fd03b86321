//! The data card: the dataset, its content, its corrected labels and its tasks.

use std::time::Duration;

use egui::{RichText, Role, ScrollArea, Ui, Vec2};

use super::{details, group_state, tasks};
use crate::data::{Correction, CorrectionCount, published};
use crate::run::config::SettingGroup;
use crate::session::class_schedule::is_user_dataset;
use crate::session::collection::Purpose;
use crate::session::downloads::Item;
use crate::session::file_dialog::{DataExportKind, DialogPurpose, typed_path};
use crate::session::formatting::format_bytes;
use crate::session::views::{DataView, Fetch};
use crate::texts::translate_entry;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::shell::export::format_entries;
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::{
    self, StepState, allocate_named, button, button_if, card, faint, paint_border, segmented,
    toggle_link,
};

/// The built-in datasets.
const EMBEDDED: [&str; 2] = ["digits", "letters"];

/// Draws the data card.
pub fn data_card(ui: &mut Ui, cx: &mut Cx<'_>) {
    card(ui, |ui| {
        show_header(ui, cx);
        choice(ui, cx);
        let current = &cx.session.experiment.draft.data;
        match &cx.session.experiment.data {
            // The current dataset is not shown while the user chooses a folder to replace it.
            _ if cx.pages.experiment.choosing_folder => {
                faint(ui, tr!("data-folder-forms"));
                faint(ui, tr!("data-no-folder-chosen", now = current.as_str()));
            }
            Fetch::Nothing => drop(faint(ui, tr!("data-folder-forms"))),
            Fetch::Busy => {
                let words = match cx.session.opening_progress_text() {
                    words if words.is_empty() => String::new(),
                    words => format!(" · {words}"),
                };
                widgets::loading(ui, tr!("data-reading", data = current.as_str()) + &words);
                ui.ctx().request_repaint_after(Duration::from_millis(200));
            }
            Fetch::Failed(problem) => {
                match published::find_published(&cx.session.experiment.draft.data) {
                    Some(dataset) => offer(ui, cx, dataset),
                    None => {
                        widgets::problem(ui, problem);
                        corrected_labels(ui, cx);
                    }
                }
            }
            Fetch::Ready(view) => {
                thumbs(ui, cx, view);
                corrected_labels(ui, cx);
                details::show_relevant_splits(ui, cx, view);
                class_arrival(ui, cx);
                for note in cx.session.settings_reasons() {
                    faint(ui, note.translated());
                }
                tasks::strip(ui, cx);
                tasks::order_settings(ui, cx);
                details::parts(ui, cx, view);
            }
        }
        download_progress(ui, cx);
    });
}

fn show_header(ui: &mut Ui, cx: &Cx<'_>) {
    let state = match &cx.session.experiment.data {
        Fetch::Busy => StepState::Busy,
        Fetch::Ready(_) => group_state(cx, SettingGroup::Data),
        Fetch::Nothing | Fetch::Failed(_) => StepState::Wrong,
    };
    let data = cx.session.experiment.data.ready();
    let credit = data
        .map(|view| translate_entry("dataset", &view.location, "credit", &view.note).to_string());
    widgets::ends(
        ui,
        |ui| {
            widgets::step_icon(ui, state);
            widgets::title(ui, tr!("data-title"));
        },
        |ui| {
            let credit = credit.unwrap_or_default();
            widgets::truncated_faint(ui, credit.as_str()).on_hover_text(credit);
        },
    );
}

fn choice(ui: &mut Ui, cx: &mut Cx<'_>) {
    let current = cx.session.experiment.draft.data.as_str();
    let is_own_folder = cx.pages.experiment.choosing_folder || !EMBEDDED.contains(&current);
    let title = match current {
        _ if cx.pages.experiment.choosing_folder => tr!("data-folder"),
        "digits" => tr!("data-digits"),
        "letters" => tr!("data-letters"),
        name => published::find_published(name).map_or(tr!("data-own-folder"), |set| set.name),
    };
    ui.horizontal_wrapped(|ui| {
        let menu = button(ui, format!("{title} ▾")).accessible_name(tr!("data-choose"));
        egui::Popup::menu(&menu).show(|ui| sources(ui, cx));
        folder(ui, cx);
        if !is_own_folder {
            faint(ui, tr!("data-drop-hint"));
        }
    });
}

/// Draws the menu of datasets and the export.
fn sources(ui: &mut Ui, cx: &mut Cx<'_>) {
    ui.set_min_width(220.0);
    let current = &cx.session.experiment.draft.data;
    for (name, title) in EMBEDDED.into_iter().zip([tr!("data-digits"), tr!("data-letters")]) {
        if ui.selectable_label(current == name, title).clicked() {
            cx.pages.experiment.choosing_folder = false;
            cx.dispatch(UiCommand::ChooseData(name.into()));
        }
    }
    for dataset in &published::PUBLISHED {
        let size = tr!("data-megabytes", n = dataset.megabytes);
        let item = egui::Button::selectable(current == dataset.name, dataset.name)
            .right_text(RichText::new(size).color(tokens(ui).subdued));
        if ui.add(item).on_hover_text(dataset.description()).clicked() {
            cx.pages.experiment.choosing_folder = false;
            cx.dispatch(UiCommand::ChooseData(dataset.name.into()));
        }
    }
    ui.separator();
    if ui.button(tr!("data-folder")).clicked() {
        cx.pages.experiment.choosing_folder = true;
        cx.change(|session| session.open_file_dialog(DialogPurpose::DataFolder));
    }
    if ui.button(tr!("data-create")).clicked() {
        cx.dispatch(UiCommand::Collect(Purpose::Data));
    }
    if cx.session.experiment.data.ready().is_some() && !cx.pages.experiment.choosing_folder {
        ui.separator();
        faint(ui, tr!("data-export"));
        format_entries(ui, DataExportKind::Data, cx.commands);
    }
}

/// Draws the description and the download of a published dataset that is not downloaded yet.
fn offer(ui: &mut Ui, cx: &mut Cx<'_>, dataset: &published::PublishedData) {
    let item = Item::Data(dataset.name.to_string());
    let running = cx.session.running_download_like(&item);
    if running.is_some_and(|download| download.item == item) {
        return;
    }
    widgets::sentence(ui, tr!("data-not-downloaded", about = dataset.description()));
    let size = dataset.megabytes;
    let (url, licence) = (dataset.url, dataset.licence());
    let text = tr!("data-download-offer", size, url, licence);
    faint(ui, text);
    if let Some(problem) = cx.session.download_problem(&item) {
        widgets::problem(ui, problem);
    }
    let label = tr!("data-download", size);
    let is_idle = cx.session.running_download_like(&item).is_none();
    let response = button_if(ui, is_idle, label);
    let clicked = response
        .on_hover_text(tr!("data-download-hint"))
        .on_disabled_hover_text(tr!("data-download-other"))
        .clicked();
    if clicked {
        cx.change(move |session| session.download(item));
    }
}

/// Draws the dataset download that is in progress, whichever dataset is shown.
fn download_progress(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(download) = cx.session.running_download_like(&Item::Data(String::new())) else {
        return;
    };
    let (done, total) = download.transfer.progress();
    let name = download.item.name();
    ui.horizontal(|ui| {
        let got = format_bytes(done);
        let text = match total.map(format_bytes) {
            Some(all) => tr!("data-downloading-of", name, got, all),
            None => tr!("data-downloading", name, got),
        };
        faint(ui, text);
        if button(ui, tr!("data-download-stop")).clicked() {
            let item = download.item.clone();
            cx.change(move |session| session.stop_download(&item));
        }
    });
    let share = total.map_or(0.0, |total| done as f64 / total.max(1) as f64);
    widgets::progress(ui, share, &tr!("data-download-of", name));
    ui.ctx().request_repaint_after(Duration::from_millis(200));
}

/// Draws a field for the path of a folder, for systems without a file dialog.
fn folder(ui: &mut Ui, cx: &mut Cx<'_>) {
    let current = cx.session.experiment.draft.data.as_str();
    let path = if is_user_dataset(current) { current } else { "" };
    let state = &mut cx.pages.experiment;
    let edit = widgets::line_edit(&mut state.path, ui.available_width().clamp(160.0, 300.0))
        .hint_text(tr!("data-folder-path"));
    let response = ui.add(edit).accessible_name(tr!("data-folder-name"));
    if !response.has_focus() && !response.lost_focus() && state.path != path {
        state.path = path.into();
    }
    // Enter reads the folder again even if the path is unchanged; leaving the field reads only another folder.
    let committed = widgets::committed(ui, &response, &mut state.path, path);
    let done = committed || widgets::is_submitted(ui, &response);
    let typed = typed_path(&state.path).display().to_string();
    if done && !typed.is_empty() {
        cx.pages.experiment.choosing_folder = false;
        cx.dispatch(UiCommand::ChooseData(typed));
    }
}

/// Draws an image of each class and the numbers of images and classes.
pub fn thumbs(ui: &mut Ui, cx: &mut Cx<'_>, view: &DataView) {
    let measured = cx.session.experiment.draft.validation_share > 0.0;
    let (train, n) = (view.train_total(), view.test_total());
    let images = match measured {
        true => tr!("data-images-validation", train, n),
        false => tr!("data-images", train, n),
    };
    let mut parts = vec![images, tr!("data-classes", n = view.classes.len())];
    parts.extend(view.sizes.map(|sizes| tr!("data-pixels", sizes = sizes.to_string())));
    let summary = parts.join(", ");
    let gap = 6.0;
    let (available_width, total) = (ui.available_width(), view.thumbs.len());
    // There is one image for each class if they fit, with smaller images if needed.
    let side = (available_width / total.max(1) as f32 - gap).clamp(30.0, 44.0);
    let capacity = ((available_width + gap) / (side + gap)).max(2.0) as usize;
    // Leaves space for the number of classes without an image.
    let others = (40.0 / (side + gap)).ceil() as usize;
    let shown = match view.classes.len() <= capacity {
        true => total,
        false => total.min(capacity.saturating_sub(others).max(1)),
    };
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = gap;
        for (class, image) in view.thumbs.iter().take(shown) {
            let (rect, response) = allocate_named(ui, Vec2::splat(side), Role::Image, class);
            cx.textures.paint_square(ui, image, rect, 5);
            paint_border(ui, rect, 5, tokens(ui).line);
            response.on_hover_text(class);
        }
        let more = view.classes.len() - shown;
        if more > 0 {
            faint(ui, format!("+{more}"));
        }
        if ui.available_size_before_wrap().x > 390.0 {
            ui.add_space(8.0);
            faint(ui, &summary);
        }
        // If the space is too small, the text is drawn in the next row.
        else {
            ui.end_row();
            faint(ui, &summary);
        }
    });
}

/// Draws the choice. Until the user answers, all classes are learned at once.
fn class_arrival(ui: &mut Ui, cx: &mut Cx<'_>) {
    if !cx.session.can_split_into_tasks() {
        return;
    }
    let before = cx.session.all_at_once_answer().unwrap_or(true);
    let mut at_once = before;
    ui.horizontal_wrapped(|ui| {
        faint(ui, tr!("data-class-arrival")).on_hover_text(tr!("data-class-arrival-explained"));
        let options =
            [(true, tr!("data-class-arrival-at-once")), (false, tr!("data-class-arrival-stages"))];
        segmented(ui, "arrival", &options, &mut at_once);
    });
    if at_once != before {
        cx.change(move |session| session.set_all_at_once(at_once));
    }
}

/// Draws the line if at least one label was corrected.
fn corrected_labels(ui: &mut Ui, cx: &mut Cx<'_>) {
    let location = cx.session.experiment.draft.data.clone();
    let (list, used) =
        (cx.session.corrected_labels(&location), &cx.session.experiment.draft.corrected);
    if list.is_empty() && used.is_empty() {
        return;
    }
    let count_text = |list| {
        let words = CorrectionCount::from_corrections(list).summary();
        words.map_or_else(String::new, |words| words.translated())
    };
    let (count, own) = (list.len(), count_text(used));
    let (text, used, is_current) = (count_text(list), !used.is_empty(), list == used);
    ui.horizontal_wrapped(|ui| {
        let text = match count {
            0 => tr!("data-corrected-empty").to_string(),
            _ => text,
        };
        let text = RichText::new(text).font(regular(13.0));
        ui.label(text.color(tokens(ui).text));
        let mut use_list = used;
        let options =
            [(true, tr!("data-corrected-use")), (false, tr!("data-corrected-original-labels"))];
        if segmented(ui, "corrected-labels", &options, &mut use_list) {
            use_corrected(cx, use_list);
        }
        if used && !is_current {
            faint(ui, tr!("data-corrected-run-list", own));
            if ui.link(tr!("data-corrected-use-current")).clicked() {
                use_corrected(cx, true);
            }
        }
        if count > 0 {
            let (show, hide) = (tr!("data-corrected-show"), tr!("data-corrected-hide"));
            toggle_link(ui, &mut cx.pages.experiment.show_corrected, show, hide);
        }
    });
    if cx.pages.experiment.show_corrected {
        let rows = ScrollArea::vertical().id_salt("corrected").max_height(150.0);
        rows.show_rows(ui, 20.0, count, |ui, range| {
            let list = cx.session.corrected_labels(&location);
            for correction in list.get(range).unwrap_or_default() {
                corrected_row(ui, cx, &location, correction);
            }
        });
    }
}

fn use_corrected(cx: &mut Cx<'_>, on: bool) {
    cx.change(move |session| session.use_corrected(on));
}

fn corrected_row(ui: &mut Ui, cx: &mut Cx<'_>, location: &str, correction: &Correction) {
    ui.horizontal(|ui| {
        let (picture, was) = (correction.picture.as_str(), correction.was.as_str());
        let text = match correction.class.as_deref() {
            Some(class) => {
                tr!("data-corrected-row", picture, class, was)
            }
            None => tr!("data-corrected-excluded", picture, was),
        };
        faint(ui, text);
        let link = ui.link(tr!("data-corrected-revert"));
        let link = link.accessible_name(tr!("data-corrected-revert-image", picture));
        if link.clicked() {
            let reverted = correction.inverse();
            let location = location.to_string();
            cx.change(move |session| session.set_corrected_label(location, reverted));
        }
    });
}
