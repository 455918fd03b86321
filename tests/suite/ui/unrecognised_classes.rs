//! A run that never recognises some classes lists them and offers remedies.

use egui_kittest::kittest::Queryable;
use lae_studio::metrics::{Expert, Predictions};
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{Command, Event, RunHeader, TaskReport};
use lae_studio::run::job::JobWork;
use lae_studio::ui::command::{Page, UiCommand};
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{header, report};
use super::{recorded_window, save_screenshot, wait_until_idle};
use crate::data::DatasetFixture;

/// Opens Train with a finished run of one task over two classes and these predictions.
fn window_with_answers(
    image_folder: &DatasetFixture,
    runs: &std::path::Path,
    predictions: &[usize],
) -> (
    egui_kittest::Harness<'static, lae_studio::ui::app::StudioApp>,
    lae_studio::session::backend::RecordedBackend,
) {
    let (mut window, backend) = recorded_window([1280.0, 1500.0], ThemeChoice::Light, runs);
    wait_until_idle(&mut window);
    let data = image_folder.path().to_string_lossy().into_owned();
    let ctx = window.ctx.clone();
    let choose_data = UiCommand::ChooseData(data.clone());
    window.state_mut().execute(&ctx, choose_data);
    window.state_mut().execute(&ctx, UiCommand::Show(Page::Train));
    let header = RunHeader {
        config: RunConfig { data, ..RunConfig::default() },
        class_order: vec!["a".into(), "b".into()],
        tasks: std::iter::once(0..2).collect(),
        train_images: vec![8],
        test_images: vec![6],
        images: Some(image_folder.open().fingerprints()),
        ..header()
    };
    let answers = Predictions {
        samples: (0..6).collect(),
        labels: vec![0, 0, 0, 1, 1, 1],
        given: [(Expert::ENSEMBLE, predictions.to_vec())].into(),
        certainty: [(Expert::ENSEMBLE, vec![0.6, 0.9, 0.99, 0.8, 0.75, 0.7])].into(),
        ..Predictions::default()
    };
    let run = header.run.clone();
    backend.push(Event::Started(Box::new(header)));
    backend.push(Event::TaskEvaluated {
        run: run.clone(),
        report: Box::new(TaskReport { answers, ..report(0) }),
    });
    backend.push(Event::Finished { run });
    wait_until_idle(&mut window);
    wait_until_idle(&mut window);
    (window, backend)
}

fn two_classes() -> DatasetFixture {
    let image_folder = DatasetFixture::new();
    image_folder.write_class("train/a", 4).write_class("train/b", 4);
    image_folder.write_class("test/a", 3).write_class("test/b", 3);
    image_folder
}

#[test]
fn unrecognised_classes_are_listed_with_remedies() {
    let (image_folder, runs) = (two_classes(), tempfile::tempdir().unwrap());
    let (mut window, backend) =
        window_with_answers(&image_folder, runs.path(), &[1, 1, 1, 1, 1, 0]);
    window.get_by_label_contains(
        "1 of 2 classes is never recognised. a: 0 of 3 correct, 3 classified as b.",
    );
    window.get_by_label_contains("Summary. 33.3");
    assert!(window.query_by_label_contains(tr!("session-done-heading")).is_none());
    save_screenshot(&mut window, "missed-classes");
    // A click on the class shows its mistakes.
    window.get_by_role_and_label(egui::Role::Link, "a").click();
    wait_until_idle(&mut window);
    window.get_by_label_contains(tr!("train-confident-mistakes"));
    assert!(window.query_by_label("mistake, test image 1").is_some());
    // A mistake of the other class is not shown.
    assert!(window.query_by_label("mistake, test image 5").is_none());
    // Searching for doubtful labels.
    window.get_by_label(tr!("train-find-doubtful-labels")).click();
    wait_until_idle(&mut window);
    let commands = backend.commands();
    let is_doubt_request =
        |command: &Command| matches!(command, Command::Doubts(request) if request.task == 0);
    assert!(commands.iter().any(is_doubt_request));
    // Training with more steps.
    let ctx = window.ctx.clone();
    window.state_mut().execute(&ctx, UiCommand::Show(Page::Train));
    wait_until_idle(&mut window);
    window.get_by_label(&tr!("train-use-steps-per-task", n = 200)).click();
    wait_until_idle(&mut window);
    let draft = &window.state().session.experiment.draft;
    assert_eq!((draft.min_steps, window.state().page), (200, Page::Experiment));
    let ctx = window.ctx.clone();
    window.state_mut().execute(&ctx, UiCommand::Show(Page::Train));
    wait_until_idle(&mut window);
    // Trying other methods on these images.
    window.get_by_label(tr!("experiment-trial-start")).click();
    wait_until_idle(&mut window);
    let commands = backend.commands();
    let trial_data = commands.iter().find_map(|command| match command {
        Command::Queue(job) => match &job.work {
            JobWork::Try(config) => Some(config.data.clone()),
            _ => None,
        },
        _ => None,
    });
    assert_eq!(trial_data.as_deref(), image_folder.path().to_str());
    assert_eq!(window.state().page, Page::Experiment);
}

#[test]
fn run_recognising_every_class_offers_no_remedy() {
    let (image_folder, runs) = (two_classes(), tempfile::tempdir().unwrap());
    let (window, _) = window_with_answers(&image_folder, runs.path(), &[0, 0, 1, 1, 1, 0]);
    window.get_by_label_contains("Done. 66.7");
    for button in [tr!("train-find-doubtful-labels"), tr!("experiment-trial-start")] {
        assert!(window.query_by_label(button).is_none(), "{button}");
    }
}
