//! Removes paths from the files of a run.

use std::fmt::Display;

use crate::data::scenario::ClassOrder;
use crate::files::names::is_path;
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::event::RunHeader;
use crate::store::added_tasks::AddedTaskFile;
use crate::store::record::{PREFACE, settings_part};

/// Returns the last component of a path of any operating system.
pub(in crate::store) fn last_component(path: &str) -> String {
    let mut names = path.split(['/', '\\']).filter(|name| !name.is_empty());
    names.next_back().unwrap_or("data").to_string()
}

/// Returns the settings of a run without paths.
pub(in crate::store) fn redact_settings(header: &RunHeader) -> RunConfig {
    let mut config = header.config.clone();
    let paths = [&mut config.data, &mut config.backbone];
    for path in paths.into_iter().chain(&mut config.pet_start) {
        if is_path(path) {
            *path = last_component(path);
        }
    }
    // Older versions stored the path of a class order file; its content is known from the tasks.
    if is_path(&config.order) {
        let learned_classes = header.original_classes();
        let mut sorted: Vec<&String> = learned_classes.iter().collect();
        sorted.sort_unstable();
        let rank = |name: &String| sorted.binary_search(&name).unwrap_or_default();
        config.order = ClassOrder::format_indices_or_natural(
            &learned_classes.iter().map(rank).collect::<Vec<_>>(),
        );
    }
    config
}

/// Returns the header without paths, and without name, tags and note of the run.
pub(super) fn redact_header(header: &RunHeader) -> RunHeader {
    RunHeader {
        config: redact_settings(header),
        run: String::new(),
        folder: Default::default(),
        about: Default::default(),
        ..header.clone()
    }
}

/// Returns the text of `run.toml` without paths.
pub(super) fn redact_run_toml(text: &str, header: &RunHeader) -> Result<String> {
    let config = redact_settings(header);
    if config == header.config {
        return Ok(text.to_string());
    }
    let facts = &text[settings_part(text).len()..];
    Ok(format!("{PREFACE}{}\n{facts}", config.to_toml()?))
}

/// Returns the text of an added task's `lesson.toml` without the path of its images.
pub(super) fn redact_added_task_toml(text: &str) -> Result<String> {
    let problem = |error: &dyn Display| Problem::with_error("problem-added-task-not-packed", error);
    let mut file: AddedTaskFile = toml::from_str(text).map_err(|error| problem(&error))?;
    let source = &mut file.added_task.source;
    if !is_path(source) {
        return Ok(text.to_string());
    }
    *source = last_component(source);
    toml::to_string(&file).map_err(|error| problem(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_component_handles_unix_and_windows_paths() {
        for (path, name) in [
            ("/home/ada/birds", "birds"),
            ("C:\\Users\\Ada\\birds.zip", "birds.zip"),
            ("birds/", "birds"),
            ("/", "data"),
        ] {
            assert_eq!(last_component(path), name);
        }
    }
}
