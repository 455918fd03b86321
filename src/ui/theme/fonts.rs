//! The fonts of the window, which are part of the program.

use std::sync::Arc;

use egui::{FontData, FontDefinitions, FontFamily};

/// Inter in two weights and a monospaced one, each with the symbols behind it.
pub(super) fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::default();
    let mut add = |name: &str, bytes: &'static [u8]| {
        let data = Arc::new(FontData::from_static(bytes));
        fonts.font_data.insert(name.into(), data);
    };
    add(
        "inter",
        include_bytes!("../../../assets/fonts/Inter-Regular.ttf"),
    );
    add(
        "inter-semibold",
        include_bytes!("../../../assets/fonts/Inter-SemiBold.ttf"),
    );
    add(
        "mono",
        include_bytes!("../../../assets/fonts/Mono-Regular.ttf"),
    );
    add(
        "symbols",
        include_bytes!("../../../assets/fonts/Symbols-Regular.ttf"),
    );
    let fallback = fonts
        .families
        .get(&FontFamily::Proportional)
        .cloned()
        .unwrap_or_default();
    let mut family = |family: FontFamily, first: &str| {
        let mut chain = vec![first.to_string(), "symbols".to_string()];
        chain.extend(fallback.iter().cloned());
        fonts.families.insert(family, chain);
    };
    family(FontFamily::Proportional, "inter");
    family(FontFamily::Name("semibold".into()), "inter-semibold");
    family(FontFamily::Monospace, "mono");
    fonts
}
