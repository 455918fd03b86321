//! A mean with its spread, as tables and reports show it.

use super::json::{Figures, OrdersSummary};

/// "93.4 ± 0.6", or the mean alone for a single run.
pub fn mean_and_spread(
    orders: &OrdersSummary,
    figure: impl Fn(&Figures) -> Option<f64>,
    plus_minus: &str,
) -> String {
    spread_text(figure(&orders.mean), figure(&orders.std), plus_minus)
}

/// The same of a given mean and spread.
pub fn spread_text(mean: Option<f64>, std: Option<f64>, plus_minus: &str) -> String {
    match (mean, std) {
        (Some(mean), Some(std)) => format!("{mean:.1}{plus_minus}{std:.1}"),
        (Some(mean), None) => format!("{mean:.1}"),
        _ => "–".to_string(),
    }
}
