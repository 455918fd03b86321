//! Logits and selections of images for each slot of prompts.

use burn::tensor::Tensor;

use super::super::answers::{self, argmax};
use super::prompted::{FirstPass, Prompted};
use super::{Occasion, PromptRequest};
use crate::metrics::SlotView;
use crate::problem::Result;

impl Prompted {
    /// Returns logits (batch × all classes so far) and the prompts for this purpose.
    ///
    /// # Errors
    /// Returns a Problem if the device failed.
    pub fn logits_on(
        &self,
        first: FirstPass,
        occasion: Occasion,
    ) -> Result<(PromptRequest, Tensor<2>)> {
        let (asked, features) = self.second_pass(first, self.leaves(), occasion)?;
        Ok((asked, self.heads().forward(&features)))
    }

    /// Returns for each normalised image the slot that it selects, and its predicted class with the prompts of every
    /// task so far.
    ///
    /// Returns a Problem if the device failed.
    pub fn slots(&self, images: Tensor<4>) -> Result<Vec<SlotView>> {
        let first = self.first_pass(images, None)?;
        let asked = self.request_prompts(&first.query, self.leaves(), Occasion::Answering)?;
        let chosen = asked.choice.iter().map(|slots| slots.first().copied());
        let mut views: Vec<SlotView> = chosen
            .map(|slot| SlotView {
                chosen: slot.unwrap_or_default(),
                classes: Vec::new(),
            })
            .collect();
        for slot in 0..self.heads().0.len() {
            let (_, logits) = self.logits_on(first.clone(), Occasion::Given(slot))?;
            for (view, row) in views.iter_mut().zip(answers::rows(&logits)?) {
                view.classes.push(argmax(&row));
            }
        }
        Ok(views)
    }
}
