//! A comparison, in words, of the accuracy of several runs on their first task. Only runs with the same number of
//! tasks, the same data and the same class order are compared.

use std::collections::BTreeMap;

use super::row::RunRow;
use super::words::{number, percent};
use crate::metrics::Tally;
use crate::problem::listed;
use crate::run::event::RunHeader;
use crate::tr;

/// A run's accuracy on its first task, right after learning it and now.
#[derive(Clone, Copy, Debug)]
pub struct FirstTaskResult<'a> {
    /// Its settings and facts.
    pub header: &'a RunHeader,
    /// Accuracy on the first task right after learning it, as a share.
    pub then: f64,
    /// Accuracy on the first task after the latest task, as a share.
    pub now: f64,
    /// Number of learned tasks.
    pub done: usize,
    /// Number of test images of the first task.
    pub images: usize,
}

impl<'a> FirstTaskResult<'a> {
    /// Returns the result of a run; `None` if it has learned fewer than two tasks or its first task was not tested.
    pub fn from_row(row: &'a RunRow) -> Option<Self> {
        let history = row.answers();
        let rows = &history.matrix;
        let result = Self {
            header: row.header.as_ref()?,
            then: *rows.first()?.first()?,
            now: *rows.last()?.first()?,
            done: rows.len(),
            images: history.images.first().copied().unwrap_or(0),
        };
        (result.done > 1 && result.then.is_finite() && result.now.is_finite()).then_some(result)
    }

    /// Returns the classes of the first task.
    pub fn first(&self) -> &'a [String] {
        self.header.class_names(0)
    }

    /// Returns whether two runs can be compared.
    fn is_like(&self, other: &Self) -> bool {
        let (one, two) = (self.header, other.header);
        let settings = |header: &'a RunHeader| (&header.config.data, header.config.measured_on());
        let tasks = |header: &'a RunHeader| header.tasks.get(..self.done);
        // Older versions did not record the images, so they are compared only if both have them.
        let images = one.images.as_ref().zip(two.images.as_ref());
        one.class_order == two.class_order
            && self.done == other.done
            && tasks(one) == tasks(two)
            && settings(one) == settings(two)
            && images.is_none_or(|(one, two)| one.test == two.test)
    }
}

/// Returns one sentence per group of comparable runs that compares the best run with the worst, and explains why others
/// are not compared.
pub fn first_task_sentences(results: &[FirstTaskResult<'_>]) -> Vec<String> {
    let mut alike: Vec<Vec<&FirstTaskResult<'_>>> = Vec::new();
    for result in results {
        match alike.iter_mut().find(|group| group[0].is_like(result)) {
            Some(group) => group.push(result),
            None => alike.push(vec![result]),
        }
    }
    let mut told: Vec<String> = alike
        .iter()
        .filter_map(|group| {
            let words = first_task_sentence(group)?;
            Some(match alike.len() {
                1 => words,
                _ => {
                    let names = listed(group[0].first(), 6);
                    tr!("compare-first-task-results", names, words)
                }
            })
        })
        .collect();
    let orders =
        |pair: &[FirstTaskResult<'_>]| pair[0].header.class_order == pair[1].header.class_order;
    if alike.len() > 1 {
        let why = match results.windows(2).all(orders) {
            true => tr!("compare-same-task-count-only"),
            false => tr!("compare-same-class-order-only"),
        };
        told.push(why.into());
    }
    told
}

/// Returns a sentence such as "After 5 tasks LAE still recognises 97 % of task 1, Baseline only 66 %." for comparable
/// runs. The word "only" is omitted if the difference may be due to chance. Returns `None` if all runs have the same
/// name.
fn first_task_sentence(results: &[&FirstTaskResult<'_>]) -> Option<String> {
    let mut by_name: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for result in results {
        by_name
            .entry(result.header.short())
            .or_default()
            .push(result.now);
    }
    let mean = |shares: &[f64]| shares.iter().sum::<f64>() / shares.len() as f64;
    let mut sorted: Vec<(&str, Vec<f64>)> = by_name.into_iter().collect();
    sorted.sort_by(|(_, a), (_, b)| mean(b).total_cmp(&mean(a)));
    let [(best, first), .., (worst, last)] = sorted.as_slice() else {
        return None;
    };
    let (most, least) = (range(first), range(last));
    let [low, high] =
        [lowest(first), highest(last)].map(|share| Tally::of_share(share, results[0].images));
    let apart = low.is_above(&high);
    let n = results[0].done;
    if most == least {
        return Some(tr!(
            "compare-both-still-recognise",
            n,
            best = *best,
            worst = *worst,
            share = most
        ));
    }
    let id = match apart {
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
    let (low, high) = (percent(lowest(shares), 0), percent(highest(shares), 0));
    match low == high {
        true => low,
        false => {
            let low = number(lowest(shares) * 100.0, 0);
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
                experts: Expert::ALONE.to_vec(),
                ..header.method
            },
            class_order: order.chars().map(String::from).collect(),
            tasks: vec![0..2, 2..4],
            test_images: vec![10, 10],
            ..header
        }
    }

    fn told(runs: &[(&RunHeader, f64)]) -> Vec<String> {
        told_of(runs, 2000)
    }

    fn told_of(runs: &[(&RunHeader, f64)], images: usize) -> Vec<String> {
        let results = runs.iter().map(|&(header, now)| FirstTaskResult {
            header,
            then: 1.0,
            now,
            done: 2,
            images,
        });
        let told = first_task_sentences(&results.collect::<Vec<_>>()).into_iter();
        told.map(|words| words.replace('\u{a0}', " ")).collect()
    }

    fn only(most: &str, least: &str) -> String {
        sentence("compare-still-recognise-only", most, least)
    }

    fn sentence(id: &'static str, most: &str, least: &str) -> String {
        tr!(id, n = 2, best = "LAE", most, worst = "Baseline", least)
    }

    #[test]
    fn only_runs_of_one_class_order_are_held_against_each_other() {
        let (lae, base) = (run("LAE", "abcd"), run("Baseline", "abcd"));
        let (lae_b, base_b) = (run("LAE", "cdab"), run("Baseline", "cdab"));
        let pair = only("98 %", "93 %");
        assert_eq!(told(&[(&lae, 0.98), (&base, 0.93)]), [pair.as_str()]);
        // The best and the worst of all four runs have different class orders.
        let all = [(&lae, 0.98), (&base, 0.93), (&lae_b, 0.8), (&base_b, 0.72)];
        let other = only("80 %", "72 %");
        let of_each = [
            tr!("compare-first-task-results", names = "a, b", words = pair),
            tr!("compare-first-task-results", names = "c, d", words = other),
            tr!("compare-same-class-order-only").to_string(),
        ];
        assert_eq!(told(&all), of_each);
        assert_eq!(
            told(&[(&lae, 0.98), (&base_b, 0.72)]),
            [tr!("compare-same-class-order-only")]
        );
    }

    #[test]
    fn a_difference_of_a_few_images_is_no_verdict() {
        let (lae, base) = (run("LAE", "abcd"), run("Baseline", "abcd"));
        let words = sentence("compare-still-recognise", "98 %", "93 %");
        let pair = [(&lae, 0.98), (&base, 0.93)];
        assert_eq!(told_of(&pair, 90), [words]);
        assert_eq!(told_of(&pair, 400), [only("98 %", "93 %")]);
    }

    #[test]
    fn runs_of_one_name_count_together() {
        let (lae, base) = (run("LAE", "abcd"), run("Baseline", "abcd"));
        let seeds = [(&lae, 0.98), (&base, 0.93), (&lae, 0.95), (&base, 0.90)];
        let range = only("95 to 98 %", "90 to 93 %");
        assert_eq!(told(&seeds), [range]);
        let over = [(&lae, 0.98), (&base, 0.93), (&lae, 0.92)];
        let words = sentence("compare-still-recognise", "92 to 98 %", "93 %");
        assert_eq!(told(&over), [words]);
        assert_eq!(told(&[(&lae, 0.98), (&lae, 0.9)]), [""; 0]);
        let same = tr!(
            "compare-both-still-recognise",
            n = 2,
            best = "Baseline",
            worst = "LAE",
            share = "98 %"
        );
        assert_eq!(told(&[(&lae, 0.98), (&base, 0.98)]), [same]);
    }

    #[test]
    fn as_many_tasks_of_the_same_data_are_needed() {
        let (lae, mut base) = (run("LAE", "abcd"), run("Baseline", "abcd"));
        base.config.data = "another".into();
        let why = tr!("compare-same-task-count-only");
        assert_eq!(told(&[(&lae, 0.98), (&base, 0.93)]), [why]);
    }
}
