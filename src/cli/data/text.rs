//! Describes the content of a dataset as text.

use std::collections::BTreeMap;

use crate::cli::output::Table;
use crate::counts::{count_text, counted};
use crate::data::summary::{Card, counts};
use crate::data::{Dataset, told_two_labels};
use crate::problem::listed;

/// Maximum number of classes that are printed row by row.
const MOST_ROWS: usize = 60;
/// Length of the longest bar in characters.
const BAR: usize = 24;

/// Returns the summary as text.
pub(super) fn described(data: &Dataset, card: &Card<'_>) -> String {
    let mut text = String::new();
    text += &format!("{}  {}\n", card.name, card.origin);
    text += &format!(
        "{}, {} training and {}{}\n",
        counted(card.classes.len(), "class"),
        count_text(data.train.len()),
        counted(data.test.len(), "test image"),
        card.sizes
            .map_or_else(String::new, |sizes| format!(", {sizes} pixels"))
    );
    if !card.note.is_empty() {
        text += &format!("{}\n", card.note);
    }
    text += &format!("\n{}\n", class_table(data));
    for sentence in card.assumed {
        text += &format!("assumed: {sentence}\n");
    }
    if !card.duplicates.is_empty() {
        text += &format!(
            "{} in both training and test, for example {} = {}\n",
            counted(card.duplicates.len(), "image"),
            card.duplicates[0].train,
            card.duplicates[0].test
        );
    }
    if let Some(sentence) = told_two_labels(card.two_labels) {
        text += &format!("{sentence}\n");
    }
    text.push_str(&left_out(card));
    text
}

/// Returns the images per class, as a bar chart if there are few classes.
fn class_table(data: &Dataset) -> String {
    let train = counts(&data.train, data.classes.len());
    let test = counts(&data.test, data.classes.len());
    let most = train.iter().copied().max().unwrap_or(0).max(1);
    if data.classes.len() > MOST_ROWS {
        let range = |counts: &[usize]| {
            let mut sorted = counts.to_vec();
            sorted.sort_unstable();
            let at = |place: usize| sorted.get(place).copied().unwrap_or(0);
            format!(
                "{} to {} (median {})",
                at(0),
                at(sorted.len().saturating_sub(1)),
                at(sorted.len() / 2)
            )
        };
        return format!(
            "classes: {}\nimages per class: training {}, test {}\n",
            listed(&data.classes, 8),
            range(&train),
            range(&test)
        );
    }
    let mut table = Table::new(&["class", ">train", ">test", ""]);
    for ((name, &train), &test) in data.classes.iter().zip(&train).zip(&test) {
        let bar = "█".repeat((train * BAR).div_ceil(most));
        table.row([name.clone(), train.to_string(), test.to_string(), bar]);
    }
    table.to_string()
}

/// Returns the skipped files, counted by reason.
fn left_out(card: &Card<'_>) -> String {
    let mut reasons: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    for skipped in card.skipped {
        let entry = reasons
            .entry(&skipped.reason.english)
            .or_insert_with(|| (0, skipped.path.display().to_string()));
        entry.0 += 1;
    }
    if reasons.is_empty() {
        return String::new();
    }
    let count = card.skipped.len();
    let mut text = format!("skipped: {}\n", counted(count, "file"));
    for (reason, (count, example)) in reasons {
        text += &format!("  {count} × {reason}, for example {example}\n");
    }
    text
}
