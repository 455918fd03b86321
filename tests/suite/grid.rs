//! Grids: cells of grid files, run keys known in advance, and running the cells.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use lae_studio::experiment::estimate::Basis;
use lae_studio::experiment::grid::{Cells, GridEnd, GridPlan, GridSink, Overrides, find, shipped};
use lae_studio::experiment::{self, ResourceCache, presets};
use lae_studio::method::with_explicit_settings;
use lae_studio::problem::{Problem, Result};
use lae_studio::run::config::{RunConfig, Setting};
use lae_studio::run::event::{Control, ControlRequest, Event, Sink};
use lae_studio::run::grid::{CellState, Grid};
use lae_studio::store::{self, StoredState, lock_cell};

/// Settings of very short runs.
const TINY_CONFIG: &str = "data = \"digits\"\nclasses_per_task = \"5\"\nepochs = 1\nbatch = 8\ntrain_limit = 8\ntest_limit = 4\n\
    device = \"cpu\"\nblocks = \"2\"\n";

fn parse_cells(text: &str, root: &Path) -> Result<Cells> {
    let grid = Grid::parse("mine", text, "mine.toml")?;
    Cells::from_grid(grid, root, &Overrides::default())
}

fn new_plan(text: &str, root: &Path, control: &Control) -> GridPlan {
    let cells = parse_cells(text, root).unwrap();
    let cache = ResourceCache::default();
    GridPlan::build(cells, root, true, &cache, control).unwrap()
}

/// Records events and stops after a number of saved tasks.
#[derive(Default)]
struct RecordingSink {
    started: Vec<(usize, bool)>,
    completed: Vec<(usize, CellState)>,
    waiting_cells: usize,
    stop_after: Option<(usize, Control)>,
    /// Called once the grid waits for other processes.
    on_wait: Option<Box<dyn FnOnce()>>,
}

impl Sink for RecordingSink {
    fn event(&mut self, event: Event) {
        if let (Event::TaskEvaluated { .. }, Some((remaining, control))) =
            (event, &mut self.stop_after)
        {
            *remaining -= 1;
            if *remaining == 0 {
                control.set(ControlRequest::Stop);
            }
        }
    }
}

impl GridSink for RecordingSink {
    fn report_cell(&mut self, plan: &GridPlan, cell: usize, state: &CellState) {
        match state {
            CellState::AtWork => self.started.push((cell, plan.run_for(cell).is_some())),
            state => self.completed.push((cell, state.clone())),
        }
    }

    fn report_waiting(&mut self, cells: usize) {
        self.waiting_cells = cells;
        if let Some(callback) = self.on_wait.take() {
            callback();
        }
    }
}

fn run_all(plan: &mut GridPlan, sink: &mut RecordingSink) -> GridEnd {
    let order = plan.execution_order();
    plan.run(&order, sink)
}

/// Returns the keys of all runs in a folder and asserts that they are finished.
fn finished_run_keys(root: &Path) -> Vec<store::RunKey> {
    let runs = store::list_runs(root).into_iter().map(|run| run.summary.unwrap());
    runs.map(|run| {
        assert_eq!(run.state, StoredState::Finished);
        run.key
    })
    .collect()
}

#[test]
fn shipped_grids_are_valid_and_demos_match() {
    let root = tempfile::tempdir().unwrap();
    let names: Vec<&str> = shipped().iter().map(|grid| grid.name).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    for grid in shipped() {
        let (parsed, text) = find(grid.name).unwrap();
        assert_eq!(text, grid.text);
        assert!(!parsed.title.is_empty() && !parsed.about.is_empty(), "{}", grid.name);
        let cells = Cells::from_grid(parsed, root.path(), &Overrides::default()).unwrap();
        for cell in &cells.cells {
            assert_eq!(cell.problem, None, "{}", grid.name);
            let is_demo = grid.name.ends_with("-demo");
            let embedded = ["digits", "letters"].contains(&cell.config.data.as_str());
            assert_eq!(is_demo, embedded && cell.config.backbone == "lae-nano");
        }
        if let Some(full_name) = grid.name.strip_suffix("-demo") {
            assert!(names.contains(&full_name), "{full_name}");
            let rows = find(full_name).unwrap().0.row_count();
            assert!(cells.rows.len() >= rows, "{full_name}");
        }
    }
}

#[test]
fn paper_grids_match_presets() {
    let root = tempfile::tempdir().unwrap();
    for name in ["cifar100-10", "imagenet-r-10", "cifar100-20", "imagenet-r-20"] {
        let preset = presets::find_preset(name).unwrap();
        let cells =
            Cells::from_grid(find(name).unwrap().0, root.path(), &Overrides::default()).unwrap();
        for (title, pet, size) in presets::PETS {
            let title = format!("LAE · {title}");
            let row = cells.rows.iter().find(|row| row.title == title).unwrap();
            let expected =
                presets::repeat_over_orders(&preset.with_pet(pet, size), preset.paper, 3);
            let actual: Vec<RunConfig> =
                row.cells.iter().map(|c| cells.cells[*c].config.clone()).collect();
            assert_eq!(actual, expected, "{name} {title}");
        }
    }
    let load_cells = |name: &str| {
        Cells::from_grid(find(name).unwrap().0, root.path(), &Overrides::default()).unwrap()
    };
    let switches = load_cells("switches");
    let baseline = &switches.cells[switches.rows[0].cells[0]].config;
    assert_eq!((baseline.method.as_str(), baseline.pet_size), ("baseline", 10));
    assert_eq!(switches.rows.len(), 7);
    let swin = load_cells("swin");
    assert!(swin.cells.iter().all(|cell| cell.config.blocks == "10"));
    let convnext = load_cells("convnext");
    assert!(convnext.cells.iter().all(|cell| cell.config.blocks == "15"));
    let alpha = load_cells("alpha");
    let ema_of_row =
        |row: usize| alpha.cells[alpha.rows[row].cells[0]].config.settings["ema"].clone();
    assert_eq!([0, 1, 2].map(ema_of_row), [0.999, 0.9999, 0.99999].map(Setting::Real));
    assert!(alpha.cells.iter().all(|cell| cell.config.epochs == 50));
}

#[test]
fn merges_equal_cells_and_applies_overrides() {
    let root = tempfile::tempdir().unwrap();
    let text = "epochs = 5\n[[part]]\ntitle = \"a\"\npet_size = [5, 10]\n[[part]]\ntitle = \"b\"\npet_size = 10\ncache_mb = 7\n";
    let cells = parse_cells(text, root.path()).unwrap();
    assert_eq!((cells.rows.len(), cells.cells.len()), (3, 2));
    assert_eq!(cells.rows[1].cells, cells.rows[2].cells);
    let overrides = Overrides {
        device: Some("cpu".into()),
        data: vec![("imagenet-r".into(), "/data/r".into())],
        ..Overrides::default()
    };
    let overridden =
        Cells::from_grid(find("switches").unwrap().0, root.path(), &overrides).unwrap();
    let is_overridden = |config: &RunConfig| config.data == "/data/r" && config.device == "cpu";
    assert!(
        overridden.cells.iter().all(|cell| is_overridden(&cell.config) && cell.config.epochs == 50)
    );
}

#[test]
fn method_settings_apply_only_to_their_method() {
    let root = tempfile::tempdir().unwrap();
    let parse = |text: &str| parse_cells(text, root.path());
    let two_methods = parse("method = [\"lae\", \"l2p\"]\nsettings.ema = 0.9\n").unwrap();
    let ema_setting = |cell: usize| two_methods.cells[cell].config.settings.get("ema").cloned();
    assert_eq!([ema_setting(0), ema_setting(1)], [Some(Setting::Real(0.9)), None]);
    let expect_problem = |text: &str| -> Problem { parse(text).unwrap_err() };
    let crossed_problem =
        expect_problem("method = [\"lae\", \"l2p\"]\nsettings.ema = [0.9, 0.99]\n");
    assert_says!(crossed_problem.what, "problem-method-lacks-setting", title = "L2P", key = "ema");
    assert!(crossed_problem.place.contains("line 2"), "{crossed_problem}");
    for (text, id, remedy) in [
        ("settings.emma = 0.9\n", "problem-setting-not-found", "`ema`"),
        ("preset = \"cifar10010\"\n", "problem-preset-not-found", "cifar100-10"),
        ("epochs = 1\nmethod = \"lea\"\n", "problem-method-not-found", "lae"),
    ] {
        let problem = expect_problem(text);
        assert!(problem.mentions(id) && problem.remedy.contains(remedy), "{problem}");
        assert!(problem.place.starts_with("mine.toml, line"), "{problem}");
    }
    let with_invalid_cell = parse("settings.ema = [0.5, 2.0]\n").unwrap();
    assert!(with_invalid_cell.cells[0].problem.is_none());
    let problem = with_invalid_cell.cells[1].problem.clone().unwrap();
    assert_says!(problem.what, "problem-setting-value-invalid", given = "2");
    let suggestion = find("switches-dmo").unwrap_err();
    assert!(suggestion.remedy.contains("switches-demo"), "{suggestion}");
    assert!(find("nowhere.toml").unwrap_err().is("io-read-the-grid-failed"));
}

#[test]
fn plan_predicts_run_keys() {
    let root = tempfile::tempdir().unwrap();
    let text = format!(
        "{TINY_CONFIG}[[part]]\ntitle = \"a\"\nmethod = [\"lae\", \"l2p\", \"joint-ft\", \"simplecil\"]\nsettings.freeze_epochs = 0\n\
         [[part]]\ntitle = \"b\"\npet = \"prefix\"\npet_variant = [\"plain\", \"compensated\", \"scaled\"]\nprecision = \"f32\"\n\
         order = \"seed:3\"\nseed = 4\nsettings.freeze_epochs = 0\n"
    );
    let mut plan = new_plan(&text, root.path(), &Control::default());
    let keys: Vec<store::RunKey> = (0..7).map(|cell| plan.key(cell).unwrap().clone()).collect();
    assert_eq!(keys.iter().collect::<HashSet<_>>().len(), 7);
    assert!((0..7).all(|cell| plan.state(cell) == CellState::ToDo));
    let mut sink = RecordingSink::default();
    assert_eq!(run_all(&mut plan, &mut sink), GridEnd::Done { failed: 0 });
    let runs: HashSet<store::RunKey> = finished_run_keys(root.path()).into_iter().collect();
    assert_eq!(runs, keys.into_iter().collect());
    assert!((0..7).all(|cell| matches!(plan.state(cell), CellState::Done(_))));
    let costs = plan.estimate_costs(&plan.execution_order());
    assert_eq!((costs.runs, costs.seconds), (0, 0.0));
}

#[test]
fn stopped_grid_resumes_without_repeating_cells() {
    let root = tempfile::tempdir().unwrap();
    let text = format!("{TINY_CONFIG}settings.freeze_epochs = 0\norders = 2\nseeds = 2\n");
    let control = Control::default();
    let mut first = new_plan(&text, root.path(), &control);
    assert!(first.estimate_costs(&first.execution_order()).seconds > 0.0);
    let mut sink =
        RecordingSink { stop_after: Some((3, control.clone())), ..RecordingSink::default() };
    let end = run_all(&mut first, &mut sink);
    assert_eq!(end, GridEnd::Stopped { saved: true });
    assert_eq!(sink.started, [(0, false), (1, false)]);
    let mut second = new_plan(&text, root.path(), &Control::default());
    let stopped_state = second.state(1);
    assert_eq!(stopped_state, CellState::Stopped { saved: 1, tasks: 2 });
    let mut sink = RecordingSink::default();
    assert_eq!(run_all(&mut second, &mut sink), GridEnd::Done { failed: 0 });
    assert_eq!(sink.started, [(1, true), (2, false), (3, false)]);
    assert!(matches!(sink.completed[0], (0, CellState::Done(_))));
    assert_eq!(finished_run_keys(root.path()).len(), 4);
    let [row] = &second.rows(&second.execution_order())[..] else { panic!("one row") };
    assert_eq!((row.missing, row.figures.runs.len()), (0, 4));
    assert!(
        row.figures.mean.final_accuracy().is_some() && row.figures.std.final_accuracy().is_some()
    );
    assert!(
        second
            .estimate_seconds(0)
            .is_some_and(|(seconds, basis)| seconds > 0.0 && basis == Some(Basis::Experiment))
    );
    // Other settings are estimated from the most similar runs.
    let text = format!(
        "{TINY_CONFIG}[[part]]\ntitle = \"a\"\nmethod = \"lae\"\nsettings.freeze_epochs = 1\n[[part]]\ntitle = \"b\"\nmethod = \"l2p\"\n"
    );
    let mut similar = new_plan(&text, root.path(), &Control::default());
    let (lae, first) = similar.estimate_seconds(0).unwrap();
    let (l2p, second) = similar.estimate_seconds(1).unwrap();
    assert_eq!([first, second], [Some(Basis::Method), Some(Basis::Backbone)]);
    assert!(l2p > 1.3 * lae, "{l2p} {lae}");
    let costs = similar.estimate_costs(&similar.execution_order());
    assert!(costs.measured && !costs.same_method);
    assert!(similar.find_devices().is_empty());
}

#[test]
fn failed_cells_do_not_block_others() {
    let root = tempfile::tempdir().unwrap();
    // Tasks with too many classes, and a PET size that the plugin rejects.
    let tiny = TINY_CONFIG.replace("\"5\"\n", "[\"5,6\", \"5\"]\n");
    let text = format!("{tiny}settings.freeze_epochs = 0\npet_size = [5, 9000]\n");
    let mut plan = new_plan(&text, root.path(), &Control::default());
    let mut sink = RecordingSink::default();
    assert_eq!(run_all(&mut plan, &mut sink), GridEnd::Done { failed: 3 });
    assert_eq!((sink.started.as_slice(), sink.completed.len()), (&[(2, false)][..], 4));
    assert_eq!(finished_run_keys(root.path()).len(), 1);
    let missing_folder = root.path().join("no pictures").display().to_string();
    let text = text.replace("\"digits\"", &format!("['{missing_folder}', \"digits\"]"));
    let mut plan = self::new_plan(&text, root.path(), &Control::default());
    let costs = plan.estimate_costs(&plan.execution_order());
    assert_eq!(costs.runs, 0);
    assert_eq!(run_all(&mut plan, &mut RecordingSink::default()), GridEnd::Done { failed: 7 });
}

#[test]
fn waits_for_cells_locked_by_another_process() {
    let root = tempfile::tempdir().unwrap();
    let text = format!("{TINY_CONFIG}settings.freeze_epochs = 0\nseeds = 3\n");
    let mut plan = new_plan(&text, root.path(), &Control::default());
    let lock = lock_cell(root.path(), plan.key(0).unwrap()).unwrap().unwrap();
    assert_eq!(plan.state(0), CellState::Elsewhere);
    assert_eq!(plan.estimate_costs(&plan.execution_order()).runs, 2);
    let config = plan.cells.cells[0].config.clone();
    let folder = root.path().to_path_buf();
    let mut sink = RecordingSink {
        // The other process finishes its run.
        on_wait: Some(Box::new(move || {
            let (cache, control) = (ResourceCache::default(), Control::default());
            let mut events: Vec<Event> = Vec::new();
            experiment::train(&config, &folder, &cache, &mut events, &control).unwrap();
            drop(lock);
        })),
        ..RecordingSink::default()
    };
    assert_eq!(run_all(&mut plan, &mut sink), GridEnd::Done { failed: 0 });
    assert_eq!((sink.started.as_slice(), sink.waiting_cells), (&[(1, false), (2, false)][..], 1));
    assert!(matches!(sink.completed.last(), Some((0, CellState::Done(_)))));
    assert_eq!(finished_run_keys(root.path()).len(), 3);
}

#[test]
fn grid_applies_preset_like_train() {
    let root = tempfile::tempdir().unwrap();
    let cells =
        parse_cells("preset = \"imagenet-r-10\"\nmethod = \"seq-ft\"\nepochs = 2\n", root.path())
            .unwrap();
    let config = &cells.cells[0].config;
    let mut expected = presets::find_preset("imagenet-r-10").unwrap().run.clone();
    experiment::overrides::set_method(&mut expected, "seq-ft", true).unwrap();
    expected.epochs = 2;
    assert_eq!(with_explicit_settings(config), with_explicit_settings(&expected));
}
