//! The colour of a run in charts.

use super::RunView;
use crate::palette::Shade;

impl RunView {
    /// Returns the colour of the run's method.
    pub fn shade(&self) -> Shade {
        let header = self.header.as_ref();
        Shade::of(header.map_or("", |header| &header.config.method))
    }

    /// Returns the colour of the run's method if the method has one expert; `None` if it has several.
    pub fn shade_alone(&self) -> Option<Shade> {
        let experts = &self.header.as_ref()?.method.experts;
        (experts.len() == 1).then(|| self.shade())
    }
}
