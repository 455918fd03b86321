//! The map of test features. It has a point for each test image, which moves from task to task.

use std::sync::Arc;

use egui::{Key, Modifiers, Pos2, Rect, Response, Role, Sense, Stroke, Ui, pos2, vec2};

use super::Scene;
use crate::run::inside::{FeatureMap, ProbeInspection, RunInspection};
use crate::session::formatting::{format_number, format_percent};
use crate::tr;
use crate::ui::theme::{CARD_RADIUS, regular, tokens};
use crate::ui::widgets::input::lock_arrows;
use crate::ui::widgets::{allocate_named, faint};

/// Maximum distance in points between the pointer and an image's point.
const MAX_DISTANCE: f32 = 10.0;
/// Maximum number of classes in the legend and in the description.
const MAX_CLASSES: usize = 24;
/// Duration in seconds of the animation between tasks.
const ANIMATION_SECONDS: f32 = 0.15;

/// The state of the map that is kept between frames.
#[derive(Default)]
pub struct State {
    /// The index of the image that is selected with the keyboard.
    selected: Option<usize>,
}

/// Draws the map. Returns the index of the image that was clicked or selected with Enter.
pub fn show(ui: &mut Ui, state: &mut State, scene: &Scene<'_>) -> Option<usize> {
    let current = scene.current.as_ref()?;
    let probe = current.probe.as_ref()?;
    let map = probe.map_of(scene.expert)?;
    let text = tr!(
        "predict-map-about",
        n = probe.labels.len(),
        task = map.anchor + 1,
        first = format_percent(map.shares[0].into(), 0),
        second = format_percent(map.shares[1].into(), 0)
    );
    faint(ui, text);
    let width = ui.available_width();
    let size = vec2(width, (width * 0.75).clamp(160.0, 300.0));
    let description = describe(scene, probe, map);
    let (rect, response) = allocate_named(ui, size, Role::Button, &description);
    let points = point_positions(ui, scene, map, rect.shrink(10.0));
    handle_keys(ui, state, &response, probe.labels.len());
    paint(ui, rect, scene, probe, &points);
    let hovered = hovered_point(&response, &points);
    if let Some(index) = hovered {
        let tip = image_text(scene, probe, index);
        response.clone().on_hover_text_at_pointer(tip);
    }
    let selected = state.selected.filter(|at| *at < points.len() && response.has_focus());
    if let Some(index) = selected {
        paint_ring(ui, points[index]);
        faint(ui, image_text(scene, probe, index));
    }
    legend(ui, scene, probe);
    let entered = response.has_focus() && ui.input(|i| i.key_pressed(Key::Enter));
    match response.clicked() {
        true if entered => selected,
        true => hovered,
        false => None,
    }
}

/// Handles the keys Up and Down, which select the previous and the next image, sorted by class.
fn handle_keys(ui: &Ui, state: &mut State, response: &Response, count: usize) {
    if !response.has_focus() || count == 0 {
        return;
    }
    lock_arrows(ui, response.id);
    let pressed = |key| ui.input_mut(|i| i.count_and_consume_key(Modifiers::NONE, key));
    let (down, up) = (pressed(Key::ArrowDown), pressed(Key::ArrowUp));
    if down + up > 0 {
        let start = state.selected.map_or(count - usize::from(down > 0), |at| at);
        state.selected = Some((start + down + up * (count - 1)) % count);
    }
}

/// Returns the screen position of each image. During the animation, it is interpolated between two tasks.
fn point_positions(ui: &Ui, scene: &Scene<'_>, map: &FeatureMap, rect: Rect) -> Vec<Pos2> {
    let id = ui.scope_id().with("map-task");
    let progress = ui.ctx().animate_value_with_time(id, scene.task as f32, ANIMATION_SECONDS);
    let (low, share) = (progress.floor().max(0.0) as usize, progress.fract());
    let map_after =
        |task: usize| scene.results.iter().find_map(|inside| map_of_task(inside, scene, map, task));
    let (a, b) = (map_after(low), map_after(low + 1));
    let points: Vec<[f32; 2]> = match (a, b) {
        (Some(a), Some(b)) if share > 0.0 => {
            let mix = |a: f32, b: f32| a + (b - a) * share;
            let pairs = a.points.iter().zip(&b.points);
            pairs.map(|(a, b)| [mix(a[0], b[0]), mix(a[1], b[1])]).collect()
        }
        _ => map.points.clone(),
    };
    let bounds = bounds(scene, map);
    let middle = bounds.center();
    // Both axes have the same scale, so that distances are those of the features.
    let scales = rect.size() / bounds.size().max(vec2(1e-6, 1e-6));
    let scale = scales.x.min(scales.y);
    let to_screen =
        |[x, y]: [f32; 2]| rect.center() + vec2((x - middle.x) * scale, (middle.y - y) * scale);
    points.into_iter().map(to_screen).collect()
}

/// Returns the map of a task if it has the same axes and images.
fn map_of_task<'a>(
    inside: &'a Arc<RunInspection>,
    scene: &Scene<'_>,
    reference: &FeatureMap,
    task: usize,
) -> Option<&'a FeatureMap> {
    let probe = inside.probe.as_ref()?;
    let known = scene.header.tasks.get(task)?.end;
    let map = probe.map_of(scene.expert)?;
    let is_compatible =
        map.anchor == reference.anchor && map.points.len() == reference.points.len();
    (probe.known == known && is_compatible).then_some(map)
}

/// Returns the bounds of the points of all tasks, so that the scale of the map is constant.
fn bounds(scene: &Scene<'_>, reference: &FeatureMap) -> Rect {
    let probes = scene.results.iter().filter_map(|inside| inside.probe.as_ref());
    let maps = probes.filter_map(|probe| probe.map_of(scene.expert));
    let compatible = maps.filter(|map| map.anchor == reference.anchor);
    let mut bounds = Rect::NOTHING;
    for [x, y] in compatible.chain([reference]).flat_map(|map| &map.points) {
        bounds.extend_with(pos2(*x, *y));
    }
    bounds
}

fn paint(ui: &Ui, rect: Rect, scene: &Scene<'_>, probe: &ProbeInspection, points: &[Pos2]) {
    let t = tokens(ui);
    ui.painter().rect_filled(rect, CARD_RADIUS, t.background);
    let painter = ui.painter().with_clip_rect(rect);
    let classes = scene.header.class_order.len();
    let unlearned = (0..points.len()).filter(|index| probe.labels[*index] >= probe.known);
    // Images of learned classes are drawn on top.
    let learned = (0..points.len()).filter(|index| probe.labels[*index] < probe.known);
    for index in unlearned.chain(learned) {
        let label = probe.labels[index];
        if label >= probe.known {
            let line = Stroke::new(1.0, t.subdued.gamma_multiply(0.7));
            painter.circle_stroke(points[index], 2.6, line);
            continue;
        }
        painter.circle_filled(points[index], 3.4, t.class_colour(label, classes));
        if probe.given[index] != label {
            painter.circle_stroke(points[index], 4.6, Stroke::new(1.0, t.bad));
        }
    }
}

fn paint_ring(ui: &Ui, centre: Pos2) {
    let line = Stroke::new(2.0, tokens(ui).strong);
    ui.painter().circle_stroke(centre, 7.0, line);
}

fn hovered_point(response: &Response, points: &[Pos2]) -> Option<usize> {
    let pointer = response.hover_pos().or(response.interact_pointer_pos())?;
    let near = |(i, point): (usize, &Pos2)| {
        let distance = point.distance(pointer);
        (distance < MAX_DISTANCE).then_some((i, distance))
    };
    let candidates = points.iter().enumerate().filter_map(near);
    candidates.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| i)
}

fn image_text(scene: &Scene<'_>, probe: &ProbeInspection, index: usize) -> String {
    let names = &scene.header.class_order;
    let name = |class: usize| names.get(class).map_or("?", String::as_str);
    let label = probe.labels[index];
    let class = name(label);
    if label >= probe.known {
        tr!("predict-map-not-learned", class)
    } else if probe.given[index] == label {
        tr!("predict-map-correct", class)
    } else {
        let other = name(probe.given[index]);
        tr!("predict-map-wrong", class, other)
    }
}

fn legend(ui: &mut Ui, scene: &Scene<'_>, probe: &ProbeInspection) {
    let t = tokens(ui);
    let classes = &scene.header.class_order;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(4.0, 2.0);
        for (class, name) in classes.iter().enumerate().take(MAX_CLASSES) {
            let (rect, _) = ui.allocate_exact_size(vec2(9.0, 14.0), Sense::hover());
            let colour = if class < probe.known {
                ui.painter().circle_filled(
                    rect.center(),
                    3.6,
                    t.class_colour(class, classes.len()),
                );
                t.text
            } else {
                let line = Stroke::new(1.0, t.subdued);
                ui.painter().circle_stroke(rect.center(), 3.0, line);
                t.subdued
            };
            let name = egui::RichText::new(name).font(regular(11.5)).color(colour);
            ui.label(name);
        }
        if classes.len() > MAX_CLASSES {
            faint(ui, tr!("count-more", n = classes.len() - MAX_CLASSES));
        }
    });
    faint(ui, tr!("predict-map-legend"));
}

/// Describes the centre of each class for screen readers.
fn describe(scene: &Scene<'_>, probe: &ProbeInspection, map: &FeatureMap) -> String {
    let mut text = tr!("predict-map-described", task = scene.task + 1);
    for (class, name) in scene.header.class_order.iter().enumerate().take(MAX_CLASSES) {
        let points = probe.labels.iter().zip(&map.points);
        let points: Vec<&[f32; 2]> = points.filter(|(l, _)| **l == class).map(|(_, p)| p).collect();
        if points.is_empty() {
            continue;
        }
        let mean = |axis: usize| points.iter().map(|p| p[axis]).sum::<f32>() / points.len() as f32;
        let [x, y] = [0, 1].map(|axis| format_number(mean(axis).into(), 1));
        let around = match class < probe.known {
            true => tr!("predict-map-position", class = name, x, y),
            false => tr!("predict-map-position-not-learned", class = name, x, y),
        };
        text += &format!("; {around}");
    }
    text
}
