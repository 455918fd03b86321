//! CODA-Prompt (Smith et al., CVPR 2023): each selected block has M components (a prompt P, a key K and an attention
//! vector A each), divided evenly among the tasks. An image's prompt is the sum of the prompts, weighted by cos(q ∘ Aₘ,
//! Kₘ) with its query q. Its first half is prepended to the block's keys, its second half to the values.
//!
//! Components of earlier tasks are used but frozen. New ones start orthogonal by the classical Gram–Schmidt process of
//! the released code: the projections of the original draw on all earlier components, as trained, are subtracted. loss
//! = cross-entropy + mu · Σ over blocks of o(K) + o(A) + o(P), with o(T) = mean of (T·Tᵀ − I)² over the components in
//! use.

use std::collections::BTreeMap;

use burn::tensor::{Device, Tensor};
use serde::Deserialize;

use super::super::optimiser::{OptimiserSettings, Schedule};
use super::super::{
    ConfiguredMethod, MemoryEstimate, MethodSpec, PublishedValues, Rate, SettingKind, SettingSpec,
    Workload, real_kind, whole_kind,
};
use super::{Leaves, PromptPurpose, PromptQuery, PromptRequest, Prompts, Scheme};
use super::{build, check, check_blocks, get_leaf};
use crate::counts::count_with_noun;
use crate::message;
use crate::nn;
use crate::pet::Init;
use crate::problem::{Problem, Result};
use crate::tensors::{HostTensor, not_finite_problem};

/// CODA-Prompt.
pub const SPEC: MethodSpec = MethodSpec {
    key: "coda-prompt",
    title: "CODA-Prompt",
    summary: "Mixes each image's prompts from components by attention; every task adds components",
    paper: "Smith et al., CODA-Prompt: COntinual Decomposed Attention-based Prompting for \
            Rehearsal-Free Continual Learning, CVPR 2023",
    settings: &[
        SettingSpec {
            key: "pool",
            texts: "coda-pool",
            title: "components",
            meaning: "Prompt components per block, divided evenly among the tasks",
            kind: whole_kind(100, 1, 10_000),
            ..SettingSpec::OWN
        },
        SettingSpec {
            key: "length",
            texts: "coda-length",
            title: "prompt length",
            meaning: "Tokens per component: half keys, half values",
            kind: whole_kind(8, 2, 100),
            ..SettingSpec::OWN
        },
        SettingSpec {
            key: "blocks",
            texts: "coda-blocks",
            title: "blocks with prompts",
            meaning: "Blocks with prompts",
            kind: SettingKind::Blocks("0,1,2,3,4"),
            ..SettingSpec::OWN
        },
        SettingSpec {
            key: "mu",
            title: "µ",
            meaning: "Weight of the orthogonality penalty: 0 in the released code since June 2023, 0.1 in \
                      the paper",
            kind: real_kind(0.0, 0.0, 1000.0),
            ..SettingSpec::OWN
        },
    ],
    rate: Some(Rate { base: 1e-3, scaled: false }),
    published: &[
        PublishedValues::for_dataset("cifar-100", 20),
        PublishedValues::for_dataset("imagenet-r", 50),
        PublishedValues::for_dataset("domainnet", 50),
    ],
    memory: |chosen, depth| {
        let blocks = chosen.blocks("blocks", depth)?;
        let first = blocks.iter().min().copied();
        Ok(MemoryEstimate::from_block(first.unwrap_or(0)))
    },
    workload: |_, _| Ok(Workload { queries: 1.0, ..Workload::DEFAULT }),
    stored_values: |chosen, sizes| {
        // Every task adds its share of the components, each with a key and an attention vector.
        let blocks = chosen.blocks("blocks", sizes.depth)?.len() as f64;
        let component = chosen.count("length")? as f64 + 2.0;
        let components = blocks * chosen.count("pool")? as f64 * component;
        Ok((components + sizes.classes as f64) * sizes.width as f64)
    },
    check: check::<Coda>,
    build: build::<Coda>,
    is_exportable: false,
    ..MethodSpec::DEFAULT
};

/// CODA-Prompt's settings.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Coda {
    /// Components (M) of each block.
    pub pool: usize,
    /// Tokens of a component, keys and values together (L).
    pub length: usize,
    /// Blocks with prompts.
    pub blocks: Vec<usize>,
    /// Weight of the orthogonality penalty.
    pub mu: f64,
    /// Number of tasks that share the components.
    pub tasks: usize,
}

/// The tensors of a block: prompts, keys, attention vectors.
const PARTS: [&str; 3] = ["p", "k", "a"];

/// The squared length below which a component is drawn again.
const MIN_SQUARED_LENGTH: f64 = 1e-8;

/// Maximum number of draws of one component. The first draw is used unless it depends linearly on earlier components or
/// is not finite.
const MAX_DRAWS: u64 = 100;

impl Coda {
    /// Returns the number of components per task.
    fn components_per_task(&self) -> usize {
        self.pool / self.tasks.max(1)
    }

    /// Initialises the components of task `task` in every block from standard normal draws: `draw` receives the
    /// tensor's name, the component and the attempt, and returns a row.
    ///
    /// # Errors
    /// Returns a Problem if the device failed, or if a component of an earlier task has values that are not finite:
    /// then no draw is orthogonal to it.
    pub fn start_components(
        &self,
        task: usize,
        leaves: &mut Leaves,
        mut draw: impl FnMut(&str, usize, u64, usize) -> Vec<f32>,
    ) -> Result<()> {
        let share = self.components_per_task();
        for (name, leaf) in leaves.iter_mut() {
            let mut matrix = HostTensor::read(leaf)?;
            let columns = leaf.dims()[1];
            let earlier = &matrix.values[..task * share * columns];
            if !earlier.iter().all(|value| value.is_finite()) {
                return Err(not_finite_problem("a component of an earlier task"));
            }
            for row in task * share..(task + 1) * share {
                let previous_rows = &matrix.values[..row * columns];
                let mut draws = (0..MAX_DRAWS).map(|attempt| draw(name, row, attempt, columns));
                let Some(new_row) = draws.find_map(|drawn| orthogonalize(&drawn, previous_rows))
                else {
                    let what = message!("problem-no-orthogonal-vector", name);
                    return Err(Problem::new(what).advise(message!("advice-start-run-again")));
                };
                matrix.values[row * columns..(row + 1) * columns].copy_from_slice(&new_row);
            }
            *leaf = matrix.to_device(&leaf.device())?;
        }
        Ok(())
    }

    /// Returns the rows that are in use of one of a block's tensors. In training, the rows of earlier tasks are
    /// constants.
    fn active_rows(
        &self,
        leaves: &Leaves,
        name: &str,
        prompt_query: &PromptQuery,
    ) -> Result<Tensor<2>> {
        let leaf = get_leaf(leaves, name)?;
        let columns = leaf.dims()[1];
        let old = prompt_query.task * self.components_per_task();
        let rows = |range| leaf.clone().slice([range, 0..columns]);
        if prompt_query.purpose != PromptPurpose::Training || old == 0 {
            return Ok(rows(0..old + self.components_per_task()));
        }
        let new_rows = rows(old..old + self.components_per_task());
        Ok(Tensor::cat(vec![rows(0..old).detach(), new_rows], 0))
    }
}

/// Returns a draw minus its projections on the previous rows, normalised to length 1; `None` if the remainder is nearly
/// zero. Each projection is computed from the draw itself, not from the remainder.
fn orthogonalize(draw: &[f32], previous_rows: &[f32]) -> Option<Vec<f32>> {
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        let products = a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b));
        products.sum()
    };
    let mut remainder: Vec<f64> = draw.iter().map(|value| f64::from(*value)).collect();
    for row in previous_rows.chunks_exact(draw.len()) {
        let length = dot(row, row);
        // A row that training reduced to nearly zero has no direction.
        if length < MIN_SQUARED_LENGTH {
            continue;
        }
        let coefficient = dot(draw, row) / length;
        for (component, value) in remainder.iter_mut().zip(row) {
            *component -= coefficient * f64::from(*value);
        }
    }
    let length = remainder.iter().map(|value| value * value).sum::<f64>();
    (length >= MIN_SQUARED_LENGTH).then(|| {
        let scale = length.sqrt().recip();
        remainder.iter().map(|value| (value * scale) as f32).collect()
    })
}

/// Returns the weights cos(q ∘ A, K) (batch × components) of components with these attention vectors A and keys K. The
/// product q ∘ A is never materialised for all images and components.
pub fn weights(query: &Tensor<2>, attention: &Tensor<2>, keys: &Tensor<2>) -> Tensor<2> {
    let square = |x: &Tensor<2>| x.clone().powi_scalar(2);
    let keys = nn::unit_rows(keys.clone(), 1e-12);
    let dot_products = nn::project(query.clone(), (attention.clone() * keys).transpose());
    let squared_norms = nn::project(square(query), square(attention).transpose());
    // 1e-24 is the square of the lower bound of the length, 1e-12.
    dot_products / squared_norms.clamp_min(1e-24).sqrt()
}

/// Returns the mean of (T·Tᵀ − I)² over all entries (one value), for rows T.
fn orthogonality_error(rows: &Tensor<2>, device: &Device) -> Tensor<1> {
    let products = nn::project(rows.clone(), rows.clone().transpose());
    let difference = products - Tensor::eye(rows.dims()[0], device);
    difference.powi_scalar(2).mean()
}

impl Scheme for Coda {
    /// Returns the settings; an added task adds its own share of components.
    fn from_method(
        chosen: &ConfiguredMethod<'_>,
        depth: usize,
        (planned, tasks): (usize, usize),
    ) -> Result<Self> {
        let pool = chosen.count("pool")?;
        let share = pool / planned.max(1);
        Ok(Self {
            pool: pool.max(share * tasks),
            length: chosen.count("length")?,
            blocks: chosen.blocks("blocks", depth)?,
            mu: chosen.real("mu")?,
            tasks: planned.max(tasks),
        })
    }

    fn optimiser_settings(chosen: &ConfiguredMethod<'_>) -> Result<OptimiserSettings> {
        Ok(OptimiserSettings {
            schedule: Schedule::LaggingCosine,
            ..OptimiserSettings::adam(chosen.learning_rate())
        })
    }

    fn title(&self) -> &'static str {
        SPEC.title
    }

    fn pool(&self) -> usize {
        self.pool
    }

    fn first_block(&self) -> usize {
        self.blocks.iter().min().copied().unwrap_or(0)
    }

    fn check(&self, width: usize, depth: usize) -> Result<()> {
        check_blocks("blocks", &self.blocks, depth)?;
        if self.blocks.is_empty() || self.length == 0 || !self.length.is_multiple_of(2) {
            return Err(Problem::new(message!("problem-coda-prompt-length")));
        }
        let (pool, tasks) = (self.pool, self.tasks);
        if self.components_per_task() == 0 {
            let components = count_with_noun(pool, "component");
            let what = message!(
                "problem-components-fewer-than-tasks",
                components = components.to_string(),
                tasks = message!("count-tasks", n = tasks)
            );
            let problem = Problem::new(what).at("--set pool");
            return Err(problem.advise(message!("advice-use-or-more", tasks = tasks.to_string())));
        }
        if pool > width {
            let what = message!(
                "problem-components-exceed-channels",
                pool = pool.to_string(),
                width = width.to_string()
            );
            let problem = Problem::new(what).at("--set pool");
            return Err(problem.advise(message!("advice-use-or-fewer", width = width.to_string())));
        }
        Ok(())
    }

    fn remark(&self) -> Option<Problem> {
        let (pool, tasks, share) = (self.pool, self.tasks, self.components_per_task());
        let unused = pool - tasks * share;
        let what = message!(
            "problem-coda-prompt-unused-components",
            unused = unused.to_string(),
            pool = pool.to_string(),
            tasks = tasks.to_string(),
            share = share.to_string()
        );
        let advice = message!(
            "advice-divide-components-evenly",
            unused = (pool - unused).to_string(),
            share = (tasks * (share + 1)).to_string()
        );
        (unused > 0).then(|| Problem::new(what).at("--set pool").advise(advice))
    }

    fn initial_tensors(&self, width: usize, _seed: u64) -> BTreeMap<String, HostTensor> {
        let zeros = |columns: usize| HostTensor {
            shape: vec![self.pool, columns],
            values: vec![0.0; self.pool * columns],
        };
        let block_tensors = |&block: &usize| {
            let columns = [self.length * width, width, width];
            let parts = PARTS.into_iter().zip(columns);
            parts.map(move |(part, columns)| (format!("coda.{block}.{part}"), zeros(columns)))
        };
        self.blocks.iter().flat_map(block_tensors).collect()
    }

    /// Returns the stored components, extended by zero rows for added tasks.
    fn extend_stored(
        &self,
        name: &str,
        stored: &HostTensor,
        initial: &Tensor<2>,
    ) -> Result<HostTensor> {
        let [rows, columns] = initial.dims();
        if stored.shape.get(1) != Some(&columns) || stored.shape[0] > rows {
            stored.check_shape(name, &[rows, columns])?;
        }
        let mut values = stored.values.clone();
        values.resize(rows * columns, 0.0);
        let shape = vec![rows, columns];
        Ok(HostTensor { shape, values })
    }

    fn begin_task(&self, task: usize, leaves: &mut Leaves, seed: u64) -> Result<()> {
        let block_streams = |&block: &usize| {
            let parts = PARTS.into_iter().zip(0..);
            parts.map(move |(part, index)| {
                (format!("coda.{block}.{part}"), 3 * block as u64 + index)
            })
        };
        let streams: BTreeMap<String, u64> = self.blocks.iter().flat_map(block_streams).collect();
        self.start_components(task, leaves, |name, row, attempt, columns| {
            let tensor = streams.get(name).copied().unwrap_or(0);
            let stream = (tensor << 48) | ((row as u64) << 16) | attempt;
            Init::Normal(1.0).draw([1, columns], seed, stream)
        })
    }

    fn prompts_for(&self, leaves: &Leaves, prompt_query: &PromptQuery) -> Result<PromptRequest> {
        let query = &prompt_query.query;
        let ([batch, width], device) = (query.dims(), query.device());
        let learns = prompt_query.purpose == PromptPurpose::Training;
        let (mut prompts, mut penalty) = (Prompts::default(), None::<Tensor<1>>);
        for block in &self.blocks {
            let part = |part: &str| {
                self.active_rows(leaves, &format!("coda.{block}.{part}"), prompt_query)
            };
            let (p, k, a) = (part("p")?, part("k")?, part("a")?);
            let prompt = nn::project(weights(query, &a, &k), p.clone());
            let prompt = prompt.reshape([batch, self.length, width]);
            let half = self.length / 2;
            let prefix = [0..half, half..self.length].map(|part| prompt.clone().slice_dim(1, part));
            prompts.prefixes.insert(*block, prefix);
            if learns && self.mu != 0.0 {
                for rows in [k, a, p] {
                    let error = orthogonality_error(&rows, &device);
                    penalty = Some(match penalty {
                        Some(sum) => sum + error,
                        None => error,
                    });
                }
            }
        }
        let penalty = penalty.map(|penalty_sum| penalty_sum * self.mu);
        Ok(PromptRequest { prompts, penalty })
    }

    fn head_init(&self, width: usize) -> [Init; 2] {
        let bound = (width as f64).powf(-0.5);
        [Init::Uniform(-bound, bound); 2]
    }
}
