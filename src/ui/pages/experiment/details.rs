//! The expandable parts of the data card: images per class, augmented training images, splits and memory.

use std::sync::Arc;

use egui::{Align2, Rect, Role, ScrollArea, Ui, Vec2, pos2};

use super::setting::show_in_row;
use super::{row, tasks};
use crate::data::FULL_DEPTH;
use crate::session::augmented_samples::{NetworkInput, NetworkInputs};
use crate::session::formatting::{compare_natural, format_bytes, format_count};
use crate::session::views::{DataView, Fetch};
use crate::tr;
use crate::ui::cached::Shared;
use crate::ui::pages::Cx;
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::{self, allocate_named, button, faint, paint_truncated_text};

/// The part of the data card that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Images per class.
    Classes,
    /// Training images as the network receives them.
    NetworkInputs,
    /// All classes of all tasks, which can be moved.
    Arrange,
    /// Split shares and memory.
    Splits,
}

/// Below this number of classes, no chart is drawn above the list of classes.
const MIN_CHART_CLASSES: usize = 12;
/// Size of an image, in points.
const IMAGE_SIZE: f32 = 92.0;

/// Draws the row of parts and the part that is open.
pub fn parts(ui: &mut Ui, cx: &mut Cx<'_>, view: &DataView) {
    ui.horizontal_wrapped(|ui| {
        let mut all = vec![
            (Part::Classes, tr!("data-part-images-per-class")),
            (Part::NetworkInputs, tr!("data-part-network-input")),
            (Part::Arrange, tr!("data-part-arrange-classes")),
        ];
        if !should_show_splits(cx) {
            all.push((Part::Splits, tr!("data-part-splits")));
        }
        for (part, title) in all {
            let open = cx.pages.experiment.open_part == Some(part);
            if ui.add(egui::Button::selectable(open, title)).clicked() {
                cx.pages.experiment.open_part = (!open).then_some(part);
            }
        }
    });
    match cx.pages.experiment.open_part {
        Some(Part::Classes) => classes(ui, cx, view),
        Some(Part::NetworkInputs) => network_inputs(ui, cx),
        Some(Part::Arrange) => tasks::arrange(ui, cx),
        Some(Part::Splits) if !should_show_splits(cx) => splits(ui, cx, view),
        Some(Part::Splits) | None => {}
    }
}

/// Returns the range of counts, such as "100 to 540 (median 230)".
fn format_range(counts: &[usize]) -> String {
    let mut sorted = counts.to_vec();
    sorted.sort_unstable();
    match (sorted.first(), sorted.last()) {
        (Some(&low), Some(&high)) if low == high => format_count(low),
        (Some(&low), Some(&high)) => {
            let median = sorted[sorted.len() / 2];
            tr!("data-images-range", low, high, median)
        }
        _ => "0".into(),
    }
}

/// Returns the classes in natural order. They are sorted once for each dataset.
fn sorted_classes(cx: &mut Cx<'_>, view: &DataView) -> Arc<Vec<usize>> {
    cx.pages.experiment.sorted.get(Shared(view.dataset.clone()), || {
        let mut order: Vec<usize> = (0..view.classes.len()).collect();
        order.sort_by(|&a, &b| compare_natural(&view.classes[a], &view.classes[b]));
        Arc::new(order)
    })
}

fn classes(ui: &mut Ui, cx: &mut Cx<'_>, view: &DataView) {
    let (train, test) = (format_range(&view.train), format_range(&view.test));
    let is_validation = cx.session.experiment.draft.validation_share > 0.0;
    let text = match is_validation {
        true => tr!("data-images-per-class-validation", train, validation = test),
        false => tr!("data-images-per-class", train, test),
    };
    faint(ui, text);
    if view.classes.len() > MIN_CHART_CLASSES {
        overview(ui, view, is_validation);
    }
    let max = view.train.iter().zip(&view.test).map(|(a, b)| a + b);
    let max = max.max().unwrap_or(0).max(1);
    let sorted = sorted_classes(cx, view);
    ScrollArea::vertical().id_salt("classes").max_height(190.0).show_rows(
        ui,
        20.0,
        view.classes.len(),
        |ui, rows| {
            for class in rows {
                class_row(ui, view, sorted[class], max, is_validation);
            }
        },
    );
}

/// Draws a column for each class: training images below, test or validation images above. If there are more classes
/// than pixels, a column shows several classes.
fn overview(ui: &mut Ui, view: &DataView, is_validation: bool) {
    let t = tokens(ui);
    let size = Vec2::new(ui.available_width(), 72.0);
    let (rect, response) =
        allocate_named(ui, size, Role::Image, tr!("data-images-per-class-chart"));
    ui.painter().rect_filled(rect, 4, t.background);
    let count = view.classes.len();
    let columns = count.min(rect.width() as usize).max(1);
    let range = |column: usize| {
        let start = column * count / columns;
        start..((column + 1) * count / columns).max(start + 1)
    };
    let mean = |counts: &[usize], column: usize| {
        let part = &counts[range(column)];
        part.iter().sum::<usize>() as f32 / part.len() as f32
    };
    let bars: Vec<(f32, f32)> =
        (0..columns).map(|column| (mean(&view.train, column), mean(&view.test, column))).collect();
    let max = bars.iter().map(|(a, b)| a + b).fold(1.0, f32::max);
    let step = rect.width() / columns as f32;
    let gap = if step > 4.0 { 1.0 } else { 0.0 };
    for (column, (train, test)) in bars.into_iter().enumerate() {
        let left = rect.left() + step * column as f32;
        let y = |value: f32| rect.bottom() - rect.height() * value / max;
        let bar = |from: f32, to: f32| {
            Rect::from_min_max(pos2(left, y(to)), pos2(left + step - gap, y(from)))
        };
        ui.painter().rect_filled(bar(0.0, train), 0.0, t.accent);
        ui.painter().rect_filled(bar(train, train + test), 0.0, t.warning);
    }
    if let Some(pointer) = response.hover_pos() {
        let column = ((pointer.x - rect.left()) / step) as usize;
        let class = range(column.min(columns - 1)).start;
        response.on_hover_text(class_summary(view, class, is_validation));
    }
}

fn class_summary(view: &DataView, class: usize, is_validation: bool) -> String {
    let train = tr!("data-training-images", n = view.train[class]);
    let test = match is_validation {
        true => tr!("data-validation-images", n = view.test[class]),
        false => tr!("data-test-images", n = view.test[class]),
    };
    let class = view.classes[class].as_str();
    tr!("data-class-images", class, train, test)
}

fn class_row(ui: &mut Ui, view: &DataView, class: usize, max: usize, is_validation: bool) {
    let t = tokens(ui);
    let size = Vec2::new(ui.available_width(), 20.0);
    let summary = class_summary(view, class, is_validation);
    let (rect, response) = allocate_named(ui, size, Role::Meter, &summary);
    let name_width = (rect.width() * 0.3).clamp(60.0, 220.0);
    let pos = rect.left_center();
    let (align, font, text) = (Align2::LEFT_CENTER, regular(12.0), &view.classes[class]);
    paint_truncated_text(ui, pos, align, text, font, t.text, name_width - 6.0);
    let track = Rect::from_min_max(
        pos2(rect.left() + name_width, rect.top() + 4.0),
        pos2(rect.right() - 110.0, rect.bottom() - 4.0),
    );
    let width = |count: usize| track.width() * count as f32 / max as f32;
    let (train, test) = (view.train[class], view.test[class]);
    let mut bar = track;
    bar.set_width(width(train));
    ui.painter().rect_filled(bar, 2.0, t.accent);
    let test_bar = Rect::from_min_size(bar.right_top(), Vec2::new(width(test), bar.height()));
    ui.painter().rect_filled(test_bar, 2.0, t.warning);
    let numbers = format!("{train} + {test}");
    let pos = rect.right_center() - Vec2::new(8.0, 0.0);
    let align = Align2::RIGHT_CENTER;
    paint_truncated_text(ui, pos, align, &numbers, regular(12.0), t.text, 100.0);
    response.on_hover_text(summary);
}

fn network_inputs(ui: &mut Ui, cx: &mut Cx<'_>) {
    let state = &mut cx.pages.experiment;
    // A task with fewer epochs than the longest task has no image in the later epochs.
    let experiment = &cx.session.experiment;
    let longest = experiment.plan.epochs(&experiment.draft).into_iter().max();
    let epochs = longest.unwrap_or(experiment.draft.epochs).max(1);
    let (epoch, shift) = (state.input_epoch % epochs, state.input_shift);
    ui.horizontal_wrapped(|ui| {
        let next_epoch = button(ui, tr!("data-next-epoch"));
        if next_epoch.on_hover_text(tr!("data-next-epoch-hint")).clicked() {
            state.input_epoch = (epoch + 1) % epochs;
        }
        if button(ui, tr!("data-other-images")).clicked() {
            state.input_shift += 1;
        }
        let text = tr!("data-epoch-crops", epoch = epoch + 1, epochs);
        faint(ui, text);
    });
    if cx.session.needs_network_inputs(epoch, shift) {
        cx.load(move |session| session.load_network_inputs(epoch, shift));
    }
    match cx.session.network_inputs() {
        Fetch::Ready(inputs) => input_list(ui, cx, inputs),
        Fetch::Failed(problem) => widgets::problem(ui, problem),
        Fetch::Busy | Fetch::Nothing => widgets::loading(ui, tr!("data-loading-images")),
    }
}

fn input_list(ui: &mut Ui, cx: &mut Cx<'_>, inputs: &NetworkInputs) {
    faint(ui, tr!("data-input-sizes", size = inputs.input_size));
    ScrollArea::horizontal().id_salt("sight").show(ui, |ui| {
        ui.horizontal_top(|ui| {
            for input in &inputs.images {
                image_pair(ui, cx, input);
            }
        });
    });
}

fn image_pair(ui: &mut Ui, cx: &mut Cx<'_>, input: &NetworkInput) {
    ui.vertical(|ui| {
        ui.set_width(IMAGE_SIZE);
        ui.spacing_mut().item_spacing.y = 4.0;
        let class = input.class.as_str();
        for (image, name, tip) in [
            (&input.training_view, tr!("data-input-training", class), input.words.as_str()),
            (&input.test_view, tr!("data-input-testing", class), tr!("data-input-centre-crop")),
        ] {
            let (rect, response) = allocate_named(ui, Vec2::splat(IMAGE_SIZE), Role::Image, &name);
            let texture = cx.textures.get(ui.ctx(), image);
            egui::Image::new((texture, rect.size())).corner_radius(5).paint_at(ui, rect);
            response.on_hover_text(format!("{}\n{tip}", image.name));
        }
        let caption = tr!("data-input-caption", class, task = input.task + 1);
        let colour = tokens(ui).subdued;
        let label = widgets::truncated(ui, &caption, regular(11.0), colour);
        label.on_hover_text(caption);
    });
}

/// Returns whether splits and memory are shown without opening them. This is the case if results are not measured on
/// the test images, if the images do not fit in memory, or if a bit depth was set. Test images that were drawn at
/// random are mentioned in the remarks instead.
fn should_show_splits(cx: &Cx<'_>) -> bool {
    let draft = &cx.session.experiment.draft;
    let budget = (draft.cache_mb as u64) << 20;
    let need = cx.session.experiment.plan.cache_bytes;
    let exceeds_cache = need.is_some_and(|need| need > budget);
    draft.validation_share > 0.0 || exceeds_cache || draft.bit_depth != FULL_DEPTH
}

/// Draws splits and memory if the user should see them.
pub fn show_relevant_splits(ui: &mut Ui, cx: &mut Cx<'_>, view: &DataView) {
    if should_show_splits(cx) {
        splits(ui, cx, view);
    }
}

/// Draws the shares of random splits and the memory for decoded images.
fn splits(ui: &mut Ui, cx: &mut Cx<'_>, view: &DataView) {
    let need = cx.session.experiment.plan.cache_bytes;
    row(ui, |ui| {
        if view.test_drawn {
            show_in_row(ui, cx, "test_share");
            ui.add_space(8.0);
        }
        show_in_row(ui, cx, "validation_share");
        ui.add_space(8.0);
        show_in_row(ui, cx, "cache_mb");
        let draft = &cx.session.experiment.draft;
        faint(ui, cache_text(need, draft.cache_mb));
        if draft.bit_depth != FULL_DEPTH || view.better_depth.is_some() {
            ui.add_space(8.0);
            show_in_row(ui, cx, "bit_depth");
        }
    });
    if cx.session.experiment.draft.validation_share > 0.0 {
        let text = tr!("data-measured-on-validation", n = view.test_total());
        widgets::coloured(ui, text, |t| t.warning);
    }
}

fn cache_text(need: Option<u64>, megabytes: usize) -> String {
    let budget = (megabytes as u64) << 20;
    match need {
        None => tr!("data-cache-loaded").into(),
        Some(need) if need <= budget => tr!("data-cache-fits", need = format_bytes(need)),
        Some(need) => tr!("data-cache-too-small", need = format_bytes(need)),
    }
}
