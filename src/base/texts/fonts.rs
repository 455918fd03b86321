//! The fonts that are included in the program (see `assets/fonts`).

/// Inter Regular.
pub static INTER: &[u8] = include_bytes!("../../../assets/fonts/Inter-Regular.ttf");
/// Inter SemiBold.
pub static INTER_SEMIBOLD: &[u8] = include_bytes!("../../../assets/fonts/Inter-SemiBold.ttf");
/// A monospaced font.
pub static MONO: &[u8] = include_bytes!("../../../assets/fonts/Mono-Regular.ttf");
/// Symbols that the other fonts lack.
pub static SYMBOLS: &[u8] = include_bytes!("../../../assets/fonts/Symbols-Regular.ttf");
