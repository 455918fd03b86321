//! The backbone card: the family and weights with their description, location and precision.

use egui::{Popup, ProgressBar, RichText, ScrollArea, Ui, Vec2};

use super::{group_state, step};
use crate::backbone::families::{self, FAMILIES};
use crate::backbone::library::{Availability, Description, is_repository};
use crate::run::config::{Precision, Setting, SettingGroup};
use crate::session::downloads::Item;
use crate::session::file_dialog::{DialogPurpose, typed_path};
use crate::session::formatting::{format_bytes, format_count, format_number};
use crate::texts::join_translated;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::Cx;
use crate::ui::theme::{CONTROL_HEIGHT, regular, tokens};
use crate::ui::widgets::{self, StepState, button, faint, segmented};

/// The key of the last choice among the families, the user's own weights.
const FILE: &str = "file";

/// Draws the backbone card.
pub fn backbone(ui: &mut Ui, cx: &mut Cx<'_>) {
    let chosen = cx.session.backbone();
    let state = match chosen {
        None if cx.session.inventory.backbones.is_empty() => StepState::Busy,
        _ => group_state(cx, SettingGroup::Backbone),
    };
    let title = (tr!("experiment-backbone"), "backbone");
    let end = |ui: &mut Ui, cx: &mut Cx<'_>, open: bool| match chosen {
        Some(view) if open && !is_choosing_file(cx) => {
            widgets::truncated_faint(ui, view.entry.licence())
                .on_hover_text(tr!("experiment-weights-licence"));
        }
        _ if open => {}
        view => _ = widgets::truncated_faint(ui, short_summary(cx, view)),
    };
    step(ui, cx, SettingGroup::Backbone, state, title, end, |ui, cx| {
        ui.horizontal_wrapped(|ui| {
            choice(ui, cx, chosen);
            precision(ui, cx);
        });
        if chosen.is_some_and(|view| view.entry.has_own_transform()) && !is_choosing_file(cx) {
            transform(ui, cx);
        }
        match chosen {
            // The current backbone is not shown while the user chooses a file to replace it.
            Some(view) if is_choosing_file(cx) => {
                let now = view.entry.title();
                faint(ui, tr!("experiment-no-file-chosen", now));
            }
            Some(view) => {
                facts(ui, view);
                if let Availability::Absent { .. } = view.state {
                    download(ui, cx, view.entry.name.clone(), view.location_summary());
                }
            }
            None if is_repository(&cx.session.experiment.draft.backbone) => {
                let name = cx.session.experiment.draft.backbone.clone();
                download(ui, cx, name, tr!("count-weights-to-download").into());
            }
            None => {}
        }
    });
}

/// Returns a summary such as "ViT-B/16 · 85.8 M weights · 346 MB to download".
fn short_summary(cx: &Cx<'_>, view: Option<&Description>) -> String {
    let draft = &cx.session.experiment.draft;
    let Some(view) = view else {
        return draft.backbone.clone();
    };
    let mut parts = vec![
        view.entry.title().into(),
        tr!("experiment-parameter-count", n = format_millions(view.parameters)),
    ];
    if draft.precision != Precision::default() {
        parts.push(draft.precision.key().into());
    }
    if let Availability::Absent { .. } = view.state {
        parts.push(view.location_summary());
    }
    parts.join(" · ")
}

/// Returns whether the user wants to choose a weight file while a backbone of the table is still selected.
fn is_choosing_file(cx: &Cx<'_>) -> bool {
    cx.pages.experiment.choosing_weights && is_listed(cx, &cx.session.experiment.draft.backbone)
}

/// Returns whether the table has a backbone with this name.
fn is_listed(cx: &Cx<'_>, name: &str) -> bool {
    cx.session.inventory.backbone(name).is_some()
}

fn choice(ui: &mut Ui, cx: &mut Cx<'_>, chosen: Option<&Description>) {
    let from_file = cx.pages.experiment.choosing_weights
        || !is_listed(cx, &cx.session.experiment.draft.backbone);
    let family = match chosen {
        Some(view) if !from_file => view.entry.architecture.family().name,
        _ => FILE,
    };
    let options = FAMILIES.iter().map(|family| (family.name, family.title));
    let file_option = (FILE, tr!("experiment-weights-file"));
    let options: Vec<(&str, &str)> = options.chain([file_option]).collect();
    let mut value = family;
    if segmented(ui, "family", &options, &mut value) {
        cx.pages.experiment.choosing_weights = value == FILE;
        if value == FILE {
            cx.change(|session| session.open_file_dialog(DialogPurpose::Weights));
        } else if let Some(view) = default_backbone(&cx.session.inventory.backbones, value) {
            let name = view.entry.name.clone();
            cx.change(move |session| session.choose_backbone(&name));
        }
    }
    if value == FILE {
        file_field(ui, cx);
        return;
    }
    let title = chosen.map_or("", |view| view.entry.title());
    let menu = egui::Button::new(title)
        .right_text(RichText::new("▾").color(tokens(ui).subdued))
        .min_size(Vec2::new(0.0, CONTROL_HEIGHT));
    let menu = ui.add(menu).accessible_name(tr!("experiment-weights"));
    Popup::menu(&menu).show(|ui| weights_menu(ui, cx, family));
}

/// Returns the default backbone of a family, or the family's first backbone in the table.
fn default_backbone<'a>(backbones: &'a [Description], family: &str) -> Option<&'a Description> {
    let default_name = families::find_family(family).map_or("", |family| family.default_network);
    let is_default = |view: &&Description| view.entry.name == default_name;
    family_backbones(backbones, family)
        .find(is_default)
        .or(family_backbones(backbones, family).next())
}

fn family_backbones<'a>(
    backbones: &'a [Description],
    family: &str,
) -> impl Iterator<Item = &'a Description> {
    backbones.iter().filter(move |view| view.entry.architecture.family().name == family)
}

/// Draws the weights of a family, each with size and location.
fn weights_menu(ui: &mut Ui, cx: &mut Cx<'_>, family: &str) {
    ui.set_min_width(430.0);
    let backbones = &cx.session.inventory.backbones;
    ScrollArea::vertical().max_height(360.0).show(ui, |ui| {
        for view in family_backbones(backbones, family) {
            let is_selected = cx.session.experiment.draft.backbone == view.entry.name;
            let item = egui::Button::selectable(is_selected, view.entry.title())
                .right_text(RichText::new(view.location_summary()).color(tokens(ui).subdued));
            let hint = format!("{}\n{}", view.entry.name, pretraining_text(view));
            if ui.add(item).on_hover_text(hint).clicked() {
                let name = view.entry.name.clone();
                cx.change(move |session| session.choose_backbone(&name));
            }
        }
    });
}

/// Draws a field for the path of a weight file, for systems without a file dialog.
fn file_field(ui: &mut Ui, cx: &mut Cx<'_>) {
    let draft = &cx.session.experiment.draft.backbone;
    let is_known = is_listed(cx, draft);
    let state = &mut cx.pages.experiment;
    let width = (ui.available_width() - 110.0).clamp(160.0, 420.0);
    let edit = widgets::line_edit(&mut state.weights_path, width);
    let edit = edit.hint_text(tr!("experiment-weights-path"));
    let response = ui.add(edit).accessible_name(tr!("experiment-weights-name"));
    let inventory = &cx.session.inventory;
    if !response.has_focus() && !response.lost_focus() && !inventory.backbones.is_empty() {
        if !is_known {
            state.weights_path.clone_from(draft);
        } else if inventory.backbone(&state.weights_path).is_some() {
            // A backbone's name is not a path, so the field is cleared.
            state.weights_path.clear();
        }
    }
    let current = if is_known { "" } else { draft };
    let committed = widgets::committed(ui, &response, &mut state.weights_path, current);
    let done = committed || widgets::is_submitted(ui, &response);
    let typed = typed_path(&state.weights_path).display().to_string();
    if done && !typed.is_empty() {
        cx.dispatch(UiCommand::ChooseWeights(typed));
    }
    cx.change_button(ui, tr!("experiment-choose"), |s| s.open_file_dialog(DialogPurpose::Weights));
    if !is_known {
        values_field(ui, cx);
    }
}

/// Draws a field for values that neither the weight file nor the files next to it contain.
fn values_field(ui: &mut Ui, cx: &mut Cx<'_>) {
    let current = cx.session.experiment.draft.backbone_set.clone();
    let current = current.unwrap_or_default();
    let state = &mut cx.pages.experiment;
    let edit = widgets::line_edit(&mut state.backbone_values, 260.0)
        .hint_text(tr!("experiment-backbone-values-hint"));
    let response = ui
        .add(edit)
        .accessible_name(tr!("experiment-backbone-values"))
        .on_hover_text(tr!("experiment-backbone-values-meaning"));
    if !response.has_focus() && !response.lost_focus() {
        state.backbone_values.clone_from(&current);
    }
    let committed = widgets::committed(ui, &response, &mut state.backbone_values, &current);
    if committed || widgets::is_submitted(ui, &response) {
        let text = state.backbone_values.trim().to_string();
        let value = Some(text).filter(|text| !text.is_empty());
        let value = value.map(|text| Setting::Text(text.into()));
        cx.set("backbone_set", value);
    }
}

fn facts(ui: &mut Ui, view: &Description) {
    let size = view.entry.architecture.input_size();
    let mut parts = vec![
        tr!("experiment-parameter-count", n = format_millions(view.parameters)),
        tr!("experiment-input-size", size),
        tr!("experiment-block-count", n = view.blocks.len()),
    ];
    parts.extend(view.entry.size_mb.map(|n| tr!("data-megabytes", n)));
    parts.push(pretraining_text(view));
    let t = tokens(ui);
    let mut small = |line: String, colour| {
        let text = RichText::new(line).font(regular(12.0)).color(colour);
        ui.add(egui::Label::new(text).wrap());
    };
    small(parts.join(" · "), t.subdued);
    if let Some(warning) = view.entry.warning() {
        small(tr!("experiment-note", warning), t.warning);
    }
    if !view.assumptions.is_empty() {
        let note = tr!("experiment-assumed", what = join_translated(&view.assumptions, "; "));
        faint(ui, note);
    }
}

fn pretraining_text(view: &Description) -> String {
    match view.entry.pretrained_on() {
        "" => tr!("experiment-pretrained-unknown").into(),
        data => tr!("experiment-pretrained", data),
    }
}

/// Formats a count in millions, such as "3.6 M".
fn format_millions(count: usize) -> String {
    if count < 1_000_000 {
        return format_count(count);
    }
    let n = format_number(count as f64 / 1e6, 1);
    tr!("experiment-million-parameters", n)
}

/// Draws the location of weights. A download can be started before the run and stopped.
fn download(ui: &mut Ui, cx: &mut Cx<'_>, name: String, place: String) {
    ui.horizontal_wrapped(|ui| {
        let item = Item::Weights(name);
        let Some(download) = cx.session.running_download_like(&item) else {
            faint(ui, tr!("experiment-download-at-start", place));
            if button(ui, tr!("experiment-download-now")).clicked() {
                cx.change(move |session| session.download(item));
            } else if let Some(problem) = cx.session.download_problem(&item) {
                widgets::problem(ui, problem);
            }
            return;
        };
        if download.item != item {
            faint(ui, tr!("experiment-download-other-running", place));
            return;
        }
        let (done, total) = download.transfer.progress();
        let share = done as f32 / total.unwrap_or(0).max(1) as f32;
        let bar = ProgressBar::new(share).desired_width(160.0);
        ui.add(bar).accessible_name(tr!("experiment-download"));
        let got = format_bytes(done);
        let text = match total.map(format_bytes) {
            Some(all) => tr!("experiment-downloading-of", got, all),
            None => tr!("experiment-downloading", got),
        };
        faint(ui, text);
        cx.change_button(ui, tr!("experiment-download-stop"), move |s| s.stop_download(&item));
        ui.request_repaint_after(std::time::Duration::from_millis(200));
    });
}

/// Draws the choice between the image transform of the pre-training and that of the paper.
fn transform(ui: &mut Ui, cx: &mut Cx<'_>) {
    ui.horizontal_wrapped(|ui| {
        let label = faint(ui, tr!("experiment-transform"));
        label.on_hover_text(tr!("experiment-transform-hint"));
        let options = [
            (true, tr!("experiment-transform-pretraining")),
            (false, tr!("experiment-transform-paper")),
        ];
        let mut pretrained = cx.session.experiment.draft.pretrained_transform;
        if segmented(ui, "transform", &options, &mut pretrained) {
            cx.set("pretrained_transform", Some(Setting::Flag(pretrained)));
        }
    });
}

fn precision(ui: &mut Ui, cx: &mut Cx<'_>) {
    let label = faint(ui, tr!("experiment-precision"));
    label.on_hover_text(tr!("experiment-precision-hint"));
    let options = Precision::ALL.map(|precision| (precision, precision.key()));
    let mut precision = cx.session.experiment.draft.precision;
    if segmented(ui, "precision", &options, &mut precision) {
        cx.set("precision", Some(Setting::Text(precision.key().into())));
    }
    let wanted = &cx.session.experiment.draft.device;
    let mut devices = cx.session.inventory.devices.iter();
    let cpu = devices.find(|device| device.is_cpu_selected_by(wanted));
    match (cx.session.experiment.draft.precision, cpu) {
        (Precision::F16, Some(_)) => faint(ui, tr!("experiment-cpu-f32")),
        (Precision::Bf16, None) => faint(ui, tr!("experiment-gpu-f16")),
        (Precision::Bf16, Some(cpu)) => match cpu.bf16_gain {
            None => faint(ui, tr!("experiment-cpu-no-bf16")),
            Some(gain) => {
                let gain = format_number(gain, 1);
                faint(ui, tr!("experiment-bf16-gain", gain))
                    .on_hover_text(tr!("experiment-bf16-hint"))
            }
        },
        _ => return,
    };
}
