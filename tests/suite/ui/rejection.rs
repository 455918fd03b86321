//! Rejecting unfamiliar images as "None of these" on Predict, and the share of wrong rejections.

use std::path::Path;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::metrics::Expert;
use lae_studio::run::event::{Command, Event};
use lae_studio::run::inside::{
    Inspection, InspectionContent, InspectionRequest, InspectionTarget, Movement, ProbeInspection,
    RunInspection,
};
use lae_studio::run::rejection::{KnownImage, fit_threshold, measurements_of, threshold_name};
use lae_studio::session::backend::RecordedBackend;
use lae_studio::store::RunFolder;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{header, prediction, report};
use super::{recorded_window, save_screenshot, wait_until_idle};

/// Stores a run of two tasks with this threshold, if any.
fn store_run_with_threshold(root: &Path, threshold: Option<f64>) {
    let measurements = threshold.map(|value| (threshold_name(Expert::ENSEMBLE), value));
    store_run_with(root, measurements.into_iter().collect());
}

/// Stores a run of two tasks with these measurements.
fn store_run_with(root: &Path, measurements: Vec<(String, f64)>) {
    let mut header = header();
    let folder = RunFolder::create(root, &mut header, "").unwrap();
    for task in 0..2 {
        let mut report = report(task);
        report.measurements.extend(measurements.clone());
        folder.save_task(&report, &Default::default()).unwrap();
    }
}

/// Opens Predict with a predicted sample whose energies are about −6.7.
fn open_predicted_sample(root: &Path) -> (Harness<'static, StudioApp>, RecordedBackend) {
    let (mut window, backend) = recorded_window([1280.0, 900.0], ThemeChoice::Light, root);
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num5);
    wait_until_idle(&mut window);
    wait_until_idle(&mut window);
    window.get_all_by_label(&tr!("predict-sample-of-class", class = "7")).next().unwrap().click();
    wait_until_idle(&mut window);
    let requests = backend.commands().into_iter();
    let mut request = requests.filter_map(|command| match command {
        Command::Predict(request) => Some(request),
        _ => None,
    });
    let request = request.next_back().unwrap();
    for &task in &request.tasks {
        let mut answer = prediction(request.ticket, task);
        answer.run.clone_from(&request.run);
        backend.push(Event::Predicted(Box::new(answer)));
    }
    wait_until_idle(&mut window);
    (window, backend)
}

fn inside_requests(backend: &RecordedBackend) -> Vec<InspectionRequest> {
    let commands = backend.commands().into_iter();
    commands
        .filter_map(|command| match command {
            Command::Inside(request) if matches!(request.look, InspectionTarget::Run { .. }) => {
                Some(request)
            }
            _ => None,
        })
        .collect()
}

/// Reports 40 images of the four known classes and 20 of a later one.
fn push_probe(window: &mut Harness<'_, StudioApp>, backend: &RecordedBackend) {
    let request = inside_requests(backend).pop().unwrap();
    let strangeness: Vec<f32> = (0..60).map(|i| i as f32 / 10.0 - 10.0).collect();
    let probe = ProbeInspection {
        places: (0..60).map(|i| (0, i)).collect(),
        labels: (0..60).map(|i| if i < 40 { i / 10 } else { 5 }).collect(),
        given: vec![0; 60],
        known: 4,
        maps: Vec::new(),
        energies: Vec::new(),
        strangeness: vec![(Expert::ENSEMBLE, strangeness)],
    };
    for &task in &request.tasks {
        backend.push(Event::Inside(Box::new(Inspection {
            ticket: request.ticket,
            run: request.run.clone(),
            task,
            seen: InspectionContent::Run(Box::new(RunInspection {
                probe: Some(probe.clone()),
                problem: None,
                movement: Movement::default(),
            })),
        })));
    }
    wait_until_idle(window);
}

#[test]
fn unfamiliar_image_is_rejected_until_disallowed() {
    let runs = tempfile::tempdir().unwrap();
    store_run_with_threshold(runs.path(), Some(-8.0));
    let (mut window, backend) = open_predicted_sample(runs.path());
    window.get_by_label(tr!("predict-none"));
    assert!(shows!(window, "predict-none-above-limit", sign = "energy", limit = "−8.00"));
    // The class belongs to a later task.
    window.get_by_label(&tr!("predict-correct-not-learned", class = "7"));
    assert!(inside_requests(&backend).is_empty(), "no automatic request");
    window.get_by_label(tr!("predict-none-count-rejected")).click();
    wait_until_idle(&mut window);
    assert!(shows!(window, "predict-none-counting-rejected"));
    push_probe(&mut window, &backend);
    assert!(shows!(window, "predict-none-later-rejected", n = 20, share = "100\u{a0}%"));
    assert!(shows!(window, "predict-none-limit-images-rejected", n = 5));
    save_screenshot(&mut window, "none-of-these");
    window.get_by_label(tr!("predict-none-disallow")).click();
    wait_until_idle(&mut window);
    assert_absent!(window, "predict-none");
    window.get_by_label(&tr!("predict-wrong", class = "7"));
    window.get_by_label(tr!("predict-none-allow")).click();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("predict-none"));
}

#[test]
fn familiar_image_is_not_rejected() {
    let runs = tempfile::tempdir().unwrap();
    store_run_with_threshold(runs.path(), Some(-2.0));
    let (window, _) = open_predicted_sample(runs.path());
    assert!(shows!(window, "predict-none-below-limit", sign = "energy"));
}

#[test]
fn shows_share_of_rejected_test_images() {
    let runs = tempfile::tempdir().unwrap();
    // 40 images, each less familiar than the one before.
    let known_images: Vec<KnownImage> = (0..40).map(|i| ((0, i), i as f32 / 10.0 - 6.0)).collect();
    store_run_with(runs.path(), measurements_of(Expert::ENSEMBLE, &known_images));
    let (window, _) = open_predicted_sample(runs.path());
    let (_, counted) = fit_threshold(&known_images).unwrap();
    let share = (100.0 * counted.share()).round();
    let share = format!("{share}\u{a0}%");
    assert!(shows!(window, "predict-none-known-rejected", n = 40, share = share.as_str()));
    // Rejections of later classes can still be counted.
    window.get_by_label(tr!("predict-none-count-rejected"));
}

#[test]
fn run_without_limit_is_measured_on_test_images() {
    let runs = tempfile::tempdir().unwrap();
    store_run_with_threshold(runs.path(), None);
    let (mut window, backend) = open_predicted_sample(runs.path());
    window.get_by_label(tr!("predict-none-find-limit")).click();
    wait_until_idle(&mut window);
    assert!(shows!(window, "predict-none-measuring-limit"));
    assert_eq!(inside_requests(&backend).len(), 1, "the request is sent once, not in every frame");
    push_probe(&mut window, &backend);
    // 95 % of the 40 known images are at −6.3 or below.
    assert!(shows!(window, "predict-none-below-limit", sign = "energy", limit = "−6.30"));
    assert!(shows!(window, "predict-none-below-limit", sign = "energy"));
}
