//! The columns of a table, and the cells of one image.

use crate::data::transform::InputSpec;
use crate::experiment::predict::Predictor;
use crate::method::Answer;
use crate::metrics::Expert;
use crate::run::event::ClassPrediction;
use crate::store::harmless_cell;

/// Maximum number of images of a batch.
const PIECE: usize = 16;
/// Classes of each answer in a table with all columns.
const TOP: usize = 5;

/// What the columns of a table depend on.
#[derive(Clone, Debug)]
pub struct Columns {
    pub(super) experts: Vec<Expert>,
    pub(super) classes: Vec<String>,
    pub(super) input: InputSpec,
    pub(super) bit_depth: usize,
    pub(super) piece: usize,
    /// An image with a larger out-of-distribution score is none of the classes; `None` if that is not asked or not
    /// known.
    pub(super) threshold: Option<f32>,
    /// Whether there are columns about the experts, the out-of-distribution score and further classes.
    pub(super) all: bool,
}

impl Columns {
    /// Returns the columns of a snapshot's table.
    pub fn of(predictor: &Predictor, threshold: Option<f32>, all: bool) -> Self {
        let header = predictor.header();
        Self {
            experts: header.method.experts.clone(),
            classes: predictor.classes().to_vec(),
            input: predictor.input(),
            bit_depth: header.config.bit_depth,
            piece: header.config.batch.clamp(1, PIECE),
            threshold,
            all,
        }
    }

    pub(super) fn head(&self) -> Vec<String> {
        let mut head: Vec<String> = [
            "image",
            "class",
            "score",
            "second_class",
            "second_score",
            "none_of_these",
            "predicted",
            "problem",
        ]
        .map(str::to_string)
        .into();
        if !self.all {
            return head;
        }
        head.extend(["decided_by", "strangeness", "threshold"].map(str::to_string));
        for expert in &self.experts {
            let name = expert.name();
            head.extend(["class", "score", "energy"].map(|of| format!("{name}_{of}")));
        }
        for rank in 3..=TOP {
            head.extend([format!("class_{rank}"), format!("score_{rank}")]);
        }
        head
    }

    fn class(&self, class: usize) -> String {
        let name = self.classes.get(class).map_or("", String::as_str);
        harmless_cell(name).into_owned()
    }

    /// Returns the cells after an image's path.
    pub(super) fn answered(&self, verdict: &Answer) -> Vec<String> {
        let Some(answer) = verdict.opinions.last() else {
            return self.unanswered("the experts returned no prediction");
        };
        let named = |class: usize, score: f32| [self.class(class), share(score)];
        let said = |opinion: &ClassPrediction| {
            let (class, score) = opinion.best();
            named(class, score)
        };
        let mut ranked: Vec<(usize, f32)> =
            answer.probabilities.iter().copied().enumerate().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        let ranked = |rank: usize| {
            let class = ranked.get(rank - 1);
            class.map_or_else(Default::default, |&(class, score)| named(class, score))
        };
        let strangeness = answer.strangeness();
        let none = self.threshold.map(|limit| strangeness > limit);
        let best = said(answer);
        let predicted = match none {
            Some(true) => String::new(),
            _ => best[0].clone(),
        };
        let mut cells: Vec<String> = best.into();
        cells.extend(ranked(2));
        cells.extend([cell(none), predicted, String::new()]);
        if !self.all {
            return cells;
        }
        cells.push(verdict.decided_by.name().into());
        cells.push(four_digits(strangeness));
        cells.push(cell(self.threshold.map(four_digits)));
        for expert in &self.experts {
            let opinion = verdict.opinions.iter().find(|o| o.expert == *expert);
            cells.extend(opinion.map_or_else(Default::default, said));
            let energy = opinion.and_then(|opinion| opinion.energy);
            cells.push(cell(energy.map(four_digits)));
        }
        for rank in 3..=TOP {
            cells.extend(ranked(rank));
        }
        cells
    }

    /// Returns the cells as [`Self::answered`] does, for an image that cannot be read.
    pub(super) fn unanswered(&self, reason: &str) -> Vec<String> {
        let head = self.head();
        let cells = head.iter().skip(1).map(|name| match name.as_str() {
            "problem" => harmless_cell(reason).into_owned(),
            _ => String::new(),
        });
        cells.collect()
    }
}

/// Returns a value as text; empty for none.
fn cell(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

fn four_digits(value: f32) -> String {
    format!("{value:.4}")
}

fn share(score: f32) -> String {
    format!("{score:.6}")
}
