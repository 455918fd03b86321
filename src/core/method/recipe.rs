//! How a method answers, as plain numbers: what other programs need to give the same answers.

use burn::tensor::Tensor;

use super::METHODS;
use super::heads::Heads;
use super::prototypes::Prototypes;
use crate::backbone::parameters::Weights;
use crate::message;
use crate::metrics::Expert;
use crate::pet::PetStack;
use crate::problem::{Problem, Result};
use crate::tensors::HostTensor;

/// From images to answers.
pub struct Recipe {
    /// The networks that an image goes through: the backbone with these PETs, each with a name. No
    /// PETs means the backbone alone.
    pub networks: Vec<(String, PetStack)>,
    /// Weights that the backbone has in place of its own.
    pub weights: Option<Weights>,
    /// What is made of the networks' features.
    pub reading: Reading,
}

/// What makes answers of features.
pub enum Reading {
    /// Logits f·W + b; an answer's probabilities are their softmax.
    Linear {
        /// feature width × classes.
        weight: HostTensor,
        /// 1 × classes.
        bias: HostTensor,
        /// The method's experts, the last one being the answer.
        experts: Vec<(Expert, Voice)>,
    },
    /// Sums of cosines, or of cosines with weights.
    Cosine {
        /// One addend each.
        parts: Vec<CosinePart>,
        /// Classes that no image was seen of: their sum is −1.
        absent: Vec<usize>,
    },
    /// Scores relu(f·R)·W of the first network's features.
    Projected {
        /// R: feature width × projections.
        projection: HostTensor,
        /// Wᵀ: classes × projections.
        weight: HostTensor,
        /// Classes without a column of their own, each with the one that it counts for.
        empty: Vec<(usize, usize)>,
    },
}

/// Whose features an expert reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// Those of one network.
    Of(usize),
    /// Of two networks, or twice of one: class by class the larger of their softmaxes. Scores are the
    /// logarithms of these.
    Larger([usize; 2]),
}

/// norm(features) · Wᵀ.
pub struct CosinePart {
    /// The networks whose features are concatenated.
    pub networks: Vec<usize>,
    /// W: classes × width of these features, each row of length 1 times what its cosine counts.
    pub rows: HostTensor,
}

impl Recipe {
    /// One network, whose PETs may be none.
    pub(super) fn of_one(pets: PetStack, reading: Reading) -> Self {
        Self {
            networks: vec![(Expert::ANSWER.name().to_owned(), pets)],
            weights: None,
            reading,
        }
    }

    /// The expert that is the run's answer, last in the list of all.
    pub fn experts(&self) -> Vec<Expert> {
        match &self.reading {
            Reading::Linear { experts, .. } => experts.iter().map(|(expert, _)| *expert).collect(),
            _ => vec![Expert::ANSWER],
        }
    }

    /// What is said where a method has none.
    pub(super) fn none() -> Problem {
        let with = METHODS.iter().filter(|method| method.has_recipe);
        let titles: Vec<&str> = with.map(|method| method.title).collect();
        Problem::new(message!("problem-method-has-no-recipe")).advise(message!(
            "try-method-with-recipe",
            methods = titles.join(", ")
        ))
    }
}

impl Reading {
    /// Heads side by side, and who reads what.
    ///
    /// # Errors
    /// Returns a Problem before the first task, or when the device failed.
    pub(super) fn of_heads(heads: &Heads, experts: Vec<(Expert, Voice)>) -> Result<Self> {
        if heads.0.is_empty() {
            return Err(super::task::none_begun());
        }
        let each = |part: fn(&super::heads::Head) -> &Tensor<2>| {
            let parts = heads.0.iter().map(|head| part(head).clone()).collect();
            HostTensor::read(&Tensor::cat(parts, 1))
        };
        Ok(Self::Linear {
            weight: each(|head| &head.weight)?,
            bias: each(|head| &head.bias)?,
            experts,
        })
    }

    /// Prototypes over the features of these networks, side by side.
    ///
    /// # Errors
    /// Returns a Problem if there are none.
    pub(super) fn of_prototypes(prototypes: &Prototypes, networks: Vec<usize>) -> Result<Self> {
        let (rows, absent) = prototypes.unit_rows()?;
        Ok(Self::Cosine {
            parts: vec![CosinePart { networks, rows }],
            absent,
        })
    }
}
