//! The rows as a text table.

use super::pytorch::PytorchSpeed;
use super::{Row, explain};
use crate::cli::output::{Table, size};

/// Formats images per second with about three digits.
pub(super) fn speed(images: f64) -> String {
    match images < 10.0 {
        true => format!("{images:.2}"),
        false => format!("{images:.1}"),
    }
}

/// Returns the table, followed by the products or kernels if they were requested.
pub(super) fn text(rows: &[Row], beside: bool) -> String {
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
    let tasks = rows.iter().any(|row| row.seconds_per_task.is_some());
    if tasks {
        columns.insert(7, ">s/task");
    }
    if beside {
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
            speed(row.images_per_second),
            size(row.peak_memory_bytes),
            row.device.clone(),
        ];
        if tasks {
            let seconds = row.seconds_per_task;
            cells.insert(7, seconds.map_or_else(String::new, |s| format!("{s:.2}")));
        }
        if beside {
            cells.insert(7, beside_words(row));
        }
        table.row(cells);
    }
    let ways = rows.iter().filter_map(explain::words);
    std::iter::once(table.to_string())
        .chain(ways)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns a row's speeds in PyTorch, each with the speed of this program relative to it in brackets.
fn beside_words(row: &Row) -> String {
    let line = |beside: &PytorchSpeed| {
        let ratio = row.images_per_second / beside.images_per_second;
        let speed = speed(beside.images_per_second);
        match row.pytorch.len() {
            1 => format!("{speed} ({ratio:.2})"),
            _ => format!("{} {speed} ({ratio:.2})", beside.dtype),
        }
    };
    row.pytorch.iter().map(line).collect::<Vec<_>>().join(", ")
}
