//! The columns of a table, and the cells of one image.

use crate::data::transform::InputSpec;
use crate::experiment::predict::Predictor;
use crate::method::Answer;
use crate::metrics::Expert;
use crate::run::event::ClassPrediction;
use crate::store::escape_formula;

/// Maximum number of images of a batch.
const MAX_BATCH_SIZE: usize = 16;
/// Classes of each answer in a table with all columns.
const TOP_CLASSES: usize = 5;

/// What the columns of a table depend on.
#[derive(Clone, Debug)]
pub struct Columns {
    pub(super) experts: Vec<Expert>,
    pub(super) classes: Vec<String>,
    pub(super) input: InputSpec,
    pub(super) bit_depth: usize,
    pub(super) batch_size: usize,
    /// An image with a larger out-of-distribution score is none of the classes; `None` if that is not asked or not
    /// known.
    pub(super) threshold: Option<f32>,
    /// Whether there are columns about the experts, the out-of-distribution score and further classes.
    pub(super) all_columns: bool,
}

impl Columns {
    /// Returns the columns of a snapshot's table.
    pub fn new(predictor: &Predictor, threshold: Option<f32>, all_columns: bool) -> Self {
        let header = predictor.header();
        Self {
            experts: header.method.experts.clone(),
            classes: predictor.classes().to_vec(),
            input: predictor.input(),
            bit_depth: header.config.bit_depth,
            batch_size: header.config.batch.clamp(1, MAX_BATCH_SIZE),
            threshold,
            all_columns,
        }
    }

    pub(super) fn header(&self) -> Vec<String> {
        let mut header: Vec<String> = [
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
        if !self.all_columns {
            return header;
        }
        header.extend(["decided_by", "strangeness", "threshold"].map(str::to_string));
        for expert in &self.experts {
            let name = expert.key();
            header.extend(["class", "score", "energy"].map(|column| format!("{name}_{column}")));
        }
        for rank in 3..=TOP_CLASSES {
            header.extend([format!("class_{rank}"), format!("score_{rank}")]);
        }
        header
    }

    fn class_cell(&self, class: usize) -> String {
        let name = self.classes.get(class).map_or("", String::as_str);
        escape_formula(name).into_owned()
    }

    /// Returns the cells after an image's path.
    pub(super) fn prediction_cells(&self, verdict: &Answer) -> Vec<String> {
        let Some(answer) = verdict.predictions.last() else {
            return self.error_cells("the experts returned no prediction");
        };
        let class_and_score =
            |class: usize, score: f32| [self.class_cell(class), format_score(score)];
        let best_cells = |prediction: &ClassPrediction| {
            let (class, score) = prediction.best();
            class_and_score(class, score)
        };
        // The predicted class need not have the highest score: ESN first selects a stage.
        let others = answer.probabilities.iter().copied().enumerate();
        let mut others: Vec<(usize, f32)> =
            others.filter(|(class, _)| *class != answer.class).collect();
        others.sort_by(|a, b| b.1.total_cmp(&a.1));
        let rank_cells = |rank: usize| {
            let class = others.get(rank - 2);
            class.map_or_else(Default::default, |&(class, score)| class_and_score(class, score))
        };
        let strangeness = answer.strangeness();
        let is_none_of_these = self.threshold.map(|limit| strangeness > limit);
        let best = best_cells(answer);
        let predicted = match is_none_of_these {
            Some(true) => String::new(),
            _ => best[0].clone(),
        };
        let mut cells: Vec<String> = best.into();
        cells.extend(rank_cells(2));
        cells.extend([optional_cell(is_none_of_these), predicted, String::new()]);
        if !self.all_columns {
            return cells;
        }
        cells.push(verdict.decided_by.key().into());
        cells.push(format_value(strangeness));
        cells.push(optional_cell(self.threshold.map(format_value)));
        for expert in &self.experts {
            let prediction = verdict.predictions.iter().find(|o| o.expert == *expert);
            cells.extend(prediction.map_or_else(Default::default, best_cells));
            let energy = prediction.and_then(|prediction| prediction.energy);
            cells.push(optional_cell(energy.map(format_value)));
        }
        for rank in 3..=TOP_CLASSES {
            cells.extend(rank_cells(rank));
        }
        cells
    }

    /// Returns the cells as [`Self::prediction_cells`] does, for an image that cannot be read.
    pub(super) fn error_cells(&self, reason: &str) -> Vec<String> {
        let header = self.header();
        let cells = header.iter().skip(1).map(|name| match name.as_str() {
            "problem" => escape_formula(reason).into_owned(),
            _ => String::new(),
        });
        cells.collect()
    }
}

/// Returns a value as text; empty for none.
fn optional_cell(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

fn format_value(value: f32) -> String {
    format!("{value:.4}")
}

fn format_score(score: f32) -> String {
    format!("{score:.6}")
}
