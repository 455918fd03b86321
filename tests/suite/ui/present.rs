//! The presentation: a guess before each task, then the result; which runs it shows, and how it closes.

use std::path::{Path, PathBuf};

use egui::epaint::{Shape, TextShape};
use egui_kittest::kittest::Queryable;
use egui_kittest::{Harness, SnapshotOptions, try_image_snapshot_options};
use lae_studio::metrics::Expert;
use lae_studio::run::event::{RunHeader, TaskReport};
use lae_studio::session::lessons;
use lae_studio::store::RunFolder;
use lae_studio::texts::Language;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::{Page, UiCommand};
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{events, header, report};
use super::{recorded_window, render_window, save_screenshot, wait_until_idle};
use crate::skip::skip;

fn press(window: &mut Harness<'_, StudioApp>, key: egui::Key) {
    window.key_press(key);
    window.run_steps(4);
}

/// The report after a task: accuracy on a task falls by this share with every later task.
fn forgetful_report(task: usize, drop_per_task: f64) -> TaskReport {
    let mut report = report(task);
    let answers = &mut report.answers;
    let predict = |(index, &label): (usize, &usize)| {
        let accuracy = 1.0 - drop_per_task * (task - label / 2) as f64;
        match (index % 45) as f64 >= accuracy * 45.0 - 0.01 {
            true => (label + 2) % (2 * task + 2),
            false => label,
        }
    };
    let predictions = answers.labels.iter().enumerate().map(predict).collect();
    answers.given = [(Expert::ANSWER, predictions)].into();
    report
}

/// Stores a finished run of a method that forgets this share of a task with every later one.
fn store_run(
    root: &Path,
    method: (&str, &str),
    drop_per_task: f64,
    change: impl Fn(&mut RunHeader),
) -> PathBuf {
    let mut header = header();
    header.config.method = method.0.into();
    header.method.title = method.1.into();
    header.method.experts = Expert::SINGLE.to_vec();
    change(&mut header);
    let folder = RunFolder::create(root, &mut header, "").unwrap();
    for task in 0..5 {
        let report = forgetful_report(task, drop_per_task);
        folder.save_task(&report, &Default::default()).unwrap();
    }
    folder.finish(false).unwrap();
    header.folder
}

const LAE: (&str, &str) = ("lae", "LAE");
const BASELINE: (&str, &str) = ("baseline", "Baseline");

/// Whether the pages are shown instead of the presentation.
fn is_closed(window: &Harness<'_, StudioApp>) -> bool {
    let title = window.state().page.title();
    let tab = window.query_by_role_and_label(egui::Role::Tab, title);
    tab.is_some()
}

#[test]
fn presentation_asks_guess_before_each_task() {
    let runs = tempfile::tempdir().unwrap();
    for size in [[1920.0, 1080.0], [900.0, 600.0]] {
        let (mut window, backend) = recorded_window(size, ThemeChoice::Light, runs.path());
        press(&mut window, egui::Key::F11);
        window.get_by_label(tr!("present-no-run"));
        press(&mut window, egui::Key::F11);
        events(3).into_iter().for_each(|event| backend.push(event));
        wait_until_idle(&mut window);
        press(&mut window, egui::Key::F11);
        assert!(!is_closed(&window));
        assert!(shows!(window, "present-guess-first-task", next = "0, 1"));
        press(&mut window, egui::Key::ArrowRight);
        window.get_by_label_contains("Correct for 0, 1: LAE 100\u{a0}%.");
        window.get_by_label(tr!("present-next")).click();
        window.run_steps(3);
        assert!(shows!(window, "present-guess", next = "2, 3"));
        save_screenshot(&mut window, &format!("present-guess-{}", size[0]));
        press(&mut window, egui::Key::PageDown);
        assert!(shows!(window, "present-still-correct", first = "0, 1"));
        // A loss of 2 of 100 images is within chance.
        assert!(shows!(window, "present-nothing-forgotten", name = "LAE"));
        save_screenshot(&mut window, &format!("present-told-{}", size[0]));
        // Task 4 is being learned, so the presentation waits.
        for _ in 0..6 {
            press(&mut window, egui::Key::Space);
        }
        assert!(shows!(window, "present-guess-learning"));
        press(&mut window, egui::Key::ArrowLeft);
        assert!(shows!(window, "present-task-of-tasks", task = 3, tasks = 5));
        press(&mut window, egui::Key::Escape);
        assert!(is_closed(&window));
        // Keys of a page close the presentation.
        press(&mut window, egui::Key::F11);
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
        window.run_steps(4);
        assert!(is_closed(&window));
        assert_eq!(window.state().page, Page::Experiment);
    }
}

#[test]
fn dialog_above_presentation_receives_keys() {
    let runs = tempfile::tempdir().unwrap();
    store_run(runs.path(), BASELINE, 0.1, |_| {});
    let (mut window, _) = recorded_window([1280.0, 800.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    let ctx = window.ctx.clone();
    let german = UiCommand::SetLanguage(Language::German);
    window.state_mut().execute(&ctx, german);
    window.state_mut().page = Page::Compare;
    wait_until_idle(&mut window);
    press(&mut window, egui::Key::F11);
    for _ in 0..9 {
        press(&mut window, egui::Key::ArrowRight);
    }
    let shows_title = |window: &Harness<'_, StudioApp>| {
        let title = window.query_by_label_contains("am stärksten vergessen: von 100\u{a0}% auf");
        title.is_some()
    };
    assert!(shows_title(&window));
    window.state_mut().execute(&ctx, UiCommand::Help);
    window.run_steps(4);
    press(&mut window, egui::Key::ArrowLeft);
    assert!(shows_title(&window), "the dialog receives the arrow key");
    press(&mut window, egui::Key::Escape);
    assert!(!is_closed(&window));
    window.get_by_label("Lauf wählen").click();
    window.run_steps(4);
    press(&mut window, egui::Key::Escape);
    assert!(!is_closed(&window));
    press(&mut window, egui::Key::Escape);
    assert!(is_closed(&window));
    // Escape also closes it without runs.
    let empty = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window([900.0, 600.0], ThemeChoice::Light, empty.path());
    wait_until_idle(&mut window);
    press(&mut window, egui::Key::F11);
    press(&mut window, egui::Key::Escape);
    assert!(is_closed(&window));
}

#[test]
fn presentation_shows_runs_selected_on_compare() {
    let runs = tempfile::tempdir().unwrap();
    store_run(runs.path(), LAE, 0.03, |_| {});
    store_run(runs.path(), BASELINE, 0.2, |_| {});
    store_run(runs.path(), ("ranpac", "RanPAC"), 0.0, |header| {
        header.started = "2026-11-23T10:00:00Z".into();
    });
    store_run(runs.path(), ("l2p", "L2P"), 0.0, |header| {
        header.class_order.reverse();
    });
    let (mut window, _) = recorded_window([1280.0, 800.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    window.state_mut().page = Page::Compare;
    wait_until_idle(&mut window);
    let select = |window: &mut Harness<'_, StudioApp>, names: [&str; 2]| {
        for (name, keys) in names.iter().zip([egui::Modifiers::NONE, egui::Modifiers::COMMAND]) {
            let label = format!("digits · {name}");
            let row = window.get_all_by_label_contains(&label).next();
            row.unwrap().click_modifiers(keys);
            wait_until_idle(window);
        }
    };
    select(&mut window, ["Baseline", "LAE"]);
    press(&mut window, egui::Key::F11);
    for _ in 0..3 {
        press(&mut window, egui::Key::ArrowRight);
    }
    let expected = "Still correct for 0, 1: Baseline 80\u{a0}%, LAE 98\u{a0}%.";
    window.get_by_label(expected);
    assert!(shows!(window, "present-nothing-forgotten", name = "LAE"));
    assert!(shows!(window, "present-accuracy-fell", name = "Baseline", task = 1));
    // Choosing another run affects only the presentation.
    window.get_by_label(tr!("present-choose-run")).click();
    window.run_steps(4);
    let row = window.get_by_label_contains("digits · RanPAC");
    row.click();
    window.run_steps(4);
    assert!(shows!(window, "present-guess-first-task", next = "0, 1"));
    press(&mut window, egui::Key::Escape);
    assert!(is_closed(&window) && window.state().page == Page::Compare);
    assert!(window.state().session.train.opened.is_none());
    press(&mut window, egui::Key::F11);
    for _ in 0..3 {
        press(&mut window, egui::Key::ArrowRight);
    }
    window.get_by_label(expected);
    press(&mut window, egui::Key::Escape);
    // A run with other tasks is not shown beside the first.
    select(&mut window, ["Baseline", "L2P"]);
    press(&mut window, egui::Key::F11);
    press(&mut window, egui::Key::ArrowLeft);
    press(&mut window, egui::Key::ArrowLeft);
    window.get_by_label("Correct for 0, 1: Baseline 100\u{a0}%.");
    window.get_by_label(tr!("present-compare-with")).click();
    window.run_steps(4);
    assert_eq!(window.query_all_by_label_contains("digits · L2P").count(), 0);
    window.get_by_label_contains("digits · RanPAC").click();
    window.run_steps(4);
    window.get_by_label("Correct for 0, 1: Baseline 100\u{a0}%, RanPAC 100\u{a0}%.");
}

#[test]
fn presentation_shows_runs_of_current_page() {
    let runs = tempfile::tempdir().unwrap();
    let entries = lessons::read_entries();
    let lesson = entries.iter().find(|entry| entry.name == "forgetting");
    let lesson = lesson.unwrap().lesson.as_ref().unwrap();
    let config = &lesson.plans().next().unwrap().configs[0];
    store_run(runs.path(), BASELINE, 0.1, |header| {
        header.config = config.clone();
    });
    let other_run = store_run(runs.path(), LAE, 0.0, |header| {
        header.started = "2026-11-23T10:00:00Z".into();
    });
    let (mut window, _) = recorded_window([1280.0, 800.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    let session = &mut window.state_mut().session;
    session.open_lesson(Some(lesson.clone()));
    session.open_run(other_run);
    wait_until_idle(&mut window);
    for (page, name) in [(Page::Learn, "Baseline"), (Page::Train, "LAE")] {
        window.state_mut().page = page;
        wait_until_idle(&mut window);
        press(&mut window, egui::Key::F11);
        press(&mut window, egui::Key::ArrowRight);
        window.get_by_label(&format!("Correct for 0, 1: {name} 100\u{a0}%."));
        press(&mut window, egui::Key::Escape);
        assert!(is_closed(&window) && window.state().page == page);
    }
}

/// Opens the presentation of one or two runs, optionally with long names, and presses Right this number of times.
fn open_presentation(
    (size, theme, language): ([f32; 2], ThemeChoice, Language),
    (count, is_long): (usize, bool),
    keys: usize,
) -> (tempfile::TempDir, Harness<'static, StudioApp>) {
    let runs = tempfile::tempdir().unwrap();
    for (i, (method, drop_per_task)) in
        [(LAE, 0.03), (BASELINE, 0.15)].iter().take(count).enumerate()
    {
        store_run(runs.path(), *method, *drop_per_task, |header| {
            header.started = format!("2026-11-2{i}T10:00:00Z");
            if is_long {
                header.method.title += " with a name as long as people give it in a course";
                let names = (0..10).map(|i| format!("A species of butterfly, number {i}"));
                header.class_order = names.collect();
            }
        });
    }
    let (mut window, _) = recorded_window(size, theme, runs.path());
    wait_until_idle(&mut window);
    let ctx = window.ctx.clone();
    window.state_mut().execute(&ctx, UiCommand::SetLanguage(language));
    window.state_mut().page = Page::Compare;
    wait_until_idle(&mut window);
    press(&mut window, egui::Key::F11);
    for _ in 0..keys {
        press(&mut window, egui::Key::ArrowRight);
    }
    (runs, window)
}

/// Collects all painted texts with their positions.
fn collect_texts(shape: &Shape, texts: &mut Vec<TextShape>) {
    match shape {
        Shape::Vec(shapes) => shapes.iter().for_each(|shape| collect_texts(shape, texts)),
        Shape::Text(text) if !text.galley.is_empty() => texts.push(text.clone()),
        _ => {}
    }
}

#[test]
fn presentation_text_neither_overflows_nor_overlaps() {
    let sizes = [[900.0, 600.0], [1024.0, 768.0], [1400.0, 900.0], [3840.0, 2160.0]];
    for (i, size) in sizes.into_iter().enumerate() {
        for (count, is_long) in [(1, false), (1, true), (2, false), (2, true)] {
            let language = [Language::English, Language::German][(i + count) % 2];
            let (_runs, mut window) =
                open_presentation((size, ThemeChoice::Light, language), (count, is_long), 8);
            for known in [false, true] {
                let name = format!("{size:?}, {count} runs, long {is_long}, known {known}");
                let screen = window.ctx.content_rect();
                let mut texts = Vec::new();
                for clipped in &window.output().shapes {
                    let first = texts.len();
                    collect_texts(&clipped.shape, &mut texts);
                    for text in &texts[first..] {
                        let bounds = text.visual_bounding_rect();
                        let visible = clipped.clip_rect.intersect(screen).expand(1.0);
                        assert!(
                            visible.contains_rect(bounds),
                            "{name}: {:?} at {bounds:?} in {visible:?}",
                            text.galley.text()
                        );
                    }
                }
                // Numbers are neither wrapped nor truncated.
                let is_number = |text: &&TextShape| {
                    let text = text.galley.text();
                    text.chars().all(|c| c.is_ascii_digit() || "\u{a0}%?".contains(c))
                };
                let numbers = texts.iter().filter(is_number);
                assert!(numbers.clone().count() >= count * 4, "{name}");
                for number in numbers {
                    let galley = &number.galley;
                    assert!(galley.rows.len() == 1 && !galley.elided, "{name}");
                }
                for (index, text) in texts.iter().enumerate() {
                    let bounds = text.visual_bounding_rect().shrink(1.0);
                    let overlaps = |other: &&TextShape| {
                        let other = other.visual_bounding_rect().shrink(1.0);
                        other.intersects(bounds)
                    };
                    if let Some(other) = texts[index + 1..].iter().find(overlaps) {
                        let pair = [text.galley.text(), other.galley.text()];
                        panic!("{name}: {pair:?} at {bounds:?}");
                    }
                }
                // The bars fill the width and are high enough.
                let bars: Vec<egui::Rect> =
                    window.query_all_by_role(egui::Role::Image).map(|bars| bars.rect()).collect();
                assert_eq!(bars.len(), count, "{name}");
                let width: f32 = bars.iter().map(egui::Rect::width).sum();
                assert!(width > screen.width() * 0.92, "{name}: {width}");
                let is_high = |bars: &egui::Rect| bars.height() > screen.height() * 0.24;
                assert!(bars.iter().all(is_high), "{name}: {bars:?}");
                press(&mut window, egui::Key::ArrowRight);
            }
            Language::English.speak();
        }
    }
}

#[test]
fn presentation_matches_snapshots() {
    if !cfg!(target_os = "linux") {
        return skip("the stored snapshots are those of Linux");
    }
    use Language::{English, German};
    use ThemeChoice::{Dark, Light};
    let mut results = egui_kittest::SnapshotResults::new();
    let [small, middle, large] = [[1024.0, 768.0], [1400.0, 900.0], [3840.0, 2160.0]];
    for (name, style, runs, keys) in [
        ("one-1024", (small, Light, English), (1, false), 9),
        ("two-1024", (small, Dark, German), (2, true), 9),
        ("guess-1400", (middle, Dark, English), (2, false), 8),
        ("two-1400", (middle, Light, English), (2, false), 9),
        ("two-3840", (large, Light, German), (2, false), 7),
        ("one-3840", (large, Dark, English), (1, true), 9),
    ] {
        let (_runs, mut window) = open_presentation(style, runs, keys);
        let screenshot = render_window(&mut window);
        English.speak();
        let Some(mut screenshot) = screenshot else {
            return;
        };
        // Smaller snapshots still show the layout.
        let (width, height) = (640, (640.0 * style.0[1] / style.0[0]) as u32);
        let filter = image::imageops::FilterType::Triangle;
        screenshot = image::imageops::resize(&screenshot, width, height, filter);
        let options = SnapshotOptions::new().max_failed_pixels(100);
        results.add(try_image_snapshot_options(&screenshot, format!("present-{name}"), &options));
    }
}
