//! The form settings are read in: today's keys, and LAE's own settings at the top level, where older
//! versions wrote them.

use serde::Deserialize;

use crate::data::Mend;
use crate::nn::Variant;

use super::setting::{finite, finite_or_none, finite_pair};
use super::{Precision, RunConfig, Setting, Settings};

/// All keys a `run.toml` may have.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Written {
    data: String,
    backbone: String,
    precision: Precision,
    pet: String,
    pet_size: usize,
    pet_variant: Option<String>,
    blocks: String,
    method: String,
    classes_per_task: String,
    order: String,
    epochs: usize,
    #[serde(deserialize_with = "finite")]
    base_lr: f64,
    batch: usize,
    micro_batch: Option<usize>,
    #[serde(deserialize_with = "finite_pair")]
    crop_scale: [f32; 2],
    flip: bool,
    train_limit: Option<usize>,
    test_limit: Option<usize>,
    #[serde(deserialize_with = "finite")]
    test_share: f64,
    #[serde(deserialize_with = "finite")]
    validation_share: f64,
    split_seed: u64,
    copies_together: bool,
    near_copies_together: bool,
    seed: u64,
    device: String,
    card_variant: Option<Variant>,
    cache_mb: usize,
    settings: Settings,
    mended: Vec<Mend>,
    learning: Option<bool>,
    accumulation: Option<bool>,
    ensemble: Option<bool>,
    freeze_epochs: Option<i64>,
    #[serde(deserialize_with = "finite_or_none")]
    ema: Option<f64>,
}

impl Default for Written {
    fn default() -> Self {
        let RunConfig {
            data,
            backbone,
            precision,
            pet,
            pet_size,
            pet_variant,
            blocks,
            method,
            classes_per_task,
            order,
            epochs,
            base_lr,
            batch,
            micro_batch,
            crop_scale,
            flip,
            train_limit,
            test_limit,
            test_share,
            validation_share,
            split_seed,
            copies_together: _,
            near_copies_together: _,
            seed,
            device,
            card_variant,
            cache_mb,
            settings,
            mended,
        } = RunConfig::default();
        Self {
            data,
            backbone,
            precision,
            pet,
            pet_size,
            pet_variant,
            blocks,
            method,
            classes_per_task,
            order,
            epochs,
            base_lr,
            batch,
            micro_batch,
            crop_scale,
            flip,
            train_limit,
            test_limit,
            test_share,
            validation_share,
            split_seed,
            // Files without the key are of a version that drew every image by itself.
            copies_together: false,
            near_copies_together: false,
            seed,
            device,
            card_variant,
            cache_mb,
            settings,
            mended,
            learning: None,
            accumulation: None,
            ensemble: None,
            freeze_epochs: None,
            ema: None,
        }
    }
}

impl From<Written> for RunConfig {
    fn from(written: Written) -> Self {
        let flag = |value: Option<bool>| value.map(Setting::Flag);
        let old = [
            ("learning", flag(written.learning)),
            ("accumulation", flag(written.accumulation)),
            ("ensemble", flag(written.ensemble)),
            ("freeze_epochs", written.freeze_epochs.map(Setting::Whole)),
            ("ema", written.ema.map(Setting::Real)),
        ];
        let mut settings = written.settings;
        // They meant nothing to the Baseline, but stood in its files too.
        for (key, value) in old.into_iter().filter(|_| written.method == "lae") {
            if let Some(value) = value {
                settings.entry(key.to_string()).or_insert(value);
            }
        }
        Self {
            data: written.data,
            backbone: written.backbone,
            precision: written.precision,
            pet: written.pet,
            pet_size: written.pet_size,
            pet_variant: written.pet_variant,
            blocks: written.blocks,
            method: written.method,
            classes_per_task: written.classes_per_task,
            order: written.order,
            epochs: written.epochs,
            base_lr: written.base_lr,
            batch: written.batch,
            micro_batch: written.micro_batch,
            crop_scale: written.crop_scale,
            flip: written.flip,
            train_limit: written.train_limit,
            test_limit: written.test_limit,
            test_share: written.test_share,
            validation_share: written.validation_share,
            split_seed: written.split_seed,
            copies_together: written.copies_together,
            near_copies_together: written.near_copies_together,
            seed: written.seed,
            device: written.device,
            card_variant: written.card_variant,
            cache_mb: written.cache_mb,
            settings,
            mended: written.mended,
        }
    }
}
