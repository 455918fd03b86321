//! Formats a mean with its standard deviation for tables and reports.

use super::json::{Figures, OrdersSummary};

/// Returns a figure as text, such as "93.4 ± 0.6", or the mean alone for a single run.
pub fn mean_and_spread(
    orders: &OrdersSummary,
    figure: impl Fn(&Figures) -> Option<f64>,
    plus_minus: &str,
) -> String {
    spread_text(figure(&orders.mean), figure(&orders.std), plus_minus)
}

/// Returns a mean and its standard deviation as text; "–" if there is no mean.
pub fn spread_text(mean: Option<f64>, std: Option<f64>, plus_minus: &str) -> String {
    match (mean, std) {
        (Some(mean), Some(std)) => format!("{mean:.1}{plus_minus}{std:.1}"),
        (Some(mean), None) => format!("{mean:.1}"),
        _ => "–".to_string(),
    }
}
