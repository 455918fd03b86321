//! A PET stack as other programs need it: the parameters of each block, and for each site in use the equation with
//! the bindings of its variables.

use burn::tensor::Tensor;

use super::equation::{Binding, Program};
use super::site::Site;
use super::stack::{PetStack, reads_weight};

/// The PET of one block.
pub struct BlockPet<'a> {
    /// The index of the block, from 0.
    pub block: usize,
    /// Its parameters; [`Binding::Parameter`] is an index into this list.
    pub parameters: Vec<BlockParameter<'a>>,
    /// The sites with an equation.
    pub sites: Vec<SitePet<'a>>,
}

/// A parameter of a block.
pub struct BlockParameter<'a> {
    /// The name in the plugin.
    pub name: &'a str,
    /// The name in the stack, such as "3.down".
    pub key: &'a str,
    /// The site, for a parameter with one copy per site.
    pub site: Option<Site>,
    /// The values.
    pub tensor: &'a Tensor<2>,
}

/// The equation at a site.
pub struct SitePet<'a> {
    /// The site.
    pub site: Site,
    /// The equation.
    pub program: &'a Program,
    /// The values of its variables, in the order of [`Program::variables`].
    pub bindings: &'a [Binding],
}

impl SitePet<'_> {
    /// Returns whether the equation reads the frozen weight of the linear layer at this site.
    pub fn reads_weight(&self) -> bool {
        reads_weight(self.site, self.bindings)
    }
}

impl PetStack {
    /// Returns the blocks with a PET, in order; empty for the plain backbone.
    pub fn exported_blocks(&self) -> Vec<BlockPet<'_>> {
        let Some(plan) = &self.plan else {
            return Vec::new();
        };
        let blocks = plan.layout.blocks.iter().filter_map(|(block, layout)| {
            let tensors = self.tensors.get(block)?;
            let parameters = layout.slots.iter().zip(tensors);
            let parameters = parameters.map(|(slot, tensor)| BlockParameter {
                name: &plan.spec.parameters[slot.parameter].name,
                key: &slot.name,
                site: slot.site,
                tensor,
            });
            let sites = layout.bindings.iter().filter_map(|(site, bindings)| {
                Some(SitePet {
                    site: *site,
                    program: plan.variant().equations.get(site)?,
                    bindings,
                })
            });
            Some(BlockPet {
                block: *block,
                parameters: parameters.collect(),
                sites: sites.collect(),
            })
        });
        blocks.collect()
    }
}
