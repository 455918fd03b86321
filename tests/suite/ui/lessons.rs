//! Lessons on the page Learn: opening, answering and training, in both languages and in small
//! windows.

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use lae_studio::metrics::Expert;
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{Command, Event};
use lae_studio::session::backend::RecordedBackend;
use lae_studio::session::file_dialog::Choice;
use lae_studio::session::lessons::{self, GivenAnswer, LessonPart};
use lae_studio::session::{Disk, Session};
use lae_studio::store::figure::{self, FigureContent, PagePart};
use lae_studio::texts::Language;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::Page;
use lae_studio::ui::settings::{Settings, ThemeChoice};

use super::sizes::scroll;
use super::synthetic::{RUN, header, report};
use super::{choosers, recorded_window, save_screenshot, wait, wait_until_idle, window_with};

/// Opens the list of lessons.
fn open_learn(
    size: [f32; 2],
    theme: ThemeChoice,
) -> (Harness<'static, StudioApp>, RecordedBackend) {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window(size, theme, runs.path());
    wait_until_idle(&mut window);
    window.state_mut().page = Page::Learn;
    wait_until_idle(&mut window);
    (window, backend)
}

fn open_lesson(window: &mut Harness<'_, StudioApp>, title: &str) {
    window.get_by_label(&format!("Open: {title}")).click();
    wait_until_idle(window);
}

#[test]
fn lesson_saves_guess_and_queues_its_runs() {
    let (mut window, backend) = open_learn([1280.0, 1100.0], ThemeChoice::Dark);
    open_lesson(&mut window, "What is forgotten?");
    save_screenshot(&mut window, "lesson-begins");
    window.get_by_label("Most, 60 to 95 %").click();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("learn-guess-saved"));
    let draft = window.state().session.experiment.draft.clone();
    window.get_by_label("Train the Baseline").click();
    wait_until_idle(&mut window);
    assert!(window.query_by_label("Train the Baseline").is_none());
    let commands = backend.commands();
    let queued = commands.iter().filter(|c| matches!(c, Command::Queue(_)));
    assert_eq!(queued.count(), 1);
    assert_eq!(window.state().session.experiment.draft, draft);
    // The lesson keeps the answer when the language changes to German.
    window.get_by_label(tr!("settings-title")).click();
    window.run_steps(3);
    window.get_by_label("Deutsch").click();
    wait_until_idle(&mut window);
    window.key_press(egui::Key::Escape);
    wait_until_idle(&mut window);
    window.get_by_label("Was wird vergessen?");
    window.get_by_label("Gespeichert. Die Läufe werden die Antwort zeigen.");
    let lesson = window.state().session.learn.lessons.open.clone().unwrap();
    assert_eq!(lesson.language, Language::German);
    window.get_by_label("Alle Lektionen").click();
    wait_until_idle(&mut window);
    window.get_by_label("Öffnen: Lernrate und Vergessen");
    Language::English.speak();
}

#[test]
fn lesson_answer_survives_restart() {
    let runs = tempfile::tempdir().unwrap();
    let file = runs.path().join("window.toml");
    let reopen = || {
        let (root, settings) = (runs.path().to_path_buf(), Settings::load(Some(&file)));
        let mut window = window_with([1280.0, 1100.0], settings, Some(file.clone()), |wake| {
            let draft = RunConfig::default();
            Session::with_backend(
                Box::new(RecordedBackend::default()),
                Disk::new(root),
                draft,
                wake,
            )
        });
        window.state_mut().page = Page::Learn;
        wait_until_idle(&mut window);
        open_lesson(&mut window, "What is forgotten?");
        window
    };
    let mut first = reopen();
    first.get_by_label("Most, 60 to 95 %").click();
    wait_until_idle(&mut first);
    wait(&mut first, "the answer is saved", |_| !Settings::load(Some(&file)).answers.is_empty());
    drop(first);
    let mut second = reopen();
    second.get_by_label(tr!("learn-guess-saved"));
    second.get_by_label(tr!("learn-all-lessons")).click();
    wait_until_idle(&mut second);
    assert!(shows!(second, "learn-questions-answered"));
}

#[test]
fn lesson_resumes_paused_queue() {
    let (mut window, backend) = open_learn([1280.0, 2400.0], ThemeChoice::Dark);
    open_lesson(&mut window, "Inside LAE");
    window.get_by_label("Both the same").click();
    wait_until_idle(&mut window);
    window.get_by_label("Train all six").click();
    wait_until_idle(&mut window);
    window.state_mut().session.hold_queue(true);
    wait_until_idle(&mut window);
    // The first run is training.
    assert_eq!(window.query_all_by_label(tr!("learn-on-hold")).count(), 5);
    window.get_by_label(tr!("learn-resume-queue")).click();
    wait_until_idle(&mut window);
    assert!(matches!(backend.commands().last(), Some(Command::Hold(false))));
    assert_eq!(window.query_all_by_label(tr!("learn-on-hold")).count(), 0);
    assert_absent!(window, "learn-resume-queue");
}

#[test]
fn every_lesson_opens_at_double_zoom() {
    let (mut window, _) = open_learn([900.0, 600.0], ThemeChoice::Light);
    let titles = [
        "What is forgotten?",
        "Learning rate and forgetting",
        "Inside LAE",
        "Learned or already known?",
    ];
    for title in titles {
        open_lesson(&mut window, title);
        window.ctx.set_zoom_factor(2.0);
        wait_until_idle(&mut window);
        save_screenshot(&mut window, &format!("lesson-small-{}", title.len()));
        let lesson = window.state().session.learn.lessons.open.clone().unwrap();
        assert_eq!(lesson.title, title);
        assert!(lesson.parts.iter().any(|part| matches!(part, LessonPart::Expectation(_))));
        let width = window.ctx.content_rect().x_range();
        let title_rects: Vec<_> = window.get_all_by_label(title).map(|node| node.rect()).collect();
        let fits = |rect: &egui::Rect| width.contains(rect.left()) && width.contains(rect.right());
        assert!(title_rects.iter().all(fits), "{title}: {title_rects:?} in {width:?}");
        window.ctx.set_zoom_factor(1.0);
        wait_until_idle(&mut window);
        window.get_all_by_label(tr!("learn-all-lessons")).next().unwrap().click();
        wait_until_idle(&mut window);
    }
}

/// Pushes the events of the run of the lesson "What is forgotten?" with this start time.
fn record_run(window: &mut Harness<'_, StudioApp>, backend: &RecordedBackend, started: String) {
    let lesson = window.state().session.learn.lessons.open.clone().unwrap();
    let mut header = header();
    header.config = lesson.plans().next().unwrap().configs[0].clone();
    header.method.experts = vec![Expert::ONLINE];
    header.method.title = "Baseline".into();
    header.started = started;
    backend.push(Event::Started(Box::new(header)));
    for task in 0..5 {
        let run = RUN.to_string();
        let report = Box::new(report(task));
        backend.push(Event::TaskEvaluated { run, report });
        wait_until_idle(window);
        if task < 4 {
            assert!(window.query_by_label("3. Measure by hand").is_none());
        }
    }
    backend.push(Event::Finished { run: RUN.into() });
    wait_until_idle(window);
}

/// Opens "What is forgotten?", guesses and trains.
fn guess_and_train(window: &mut Harness<'_, StudioApp>, backend: &RecordedBackend) {
    open_lesson(window, "What is forgotten?");
    window.get_by_label("Most, 60 to 95 %").click();
    wait_until_idle(window);
    window.get_by_label(tr!("learn-runs-to-continue"));
    window.get_by_label("Train the Baseline").click();
    wait_until_idle(window);
    record_run(window, backend, header().started);
    assert_absent!(window, "learn-runs-to-continue");
}

fn restart_lesson(window: &mut Harness<'_, StudioApp>, choice: &str) {
    window.get_by_label(tr!("learn-restart-lesson")).click();
    wait_until_idle(window);
    window.get_by_label(tr!("shell-ask-restart"));
    window.get_by_label(choice).click();
    wait_until_idle(window);
}

const MATRIX: &str = "Accuracy by task, in %";

#[test]
fn content_after_guess_is_hidden_until_answered() {
    let (mut window, backend) = open_learn([1280.0, 4000.0], ThemeChoice::Light);
    open_lesson(&mut window, "What is forgotten?");
    window.get_by_label(tr!("learn-answer-to-continue"));
    assert!(window.query_by_label("2. Run").is_none());
    window.get_all_by_label(tr!("learn-all-lessons")).next().unwrap().click();
    wait_until_idle(&mut window);
    guess_and_train(&mut window, &backend);
    for round in 0..2 {
        window.get_by_label(MATRIX);
        // The second guess of the lesson hides the content after it.
        let final_question = window.query_by_label("5. Final question");
        assert!(final_question.is_none());
        restart_lesson(&mut window, tr!("shell-ask-restart-keep"));
        window.get_by_label(tr!("learn-answer-to-continue"));
        for label in [MATRIX, "2. Run", "3. Measure by hand"] {
            assert!(window.query_by_label(label).is_none(), "{round}: {label}");
        }
        save_screenshot(&mut window, "lesson-guess-first");
        window.get_by_label("Most, 60 to 95 %").click();
        wait_until_idle(&mut window);
    }
    // The old run is reused.
    window.get_by_label("3. Measure by hand");
}

#[test]
fn restarted_lesson_can_train_its_runs_again() {
    let (mut window, backend) = open_learn([1280.0, 4000.0], ThemeChoice::Dark);
    open_lesson(&mut window, "What is forgotten?");
    assert!(!window.state().session.learn.lessons.has_progress());
    window.state_mut().session.open_lesson(None);
    wait_until_idle(&mut window);
    guess_and_train(&mut window, &backend);
    restart_lesson(&mut window, tr!("shell-cancel"));
    window.get_by_label(MATRIX);
    let queued = || {
        let commands = backend.commands();
        commands.iter().filter(|c| matches!(c, Command::Queue(_))).count()
    };
    let before = queued();
    restart_lesson(&mut window, tr!("shell-ask-restart-train"));
    let retrained = window.state().session.learn.lessons.retrained.clone();
    assert_eq!(retrained.keys().collect::<Vec<_>>(), ["forgetting"]);
    window.get_by_label("Most, 60 to 95 %").click();
    wait_until_idle(&mut window);
    assert!(window.query_by_label("3. Measure by hand").is_none());
    window.get_by_label("Train the Baseline").click();
    wait_until_idle(&mut window);
    assert_eq!(queued(), before + 1);
    record_run(&mut window, &backend, "2099-01-01T00:00:00.000+01:00".into());
    window.get_by_label("3. Measure by hand");
}

/// The positions of all controls of questions.
fn control_rects(window: &Harness<'_, StudioApp>) -> Vec<(String, egui::Rect)> {
    let choices = window.query_all_by_role(egui::Role::RadioButton);
    let fields = window.query_all_by_role(egui::Role::TextInput);
    let checks = window.query_all_by_label(tr!("learn-check-answer"));
    let controls = choices.chain(fields).chain(checks).map(|node| {
        let label = node.accesskit_node().label().unwrap_or_default();
        (label, node.rect())
    });
    controls.collect()
}

#[test]
fn answering_does_not_move_controls() {
    let (mut window, backend) = open_learn([1280.0, 4000.0], ThemeChoice::Dark);
    guess_and_train(&mut window, &backend);
    window.get_by_label("Nearly perfect, 95 % or more").click();
    wait_until_idle(&mut window);
    let before = control_rects(&window);
    assert_eq!(before.len(), 3 + 3 + 3 + 2 * 3);
    let assert_unmoved = |window: &Harness<'_, StudioApp>, what: &str| {
        let rects = control_rects(window);
        for (label, rect) in &before {
            let is_near =
                |at: &egui::Rect| at.min.distance(rect.min) + at.max.distance(rect.max) < 1.0;
            let is_same = |(other, at): &(String, egui::Rect)| other == label && is_near(at);
            assert!(rects.iter().any(is_same), "{what}: {label} moved");
        }
    };
    for choice in ["It classifies all images of all tasks correctly", "Both of them"] {
        window.get_by_label(choice).click();
        wait_until_idle(&mut window);
        assert_unmoved(&window, choice);
    }
    window.get_by_label(tr!("learn-answer-right"));
    let fields = window.query_all_by_label(tr!("learn-your-number")).count();
    for field in 0..fields {
        for number in ["1", "many"] {
            let inputs = window.query_all_by_role(egui::Role::TextInput);
            inputs.collect::<Vec<_>>()[field].focus();
            window.run_steps(2);
            window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
            window.run_steps(2);
            let inputs = window.query_all_by_role(egui::Role::TextInput);
            inputs.collect::<Vec<_>>()[field].type_text(number);
            window.run_steps(2);
            window.key_press(egui::Key::Enter);
            wait_until_idle(&mut window);
            assert_unmoved(&window, number);
        }
    }
    assert!(window.query_all_by_label(tr!("learn-enter-number")).count() > 0);
}

#[test]
fn lessons_keep_scroll_position_until_restarted() {
    let (mut window, backend) = open_learn([1280.0, 700.0], ThemeChoice::Dark);
    guess_and_train(&mut window, &backend);
    let heading_top =
        |window: &Harness<'_, StudioApp>| window.get_by_label("1. Guess").rect().top();
    let top = heading_top(&window);
    scroll(&mut window, egui::pos2(640.0, 400.0), -300.0);
    wait_until_idle(&mut window);
    window.run_steps(30);
    let scrolled = heading_top(&window);
    assert!(scrolled < top - 100.0, "{scrolled}");
    // Opens another lesson, then another page.
    window.get_by_label(tr!("learn-all-lessons")).click();
    wait_until_idle(&mut window);
    open_lesson(&mut window, "Inside LAE");
    assert!(heading_top(&window) > top);
    window.get_by_label(tr!("learn-all-lessons")).click();
    wait_until_idle(&mut window);
    open_lesson(&mut window, "What is forgotten?");
    assert_eq!(heading_top(&window), scrolled);
    window.state_mut().page = Page::Compare;
    wait_until_idle(&mut window);
    window.state_mut().page = Page::Learn;
    wait_until_idle(&mut window);
    assert_eq!(heading_top(&window), scrolled);
    restart_lesson(&mut window, tr!("shell-ask-restart-keep"));
    window.get_by_label("Most, 60 to 95 %").click();
    wait_until_idle(&mut window);
    assert_eq!(heading_top(&window), top);
}

#[test]
fn finished_lesson_saves_summary() {
    let runs = tempfile::tempdir().unwrap();
    let path = runs.path().join("summary");
    let dialogs = choosers::dialogs(runs.path(), Choice::Path(path.clone()), 0);
    let (mut window, backend) = choosers::open_window(dialogs);
    window.set_size([1280.0, 4000.0].into());
    window.state_mut().page = Page::Learn;
    wait_until_idle(&mut window);
    guess_and_train(&mut window, &backend);
    for choice in ["Hardly better", "Both of them"] {
        window.get_by_label(choice).click();
        wait_until_idle(&mut window);
    }
    assert_absent!(window, "learn-save-summary");
    for question in ["drop", "forgetting", "average"] {
        let typed = "12,5".to_string();
        let answer = GivenAnswer { typed, checked: true, ..GivenAnswer::default() };
        window.state_mut().session.learn.lessons.set_answer(question, answer);
    }
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "lesson-finished");
    let lesson = window.state().session.learn.lessons.open.clone().unwrap();
    let page = lessons::summary(&lesson, &window.state().session.learn.lessons);
    let FigureContent::Page(figure::Page { parts }) = &page.content else {
        panic!("expected a page");
    };
    let summary_contains = |words: &str| {
        let is_match =
            |part: &PagePart| matches!(part, PagePart::Text(text) if text.contains(words));
        parts.iter().any(is_match)
    };
    assert!(summary_contains(&tr!("learn-summary-answer", answer = "12,5 points")));
    assert!(summary_contains(tr!("learn-answer-right")));
    assert!(summary_contains(&tr!(
        "learn-summary-correct",
        answer = "Nearly perfect, 95 % or more"
    )));
    let figures = parts.iter().filter(|part| matches!(part, PagePart::Figure(_)));
    assert_eq!(figures.count(), 2);
    for (save, ending, magic_bytes) in
        [("figure-save-pdf", "pdf", &b"%PDF"[..]), ("figure-save-png", "png", b"\x89PNG")]
    {
        window.get_by_label(tr!("learn-save-summary")).click();
        window.run_steps(3);
        window.get_by_label(tr!(save)).click();
        wait_until_idle(&mut window);
        let file = std::fs::read(path.with_extension(ending)).unwrap();
        assert!(file.starts_with(magic_bytes), "{ending}");
        if let Some(folder) = std::env::var_os("LAE_SHOTS") {
            let target = std::path::Path::new(&folder).join(format!("summary.{ending}"));
            std::fs::write(target, file).unwrap();
        }
    }
}
