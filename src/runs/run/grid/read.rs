//! Reads a grid file into a [`Grid`]. Names, types, ranges and the number of runs are checked; each mistake is reported
//! with its line.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::IntoDeserializer;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Choice, Grid, GridKey, GridPart, GridValue, MAX_PARTS, MAX_REPETITIONS, MAX_RUNS};
use crate::expression::Diagnostic;
use crate::message;
use crate::problem::Result;
use crate::run::config::{self, Aspect, RunConfig, SETTINGS, Setting, SettingKind};
use crate::texts::{Message, Words, list_id};

/// A TOML value with its position.
type Item<'a> = Spanned<DeValue<'a>>;

/// Keys of a part that are not settings.
const PART_KEYS: [&str; 6] = ["title", "preset", "orders", "seeds", "rows", "settings"];
/// Keys that only the file itself can have, not its parts.
const FILE_ONLY_KEYS: [&str; 2] = ["about", "part"];

impl Grid {
    /// Reads the text of a grid file; `name` is the file's name without extension.
    ///
    /// # Errors
    /// Returns a Problem with the line of every mistake: text that is not TOML, unknown keys, invalid values of
    /// settings, or more runs than [`MAX_RUNS`].
    pub fn parse(name: &str, text: &str, origin: &str) -> Result<Self> {
        let mut reader = Reader::default();
        let grid = reader.read_grid(text);
        let Some((title, about, parts)) = grid.filter(|_| reader.diagnostics.is_empty()) else {
            return Err(Diagnostic::problem(text, origin, &reader.diagnostics));
        };
        Ok(Self {
            name: name.to_string(),
            title,
            about,
            parts,
            origin: origin.to_string(),
            text: text.into(),
        })
    }
}

/// A parser that continues after mistakes, so that all of them are reported.
#[derive(Default)]
struct Reader {
    diagnostics: Vec<Diagnostic>,
}

/// The settings of the file, or of one of its parts.
#[derive(Clone, Default)]
struct Entries {
    /// Each setting with its values.
    axes: Vec<(GridKey, Arc<[Choice]>)>,
    rows: Option<Arc<[Choice]>>,
    orders: Option<u64>,
    seeds: Option<u64>,
}

impl Reader {
    fn report(&mut self, span: Range<usize>, what: impl Into<Words>, why: impl Into<Words>) {
        self.push_diagnostic(span, |span| Diagnostic::new(span, what).explain(why));
    }

    fn push_diagnostic(
        &mut self,
        span: Range<usize>,
        describe: impl FnOnce(Range<usize>) -> Diagnostic,
    ) {
        Diagnostic::push_limited(&mut self.diagnostics, span, describe);
    }

    /// Reads the grid's title, description and parts.
    fn read_grid(&mut self, text: &str) -> Option<(String, String, Vec<GridPart>)> {
        let root = match DeTable::parse(text) {
            Ok(root) => root,
            Err(error) => {
                let what = Diagnostic::toml_message(&error);
                let why = message!("advice-compare-built-in-grid");
                self.report(error.span().unwrap_or_default(), what, why);
                return None;
            }
        };
        let table = root.get_ref();
        let shared = self.read_entries(table, true);
        let title = self.read_text(table, "title").unwrap_or_default();
        let about = self.read_text(table, "about").unwrap_or_default();
        let mut parts = Vec::new();
        match table.get("part") {
            None => parts.push((String::new(), shared, 0..0)),
            Some(item) => self.read_parts(item, &shared, &mut parts),
        }
        self.check_titles(&parts);
        let mut runs = 0usize;
        let mut grid_parts = Vec::new();
        for (title, entries, span) in parts {
            let part = self.build_part(title, &entries, span.clone());
            let part_runs = part.row_count().saturating_mul(part.repetitions() as usize);
            runs = runs.saturating_add(part_runs);
            if runs > MAX_RUNS {
                let what = message!("problem-grid-too-many-runs", most = MAX_RUNS);
                self.report(span, what, message!("advice-combine-fewer-values"));
                return None;
            }
            grid_parts.push(part);
        }
        Some((title, about, grid_parts))
    }

    fn read_parts(
        &mut self,
        item: &Item<'_>,
        shared: &Entries,
        into: &mut Vec<(String, Entries, Range<usize>)>,
    ) {
        let advice = message!("advice-write-grid-parts");
        let Some(list) = item.get_ref().as_array() else {
            let what = message!("problem-grid-part-no-list");
            return self.report(item.span(), what, advice);
        };
        if list.len() > MAX_PARTS {
            let most = MAX_PARTS.to_string();
            let what = message!("problem-grid-too-many-parts", most);
            let why = message!("advice-give-lists-of-values");
            return self.report(item.span(), what, why);
        }
        for item in list {
            let Some(table) = item.get_ref().as_table() else {
                let what = message!("problem-grid-part-no-table");
                self.report(item.span(), what, advice.clone());
                continue;
            };
            let part_entries = self.read_entries(table, false);
            let title = self.read_text(table, "title").unwrap_or_default();
            into.push((title, shared.with(part_entries), item.span()));
        }
    }

    /// Checks whether several parts have different titles.
    fn check_titles(&mut self, parts: &[(String, Entries, Range<usize>)]) {
        let mut seen_titles = HashSet::new();
        for (title, _, span) in parts.iter().filter(|_| parts.len() > 1) {
            if title.trim().is_empty() {
                let what = message!("problem-grid-part-without-title");
                self.report(span.clone(), what, message!("advice-add-part-title"));
            } else if !seen_titles.insert(title) {
                let what = message!("problem-grid-parts-same-title", title);
                self.report(span.clone(), what, message!("advice-give-unique-title"));
            }
        }
    }

    /// Creates a part from all entries that apply to it.
    fn build_part(&mut self, title: String, entries: &Entries, span: Range<usize>) -> GridPart {
        let is_in_rows = |key: &GridKey| {
            let rows = entries.rows.iter().flat_map(|rows| rows.iter());
            let mut values = rows.flat_map(|row| &row.values);
            values.any(|value| value.key.is_same_key(key))
        };
        let (mut fixed, mut axes) = (Vec::new(), Vec::new());
        axes.extend(entries.rows.clone());
        for (key, choices) in &entries.axes {
            match &choices[..] {
                // A row may override it.
                [only] => fixed.extend(only.values.iter().cloned()),
                _ if is_execution_setting(key) => {
                    let what = message!("problem-grid-same-runs", name = key.name());
                    self.report(span.clone(), what, message!("advice-keep-one-value"));
                }
                _ if is_in_rows(key) => {
                    let name = key.name();
                    let what = message!("problem-grid-values-and-rows", name);
                    self.report(span.clone(), what, message!("advice-remove-one-of-them"));
                }
                _ => axes.push(Arc::clone(choices)),
            }
        }
        let axis_choices = axes.iter().flat_map(|axis| axis.iter());
        let values = fixed.iter().chain(axis_choices.flat_map(|choice| &choice.values));
        for (key, number, repeated) in
            [("order", "orders", entries.orders), ("seed", "seeds", entries.seeds)]
        {
            let is_common = |value: &&GridValue| matches!(value.key, GridKey::Common(_));
            let mut common = values.clone().filter(is_common);
            let fixed_setting = common.find(|value| value.key.name() == key);
            if let (Some(offset), Some(_)) = (fixed_setting.map(|value| value.offset), repeated) {
                let what = message!("problem-grid-keys-exclusive", key, number);
                self.report(offset..offset, what, message!("advice-remove-one-of-them"));
            }
        }
        GridPart { title, fixed, axes, orders: entries.orders, seeds: entries.seeds }
    }

    /// Reads a table of settings.
    fn read_entries(&mut self, table: &DeTable<'_>, is_file: bool) -> Entries {
        let mut entries = Entries::default();
        for (key, item) in table {
            let name = key.get_ref().as_ref();
            match name {
                "title" => {}
                "about" | "part" if is_file => {}
                "orders" => entries.orders = self.read_repetitions(name, item),
                "seeds" => entries.seeds = self.read_repetitions(name, item),
                "rows" => entries.rows = self.read_rows(item),
                _ => self.read_settings(name, key.span(), item, &mut entries.axes),
            }
        }
        entries
    }

    /// Reads the values of a setting, or of all settings in the table `settings`.
    fn read_settings(
        &mut self,
        name: &str,
        span: Range<usize>,
        item: &Item<'_>,
        into: &mut Vec<(GridKey, Arc<[Choice]>)>,
    ) {
        let mut add = |reader: &mut Self, key: GridKey, item: &Item<'_>| {
            let choices = reader.read_choices(&key, item);
            if !choices.is_empty() {
                into.push((key, choices.into()));
            }
        };
        if name != "settings" {
            if let Some(key) = self.resolve_key(name, span) {
                add(self, key, item);
            }
            return;
        }
        let Some(table) = item.get_ref().as_table() else {
            let what = message!("problem-grid-settings-no-table");
            let why = message!("advice-write-settings-table");
            return self.report(item.span(), what, why);
        };
        for (key, item) in table {
            match Diagnostic::from_long_name(key.get_ref(), key.span()) {
                Some(long) => self.diagnostics.push(long),
                None => add(self, GridKey::Method(key.get_ref().as_ref().into()), item),
            }
        }
    }

    /// Returns the key with this name; reports a mistake if it is unknown.
    fn resolve_key(&mut self, name: &str, span: Range<usize>) -> Option<GridKey> {
        if name == "preset" {
            return Some(GridKey::Preset);
        }
        if let Some(setting) = config::setting(name) {
            return Some(GridKey::Common(setting));
        }
        if let Some(long) = Diagnostic::from_long_name(name, span.clone()) {
            self.diagnostics.push(long);
            return None;
        }
        let known_keys = SETTINGS.iter().map(|setting| setting.spec.key);
        let known_keys = PART_KEYS.into_iter().chain(FILE_ONLY_KEYS).chain(known_keys);
        self.push_diagnostic(span, |span| {
            let what = message!("problem-grid-key-unknown", name);
            Diagnostic::new(span, what).suggest_name(name, known_keys)
        });
        None
    }

    /// Reads `rows`, which lists settings that belong together.
    fn read_rows(&mut self, item: &Item<'_>) -> Option<Arc<[Choice]>> {
        let example = "rows = [{ title = \"Adapter5\", pet = \"adapter\", pet_size = 5 }, …]";
        let advice = message!("advice-write-as-example", example);
        let Some(list) = item.get_ref().as_array().filter(|list| !list.is_empty()) else {
            self.report(item.span(), message!("problem-grid-rows-no-list"), advice);
            return None;
        };
        let mut seen_titles = HashSet::new();
        let mut rows = Vec::new();
        for item in list {
            let Some(table) = item.get_ref().as_table() else {
                let what = message!("problem-grid-row-no-table");
                self.report(item.span(), what, advice.clone());
                continue;
            };
            let mut axes = Vec::new();
            for (key, item) in table.iter().filter(|(key, _)| key.get_ref() != "title") {
                self.read_settings(key.get_ref(), key.span(), item, &mut axes);
            }
            if let Some((key, _)) = axes.iter().find(|(_, choices)| choices.len() > 1) {
                let what = message!("problem-grid-row-several-values", name = key.name());
                self.report(item.span(), what, message!("advice-move-next-to-rows"));
            }
            let values = axes.iter().flat_map(|(_, choices)| &choices[0].values);
            let values: Vec<GridValue> = values.cloned().collect();
            let title =
                self.read_text(table, "title").unwrap_or_else(|| default_row_title(&values));
            if !seen_titles.insert(title.clone()) {
                let what = message!("problem-grid-rows-same-title", title = &title);
                self.report(item.span(), what, message!("advice-give-unique-title"));
            }
            rows.push(Choice { title, values });
        }
        (!rows.is_empty()).then(|| rows.into())
    }

    fn read_repetitions(&mut self, name: &str, item: &Item<'_>) -> Option<u64> {
        let number = item.get_ref().as_integer();
        let number = number.and_then(|n| u64::from_str_radix(n.as_str(), n.radix()).ok());
        let valid = number.filter(|number| (1..=MAX_REPETITIONS).contains(number));
        if valid.is_none() {
            let what = message!("problem-grid-no-number-of-runs", name);
            let most = MAX_REPETITIONS.to_string();
            let why = message!("advice-give-whole-number", least = "1", most);
            self.report(item.span(), what, why);
        }
        valid
    }

    fn read_text(&mut self, table: &DeTable<'_>, key: &str) -> Option<String> {
        let item = table.get(key)?;
        let text = item.get_ref().as_str();
        if text.is_none() {
            let what = message!("problem-key-no-string", key);
            self.report(item.span(), what, message!("advice-put-in-quotes"));
        }
        let words: Vec<&str> = text?.split_whitespace().collect();
        Some(words.join(" "))
    }
}

impl Entries {
    /// Returns these entries with those of a part, which take precedence.
    fn with(&self, part: Self) -> Self {
        let mut merged = self.clone();
        for (key, choices) in part.axes {
            match merged.axes.iter_mut().find(|(existing, _)| existing.is_same_key(&key)) {
                Some((_, existing)) => *existing = choices,
                None => merged.axes.push((key, choices)),
            }
        }
        merged.rows = part.rows.or(merged.rows);
        merged.orders = part.orders.or(merged.orders);
        merged.seeds = part.seeds.or(merged.seeds);
        merged
    }
}

/// Returns the title of a row that has no title of its own.
fn default_row_title(values: &[GridValue]) -> String {
    let entries = values.iter();
    let entries = entries.map(|value| format!("{} {}", value.key.name(), value.value));
    entries.collect::<Vec<_>>().join(", ")
}

impl Reader {
    /// Reads the values under a key; each becomes a choice.
    fn read_choices(&mut self, key: &GridKey, item: &Item<'_>) -> Vec<Choice> {
        let is_list = match item.get_ref() {
            // For these settings, a list of two numbers is a single value.
            DeValue::Array(list) if is_pair(key) => {
                list.iter().any(|item| item.get_ref().is_array())
            }
            DeValue::Array(_) => true,
            _ => false,
        };
        let items: Vec<&Item<'_>> = match item.get_ref() {
            DeValue::Array(list) if is_list => list.iter().collect(),
            _ => vec![item],
        };
        let name = key.name();
        if items.is_empty() {
            let what = message!("problem-grid-setting-without-values", name);
            self.report(item.span(), what, message!("advice-give-one-value"));
        }
        let (mut choices, mut seen) = (Vec::new(), HashSet::new());
        for item in items {
            let Some(value) = self.read_value(key, item) else {
                continue;
            };
            let text = value.value.to_string();
            if !seen.insert(text.clone()) {
                let what = message!("problem-grid-value-twice", name, value = &text);
                self.report(item.span(), what, message!("advice-remove-one-of-them"));
            }
            choices.push(Choice { title: format!("{name} {text}"), values: vec![value] });
        }
        choices
    }

    /// Reads one value of a setting.
    fn read_value(&mut self, key: &GridKey, item: &Item<'_>) -> Option<GridValue> {
        let name = key.name();
        let Ok(value) = Setting::deserialize(item.clone().into_deserializer()) else {
            let what = message!("problem-grid-value-unreadable", name);
            self.report(item.span(), what, message!("advice-grid-value-types"));
            return None;
        };
        let admitted = match key {
            GridKey::Preset => matches!(value, Setting::Text(_)).then(|| value.clone()),
            GridKey::Method(_) => Some(value.clone()),
            GridKey::Common(setting) => {
                let admitted = setting.spec.kind.convert(&value);
                admitted.filter(|value| (setting.set)(&mut RunConfig::default(), value.clone()))
            }
        };
        if admitted.is_none() {
            let text = value.to_string();
            let what = message!("problem-grid-value-invalid", value = text, name);
            self.report(item.span(), what, value_advice(key, &value));
        }
        Some(GridValue { key: key.clone(), value: admitted?, offset: item.span().start })
    }
}

/// Returns whether runs that differ only in this setting have the same key.
fn is_execution_setting(key: &GridKey) -> bool {
    matches!(key, GridKey::Common(setting) if setting.spec.aspect == Aspect::Execution)
}

fn is_pair(key: &GridKey) -> bool {
    matches!(key, GridKey::Common(setting) if matches!(setting.spec.kind, SettingKind::Shares(_)))
}

/// Returns advice that explains why a setting does not accept a value.
fn value_advice(key: &GridKey, value: &Setting) -> Message {
    let GridKey::Common(setting) = key else {
        return message!("advice-give-preset-name");
    };
    let spec = &setting.spec;
    let translate = |part, english: &str| {
        Message::with_english(list_id("setting", spec.texts(), part), english)
    };
    let refused = spec.refused.1;
    match spec.kind {
        // The description helps more than the range if the value is not even a string.
        SettingKind::Text(_) | SettingKind::Blocks(_) if !matches!(value, Setting::Text(_)) => {
            let meaning = translate("meaning", spec.meaning);
            message!("advice-give-quoted-string", meaning)
        }
        _ if refused.is_empty() => message!("advice-give-range", range = spec.kind.range()),
        _ => {
            let refused = translate("refused-advice", refused);
            message!("advice-give-range-why", range = spec.kind.range(), refused)
        }
    }
}
