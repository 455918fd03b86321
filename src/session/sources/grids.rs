//! Grids as helper threads make and plan them: the settings of the window become a grid's file, and of every grid it is
//! looked which runs are there.

use std::path::Path;

use crate::experiment::grid::slurm::{self, Given};
use crate::experiment::grid::{Cells, GridPlan, Overrides, find};
use crate::method::filled;
use crate::problem::{Problem, Result};
use crate::run::config::{RunConfig, SETTINGS, Setting, setting};
use crate::run::grid::{Grid, GridKey};
use crate::run::job::GridWork;
use crate::run::places::Place;
use crate::session::grids::{Axis, GridAsk, GridFields, GridView, Several};
use crate::session::plain::title_of;
use crate::texts::{Language, Message};
use crate::tr;

/// What a grid of the window is called until it is saved.
const UNSAVED: &str = "several-values";

/// A grid, and how its runs stand below `root`.
pub(super) fn view(ask: &GridAsk, root: &Path) -> Result<GridView> {
    let (name, text, device) = named(ask, root)?;
    let factors = match ask {
        GridAsk::Several { several, .. } => factors(several),
        GridAsk::Named(..) | GridAsk::Text(..) => String::new(),
    };
    let grid = Grid::read(&name, &text, &tr!("notices-the-grid", name = name.as_str()))?;
    let overrides = Overrides {
        device: device.clone(),
        ..Overrides::default()
    };
    // The engine's thread alone opens devices.
    let plan = GridPlan::from_afar(grid, root, &overrides)?;
    let fields = match ask {
        GridAsk::Named(..) => fields_of(&plan.cells, root).map(Box::new),
        GridAsk::Several { .. } | GridAsk::Text(..) => None,
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

/// Its name, the text of its file, and the device of its runs where it is not the file's.
fn named(ask: &GridAsk, root: &Path) -> Result<(String, String, Option<String>)> {
    Ok(match ask {
        GridAsk::Several {
            draft,
            preset,
            several,
        } => {
            let text = text_of(draft, preset.as_deref(), several, root)?;
            (UNSAVED.to_string(), text, None)
        }
        GridAsk::Named(wanted, device) => {
            let (grid, text) = find(wanted)?;
            (grid.name, text, device.clone())
        }
        GridAsk::Text(work, device) => (work.name.clone(), work.text.clone(), device.clone()),
    })
}

/// Submits what is not there yet of a grid to a cluster, whose runs lie in its folder, else in `root`; gives what became of
/// it in words.
pub(super) fn submit(ask: &GridAsk, cluster: &Place, root: &Path) -> Result<Message> {
    let (name, text, _) = named(ask, root)?;
    let root = cluster.folder.as_deref().map_or(root, Path::new);
    let grid = Grid::read(&name, &text, &tr!("notices-the-grid", name = name.as_str()))?;
    let overrides = Overrides {
        device: cluster.device.clone(),
        data: cluster.data.clone().into_iter().collect(),
        ..Overrides::default()
    };
    // A login host has not the devices of its nodes.
    let mut plan = GridPlan::from_afar(grid, root, &overrides)?;
    let order = plan.in_order();
    let given = Given {
        text: &text,
        device: None,
        data: &[],
        at_once: None,
    };
    slurm::submit(&mut plan, &order, cluster, &given, &mut |_| true)
}

/// A grid as settings with several values; none where its parts or rows are no product of them.
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
    let several = Several {
        axes,
        orders: part.orders,
        seeds: part.seeds,
    };
    let draft = cells.cells.first()?.config.clone();
    let text = text_of(&draft, preset.as_deref(), &several, root).ok()?;
    let again = Grid::read(UNSAVED, &text, UNSAVED).ok()?;
    let again = Cells::of(again, root, &Overrides::default()).ok()?;
    let configs = |cells: &Cells| -> Vec<RunConfig> {
        let all = cells.cells.iter();
        all.map(|cell| filled(&cell.config)).collect()
    };
    (configs(&again) == configs(cells)).then_some(GridFields {
        draft,
        preset,
        several,
    })
}

/// "3 methods × 2 PETs × 3 class orders"; other languages name the setting with the number behind it.
fn factors(several: &Several) -> String {
    let mut words = Vec::new();
    for axis in several.axes.iter().filter(|axis| axis.values.len() > 1) {
        words.push(tr!(
            "notices-axis",
            n = axis.values.len(),
            setting = plural(&axis.key)
        ));
    }
    let repeated = [
        (several.orders, tr!("notices-axis-orders")),
        (several.seeds, tr!("notices-axis-seeds")),
    ];
    for (number, what) in repeated {
        words.extend(number.map(|n| tr!("notices-axis", n = n, setting = what)));
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

/// The grid's file that says these settings, with those that have several values. What follows from the others is left
/// out, so that a row of another method or PET takes what is usual for it.
fn text_of(
    draft: &RunConfig,
    preset: Option<&str>,
    several: &Several,
    root: &Path,
) -> Result<String> {
    let draft = &filled(draft);
    let mut named: Vec<String> = vec!["data".into(), "method".into()];
    // What is named may decide over what is not; after a few rounds all of it is said.
    for _ in 0..4 {
        let single = write(draft, preset, &Several::default(), &named)?;
        let grid = Grid::read(UNSAVED, &single, tr!("notices-the-settings"))?;
        let cells = Cells::of(grid, root, &Overrides::default())?;
        let Some(cell) = cells.cells.first() else {
            break;
        };
        let found = filled(&cell.config);
        let mut other: Vec<String> = Vec::new();
        for known in SETTINGS {
            if (known.get)(&found) != (known.get)(draft) {
                other.push(known.spec.key.to_string());
            }
        }
        let own = draft.settings.iter();
        let own = own.filter(|(key, value)| found.settings.get(*key) != Some(*value));
        other.extend(own.map(|(key, _)| key.clone()));
        other.retain(|key| !named.contains(key));
        if other.is_empty() {
            break;
        }
        named.extend(other);
    }
    write(draft, preset, several, &named)
}

/// The file, with these settings named.
fn write(
    draft: &RunConfig,
    preset: Option<&str>,
    several: &Several,
    named: &[String],
) -> Result<String> {
    let mut text = String::new();
    if !several.is_empty() {
        text += "title = \"Several values\"\n";
    }
    let mut line = |key: &str, value: &str| text += &format!("{key} = {value}\n");
    if let Some(preset) = preset {
        line("preset", &quoted(preset));
    }
    let mut own = Vec::new();
    // Axes keep their order; single values come first.
    for key in named.iter().filter(|key| !several.has(key)) {
        let value = match setting(key) {
            Some(known) => (known.get)(draft),
            None => draft.settings.get(key).cloned(),
        };
        // What is left out cannot be said; it is what a file means that does not name it.
        let Some(value) = value else { continue };
        match setting(key) {
            Some(_) => line(key, &literal(key, &value)?),
            None => own.push((key.clone(), literal(key, &value)?)),
        }
    }
    for axis in &several.axes {
        let values: Result<Vec<String>> =
            axis.values.iter().map(|v| literal(&axis.key, v)).collect();
        let values = match &values?[..] {
            [only] => only.clone(),
            many => format!("[{}]", many.join(", ")),
        };
        match setting(&axis.key) {
            // What is left out cannot be said.
            _ if axis.values.is_empty() => {}
            Some(_) => line(&axis.key, &values),
            None => own.push((axis.key.clone(), values)),
        }
    }
    for (key, number) in [("orders", several.orders), ("seeds", several.seeds)] {
        if let Some(number) = number {
            line(key, &number.to_string());
        }
    }
    for (key, value) in own {
        line(&format!("settings.{key}"), &value);
    }
    Ok(text)
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_string()).to_string()
}

/// A value as a grid's file has it.
fn literal(key: &str, value: &Setting) -> Result<String> {
    Ok(match value {
        Setting::Flag(on) => on.to_string(),
        Setting::Whole(number) => number.to_string(),
        Setting::Real(number) => format!("{number:?}"),
        Setting::Text(text) => quoted(text),
        Setting::Pair([low, high]) => format!("[{low:?}, {high:?}]"),
        Setting::Beyond(number) => {
            let what = tr!("notices-beyond", n = number.to_string());
            return Err(Problem::new(what)
                .at(key)
                .advise(tr!("notices-beyond-advice")));
        }
    })
}
