//! Grids: converts the window's settings to grid files and back, and finds the existing runs of a grid.

use std::path::Path;

use super::Disk;
use crate::experiment::grid::search::toml_literal;
use crate::experiment::grid::slurm::{self, SubmitOptions};
use crate::experiment::grid::{Cells, GridPlan, Overrides, find, value_of};
use crate::method::filled;
use crate::problem::Result;
use crate::run::config::{RunConfig, SETTINGS, Setting, setting};
use crate::run::grid::{Grid, GridKey};
use crate::run::job::GridWork;
use crate::run::places::RemoteMachine;
use crate::session::grids::{Axis, GridAsk, GridFields, GridView, VaryingSettings};
use crate::session::plain::title_of;
use crate::texts::{Language, Message};
use crate::tr;

/// The name of a grid that was not saved as a file.
const UNSAVED: &str = "several-values";

impl Disk {
    /// Plans a grid and returns it with the state of its runs in `root`.
    pub fn grid(&self, ask: &GridAsk) -> Result<GridView> {
        let root = self.runs_root.as_path();
        let (name, text, device) = named(ask, root)?;
        let overrides = Overrides {
            device: device.clone(),
            ..Overrides::default()
        };
        let plan = plan(&name, &text, root, &overrides)?;
        let (factors, fields) = match ask {
            GridAsk::Several(fields) => (factors(&fields.several), None),
            GridAsk::Named(..) => (String::new(), fields_of(&plan.cells, root).map(Box::new)),
            GridAsk::Text(..) => (String::new(), None),
        };
        let runs = plan.cells.cells.len();
        Ok(GridView {
            work: GridWork {
                name,
                text,
                runs,
                search: None,
                cells: Vec::new(),
                data: Vec::new(),
            },
            device,
            factors,
            standing: plan.standing(),
            fields,
        })
    }

    /// Submits the missing runs of a grid to a cluster. They are stored in the cluster's folder, otherwise in `root`.
    /// Returns the outcome in words.
    pub fn submit_grid(&self, ask: &GridAsk, cluster: &RemoteMachine) -> Result<Message> {
        let root = self.runs_root.as_path();
        let (name, text, _) = named(ask, root)?;
        let root = cluster.folder.as_deref().map_or(root, Path::new);
        let overrides = Overrides {
            device: cluster.device.clone(),
            data: cluster.data.clone().into_iter().collect(),
            ..Overrides::default()
        };
        let mut plan = plan(&name, &text, root, &overrides)?;
        let order = plan.in_order();
        let given = SubmitOptions {
            text: &text,
            ..SubmitOptions::default()
        };
        slurm::submit(&mut plan, &order, cluster, &given, &mut |_| true)
    }
}

/// Returns the plan of a grid. Devices are not opened, because only the engine's thread may do that, and a login node
/// lacks the devices of the compute nodes.
fn plan(name: &str, text: &str, root: &Path, overrides: &Overrides) -> Result<GridPlan> {
    let grid = Grid::read(name, text, &tr!("notices-grid-name", name))?;
    GridPlan::without_devices(grid, root, overrides)
}

/// Returns the grid's name, the text of its file, and the device of its runs if it overrides the file's.
fn named(ask: &GridAsk, root: &Path) -> Result<(String, String, Option<String>)> {
    Ok(match ask {
        GridAsk::Several(fields) => (UNSAVED.to_string(), text_of(fields, root)?, None),
        GridAsk::Named(wanted, device) => {
            let (grid, text) = find(wanted)?;
            (grid.name, text, device.clone())
        }
        GridAsk::Text(work, device) => (work.name.clone(), work.text.clone(), device.clone()),
    })
}

/// Returns a grid as settings with several values; `None` if the grid is not a product of such values.
fn fields_of(cells: &Cells, root: &Path) -> Option<GridFields> {
    let [part] = &cells.grid.parts[..] else {
        return None;
    };
    let mut axes = Vec::new();
    for axis in &part.axes {
        let mut values = Vec::new();
        for choice in &axis[..] {
            let [given] = &choice.given[..] else {
                return None;
            };
            let key = given.key.name();
            if key == "preset" || choice.title != format!("{key} {}", given.value) {
                return None;
            }
            values.push((key.to_string(), given.value.clone()));
        }
        let (key, _) = values.first()?.clone();
        let values = values.into_iter().map(|(_, value)| value).collect();
        axes.push(Axis { key, values });
    }
    let preset = part.fixed.iter().find_map(|given| match given.key {
        GridKey::Preset => Some(given.value.to_string()),
        _ => None,
    });
    let fields = GridFields {
        draft: cells.cells.first()?.config.clone(),
        preset,
        several: VaryingSettings {
            axes,
            orders: part.orders,
            seeds: part.seeds,
        },
    };
    let text = text_of(&fields, root).ok()?;
    let again = Grid::read(UNSAVED, &text, UNSAVED).ok()?;
    let again = Cells::of(again, root, &Overrides::default()).ok()?;
    let configs = |cells: &Cells| -> Vec<RunConfig> {
        let all = cells.cells.iter();
        all.map(|cell| filled(&cell.config)).collect()
    };
    (configs(&again) == configs(cells)).then_some(fields)
}

/// Returns a summary such as "3 methods × 2 PETs × 3 class orders". Other languages put the number after the setting's
/// name.
fn factors(several: &VaryingSettings) -> String {
    let mut words = Vec::new();
    for axis in several.axes.iter().filter(|axis| axis.values.len() > 1) {
        words.push(tr!(
            "notices-axis-values",
            n = axis.values.len(),
            setting = plural(&axis.key)
        ));
    }
    let repeated = [
        (several.orders, tr!("notices-axis-class-orders")),
        (several.seeds, tr!("notices-axis-seeds")),
    ];
    for (number, what) in repeated {
        words.extend(number.map(|n| tr!("notices-axis-values", n, setting = what)));
    }
    words.join(" × ")
}

fn plural(key: &str) -> String {
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
fn text_of(fields: &GridFields, root: &Path) -> Result<String> {
    let (draft, preset) = (&filled(&fields.draft), fields.preset.as_deref());
    let mut named: Vec<String> = vec!["data".into(), "method".into()];
    // A named setting can change the default of another setting, so the missing ones are added in several rounds.
    for _ in 0..4 {
        let single = write(draft, preset, &VaryingSettings::default(), &named)?;
        let grid = Grid::read(UNSAVED, &single, tr!("notices-settings"))?;
        let cells = Cells::of(grid, root, &Overrides::default())?;
        let Some(cell) = cells.cells.first() else {
            break;
        };
        let found = filled(&cell.config);
        let common = SETTINGS.iter().map(|known| known.spec.key);
        let keys = common.chain(draft.settings.keys().map(String::as_str));
        let other = keys.filter(|key| value_of(&found, key) != value_of(draft, key));
        let mut other: Vec<String> = other.map(String::from).collect();
        other.retain(|key| !named.contains(key));
        if other.is_empty() {
            break;
        }
        named.extend(other);
    }
    write(draft, preset, &fields.several, &named)
}

/// Returns a grid file that contains only the settings in `named`.
fn write(
    draft: &RunConfig,
    preset: Option<&str>,
    several: &VaryingSettings,
    named: &[String],
) -> Result<String> {
    // Axes keep their order; single values come first. A missing value has no syntax, so its setting is omitted.
    let single = named
        .iter()
        .filter(|key| !several.has(key))
        .map(|key| (key, Vec::from_iter(value_of(draft, key))));
    let axes = several.axes.iter();
    let axes = axes.map(|axis| (&axis.key, axis.values.clone()));
    let (mut text, mut own) = (String::new(), String::new());
    if !several.is_empty() {
        text += "title = \"Several values\"\n";
    }
    if let Some(preset) = preset {
        let preset = Setting::Text(preset.to_string().into());
        text += &format!("preset = {}\n", toml_literal("preset", &preset)?);
    }
    for (key, values) in single.chain(axes).filter(|(_, values)| !values.is_empty()) {
        let values: Result<Vec<String>> = values
            .iter()
            .map(|value| toml_literal(key, value))
            .collect();
        let values = match &values?[..] {
            [only] => only.clone(),
            many => format!("[{}]", many.join(", ")),
        };
        match setting(key) {
            Some(_) => text += &format!("{key} = {values}\n"),
            None => own += &format!("settings.{key} = {values}\n"),
        }
    }
    for (key, number) in [("orders", several.orders), ("seeds", several.seeds)] {
        text.extend(number.map(|number| format!("{key} = {number}\n")));
    }
    Ok(text + &own)
}
