//! Trying methods on the selected images: starting a trial, its results and applying one.

use egui_kittest::kittest::Queryable;
use lae_studio::data::Correction;
use lae_studio::experiment::ResourceCache;
use lae_studio::experiment::trial::candidate_settings;
use lae_studio::problem::Problem;
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{Command, Event, Phase};
use lae_studio::run::job::{Job, JobWork};
use lae_studio::run::trial_result::{Trial, TriedMethod};
use lae_studio::session::backend::Backend;
use lae_studio::ui::settings::ThemeChoice;

use super::{recorded_window, save_screenshot, wait_until_idle};

fn trial() -> Trial {
    let configs = candidate_settings(&RunConfig::default(), &ResourceCache::default()).unwrap();
    let figures = [Some(71.5), Some(93.8), None];
    let methods = configs.into_iter().zip(figures).map(|(config, right)| {
        let title = match config.method.as_str() {
            "lae" => "LAE",
            "simplecil" => "SimpleCIL",
            _ => "RanPAC",
        };
        TriedMethod {
            method: config.method.clone(),
            title: title.into(),
            right,
            forgotten: right.map(|right| 100.0 - right),
            p: right.filter(|right| *right < 90.0).map(|_| 0.001),
            seconds: 3.25,
            memory: None,
            problem: right
                .is_none()
                .then(|| Problem::new("it exceeded the time limit and was stopped")),
            config,
            losses: Vec::new(),
        }
    });
    Trial {
        data: "digits".into(),
        train_images: 1080,
        judged_images: 270,
        bounds: Vec::new(),
        methods: methods.collect(),
        seconds: 9.0,
    }
}

#[test]
fn method_trial_shows_results_and_applies_choice() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window([1280.0, 1100.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    window.get_by_label(tr!("experiment-trial-start")).click();
    wait_until_idle(&mut window);
    let commands = backend.commands();
    let trial_config = commands.iter().find_map(|command| match command {
        Command::Queue(job) => match &job.work {
            JobWork::Try(config) => Some(config.clone()),
            _ => None,
        },
        _ => None,
    });
    assert_eq!(*trial_config.unwrap(), RunConfig::default());
    assert_absent!(window, "experiment-trial-start");
    backend.push(Event::Tried(Box::new(trial())));
    backend.push(Event::Finished { run: String::new() });
    wait_until_idle(&mut window);
    assert!(shows!(window, "trial-best-method", title = "SimpleCIL"));
    window.get_by_label_contains("No test images were used");
    save_screenshot(&mut window, "tried-methods");
    // A label is corrected after the trial.
    let correction = Correction {
        picture: "7/1.png".into(),
        sha256: "0".repeat(64),
        was: "7".into(),
        class: Some("1".into()),
    };
    window.state_mut().session.set_corrected_label("digits".into(), correction.clone());
    wait_until_idle(&mut window);
    window.get_all_by_label(tr!("experiment-trial-use")).nth(1).unwrap().click();
    wait_until_idle(&mut window);
    let session = &window.state().session;
    assert_eq!(session.experiment.draft.method, "simplecil");
    assert_eq!(session.experiment.draft.corrected, [correction]);
    assert_eq!(session.experiment.draft.validation_share, 0.0);
    // Results are not shown for other images.
    let ctx = window.ctx.clone();
    let choose_letters = lae_studio::ui::command::UiCommand::ChooseData("letters".into());
    window.state_mut().execute(&ctx, choose_letters);
    wait_until_idle(&mut window);
    assert!(!shows!(window, "trial-best-method"));
    window.get_by_label(tr!("experiment-trial-start"));
}

#[test]
fn trial_queued_before_restart_shows_result() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window([1280.0, 1100.0], ThemeChoice::Light, runs.path());
    wait_until_idle(&mut window);
    let job = Job::new(JobWork::Try(Box::default()), "Which method suits digits".into());
    // The job was queued by a previous window.
    backend.clone().send(Command::Queue(Box::new(job)));
    wait_until_idle(&mut window);
    backend.push(Event::Phase { run: String::new(), phase: Phase::Paused });
    wait_until_idle(&mut window);
    window.get_by_label_contains("Paused …");
    backend.push(Event::Tried(Box::new(trial())));
    backend.push(Event::Finished { run: String::new() });
    wait_until_idle(&mut window);
    assert!(shows!(window, "trial-best-method", title = "SimpleCIL"));
}

#[test]
fn stopped_or_failed_trial_can_restart() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, backend) = recorded_window([1280.0, 1100.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    for end in [
        Event::Stopped { run: String::new() },
        Event::Failed { run: String::new(), problem: Problem::new("the device is lost") },
    ] {
        window.get_by_label(tr!("experiment-trial-start")).click();
        wait_until_idle(&mut window);
        assert_absent!(window, "experiment-trial-start");
        backend.push(end);
        wait_until_idle(&mut window);
        window.get_by_label(tr!("experiment-trial-start"));
    }
}
