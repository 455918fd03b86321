//! The computation of a method's answers as plain numbers, for other programs that must give the same answers.

use super::METHODS;
use super::heads::Heads;
use super::prototypes::Prototypes;
use crate::backbone::parameters::Weights;
use crate::message;
use crate::metrics::Expert;
use crate::pet::PetStack;
use crate::problem::{Problem, Result};
use crate::tensors::HostTensor;

/// The computation from images to answers.
pub struct ExportedClassifier {
    /// The networks that process an image: the backbone with these PETs, each with a name. An empty stack is the
    /// backbone alone.
    pub networks: Vec<(String, PetStack)>,
    /// Weights that replace those of the backbone.
    pub weights: Option<Weights>,
    /// The computation on the networks' features.
    pub answer_rule: AnswerRule,
}

/// The computation of answers from features.
pub enum AnswerRule {
    /// Logits f·W + b; the probabilities are their softmax.
    Linear {
        /// feature width × classes.
        weight: HostTensor,
        /// 1 × classes.
        bias: HostTensor,
        /// The method's experts; the last one is the answer.
        experts: Vec<(Expert, LogitSource)>,
    },
    /// Sums of cosines, or of weighted cosines.
    Cosine {
        /// The addends.
        parts: Vec<CosinePart>,
        /// Classes without an image, whose score is −1.
        absent: Vec<usize>,
    },
    /// Scores relu(f·R)·W of the first network's features.
    Projected {
        /// R: feature width × projections.
        projection: HostTensor,
        /// Wᵀ: classes × projections.
        weight: HostTensor,
        /// Classes without their own column, each with the class that it belongs to.
        empty: Vec<(usize, usize)>,
    },
}

/// The features from which an expert computes its logits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogitSource {
    /// The features of the network with this index.
    Network(usize),
    /// The features of two networks, or of one network twice. For each class the larger of the two softmaxes counts;
    /// the scores are its logarithm.
    Maximum([usize; 2]),
}

/// One addend of the cosine scores: norm(features) · Wᵀ.
pub struct CosinePart {
    /// The networks whose features are concatenated.
    pub networks: Vec<usize>,
    /// W: classes × width of these features; each row has length 1 times the weight of its cosine.
    pub rows: HostTensor,
}

impl ExportedClassifier {
    /// Returns the computation with one network, with or without PETs.
    pub(super) fn from_single_network(pets: PetStack, answer_rule: AnswerRule) -> Self {
        Self { networks: vec![(Expert::ANSWER.key().to_owned(), pets)], weights: None, answer_rule }
    }

    /// Returns the experts; the last one is the run's answer.
    pub fn experts(&self) -> Vec<Expert> {
        match &self.answer_rule {
            AnswerRule::Linear { experts, .. } => {
                experts.iter().map(|(expert, _)| *expert).collect()
            }
            _ => vec![Expert::ANSWER],
        }
    }

    /// Returns the Problem of a method that cannot be exported.
    pub(super) fn unsupported_problem() -> Problem {
        let exportable = METHODS.iter().filter(|method| method.is_exportable);
        let titles: Vec<&str> = exportable.map(|method| method.title).collect();
        Problem::new(message!("problem-method-not-exportable"))
            .advise(message!("advice-export-other-method", methods = titles.join(", ")))
    }
}

impl AnswerRule {
    /// Returns the concatenated heads, with the features that each expert reads.
    pub(super) fn from_heads(heads: &Heads, experts: Vec<(Expert, LogitSource)>) -> Result<Self> {
        if heads.0.is_empty() {
            return Err(super::task::no_task_problem());
        }
        let head = heads.concatenated();
        let (weight, bias) = (HostTensor::read(&head.weight)?, HostTensor::read(&head.bias)?);
        Ok(Self::Linear { weight, bias, experts })
    }

    /// Returns prototypes for the concatenated features of these networks.
    pub(super) fn from_prototypes(prototypes: &Prototypes, networks: Vec<usize>) -> Result<Self> {
        let (rows, absent) = prototypes.unit_rows()?;
        Ok(Self::Cosine { parts: vec![CosinePart { networks, rows }], absent })
    }
}
