//! Writes a grid file with some rows of another grid.

use crate::message;
use crate::problem::{Problem, Result};
use crate::run::config::Setting;
use crate::run::grid::{Grid, GridKey, GridPart, GridValue};

/// A row that becomes a part of the new file.
pub(super) struct ChosenRow<'a> {
    pub title: &'a str,
    /// Its part in the original grid.
    pub part: &'a GridPart,
    /// Its index in that part.
    pub row: usize,
}

/// Returns the text of the file: each row with all of its values except the validation share.
pub(super) fn file<'a>(grid: &Grid, rows: impl Iterator<Item = ChosenRow<'a>>) -> Result<String> {
    let title = if grid.title.is_empty() {
        &grid.name
    } else {
        &grid.title
    };
    let title = quoted(&format!("{title}, as chosen"))?;
    let about = quoted(
        "Settings chosen on a validation share of the training images; this grid measures on the test images.",
    )?;
    let mut text = format!("title = {title}\nabout = {about}\n");
    for ChosenRow { title, part, row } in rows {
        let choices = part.choices(row);
        let given = part
            .fixed
            .iter()
            .chain(choices.iter().flat_map(|choice| &choice.given));
        let mut lines: Vec<(String, String)> = Vec::new();
        for given in given.filter(|given| given.key.name() != "validation_share") {
            let (key, value) = line(given)?;
            match lines.iter_mut().find(|(known, _)| *known == key) {
                Some((_, known)) => *known = value,
                None => lines.push((key, value)),
            }
        }
        text += &format!("\n[[part]]\ntitle = {}\n", quoted(title)?);
        for (key, value) in lines {
            text += &format!("{key} = {value}\n");
        }
        for (key, repeated) in [("orders", part.orders), ("seeds", part.seeds)] {
            if let Some(repeated) = repeated {
                text += &format!("{key} = {repeated}\n");
            }
        }
    }
    Ok(text)
}

fn quoted(text: &str) -> Result<String> {
    written(&Setting::Text(text.to_string().into()))
}

fn line(given: &GridValue) -> Result<(String, String)> {
    let key = match &given.key {
        GridKey::Own(key) => format!("settings.{key}"),
        key => key.name().to_string(),
    };
    Ok((key, written(&given.value)?))
}

fn written(value: &Setting) -> Result<String> {
    let value = toml::Value::try_from(value);
    let value = value.map_err(|error| {
        Problem::new(message!(
            "problem-value-unwritten",
            error = error.to_string()
        ))
    })?;
    Ok(value.to_string())
}
