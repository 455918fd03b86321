//! The interface through which PETs, prompts and prefixes change a backbone's computation. Backbones depend only on
//! this trait, not on its implementations.

use burn::tensor::Tensor;

use super::site::Site;
use crate::message;
use crate::nn::Linear;
use crate::problem::{Problem, Result};

/// Changes the computation inside a backbone. Blocks are numbered from 0 across all stages.
pub trait Hooks {
    /// Returns the first block that the hooks change; 0 if tokens are inserted before block 0. Earlier blocks compute
    /// the same as in the plain backbone.
    fn first_block(&self) -> Option<usize>;

    /// Returns whether the hooks change this block, at a site or by a prefix.
    fn acts_in(&self, block: usize) -> bool;

    /// Returns whether the hooks change this site of this block.
    fn uses(&self, _block: usize, _site: Site) -> bool {
        false
    }

    /// Returns whether the hooks change any of these sites of this block.
    fn uses_any(&self, block: usize, sites: &[Site]) -> bool {
        sites.iter().any(|site| self.uses(block, *site))
    }

    /// Returns the tokens that enter this block (batch × tokens × channels), with additional tokens before the patches:
    /// they pass through all following blocks, unless they are removed at `tokens`.
    ///
    /// # Errors
    /// Returns a Problem if shapes do not fit.
    fn input(&self, _block: usize, tokens: Tensor<3>) -> Result<Tensor<3>> {
        Ok(tokens)
    }

    /// Returns the new output of a site for its input `e` and output `h` (batch × tokens × channels), in the shape of
    /// `h` (at `tokens` possibly with the number of tokens of `e`); `h` itself if the hooks do not use the site.
    ///
    /// # Errors
    /// Returns a Problem if shapes do not fit.
    fn apply(&self, _block: usize, _site: Site, _e: &Tensor<3>, h: Tensor<3>) -> Result<Tensor<3>> {
        Ok(h)
    }

    /// Like [`Hooks::apply`], at a linear layer. `weight` returns its frozen weight (in × out, with the layer scale)
    /// for hooks that read it.
    ///
    /// # Errors
    /// Returns a Problem if shapes do not fit.
    fn apply_linear(
        &self,
        (block, site): (usize, Site),
        e: &Tensor<3>,
        h: Tensor<3>,
        _weight: &dyn Fn() -> Tensor<2>,
    ) -> Result<Tensor<3>> {
        self.apply(block, site, e, h)
    }

    /// Returns the linear layer to use in place of `frozen_layer`, whose outputs at these sites are side by side. If it
    /// already includes the equations of these sites, they are not applied again.
    ///
    /// # Errors
    /// Returns a Problem if shapes do not fit.
    fn layer<'a>(
        &'a self,
        _block: usize,
        _sites: &[Site],
        frozen_layer: &'a Linear,
    ) -> Result<&'a Linear> {
        Ok(frozen_layer)
    }

    /// Returns the result of the attention (batch × heads × tokens × head width), in the shape of `q`. Called only if
    /// `attend` is used.
    ///
    /// # Errors
    /// Returns a Problem if shapes do not fit.
    fn attend(
        &self,
        block: usize,
        _q: Tensor<4>,
        _k: Tensor<4>,
        _v: Tensor<4>,
    ) -> Result<Tensor<4>> {
        Err(Problem::new(message!("problem-block-attention-missing", block = block.to_string())))
    }

    /// Returns tokens (1 or batch × any number × channels) that are inserted between the class token and the patches
    /// before block 0, without a position embedding.
    fn prompt_tokens(&self) -> Option<Tensor<3>> {
        None
    }

    /// Returns keys and values (1 or batch × any number × channels each) that are concatenated before the projected
    /// ones of this block. Queries and the number of tokens stay the same.
    fn prefix(&self, _block: usize) -> Option<[Tensor<3>; 2]> {
        None
    }

    /// Returns whether the hooks read all tokens after the last block, not only those that the feature is computed
    /// from.
    fn reads_tokens(&self) -> bool {
        false
    }
}
