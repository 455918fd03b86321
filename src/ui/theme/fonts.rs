//! The fonts of the window, which are embedded in the program.

use std::sync::Arc;

use egui::{FontData, FontDefinitions, FontFamily};

use crate::texts::fonts;

/// Returns Inter in two weights and a monospaced font. Each uses the font of symbols as a fallback.
pub(super) fn fonts() -> FontDefinitions {
    let mut all = FontDefinitions::default();
    let mut add = |name: &str, bytes: &'static [u8]| {
        let data = Arc::new(FontData::from_static(bytes));
        all.font_data.insert(name.into(), data);
    };
    add("inter", fonts::INTER);
    add("inter-semibold", fonts::INTER_SEMIBOLD);
    add("mono", fonts::MONO);
    add("symbols", fonts::SYMBOLS);
    let fallback = all
        .families
        .get(&FontFamily::Proportional)
        .cloned()
        .unwrap_or_default();
    let mut family = |family: FontFamily, first: &str| {
        let mut chain = vec![first.to_string(), "symbols".to_string()];
        chain.extend(fallback.iter().cloned());
        all.families.insert(family, chain);
    };
    family(FontFamily::Proportional, "inter");
    family(FontFamily::Name("semibold".into()), "inter-semibold");
    family(FontFamily::Monospace, "mono");
    all
}
