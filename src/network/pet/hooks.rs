//! What acts inside a backbone while its blocks run: PETs at named sites, prompts among the tokens,
//! prefixes before the keys and values. Backbones take the trait and know nobody who implements it.

use burn::tensor::Tensor;

use super::site::Site;
use crate::message;
use crate::nn::Linear;
use crate::problem::{Problem, Result};

/// What acts inside a backbone. Blocks count from 0 over all stages.
pub trait Hooks {
    /// The first block where anything acts, tokens that enter before block 0 included: everything
    /// before it is that of the plain backbone.
    fn first_block(&self) -> Option<usize>;

    /// Whether anything acts in this block, at a site or as a prefix.
    fn acts_in(&self, block: usize) -> bool;

    /// Whether anything acts at this site of this block.
    fn uses(&self, _block: usize, _site: Site) -> bool {
        false
    }

    /// Whether anything acts at any of these sites of this block.
    fn uses_any(&self, block: usize, sites: &[Site]) -> bool {
        sites.iter().any(|site| self.uses(block, *site))
    }

    /// The tokens that enter this block (batch × tokens × channels), others among them before the patches: they pass
    /// through all blocks that follow, unless they leave at `tokens`.
    ///
    /// # Errors
    /// Where shapes do not fit.
    fn input(&self, _block: usize, tokens: Tensor<3>) -> Result<Tensor<3>> {
        Ok(tokens)
    }

    /// What a site makes of its input `e` and output `h` (batch × tokens × channels), in the shape
    /// of `h` (at `tokens` perhaps with as many tokens as `e`); `h` itself where nothing acts.
    ///
    /// # Errors
    /// Where shapes do not fit.
    fn around(
        &self,
        _block: usize,
        _site: Site,
        _e: &Tensor<3>,
        h: Tensor<3>,
    ) -> Result<Tensor<3>> {
        Ok(h)
    }

    /// The same at a linear layer, with its frozen weight (in × out, without layer scale taken
    /// apart) for hooks that read it.
    ///
    /// # Errors
    /// Where shapes do not fit.
    fn around_linear(
        &self,
        (block, site): (usize, Site),
        e: &Tensor<3>,
        h: Tensor<3>,
        _weight: &dyn Fn() -> Tensor<2>,
    ) -> Result<Tensor<3>> {
        self.around(block, site, e, h)
    }

    /// The linear layer that takes the place of this one, whose outputs are at these sites, side by side: what acts
    /// there may be part of it, and then does not act besides.
    ///
    /// # Errors
    /// Where shapes do not fit.
    fn layer<'a>(&'a self, _block: usize, _sites: &[Site], own: &'a Linear) -> Result<&'a Linear> {
        Ok(own)
    }

    /// The attention's result (batch × heads × tokens × head width), in the shape of `q`. Asked
    /// only where `attend` is in use.
    ///
    /// # Errors
    /// Where shapes do not fit.
    fn attend(
        &self,
        block: usize,
        _q: Tensor<4>,
        _k: Tensor<4>,
        _v: Tensor<4>,
    ) -> Result<Tensor<4>> {
        Err(Problem::new(message!(
            "problem-block-attention-missing",
            block = block.to_string()
        )))
    }

    /// Tokens (1 or batch × any number × channels) that enter between the class token and the
    /// patches before block 0, as they are: the position embedding has been added to the others.
    fn entering(&self) -> Option<Tensor<3>> {
        None
    }

    /// Keys and values (1 or batch × any number × channels each) put in front of the projected
    /// ones of this block. Queries and the number of tokens stay the same.
    fn prefix(&self, _block: usize) -> Option<[Tensor<3>; 2]> {
        None
    }

    /// Whether all tokens are read after the last block, not those alone that the feature is made
    /// of.
    fn reads_tokens(&self) -> bool {
        false
    }
}
