//! Expands a grid file to settings: each row has a cell per repetition, and rows with equal settings share cells. Also
//! collects what the cells need from this computer, for a program on another computer that will train them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::backbone::library::{BackboneLibrary, Description};
use crate::data::Correction;
use crate::experiment::overrides::{shorten, turn_to, usual_network};
use crate::experiment::{RunAttachments, check, collect_attachments, presets};
use crate::message;
use crate::method::{METHODS, filled, named_method};
use crate::names::meant;
use crate::pet::library::PluginLibrary;
use crate::problem::{Problem, Result};
use crate::run::config::{RunConfig, Setting, setting};
use crate::run::grid::{Choice, Grid, GridKey, GridPart, GridValue};
use crate::run::job::{GridWork, JobAttachments};
use crate::store::{corrected, settings_key};

/// One run of a grid.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Its settings.
    pub config: RunConfig,
    /// Why these settings are invalid, if they are.
    pub refused: Option<Problem>,
}

/// A row of a grid's table: runs that differ only in class order and seed.
#[derive(Clone, Debug)]
pub struct GridRow {
    /// The index of its part.
    pub part: usize,
    /// Its index in the part.
    pub index: usize,
    /// Its title, composed of those of its part and of its choices.
    pub title: String,
    /// The settings in which rows of its part differ, with the values of this row.
    pub varied: Vec<(String, String)>,
    /// The indices of its cells.
    pub cells: Vec<usize>,
}

/// What the user specifies in addition to a grid file.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// The device of all cells.
    pub device: Option<String>,
    /// Places of datasets that the file names, as pairs of name and place.
    pub data: Vec<(String, String)>,
    /// What a job contains of the computer that sent it.
    pub own: JobAttachments,
}

/// All cells of a grid.
#[derive(Clone, Debug)]
pub struct Cells {
    /// The grid file.
    pub grid: Grid,
    /// The rows of its table.
    pub rows: Vec<GridRow>,
    /// The cells; indices of cells refer to this list.
    pub cells: Vec<Cell>,
}

impl Cells {
    /// Expands a grid. Lists of corrected labels are in `root`, beside the runs.
    ///
    /// # Errors
    /// Returns a Problem with the line of a preset, method or method setting that does not exist. Other invalid
    /// settings are stored with their cell.
    pub fn of(grid: Grid, root: &Path, overrides: &Overrides) -> Result<Self> {
        let own = &overrides.own;
        let mut settling = SettingsResolver {
            overrides,
            root,
            backbones: BackboneLibrary::usual().with_own(&own.backbones, &own.weights),
            plugins: PluginLibrary::standard().with_own(&own.plugins),
            described: HashMap::new(),
            corrected: own.corrected.clone(),
        };
        let (mut rows, mut cells) = (Vec::new(), CellSet::default());
        for (number, part) in grid.parts.iter().enumerate() {
            for row in 0..part.rows() {
                let choices = part.choices(row);
                let repeated = settling.row(&grid, part, &choices)?;
                let given = choices.iter().flat_map(|choice| &choice.given);
                let varied =
                    given.map(|given| (given.key.name().to_string(), given.value.to_string()));
                rows.push(GridRow {
                    part: number,
                    index: row,
                    cells: repeated
                        .into_iter()
                        .map(|config| cells.add(config))
                        .collect(),
                    title: title_of(part, &choices),
                    varied: varied.collect(),
                });
            }
        }
        let cells = cells.cells;
        Ok(Self { grid, rows, cells })
    }

    /// Returns the titles of the rows of each cell.
    pub fn titles(&self) -> Vec<Vec<&str>> {
        let mut titles = vec![Vec::new(); self.cells.len()];
        for row in &self.rows {
            for cell in &row.cells {
                titles[*cell].push(row.title.as_str());
            }
        }
        titles
    }

    /// Returns the title of a row, or the grid's name for a row without a title.
    pub fn title<'a>(&'a self, row: &'a str) -> &'a str {
        match row {
            "" => &self.grid.name,
            title => title,
        }
    }

    /// Keeps only the cells with these indices and the rows that contain one of them; keeps everything if `wanted` is
    /// empty.
    #[must_use]
    pub fn only(mut self, wanted: &[usize]) -> Self {
        if wanted.is_empty() {
            return self;
        }
        let found = wanted.iter().filter(|cell| **cell < self.cells.len());
        let places: HashMap<usize, usize> = found.clone().copied().zip(0..).collect();
        for row in &mut self.rows {
            let own = row.cells.iter();
            row.cells = own.filter_map(|cell| places.get(cell).copied()).collect();
        }
        self.rows.retain(|row| !row.cells.is_empty());
        self.cells = found.map(|cell| self.cells[*cell].clone()).collect();
        self
    }
}

/// Cells without duplicates: equal settings share one.
#[derive(Default)]
pub(super) struct CellSet {
    pub cells: Vec<Cell>,
    known: HashMap<String, usize>,
}

impl CellSet {
    /// Returns the index of the cell with these settings, which is added if it is new.
    pub fn add(&mut self, config: RunConfig) -> usize {
        let key = settings_key(&filled(&config).anywhere());
        *self.known.entry(key).or_insert_with(|| {
            let refused = check(&config).err();
            self.cells.push(Cell { config, refused });
            self.cells.len() - 1
        })
    }
}

/// Returns the value of a setting, common or of the method.
pub fn value_of(config: &RunConfig, key: &str) -> Option<Setting> {
    match setting(key) {
        Some(setting) => (setting.get)(config),
        None => filled(config).settings.get(key).cloned(),
    }
}

/// Returns the title of a row.
fn title_of(part: &GridPart, choices: &[&Choice]) -> String {
    let choices = choices.iter().map(|choice| choice.title.as_str());
    let words = [part.title.as_str()].into_iter().chain(choices);
    let words: Vec<&str> = words.filter(|words| !words.is_empty()).collect();
    words.join(" · ")
}

/// Derives complete settings from the given ones; caches backbones, plugins and lists.
struct SettingsResolver<'a> {
    overrides: &'a Overrides,
    root: &'a Path,
    backbones: BackboneLibrary,
    plugins: PluginLibrary,
    described: HashMap<String, Option<Description>>,
    corrected: BTreeMap<String, Vec<Correction>>,
}

impl SettingsResolver<'_> {
    /// Returns the settings of a row's repetitions, as `train` derives them from a preset and options.
    fn row(&mut self, grid: &Grid, part: &GridPart, choices: &[&Choice]) -> Result<Vec<RunConfig>> {
        let chosen = || choices.iter().flat_map(|choice| &choice.given);
        let given: Vec<&GridValue> = part.fixed.iter().chain(chosen()).collect();
        let has_of = |own: bool, key: &str| {
            let mut given = given.iter();
            given
                .any(|given| matches!(given.key, GridKey::Own(_)) == own && given.key.name() == key)
        };
        let has = |key: &str| has_of(false, key);
        let (base, paper) = base(grid, &given)?;
        let mut config = base.clone();
        let of_preset = has("preset");
        if let Some((value, method)) = text_of(&given, "method") {
            turn_to(&mut config, method, of_preset).map_err(|problem| grid.at(value, problem))?;
        }
        let before = config.clone();
        for given in &given {
            if let GridKey::Common(setting) = given.key {
                // The value is known to be valid since the file was read.
                (setting.set)(&mut config, given.value.clone());
            }
        }
        own_settings(grid, &mut config, &part.fixed, false)?;
        own_settings(grid, &mut config, chosen(), true)?;
        shorten(&before, &mut config, |key| has_of(true, key));
        let plugin = self.plugins.get(&config.pet).ok();
        let size = plugin.and_then(|spec| spec.default_size());
        let about = self.described.entry(config.backbone.clone());
        let about = about.or_insert_with(|| self.backbones.describe(&*config.backbone).ok());
        usual_network(&base, &mut config, about.as_ref(), size, has);
        self.place(&mut config)?;
        Ok(presets::repetitions(
            &config,
            paper,
            part.orders,
            part.seeds,
        ))
    }

    /// Sets the device, the place of the dataset and the corrected labels.
    fn place(&mut self, config: &mut RunConfig) -> Result<()> {
        let overrides = self.overrides;
        if let Some(device) = &overrides.device {
            config.device.clone_from(device);
        }
        if let Some((_, place)) = overrides.data.iter().find(|(name, _)| *name == config.data) {
            config.data.clone_from(place);
        }
        if !self.corrected.contains_key(&config.data) {
            let list = corrected(self.root, &config.data)?;
            self.corrected.insert(config.data.clone(), list);
        }
        config.corrected.clone_from(&self.corrected[&config.data]);
        Ok(())
    }
}

/// Returns the last text given to a setting that is not a method setting.
fn text_of<'a>(given: &[&'a GridValue], key: &str) -> Option<(&'a GridValue, &'a str)> {
    let of_key =
        |given: &&&GridValue| !matches!(given.key, GridKey::Own(_)) && given.key.name() == key;
    let value = given.iter().rev().find(of_key)?;
    match &value.value {
        Setting::Text(text) => Some((value, text)),
        _ => None,
    }
}

/// Returns the settings that a row starts from (its preset, or the defaults), and the paper of the preset.
fn base(grid: &Grid, given: &[&GridValue]) -> Result<(RunConfig, Option<presets::Paper>)> {
    let Some((value, name)) = text_of(given, "preset") else {
        return Ok((RunConfig::default(), None));
    };
    let preset = presets::named(name).map_err(|problem| grid.at(value, problem))?;
    Ok((preset.run.clone(), preset.paper))
}

/// Applies method settings. One that is given for all methods is ignored by methods that lack it. One on an axis
/// (`crossed`) must exist, otherwise the axis would produce equal cells.
fn own_settings<'a>(
    grid: &Grid,
    config: &mut RunConfig,
    given: impl IntoIterator<Item = &'a GridValue>,
    crossed: bool,
) -> Result<()> {
    let method = named_method(&config.method)?;
    let has =
        |key: &str, all: &[crate::method::SettingSpec]| all.iter().any(|spec| spec.key == key);
    for value in given {
        let GridKey::Own(key) = &value.key else {
            continue;
        };
        if has(key, method.settings) {
            config.settings.insert(key.to_string(), value.value.clone());
            continue;
        }
        let known = METHODS.iter().any(|method| has(key, method.settings));
        if known && !crossed {
            continue;
        }
        let problem = match known {
            true => Problem::new(message!(
                "problem-method-lacks-setting",
                title = method.title.to_string(),
                key = key.to_string()
            ))
            .advise(message!("advice-put-in-grid-part")),
            false => {
                let all = METHODS.iter().flat_map(|method| method.settings);
                let problem =
                    Problem::new(message!("problem-setting-not-found", key = key.to_string()));
                meant(problem, key, all.map(|spec| spec.key))
            }
        };
        return Err(grid.at(value, problem));
    }
    Ok(())
}

/// Returns what the runs of a grid, whose runs are in `root`, need from this computer, and makes the dataset paths of
/// `work` absolute. Skips runs whose needs cannot be met here; the other computer reports the reason.
///
/// # Errors
/// Returns a Problem for a file that is not a grid.
pub fn collect_grid_attachments(
    work: &mut GridWork,
    root: &Path,
    data: &BTreeMap<String, String>,
) -> Result<RunAttachments> {
    let grid = Grid::read(&work.name, &work.text, &format!("the grid {}", work.name))?;
    let overrides = Overrides {
        data: work.data.clone(),
        ..Overrides::default()
    };
    let cells = Cells::of(grid, root, &overrides)?.only(&work.cells);
    let (mut all, mut known) = (RunAttachments::default(), HashSet::new());
    for cell in cells.cells {
        let mut config = cell.config;
        let called = config.data.clone();
        let (weights, start) = (config.backbone.clone(), config.pet_start.clone());
        let needs = [&called, &weights, &config.pet, &config.method].map(String::clone);
        if !known.insert((needs, start.clone())) {
            continue;
        }
        let Ok(mut attachments) = collect_attachments(&mut config, data) else {
            continue;
        };
        // The other computer reads the grid's text again, with the names that it uses here.
        rename(&mut attachments.weights, &config.backbone, weights);
        if let (Some(whole), Some(start)) = (&config.pet_start, start) {
            rename(&mut attachments.starts, whole, start);
        }
        all.add(attachments);
        if config.data != called {
            call(&mut work.data, called, &config.data);
        }
        all.own.corrected.insert(config.data, config.corrected);
    }
    Ok(all)
}

fn rename(files: &mut BTreeMap<String, PathBuf>, from: &str, to: String) {
    if let Some(file) = files.remove(from) {
        files.insert(to, file);
    }
}

/// Sets the path of the dataset that the grid calls `called`.
fn call(data: &mut Vec<(String, String)>, called: String, path: &str) {
    let mut given = data
        .iter_mut()
        .filter(|(_, place)| *place == called)
        .peekable();
    if given.peek().is_none() {
        return data.push((called, path.to_string()));
    }
    given.for_each(|(_, place)| *place = path.to_string());
}
