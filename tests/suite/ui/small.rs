//! Small details: wording of errors, positions and readability.

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use lae_studio::metrics::Expert;
use lae_studio::problem::Problem;
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::Event;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::UiCommand;
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{RUN, header, report};
use super::{recorded_window, save_screenshot, wait_until_idle};
use crate::data::DatasetFixture;

const SIZE: [f32; 2] = [1280.0, 1000.0];

#[test]
fn errors_use_field_names_instead_of_cli_options() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window(SIZE, ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    let defaults = RunConfig::default();
    let invalid = [
        (RunConfig { epochs: 0, batch: 0, base_lr: 0.0, ..defaults.clone() }, "Base learning rate"),
        (
            RunConfig { backbone: "vit_nothing".into(), ..defaults.clone() },
            tr!("experiment-backbone"),
        ),
        (RunConfig { order: "upside down".into(), ..defaults.clone() }, tr!("data-class-order")),
        (
            RunConfig { classes_per_task: "3,3".into(), ..defaults.clone() },
            tr!("data-classes-per-task"),
        ),
        (
            RunConfig { classes_per_task: "9".into(), ..defaults.clone() },
            tr!("data-classes-per-task"),
        ),
        (RunConfig { blocks: "99".into(), pet_size: 0, ..defaults.clone() }, "Blocks"),
        (RunConfig { data: "cifar-10".into(), ..defaults.clone() }, tr!("data-title")),
        (RunConfig { data: "/nowhere/at/all".into(), ..defaults }, tr!("data-title")),
    ];
    for (draft, field) in invalid {
        window.state_mut().session.load_run_settings(draft);
        wait_until_idle(&mut window);
        wait_until_idle(&mut window);
        assert!(window.query_all_by_label_contains(field).next().is_some(), "{field}");
        for option in ["--", "lae-studio "] {
            let node = window.query_all_by_label_contains(option).next();
            assert!(node.is_none(), "{option} is reported at {field}");
        }
        if field == tr!("experiment-backbone") {
            window.get_by_label_contains("more.");
            save_screenshot(&mut window, "unknown-backbone");
        }
    }
}

#[test]
fn every_class_has_image_or_is_counted() {
    let runs = tempfile::tempdir().unwrap();
    for width in [450.0, 900.0, 1024.0, 1280.0] {
        let (mut window, _) = recorded_window([width, 900.0], ThemeChoice::Light, runs.path());
        wait_until_idle(&mut window);
        for digit in 0..10 {
            let label = digit.to_string();
            let mut nodes = window.query_all_by_role_and_label(egui::Role::Image, &label);
            assert!(nodes.next().is_some(), "{digit} at {width}");
        }
    }
    let image_folder = DatasetFixture::new();
    for class in 0..40 {
        image_folder.write_class(&format!("kind {class}"), 3);
    }
    let (mut window, _) = recorded_window(SIZE, ThemeChoice::Dark, runs.path());
    let ctx = window.ctx.clone();
    let data = image_folder.path().display().to_string();
    window.state_mut().execute(&ctx, UiCommand::ChooseData(data));
    wait_until_idle(&mut window);
    let visible = (0..40).filter(|class| {
        let label = format!("kind {class}");
        let mut nodes = window.query_all_by_role_and_label(egui::Role::Image, &label);
        nodes.next().is_some()
    });
    let visible_count = visible.count();
    assert!((10..40).contains(&visible_count), "{visible_count}");
    window.get_by_label(&format!("+{}", 40 - visible_count));
    save_screenshot(&mut window, "forty-classes");
}

#[test]
fn unshowable_class_names_suggest_fonts() {
    let image_folder = DatasetFixture::new();
    image_folder
        .write_class("猫", 4)
        .write_class("แมว", 4)
        .write_class("बिल्ली", 4)
        .write_class("Katze", 4);
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window(SIZE, ThemeChoice::Dark, runs.path());
    let ctx = window.ctx.clone();
    ctx.set_missing_glyph_policy(egui::MissingGlyphPolicy::Tofu);
    let data = image_folder.path().display().to_string();
    window.state_mut().execute(&ctx, UiCommand::ChooseData(data));
    wait_until_idle(&mut window);
    for font in ["Noto Sans CJK", "Noto Sans Thai", "Noto Sans Devanagari"] {
        window.get_by_label_contains(font);
    }
    save_screenshot(&mut window, "fonts-missing");
}

/// Finishes a run whose predictions are all wrong.
fn finish_with_wrong_answers(
    window: &mut Harness<'_, StudioApp>,
    backend: &lae_studio::session::backend::RecordedBackend,
) {
    let mut report = report(4);
    let predictions: Vec<usize> =
        report.answers.labels.iter().map(|label| (label + 1) % 10).collect();
    for expert in [Expert::ONLINE, Expert::OFFLINE, Expert::ENSEMBLE] {
        report.answers.given.insert(expert, predictions.clone());
    }
    backend.push(Event::Started(Box::new(header())));
    backend.push(Event::TaskEvaluated { run: RUN.into(), report: Box::new(report) });
    backend.push(Event::Finished { run: RUN.into() });
    wait_until_idle(window);
}

#[test]
fn run_at_chance_level_is_no_success() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window(SIZE, ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
    finish_with_wrong_answers(&mut window, &backend);
    let notice = window.state().session.notices.list.last().unwrap().clone();
    assert!(notice.problem.what.contains("0.0\u{a0}%"), "{notice:?}");
    assert!(!notice.is_success && !notice.is_error);
    assert_says!(notice.problem.remedy, "train-no-better-than-guessing");
    let warnings = window.get_all_by_label(tr!("train-no-better-than-guessing")).count();
    assert_eq!(warnings, 3, "one warning beside each expert's figure");
    save_screenshot(&mut window, "guessing");
}

#[test]
fn notices_appear_below_page_without_moving_it() {
    let runs = tempfile::tempdir().unwrap();
    for size in [[900.0, 600.0], [1280.0, 800.0]] {
        let (mut window, _) = recorded_window(size, ThemeChoice::Dark, runs.path());
        wait_until_idle(&mut window);
        let start = window.get_by_label(tr!("experiment-start")).rect();
        let problem = Problem::new("something is to be known").advise("look at it");
        window.state_mut().session.notify(problem, true);
        window.run_steps(3);
        let notice = window.get_by_label("Something is to be known.").rect();
        assert_eq!(
            window.get_by_label(tr!("experiment-start")).rect(),
            start,
            "the start button does not move"
        );
        assert!(notice.top() > start.bottom());
        save_screenshot(&mut window, &format!("news-{}", size[0]));
        window.get_by_label("Something is to be known.").click();
        window.run_steps(4);
        window.get_by_label("Look at it.");
    }
}

#[test]
fn tab_key_moves_through_bar_left_to_right() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window(SIZE, ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    // The name of the device follows.
    let device = tr!("entries-device", device = "");
    let bar = [
        tr!("page-plugins"),
        tr!("page-learn"),
        tr!("shell-run-idle"),
        device.as_str(),
        tr!("settings-title"),
        tr!("shell-help"),
        tr!("shell-notices"),
        tr!("shell-palette"),
    ];
    window.get_by_label(bar[0]).focus();
    window.run_steps(2);
    let mut left = 0.0;
    for name in bar {
        let node = match name == device {
            true => window.get_by_label_contains(name),
            false => window.get_by_label(name),
        };
        assert!(node.accesskit_node().is_focused(), "{name}");
        assert!(node.rect().left() > left, "{name}");
        left = node.rect().left();
        window.key_press(egui::Key::Tab);
        window.run_steps(2);
    }
}

#[test]
fn run_titles_show_differing_seed_and_order() {
    let runs = tempfile::tempdir().unwrap();
    for (seed, order) in [(0, "natural"), (3, "natural"), (0, "seed:7")] {
        let mut header = header();
        header.config.seed = seed;
        header.config.order = order.into();
        let folder = lae_studio::store::RunFolder::create(runs.path(), &mut header, "").unwrap();
        folder.save_task(&report(0), &Default::default()).unwrap();
    }
    let (mut window, _) = recorded_window(SIZE, ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num4);
    wait_until_idle(&mut window);
    for title in ["digits · LAE · adapter 5 · seed 3", "digits · LAE · adapter 5 · order seed:7"]
    {
        assert!(window.query_all_by_label(title).next().is_some(), "{title}");
    }
    window.get_all_by_label_contains(" · stopped after 1 of 5 tasks").next().unwrap();
    save_screenshot(&mut window, "told-apart");
}
