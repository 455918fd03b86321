//! The rows as a text table.

use super::pytorch::PyTorchSpeed;
use super::{Row, explain};
use crate::cli::output::{Table, format_size};

/// Formats images per second with about three digits.
pub(super) fn format_speed(images: f64) -> String {
    match images < 10.0 {
        true => format!("{images:.2}"),
        false => format!("{images:.1}"),
    }
}

/// Returns the table, followed by the products or kernels if they were requested.
pub(super) fn text(rows: &[Row], with_pytorch: bool) -> String {
    let mut columns = vec![
        "backbone",
        "method",
        "PET",
        "mode",
        "weights",
        ">batch",
        ">images/s",
        ">peak memory",
        "device",
    ];
    let has_tasks = rows.iter().any(|row| row.seconds_per_task.is_some());
    if has_tasks {
        columns.insert(7, ">s/task");
    }
    if with_pytorch {
        columns.insert(7, "PyTorch (ratio)");
    }
    let mut table = Table::new(&columns);
    for row in rows {
        let mut cells = vec![
            row.backbone.clone(),
            row.method.clone(),
            match row.pet.as_str() {
                "" => String::new(),
                pet if row.pet_size == 0 => pet.to_string(),
                pet => format!("{pet} {}", row.pet_size),
            },
            row.mode.key().to_string(),
            row.weights.clone(),
            row.batch.to_string(),
            format_speed(row.images_per_second),
            format_size(row.peak_memory_bytes),
            row.device.clone(),
        ];
        if has_tasks {
            let seconds = row.seconds_per_task;
            cells.insert(7, seconds.map_or_else(String::new, |s| format!("{s:.2}")));
        }
        if with_pytorch {
            cells.insert(7, pytorch_text(row));
        }
        table.add_row(cells);
    }
    let explanations = rows.iter().filter_map(explain::row_text);
    std::iter::once(table.to_string()).chain(explanations).collect::<Vec<_>>().join("\n")
}

/// Returns a row's speeds in PyTorch, each with the speed of this program relative to it in brackets.
fn pytorch_text(row: &Row) -> String {
    let format_entry = |pytorch: &PyTorchSpeed| {
        let ratio = row.images_per_second / pytorch.images_per_second;
        let speed = format_speed(pytorch.images_per_second);
        match row.pytorch.len() {
            1 => format!("{speed} ({ratio:.2})"),
            _ => format!("{} {speed} ({ratio:.2})", pytorch.dtype),
        }
    };
    row.pytorch.iter().map(format_entry).collect::<Vec<_>>().join(", ")
}
