//! The colour of a run in charts.

use super::RunView;
use crate::palette::Shade;

impl RunView {
    /// Returns the colour of its method.
    pub fn shade(&self) -> Shade {
        let header = self.header.as_ref();
        Shade::of(header.map_or("", |header| &header.config.method))
    }

    /// Returns the same if its method has one expert, which is drawn in the method's colour.
    pub fn shade_alone(&self) -> Option<Shade> {
        let experts = &self.header.as_ref()?.method.experts;
        (experts.len() == 1).then(|| self.shade())
    }
}
