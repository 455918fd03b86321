//! DualPrompt (Wang et al., ECCV 2022): prefixes of keys and values. *General* ones (G) in some blocks are shared by
//! all tasks; *expert* ones (E) in others have one slot per task. While a task is learned, all its images use its slot;
//! afterwards an image uses the slot whose key is most similar to its query, among all slots, including those of future
//! tasks.
//!
//! loss = cross-entropy − pull · mean over images of cos(query, key of the slot). A task's slot starts as a copy of the
//! previous one; keys are not copied. If there are more tasks than slots, images select by key in training too, and
//! nothing is copied.

use std::collections::BTreeMap;

use burn::tensor::Tensor;
use serde::Deserialize;

use super::super::{
    ConfiguredMethod, MemoryEstimate, MethodSpec, PublishedValues, Rate, SettingKind, SettingSpec,
    Workload, whole_kind,
};
use super::selection::{CLIP, pull_setting, selected_similarity, similarity, top_prompts};
use super::{Choice, Leaves, PromptPurpose, PromptQuery, PromptRequest, Prompts, Scheme};
use super::{build, check, check_blocks, get_leaf, random_tensor};
use crate::message;
use crate::nn;
use crate::pet::Init;
use crate::problem::{Problem, Result};
use crate::run::config::Setting;
use crate::tensors::HostTensor;

/// DualPrompt.
pub const SPEC: MethodSpec = MethodSpec {
    key: "dualprompt",
    title: "DualPrompt",
    summary: "General prompts for all tasks, and expert prompts per task that are selected by key",
    paper: "Wang et al., DualPrompt: Complementary Prompting for Rehearsal-free Continual Learning, \
            ECCV 2022",
    settings: &[
        SettingSpec {
            key: "pool",
            texts: "dualprompt-pool",
            title: "slots",
            meaning: "Slots for expert prompts; 0 for one per task. With fewer slots than tasks, \
                      images select their slot by key during training too",
            kind: whole_kind(0, 0, 1000),
            ..SettingSpec::OWN
        },
        SettingSpec {
            key: "g_blocks",
            title: "G blocks",
            meaning: "Blocks with a general prompt, shared by all tasks",
            kind: SettingKind::Blocks("0,1"),
            ..SettingSpec::OWN
        },
        SettingSpec {
            key: "g_length",
            title: "G length",
            meaning: "Number of keys and of values in a general prompt",
            kind: LENGTH,
            ..SettingSpec::OWN
        },
        SettingSpec {
            key: "e_blocks",
            title: "E blocks",
            meaning: "Blocks with an expert prompt for each slot",
            kind: SettingKind::Blocks("2,3,4"),
            ..SettingSpec::OWN
        },
        SettingSpec {
            key: "e_length",
            title: "E length",
            meaning: "Number of keys and of values in an expert prompt",
            kind: LENGTH,
            ..SettingSpec::OWN
        },
        pull_setting(1.0),
        CLIP,
        SettingSpec {
            key: "study",
            title: "prompt study",
            meaning: "After each task, measure how often images select their task's prompts, and \
                      the accuracy with each task's prompts alone; adds one test per task",
            kind: SettingKind::Flag(true),
            ..SettingSpec::OWN
        },
    ],
    rate: Some(Rate { base: 0.03, scaled: true }),
    published: &[
        PublishedValues::for_dataset("cifar-100", 5).with_base_lr(0.03),
        PublishedValues::for_dataset("imagenet-r", 50)
            .with_base_lr(0.005)
            .with_settings(LONG_EXPERT_PROMPTS),
        PublishedValues::for_dataset("domainnet", 50)
            .with_base_lr(0.005)
            .with_settings(LONG_EXPERT_PROMPTS),
    ],
    memory: |chosen, depth| {
        let scheme = DualPrompt::from_method(chosen, depth, (1, 1))?;
        Ok(MemoryEstimate::from_block(scheme.first_block()))
    },
    workload: |chosen, task| {
        // The query takes one pass, and the prompts of each task take one.
        let study = match chosen.flag("study")? {
            true => (task + 2) as f64,
            false => 0.0,
        };
        Ok(Workload { queries: 1.0, study, ..Workload::DEFAULT })
    },
    check: check::<DualPrompt>,
    build: build::<DualPrompt>,
    is_exportable: false,
    ..MethodSpec::DEFAULT
};

const LENGTH: SettingKind = whole_kind(5, 1, 100);
/// The settings with 20 expert tokens, as for ImageNet-R.
const LONG_EXPERT_PROMPTS: &[(&str, Setting)] = &[("e_length", Setting::Whole(20))];

/// DualPrompt's settings.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct DualPrompt {
    /// Slots of E prompts (M).
    pub pool: usize,
    /// Blocks with a G prompt.
    pub g_blocks: Vec<usize>,
    /// Number of keys, and of values, of a G prompt.
    pub g_length: usize,
    /// Blocks with an E prompt.
    pub e_blocks: Vec<usize>,
    /// Number of keys, and of values, of an E prompt.
    pub e_length: usize,
    /// Weight of the pull of a slot's key towards the queries of its task.
    pub pull: f64,
    /// Number of tasks of the run.
    #[serde(default)]
    pub tasks: usize,
    /// Whether the selection of slots is studied.
    #[serde(default)]
    pub study: bool,
}

impl DualPrompt {
    /// Returns whether each task has its own slot.
    fn slot_per_task(&self) -> bool {
        self.tasks <= self.pool
    }

    /// Returns the part of the expert prompts for E block `block` and keys (0) or values (1): one row per slot.
    fn expert_prompts(&self, e: &Tensor<2>, block: usize, part: usize) -> Tensor<2> {
        let width = e.dims()[1];
        let rows = self.pool * self.e_length;
        let first = (2 * block + part) * rows;
        let slots = e.clone().slice([first..first + rows, 0..width]);
        slots.reshape([self.pool, self.e_length * width])
    }
}

impl Scheme for DualPrompt {
    fn from_method(
        chosen: &ConfiguredMethod<'_>,
        depth: usize,
        (planned, tasks): (usize, usize),
    ) -> Result<Self> {
        Ok(Self {
            pool: match chosen.count("pool")? {
                0 => planned.max(tasks),
                pool => pool,
            },
            g_blocks: chosen.blocks("g_blocks", depth)?,
            g_length: chosen.count("g_length")?,
            e_blocks: chosen.blocks("e_blocks", depth)?,
            e_length: chosen.count("e_length")?,
            pull: chosen.real("pull")?,
            tasks,
            study: chosen.flag("study")?,
        })
    }

    fn title(&self) -> &'static str {
        SPEC.title
    }

    fn pool(&self) -> usize {
        self.pool
    }

    fn has_study(&self) -> bool {
        self.study && self.slot_per_task()
    }

    fn first_block(&self) -> usize {
        let blocks = self.g_blocks.iter().chain(&self.e_blocks);
        blocks.min().copied().unwrap_or(0)
    }

    fn check(&self, _width: usize, depth: usize) -> Result<()> {
        check_blocks("g_blocks", &self.g_blocks, depth)?;
        check_blocks("e_blocks", &self.e_blocks, depth)?;
        if let Some(block) = self.g_blocks.iter().find(|b| self.e_blocks.contains(b)) {
            let what = message!("problem-block-with-both-prompts", block = block.to_string());
            return Err(Problem::new(what).advise(message!("advice-separate-g-and-e-blocks")));
        }
        if self.e_blocks.is_empty() || self.pool == 0 || self.e_length == 0 {
            return Err(Problem::new(message!("problem-dualprompt-needs-e-prompts")));
        }
        if !self.g_blocks.is_empty() && self.g_length == 0 {
            return Err(Problem::new(message!("problem-g-prompts-without-length")));
        }
        Ok(())
    }

    fn initial_tensors(&self, width: usize, seed: u64) -> BTreeMap<String, HostTensor> {
        let uniform =
            |rows, stream| random_tensor(Init::Uniform(-1.0, 1.0), [rows, width], seed, stream);
        let e_rows = self.e_blocks.len() * 2 * self.pool * self.e_length;
        let mut start = BTreeMap::from([
            ("e".to_owned(), uniform(e_rows, 1)),
            ("key".to_owned(), uniform(self.pool, 2)),
        ]);
        if !self.g_blocks.is_empty() {
            let g_rows = self.g_blocks.len() * 2 * self.g_length;
            start.insert("g".to_owned(), uniform(g_rows, 0));
        }
        start
    }

    /// Initialises the task's slot with a copy of the previous task's slot.
    fn begin_task(&self, task: usize, leaves: &mut Leaves, _seed: u64) -> Result<()> {
        if task == 0 || !self.slot_per_task() {
            return Ok(());
        }
        let e = get_leaf(leaves, "e")?;
        let [rows, width] = e.dims();
        let parts = 2 * self.e_blocks.len();
        let slots = e.clone().reshape([parts, self.pool, self.e_length * width]);
        let slot = |range| slots.clone().slice_dim(1, range);
        let mut joined = vec![slot(0..task), slot(task - 1..task)];
        if task + 1 < self.pool {
            joined.push(slot(task + 1..self.pool));
        }
        let copied = Tensor::cat(joined, 1).reshape([rows, width]);
        leaves.insert("e".to_owned(), copied);
        Ok(())
    }

    /// Returns the stored tensor, extended by the slots of added tasks if every task has its own slot.
    fn extend_stored(
        &self,
        name: &str,
        stored: &HostTensor,
        initial: &Tensor<2>,
    ) -> Result<HostTensor> {
        let shape = initial.dims();
        // The number of rows of a slot, and the number of places in the tensor that have these rows.
        let (rows, parts) = match name {
            "e" => (self.e_length, 2 * self.e_blocks.len()),
            "key" => (1, 1),
            _ => (0, 0),
        };
        let stored_rows = stored.shape.first().copied().unwrap_or(0);
        let is_smaller = rows > 0
            && (1..shape[0]).contains(&stored_rows)
            && stored_rows.is_multiple_of(rows * parts);
        if stored.shape.get(1) != Some(&shape[1]) || !is_smaller {
            stored.check_shape(name, &shape)?;
            return Ok(stored.clone());
        }
        let mut extended = HostTensor::read(initial)?;
        let (stored_len, extended_len) =
            (stored_rows / parts * shape[1], shape[0] / parts * shape[1]);
        let pairs = stored.values.chunks_exact(stored_len);
        for (old, new) in pairs.zip(extended.values.chunks_exact_mut(extended_len)) {
            new[..stored_len].copy_from_slice(old);
        }
        Ok(extended)
    }

    fn choose(
        &self,
        leaves: &Leaves,
        query: &Tensor<2>,
        task: usize,
        purpose: PromptPurpose,
    ) -> Result<Choice> {
        let batch = query.dims()[0];
        Ok(match purpose {
            PromptPurpose::Training if self.slot_per_task() => vec![vec![task]; batch],
            PromptPurpose::Slot(slot) => vec![vec![slot]; batch],
            _ => top_prompts(&similarity(query, get_leaf(leaves, "key")?), 1)?,
        })
    }

    fn prompts_for(&self, leaves: &Leaves, prompt_query: &PromptQuery) -> Result<PromptRequest> {
        let (query, selection) = (&prompt_query.query, prompt_query.selection()?);
        let [batch, width] = query.dims();
        let similarity = similarity(query, get_leaf(leaves, "key")?);
        let mut prompts = Prompts::default();
        for (index, block) in self.g_blocks.iter().enumerate() {
            let g = get_leaf(leaves, "g")?;
            let prefix = [0, 1].map(|part| {
                let first = (2 * index + part) * self.g_length;
                let rows = g.clone().slice([first..first + self.g_length, 0..width]);
                rows.unsqueeze::<3>()
            });
            prompts.prefixes.insert(*block, prefix);
        }
        let e = get_leaf(leaves, "e")?;
        for (index, block) in self.e_blocks.iter().enumerate() {
            let prefix = [0, 1].map(|part| {
                let prompt = nn::project(selection.clone(), self.expert_prompts(e, index, part));
                prompt.reshape([batch, self.e_length, width])
            });
            prompts.prefixes.insert(*block, prefix);
        }
        Ok(PromptRequest {
            prompts,
            penalty: Some(selected_similarity(similarity, selection) * -self.pull),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::Device;

    #[test]
    fn stored_keys_are_extended_unless_empty() {
        let scheme = DualPrompt {
            pool: 3,
            g_blocks: Vec::new(),
            g_length: 0,
            e_blocks: vec![0],
            e_length: 1,
            pull: 1.0,
            tasks: 3,
            study: false,
        };
        let initial = Tensor::<2>::from_data([[0.5f32; 2]; 3], &Device::flex());
        let stored = HostTensor { shape: vec![1, 2], values: vec![1.0, 2.0] };
        let extended = scheme.extend_stored("key", &stored, &initial).unwrap();
        assert_eq!(extended.values, [1.0, 2.0, 0.5, 0.5, 0.5, 0.5]);
        let empty = HostTensor { shape: vec![0, 2], values: Vec::new() };
        assert!(scheme.extend_stored("key", &empty, &initial).is_err());
    }
}
