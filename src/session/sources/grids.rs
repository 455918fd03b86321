//! Grids: converts the window's settings to grid files and back, and finds the existing runs of a grid.

use std::path::Path;

use super::Disk;
use crate::experiment::grid::search::toml_literal;
use crate::experiment::grid::slurm::{self, SubmitOptions};
use crate::experiment::grid::{Cells, GridPlan, Overrides, find, value_of};
use crate::method::with_explicit_settings;
use crate::problem::Result;
use crate::run::config::{RunConfig, SETTINGS, Setting, setting};
use crate::run::grid::{Grid, GridKey};
use crate::run::job::GridWork;
use crate::run::remote_machines::RemoteMachine;
use crate::session::grids::{Axis, GridFields, GridSource, GridView, VaryingSettings};
use crate::session::window_terms::title_of;
use crate::texts::{Language, Message};
use crate::tr;

/// The name of a grid that was not saved as a file.
const UNSAVED: &str = "several-values";

impl Disk {
    /// Plans a grid and returns it with the state of its runs in `root`.
    pub fn plan_grid(&self, source: &GridSource) -> Result<GridView> {
        let root = self.runs_root.as_path();
        let (name, text, device) = read_source(source, root)?;
        let overrides = Overrides { device: device.clone(), ..Overrides::default() };
        let plan = plan(&name, &text, root, &overrides)?;
        let (factors, fields) = match source {
            GridSource::Varying(fields) => (factors(&fields.varying), None),
            GridSource::Named(..) => {
                (String::new(), to_grid_fields(&plan.cells, root).map(Box::new))
            }
            GridSource::Queued(..) => (String::new(), None),
        };
        let runs = plan.cells.cells.len();
        Ok(GridView {
            work: GridWork { name, text, runs, search: None, cells: Vec::new(), data: Vec::new() },
            device,
            factors,
            state: plan.status(),
            fields,
        })
    }

    /// Submits the missing runs of a grid to a cluster. They are stored in the cluster's folder, otherwise in `root`.
    /// Returns the outcome in words.
    pub fn submit_grid(&self, source: &GridSource, cluster: &RemoteMachine) -> Result<Message> {
        let root = self.runs_root.as_path();
        let (name, text, _) = read_source(source, root)?;
        let root = cluster.folder.as_deref().map_or(root, Path::new);
        let overrides = Overrides {
            device: cluster.device.clone(),
            data: cluster.data.clone().into_iter().collect(),
            ..Overrides::default()
        };
        let mut plan = plan(&name, &text, root, &overrides)?;
        let order = plan.execution_order();
        let options = SubmitOptions { text: &text, ..SubmitOptions::default() };
        slurm::submit(&mut plan, &order, cluster, &options, &mut |_| true)
    }
}

/// Returns the plan of a grid. Devices are not opened, because only the engine's thread may do that, and a login node
/// lacks the devices of the compute nodes.
fn plan(name: &str, text: &str, root: &Path, overrides: &Overrides) -> Result<GridPlan> {
    let grid = Grid::parse(name, text, &tr!("notices-grid-name", name))?;
    GridPlan::without_devices(grid, root, overrides)
}

/// Returns the grid's name, the text of its file, and the device of its runs if it overrides the file's.
fn read_source(source: &GridSource, root: &Path) -> Result<(String, String, Option<String>)> {
    Ok(match source {
        GridSource::Varying(fields) => (UNSAVED.to_string(), grid_text(fields, root)?, None),
        GridSource::Named(name, device) => {
            let (grid, text) = find(name)?;
            (grid.name, text, device.clone())
        }
        GridSource::Queued(work, device) => (work.name.clone(), work.text.clone(), device.clone()),
    })
}

/// Returns a grid as settings with several values; `None` if the grid is not a product of such values.
fn to_grid_fields(cells: &Cells, root: &Path) -> Option<GridFields> {
    let [part] = &cells.grid.parts[..] else {
        return None;
    };
    let mut axes = Vec::new();
    for axis in &part.axes {
        let mut values = Vec::new();
        for choice in &axis[..] {
            let [assignment] = &choice.values[..] else {
                return None;
            };
            let key = assignment.key.name();
            if key == "preset" || choice.title != format!("{key} {}", assignment.value) {
                return None;
            }
            values.push((key.to_string(), assignment.value.clone()));
        }
        let (key, _) = values.first()?.clone();
        let values = values.into_iter().map(|(_, value)| value).collect();
        axes.push(Axis { key, values });
    }
    let preset = part.fixed.iter().find_map(|assignment| match assignment.key {
        GridKey::Preset => Some(assignment.value.to_string()),
        _ => None,
    });
    let fields = GridFields {
        draft: cells.cells.first()?.config.clone(),
        preset,
        varying: VaryingSettings { axes, orders: part.orders, seeds: part.seeds },
    };
    let text = grid_text(&fields, root).ok()?;
    let grid = Grid::parse(UNSAVED, &text, UNSAVED).ok()?;
    let reread_cells = Cells::from_grid(grid, root, &Overrides::default()).ok()?;
    let configs = |cells: &Cells| -> Vec<RunConfig> {
        let all = cells.cells.iter();
        all.map(|cell| with_explicit_settings(&cell.config)).collect()
    };
    (configs(&reread_cells) == configs(cells)).then_some(fields)
}

/// Returns a summary such as "3 methods × 2 PETs × 3 class orders". Other languages put the number after the setting's
/// name.
fn factors(varying: &VaryingSettings) -> String {
    let mut parts = Vec::new();
    for axis in varying.axes.iter().filter(|axis| axis.values.len() > 1) {
        parts.push(tr!(
            "notices-axis-values",
            n = axis.values.len(),
            setting = plural_title(&axis.key)
        ));
    }
    let repeated = [
        (varying.orders, tr!("notices-axis-class-orders")),
        (varying.seeds, tr!("notices-axis-seeds")),
    ];
    for (number, what) in repeated {
        parts.extend(number.map(|n| tr!("notices-axis-values", n, setting = what)));
    }
    parts.join(" × ")
}

fn plural_title(key: &str) -> String {
    let title = title_of(key);
    if Language::spoken() != Language::English {
        return title;
    }
    let second = title.chars().nth(1);
    let title = match second.is_some_and(char::is_uppercase) {
        true => title,
        false => title.to_lowercase(),
    };
    match title.ends_with('s') {
        true => title,
        false if title.ends_with("ch") => format!("{title}es"),
        false => format!("{title}s"),
    }
}

/// Returns the grid file for these settings, some of which have several values. Settings that follow from others are
/// omitted, so that a row with another method or PET gets its own defaults.
fn grid_text(fields: &GridFields, root: &Path) -> Result<String> {
    let (draft, preset) = (&with_explicit_settings(&fields.draft), fields.preset.as_deref());
    let mut included: Vec<String> = vec!["data".into(), "method".into()];
    // A named setting can change the default of another setting, so the missing ones are added in several rounds.
    for _ in 0..4 {
        let single = write_grid(draft, preset, &VaryingSettings::default(), &included)?;
        let grid = Grid::parse(UNSAVED, &single, tr!("notices-settings"))?;
        let cells = Cells::from_grid(grid, root, &Overrides::default())?;
        let Some(cell) = cells.cells.first() else {
            break;
        };
        let defaults = with_explicit_settings(&cell.config);
        let common = SETTINGS.iter().map(|entry| entry.spec.key);
        let keys = common.chain(draft.settings.keys().map(String::as_str));
        let missing = keys.filter(|key| value_of(&defaults, key) != value_of(draft, key));
        let mut missing: Vec<String> = missing.map(String::from).collect();
        missing.retain(|key| !included.contains(key));
        if missing.is_empty() {
            break;
        }
        included.extend(missing);
    }
    write_grid(draft, preset, &fields.varying, &included)
}

/// Returns a grid file that contains only the settings in `included`.
fn write_grid(
    draft: &RunConfig,
    preset: Option<&str>,
    varying: &VaryingSettings,
    included: &[String],
) -> Result<String> {
    // Axes keep their order; single values come first. A missing value has no syntax, so its setting is omitted.
    let single = included
        .iter()
        .filter(|key| !varying.has(key))
        .map(|key| (key, Vec::from_iter(value_of(draft, key))));
    let axes = varying.axes.iter();
    let axes = axes.map(|axis| (&axis.key, axis.values.clone()));
    let (mut text, mut method_settings) = (String::new(), String::new());
    if !varying.is_empty() {
        text += "title = \"Several values\"\n";
    }
    if let Some(preset) = preset {
        let preset = Setting::Text(preset.to_string().into());
        text += &format!("preset = {}\n", toml_literal("preset", &preset)?);
    }
    for (key, values) in single.chain(axes).filter(|(_, values)| !values.is_empty()) {
        let values: Result<Vec<String>> =
            values.iter().map(|value| toml_literal(key, value)).collect();
        let values = match &values?[..] {
            [only] => only.clone(),
            many => format!("[{}]", many.join(", ")),
        };
        match setting(key) {
            Some(_) => text += &format!("{key} = {values}\n"),
            None => method_settings += &format!("settings.{key} = {values}\n"),
        }
    }
    for (key, number) in [("orders", varying.orders), ("seeds", varying.seeds)] {
        text.extend(number.map(|number| format!("{key} = {number}\n")));
    }
    Ok(text + &method_settings)
}
