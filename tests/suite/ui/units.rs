//! Lessons on the page Learn: opened, answered, asked to train, read in both languages and in small
//! windows.

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::metrics::Expert;
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{Command, Event};
use lae_studio::session::backend::Recorded;
use lae_studio::session::units::UnitPart;
use lae_studio::session::{Disk, Session};
use lae_studio::texts::Language;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::command::Page;
use lae_studio::ui::settings::{Settings, ThemeChoice};

use super::synthetic::{RUN, header, report};
use super::{recorded, settle, shot, wait, window_with};

/// A window with the list of lessons on show.
fn learn(size: [f32; 2], theme: ThemeChoice) -> (Harness<'static, StudioApp>, Recorded) {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded(size, theme, runs.path());
    settle(&mut window);
    window.state_mut().page = Page::Learn;
    settle(&mut window);
    (window, backend)
}

fn open(window: &mut Harness<'_, StudioApp>, title: &str) {
    window.get_by_label(&format!("Open: {title}")).click();
    settle(window);
}

#[test]
fn a_guess_is_kept_and_a_button_asks_for_the_runs_of_the_lesson() {
    let (mut window, backend) = learn([1280.0, 1100.0], ThemeChoice::Dark);
    open(&mut window, "What is forgotten?");
    shot(&mut window, "unit-begins");
    window.get_by_label("Most, 60 to 95 %").click();
    settle(&mut window);
    window.get_by_label(tr!("learn-guess-saved"));
    let draft = window.state().session.experiment.draft.clone();
    window.get_by_label("Train the Baseline").click();
    settle(&mut window);
    assert!(window.query_by_label("Train the Baseline").is_none());
    let asked = backend.asked();
    let queued = asked.iter().filter(|c| matches!(c, Command::Queue(_)));
    assert_eq!(queued.count(), 1);
    assert_eq!(window.state().session.experiment.draft, draft);
    // The same lesson in German, with the answer that was given.
    window.get_by_label(tr!("settings-title")).click();
    window.run_steps(3);
    window.get_by_label("Deutsch").click();
    settle(&mut window);
    window.key_press(egui::Key::Escape);
    settle(&mut window);
    window.get_by_label("Was wird vergessen?");
    window.get_by_label("Gespeichert. Die Läufe werden die Antwort zeigen.");
    let open = window.state().session.learn.units.open.clone().unwrap();
    assert_eq!(open.language, Language::German);
    window.get_by_label("Alle Lektionen").click();
    settle(&mut window);
    window.get_by_label("Öffnen: Lernrate und Vergessen");
    Language::English.speak();
}

#[test]
fn an_answer_is_there_again_in_the_next_window() {
    let runs = tempfile::tempdir().unwrap();
    let file = runs.path().join("window.toml");
    let on_learn = || {
        let (root, settings) = (runs.path().to_path_buf(), Settings::load(Some(&file)));
        let mut window = window_with([1280.0, 1100.0], settings, Some(file.clone()), |wake| {
            let draft = RunConfig::default();
            Session::with(Box::new(Recorded::default()), Disk::at(root), draft, wake)
        });
        window.state_mut().page = Page::Learn;
        settle(&mut window);
        open(&mut window, "What is forgotten?");
        window
    };
    let mut first = on_learn();
    first.get_by_label("Most, 60 to 95 %").click();
    settle(&mut first);
    wait(&mut first, "the answer is kept", |_| {
        !Settings::load(Some(&file)).answers.is_empty()
    });
    drop(first);
    let mut second = on_learn();
    second.get_by_label(tr!("learn-guess-saved"));
    second.get_by_label(tr!("learn-all-lessons")).click();
    settle(&mut second);
    assert!(shows!(second, "learn-questions-answered"));
}

#[test]
fn runs_on_hold_are_let_go_on_from_their_lesson() {
    let (mut window, backend) = learn([1280.0, 2400.0], ThemeChoice::Dark);
    open(&mut window, "Inside LAE");
    window.get_by_label("Train all six").click();
    settle(&mut window);
    window.state_mut().session.hold_queue(true);
    settle(&mut window);
    // The first one is at work.
    assert_eq!(window.query_all_by_label(tr!("learn-on-hold")).count(), 5);
    window.get_by_label(tr!("learn-resume-queue")).click();
    settle(&mut window);
    assert!(matches!(backend.asked().last(), Some(Command::Hold(false))));
    assert_eq!(window.query_all_by_label(tr!("learn-on-hold")).count(), 0);
    assert_absent!(window, "learn-resume-queue");
}

#[test]
fn every_lesson_fits_a_small_window_at_double_size() {
    let (mut window, _) = learn([900.0, 600.0], ThemeChoice::Light);
    let titles = [
        "What is forgotten?",
        "Learning rate and forgetting",
        "Inside LAE",
        "Learned or already known?",
    ];
    for title in titles {
        open(&mut window, title);
        window.ctx.set_zoom_factor(2.0);
        settle(&mut window);
        shot(&mut window, &format!("unit-small-{}", title.len()));
        let unit = window.state().session.learn.units.open.clone().unwrap();
        assert!(
            unit.parts
                .iter()
                .any(|part| matches!(part, UnitPart::Expect(_)))
        );
        window.ctx.set_zoom_factor(1.0);
        settle(&mut window);
        window
            .get_all_by_label(tr!("learn-all-lessons"))
            .next()
            .unwrap()
            .click();
        settle(&mut window);
    }
}

#[test]
fn what_the_runs_show_stays_hidden_until_the_guess_each_time_a_lesson_is_started_over() {
    let (mut window, backend) = learn([1280.0, 4000.0], ThemeChoice::Light);
    open(&mut window, "What is forgotten?");
    // Trained before, as in an earlier window: nobody has guessed in this one.
    let unit = window.state().session.learn.units.open.clone().unwrap();
    let mut facts = header();
    facts.config = unit.plans().next().unwrap().configs[0].clone();
    facts.method.experts = vec![Expert::ONLINE];
    facts.method.title = "Baseline".into();
    window.get_by_label("Train the Baseline").click();
    settle(&mut window);
    backend.push(Event::Started(Box::new(facts)));
    for task in 0..5 {
        let run = RUN.to_string();
        let report = Box::new(report(task));
        backend.push(Event::TaskEvaluated { run, report });
    }
    backend.push(Event::Finished { run: RUN.into() });
    settle(&mut window);
    let shown = "Accuracy by task, in %";
    for again in 0..2 {
        window.get_by_label(tr!("learn-answer-to-continue"));
        for later in [shown, "2. Run", "3. Measure by hand"] {
            assert!(window.query_by_label(later).is_none(), "{later}");
        }
        shot(&mut window, "unit-guess-first");
        window.get_by_label("Most, 60 to 95 %").click();
        settle(&mut window);
        window.get_by_label(shown);
        window.get_by_label("2. Run");
        // The second guess of the lesson hides what comes behind it.
        let end = window.query_by_label("5. A question at the end");
        assert!(end.is_none());
        if again == 0 {
            window.get_by_label(tr!("learn-restart-lesson")).click();
            settle(&mut window);
            window.get_by_label(tr!("shell-ask-restart"));
            window.get_by_label(tr!("shell-ask-restart-yes")).click();
            settle(&mut window);
        }
    }
}
