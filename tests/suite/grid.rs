//! Grids: cells of grid files, run keys known in advance, and running the cells.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use lae_studio::experiment::estimate::Basis;
use lae_studio::experiment::grid::{Cells, GridEnd, GridPlan, GridSink, Overrides, find, shipped};
use lae_studio::experiment::{self, ResourceCache, presets};
use lae_studio::method::filled;
use lae_studio::problem::{Problem, Result};
use lae_studio::run::config::{RunConfig, Setting};
use lae_studio::run::event::{Control, ControlRequest, Event, Sink};
use lae_studio::run::grid::{CellStanding, Grid};
use lae_studio::store::{self, StoredState, lock_cell};

/// Settings of very short runs.
const TINY: &str = "data = \"digits\"\nclasses_per_task = \"5\"\nepochs = 1\nbatch = 8\ntrain_limit = 8\ntest_limit = 4\n\
    device = \"cpu\"\nblocks = \"2\"\n";

fn cells(text: &str, root: &Path) -> Result<Cells> {
    let grid = Grid::read("mine", text, "mine.toml")?;
    Cells::of(grid, root, &Overrides::default())
}

fn plan(text: &str, root: &Path, control: &Control) -> GridPlan {
    let cells = cells(text, root).unwrap();
    let cache = ResourceCache::default();
    GridPlan::make(cells, root, true, &cache, control).unwrap()
}

/// Records events and stops after a number of saved tasks.
#[derive(Default)]
struct RecordingSink {
    begun: Vec<(usize, bool)>,
    ended: Vec<(usize, CellStanding)>,
    waited: usize,
    stop_after: Option<(usize, Control)>,
    /// Called once the grid waits for other processes.
    on_wait: Option<Box<dyn FnOnce()>>,
}

impl Sink for RecordingSink {
    fn event(&mut self, event: Event) {
        if let (Event::TaskEvaluated { .. }, Some((left, control))) = (event, &mut self.stop_after)
        {
            *left -= 1;
            if *left == 0 {
                control.set(ControlRequest::Stop);
            }
        }
    }
}

impl GridSink for RecordingSink {
    fn report_cell(&mut self, plan: &GridPlan, cell: usize, standing: &CellStanding) {
        match standing {
            CellStanding::AtWork => self.begun.push((cell, plan.run_of(cell).is_some())),
            standing => self.ended.push((cell, standing.clone())),
        }
    }

    fn waits(&mut self, cells: usize) {
        self.waited = cells;
        if let Some(act) = self.on_wait.take() {
            act();
        }
    }
}

fn run_all(plan: &mut GridPlan, sink: &mut RecordingSink) -> GridEnd {
    let order = plan.in_order();
    plan.run(&order, sink)
}

/// Returns the keys of all runs in a folder and asserts that they are finished.
fn finished(root: &Path) -> Vec<store::RunKey> {
    let runs = store::list(root)
        .into_iter()
        .map(|run| run.summary.unwrap());
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
        let (read, text) = find(grid.name).unwrap();
        assert_eq!(text, grid.text);
        assert!(
            !read.title.is_empty() && !read.about.is_empty(),
            "{}",
            grid.name
        );
        let cells = Cells::of(read, root.path(), &Overrides::default()).unwrap();
        for cell in &cells.cells {
            assert_eq!(cell.refused, None, "{}", grid.name);
            let is_demo = grid.name.ends_with("-demo");
            let embedded = ["digits", "letters"].contains(&cell.config.data.as_str());
            assert_eq!(is_demo, embedded && cell.config.backbone == "lae-nano");
        }
        if let Some(whole) = grid.name.strip_suffix("-demo") {
            assert!(names.contains(&whole), "{whole}");
            let rows = find(whole).unwrap().0.rows();
            assert!(cells.rows.len() >= rows, "{whole}");
        }
    }
}

#[test]
fn paper_grids_match_presets() {
    let root = tempfile::tempdir().unwrap();
    for name in [
        "cifar100-10",
        "imagenet-r-10",
        "cifar100-20",
        "imagenet-r-20",
    ] {
        let preset = presets::named(name).unwrap();
        let cells = Cells::of(find(name).unwrap().0, root.path(), &Overrides::default()).unwrap();
        for (title, pet, size) in presets::PETS {
            let title = format!("LAE · {title}");
            let row = cells.rows.iter().find(|row| row.title == title).unwrap();
            let wanted = presets::over_orders(&preset.with_pet(pet, size), preset.paper, 3);
            let own: Vec<RunConfig> = row
                .cells
                .iter()
                .map(|c| cells.cells[*c].config.clone())
                .collect();
            assert_eq!(own, wanted, "{name} {title}");
        }
    }
    let with =
        |name: &str| Cells::of(find(name).unwrap().0, root.path(), &Overrides::default()).unwrap();
    let switches = with("switches");
    let baseline = &switches.cells[switches.rows[0].cells[0]].config;
    assert_eq!(
        (baseline.method.as_str(), baseline.pet_size),
        ("baseline", 10)
    );
    assert_eq!(switches.rows.len(), 7);
    let swin = with("swin");
    assert!(swin.cells.iter().all(|cell| cell.config.blocks == "10"));
    let convnext = with("convnext");
    assert!(convnext.cells.iter().all(|cell| cell.config.blocks == "15"));
    let alpha = with("alpha");
    let own = |row: usize| alpha.cells[alpha.rows[row].cells[0]].config.settings["ema"].clone();
    assert_eq!(
        [0, 1, 2].map(own),
        [0.999, 0.9999, 0.99999].map(Setting::Real)
    );
    assert!(alpha.cells.iter().all(|cell| cell.config.epochs == 50));
}

#[test]
fn merges_equal_cells_and_applies_overrides() {
    let root = tempfile::tempdir().unwrap();
    let text = "epochs = 5\n[[part]]\ntitle = \"a\"\npet_size = [5, 10]\n[[part]]\ntitle = \"b\"\npet_size = 10\ncache_mb = 7\n";
    let cells = cells(text, root.path()).unwrap();
    assert_eq!((cells.rows.len(), cells.cells.len()), (3, 2));
    assert_eq!(cells.rows[1].cells, cells.rows[2].cells);
    let overrides = Overrides {
        device: Some("cpu".into()),
        data: vec![("imagenet-r".into(), "/data/r".into())],
        ..Overrides::default()
    };
    let moved = Cells::of(find("switches").unwrap().0, root.path(), &overrides).unwrap();
    let is_moved = |config: &RunConfig| config.data == "/data/r" && config.device == "cpu";
    assert!(
        moved
            .cells
            .iter()
            .all(|cell| is_moved(&cell.config) && cell.config.epochs == 50)
    );
}

#[test]
fn method_settings_apply_only_to_their_method() {
    let root = tempfile::tempdir().unwrap();
    let read = |text: &str| cells(text, root.path());
    let both = read("method = [\"lae\", \"l2p\"]\nsettings.ema = 0.9\n").unwrap();
    let own = |cell: usize| both.cells[cell].config.settings.get("ema").cloned();
    assert_eq!([own(0), own(1)], [Some(Setting::Real(0.9)), None]);
    let told = |text: &str| -> Problem { read(text).unwrap_err() };
    let crossed = told("method = [\"lae\", \"l2p\"]\nsettings.ema = [0.9, 0.99]\n");
    assert_says!(
        crossed.what,
        "problem-method-lacks-setting",
        title = "L2P",
        key = "ema"
    );
    assert!(crossed.place.contains("line 2"), "{crossed}");
    for (text, id, remedy) in [
        (
            "settings.emma = 0.9\n",
            "problem-setting-not-found",
            "`ema`",
        ),
        (
            "preset = \"cifar10010\"\n",
            "problem-preset-not-found",
            "cifar100-10",
        ),
        (
            "epochs = 1\nmethod = \"lea\"\n",
            "problem-method-not-found",
            "lae",
        ),
    ] {
        let problem = told(text);
        assert!(
            problem.mentions(id) && problem.remedy.contains(remedy),
            "{problem}"
        );
        assert!(problem.place.starts_with("mine.toml, line"), "{problem}");
    }
    let refused = read("settings.ema = [0.5, 2.0]\n").unwrap();
    assert!(refused.cells[0].refused.is_none());
    let problem = refused.cells[1].refused.clone().unwrap();
    assert_says!(problem.what, "problem-setting-value-invalid", given = "2");
    let near = find("switches-dmo").unwrap_err();
    assert!(near.remedy.contains("switches-demo"), "{near}");
    assert!(
        find("nowhere.toml")
            .unwrap_err()
            .is("io-read-the-grid-failed")
    );
}

#[test]
fn plan_predicts_run_keys() {
    let root = tempfile::tempdir().unwrap();
    let text = format!(
        "{TINY}[[part]]\ntitle = \"a\"\nmethod = [\"lae\", \"l2p\", \"joint-ft\", \"simplecil\"]\nsettings.freeze_epochs = 0\n\
         [[part]]\ntitle = \"b\"\npet = \"prefix\"\npet_variant = [\"plain\", \"compensated\", \"scaled\"]\nprecision = \"f32\"\n\
         order = \"seed:3\"\nseed = 4\nsettings.freeze_epochs = 0\n"
    );
    let mut plan = plan(&text, root.path(), &Control::default());
    let keys: Vec<store::RunKey> = (0..7).map(|cell| plan.key(cell).unwrap().clone()).collect();
    assert_eq!(keys.iter().collect::<HashSet<_>>().len(), 7);
    assert!((0..7).all(|cell| plan.state(cell) == CellStanding::ToDo));
    let mut heard = RecordingSink::default();
    assert_eq!(run_all(&mut plan, &mut heard), GridEnd::Done { failed: 0 });
    let runs: HashSet<store::RunKey> = finished(root.path()).into_iter().collect();
    assert_eq!(runs, keys.into_iter().collect());
    assert!((0..7).all(|cell| matches!(plan.state(cell), CellStanding::Done(_))));
    let costs = plan.costs(&plan.in_order());
    assert_eq!((costs.runs, costs.seconds), (0, 0.0));
}

#[test]
fn stopped_grid_resumes_without_repeating_cells() {
    let root = tempfile::tempdir().unwrap();
    let text = format!("{TINY}settings.freeze_epochs = 0\norders = 2\nseeds = 2\n");
    let control = Control::default();
    let mut first = plan(&text, root.path(), &control);
    assert!(first.costs(&first.in_order()).seconds > 0.0);
    let mut heard = RecordingSink {
        stop_after: Some((3, control.clone())),
        ..RecordingSink::default()
    };
    let end = run_all(&mut first, &mut heard);
    assert_eq!(end, GridEnd::Stopped { saved: true });
    assert_eq!(heard.begun, [(0, false), (1, false)]);
    let mut second = plan(&text, root.path(), &Control::default());
    let stopped = second.state(1);
    assert_eq!(stopped, CellStanding::Stopped { saved: 1, tasks: 2 });
    let mut heard = RecordingSink::default();
    assert_eq!(
        run_all(&mut second, &mut heard),
        GridEnd::Done { failed: 0 }
    );
    assert_eq!(heard.begun, [(1, true), (2, false), (3, false)]);
    assert!(matches!(heard.ended[0], (0, CellStanding::Done(_))));
    assert_eq!(finished(root.path()).len(), 4);
    let [row] = &second.rows(&second.in_order())[..] else {
        panic!("one row")
    };
    assert_eq!((row.missing, row.figures.runs.len()), (0, 4));
    assert!(
        row.figures.mean.final_accuracy().is_some() && row.figures.std.final_accuracy().is_some()
    );
    assert!(
        second
            .seconds(0)
            .is_some_and(|(seconds, basis)| seconds > 0.0 && basis == Some(Basis::Experiment))
    );
    // Other settings are estimated from the most similar runs.
    let text = format!(
        "{TINY}[[part]]\ntitle = \"a\"\nmethod = \"lae\"\nsettings.freeze_epochs = 1\n[[part]]\ntitle = \"b\"\nmethod = \"l2p\"\n"
    );
    let mut others = plan(&text, root.path(), &Control::default());
    let (lae, first) = others.seconds(0).unwrap();
    let (l2p, second) = others.seconds(1).unwrap();
    assert_eq!(
        [first, second],
        [Some(Basis::Method), Some(Basis::Backbone)]
    );
    assert!(l2p > 1.3 * lae, "{l2p} {lae}");
    let costs = others.costs(&others.in_order());
    assert!(costs.measured && !costs.same_method);
    assert!(others.find_devices().is_empty());
}

#[test]
fn failed_cells_do_not_block_others() {
    let root = tempfile::tempdir().unwrap();
    // Tasks with too many classes, and a PET size that the plugin rejects.
    let tiny = TINY.replace("\"5\"\n", "[\"5,6\", \"5\"]\n");
    let text = format!("{tiny}settings.freeze_epochs = 0\npet_size = [5, 9000]\n");
    let mut plan = plan(&text, root.path(), &Control::default());
    let mut heard = RecordingSink::default();
    assert_eq!(run_all(&mut plan, &mut heard), GridEnd::Done { failed: 3 });
    assert_eq!(
        (heard.begun.as_slice(), heard.ended.len()),
        (&[(2, false)][..], 4)
    );
    assert_eq!(finished(root.path()).len(), 1);
    let nowhere = root.path().join("no pictures").display().to_string();
    let text = text.replace("\"digits\"", &format!("['{nowhere}', \"digits\"]"));
    let mut plan = self::plan(&text, root.path(), &Control::default());
    let costs = plan.costs(&plan.in_order());
    assert_eq!(costs.runs, 0);
    assert_eq!(
        run_all(&mut plan, &mut RecordingSink::default()),
        GridEnd::Done { failed: 7 }
    );
}

#[test]
fn waits_for_cells_locked_by_another_process() {
    let root = tempfile::tempdir().unwrap();
    let text = format!("{TINY}settings.freeze_epochs = 0\nseeds = 3\n");
    let mut plan = plan(&text, root.path(), &Control::default());
    let lock = lock_cell(root.path(), plan.key(0).unwrap())
        .unwrap()
        .unwrap();
    assert_eq!(plan.state(0), CellStanding::Elsewhere);
    assert_eq!(plan.costs(&plan.in_order()).runs, 2);
    let config = plan.cells.cells[0].config.clone();
    let folder = root.path().to_path_buf();
    let mut heard = RecordingSink {
        // The other process finishes its run.
        on_wait: Some(Box::new(move || {
            let (cache, control) = (ResourceCache::default(), Control::default());
            let mut events: Vec<Event> = Vec::new();
            experiment::train(&config, &folder, &cache, &mut events, &control).unwrap();
            drop(lock);
        })),
        ..RecordingSink::default()
    };
    assert_eq!(run_all(&mut plan, &mut heard), GridEnd::Done { failed: 0 });
    assert_eq!(
        (heard.begun.as_slice(), heard.waited),
        (&[(1, false), (2, false)][..], 1)
    );
    assert!(matches!(
        heard.ended.last(),
        Some((0, CellStanding::Done(_)))
    ));
    assert_eq!(finished(root.path()).len(), 3);
}

#[test]
fn grid_applies_preset_like_train() {
    let root = tempfile::tempdir().unwrap();
    let cells = cells(
        "preset = \"imagenet-r-10\"\nmethod = \"seq-ft\"\nepochs = 2\n",
        root.path(),
    )
    .unwrap();
    let config = &cells.cells[0].config;
    let mut wanted = presets::named("imagenet-r-10").unwrap().run.clone();
    experiment::overrides::turn_to(&mut wanted, "seq-ft", true).unwrap();
    wanted.epochs = 2;
    assert_eq!(filled(config), filled(&wanted));
}
