//! Expands a grid file to settings: each row has a cell per repetition, and rows with equal settings share cells. Also
//! collects what the cells need from this computer, for a program on another computer that will train them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::backbone::library::{BackboneLibrary, Description};
use crate::data::Correction;
use crate::experiment::overrides::{fill_pet_defaults, scale_epoch_settings, set_method};
use crate::experiment::{RunAttachments, check, collect_attachments, presets};
use crate::message;
use crate::method::{METHODS, find_method, with_explicit_settings};
use crate::names::with_suggestion;
use crate::pet::library::PluginLibrary;
use crate::problem::{Problem, Result};
use crate::run::config::{RunConfig, Setting, setting};
use crate::run::grid::{Choice, Grid, GridKey, GridPart, GridValue};
use crate::run::job::{GridWork, JobAttachments};
use crate::store::{load_corrections, settings_key};

/// One run of a grid.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Its settings.
    pub config: RunConfig,
    /// Why these settings are invalid, if they are.
    pub problem: Option<Problem>,
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
    /// Paths of datasets that the file names, as pairs of name and path.
    pub data: Vec<(String, String)>,
    /// The attachments of the job, from the computer that sent it.
    pub attachments: JobAttachments,
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
    pub fn from_grid(grid: Grid, root: &Path, overrides: &Overrides) -> Result<Self> {
        let attachments = &overrides.attachments;
        let mut resolver = SettingsResolver {
            overrides,
            root,
            backbones: BackboneLibrary::with_default_locations()
                .with_user_entries(&attachments.backbones, &attachments.weights),
            plugins: PluginLibrary::standard().with_plugins(&attachments.plugins),
            descriptions: HashMap::new(),
            corrected: attachments.corrected.clone(),
        };
        let (mut rows, mut cells) = (Vec::new(), CellSet::default());
        for (number, part) in grid.parts.iter().enumerate() {
            for row in 0..part.row_count() {
                let choices = part.choices(row);
                let repetitions = resolver.resolve_row(&grid, part, &choices)?;
                let values = choices.iter().flat_map(|choice| &choice.values);
                let varied =
                    values.map(|value| (value.key.name().to_string(), value.value.to_string()));
                rows.push(GridRow {
                    part: number,
                    index: row,
                    cells: repetitions.into_iter().map(|config| cells.add(config)).collect(),
                    title: row_title(part, &choices),
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

    /// Keeps only the cells with these indices and the rows that contain one of them; keeps everything if `selected`
    /// is empty.
    #[must_use]
    pub fn filter_cells(mut self, selected: &[usize]) -> Self {
        if selected.is_empty() {
            return self;
        }
        let found = selected.iter().filter(|cell| **cell < self.cells.len());
        let new_indices: HashMap<usize, usize> = found.clone().copied().zip(0..).collect();
        for row in &mut self.rows {
            let row_cells = row.cells.iter();
            row.cells = row_cells.filter_map(|cell| new_indices.get(cell).copied()).collect();
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
    index_by_key: HashMap<String, usize>,
}

impl CellSet {
    /// Returns the index of the cell with these settings, which is added if it is new.
    pub fn add(&mut self, config: RunConfig) -> usize {
        let key = settings_key(&with_explicit_settings(&config).without_execution_settings());
        *self.index_by_key.entry(key).or_insert_with(|| {
            let problem = check(&config).err();
            self.cells.push(Cell { config, problem });
            self.cells.len() - 1
        })
    }
}

/// Returns the value of a setting, common or of the method.
pub fn value_of(config: &RunConfig, key: &str) -> Option<Setting> {
    match setting(key) {
        Some(setting) => (setting.get)(config),
        None => with_explicit_settings(config).settings.get(key).cloned(),
    }
}

/// Returns the title of a row.
fn row_title(part: &GridPart, choices: &[&Choice]) -> String {
    let choices = choices.iter().map(|choice| choice.title.as_str());
    let titles = [part.title.as_str()].into_iter().chain(choices);
    let titles: Vec<&str> = titles.filter(|title| !title.is_empty()).collect();
    titles.join(" · ")
}

/// Derives complete settings from the given values; caches backbones, plugins and lists.
struct SettingsResolver<'a> {
    overrides: &'a Overrides,
    root: &'a Path,
    backbones: BackboneLibrary,
    plugins: PluginLibrary,
    descriptions: HashMap<String, Option<Description>>,
    corrected: BTreeMap<String, Vec<Correction>>,
}

impl SettingsResolver<'_> {
    /// Returns the settings of a row's repetitions, as `train` derives them from a preset and options.
    fn resolve_row(
        &mut self,
        grid: &Grid,
        part: &GridPart,
        choices: &[&Choice],
    ) -> Result<Vec<RunConfig>> {
        let choice_values = || choices.iter().flat_map(|choice| &choice.values);
        let values: Vec<&GridValue> = part.fixed.iter().chain(choice_values()).collect();
        let has_key = |is_method_setting: bool, key: &str| {
            let mut values = values.iter();
            values.any(|value| {
                matches!(value.key, GridKey::Method(_)) == is_method_setting
                    && value.key.name() == key
            })
        };
        let has = |key: &str| has_key(false, key);
        let (base, paper) = base_settings(grid, &values)?;
        let mut config = base.clone();
        let from_preset = has("preset");
        if let Some((value, method)) = text_value(&values, "method") {
            set_method(&mut config, method, from_preset)
                .map_err(|problem| grid.at_value(value, problem))?;
        }
        let before = config.clone();
        for value in &values {
            if let GridKey::Common(setting) = value.key {
                // The value is known to be valid since the file was read.
                (setting.set)(&mut config, value.value.clone());
            }
        }
        apply_method_settings(grid, &mut config, &part.fixed, false)?;
        apply_method_settings(grid, &mut config, choice_values(), true)?;
        scale_epoch_settings(&before, &mut config, |key| has_key(true, key));
        let plugin = self.plugins.get(&config.pet).ok();
        let size = plugin.and_then(|spec| spec.default_size());
        let description = self.descriptions.entry(config.backbone.clone());
        let description =
            description.or_insert_with(|| self.backbones.describe(&*config.backbone).ok());
        fill_pet_defaults(&base, &mut config, description.as_ref(), size, has);
        self.apply_overrides(&mut config)?;
        Ok(presets::repetitions(&config, paper, part.orders, part.seeds))
    }

    /// Sets the device, the path of the dataset and the corrected labels.
    fn apply_overrides(&mut self, config: &mut RunConfig) -> Result<()> {
        let overrides = self.overrides;
        if let Some(device) = &overrides.device {
            config.device.clone_from(device);
        }
        if let Some((_, path)) = overrides.data.iter().find(|(name, _)| *name == config.data) {
            config.data.clone_from(path);
        }
        if !self.corrected.contains_key(&config.data) {
            let corrections = load_corrections(self.root, &config.data)?;
            self.corrected.insert(config.data.clone(), corrections);
        }
        config.corrected.clone_from(&self.corrected[&config.data]);
        Ok(())
    }
}

/// Returns the last text given to a setting that is not a method setting.
fn text_value<'a>(values: &[&'a GridValue], key: &str) -> Option<(&'a GridValue, &'a str)> {
    let has_key = |candidate: &&&GridValue| {
        !matches!(candidate.key, GridKey::Method(_)) && candidate.key.name() == key
    };
    let value = values.iter().rev().find(has_key)?;
    match &value.value {
        Setting::Text(text) => Some((value, text)),
        _ => None,
    }
}

/// Returns the settings that a row starts from (its preset, or the defaults), and the paper of the preset.
fn base_settings(
    grid: &Grid,
    values: &[&GridValue],
) -> Result<(RunConfig, Option<presets::PaperDataset>)> {
    let Some((value, name)) = text_value(values, "preset") else {
        return Ok((RunConfig::default(), None));
    };
    let preset = presets::find_preset(name).map_err(|problem| grid.at_value(value, problem))?;
    Ok((preset.run.clone(), preset.paper))
}

/// Applies method settings. One that is given for all methods is ignored by methods that lack it. One on an axis
/// (`is_axis`) must exist, otherwise the axis would produce equal cells.
fn apply_method_settings<'a>(
    grid: &Grid,
    config: &mut RunConfig,
    values: impl IntoIterator<Item = &'a GridValue>,
    is_axis: bool,
) -> Result<()> {
    let method = find_method(&config.method)?;
    let has =
        |key: &str, specs: &[crate::method::SettingSpec]| specs.iter().any(|spec| spec.key == key);
    for value in values {
        let GridKey::Method(key) = &value.key else {
            continue;
        };
        if has(key, method.settings) {
            config.settings.insert(key.to_string(), value.value.clone());
            continue;
        }
        let exists = METHODS.iter().any(|method| has(key, method.settings));
        if exists && !is_axis {
            continue;
        }
        let problem = match exists {
            true => Problem::new(message!(
                "problem-method-lacks-setting",
                title = method.title.to_string(),
                key = key.to_string()
            ))
            .advise(message!("advice-put-in-grid-part")),
            false => {
                let specs = METHODS.iter().flat_map(|method| method.settings);
                let problem =
                    Problem::new(message!("problem-setting-not-found", key = key.to_string()));
                with_suggestion(problem, key, specs.map(|spec| spec.key))
            }
        };
        return Err(grid.at_value(value, problem));
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
    let grid = Grid::parse(&work.name, &work.text, &format!("the grid {}", work.name))?;
    let overrides = Overrides { data: work.data.clone(), ..Overrides::default() };
    let cells = Cells::from_grid(grid, root, &overrides)?.filter_cells(&work.cells);
    let (mut combined, mut collected) = (RunAttachments::default(), HashSet::new());
    for cell in cells.cells {
        let mut config = cell.config;
        let original_data = config.data.clone();
        let (weights, start) = (config.backbone.clone(), config.pet_start.clone());
        let needs = [&original_data, &weights, &config.pet, &config.method].map(String::clone);
        if !collected.insert((needs, start.clone())) {
            continue;
        }
        let Ok(mut attachments) = collect_attachments(&mut config, data) else {
            continue;
        };
        // The other computer reads the grid's text again, with the names that it uses here.
        rename_key(&mut attachments.weights, &config.backbone, weights);
        if let (Some(absolute_path), Some(start)) = (&config.pet_start, start) {
            rename_key(&mut attachments.starts, absolute_path, start);
        }
        combined.add(attachments);
        if config.data != original_data {
            set_dataset_path(&mut work.data, original_data, &config.data);
        }
        combined.inline.corrected.insert(config.data, config.corrected);
    }
    Ok(combined)
}

fn rename_key(files: &mut BTreeMap<String, PathBuf>, from: &str, to: String) {
    if let Some(file) = files.remove(from) {
        files.insert(to, file);
    }
}

/// Sets the path of the dataset that the grid calls `name`.
fn set_dataset_path(data: &mut Vec<(String, String)>, name: String, path: &str) {
    let mut entries = data.iter_mut().filter(|(_, value)| *value == name).peekable();
    if entries.peek().is_none() {
        return data.push((name, path.to_string()));
    }
    entries.for_each(|(_, value)| *value = path.to_string());
}
