//! Predict shows the image, the selected run and the prediction consistently.

use std::path::PathBuf;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::Event;
use lae_studio::session::backend::RecordedBackend;
use lae_studio::store::RunFolder;
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{header, prediction, report};
use super::{predict_requests, recorded_window, save_screenshot, wait_until_idle};
use crate::data::DatasetFixture;

/// Stores one run for each data set and returns their folders.
fn store_runs(root: &std::path::Path, data: &[&str]) -> Vec<PathBuf> {
    let store_run = |(i, data): (usize, &&str)| {
        let mut header = header();
        header.config = RunConfig { data: (*data).into(), ..RunConfig::default() };
        header.started = format!("2026-11-21T10:0{i}:00Z");
        let folder = RunFolder::create(root, &mut header, "").unwrap();
        for task in 0..2 {
            folder.save_task(&report(task), &Default::default()).unwrap();
        }
        folder.path().to_path_buf()
    };
    data.iter().enumerate().map(store_run).collect()
}

/// Answers the latest request for a prediction.
fn answer_last_request(window: &mut Harness<'_, StudioApp>, backend: &RecordedBackend) {
    let request = predict_requests(backend).pop().unwrap();
    for &task in &request.tasks {
        backend.push(Event::Predicted(Box::new(prediction(request.ticket, task))));
    }
    wait_until_idle(window);
}

#[test]
fn prediction_is_shown_only_with_its_image() {
    let runs = tempfile::tempdir().unwrap();
    store_runs(runs.path(), &["digits"]);
    let (mut window, backend) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num5);
    wait_until_idle(&mut window);
    wait_until_idle(&mut window);
    let sample = tr!("predict-sample-of-class", class = "7");
    window.get_all_by_label(&sample).next().unwrap().click();
    wait_until_idle(&mut window);
    answer_last_request(&mut window, &backend);
    let predict = &window.state().session.predict;
    let (predicted_image, truth) = predict.predicted_image.clone().unwrap();
    assert_eq!(Some(&predicted_image), predict.image.as_ref());
    assert_eq!(truth.as_deref(), Some("7"));
    window.get_by_label(tr!("predict-predicted-image"));
    window.get_by_label(&tr!("predict-wrong", class = "7"));
    save_screenshot(&mut window, "answer-of-a-sample");
    // The canvas is empty, so there is no prediction.
    window.get_by_label(tr!("predict-source-draw")).click();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("predict-choose-image"));
    assert!(window.query_by_label_contains("score ").is_none());
    super::flow::draw_seven(&mut window);
    wait_until_idle(&mut window);
    answer_last_request(&mut window, &backend);
    assert_absent!(window, "predict-wrong", class = "7");
    // Back to the chosen image: it is predicted again, and the result of the drawing is gone.
    let before = predict_requests(&backend).len();
    window.get_by_label(tr!("predict-source-choose")).click();
    wait_until_idle(&mut window);
    let all_requests = predict_requests(&backend);
    assert_eq!(
        (all_requests.len(), &all_requests[before].picture),
        (before + 1, predicted_image.as_ref())
    );
    answer_last_request(&mut window, &backend);
    window.get_by_label(&tr!("predict-wrong", class = "7"));
    // A failed prediction clears the previous one.
    let ticket = predict_requests(&backend).pop().unwrap().ticket;
    let problem = lae_studio::problem::Problem::new("the weights are gone");
    backend.push(Event::NotPredicted { ticket, problem });
    wait_until_idle(&mut window);
    window.get_by_label("The weights are gone.");
    assert!(window.query_by_label_contains("score ").is_none());
}

#[test]
fn image_file_reloads_with_bit_depth_of_run() {
    let image_folder = DatasetFixture::new();
    image_folder.write_12_bit_class("a", 1, 1);
    let runs = tempfile::tempdir().unwrap();
    let folders = store_runs(runs.path(), &["digits", "letters"]);
    let path = folders[1].join("run.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let with_bit_depth =
        text.replacen("data = \"letters\"", "data = \"letters\"\nbit_depth = 12", 1);
    std::fs::write(path, with_bit_depth).unwrap();
    let (mut window, backend) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    let session = &mut window.state_mut().session;
    session.choose_predictor(folders[0].clone());
    session.predict_file(image_folder.path().join("a/000.png"));
    for (folder, brightest) in [(1, 255), (0, 16), (1, 255)] {
        wait_until_idle(&mut window);
        let session = &mut window.state_mut().session;
        session.choose_predictor(folders[folder].clone());
        wait_until_idle(&mut window);
        let request = predict_requests(&backend).pop().unwrap();
        assert_eq!(request.run, folders[folder]);
        assert_eq!(request.picture.rgb.iter().max(), Some(&brightest));
    }
}

#[test]
fn changing_run_predicts_again_in_its_drawing_colours() {
    // Dark drawings on white paper, unlike the digits.
    let image_folder = DatasetFixture::new();
    for (i, class) in (0..8).map(|i| (i, ["a", "b"][i % 2])) {
        let mut image = image::RgbImage::from_pixel(24, 24, image::Rgb([255; 3]));
        for k in 6..18 {
            image.put_pixel(k, 12 + (i as u32 % 4), image::Rgb([0; 3]));
        }
        let folder = image_folder.path().join(class);
        std::fs::create_dir_all(&folder).unwrap();
        image.save(folder.join(format!("{i}.png"))).unwrap();
    }
    let data_path = image_folder.path().display().to_string();
    let runs = tempfile::tempdir().unwrap();
    let folders = store_runs(runs.path(), &["digits", &data_path]);
    let (mut window, backend) = recorded_window([1280.0, 900.0], ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    let session = &mut window.state_mut().session;
    session.experiment.draft.data.clone_from(&data_path);
    session.choose_predictor(folders[0].clone());
    wait_until_idle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num5);
    wait_until_idle(&mut window);
    super::flow::draw_seven(&mut window);
    wait_until_idle(&mut window);
    let first = predict_requests(&backend).pop().unwrap();
    assert_eq!(
        (&first.run, first.picture.rgb[0]),
        (&folders[0], 0),
        "the drawing is light on dark"
    );
    answer_last_request(&mut window, &backend);
    window.get_by_label_contains("score ");
    window.state_mut().session.choose_predictor(folders[1].clone());
    window.run_steps(2);
    assert!(window.query_by_label_contains("score ").is_none());
    wait_until_idle(&mut window);
    wait_until_idle(&mut window);
    let second = predict_requests(&backend).pop().unwrap();
    assert_eq!(
        (&second.run, second.picture.rgb[0]),
        (&folders[1], 255),
        "the drawing is dark on light"
    );
    answer_last_request(&mut window, &backend);
    let predict = &window.state().session.predict;
    let (predicted_image, _) = predict.predicted_image.clone().unwrap();
    assert_eq!(predicted_image.rgb, second.picture.rgb);
}
