//! Basic modules for all parts of LAE Studio; they know neither tensors nor runs.
//!
//! * [`problem`], [`texts`], [`counts`], [`names`], [`palette`], [`sync`]: the only error that users see; messages in
//!   each language; counts; which name was meant; a colour per method; locks.
//! * [`files`], [`folders`], [`fetch`], [`memory`], [`console`]: files, downloads, the system.
//! * [`expression`], [`metrics`]: the language of equations and formulas; accuracy and forgetting.

pub mod console;
pub mod counts;
pub mod expression;
pub mod fetch;
pub mod files;
pub mod folders;
pub mod memory;
pub mod metrics;
pub mod names;
pub mod palette;
pub mod problem;
pub mod sync;
pub mod texts;
