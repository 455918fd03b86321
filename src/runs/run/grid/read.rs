//! Reads a grid file into a [`Grid`]. Names, types, ranges and the number of runs are checked; each mistake is reported
//! with its line.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::IntoDeserializer;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Choice, Grid, GridKey, GridPart, GridValue, MOST_PARTS, MOST_REPETITIONS, MOST_RUNS};
use crate::expression::Diagnostic;
use crate::message;
use crate::problem::Result;
use crate::run::config::{self, RunConfig, SETTINGS, Setting, SettingKind};
use crate::texts::{Message, Words, list_id};

/// A TOML value with its position.
type Item<'a> = Spanned<DeValue<'a>>;

/// Keys of a part that are not settings.
const OF_PART: [&str; 6] = ["title", "preset", "orders", "seeds", "rows", "settings"];
/// Keys that only the file itself can have, not its parts.
const OF_FILE: [&str; 2] = ["about", "part"];

impl Grid {
    /// Reads the text of a grid file; `name` is the file's name without extension.
    ///
    /// # Errors
    /// Returns a Problem with the line of every mistake: text that is not TOML, unknown keys, invalid values of
    /// settings, or more runs than [`MOST_RUNS`].
    pub fn read(name: &str, text: &str, origin: &str) -> Result<Self> {
        let mut reader = Reader::default();
        let grid = reader.grid(text);
        let Some((title, about, parts)) = grid.filter(|_| reader.wrong.is_empty()) else {
            return Err(Diagnostic::problem(text, origin, &reader.wrong));
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
    wrong: Vec<Diagnostic>,
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
    fn mistake(&mut self, span: Range<usize>, what: impl Into<Words>, why: impl Into<Words>) {
        self.add(span, |span| Diagnostic::new(span, what).because(why));
    }

    /// Adds a mistake. A mistake that is only counted has no text, because a file can have millions.
    fn add(&mut self, span: Range<usize>, describe: impl FnOnce(Range<usize>) -> Diagnostic) {
        let wrong = match self.wrong.len() < Diagnostic::MOST_DESCRIBED {
            true => describe(span),
            false => Diagnostic::new(span, ""),
        };
        self.wrong.push(wrong);
    }

    /// Reads the grid's title, description and parts.
    fn grid(&mut self, text: &str) -> Option<(String, String, Vec<GridPart>)> {
        let root = match DeTable::parse(text) {
            Ok(root) => root,
            Err(error) => {
                let what = Diagnostic::not_toml(&error);
                let why = message!("advice-compare-built-in-grid");
                self.mistake(error.span().unwrap_or_default(), what, why);
                return None;
            }
        };
        let table = root.get_ref();
        let shared = self.entries(table, true);
        let title = self.text_of(table, "title").unwrap_or_default();
        let about = self.text_of(table, "about").unwrap_or_default();
        let mut parts = Vec::new();
        match table.get("part") {
            None => parts.push((String::new(), shared, 0..0)),
            Some(item) => self.parts(item, &shared, &mut parts),
        }
        self.titles(&parts);
        let mut runs = 0usize;
        let mut made = Vec::new();
        for (title, entries, span) in parts {
            let part = self.part(title, &entries, span.clone());
            let own = part.rows().saturating_mul(part.repetitions() as usize);
            runs = runs.saturating_add(own);
            if runs > MOST_RUNS {
                let what = message!("problem-grid-too-many-runs", most = MOST_RUNS);
                self.mistake(span, what, message!("advice-combine-fewer-values"));
                return None;
            }
            made.push(part);
        }
        Some((title, about, made))
    }

    fn parts(
        &mut self,
        item: &Item<'_>,
        shared: &Entries,
        into: &mut Vec<(String, Entries, Range<usize>)>,
    ) {
        let wanted = message!("advice-write-grid-parts");
        let Some(list) = item.get_ref().as_array() else {
            let what = message!("problem-grid-part-no-list");
            return self.mistake(item.span(), what, wanted);
        };
        if list.len() > MOST_PARTS {
            let most = MOST_PARTS.to_string();
            let what = message!("problem-grid-too-many-parts", most);
            let why = message!("advice-give-lists-of-values");
            return self.mistake(item.span(), what, why);
        }
        for item in list {
            let Some(table) = item.get_ref().as_table() else {
                let what = message!("problem-grid-part-no-table");
                self.mistake(item.span(), what, wanted.clone());
                continue;
            };
            let own = self.entries(table, false);
            let title = self.text_of(table, "title").unwrap_or_default();
            into.push((title, shared.with(own), item.span()));
        }
    }

    /// Checks whether several parts have different titles.
    fn titles(&mut self, parts: &[(String, Entries, Range<usize>)]) {
        let mut known = HashSet::new();
        for (title, _, span) in parts.iter().filter(|_| parts.len() > 1) {
            if title.trim().is_empty() {
                let what = message!("problem-grid-part-without-title");
                self.mistake(span.clone(), what, message!("advice-add-part-title"));
            } else if !known.insert(title) {
                let what = message!("problem-grid-parts-same-title", title);
                self.mistake(span.clone(), what, message!("advice-give-unique-title"));
            }
        }
    }

    /// Creates a part from all entries that apply to it.
    fn part(&mut self, title: String, entries: &Entries, span: Range<usize>) -> GridPart {
        let in_rows = |key: &GridKey| {
            let rows = entries.rows.iter().flat_map(|rows| rows.iter());
            let mut given = rows.flat_map(|row| &row.given);
            given.any(|given| given.key.is(key))
        };
        let (mut fixed, mut axes) = (Vec::new(), Vec::new());
        axes.extend(entries.rows.clone());
        for (key, choices) in &entries.axes {
            match &choices[..] {
                // A row may override it.
                [only] => fixed.extend(only.given.iter().cloned()),
                _ if in_rows(key) => {
                    let name = key.name();
                    let what = message!("problem-grid-values-and-rows", name);
                    self.mistake(span.clone(), what, message!("advice-remove-one-of-them"));
                }
                _ => axes.push(Arc::clone(choices)),
            }
        }
        let of_axes = axes.iter().flat_map(|axis| axis.iter());
        let given = fixed.iter().chain(of_axes.flat_map(|choice| &choice.given));
        for (key, number, repeated) in [
            ("order", "orders", entries.orders),
            ("seed", "seeds", entries.seeds),
        ] {
            let is_common = |given: &&GridValue| matches!(given.key, GridKey::Common(_));
            let mut common = given.clone().filter(is_common);
            let named = common.find(|given| given.key.name() == key);
            if let (Some(at), Some(_)) = (named.map(|given| given.at), repeated) {
                let what = message!("problem-grid-keys-exclusive", key, number);
                self.mistake(at..at, what, message!("advice-remove-one-of-them"));
            }
        }
        GridPart {
            title,
            fixed,
            axes,
            orders: entries.orders,
            seeds: entries.seeds,
        }
    }

    /// Reads a table of settings.
    fn entries(&mut self, table: &DeTable<'_>, is_file: bool) -> Entries {
        let mut entries = Entries::default();
        for (key, item) in table {
            let name = key.get_ref().as_ref();
            match name {
                "title" => {}
                "about" | "part" if is_file => {}
                "orders" => entries.orders = self.repetitions(name, item),
                "seeds" => entries.seeds = self.repetitions(name, item),
                "rows" => entries.rows = self.rows(item),
                _ => self.settings(name, key.span(), item, &mut entries.axes),
            }
        }
        entries
    }

    /// Reads the values of a setting, or of all settings in the table `settings`.
    fn settings(
        &mut self,
        name: &str,
        span: Range<usize>,
        item: &Item<'_>,
        into: &mut Vec<(GridKey, Arc<[Choice]>)>,
    ) {
        let mut add = |reader: &mut Self, key: GridKey, item: &Item<'_>| {
            let choices = reader.choices(&key, item);
            if !choices.is_empty() {
                into.push((key, choices.into()));
            }
        };
        if name != "settings" {
            if let Some(key) = self.key(name, span) {
                add(self, key, item);
            }
            return;
        }
        let Some(own) = item.get_ref().as_table() else {
            let what = message!("problem-grid-settings-no-table");
            let why = message!("advice-write-settings-table");
            return self.mistake(item.span(), what, why);
        };
        for (key, item) in own {
            match Diagnostic::of_long_name(key.get_ref(), key.span()) {
                Some(long) => self.wrong.push(long),
                None => add(self, GridKey::Own(key.get_ref().as_ref().into()), item),
            }
        }
    }

    /// Returns the key with this name; reports a mistake if it is unknown.
    fn key(&mut self, name: &str, span: Range<usize>) -> Option<GridKey> {
        if name == "preset" {
            return Some(GridKey::Preset);
        }
        if let Some(setting) = config::setting(name) {
            return Some(GridKey::Common(setting));
        }
        if let Some(long) = Diagnostic::of_long_name(name, span.clone()) {
            self.wrong.push(long);
            return None;
        }
        let all = SETTINGS.iter().map(|setting| setting.spec.key);
        let all = OF_PART.into_iter().chain(OF_FILE).chain(all);
        self.add(span, |span| {
            let what = message!("problem-grid-key-unknown", name);
            Diagnostic::new(span, what).meant(name, all)
        });
        None
    }

    /// Reads `rows`, which lists settings that belong together.
    fn rows(&mut self, item: &Item<'_>) -> Option<Arc<[Choice]>> {
        let example = "rows = [{ title = \"Adapter5\", pet = \"adapter\", pet_size = 5 }, …]";
        let wanted = message!("advice-write-as-example", example);
        let Some(list) = item.get_ref().as_array().filter(|list| !list.is_empty()) else {
            self.mistake(item.span(), message!("problem-grid-rows-no-list"), wanted);
            return None;
        };
        let mut known = HashSet::new();
        let mut rows = Vec::new();
        for item in list {
            let Some(table) = item.get_ref().as_table() else {
                let what = message!("problem-grid-row-no-table");
                self.mistake(item.span(), what, wanted.clone());
                continue;
            };
            let mut axes = Vec::new();
            for (key, item) in table.iter().filter(|(key, _)| key.get_ref() != "title") {
                self.settings(key.get_ref(), key.span(), item, &mut axes);
            }
            if let Some((key, _)) = axes.iter().find(|(_, choices)| choices.len() > 1) {
                let what = message!("problem-grid-row-several-values", name = key.name());
                self.mistake(item.span(), what, message!("advice-move-next-to-rows"));
            }
            let given = axes.iter().flat_map(|(_, choices)| &choices[0].given);
            let given: Vec<GridValue> = given.cloned().collect();
            let title = self
                .text_of(table, "title")
                .unwrap_or_else(|| title_of(&given));
            if !known.insert(title.clone()) {
                let what = message!("problem-grid-rows-same-title", title = &title);
                self.mistake(item.span(), what, message!("advice-give-unique-title"));
            }
            rows.push(Choice { title, given });
        }
        (!rows.is_empty()).then(|| rows.into())
    }

    fn repetitions(&mut self, name: &str, item: &Item<'_>) -> Option<u64> {
        let number = item.get_ref().as_integer();
        let number = number.and_then(|n| u64::from_str_radix(n.as_str(), n.radix()).ok());
        let fits = number.filter(|number| (1..=MOST_REPETITIONS).contains(number));
        if fits.is_none() {
            let what = message!("problem-grid-no-number-of-runs", name);
            let most = MOST_REPETITIONS.to_string();
            let why = message!("advice-give-whole-number", least = "1", most);
            self.mistake(item.span(), what, why);
        }
        fits
    }

    fn text_of(&mut self, table: &DeTable<'_>, key: &str) -> Option<String> {
        let item = table.get(key)?;
        let text = item.get_ref().as_str();
        if text.is_none() {
            let what = message!("problem-key-no-string", key);
            self.mistake(item.span(), what, message!("advice-put-in-quotes"));
        }
        let words: Vec<&str> = text?.split_whitespace().collect();
        Some(words.join(" "))
    }
}

impl Entries {
    /// Returns these entries with those of a part, which take precedence.
    fn with(&self, own: Self) -> Self {
        let mut all = self.clone();
        for (key, choices) in own.axes {
            match all.axes.iter_mut().find(|(known, _)| known.is(&key)) {
                Some((_, known)) => *known = choices,
                None => all.axes.push((key, choices)),
            }
        }
        all.rows = own.rows.or(all.rows);
        all.orders = own.orders.or(all.orders);
        all.seeds = own.seeds.or(all.seeds);
        all
    }
}

/// Returns the title of a row that has no title of its own.
fn title_of(given: &[GridValue]) -> String {
    let each = given.iter();
    let each = each.map(|given| format!("{} {}", given.key.name(), given.value));
    each.collect::<Vec<_>>().join(", ")
}

impl Reader {
    /// Reads the values under a key; each becomes a choice.
    fn choices(&mut self, key: &GridKey, item: &Item<'_>) -> Vec<Choice> {
        let several = match item.get_ref() {
            // For these settings, a list of two numbers is a single value.
            DeValue::Array(list) if is_pair(key) => {
                list.iter().any(|item| item.get_ref().is_array())
            }
            DeValue::Array(_) => true,
            _ => false,
        };
        let items: Vec<&Item<'_>> = match item.get_ref() {
            DeValue::Array(list) if several => list.iter().collect(),
            _ => vec![item],
        };
        let name = key.name();
        if items.is_empty() {
            let what = message!("problem-grid-setting-without-values", name);
            self.mistake(item.span(), what, message!("advice-give-one-value"));
        }
        let (mut choices, mut known) = (Vec::new(), HashSet::new());
        for item in items {
            let Some(given) = self.value(key, item) else {
                continue;
            };
            let told = given.value.to_string();
            if !known.insert(told.clone()) {
                let what = message!("problem-grid-value-twice", name, value = &told);
                self.mistake(item.span(), what, message!("advice-remove-one-of-them"));
            }
            choices.push(Choice {
                title: format!("{name} {told}"),
                given: vec![given],
            });
        }
        choices
    }

    /// Reads one value of a setting.
    fn value(&mut self, key: &GridKey, item: &Item<'_>) -> Option<GridValue> {
        let name = key.name();
        let Ok(value) = Setting::deserialize(item.clone().into_deserializer()) else {
            let what = message!("problem-grid-value-unreadable", name);
            self.mistake(item.span(), what, message!("advice-grid-value-types"));
            return None;
        };
        let admitted = match key {
            GridKey::Preset => matches!(value, Setting::Text(_)).then(|| value.clone()),
            GridKey::Own(_) => Some(value.clone()),
            GridKey::Common(setting) => {
                let admitted = setting.spec.kind.admit(&value);
                admitted.filter(|value| (setting.set)(&mut RunConfig::default(), value.clone()))
            }
        };
        if admitted.is_none() {
            let told = value.to_string();
            let what = message!("problem-grid-value-invalid", value = told, name);
            self.mistake(item.span(), what, why_not(key, &value));
        }
        Some(GridValue {
            key: key.clone(),
            value: admitted?,
            at: item.span().start,
        })
    }
}

fn is_pair(key: &GridKey) -> bool {
    matches!(key, GridKey::Common(setting) if matches!(setting.spec.kind, SettingKind::Shares(_)))
}

/// Returns advice that explains why a setting does not accept a value.
fn why_not(key: &GridKey, value: &Setting) -> Message {
    let GridKey::Common(setting) = key else {
        return message!("advice-give-preset-name");
    };
    let spec = &setting.spec;
    let of_spec =
        |part, english: &str| Message::of_list(list_id("setting", spec.texts(), part), english);
    let refused = spec.refused.1;
    match spec.kind {
        // The description helps more than the range if the value is not even a string.
        SettingKind::Text(_) | SettingKind::Blocks(_) if !matches!(value, Setting::Text(_)) => {
            let meaning = of_spec("meaning", spec.meaning);
            message!("advice-give-quoted-string", meaning)
        }
        _ if refused.is_empty() => message!("advice-give-range", range = spec.kind.range()),
        _ => {
            let refused = of_spec("refused-advice", refused);
            message!("advice-give-range-why", range = spec.kind.range(), refused)
        }
    }
}
