//! The columns of a table, and the cells of one image.

use crate::data::transform::InputSpec;
use crate::experiment::predict::Predictor;
use crate::method::Answer;
use crate::metrics::Expert;
use crate::run::event::Opinion;
use crate::store::harmless_cell;

/// Most images of a piece, so that a piece takes no longer than a batch.
const PIECE: usize = 16;
/// Classes named of each answer.
const TOP: usize = 5;

/// What a table needs to know of the snapshot that answers.
#[derive(Clone, Debug)]
pub struct Columns {
    pub(super) experts: Vec<Expert>,
    pub(super) classes: Vec<String>,
    pub(super) input: InputSpec,
    pub(super) bit_depth: usize,
    pub(super) piece: usize,
    /// What is stranger than this to the last expert is none of these; `None` if nobody asks, or it
    /// is not known.
    pub(super) threshold: Option<f32>,
}

impl Columns {
    /// Those of a snapshot; what is stranger to it than `threshold` is none of its classes.
    pub fn of(predictor: &Predictor, threshold: Option<f32>) -> Self {
        let header = predictor.header();
        Self {
            experts: header.method.experts.clone(),
            classes: predictor.classes().to_vec(),
            input: predictor.input(),
            bit_depth: header.config.bit_depth,
            piece: header.config.batch.clamp(1, PIECE),
            threshold,
        }
    }

    pub(super) fn head(&self) -> Vec<String> {
        let mut head: Vec<String> = [
            "picture",
            "class",
            "score",
            "decided_by",
            "none_of_these",
            "strangeness",
            "threshold",
        ]
        .map(str::to_string)
        .into();
        for expert in &self.experts {
            let name = expert.name();
            head.extend(["class", "score", "energy"].map(|of| format!("{name}_{of}")));
        }
        for rank in 1..=TOP {
            head.extend([format!("top_{rank}"), format!("top_{rank}_score")]);
        }
        head.push("problem".into());
        head
    }

    fn class(&self, class: usize) -> String {
        let name = self.classes.get(class).map_or("", String::as_str);
        harmless_cell(name).into_owned()
    }

    /// The cells behind an image's path.
    pub(super) fn answered(&self, verdict: &Answer) -> Vec<String> {
        let said = |opinion: &Opinion| {
            let (class, score) = opinion.best();
            [self.class(class), share(score)]
        };
        let Some(answer) = verdict.opinions.last() else {
            return self.unanswered("the experts gave no answer");
        };
        let mut cells: Vec<String> = said(answer).into();
        cells.push(verdict.decided_by.name().into());
        let strangeness = answer.strangeness();
        cells.push(cell(self.threshold.map(|limit| strangeness > limit)));
        cells.push(four_digits(strangeness));
        cells.push(cell(self.threshold.map(four_digits)));
        for expert in &self.experts {
            let opinion = verdict.opinions.iter().find(|o| o.expert == *expert);
            cells.extend(opinion.map_or_else(Default::default, said));
            let energy = opinion.and_then(|opinion| opinion.energy);
            cells.push(cell(energy.map(four_digits)));
        }
        let mut ranked: Vec<(usize, f32)> =
            answer.probabilities.iter().copied().enumerate().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        for rank in 0..TOP {
            let class = ranked.get(rank);
            let named = |&(class, p): &(usize, f32)| [self.class(class), share(p)];
            cells.extend(class.map_or_else(Default::default, named));
        }
        cells.push(String::new());
        cells
    }

    /// The same for an image that cannot be read.
    pub(super) fn unanswered(&self, reason: &str) -> Vec<String> {
        let mut cells = vec![String::new(); self.head().len() - 2];
        cells.push(harmless_cell(reason).into_owned());
        cells
    }
}

/// Empty where there is nothing to say.
fn cell(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

fn four_digits(value: f32) -> String {
    format!("{value:.4}")
}

fn share(score: f32) -> String {
    format!("{score:.6}")
}
