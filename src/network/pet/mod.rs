//! Parameter-efficient tuning modules (PETs). A PET is defined by a text file with named rank-2 parameters and
//! equations. This module parses such files (`spec`), evaluates the equations (`equation`), finds the files
//! (`library`), and stores the tensors of one expert (`PetStack`), which act in a backbone through `Hooks`.

mod budget;
mod choose;
mod drawing;
mod dropout;
pub mod equation;
mod findings;
mod folding;
mod forms;
pub mod functions;
pub mod gradients;
mod handed;
mod hooks;
mod init;
mod layout;
pub mod library;
pub mod low_rank;
pub mod marks;
pub mod notes;
mod numbers;
mod operand;
mod parse;
mod read_numbers;
pub mod reading;
pub mod shape;
mod site;
pub mod source;
pub mod spec;
mod stack;
mod stored;
mod trial;
pub mod value;
pub mod view;
mod written;

pub use budget::within_bounds;
pub use drawing::Drawing;
pub use dropout::{DropoutSeed, Rows};
pub use hooks::Hooks;
pub use init::{INITS, Init, standard_normal};
pub use library::{PluginLibrary, is_sized};
pub use numbers::ConstantSpec;
pub use site::{BLOCK_SYMBOLS, BlockKind, BlockShape, Site};
pub use spec::{PetSettings, PetSpec};
pub use stack::PetStack;
pub use written::{BlockParameter, BlockPet, SitePet};
