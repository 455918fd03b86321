//! L2P, Learning to Prompt (Wang et al., CVPR 2022): a pool of M prompts of L tokens with a key each. An image uses the
//! k prompts whose keys are most similar to its query. Their tokens are inserted after the class token before block 0,
//! and the mean of their outputs is the feature.
//!
//! loss = cross-entropy − pull · mean over images of the sum over the selected prompts of cos(query, key). The whole
//! pool is available from the first task on, and nothing is copied or reset.

use std::collections::BTreeMap;

use burn::tensor::Tensor;
use serde::Deserialize;

use super::super::{
    ConfiguredMethod, MemoryEstimate, MethodSpec, PublishedValues, Rate, SettingSpec, Workload,
    whole_kind,
};
use super::selection::{CLIP, pull_setting, selected_similarity, similarity, top_prompts};
use super::{
    Choice, Leaves, PromptPurpose, PromptQuery, PromptRequest, Prompts, Scheme, build, check,
    get_leaf, random_tensor,
};
use crate::backbone::{Backbone, Tokens};
use crate::message;
use crate::nn;
use crate::pet::Init;
use crate::problem::{Problem, Result};
use crate::tensors::HostTensor;

/// L2P.
pub const SPEC: MethodSpec = MethodSpec {
    key: "l2p",
    title: "L2P",
    summary: "Each image uses the prompts of a shared pool with the most similar keys",
    paper: "Wang et al., Learning to Prompt for Continual Learning, CVPR 2022",
    settings: &[
        SettingSpec {
            key: "pool",
            texts: "l2p-pool",
            title: "prompts",
            meaning: "Prompts in the pool, each with a key",
            kind: whole_kind(10, 1, 1000),
            ..SettingSpec::OWN
        },
        SettingSpec {
            key: "length",
            texts: "l2p-length",
            title: "prompt length",
            meaning: "Tokens per prompt",
            kind: whole_kind(5, 1, 100),
            ..SettingSpec::OWN
        },
        SettingSpec {
            key: "top_k",
            title: "prompts per image",
            meaning: "Number of prompts per image, those with the most similar keys; they are put before the patch tokens",
            kind: whole_kind(5, 1, 100),
            ..SettingSpec::OWN
        },
        pull_setting(0.1),
        CLIP,
    ],
    rate: Some(Rate { base: 0.03, scaled: true }),
    published: &[
        PublishedValues::for_dataset("cifar-100", 5).with_base_lr(0.03),
        PublishedValues::for_dataset("imagenet-r", 50).with_base_lr(0.005),
        PublishedValues::for_dataset("domainnet", 50).with_base_lr(0.005),
    ],
    memory: |_, _| Ok(MemoryEstimate::from_block(0)),
    workload: |chosen, _| {
        Ok(Workload {
            tokens: chosen.count("top_k")?.saturating_mul(chosen.count("length")?),
            queries: 1.0,
            ..Workload::DEFAULT
        })
    },
    stored_values: |chosen, sizes| {
        let pool = chosen.count("pool")? as f64 * (1.0 + chosen.count("length")? as f64);
        let prompts = sizes.tasks as f64 * pool * sizes.width as f64;
        Ok(prompts + (sizes.classes * sizes.width) as f64)
    },
    check: check::<L2p>,
    build: build::<L2p>,
    is_exportable: false,
    ..MethodSpec::DEFAULT
};

/// L2P's settings.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct L2p {
    /// Prompts in the pool (M).
    pub pool: usize,
    /// Tokens per prompt (L).
    pub length: usize,
    /// Prompts per image (k).
    pub top_k: usize,
    /// Weight of the pull of keys towards the queries that selected them.
    pub pull: f64,
}

impl Scheme for L2p {
    fn from_method(
        chosen: &ConfiguredMethod<'_>,
        _depth: usize,
        _tasks: (usize, usize),
    ) -> Result<Self> {
        Ok(Self {
            pool: chosen.count("pool")?,
            length: chosen.count("length")?,
            top_k: chosen.count("top_k")?,
            pull: chosen.real("pull")?,
        })
    }

    fn title(&self) -> &'static str {
        SPEC.title
    }

    fn pool(&self) -> usize {
        self.pool
    }

    fn first_block(&self) -> usize {
        0
    }

    fn check(&self, _width: usize, _depth: usize) -> Result<()> {
        if self.pool == 0 || self.length == 0 || self.top_k == 0 {
            return Err(Problem::new(message!("problem-l2p-needs-prompt-pool")));
        }
        if self.top_k > self.pool {
            let (top_k, pool) = (self.top_k, self.pool);
            let what = message!(
                "problem-top-k-exceeds-pool",
                top_k = top_k.to_string(),
                pool = message!("count-prompts", n = pool)
            );
            let problem = Problem::new(what).at("--set top_k");
            return Err(problem.advise(message!("advice-smaller-top-k", pool = pool.to_string())));
        }
        Ok(())
    }

    fn initial_tensors(&self, width: usize, seed: u64) -> BTreeMap<String, HostTensor> {
        let uniform = Init::Uniform(-1.0, 1.0);
        let prompt = random_tensor(uniform, [self.pool * self.length, width], seed, 0);
        let key = random_tensor(uniform, [self.pool, width], seed, 1);
        BTreeMap::from([("prompt".to_owned(), prompt), ("key".to_owned(), key)])
    }

    fn begin_task(&self, _task: usize, _leaves: &mut Leaves, _seed: u64) -> Result<()> {
        Ok(())
    }

    fn choose(
        &self,
        leaves: &Leaves,
        query: &Tensor<2>,
        _task: usize,
        _purpose: PromptPurpose,
    ) -> Result<Choice> {
        top_prompts(&similarity(query, get_leaf(leaves, "key")?), self.top_k)
    }

    fn prompts_for(&self, leaves: &Leaves, prompt_query: &PromptQuery) -> Result<PromptRequest> {
        let (query, selection) = (&prompt_query.query, prompt_query.selection()?);
        let [batch, width] = query.dims();
        let similarity = similarity(query, get_leaf(leaves, "key")?);
        let prompts = get_leaf(leaves, "prompt")?.clone();
        let prompts = prompts.reshape([self.pool, self.length * width]);
        let chosen = nn::project(selection.clone(), prompts);
        let chosen = chosen.reshape([batch, self.top_k * self.length, width]);
        let prompt_tokens = chosen + prompt_query.class_position.clone();
        Ok(PromptRequest {
            prompts: Prompts { entering: Some(prompt_tokens), ..Prompts::default() },
            penalty: Some(selected_similarity(similarity, selection) * -self.pull),
        })
    }

    /// Returns the mean of the outputs at the prompt positions, after the final norm.
    fn feature(&self, backbone: &dyn Backbone, tokens: Tokens) -> Result<Tensor<2>> {
        let [batch, _, width] = tokens.values.dims();
        let prompts = 1..1 + self.top_k * self.length;
        let values = tokens.values.slice([0..batch, prompts, 0..width]);
        let normed = backbone.normed(Tokens { values, ..tokens });
        Ok(normed.mean_dim(1).reshape([batch, width]))
    }
}
