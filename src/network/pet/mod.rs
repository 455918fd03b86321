//! Parameter-efficient tuning modules (PETs). A PET is defined by a text file with named rank-2 parameters and
//! equations. This module parses such files (`spec`), evaluates the equations (`equation`), finds the files
//! (`library`), and stores the tensors of one expert (`PetStack`), which act in a backbone through `Hooks`.

mod assignments;
mod budget;
pub mod diagnosis;
mod dropout;
pub mod equation;
mod errors;
mod export_view;
mod folding;
pub mod functions;
pub mod gradients;
pub mod highlight;
mod hooks;
mod init;
mod layout;
pub mod library;
pub mod low_rank;
pub mod notes;
mod numbers;
mod operand;
mod parse;
mod parse_numbers;
mod rng_streams;
pub mod shape;
mod site;
pub mod source;
pub mod spec;
mod stack;
mod state_dict;
mod trial;
pub mod value;
mod variants;
pub mod view;

pub use budget::with_plugin_limits;
pub use dropout::{BatchRows, DropoutSeed};
pub use export_view::{BlockParameter, BlockPet, SitePet};
pub use hooks::Hooks;
pub use init::{INITS, Init, standard_normal};
pub use library::{PluginLibrary, is_sized};
pub use numbers::ConstantSpec;
pub use rng_streams::StreamScheme;
pub use site::{BLOCK_SYMBOLS, BlockKind, BlockShape, Site};
pub use spec::{PetSettings, PetSpec};
pub use stack::PetStack;
