//! How a run is drawn among others.

use super::RunView;
use crate::palette::Shade;

impl RunView {
    /// The colour of its method.
    pub fn shade(&self) -> Shade {
        let header = self.header.as_ref();
        Shade::of(header.map_or("", |header| &header.config.method))
    }

    /// The same where its method has one expert, which then is drawn as the method is.
    pub fn shade_alone(&self) -> Option<Shade> {
        let experts = &self.header.as_ref()?.method.experts;
        (experts.len() == 1).then(|| self.shade())
    }
}
