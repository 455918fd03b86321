//! RanPAC (McDonnell et al., NeurIPS 2023): a random projection of frozen features and a ridge
//! regression on it, in closed form after every task.

pub mod projection;
pub mod regression;
pub mod ridge;
pub mod square;
