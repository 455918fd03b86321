//! Reads tables of backbones in TOML. Unknown or inconsistent values are reported with file and line, and only their
//! entry is skipped.

use std::ops::Range;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};
use toml::Spanned;

use super::embedded_file;
use super::entry::{BackboneEntry, NOT_STATED, Transform, WeightSource};
use crate::backbone::architecture::Architecture;
use crate::backbone::arguments::ArchitectureValues;
use crate::backbone::families::{self, FAMILIES};
use crate::backbone::normalisation::Normalisation;
use crate::data::transform::{CropMode, Interpolation, Resize, is_crop_ratio};
use crate::fetch::is_sha256;
use crate::files::names::is_remote;
use crate::message;
use crate::names::{is_too_long, too_long_message};
use crate::problem::{Problem, Result};

/// The key that every network may have, in addition to those of its family.
const EPSILON: &str = "epsilon";

/// An entry as written in the file.
#[derive(Debug, Deserialize)]
struct TableEntry {
    name: String,
    title: Option<String>,
    family: String,
    input_size: usize,
    normalisation: NormalisationEntry,
    crop_ratio: Option<f32>,
    #[serde(default)]
    interpolation: Interpolation,
    #[serde(default = "centre")]
    crop_mode: CropMode,
    #[serde(default)]
    paper: PaperTransform,
    pet_blocks: Option<usize>,
    embedded: Option<bool>,
    hub: Option<String>,
    revision: Option<String>,
    file: Option<String>,
    url: Option<String>,
    size_mb: Option<u64>,
    sha256: Option<String>,
    licence: Option<String>,
    pretrained_on: Option<String>,
    warning: Option<String>,
    /// All other keys: the dimensions, named as in the family.
    #[serde(flatten)]
    dimensions: Map<String, Value>,
}

/// The differences of the image preparation in LAE's code.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct PaperTransform {
    normalisation: Option<NormalisationEntry>,
    crop_ratio: Option<f32>,
}

/// Returns the usual crop mode of timm's networks.
fn centre() -> CropMode {
    CropMode::Center
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum NormalisationEntry {
    Named(String),
    Numbers(Normalisation),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "T: Deserialize<'de>"))]
struct BackboneTable<T> {
    #[serde(default = "Vec::new")]
    backbone: Vec<Spanned<T>>,
}

/// Reads a table. An invalid entry is skipped and reported; a file that is not TOML results in one Problem and no
/// entries. `path` is the path in Problems, and relative paths start from it.
pub fn read_table(text: &str, path: &Path) -> (Vec<BackboneEntry>, Vec<Problem>) {
    let position =
        |span: &Range<usize>| format!("{}:{}", path.display(), line_number(text, span.start));
    let table: BackboneTable<toml::Table> = match toml::from_str(text) {
        Ok(table) => table,
        Err(error) => {
            let problem = Problem::new(message!(
                "problem-backbone-table-unreadable",
                message = error.message()
            ))
            .at(position(&error.span().unwrap_or_default()))
            .advise(message!("advice-correct-table-line"));
            return (Vec::new(), vec![problem]);
        }
    };
    let mut entries = Vec::new();
    let mut problems = Vec::new();
    let starts: Vec<usize> = table.backbone.iter().map(|entry| entry.span().start).collect();
    for (number, entry) in table.backbone.iter().enumerate() {
        let start = starts[number];
        let end = starts.get(number + 1).copied().unwrap_or(text.len());
        let name = entry.get_ref().get("name").and_then(toml::Value::as_str);
        match read_entry(name, &text[start..end], path) {
            Ok(entry) => entries.push(entry),
            Err((problem, _)) if !problem.place.is_empty() => problems.push(problem),
            // Positions in a part of the table are relative to its start.
            Err((problem, offset)) => problems.push(problem.at(position(&(start + offset..end)))),
        }
    }
    (entries, problems)
}

/// Returns the entry with this name in a part of a table, or the error with its position in the part.
fn read_entry(
    name: Option<&str>,
    part: &str,
    path: &Path,
) -> std::result::Result<BackboneEntry, (Problem, usize)> {
    if let Some(name) = name.filter(|name| is_too_long(name)) {
        let problem =
            Problem::new(too_long_message(name)).advise(message!("advice-shorten-entry-name"));
        return Err((problem, 0));
    }
    let unreadable = |why: &str, offset: usize| {
        let name = name.unwrap_or("without a name");
        let problem = Problem::new(message!("problem-backbone-entry-unreadable", name, why));
        (problem.advise(message!("advice-correct-backbone-entry")), offset)
    };
    let parsed = parse_entry(part).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        unreadable(error.message(), offset)
    })?;
    if let Some(key) = unknown_key(&parsed) {
        // The key is at the start of a line.
        let before = part.find(&format!("\n{key}"));
        let offset = before.map_or(0, |before| before + 1);
        return Err(unreadable(&format!("unknown field `{key}`"), offset));
    }
    build_entry(parsed, path).map_err(|problem| (problem, 0))
}

/// Parses this part of a table; positions of errors are relative to its start.
fn parse_entry(part: &str) -> std::result::Result<TableEntry, toml::de::Error> {
    let table: BackboneTable<TableEntry> = toml::from_str(part)?;
    let entry = table.backbone.into_iter().next().map(Spanned::into_inner);
    entry.ok_or_else(|| serde::de::Error::custom("it is empty"))
}

fn line_number(text: &str, offset: usize) -> usize {
    let before = text.get(..offset).unwrap_or(text);
    before.matches('\n').count() + 1
}

fn build_entry(entry: TableEntry, path: &Path) -> Result<BackboneEntry> {
    let architecture = architecture(&entry)?;
    architecture.check().map_err(|mut problem| {
        problem.what = format!("the entry of backbone {} fails: {}", entry.name, problem.what);
        problem.advise(message!("advice-correct-backbone-entry"))
    })?;
    let source = source(&entry, path)?;
    let crop_ratio = entry.crop_ratio.unwrap_or(0.875);
    let paper_ratio = entry.paper.crop_ratio.unwrap_or(crop_ratio);
    if ![crop_ratio, paper_ratio].into_iter().all(is_crop_ratio) {
        return Err(invalid_entry(&entry, "crop_ratio must be between 0.01 and 1"));
    }
    let pretrained = normalisation(&entry, &entry.normalisation)?;
    let paper = entry.paper.normalisation.as_ref();
    let paper = paper.map_or(Ok(pretrained), |paper| normalisation(&entry, paper))?;
    if let Some(sha256) = &entry.sha256
        && !is_sha256(sha256)
    {
        return Err(invalid_entry(&entry, "sha256 must be 64 hexadecimal digits"));
    }
    let blocks = architecture.blocks().len();
    let pet_blocks = entry.pet_blocks.unwrap_or_else(|| architecture.default_pet_blocks());
    if pet_blocks == 0 || pet_blocks > blocks {
        let why = format!("pet_blocks must be 1 to {blocks}, the number of blocks");
        return Err(invalid_entry(&entry, &why));
    }
    Ok(BackboneEntry {
        title: entry.title.unwrap_or_else(|| entry.name.clone()),
        name: entry.name,
        architecture,
        transform: Transform {
            normalisation: pretrained,
            crop_ratio,
            resize: Resize { interpolation: entry.interpolation, mode: entry.crop_mode },
        },
        paper: Transform {
            normalisation: paper,
            crop_ratio: paper_ratio,
            resize: Resize::default(),
        },
        values: None,
        pet_blocks,
        source,
        size_mb: entry.size_mb,
        sha256: entry.sha256.map(|hash| hash.to_ascii_lowercase()),
        licence: entry.licence.unwrap_or_else(|| NOT_STATED.into()),
        pretrained_on: entry.pretrained_on.unwrap_or_else(|| NOT_STATED.into()),
        warning: entry.warning,
    })
}

fn invalid_entry(entry: &TableEntry, why: &str) -> Problem {
    Problem::new(message!("problem-backbone-entry-invalid", name = &entry.name, why))
        .advise(message!("advice-correct-backbone-entry"))
}

fn normalisation(entry: &TableEntry, value: &NormalisationEntry) -> Result<Normalisation> {
    match value {
        NormalisationEntry::Numbers(numbers) if numbers.std.contains(&0.0) => {
            Err(invalid_entry(entry, "a std of 0 cannot be divided by"))
        }
        NormalisationEntry::Numbers(Normalisation { mean, std })
            if !mean.iter().chain(std).all(|number| number.is_finite()) =>
        {
            Err(invalid_entry(entry, "mean and std must be finite numbers"))
        }
        NormalisationEntry::Numbers(numbers) => Ok(*numbers),
        NormalisationEntry::Named(name) => Normalisation::from_name(name).ok_or_else(|| {
            let why = "normalisation must be unit, symmetric, imagenet, clip or { mean, std }";
            invalid_entry(entry, why)
        }),
    }
}

/// Returns a key that no entry may have.
fn unknown_key(entry: &TableEntry) -> Option<&str> {
    let keys = entry.dimensions.keys().map(String::as_str);
    let known = |key: &str| FAMILIES.iter().any(|family| family.keys.contains(&key));
    keys.into_iter().find(|key| *key != EPSILON && !known(key))
}

/// Returns the dimensions, named as in the family.
fn architecture(entry: &TableEntry) -> Result<Architecture> {
    let known = families::names().join(", ");
    let family = families::find_family(&entry.family)
        .map_err(|_| invalid_entry(entry, &format!("family must be one of {known}")))?;
    let is_foreign = |key: &&String| *key != EPSILON && !family.keys.contains(&key.as_str());
    if let Some(key) = entry.dimensions.keys().find(is_foreign) {
        let why = format!("{key} does not belong to the family {}", entry.family);
        return Err(invalid_entry(entry, &why));
    }
    let mut values = entry.dimensions.clone();
    values.insert("input_size".into(), entry.input_size.into());
    let result = (family.read)(&ArchitectureValues::from_table(values));
    result.map_err(|problem| invalid_entry(entry, &problem.what))
}

/// Returns the source of an entry's weights; relative paths are relative to the folder of the table `path`.
fn source(entry: &TableEntry, path: &Path) -> Result<WeightSource> {
    let (embedded, hub) = (&entry.embedded, &entry.hub);
    let (file, url) = (&entry.file, &entry.url);
    if entry.revision.is_some() && hub.is_none() {
        return Err(invalid_entry(entry, "revision needs hub"));
    }
    match (embedded, hub, url, file) {
        (Some(true), None, None, None) if embedded_file(&entry.name).is_none() => {
            Err(invalid_entry(entry, "the program has no embedded weights of this name"))
        }
        (Some(true), None, None, None) => Ok(WeightSource::Embedded),
        // Both become paths in the cache of the hub's tools, so they must not lead outside it.
        (None, Some(repository), None, file)
            if !is_below(repository) || !file.as_deref().is_none_or(is_below) =>
        {
            let why = "hub must be owner/name, and file a file name inside it";
            Err(invalid_entry(entry, why))
        }
        (None, Some(repository), None, file) => Ok(WeightSource::Hub {
            repository: repository.clone(),
            file: file.clone().unwrap_or_else(|| "model.safetensors".into()),
            revision: revision(entry)?,
        }),
        (None, None, Some(url), None) => Ok(WeightSource::Url(url.clone())),
        // Listing the backbones accesses the file, which the user has not chosen, so it must not be on another
        // computer.
        (None, None, None, Some(file)) if is_remote(file) => Err(invalid_entry(
            entry,
            "files on other computers are not accessed automatically: choose the file as the backbone instead",
        )),
        (None, None, None, Some(file)) => {
            let folder = path.parent().unwrap_or(Path::new(""));
            Ok(WeightSource::File(folder.join(file)))
        }
        _ => Err(invalid_entry(
            entry,
            "the weights need exactly one source: hub (with file), url, or only file",
        )),
    }
}

/// Returns the commit of an entry. Names of branches are rejected, because their content changes.
fn revision(entry: &TableEntry) -> Result<Option<String>> {
    let is_commit = |text: &String| text.len() == 40 && text.bytes().all(|b| b.is_ascii_hexdigit());
    match &entry.revision {
        Some(commit) if !is_commit(commit) => {
            Err(invalid_entry(entry, "revision must be a commit of the hub, 40 hexadecimal digits"))
        }
        commit => Ok(commit.as_ref().map(|commit| commit.to_ascii_lowercase())),
    }
}

/// Returns whether a name in the hub is a relative path below its folder on every system: no `..`, no root, no drive.
fn is_below(name: &str) -> bool {
    let is_plain = |part: &str| !["", ".", ".."].contains(&part);
    name.split('/').all(is_plain) && !name.contains(['\\', ':'])
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALID_TABLE: &str = r#"
[[backbone]]
name = "small"
family = "vit"
input_size = 32
patch = 8
width = 64
depth = 2
heads = 2
normalisation = "symmetric"
file = "small.safetensors"
"#;

    fn read(text: &str) -> (Vec<BackboneEntry>, Vec<Problem>) {
        read_table(text, Path::new("tables/backbones.toml"))
    }

    #[test]
    fn entries_get_defaults() {
        let (entries, problems) = read(VALID_TABLE);
        assert!(problems.is_empty(), "{problems:?}");
        let entry = &entries[0];
        assert_eq!(entry.transform.crop_ratio, 0.875);
        assert_eq!(entry.pet_blocks, 2);
        assert_eq!(entry.transform.normalisation, Normalisation::SYMMETRIC);
        let expected = Path::new("tables").join("small.safetensors");
        assert_eq!(entry.source, WeightSource::File(expected));
    }

    #[test]
    fn reports_unknown_keys_and_broken_toml_with_line() {
        let (entries, problems) = read(&format!("{VALID_TABLE}colour = 3\n"));
        assert!(entries.is_empty());
        let problem = &problems[0];
        assert!(problem.is("problem-backbone-entry-unreadable"), "{problem}");
        assert!(problem.what.contains("colour"), "{problem}");
        assert!(problems[0].place.ends_with(":12"), "{}", problems[0].place);
        let (_, problems) = read("[[backbone]\n");
        assert!(problems[0].place.ends_with(":1"), "{}", problems[0].place);
    }

    #[test]
    fn skips_invalid_entries_and_loads_others() {
        for (from, to, word) in [
            ("heads = 2", "heads = 3", "not a multiple of 3 heads"),
            ("heads = 2", "heads = [2, 2]", "one whole number"),
            ("heads = 2", "heads = 2\nwindow = 7", "window does not belong"),
            ("depth = 2", "", "depth is missing"),
            ("family = \"vit\"", "family = \"vgg\"", "family must be"),
            ("\"symmetric\"", "\"none\"", "normalisation must be"),
            ("file =", "hub = \"a/b\"\nurl =", "exactly one source"),
            ("\"small", "\"//server/small", "other computers"),
            ("file =", "hub = \"a/b\"\nfile = \"//server/x\"\n#", "file name inside"),
            ("file =", "hub = \"a/b\"\nfile = \"../x\"\n#", "file name inside"),
            ("file =", "hub = \"../../b\"\n#", "file name inside"),
            ("\"small", "\"\\\\/server/small", "other computers"),
            ("heads = 2", "heads = 2\ncrop_ratio = 1.5", "crop_ratio"),
            ("heads = 2", "heads = 2\nsha256 = \"12\"", "hexadecimal"),
            ("heads = 2", "heads = 2\npet_blocks = 3", "pet_blocks"),
            ("\"small\"", &format!("\"{}\"", "a".repeat(65)), "65 characters"),
            ("heads = 2", "heads = 2\nmlp_ratio = nan", "finite"),
            ("heads = 2", "heads = 2\nepsilon = inf", "finite"),
            ("\"symmetric\"", "{ mean = [nan, 0.5, 0.5], std = [0.5, 0.5, 0.5] }", "finite"),
            ("\"symmetric\"", "{ mean = [0.5, 0.5, 0.5], std = [0.5, 0.5, 1e300] }", "finite"),
        ] {
            let broken = VALID_TABLE.replace(from, to);
            let (entries, problems) = read(&format!("{broken}{VALID_TABLE}"));
            assert_eq!(entries.len(), 1, "{to}");
            assert!(problems[0].what.contains(word), "{}", problems[0]);
            assert!(problems[0].place.ends_with(":2"), "{}", problems[0].place);
        }
    }
}
