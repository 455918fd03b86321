//! The data card: which set, what is in it, and how its classes fall into tasks.

use egui::{Align2, CornerRadius, Rect, Role, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo};

use super::{standing, text};
use crate::problem::listed;
use crate::session::jobs::Wanted;
use crate::session::story::counted;
use crate::session::views::{DataView, Fetch};
use crate::ui::app::Cx;
use crate::ui::command::UiCommand;
use crate::ui::theme::{CONTROL, RADIUS, regular, semibold, tokens};
use crate::ui::widgets::{self, Standing, button, card, faint, painted_text, segmented};

/// The three ways to say where data comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Digits,
    Letters,
    Folder,
}

/// Draws the data card.
pub fn card_of_data(ui: &mut Ui, cx: &mut Cx<'_>) {
    card(ui, |ui| {
        head(ui, cx);
        choice(ui, cx);
        match cx.session.data.clone() {
            Fetch::Nothing => {
                faint(
                    ui,
                    "Choose a folder with one subfolder per class, or with train and test folders that hold them. CIFAR-100's binary files work too.",
                );
            }
            Fetch::Busy => {
                ui.horizontal(|ui| {
                    ui.spinner();
                    faint(ui, format!("Looking through {}", cx.session.draft.data));
                });
            }
            Fetch::Failed(problem) => widgets::problem(ui, &problem),
            Fetch::Ready(view) => {
                thumbs(ui, cx, &view);
                tasks(ui, cx);
                order(ui, cx);
            }
        }
    });
}

fn head(ui: &mut Ui, cx: &Cx<'_>) {
    let stand = match &cx.session.data {
        Fetch::Busy => Standing::Busy,
        Fetch::Ready(_) => standing(cx, &["--data", "--classes-per-task", "--order", "-limit"]),
        Fetch::Nothing | Fetch::Failed(_) => Standing::Wrong,
    };
    let credit = cx.session.data.ready().map(|view| view.credit.clone());
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
    let mut source = match cx.session.draft.data.as_str() {
        _ if cx.pages.experiment.folder => Source::Folder,
        "digits" => Source::Digits,
        "letters" => Source::Letters,
        _ => Source::Folder,
    };
    ui.horizontal_wrapped(|ui| {
        let options = [
            (Source::Digits, "Digits"),
            (Source::Letters, "Letters"),
            (Source::Folder, "Folder…"),
        ];
        if segmented(ui, "data", &options, &mut source) {
            cx.pages.experiment.folder = source == Source::Folder;
            match source {
                Source::Digits => choose_built_in(cx, "digits", "2"),
                Source::Letters => choose_built_in(cx, "letters", "6,5,5,5,5"),
                Source::Folder => cx.act(UiCommand::Pick(Wanted::DataFolder)),
            }
        }
        if source == Source::Folder {
            folder(ui, cx);
        } else {
            faint(
                ui,
                "or drop a folder anywhere in this window: one subfolder a class",
            );
        }
    });
}

fn choose_built_in(cx: &mut Cx<'_>, key: &str, classes_per_task: &str) {
    cx.session.draft.classes_per_task = classes_per_task.into();
    cx.act(UiCommand::ChooseData(key.into()));
}

/// A path to type, for systems without a file dialog and for those who like to.
fn folder(ui: &mut Ui, cx: &mut Cx<'_>) {
    let built_in = matches!(cx.session.draft.data.as_str(), "digits" | "letters");
    let state = &mut cx.pages.experiment;
    let edit = egui::TextEdit::singleline(&mut state.path)
        .hint_text("Path of a folder, then Enter")
        .desired_width((ui.available_width() - 110.0).clamp(160.0, 420.0))
        .min_size(Vec2::new(0.0, CONTROL))
        .margin(egui::Margin::symmetric(9, 6));
    let response = ui.add(edit).accessible_name("Data folder");
    if !response.has_focus() && !response.lost_focus() && !built_in {
        state.path.clone_from(&cx.session.draft.data);
    }
    let done = response.lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter));
    let path = state.path.trim().to_string();
    if done && !path.is_empty() {
        cx.pages.experiment.folder = false;
        cx.act(UiCommand::ChooseData(path));
    }
    if button(ui, "Choose…").clicked() {
        cx.act(UiCommand::Pick(Wanted::DataFolder));
    }
}

fn thumbs(ui: &mut Ui, cx: &mut Cx<'_>, view: &DataView) {
    let t = tokens(ui);
    let side = 44.0;
    let words = format!(
        "{} training and {} test images, {}",
        crate::session::run_view::count_text(view.train_total()),
        crate::session::run_view::count_text(view.test_total()),
        counted(view.classes.len(), "class"),
    );
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        let fit = ((ui.available_width() - 290.0) / (side + 6.0)).max(4.0) as usize;
        for thumb in view.thumbs.iter().take(fit) {
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
        ui.add_space(8.0);
        faint(ui, words);
    });
}

/// The middle square of a picture, as texture coordinates.
pub fn covering(width: usize, height: usize) -> Rect {
    let (w, h) = (width.max(1) as f32, height.max(1) as f32);
    let (x, y) = (w.min(h) / w / 2.0, w.min(h) / h / 2.0);
    Rect::from_min_max(egui::pos2(0.5 - x, 0.5 - y), egui::pos2(0.5 + x, 0.5 + y))
}

/// The task strip: one cell per task with its classes.
fn tasks(ui: &mut Ui, cx: &Cx<'_>) {
    let tasks = &cx.session.plan.tasks;
    if tasks.is_empty() {
        return;
    }
    let gap = if tasks.len() > 10 { 3.0 } else { 8.0 };
    let width = ui.available_width();
    let count = tasks.len() as f32;
    let cell = ((width - gap * (count - 1.0)) / count).max(14.0);
    let (strip, _) = ui.allocate_exact_size(Vec2::new(width, 48.0), Sense::hover());
    let t = tokens(ui);
    for (i, classes) in tasks.iter().enumerate() {
        let min = strip.min + Vec2::new((cell + gap) * i as f32, 0.0);
        let rect = Rect::from_min_size(min, Vec2::new(cell, 48.0));
        let name = format!("task {}: {}", i + 1, listed(classes, 12));
        let response = ui.interact(rect, ui.scope_id().with(("task", i)), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
        let line = Stroke::new(1.0, t.line);
        ui.painter()
            .rect_stroke(rect, CornerRadius::same(RADIUS), line, StrokeKind::Inside);
        let inside = cell - 20.0;
        if cell > 50.0 {
            let at = rect.min + Vec2::new(11.0, 16.0);
            let label = format!("task {}", i + 1);
            painted_text(
                ui,
                at,
                Align2::LEFT_CENTER,
                &label,
                regular(12.0),
                t.subdued,
                inside,
            );
            let at = rect.min + Vec2::new(11.0, 33.0);
            let short = classes.iter().all(|class| class.chars().count() <= 2);
            let text = classes.join(if short { "  " } else { ", " });
            painted_text(
                ui,
                at,
                Align2::LEFT_CENTER,
                &text,
                semibold(12.5),
                t.strong,
                inside,
            );
        } else {
            let label = format!("{}", i + 1);
            painted_text(
                ui,
                rect.center(),
                Align2::CENTER_CENTER,
                &label,
                regular(11.0),
                t.subdued,
                cell,
            );
        }
        let images = cx.session.plan.train_images.get(i).copied().unwrap_or(0);
        response.on_hover_text(format!("{name}\n{}", counted(images, "training image")));
    }
}

fn order(ui: &mut Ui, cx: &mut Cx<'_>) {
    ui.horizontal(|ui| {
        let label = faint(ui, "Classes per task");
        text(ui, &mut cx.session.draft.classes_per_task, 110.0)
            .labelled_by(label.id)
            .on_hover_text("One number for all tasks, or one for each: 6,5,5,5,5");
        ui.add_space(8.0);
        let label = faint(ui, "Class order");
        text(ui, &mut cx.session.draft.order, 110.0)
            .labelled_by(label.id)
            .on_hover_text("natural, seed:1, or a JSON file with class names");
        let menu = button(ui, "Orders");
        egui::Popup::menu(&menu).show(|ui| {
            for (key, title) in [
                ("natural", "Natural: sorted by name"),
                ("seed:1", "Shuffled with seed 1"),
                ("seed:2", "Shuffled with seed 2"),
                ("seed:3", "Shuffled with seed 3"),
            ] {
                if ui.button(title).clicked() {
                    cx.session.draft.order = key.into();
                }
            }
            if ui.button("From a file…").clicked() {
                cx.act(UiCommand::Pick(Wanted::Order));
            }
        });
    });
}
