//! The colour of each method: one table for the window, exported figures, reports and lessons. Runs of the same
//! method differ in shade and dash. The colours are also distinguishable for people who lack one kind of cone (a test
//! measures this).

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// The marker at the points of a line; each method has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// ■
    Square,
    /// ●
    Circle,
    /// ▲
    Up,
    /// ▼
    Down,
    /// ◀
    Left,
    /// ▶
    Right,
    /// ◆
    Diamond,
    /// ✱
    Asterisk,
}

impl Marker {
    /// Returns the marker as a character.
    pub fn symbol(self) -> char {
        match self {
            Self::Square => '■',
            Self::Circle => '●',
            Self::Up => '▲',
            Self::Down => '▼',
            Self::Left => '◀',
            Self::Right => '▶',
            Self::Diamond => '◆',
            Self::Asterisk => '✱',
        }
    }
}

/// The dash pattern of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dash {
    /// Solid.
    Solid,
    /// Dashed.
    Dashed,
    /// Dotted.
    Dotted,
    /// Short dashes.
    ShortDashed,
}

/// A method's row: its key, its colours on dark and on light background, its marker.
type Row = (&'static str, Rgb, Rgb, Marker);

const fn rgb(hex: u32) -> Rgb {
    [(hex >> 16) as u8, (hex >> 8) as u8, hex as u8]
}

const fn row(key: &'static str, dark: u32, light: u32, marker: Marker) -> Row {
    (key, rgb(dark), rgb(light), marker)
}

/// All methods. Some markers are used by two methods with very different colours.
const METHODS: [Row; 14] = [
    row("lae", 0x2F_BF_8F, 0x00_7A_5A, Marker::Square),
    row("baseline", 0xE0_66_2A, 0xC8_46_00, Marker::Circle),
    row("seq-ft", 0x61_71_A9, 0x2B_34_BD, Marker::Down),
    row("joint-ft", 0xD8_D9_D9, 0x93_95_99, Marker::Asterisk),
    row("l2p", 0xB2_D8_FE, 0x08_4E_99, Marker::Up),
    row("dualprompt", 0x86_4E_FA, 0x3E_12_F6, Marker::Left),
    row("coda-prompt", 0x90_69_7A, 0x6C_3A_62, Marker::Right),
    row("simplecil", 0xEB_DC_85, 0x97_93_4F, Marker::Diamond),
    row("aper", 0xB7_E0_11, 0x54_62_2F, Marker::Asterisk),
    row("ranpac", 0x61_AD_B9, 0x03_85_A2, Marker::Up),
    row("ease", 0xC4_4F_4E, 0x92_07_0A, Marker::Down),
    row("esn", 0xD8_7A_F3, 0xD8_63_F0, Marker::Diamond),
    row("ewc", 0xC6_A1_62, 0x38_37_2F, Marker::Left),
    row("icarl", 0x8D_EF_AF, 0x65_57_FD, Marker::Right),
];

/// The row for everything else: several methods together, or a method of another version.
const OTHER_METHODS: Row = row("", 0x8B_93_A1, 0x6B_73_80, Marker::Circle);

/// Shades of a method: the distance from its colour towards white (on dark background) or black (on light
/// background); negative values go the other way.
const SHADES: [f32; 4] = [0.0, 0.45, -0.35, 0.75];
/// Dash patterns of a method's runs, in order.
const DASHES: [Dash; 4] = [Dash::Solid, Dash::Dashed, Dash::Dotted, Dash::ShortDashed];

/// The style of a run: the colour of its method, and the shade and dash of its number among the method's runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunStyle {
    /// Index of the method in the table; the number of methods if it is unknown.
    method: usize,
    /// Index of the run among the method's runs, from 0.
    nth: usize,
}

impl RunStyle {
    /// Number of distinguishable shades; a method's further runs begin again with the first one.
    pub const COUNT: usize = SHADES.len();

    /// Returns the style of a method's first run.
    pub fn for_method(method: &str) -> Self {
        let position = METHODS.iter().position(|(key, ..)| *key == method);
        let method = position.unwrap_or(METHODS.len());
        Self { method, nth: 0 }
    }

    /// Returns all shades of all methods, and of unknown ones.
    pub fn all() -> impl Iterator<Item = Self> {
        let shades = |method| (0..Self::COUNT).map(move |nth| Self { method, nth });
        (0..=METHODS.len()).flat_map(shades)
    }

    /// Returns the styles of several runs with these methods.
    pub fn for_runs<'a>(methods: impl IntoIterator<Item = &'a str>) -> Vec<Self> {
        let mut used = Vec::new();
        for method in methods {
            let style = Self::first_free(method, &used);
            used.push(style);
        }
        used
    }

    /// Returns the first style of a method that is not taken.
    pub fn first_free(method: &str, used: &[Self]) -> Self {
        let first = Self::for_method(method);
        let with_nth = |nth| Self { nth, ..first };
        let mut candidates = (0..=used.len()).map(with_nth);
        candidates.find(|shade| !used.contains(shade)).unwrap_or(first)
    }

    fn row(self) -> &'static Row {
        METHODS.get(self.method).unwrap_or(&OTHER_METHODS)
    }

    /// Returns the colour on dark background.
    pub fn on_dark(self) -> Rgb {
        apply_shade(self.row().1, self.nth, 255.0)
    }

    /// Returns the colour on light background.
    pub fn on_light(self) -> Rgb {
        apply_shade(self.row().2, self.nth, 0.0)
    }

    /// Returns the marker.
    pub fn marker(self) -> Marker {
        self.row().3
    }

    /// Returns the dash pattern.
    pub fn dash(self) -> Dash {
        DASHES[self.nth % DASHES.len()]
    }

    /// Returns a name for stylesheets: `m0-0`, `m1-2`.
    pub fn name(self) -> String {
        format!("m{}-{}", self.method, self.nth % SHADES.len())
    }
}

/// Moves a colour towards `target` (or away from it) to get the shade number `nth`.
fn apply_shade(colour: Rgb, nth: usize, target: f32) -> Rgb {
    let share = SHADES[nth % SHADES.len()];
    let to = if share < 0.0 { 255.0 - target } else { target };
    colour.map(|channel| {
        let channel = f32::from(channel);
        (channel + (to - channel) * share.abs()).round() as u8
    })
}

/// Returns a colour in hexadecimal notation, as stylesheets use it.
pub fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_same_method_differ_in_style() {
        let all = RunStyle::for_runs(["lae", "baseline", "lae", "lae", "unheard of"]);
        assert_eq!(all[0], RunStyle::for_method("lae"));
        assert_eq!(all[1], RunStyle::for_method("baseline"));
        assert_eq!(all[0].marker(), all[2].marker());
        for (a, b) in [(0, 2), (0, 3), (2, 3)] {
            assert_ne!(all[a].on_dark(), all[b].on_dark());
            assert_ne!(all[a].on_light(), all[b].on_light());
            assert_ne!(all[a].dash(), all[b].dash());
        }
        assert_eq!(all[4].marker(), Marker::Circle);
    }

    #[test]
    fn reuses_released_shade_first() {
        let all = RunStyle::for_runs(["lae", "lae", "lae"]);
        assert_eq!(RunStyle::first_free("lae", &[all[0], all[2]]), all[1]);
        assert_eq!(RunStyle::first_free("lae", &[]), RunStyle::for_method("lae"));
    }
}
