//! Describes the content of a dataset as text.

use std::collections::BTreeMap;

use crate::cli::output::Table;
use crate::counts::{count_with_noun, format_count};
use crate::data::summary::{DatasetSummary, count_per_class};
use crate::data::{Dataset, summarise_two_labels};
use crate::problem::join_some;

/// Maximum number of classes that are printed row by row.
const MAX_ROWS: usize = 60;
/// Length of the longest bar in characters.
const MAX_BAR_LENGTH: usize = 24;

/// Returns the summary as text.
pub(super) fn format_summary(data: &Dataset, summary: &DatasetSummary<'_>) -> String {
    let mut text = String::new();
    text += &format!("{}  {}\n", summary.name, summary.origin);
    text += &format!(
        "{}, {} training and {}{}\n",
        count_with_noun(summary.classes.len(), "class"),
        format_count(data.train.len()),
        count_with_noun(data.test.len(), "test image"),
        summary.sizes.map_or_else(String::new, |sizes| format!(", {sizes} pixels"))
    );
    if !summary.note.is_empty() {
        text += &format!("{}\n", summary.note);
    }
    text += &format!("\n{}\n", class_table(data));
    for sentence in summary.assumed {
        text += &format!("assumed: {sentence}\n");
    }
    if !summary.duplicates.is_empty() {
        text += &format!(
            "{} in both training and test, for example {} = {}\n",
            count_with_noun(summary.duplicates.len(), "image"),
            summary.duplicates[0].train,
            summary.duplicates[0].test
        );
    }
    if let Some(sentence) = summarise_two_labels(summary.two_labels) {
        text += &format!("{sentence}\n");
    }
    text.push_str(&skipped_text(summary));
    text
}

/// Returns the images per class, as a bar chart if there are few classes.
fn class_table(data: &Dataset) -> String {
    let train = count_per_class(&data.train, data.classes.len());
    let test = count_per_class(&data.test, data.classes.len());
    let most = train.iter().copied().max().unwrap_or(0).max(1);
    if data.classes.len() > MAX_ROWS {
        let range = |counts: &[usize]| {
            let mut sorted = counts.to_vec();
            sorted.sort_unstable();
            let value_at = |index: usize| sorted.get(index).copied().unwrap_or(0);
            format!(
                "{} to {} (median {})",
                value_at(0),
                value_at(sorted.len().saturating_sub(1)),
                value_at(sorted.len() / 2)
            )
        };
        return format!(
            "classes: {}\nimages per class: training {}, test {}\n",
            join_some(&data.classes, 8),
            range(&train),
            range(&test)
        );
    }
    let mut table = Table::new(&["class", ">train", ">test", ""]);
    for ((name, &train), &test) in data.classes.iter().zip(&train).zip(&test) {
        let bar = "█".repeat((train * MAX_BAR_LENGTH).div_ceil(most));
        table.add_row([name.clone(), train.to_string(), test.to_string(), bar]);
    }
    table.to_string()
}

/// Returns the skipped files, counted by reason.
fn skipped_text(summary: &DatasetSummary<'_>) -> String {
    let mut reasons: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    for skipped in summary.skipped {
        let entry = reasons
            .entry(&skipped.reason.english)
            .or_insert_with(|| (0, skipped.path.display().to_string()));
        entry.0 += 1;
    }
    if reasons.is_empty() {
        return String::new();
    }
    let count = summary.skipped.len();
    let mut text = format!("skipped: {}\n", count_with_noun(count, "file"));
    for (reason, (count, example)) in reasons {
        text += &format!("  {count} × {reason}, for example {example}\n");
    }
    text
}
