//! The fonts that are part of the program (see `assets/fonts`).

/// Inter.
pub static INTER: &[u8] = include_bytes!("../../../assets/fonts/Inter-Regular.ttf");
/// Inter, half bold.
pub static INTER_SEMIBOLD: &[u8] = include_bytes!("../../../assets/fonts/Inter-SemiBold.ttf");
/// A monospaced font.
pub static MONO: &[u8] = include_bytes!("../../../assets/fonts/Mono-Regular.ttf");
/// Signs that the others lack.
pub static SYMBOLS: &[u8] = include_bytes!("../../../assets/fonts/Symbols-Regular.ttf");
