//! Removes paths from the files of a run.

use std::fmt::Display;

use crate::data::scenario::ClassOrder;
use crate::files::names::is_path;
use crate::problem::{Problem, Result};
use crate::run::config::RunConfig;
use crate::run::event::RunHeader;
use crate::store::added_tasks::Written;
use crate::store::record::{PREFACE, settings_part};

/// Returns the last component of a path of any operating system.
pub(in crate::store) fn last_name(path: &str) -> String {
    let mut names = path.split(['/', '\\']).filter(|name| !name.is_empty());
    names.next_back().unwrap_or("data").to_string()
}

/// Returns the settings of a run without paths.
pub(in crate::store) fn settings(header: &RunHeader) -> RunConfig {
    let mut config = header.config.clone();
    let places = [&mut config.data, &mut config.backbone];
    for place in places.into_iter().chain(&mut config.pet_start) {
        if is_path(place) {
            *place = last_name(place);
        }
    }
    // Older versions stored the path of a class order file; its content is known from the tasks.
    if is_path(&config.order) {
        let own = header.tasks[..header.own_tasks()].last();
        let taught = &header.class_order[..own.map_or(0, |task| task.end)];
        let mut sorted: Vec<&String> = taught.iter().collect();
        sorted.sort_unstable();
        let place = |name: &String| sorted.binary_search(&name).unwrap_or_default();
        config.order = ClassOrder::written(&taught.iter().map(place).collect::<Vec<_>>());
    }
    config
}

/// Returns the header without paths, and without name, tags and note of the run.
pub(super) fn header(header: &RunHeader) -> RunHeader {
    RunHeader {
        config: settings(header),
        run: String::new(),
        folder: Default::default(),
        about: Default::default(),
        ..header.clone()
    }
}

/// Returns the text of `run.toml` without paths.
pub(super) fn run_toml(text: &str, header: &RunHeader) -> Result<String> {
    let config = settings(header);
    if config == header.config {
        return Ok(text.to_string());
    }
    let facts = &text[settings_part(text).len()..];
    Ok(format!("{PREFACE}{}\n{facts}", config.to_toml()?))
}

/// Returns the text of an added task's `lesson.toml` without the path of its images.
pub(super) fn lesson_toml(text: &str) -> Result<String> {
    let unread = |error: &dyn Display| Problem::with_error("problem-added-task-not-packed", error);
    let mut written: Written = toml::from_str(text).map_err(|error| unread(&error))?;
    let source = &mut written.added_task.source;
    if !is_path(source) {
        return Ok(text.to_string());
    }
    *source = last_name(source);
    toml::to_string(&written).map_err(|error| unread(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_path_its_last_name_stays() {
        for (path, name) in [
            ("/home/ada/birds", "birds"),
            ("C:\\Users\\Ada\\birds.zip", "birds.zip"),
            ("birds/", "birds"),
            ("/", "data"),
        ] {
            assert_eq!(last_name(path), name);
        }
    }
}
