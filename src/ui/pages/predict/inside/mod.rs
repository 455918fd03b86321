//! Look inside: the attention of the class token, the map of test features, the energies, and the movement of the PETs.
//! All of them show the task that the slider selects.

mod attention;
mod energies;
mod map;
mod movement;

use std::path::PathBuf;
use std::sync::Arc;

use egui::{Ui, Vec2};

use crate::metrics::Expert;
use crate::run::event::RunHeader;
use crate::run::inside::RunInspection;
use crate::session::Session;
use crate::session::views::Split;
use crate::tr;
use crate::ui::command::UiCommand;
use crate::ui::pages::{Cx, open_dataset_button};
use crate::ui::theme::GAP;
use crate::ui::widgets::icons::Icon;
use crate::ui::widgets::{self, card, faint, icon_text_button, part, segmented, terms};

/// Minimum width of the column at which two parts are side by side.
const SIDE_BY_SIDE_WIDTH: f32 = 620.0;

/// Height reserved for a view that is not loaded yet.
const RESERVED_HEIGHT: f32 = 230.0;

/// The state of the section that is kept between frames.
#[derive(Default)]
pub struct State {
    /// Whether the section is open.
    pub open: bool,
    /// The expert whose features and attention are shown.
    expert: Option<Expert>,
    map: map::State,
    /// A test image to show on Predict once it is decoded: its source, its index and its class.
    requested_image: Option<(PathBuf, (usize, usize), String)>,
}

/// The selected run and task, and the results of Look inside for them.
struct Scene<'a> {
    header: &'a RunHeader,
    /// The selected task, from 0.
    task: usize,
    expert: Expert,
    current: Option<Arc<RunInspection>>,
    /// The results after each task for which they are known.
    results: &'a [Arc<RunInspection>],
}

/// Draws the section: a line that opens and closes it, and its content.
pub fn section(ui: &mut Ui, cx: &mut Cx<'_>) {
    let run = cx.session.predict.run.as_ref();
    let header = run.and_then(|run| cx.session.header_of(run));
    let (Some(run), Some(header)) = (run, header) else {
        return;
    };
    let experts = experts_of(header);
    card(ui, |ui| show_header(ui, cx, &experts));
    if !cx.pages.predict.inside.open {
        return;
    }
    if cx.session.needs_inside() {
        cx.load(Session::request_inside);
    }
    let results: Vec<Arc<RunInspection>> =
        cx.session.predict.inside.run_results(run).cloned().collect();
    let task = cx.session.predict.task;
    let scene = Scene {
        header,
        task,
        expert: selected_expert(cx, &experts),
        current: cx.session.predict.inside.run(run, task).cloned(),
        results: &results,
    };
    show_requested_image(cx, &scene);
    let width = ui.available_width();
    if width < SIDE_BY_SIDE_WIDTH {
        let parts = [attention_card, map_card, energies_card, movement_card];
        parts.into_iter().for_each(|part| part(ui, cx, &scene));
        return;
    }
    let half = (width - GAP) / 2.0;
    for [left, right] in [[attention_card, map_card], [movement_card, energies_card]] {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = GAP;
            part(ui, half, |ui| left(ui, cx, &scene));
            part(ui, half, |ui| right(ui, cx, &scene));
        });
    }
}

fn experts_of(header: &RunHeader) -> Vec<Expert> {
    let experts = header.method.experts.iter().copied();
    experts.filter(|expert| *expert != Expert::ENSEMBLE).collect()
}

fn selected_expert(cx: &Cx<'_>, experts: &[Expert]) -> Expert {
    let requested = cx.pages.predict.inside.expert;
    let available = requested.filter(|expert| experts.contains(expert));
    available.or(experts.first().copied()).unwrap_or(Expert::ANSWER)
}

fn show_header(ui: &mut Ui, cx: &mut Cx<'_>, experts: &[Expert]) {
    let open = cx.pages.predict.inside.open;
    let mut expert = selected_expert(cx, experts);
    let (icon, label) = match open {
        true => (Icon::Up, tr!("predict-inside-close")),
        false => (Icon::Down, tr!("predict-inside-open")),
    };
    widgets::ends_in_order(
        ui,
        |ui| {
            widgets::title(ui, tr!("predict-inside"));
            if !open && ui.available_width() > 480.0 {
                faint(ui, tr!("predict-inside-about"));
            }
        },
        |ui| {
            if open && experts.len() > 1 {
                let options: Vec<(Expert, &str)> =
                    experts.iter().map(|expert| (*expert, expert.title())).collect();
                segmented(ui, "inside-expert", &options, &mut expert);
            }
            if icon_text_button(ui, icon, label).clicked() {
                cx.pages.predict.inside.open = !open;
            }
        },
    );
    if expert != selected_expert(cx, experts) {
        cx.pages.predict.inside.expert = Some(expert);
    }
}

fn attention_card(ui: &mut Ui, cx: &mut Cx<'_>, scene: &Scene<'_>) {
    part_card(ui, (tr!("predict-inside-attention"), "attention"), |ui| {
        if cx.session.predict.image.is_none() {
            faint(ui, tr!("predict-inside-attention-no-image"));
            return;
        }
        if let Some(problem) = cx.session.remote_weights_problem(&scene.header.folder) {
            widgets::problem(ui, &problem);
            return;
        }
        if let Some(problem) = cx.session.predict.inside.image_problem() {
            widgets::problem(ui, problem);
            return;
        }
        let input = cx.session.predict.inside.network_input.clone();
        let after = cx.session.predict.inside.image(scene.task).cloned();
        let (Some(input), Some(after)) = (input, after) else {
            faint(ui, tr!("predict-inside-attention-computing"));
            ui.set_min_height(RESERVED_HEIGHT);
            return;
        };
        let before = match scene.task.checked_sub(1) {
            Some(task) => {
                let inside = cx.session.predict.inside.image(task);
                inside.and_then(|inside| inside.map_of(scene.expert)).cloned()
            }
            None => after.before.clone(),
        };
        let texture = cx.textures.get(ui.ctx(), &input);
        if let Some(current) = after.map_of(scene.expert) {
            attention::show(ui, texture, before.as_ref(), current, scene.task);
        }
    });
}

fn map_card(ui: &mut Ui, cx: &mut Cx<'_>, scene: &Scene<'_>) {
    part_card(ui, (tr!("predict-inside-feature-map"), "map"), |ui| {
        if !has_probe(ui, cx, scene) {
            return;
        }
        let state = &mut cx.pages.predict.inside.map;
        let opened = map::show(ui, state, scene);
        if let Some(index) = opened
            && let Some(probe) = scene.current.as_ref().and_then(|now| now.probe.as_ref())
        {
            let class = scene.header.class_order.get(probe.labels[index]).cloned();
            let (run, location) = (scene.header.folder.clone(), probe.places[index]);
            cx.pages.predict.inside.requested_image =
                Some((run, location, class.unwrap_or_default()));
        }
    });
}

fn energies_card(ui: &mut Ui, cx: &mut Cx<'_>, scene: &Scene<'_>) {
    part_card(ui, (tr!("predict-inside-energies"), "energy"), |ui| {
        if has_probe(ui, cx, scene) {
            energies::show(ui, scene);
        }
    });
}

fn movement_card(ui: &mut Ui, cx: &mut Cx<'_>, scene: &Scene<'_>) {
    part_card(ui, (tr!("predict-inside-pet-movement"), "movement"), |ui| match &scene.current {
        _ if !scene.header.method.uses_pet => {
            let title = &scene.header.method.title;
            faint(ui, tr!("predict-inside-no-pet", method = title));
        }
        Some(now) => movement::show(ui, scene, &now.movement),
        None => waiting(ui, cx, scene),
    });
}

fn part_card(ui: &mut Ui, (title, term): (&str, &str), add: impl FnOnce(&mut Ui)) {
    card(ui, |ui| {
        ui.spacing_mut().item_spacing = Vec2::splat(6.0);
        terms::term_title(ui, title, term);
        add(ui);
    });
}

/// Returns whether there are results for test images. If not, draws the reason.
fn has_probe(ui: &mut Ui, cx: &mut Cx<'_>, scene: &Scene<'_>) -> bool {
    match &scene.current {
        Some(now) => {
            if let Some(problem) = &now.problem {
                widgets::problem(ui, problem);
            }
            now.probe.is_some()
        }
        None => {
            waiting(ui, cx, scene);
            false
        }
    }
}

/// Draws what is being loaded. The height of the view is reserved, so that nothing moves later.
fn waiting(ui: &mut Ui, cx: &mut Cx<'_>, scene: &Scene<'_>) {
    ui.set_min_height(RESERVED_HEIGHT);
    let (config, folder) = (&scene.header.config, &scene.header.folder);
    if let Some(problem) = cx.session.predict.inside.problem(folder) {
        widgets::problem(ui, problem);
    } else if let Some(problem) = cx.session.remote_weights_problem(folder) {
        widgets::problem(ui, &problem);
    } else if cx.session.needs_permission(config) {
        open_dataset_button(ui, cx, config);
    } else {
        faint(ui, tr!("predict-inside-processing"));
    }
}

/// Shows the test image that was clicked on Predict once it is decoded.
fn show_requested_image(cx: &mut Cx<'_>, scene: &Scene<'_>) {
    let requested = cx.pages.predict.inside.requested_image.clone();
    let Some((run, (source, index), class)) = requested else {
        return;
    };
    if run != scene.header.folder {
        // Another run, which may have other images, was selected while the image was being loaded.
        cx.pages.predict.inside.requested_image = None;
        return;
    }
    let session = cx.session;
    let lookup = match source {
        0 => {
            let data = session.data_of(&scene.header.config);
            data.and_then(|data| session.sample_image(&data, Split::Test, index))
        }
        added_task => session.added_task_image(scene.header, added_task, index),
    };
    match cx.look_up(lookup) {
        Some(Ok(image)) => cx.dispatch(UiCommand::PredictImage(image, Some(class))),
        Some(Err(problem)) => cx.change(|session| session.notify(problem, true)),
        None => return,
    }
    cx.pages.predict.inside.requested_image = None;
}
