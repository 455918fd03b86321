//! The data card: moving classes between tasks, network inputs, remarks, split shares and downloads.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use lae_studio::data::loader::{ImageLoader, LoaderOptions};
use lae_studio::data::scenario::{ClassOrder, Scenario, TaskSizes};
use lae_studio::data::transform::InputSpec;
use lae_studio::data::{Dataset, OpenOptions};
use lae_studio::experiment::{augmentation, open_options};
use lae_studio::fetch::DownloadProgress;
use lae_studio::problem::{Problem, Result};
use lae_studio::run::config::RunConfig;
use lae_studio::session::augmented_samples::NetworkInputsRequest;
use lae_studio::session::backend::{Backend, RecordedBackend};
use lae_studio::session::downloads::{Item, Transfer};
use lae_studio::session::loads::DataRequest;
use lae_studio::session::progress::Progress;
use lae_studio::session::views::{DataView, Split};
use lae_studio::session::{Disk, Session, Sources};
use lae_studio::ui::app::StudioApp;
use lae_studio::ui::settings::ThemeChoice;

use super::{recorded_window, save_screenshot, wait, wait_until_idle, window};
use crate::data::DatasetFixture;
use crate::shared_folder;

const WIDE: [f32; 2] = [1280.0, 900.0];

/// Opens a window with this data set.
fn open_dataset(data: &str, tasks: &str) -> Harness<'static, StudioApp> {
    let draft =
        RunConfig { data: data.into(), classes_per_task: tasks.into(), ..RunConfig::default() };
    let runs = shared_folder();
    let mut harness = window(WIDE, ThemeChoice::Dark, move |wake| {
        let backend: Box<dyn Backend> = Box::new(RecordedBackend::default());
        Session::with_backend(backend, Disk::new(runs), draft, wake)
    });
    wait_until_idle(&mut harness);
    harness
}

fn task_label(class: u8, task: u8) -> String {
    tr!("data-class-in-task", class = class.to_string(), task)
}

fn order_and_sizes(window: &Harness<'_, StudioApp>) -> (String, String) {
    let draft = &window.state().session.experiment.draft;
    (draft.order.clone(), draft.classes_per_task.clone())
}

#[test]
fn dragging_class_moves_it_and_undo_restores() {
    let mut window = open_dataset("digits", "2");
    let from = window.get_by_label(&task_label(0, 1)).rect().center();
    let to = window.get_by_label(&task_label(5, 3)).rect().left_center();
    window.drag_at(from);
    window.run_steps(2);
    for step in 1..=6 {
        window.hover_at(from.lerp(to, step as f32 / 6.0));
        window.step();
    }
    save_screenshot(&mut window, "data-dragging");
    window.drop_at(to);
    window.run_steps(2);
    assert_eq!(order_and_sizes(&window), ("1-4,0,5-9".into(), "1,2,3,2,2".into()));
    wait_until_idle(&mut window);
    window.get_by_label(&task_label(0, 3));
    let plan = &window.state().session.experiment.plan;
    assert!(plan.problems.is_empty(), "{:?}", plan.problems);
    assert_eq!(plan.tasks[2], ["4", "0", "5"]);
    assert_eq!(plan.tasks.len(), plan.train_images.len());
    let command = window.state().session.experiment.draft.as_command(&[], &[]);
    assert!(command.contains("--order 1-4,0,5-9") && command.contains("1,2,3,2,2"), "{command}");
    window.get_by_label(tr!("data-undo")).click();
    wait_until_idle(&mut window);
    assert_eq!(order_and_sizes(&window), ("natural".into(), "2".into()));
    window.get_by_label(&task_label(0, 1));
}

#[test]
fn class_menu_moves_class_by_keyboard() {
    let mut window = open_dataset("digits", "5");
    window.get_by_label(&task_label(9, 2)).focus();
    window.run_steps(2);
    window.key_press(egui::Key::Enter);
    window.run_steps(3);
    save_screenshot(&mut window, "data-class-menu");
    window.get_by_label(tr!("data-move-new")).click_accesskit();
    window.run_steps(3);
    wait_until_idle(&mut window);
    assert_eq!(order_and_sizes(&window), ("natural".into(), "5,4,1".into()));
    window.get_by_label(&task_label(9, 3)).focus();
    window.run_steps(2);
    window.key_press(egui::Key::Enter);
    window.run_steps(3);
    window.get_by_label(tr!("data-move-earlier")).click_accesskit();
    window.run_steps(3);
    wait_until_idle(&mut window);
    assert_eq!(order_and_sizes(&window), ("natural".into(), "5".into()));
}

#[test]
fn large_view_arranges_many_classes() {
    let image_folder = DatasetFixture::new();
    for class in 0..130 {
        image_folder.write_class(&format!("a class with a longer name {class:03}"), 2);
    }
    let mut window = open_dataset(image_folder.path().to_str().unwrap(), "5");
    window.state_mut().session.experiment.draft.batch = 2;
    wait_until_idle(&mut window);
    assert!(window.query_by_label_contains("class a class").is_none());
    window.get_by_label(tr!("data-part-arrange-classes")).click();
    window.run_steps(3);
    wait_until_idle(&mut window);
    save_screenshot(&mut window, "data-arrange");
    window.get_by_label("class a class with a longer name 000, task 1").click();
    window.run_steps(3);
    window.get_by_label(&tr!("data-move-to", task = 2)).click_accesskit();
    window.run_steps(3);
    wait_until_idle(&mut window);
    let (order, sizes) = order_and_sizes(&window);
    assert_eq!(order, "1-9,0,10-129");
    assert!(sizes.starts_with("4,6,5,"), "{sizes}");
    assert!(window.state().session.experiment.plan.problems.is_empty());
}

#[test]
fn button_sets_bit_depth_for_dark_images() {
    let image_folder = DatasetFixture::new();
    image_folder.write_12_bit_class("a", 6, 1).write_12_bit_class("b", 6, 1);
    let mut window = open_dataset(image_folder.path().to_str().unwrap(), "1");
    let brightest = |window: &Harness<'_, StudioApp>| {
        let data = window.state().session.experiment.data.ready().cloned();
        let thumbs = data.unwrap().thumbs.clone();
        thumbs.iter().map(|(_, picture)| *picture.rgb.iter().max().unwrap()).max()
    };
    assert_eq!(brightest(&window), Some(16));
    let button = tr!("data-use-bit-depth", n = 12);
    window.get_by_label_contains("Train with Bit depth 12");
    window.get_by_label(&button).click();
    wait_until_idle(&mut window);
    assert_eq!(window.state().session.experiment.draft.bit_depth, 12);
    assert_eq!(brightest(&window), Some(255));
    assert!(window.query_by_label(&button).is_none());
    // The setting is now visible and can be changed.
    window.get_by_label("Bit depth");
}

#[test]
fn test_share_change_reuses_files_unless_fresh() {
    let image_folder = DatasetFixture::new();
    image_folder.write_class("a", 10).write_class("b", 10);
    let data_path = image_folder.path().to_str().unwrap().to_string();
    let disk = Disk::new(image_folder.path().join("runs"));
    let open = |test_share, fresh| {
        let options = OpenOptions { test_share, ..OpenOptions::default() };
        let place = data_path.clone();
        let request = DataRequest { location: place, options, reload: fresh };
        let view = disk.open_data(&request, &Progress::default());
        view.map(|view| (view.train_total(), view.test_total()))
    };
    assert_eq!(open(0.2, false).unwrap(), (16, 4));
    std::fs::remove_dir_all(image_folder.path().join("b")).unwrap();
    assert_eq!(open(0.5, false).unwrap(), (10, 10));
    assert!(open(0.5, true).is_err(), "one class is not enough");
}

#[test]
fn network_inputs_match_loader_output() {
    let image_folder = DatasetFixture::new();
    for class in ["a", "b", "c", "d"] {
        image_folder.write_class(class, 6);
    }
    let config = RunConfig {
        data: image_folder.path().to_str().unwrap().into(),
        classes_per_task: "2".into(),
        order: "3,1,0,2".into(),
        crop_scale: [0.2, 0.9],
        flip: true,
        seed: 5,
        train_limit: Some(4),
        ..RunConfig::default()
    };
    let disk = Disk::new(image_folder.path().join("runs"));
    let load_inputs = |epoch, shift| {
        let config = config.clone();
        let request = NetworkInputsRequest { config, epoch, shift };
        disk.network_inputs(&request).unwrap()
    };
    let inputs = load_inputs(2, 1);
    assert_eq!(inputs.input_size, 32);
    let classes_and_tasks: Vec<(&str, usize)> =
        inputs.images.iter().map(|s| (s.class.as_str(), s.task)).collect();
    assert_eq!(classes_and_tasks, [("d", 0), ("b", 0), ("a", 1), ("c", 1)]);
    let data = Dataset::open(&config.data, &open_options(&config)).unwrap();
    let scenario = Scenario::new(
        &data.classes,
        &ClassOrder::parse(&config.order).unwrap(),
        &TaskSizes::parse(&config.classes_per_task).unwrap(),
    )
    .unwrap();
    // All inputs the loader makes for both tasks in that epoch, by image name.
    let mut pixels_by_name: HashMap<String, Vec<u8>> = HashMap::new();
    for task in 0..2 {
        let samples = Arc::new(scenario.train_samples(&data, task));
        let options = LoaderOptions {
            augment: Some(augmentation(&config)),
            shuffle: true,
            seed: config.seed,
            epoch: (task * config.epochs + 2) as u64,
            ..LoaderOptions::inference(InputSpec::new(32, 1.0), 3)
        };
        for batch in ImageLoader::new(samples.clone(), options).unwrap() {
            for (pixels, &index) in batch.pixels.chunks(32 * 32 * 3).zip(&batch.indices) {
                pixels_by_name.insert(samples[index].0.name(), pixels.to_vec());
            }
        }
    }
    for sample in &inputs.images {
        assert_eq!(
            sample.training_view.rgb, pixels_by_name[&sample.training_view.name],
            "{}",
            sample.training_view.name
        );
        assert_eq!(sample.training_view.name, sample.test_view.name);
        assert_ne!(sample.training_view.rgb, sample.test_view.rgb);
    }
    let next_inputs = load_inputs(3, 1);
    assert_ne!(
        next_inputs.images[0].training_view.rgb, inputs.images[0].training_view.rgb,
        "another epoch uses another crop"
    );
    assert_eq!(next_inputs.images[0].test_view.rgb, inputs.images[0].test_view.rgb);
    assert_ne!(load_inputs(2, 2).images[0].training_view.name, inputs.images[0].training_view.name);
}

#[test]
fn network_input_view_opens_and_changes_epoch() {
    let mut window = open_dataset("letters", "6,5,5,5,5");
    window.get_by_label(tr!("data-part-network-input")).click();
    window.run_steps(3);
    wait_until_idle(&mut window);
    window.get_by_label(&tr!("data-input-training", class = "A"));
    window.get_by_label(&tr!("data-input-testing", class = "A"));
    window.get_by_label_contains(&tr!("data-epoch-crops", epoch = 1, epochs = 5));
    save_screenshot(&mut window, "data-sight");
    window.get_by_label(tr!("data-next-epoch")).click();
    window.run_steps(3);
    wait_until_idle(&mut window);
    window.get_by_label_contains(&tr!("data-epoch-crops", epoch = 2, epochs = 5));
}

#[test]
fn data_card_lists_counts_shares_and_skipped_files() {
    let image_folder = DatasetFixture::new();
    for class in 0..14 {
        image_folder.write_class(&format!("kind {class:02}"), 10 + class);
    }
    image_folder
        .write_file("kind 00/notes.txt", "no picture")
        .write_file("kind 01/broken.png", "no");
    std::fs::copy(
        image_folder.path().join("kind 02/000.png"),
        image_folder.path().join("kind 02/999.png"),
    )
    .unwrap();
    let mut window = open_dataset(image_folder.path().to_str().unwrap(), "2");
    window.get_by_label_contains("12 × 10 pixels");
    window.get_by_label(tr!("data-part-images-per-class")).click();
    window.run_steps(3);
    window.get_by_label_contains("Images per class: 8 to 18");
    window.get_by_label("kind 00: 8 training images and 2 test images");
    window.get_by_label(&tr!("data-skipped-files", n = 2));
    window.get_by_label(tr!("data-skipped-show")).click();
    window.run_steps(3);
    window.get_by_label_contains("broken.png");
    window.get_by_label(tr!("data-skipped-hide"));
    save_screenshot(&mut window, "data-card");
    // Without a given test split, its share can be chosen; a new share splits the data again.
    window.get_by_label(tr!("data-part-splits")).click();
    wait_until_idle(&mut window);
    window.get_by_label("Test share");
    let before = window.state().session.experiment.data.ready().unwrap().test_total();
    window.state_mut().session.experiment.draft.test_share = 0.5;
    wait_until_idle(&mut window);
    let view = window.state().session.experiment.data.ready().unwrap().clone();
    assert!(view.test_total() > 2 * before, "{before} {}", view.test_total());
    window.state_mut().session.experiment.draft.validation_share = 0.2;
    wait_until_idle(&mut window);
    assert!(shows!(window, "data-measured-on-validation"));
    window.get_by_label_contains("validation images, 14 classes");
    save_screenshot(&mut window, "data-validation");
}

#[test]
fn images_per_class_include_class_added_before_reload() {
    let image_folder = DatasetFixture::new();
    image_folder.write_class("ant", 10).write_class("bee", 10);
    let mut window = open_dataset(image_folder.path().to_str().unwrap(), "1");
    window.get_by_label(tr!("data-part-images-per-class")).click();
    window.run_steps(3);
    window.get_by_label("bee: 8 training images and 2 test images");
    image_folder.write_class("cow", 10);
    window.state_mut().session.reload_data();
    wait_until_idle(&mut window);
    window.get_by_label("cow: 8 training images and 2 test images");
}

#[test]
fn image_in_both_splits_shows_both_names() {
    let image_folder = DatasetFixture::new();
    for class in ["a", "b"] {
        image_folder
            .write_class(&format!("train/{class}"), 15)
            .write_class(&format!("test/{class}"), 4);
    }
    let path_to = |name: &str| image_folder.path().join(name);
    std::fs::copy(path_to("train/a/007.png"), path_to("test/a/003.png")).unwrap();
    let mut window = open_dataset(image_folder.path().to_str().unwrap(), "1");
    assert!(window.query_by_label("Test share").is_none(), "the data has its own test split");
    window.get_by_label(&tr!("data-in-both-splits", n = 1));
    window.get_by_label(tr!("data-in-both-splits-show")).click();
    window.run_steps(3);
    window.get_by_label("a/007.png");
    window.get_by_label("a/003.png");
}

#[test]
fn image_with_two_labels_shows_both_names() {
    let image_folder = DatasetFixture::new();
    for class in ["a", "b"] {
        image_folder
            .write_class(&format!("train/{class}"), 15)
            .write_class(&format!("test/{class}"), 4);
    }
    let path_to = |name: &str| image_folder.path().join(name);
    std::fs::copy(path_to("train/a/007.png"), path_to("train/b/003.png")).unwrap();
    let mut window = open_dataset(image_folder.path().to_str().unwrap(), "1");
    assert!(shows!(window, "remark-images-with-two-labels", n = 1));
    window.get_by_label(tr!("data-two-labels-show")).click();
    window.run_steps(3);
    window.get_by_label("a/007.png (a, train)");
    window.get_by_label("b/003.png (b, train)");
}

/// CIFAR-10 is missing, and its download runs until it is stopped.
struct SlowDownload(Disk);

impl Sources for SlowDownload {
    fn disk(&self) -> &Disk {
        &self.0
    }

    fn open_data(&self, request: &DataRequest, progress: &Progress) -> Result<DataView> {
        if request.location == "cifar-10" {
            return Err(Problem::new("cifar-10 is not on this computer").advise("download it"));
        }
        self.0.open_data(request, progress)
    }

    fn download(&self, _: &Item, transfer: &Transfer) -> Result<()> {
        let (done, total) = (5_000_000, Some(170_052_171));
        while transfer.record_progress(DownloadProgress { done, total }) {
            std::thread::sleep(Duration::from_millis(5));
        }
        Err(Problem::new("the download was stopped"))
    }
}

#[test]
fn download_shows_progress_and_can_be_stopped() {
    let mut window = window(WIDE, ThemeChoice::Light, |wake| {
        let backend: Box<dyn Backend> = Box::new(RecordedBackend::default());
        let sources = SlowDownload(Disk::new(shared_folder()));
        Session::with_backend(backend, sources, RunConfig::default(), wake)
    });
    wait_until_idle(&mut window);
    window.get_by_label(tr!("data-choose")).click();
    window.run_steps(3);
    window.get_by_label_contains("cifar-10 ").click();
    window.run_steps(3);
    wait_until_idle(&mut window);
    window.get_by_label_contains("https://www.cs.toronto.edu");
    save_screenshot(&mut window, "data-offer");
    window.get_by_label(&tr!("data-download", size = 170)).click();
    wait(&mut window, "the download reports progress", |app| {
        let mut downloads = app.session.inventory.downloads.iter();
        downloads.any(|d| d.transfer.progress().1.is_some())
    });
    window.get_by_label_contains("5.0 MB of 170.1 MB");
    save_screenshot(&mut window, "data-download");
    window.get_by_label(tr!("data-download-stop")).click();
    wait(&mut window, "the download stops", |app| app.session.inventory.downloads.is_empty());
    wait_until_idle(&mut window);
    window.get_by_label(&tr!("data-download", size = 170));
    let notice = window.state().session.notices.list.last().unwrap();
    assert!(
        !notice.is_error && says!(notice.problem.remedy, "notices-download-part-kept"),
        "{notice:?}"
    );
}

#[test]
fn test_images_of_run_respect_its_limits() {
    let runs = tempfile::tempdir().unwrap();
    let (mut window, _) = recorded_window(WIDE, ThemeChoice::Dark, runs.path());
    wait_until_idle(&mut window);
    let config = RunConfig { test_limit: Some(3), train_limit: Some(5), ..RunConfig::default() };
    let session = &mut window.state_mut().session;
    assert!(session.look_up(session.data_of(&config)).is_none());
    wait_until_idle(&mut window);
    let session = &mut window.state_mut().session;
    let view = session.look_up(session.data_of(&config)).unwrap();
    assert_eq!((view.test_total(), view.train_total()), (30, 50));
    let image = session.sample_image(&view, Split::Test, 29);
    assert!(session.look_up(image).is_none());
    wait_until_idle(&mut window);
    let session = &mut window.state_mut().session;
    let image = session.sample_image(&view, Split::Test, 29);
    let name = session.look_up(image).unwrap().unwrap().name.clone();
    let data = Dataset::open("digits", &open_options(&config)).unwrap();
    assert_eq!(name, data.test[29].name());
    let full = session.experiment.data.ready().unwrap();
    assert!(full.test_total() > 30, "the data set of the settings has no limits");
}
