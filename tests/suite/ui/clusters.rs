//! Grids on clusters and jobs on remote machines in the window.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use egui_kittest::kittest::Queryable;
use lae_studio::problem::Result;
use lae_studio::run::config::RunConfig;
use lae_studio::run::event::{Command, ControlRequest, Event};
use lae_studio::run::remote_machines::{RemoteMachine, RemoteMachines};
use lae_studio::session::backend::{Backend, RecordedBackend};
use lae_studio::session::clusters::{ClusterGrid, ClusterState, SlurmTask, TaskState};
use lae_studio::session::{Disk, Session, Sources, Wake};
use lae_studio::ui::command::{Page, UiCommand};
use lae_studio::ui::settings::ThemeChoice;

use super::synthetic::{RUN, events};
use super::{save_screenshot, wait, wait_until_idle, window};

const MACHINES_TOML: &str = "[lab]\nssh = \"lab\"\n[queue]\nslurm = true\n";

/// The usual sources with fake remote machines and a fake cluster.
struct FakeCluster {
    disk: Disk,
    grid: Arc<Mutex<ClusterGrid>>,
    cancelled: Arc<Mutex<Vec<PathBuf>>>,
    shared_runs: PathBuf,
    lab: RecordedBackend,
}

impl Sources for FakeCluster {
    fn disk(&self) -> &Disk {
        &self.disk
    }

    fn machines(&self) -> Result<(Vec<RemoteMachine>, Vec<String>)> {
        let machines = RemoteMachines::parse(MACHINES_TOML, "places.toml")?;
        Ok((machines.list().to_vec(), Vec::new()))
    }

    fn connect_machine(&self, _: &RemoteMachine, _: Wake) -> Result<Box<dyn Backend>> {
        Ok(Box::new(self.lab.clone()))
    }

    fn cluster_state(&self, _: &RemoteMachine) -> Result<ClusterState> {
        Ok(ClusterState {
            grids: vec![self.grid.lock().unwrap().clone()],
            runs_root: Some(self.shared_runs.clone()),
        })
    }

    fn cancel_submission(&self, _: &RemoteMachine, folder: &Path) -> Result<()> {
        self.cancelled.lock().unwrap().push(folder.to_path_buf());
        let mut grid = self.grid.lock().unwrap();
        let queued = grid.tasks.iter_mut().filter(|task| task.state.is_queued());
        queued.for_each(|task| task.state = TaskState::Cancelled);
        Ok(())
    }
}

fn sample_grid() -> ClusterGrid {
    let task = |index: usize, state, reason: &str, last: &[&str]| SlurmTask {
        id: format!("7_{index}"),
        state,
        node: None,
        elapsed: None,
        reason: Some(reason.to_string()).filter(|reason| !reason.is_empty()),
        log: format!("/runs/.slurm/1/logs/7_{index}.log"),
        last_lines: last.iter().map(ToString::to_string).collect(),
    };
    let failed = ["problem: there is no driver", "module not found"];
    ClusterGrid {
        folder: "/runs/.slurm/1".into(),
        grid: "demo".into(),
        place: "queue".into(),
        tasks: vec![
            task(1, TaskState::Failed, "there is no driver", &failed),
            task(2, TaskState::Done, "", &[]),
            task(3, TaskState::Done, "", &[]),
            task(4, TaskState::Done, "", &[]),
            task(5, TaskState::Failed, "there is no driver", &failed),
            task(6, TaskState::Running, "", &[]),
            task(7, TaskState::Waiting, "Resources", &[]),
            task(8, TaskState::Waiting, "Resources", &[]),
        ],
    }
}

#[test]
fn stopping_remote_job_asks_for_confirmation() {
    let runs = tempfile::tempdir().unwrap();
    let lab = RecordedBackend::default();
    let sources = FakeCluster {
        disk: Disk::new(runs.path().to_path_buf()),
        grid: Arc::new(Mutex::new(sample_grid())),
        cancelled: Arc::default(),
        shared_runs: runs.path().to_path_buf(),
        lab: lab.clone(),
    };
    let mut window = window([1280.0, 900.0], ThemeChoice::Dark, move |wake| {
        let backend = Box::new(RecordedBackend::default());
        Session::with_backend(backend, sources, RunConfig::default(), wake)
    });
    wait_until_idle(&mut window);
    let ctx = window.ctx.clone();
    for command in [
        UiCommand::change(|session| session.select_machine(Some("lab".into()))),
        UiCommand::Train(vec![RunConfig::default(); 2]),
        UiCommand::Show(Page::Train),
    ] {
        window.state_mut().execute(&ctx, command);
        wait_until_idle(&mut window);
    }
    lab.push(events(1).remove(0));
    wait_until_idle(&mut window);
    let stop_count = || {
        let commands = lab.commands();
        commands.iter().filter(|c| matches!(c, Command::Stop(_))).count()
    };
    // The shortcuts apply to the displayed run at the place.
    window.key_press(egui::Key::Space);
    wait_until_idle(&mut window);
    assert_eq!(lab.last_request(), ControlRequest::Pause);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Period);
    wait_until_idle(&mut window);
    window.get_by_label(&tr!("shell-ask-stop-at", place = "lab"));
    window.key_press(egui::Key::Escape);
    wait_until_idle(&mut window);
    assert_absent!(window, "shell-ask-stop-at", place = "lab");
    // The queued job: Enter cancels the question.
    for label in ["Cancel", "Remove"] {
        window.get_by_label_contains(&tr!("train-place-remove", place = "lab", title = "")).click();
        wait_until_idle(&mut window);
        window.get_by_label(&tr!("shell-ask-remove-at", place = "lab"));
        save_screenshot(&mut window, "remove-at-a-place");
        assert_eq!(stop_count(), 0);
        match label {
            "Cancel" => window.key_press(egui::Key::Enter),
            _ => window.get_by_label(label).click(),
        }
        wait_until_idle(&mut window);
        assert_absent!(window, "shell-ask-remove-at", place = "lab");
    }
    assert_eq!(stop_count(), 1);
    // The running job.
    window.get_by_label_contains(&tr!("train-place-stop", place = "lab", title = "")).click();
    wait_until_idle(&mut window);
    assert_eq!(stop_count(), 1);
    window.get_by_label(&tr!("shell-ask-stop-at", place = "lab"));
    save_screenshot(&mut window, "stop-at-a-place");
    window.get_by_label(tr!("shell-ask-stop-yes")).click();
    wait_until_idle(&mut window);
    assert_eq!(stop_count(), 2);
    // The question closes when its run ends.
    window.get_by_label_contains(&tr!("train-place-stop", place = "lab", title = "")).click();
    wait_until_idle(&mut window);
    lab.push(Event::Finished { run: RUN.into() });
    wait_until_idle(&mut window);
    assert_absent!(window, "shell-ask-stop-at", place = "lab");
}

#[test]
fn cluster_grid_is_shown_refreshed_and_cancelled() {
    let runs = tempfile::tempdir().unwrap();
    let disk = Disk::new(runs.path().to_path_buf());
    let grid = Arc::new(Mutex::new(sample_grid()));
    let cancelled = Arc::<Mutex<Vec<PathBuf>>>::default();
    let shared = tempfile::tempdir().unwrap();
    let sources = FakeCluster {
        disk,
        grid: Arc::clone(&grid),
        cancelled: Arc::clone(&cancelled),
        shared_runs: shared.path().to_path_buf(),
        lab: RecordedBackend::default(),
    };
    let mut window = window([1280.0, 800.0], ThemeChoice::Dark, move |wake| {
        let backend = Box::new(RecordedBackend::default());
        Session::with_backend(backend, sources, RunConfig::default(), wake)
    });
    wait_until_idle(&mut window);
    let ctx = window.ctx.clone();
    window.state_mut().execute(&ctx, UiCommand::Show(Page::Train));
    wait(&mut window, "the cluster is queried", |app| !app.session.train.clusters.grids.is_empty());
    wait_until_idle(&mut window);
    window.get_by_label("demo on queue");
    window.get_by_label(tr!("train-nothing-running-here"));
    // The shared folder of its runs is opened.
    let folders = &window.state().session.compare.folders;
    assert_eq!(folders.paths(), [shared.path()]);
    window.get_by_label("3 of 8 runs done · 1 running · 2 waiting · 2 failed");
    window.get_by_label("2 runs failed: there is no driver");
    window.get_by_label("module not found");
    save_screenshot(&mut window, "on-a-cluster");
    // The user refreshes the state.
    grid.lock().unwrap().tasks[6].state = TaskState::Running;
    window.get_by_label(tr!("train-cluster-refresh")).click();
    let running = "3 of 8 runs done · 2 running · 1 waiting · 2 failed";
    wait(&mut window, "the cluster is queried again", |app| {
        let grids = &app.session.train.clusters.grids;
        grids[0].count(TaskState::Running) == 2
    });
    wait_until_idle(&mut window);
    window.get_by_label(running);
    window.get_by_label(tr!("train-grid-cancel")).click();
    wait_until_idle(&mut window);
    assert!(shows!(window, "shell-ask-grid-stop-what", waiting = 1, running = 2));
    save_screenshot(&mut window, "end-a-grid");
    // Enter cancels the question.
    window.key_press(egui::Key::Enter);
    wait_until_idle(&mut window);
    assert!(cancelled.lock().unwrap().is_empty());
    window.get_by_label(tr!("train-grid-cancel")).click();
    wait_until_idle(&mut window);
    window.get_by_label(tr!("shell-ask-grid-stop-yes")).click();
    wait(&mut window, "the grid is cancelled", |app| {
        app.session.train.clusters.grids[0].has_ended()
    });
    wait_until_idle(&mut window);
    assert_eq!(*cancelled.lock().unwrap(), [PathBuf::from("/runs/.slurm/1")]);
    window.get_by_label("3 of 8 runs done · 3 cancelled · 2 failed");
    window.get_by_label(tr!("train-nothing-running"));
    window.get_by_label("Hide demo on queue").click();
    wait_until_idle(&mut window);
    assert!(window.query_by_label("demo on queue").is_none());
    // Choosing a local device deselects the remote machine.
    let choose = UiCommand::change(|session| session.select_machine(Some("lab".into())));
    window.state_mut().execute(&ctx, choose);
    assert_eq!(window.state().session.experiment.machine.as_deref(), Some("lab"));
    window.state_mut().execute(&ctx, UiCommand::ChooseDevice("cpu".into()));
    assert_eq!(window.state().session.experiment.machine, None);
}
