//! The data card: which set, what is in it, and how its classes fall into tasks.

use std::time::Duration;

use egui::{CornerRadius, Rect, RichText, Role, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo};

use super::{arrival, corrected, details, standing, tasks};
use crate::counts::counted;
use crate::data::named;
use crate::run::config::SettingGroup;
use crate::session::chooser::DialogPurpose;
use crate::session::collection::Purpose;
use crate::session::data_export::DataExportKind;
use crate::session::downloads::Item;
use crate::session::views::{DataView, Fetch, Thumb};
use crate::session::words::{bytes_text, count_text};
use crate::ui::command::UiCommand;
use crate::ui::page_commands::ExperimentCommand;
use crate::ui::pages::Cx;
use crate::ui::shell::export::export;
use crate::ui::theme::tokens;
use crate::ui::widgets::{self, StepState, button, button_if, card, faint, segmented};

/// The three ways to say where data comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DataChoice {
    Digits,
    Letters,
    Folder,
}

/// What a folder of data looks like.
const HOW: &str = "Choose a folder with one subfolder per class, or with train and test folders that hold them. CIFAR-100's binary files work too.";

/// Draws the data card.
pub fn card_of_data(ui: &mut Ui, cx: &mut Cx<'_>) {
    card(ui, |ui| {
        head(ui, cx);
        choice(ui, cx);
        let now = &cx.session.experiment.draft.data;
        match &cx.session.experiment.data {
            // Nothing of the data set that is to be replaced stands beside the wish for a folder.
            _ if cx.pages.experiment.folder => {
                faint(ui, HOW);
                faint(
                    ui,
                    format!("No folder is chosen yet; {now} stays until one is."),
                );
            }
            Fetch::Nothing => {
                faint(ui, HOW);
            }
            Fetch::Busy => {
                ui.horizontal(|ui| {
                    ui.spinner();
                    let words = match cx.session.opening_words() {
                        words if words.is_empty() => String::new(),
                        words => format!(" · {words}"),
                    };
                    faint(
                        ui,
                        format!(
                            "Looking through {}{words}",
                            cx.session.experiment.draft.data
                        ),
                    );
                });
                ui.ctx().request_repaint_after(Duration::from_millis(200));
            }
            Fetch::Failed(problem) => match named::published(&cx.session.experiment.draft.data) {
                Some(set) => offer(ui, cx, set),
                None => {
                    widgets::problem(ui, problem);
                    corrected::line(ui, cx);
                }
            },
            Fetch::Ready(view) => {
                thumbs(ui, cx, view);
                corrected::line(ui, cx);
                details::noted_splits(ui, cx, view);
                arrival::line(ui, cx);
                tasks::strip(ui, cx);
                tasks::order(ui, cx);
                details::parts(ui, cx, view);
            }
        }
        on_its_way(ui, cx);
    });
}

fn head(ui: &mut Ui, cx: &Cx<'_>) {
    let stand = match &cx.session.experiment.data {
        Fetch::Busy => StepState::Busy,
        Fetch::Ready(_) => standing(cx, SettingGroup::Data),
        Fetch::Nothing | Fetch::Failed(_) => StepState::Wrong,
    };
    let credit = cx
        .session
        .experiment
        .data
        .ready()
        .map(|view| view.credit.clone());
    widgets::ends(
        ui,
        |ui| {
            widgets::standing(ui, stand);
            widgets::title(ui, "Data");
        },
        |ui| {
            let credit = credit.unwrap_or_default();
            widgets::cut(ui, credit.as_str()).on_hover_text(credit);
        },
    );
}

fn choice(ui: &mut Ui, cx: &mut Cx<'_>) {
    let mut source = match cx.session.experiment.draft.data.as_str() {
        _ if cx.pages.experiment.folder => DataChoice::Folder,
        "digits" => DataChoice::Digits,
        "letters" => DataChoice::Letters,
        _ => DataChoice::Folder,
    };
    ui.horizontal_wrapped(|ui| {
        let options = [
            (DataChoice::Digits, "Digits"),
            (DataChoice::Letters, "Letters"),
            (DataChoice::Folder, "Folder…"),
        ];
        if segmented(ui, "data", &options, &mut source) {
            cx.pages.experiment.folder = source == DataChoice::Folder;
            match source {
                DataChoice::Digits => cx.act(UiCommand::ChooseData("digits".into())),
                DataChoice::Letters => cx.act(UiCommand::ChooseData("letters".into())),
                DataChoice::Folder => cx.act(UiCommand::Pick(DialogPurpose::DataFolder)),
            }
        }
        let published = button(ui, "Published");
        egui::Popup::menu(&published).show(|ui| published_sets(ui, cx));
        if button(ui, "Make one…").clicked() {
            cx.act(UiCommand::Collect(Purpose::Data));
        }
        if cx.session.experiment.data.ready().is_some() && !cx.pages.experiment.folder {
            export(ui, DataExportKind::Data, None, cx.commands);
        }
        if source == DataChoice::Folder {
            folder(ui, cx);
        } else {
            faint(
                ui,
                "or drop a folder anywhere in this window: one subfolder a class",
            );
        }
    });
}

fn published_sets(ui: &mut Ui, cx: &mut Cx<'_>) {
    for name in ["cifar-10", "cifar-100", "imagenet-r"] {
        let Some(set) = named::published(name) else {
            continue;
        };
        let size = format!("{} MB", set.megabytes);
        let line =
            egui::Button::new(set.name).right_text(RichText::new(size).color(tokens(ui).subdued));
        if ui.add(line).on_hover_text(set.about).clicked() {
            cx.pages.experiment.folder = false;
            cx.act(UiCommand::ChooseData(name.into()));
        }
    }
}

/// A published set that is not here: what it is, and the way to get it.
fn offer(ui: &mut Ui, cx: &mut Cx<'_>, set: &named::PublishedData) {
    let item = Item::Data(set.name.to_string());
    let under_way = cx.session.under_way_like(&item);
    if under_way.is_some_and(|download| download.item == item) {
        return;
    }
    widgets::sentence(ui, format!("{} It is not on this computer.", set.about));
    faint(
        ui,
        format!(
            "{} MB from {}. Licence: {}",
            set.megabytes, set.url, set.licence
        ),
    );
    if let Some(problem) = cx.session.download_problem(&item) {
        widgets::problem(ui, problem);
    }
    let words = format!("Download {} MB", set.megabytes);
    let free = cx.session.under_way_like(&item).is_none();
    let start = button_if(ui, free, words);
    let clicked = start
        .on_hover_text("It can be stopped and goes on from there later")
        .on_disabled_hover_text("Another download is under way")
        .clicked();
    if clicked {
        let command = ExperimentCommand::Download(item);
        cx.act(UiCommand::OnExperiment(command));
    }
}

/// A download that goes on, whatever data set is on show.
fn on_its_way(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(download) = cx.session.under_way_like(&Item::Data(String::new())) else {
        return;
    };
    let (done, total) = download.transfer.progress();
    ui.horizontal(|ui| {
        let of = total.map_or_else(String::new, |total| format!(" of {}", bytes_text(total)));
        faint(
            ui,
            format!(
                "Downloading {}: {}{of}",
                download.item.name(),
                bytes_text(done)
            ),
        );
        if button(ui, "Stop download").clicked() {
            let command = ExperimentCommand::StopDownload(download.item.clone());
            cx.act(UiCommand::OnExperiment(command));
        }
    });
    let share = total.map_or(0.0, |total| done as f64 / total.max(1) as f64);
    widgets::progress(ui, share, &format!("Download of {}", download.item.name()));
    ui.ctx().request_repaint_after(Duration::from_millis(200));
}

/// A path to type, for systems without a file dialog and for those who like to.
fn folder(ui: &mut Ui, cx: &mut Cx<'_>) {
    let built_in = matches!(
        cx.session.experiment.draft.data.as_str(),
        "digits" | "letters"
    );
    let state = &mut cx.pages.experiment;
    let edit = widgets::line_edit(
        &mut state.path,
        (ui.available_width() - 110.0).clamp(160.0, 420.0),
    )
    .hint_text("Path of a folder, then Enter");
    let response = ui.add(edit).accessible_name("Data folder");
    if !response.has_focus() && !response.lost_focus() && !built_in {
        state.path.clone_from(&cx.session.experiment.draft.data);
    }
    let done = widgets::entered(ui, &response);
    let path = state.path.trim().to_string();
    if done && !path.is_empty() {
        cx.pages.experiment.folder = false;
        cx.act(UiCommand::ChooseData(path));
    }
    if button(ui, "Choose…").clicked() {
        cx.act(UiCommand::Pick(DialogPurpose::DataFolder));
    }
}

fn thumbs(ui: &mut Ui, cx: &mut Cx<'_>, view: &DataView) {
    let words = format!(
        "{} training and {}, {}{}",
        count_text(view.train_total()),
        counted(
            view.test_total(),
            &format!("{} image", cx.session.experiment.draft.measured_on())
        ),
        counted(view.classes.len(), "class"),
        view.sizes
            .map_or_else(String::new, |sizes| format!(", {sizes} pixels")),
    );
    let gap = 6.0;
    let (room, all) = (ui.available_width(), view.thumbs.len());
    // One picture for each class where they have room, smaller ones if need be.
    let side = (room / all.max(1) as f32 - gap).clamp(30.0, 44.0);
    let fit = ((room + gap) / (side + gap)).max(2.0) as usize;
    // The number of the others needs room, too.
    let others = (40.0 / (side + gap)).ceil() as usize;
    let shown = match view.classes.len() <= fit {
        true => all,
        false => all.min(fit.saturating_sub(others).max(1)),
    };
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = gap;
        for thumb in view.thumbs.iter().take(shown) {
            one_thumb(ui, cx, thumb, side);
        }
        let more = view.classes.len() - shown;
        if more > 0 {
            faint(ui, format!("+{more}"));
        }
        if ui.available_size_before_wrap().x > 390.0 {
            ui.add_space(8.0);
            faint(ui, &words);
        }
        // Else it stands in the next row.
        else {
            ui.end_row();
            faint(ui, &words);
        }
    });
}

fn one_thumb(ui: &mut Ui, cx: &mut Cx<'_>, thumb: &Thumb, side: f32) {
    let t = tokens(ui);
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(side), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &thumb.caption));
    let texture = cx.textures.of(ui.ctx(), &thumb.picture);
    let uv = covering(thumb.picture.width, thumb.picture.height);
    egui::Image::new((texture, rect.size()))
        .uv(uv)
        .corner_radius(5)
        .paint_at(ui, rect);
    let line = Stroke::new(1.0, t.line);
    ui.painter()
        .rect_stroke(rect, CornerRadius::same(5), line, StrokeKind::Inside);
    response.on_hover_text(&thumb.caption);
}

/// The middle square of a picture, as texture coordinates.
pub fn covering(width: usize, height: usize) -> Rect {
    let (w, h) = (width.max(1) as f32, height.max(1) as f32);
    let (x, y) = (w.min(h) / w / 2.0, w.min(h) / h / 2.0);
    Rect::from_min_max(egui::pos2(0.5 - x, 0.5 - y), egui::pos2(0.5 + x, 0.5 + y))
}
