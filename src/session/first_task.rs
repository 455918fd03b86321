//! A comparison, in words, of the accuracy of several runs on their first task. Only runs with the same number of
//! tasks, the same data and the same class order are compared.

use std::collections::BTreeMap;

use super::formatting::{format_number, format_percent};
use super::run_row::RunRow;
use crate::metrics::Tally;
use crate::problem::join_some;
use crate::run::event::RunHeader;
use crate::tr;

/// A run's accuracy on its first task, right after learning it and now.
#[derive(Clone, Copy, Debug)]
pub struct FirstTaskResult<'a> {
    /// Its settings and facts.
    pub header: &'a RunHeader,
    /// Accuracy on the first task right after learning it, as a share.
    pub initial_accuracy: f64,
    /// Accuracy on the first task after the latest task, as a share.
    pub current_accuracy: f64,
    /// Number of learned tasks.
    pub task_count: usize,
    /// Number of test images of the first task.
    pub images: usize,
}

impl<'a> FirstTaskResult<'a> {
    /// Returns the result of a run; `None` if it has learned fewer than two tasks or its first task was not tested.
    pub fn from_row(row: &'a RunRow) -> Option<Self> {
        let history = row.answer_history();
        let rows = &history.matrix;
        let result = Self {
            header: row.header.as_ref()?,
            initial_accuracy: *rows.first()?.first()?,
            current_accuracy: *rows.last()?.first()?,
            task_count: rows.len(),
            images: history.images.first().copied().unwrap_or(0),
        };
        (result.task_count > 1
            && result.initial_accuracy.is_finite()
            && result.current_accuracy.is_finite())
        .then_some(result)
    }

    /// Returns the classes of the first task.
    pub fn first_classes(&self) -> &'a [String] {
        self.header.class_names(0)
    }

    /// Returns whether two runs can be compared.
    fn is_comparable(&self, other: &Self) -> bool {
        let (a, b) = (self.header, other.header);
        let settings =
            |header: &'a RunHeader| (&header.config.data, header.config.evaluation_split());
        let tasks = |header: &'a RunHeader| header.tasks.get(..self.task_count);
        // Older versions did not record the images, so they are compared only if both have them.
        let images = a.images.as_ref().zip(b.images.as_ref());
        a.class_order == b.class_order
            && self.task_count == other.task_count
            && tasks(a) == tasks(b)
            && settings(a) == settings(b)
            && images.is_none_or(|(one, two)| one.test == two.test)
    }
}

/// Returns one sentence per group of comparable runs that compares the best run with the worst, and explains why others
/// are not compared.
pub fn first_task_sentences(results: &[FirstTaskResult<'_>]) -> Vec<String> {
    let mut groups: Vec<Vec<&FirstTaskResult<'_>>> = Vec::new();
    for result in results {
        match groups.iter_mut().find(|group| group[0].is_comparable(result)) {
            Some(group) => group.push(result),
            None => groups.push(vec![result]),
        }
    }
    let mut sentences: Vec<String> = groups
        .iter()
        .filter_map(|group| {
            let words = first_task_sentence(group)?;
            Some(match groups.len() {
                1 => words,
                _ => {
                    let names = join_some(group[0].first_classes(), 6);
                    tr!("compare-first-task-results", names, words)
                }
            })
        })
        .collect();
    let same_order =
        |pair: &[FirstTaskResult<'_>]| pair[0].header.class_order == pair[1].header.class_order;
    if groups.len() > 1 {
        let reason = match results.windows(2).all(same_order) {
            true => tr!("compare-same-task-count-only"),
            false => tr!("compare-same-class-order-only"),
        };
        sentences.push(reason.into());
    }
    sentences
}

/// Returns a sentence such as "After 5 tasks LAE still recognises 97 % of task 1, Baseline only 66 %." for comparable
/// runs. The word "only" is omitted if the difference may be due to chance. Returns `None` if all runs have the same
/// name.
fn first_task_sentence(results: &[&FirstTaskResult<'_>]) -> Option<String> {
    let mut by_name: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for result in results {
        by_name.entry(result.header.short_name()).or_default().push(result.current_accuracy);
    }
    let mean = |shares: &[f64]| shares.iter().sum::<f64>() / shares.len() as f64;
    let mut sorted: Vec<(&str, Vec<f64>)> = by_name.into_iter().collect();
    sorted.sort_by(|(_, a), (_, b)| mean(b).total_cmp(&mean(a)));
    let [(best, first), .., (worst, last)] = sorted.as_slice() else {
        return None;
    };
    let (most, least) = (range(first), range(last));
    let [low, high] =
        [lowest(first), highest(last)].map(|share| Tally::from_accuracy(share, results[0].images));
    let is_significant = low.is_significantly_above(&high);
    let n = results[0].task_count;
    if most == least {
        return Some(tr!(
            "compare-both-still-recognise",
            n,
            best = *best,
            worst = *worst,
            share = most
        ));
    }
    let id = match is_significant {
        true => "compare-still-recognise-only",
        false => "compare-still-recognise",
    };
    Some(tr!(id, n, best = *best, most, worst = *worst, least))
}

fn lowest(shares: &[f64]) -> f64 {
    shares.iter().copied().fold(f64::INFINITY, f64::min)
}

fn highest(shares: &[f64]) -> f64 {
    shares.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// Returns "97 %" for one run, or a range such as "95 to 97 %" for several runs.
fn range(shares: &[f64]) -> String {
    let (low, high) = (format_percent(lowest(shares), 0), format_percent(highest(shares), 0));
    match low == high {
        true => low,
        false => {
            let low = format_number(lowest(shares) * 100.0, 0);
            tr!("count-range", least = low, most = high)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Expert;
    use crate::run::event::MethodFacts;
    use crate::session::run_view::tests::header;

    /// Returns a run of this method with two tasks of two classes.
    fn run(method: &str, order: &str) -> RunHeader {
        let header = header();
        RunHeader {
            method: MethodFacts {
                title: method.into(),
                experts: Expert::SINGLE.to_vec(),
                ..header.method
            },
            class_order: order.chars().map(String::from).collect(),
            tasks: vec![0..2, 2..4],
            test_images: vec![10, 10],
            ..header
        }
    }

    fn sentences_for(runs: &[(&RunHeader, f64)]) -> Vec<String> {
        sentences_for_images(runs, 2000)
    }

    fn sentences_for_images(runs: &[(&RunHeader, f64)], images: usize) -> Vec<String> {
        let results = runs.iter().map(|&(header, now)| FirstTaskResult {
            header,
            initial_accuracy: 1.0,
            current_accuracy: now,
            task_count: 2,
            images,
        });
        let sentences = first_task_sentences(&results.collect::<Vec<_>>()).into_iter();
        sentences.map(|words| words.replace('\u{a0}', " ")).collect()
    }

    fn only_sentence(most: &str, least: &str) -> String {
        sentence("compare-still-recognise-only", most, least)
    }

    fn sentence(id: &'static str, most: &str, least: &str) -> String {
        tr!(id, n = 2, best = "LAE", most, worst = "Baseline", least)
    }

    #[test]
    fn compares_only_runs_with_same_class_order() {
        let (lae, base) = (run("LAE", "abcd"), run("Baseline", "abcd"));
        let (lae_b, base_b) = (run("LAE", "cdab"), run("Baseline", "cdab"));
        let pair = only_sentence("98 %", "93 %");
        assert_eq!(sentences_for(&[(&lae, 0.98), (&base, 0.93)]), [pair.as_str()]);
        // The best and the worst of all four runs have different class orders.
        let all = [(&lae, 0.98), (&base, 0.93), (&lae_b, 0.8), (&base_b, 0.72)];
        let other = only_sentence("80 %", "72 %");
        let expected = [
            tr!("compare-first-task-results", names = "a, b", words = pair),
            tr!("compare-first-task-results", names = "c, d", words = other),
            tr!("compare-same-class-order-only").to_string(),
        ];
        assert_eq!(sentences_for(&all), expected);
        assert_eq!(
            sentences_for(&[(&lae, 0.98), (&base_b, 0.72)]),
            [tr!("compare-same-class-order-only")]
        );
    }

    #[test]
    fn difference_of_few_images_is_inconclusive() {
        let (lae, base) = (run("LAE", "abcd"), run("Baseline", "abcd"));
        let words = sentence("compare-still-recognise", "98 %", "93 %");
        let pair = [(&lae, 0.98), (&base, 0.93)];
        assert_eq!(sentences_for_images(&pair, 90), [words]);
        assert_eq!(sentences_for_images(&pair, 400), [only_sentence("98 %", "93 %")]);
    }

    #[test]
    fn groups_runs_with_same_name() {
        let (lae, base) = (run("LAE", "abcd"), run("Baseline", "abcd"));
        let seeds = [(&lae, 0.98), (&base, 0.93), (&lae, 0.95), (&base, 0.90)];
        let range = only_sentence("95 to 98 %", "90 to 93 %");
        assert_eq!(sentences_for(&seeds), [range]);
        let over = [(&lae, 0.98), (&base, 0.93), (&lae, 0.92)];
        let words = sentence("compare-still-recognise", "92 to 98 %", "93 %");
        assert_eq!(sentences_for(&over), [words]);
        assert_eq!(sentences_for(&[(&lae, 0.98), (&lae, 0.9)]), [""; 0]);
        let same = tr!(
            "compare-both-still-recognise",
            n = 2,
            best = "Baseline",
            worst = "LAE",
            share = "98 %"
        );
        assert_eq!(sentences_for(&[(&lae, 0.98), (&base, 0.98)]), [same]);
    }

    #[test]
    fn rejects_comparison_across_datasets() {
        let (lae, mut base) = (run("LAE", "abcd"), run("Baseline", "abcd"));
        base.config.data = "another".into();
        let why = tr!("compare-same-task-count-only");
        assert_eq!(sentences_for(&[(&lae, 0.98), (&base, 0.93)]), [why]);
    }
}
