//! A PET stack as it is written down for other programs: the parameters of each block, and for each
//! site in use the equation with what its names stand for.

use burn::tensor::Tensor;

use super::equation::{Binding, Program};
use super::site::Site;
use super::stack::{PetStack, reads_weight};

/// The PET of one block.
pub struct BlockPet<'a> {
    /// Which block, from 0.
    pub block: usize,
    /// Its parameters; [`Binding::Parameter`] counts them.
    pub parameters: Vec<BlockParameter<'a>>,
    /// The sites where it acts.
    pub sites: Vec<SitePet<'a>>,
}

/// A parameter of a block.
pub struct BlockParameter<'a> {
    /// Its name in the plugin.
    pub name: &'a str,
    /// Its name in the stack.
    pub key: &'a str,
    /// The site whose copy it is, where each site has one.
    pub site: Option<Site>,
    /// Its values.
    pub tensor: &'a Tensor<2>,
}

/// What acts at a site.
pub struct SitePet<'a> {
    /// Where.
    pub site: Site,
    /// The equation.
    pub program: &'a Program,
    /// What its variables are, in their order.
    pub bindings: &'a [Binding],
}

impl SitePet<'_> {
    /// Whether the equation reads the frozen weight of the linear layer at this site.
    pub fn reads_weight(&self) -> bool {
        reads_weight(self.site, self.bindings)
    }
}

impl PetStack {
    /// The blocks with a PET, in order; empty for the plain backbone.
    pub fn written(&self) -> Vec<BlockPet<'_>> {
        let Some(plan) = &self.plan else {
            return Vec::new();
        };
        let form = plan.spec.variants.get(plan.layout.variant);
        let blocks = plan.layout.blocks.iter().filter_map(|(block, layout)| {
            let tensors = self.tensors.get(block)?;
            let parameters = layout.slots.iter().zip(tensors);
            let parameters = parameters.filter_map(|(slot, tensor)| {
                Some(BlockParameter {
                    name: &plan.spec.parameters.get(slot.parameter)?.name,
                    key: &slot.name,
                    site: slot.site,
                    tensor,
                })
            });
            let sites = layout.bindings.iter().filter_map(|(site, bindings)| {
                Some(SitePet {
                    site: *site,
                    program: form?.equations.get(site)?,
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
