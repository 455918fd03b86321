//! Sizes, durations, counts and names as text.

use crate::data::CorrectionCount;
use crate::run::config::RunConfig;
use crate::run::event::{ACCURACY_ON_ORIGINAL_LABELS, RunHeader, TaskReport};
use crate::texts::Language;
use crate::tr;

/// Returns a file name without extension, followed by the current time: "runs-2026-11-21_10-00-00".
pub fn with_timestamp(name: &str) -> String {
    format!("{name}-{}", jiff::Zoned::now().strftime("%Y-%m-%d_%H-%M-%S"))
}

/// Formats a size, such as "318 kB".
pub fn format_bytes(bytes: u64) -> String {
    let b = bytes as f64;
    match bytes {
        0..1000 => tr!("count-bytes", n = bytes),
        1000..1_000_000 => format!("{} kB", format_number(b / 1e3, 0)),
        1_000_000..1_000_000_000 => format!("{} MB", format_number(b / 1e6, 1)),
        _ => format!("{} GB", format_number(b / 1e9, 1)),
    }
}

/// Formats a duration, such as "9 s", "4 min" or "2 h 10 min".
pub fn format_duration(seconds: f64) -> String {
    let s = seconds.max(0.0).round() as u64;
    match s {
        0..90 => format!("{s} s"),
        90..3600 => format!("{} min", (s + 30) / 60),
        _ => format!("{} h {} min", s / 3600, s % 3600 / 60),
    }
}

/// Formats a share in percent. A non-breaking space keeps number and sign on one line.
pub fn format_percent(share: f64, digits: usize) -> String {
    format!("{}\u{a0}%", format_number(share * 100.0, digits))
}

/// Formats a number with this number of decimals in the current language.
pub fn format_number(value: f64, decimals: usize) -> String {
    Language::spoken().format_number(value, decimals)
}

/// Formats a number with a minus sign that is as wide as a plus sign: "−2.5".
pub fn format_signed(value: f64, decimals: usize) -> String {
    format_number(value, decimals).replace('-', "−")
}

/// Formats the epochs of tasks: "5 epochs", or "10 to 25 epochs" if they differ.
pub fn format_epochs(epochs: &[usize]) -> String {
    let max = epochs.iter().max().copied().unwrap_or(0);
    tr!("count-epochs", n = max, span = format_epoch_range(epochs))
}

/// Formats the epochs of tasks without the unit: "5", or "10 to 25" if they differ.
pub fn format_epoch_range(epochs: &[usize]) -> String {
    let least = epochs.iter().min().copied().unwrap_or(0);
    let most = epochs.iter().max().copied().unwrap_or(0);
    match least == most {
        true => format_count(most),
        false => tr!("count-range", least, most),
    }
}

pub use crate::counts::{count_with_noun, format_count};
pub use crate::data::compare_natural;

/// Returns seed, class order and corrected labels of a run if they are not the defaults: " · seed 3 · order seed:1".
pub fn non_default_suffix(config: &RunConfig) -> String {
    let defaults = RunConfig::default();
    let mut suffix = String::new();
    if config.seed != defaults.seed {
        let seed = tr!("count-seed", seed = config.seed.to_string());
        suffix.push_str(&format!(" · {seed}"));
    }
    if config.order != defaults.order {
        let order = match config.order.chars().count() {
            0..=18 => tr!("count-class-order", order = config.order.as_str()),
            // The order is a list of indices or the path of a file.
            _ => tr!("count-custom-order").to_string(),
        };
        suffix.push_str(&format!(" · {order}"));
    }
    if let Some(corrected) = CorrectionCount::from_corrections(&config.corrected).summary() {
        suffix.push_str(&format!(" · {}", corrected.translated()));
    }
    suffix
}

/// Returns a sentence with the accuracy after a run's last task by the original labels, if corrections changed its test
/// images.
pub fn original_label_accuracy(header: &RunHeader, reports: &[TaskReport]) -> Option<String> {
    let share = reports.last()?.measurements.get(ACCURACY_ON_ORIGINAL_LABELS)?;
    let corrected = CorrectionCount::from_corrections(&header.config.corrected).summary();
    let corrected = corrected.map_or_else(String::new, |words| words.translated());
    Some(tr!("count-with-original-labels", share = format_percent(*share, 1), corrected))
}

/// Returns the display name of a device. A processor includes its number of threads.
pub fn format_device(name: &str) -> String {
    let singular = name.strip_suffix("s").unwrap_or(name);
    let parts = singular.strip_suffix(" thread");
    let parts = parts.and_then(|rest| rest.rsplit_once(", "));
    match parts.and_then(|(name, threads)| Some((name, threads.parse::<usize>().ok()?))) {
        Some((name, threads)) => format!("{name}, {}", tr!("count-threads", n = threads)),
        None => name.to_string(),
    }
}

/// Returns the time in the name of a run's folder: "2026-11-21 10:00" for "2026-11-21_10-00-00-digits-lae". Returns the
/// whole name if it contains no time.
pub fn run_time_text(run: &str) -> String {
    let time = run.get(..16).filter(|time| {
        let digits = |range| {
            time.get(range).is_some_and(|part: &str| part.bytes().all(|b| b.is_ascii_digit()))
        };
        digits(0..4) && digits(5..7) && digits(8..10) && digits(11..13) && digits(14..16)
    });
    time.map_or_else(
        || run.to_string(),
        |time| format!("{} {}:{}", &time[..10], &time[11..13], &time[14..16]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_sizes_durations_and_percentages() {
        assert_eq!(format_bytes(318_400), "318 kB");
        assert_eq!(format_bytes(1), "1 byte");
        assert_eq!(format_duration(9.2), "9 s");
        assert_eq!(format_duration(7800.0), "2 h 10 min");
        assert_eq!(format_epochs(&[10, 25, 10]), "10 to 25 epochs");
        assert_eq!(
            (format_epochs(&[1]), format_epoch_range(&[5, 5])),
            ("1 epoch".into(), "5".into())
        );
        assert_eq!(format_percent(0.9467, 1), "94.7\u{a0}%");
    }

    #[test]
    fn reads_time_from_run_folder_name() {
        assert_eq!(run_time_text("2026-11-21_10-00-00-digits-lae"), "2026-11-21 10:00");
        assert_eq!(run_time_text("ähnlich-und-noch-mehr"), "ähnlich-und-noch-mehr");
    }
}
