//! Colours, fonts and spacing. Only this file contains colours; all other code uses tokens.

use std::sync::Arc;

use egui::ecolor::HsvaGamma;
use egui::epaint::Shadow;
use egui::style::ScrollAnimation;
use egui::{
    Color32, Context, CornerRadius, FontData, FontDefinitions, FontFamily, FontId, Margin, Stroke,
    Style, TextStyle, Theme, Ui, Vec2, Visuals,
};

use crate::metrics::Expert;
use crate::palette::RunStyle;
use crate::texts::fonts;

/// Space between cards.
pub const GAP: f32 = 12.0;
/// Height of buttons and inputs.
pub const CONTROL_HEIGHT: f32 = 30.0;
/// Corner radius of cards.
pub const CARD_RADIUS: u8 = 8;
/// Corner radius of controls.
pub const RADIUS: u8 = 6;
/// Height of the top bar.
pub const TOP_BAR_HEIGHT: f32 = 44.0;
/// Page width below which the right column is below the left one.
pub const NARROW_WIDTH: f32 = 1060.0;

/// The colours of a theme, named by their use.
#[derive(Clone, Copy, Debug)]
pub struct Tokens {
    /// The background behind cards, of progress bars and of code.
    pub background: Color32,
    /// The background of the top bar.
    pub panel: Color32,
    /// The background of cards.
    pub card: Color32,
    /// Borders and grid lines.
    pub line: Color32,
    /// The background of a selected segment or a hovered row.
    pub raised: Color32,
    /// Text of values and titles.
    pub strong: Color32,
    /// Text of sentences.
    pub text: Color32,
    /// Text of labels.
    pub subdued: Color32,
    /// The main button, progress and links.
    pub accent: Color32,
    /// Text on the accent colour.
    pub on_accent: Color32,
    /// Success.
    pub good: Color32,
    /// Warning.
    pub warning: Color32,
    /// Error.
    pub bad: Color32,
    /// The experts: online, offline, ensemble.
    pub experts: [Color32; 3],
    /// Classes by position, if there are few classes.
    pub classes: [Color32; 8],
    /// Whether the background is dark.
    pub is_dark: bool,
    /// The colours of heat maps, from low to high.
    pub heat: [Color32; 5],
    /// Text on light cells.
    pub dark_ink: Color32,
    /// Text on dark cells.
    pub light_ink: Color32,
    /// The background of a drawing with light strokes.
    pub canvas_dark: Color32,
    /// The background of a drawing with dark strokes.
    pub canvas_light: Color32,
    /// The overlay on the window while something is dragged over it.
    pub drop_overlay: Color32,
}

const fn rgb(hex: u32) -> Color32 {
    Color32::from_rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

const DARK: Tokens = Tokens {
    background: rgb(0x14_16_1A),
    panel: rgb(0x1B_1E_24),
    card: rgb(0x22_26_2E),
    line: rgb(0x2E_33_3D),
    raised: rgb(0x31_38_45),
    strong: rgb(0xF3_F5_F8),
    text: rgb(0xC9_CE_D8),
    subdued: rgb(0x8B_93_A1),
    accent: rgb(0x7A_A2_F7),
    on_accent: rgb(0x14_16_1A),
    good: rgb(0x4C_C3_A0),
    warning: rgb(0xF0_B4_29),
    bad: rgb(0xE8_5A_70),
    experts: [rgb(0x56_B4_E9), rgb(0xE6_9F_00), rgb(0x2F_BF_8F)],
    is_dark: true,
    classes: [
        rgb(0x2F_BF_8F),
        rgb(0xE6_9F_00),
        rgb(0x56_B4_E9),
        rgb(0xCC_79_A7),
        rgb(0xF0_E4_42),
        rgb(0xD5_6E_3A),
        rgb(0x9A_8C_F0),
        rgb(0xB8_BE_C9),
    ],
    heat: [rgb(0x1B_22_33), rgb(0x22_40_6B), rgb(0x2E_6A_A0), rgb(0x4B_A3_C7), rgb(0xA6_E0_D0)],
    dark_ink: rgb(0x10_14_1A),
    light_ink: rgb(0xE8_EC_F2),
    canvas_dark: rgb(0x0B_0C_0F),
    canvas_light: rgb(0xFF_FF_FF),
    drop_overlay: Color32::from_rgba_premultiplied(8, 9, 11, 214),
};

const LIGHT: Tokens = Tokens {
    background: rgb(0xF6_F7_F9),
    panel: rgb(0xFF_FF_FF),
    card: rgb(0xFF_FF_FF),
    line: rgb(0xDD_E1_E7),
    raised: rgb(0xE6_EA_F2),
    strong: rgb(0x14_17_1C),
    text: rgb(0x34_3A_45),
    subdued: rgb(0x6B_73_80),
    accent: rgb(0x3B_63_C9),
    on_accent: rgb(0xFF_FF_FF),
    good: rgb(0x12_8A_62),
    warning: rgb(0xA8_68_00),
    bad: rgb(0xB5_20_3F),
    experts: [rgb(0x00_72_B2), rgb(0xB3_6B_00), rgb(0x00_7A_5A)],
    is_dark: false,
    classes: [
        rgb(0x00_7A_5A),
        rgb(0xB3_6B_00),
        rgb(0x00_72_B2),
        rgb(0xA0_3A_78),
        rgb(0x8F_9C_3A),
        rgb(0x70_24_10),
        rgb(0x5B_4B_C4),
        rgb(0x8C_91_9C),
    ],
    heat: [rgb(0xF4_F7_FB), rgb(0xCF_E1_F2), rgb(0x8F_BB_DD), rgb(0x4A_86_BF), rgb(0x16_45_7F)],
    dark_ink: rgb(0x14_17_1C),
    light_ink: rgb(0xFF_FF_FF),
    canvas_dark: rgb(0x0B_0C_0F),
    canvas_light: rgb(0xFF_FF_FF),
    drop_overlay: Color32::from_rgba_premultiplied(206, 208, 210, 224),
};

/// Returns the tokens of the theme of this `Ui`.
pub fn tokens(ui: &Ui) -> &'static Tokens {
    if ui.visuals().dark_mode { &DARK } else { &LIGHT }
}

/// Returns the tokens of the theme of this context.
pub fn context_tokens(ctx: &Context) -> &'static Tokens {
    match ctx.theme() {
        Theme::Dark => &DARK,
        Theme::Light => &LIGHT,
    }
}

impl Tokens {
    /// Returns an expert's colour.
    pub fn expert_colour(&self, expert: Expert) -> Color32 {
        match expert {
            Expert::ONLINE => self.experts[0],
            Expert::OFFLINE => self.experts[1],
            _ => self.experts[2],
        }
    }

    /// Returns the colour of a run: a shade of its method's colour.
    pub fn run_colour(&self, shade: RunStyle) -> Color32 {
        let [r, g, b] = match self.is_dark {
            true => shade.on_dark(),
            false => shade.on_light(),
        };
        Color32::from_rgb(r, g, b)
    }

    /// Returns the colour of a class from its position and the number of classes. Neighbouring classes differ in
    /// lightness.
    pub fn class_colour(&self, position: usize, classes: usize) -> Color32 {
        if classes <= self.classes.len() {
            return self.classes[position % self.classes.len()];
        }
        let odd = !position.is_multiple_of(2);
        let (saturation, value) = match (self.is_dark, odd) {
            (true, false) => (0.62, 0.95),
            (true, true) => (0.45, 0.70),
            (false, false) => (0.85, 0.72),
            (false, true) => (0.75, 0.45),
        };
        let hue = position as f32 / classes as f32;
        HsvaGamma { h: hue, s: saturation, v: value, a: 1.0 }.into()
    }

    /// Returns the heat map colour of a share in 0..=1.
    pub fn heat_colour(&self, share: f64) -> Color32 {
        let position = share.clamp(0.0, 1.0) * (self.heat.len() - 1) as f64;
        let low = (position.floor() as usize).min(self.heat.len() - 2);
        self.heat[low].lerp_to_gamma(self.heat[low + 1], (position - low as f64) as f32)
    }

    /// Returns a text colour that is readable on this background.
    pub fn text_colour_on(&self, background: Color32) -> Color32 {
        let [r, g, b, _] = background.to_array();
        let luminance = 0.299 * f32::from(r) + 0.587 * f32::from(g) + 0.114 * f32::from(b);
        if luminance > 128.0 { self.dark_ink } else { self.light_ink }
    }
}

/// Returns the semibold font.
pub fn semibold(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name("semibold".into()))
}

/// Returns the regular font.
pub fn regular(size: f32) -> FontId {
    FontId::new(size, FontFamily::Proportional)
}

/// Returns the monospaced font, for equations and code.
pub fn mono(size: f32) -> FontId {
    FontId::new(size, FontFamily::Monospace)
}

/// Installs the fonts and the styles of both themes.
pub fn install(ctx: &Context) {
    ctx.set_fonts(font_definitions());
    ctx.set_style_of(Theme::Dark, style(&DARK, Visuals::dark()));
    ctx.set_style_of(Theme::Light, style(&LIGHT, Visuals::light()));
}

/// Duration of animations, in seconds.
const ANIMATION_SECONDS: f32 = 0.08;

/// Turns animations on or off.
pub fn set_animations(ctx: &Context, enabled: bool) {
    ctx.all_styles_mut(|style| {
        style.animation_time = if enabled { ANIMATION_SECONDS } else { 0.0 };
        style.scroll_animation = match enabled {
            true => ScrollAnimation::default(),
            false => ScrollAnimation::none(),
        };
    });
}

fn style(t: &Tokens, base: Visuals) -> Style {
    let mut style =
        Style { visuals: visuals(t, base), animation_time: ANIMATION_SECONDS, ..Style::default() };
    style.text_styles = [
        (TextStyle::Small, regular(11.0)),
        (TextStyle::Body, regular(13.0)),
        (TextStyle::Button, regular(13.0)),
        (TextStyle::Monospace, mono(12.5)),
        (TextStyle::Heading, semibold(13.0)),
    ]
    .into();
    let spacing = &mut style.spacing;
    spacing.item_spacing = Vec2::new(8.0, 8.0);
    spacing.button_padding = Vec2::new(11.0, 5.0);
    spacing.interact_size = Vec2::new(28.0, 26.0);
    spacing.menu_margin = Margin::same(6);
    spacing.window_margin = Margin::same(14);
    spacing.combo_width = 60.0;
    spacing.icon_width = 15.0;
    spacing.icon_width_inner = 9.0;
    spacing.scroll.bar_width = 7.0;
    spacing.scroll.floating = true;
    spacing.tooltip_width = 360.0;
    style.interaction.tooltip_delay = 0.3;
    style.interaction.selectable_labels = false;
    style
}

fn visuals(t: &Tokens, base: Visuals) -> Visuals {
    let mut v = base;
    let radius = CornerRadius::same(RADIUS);
    let hairline = Stroke::new(1.0, t.line);
    let widgets = &mut v.widgets;
    for widget in [
        &mut widgets.noninteractive,
        &mut widgets.inactive,
        &mut widgets.hovered,
        &mut widgets.active,
        &mut widgets.open,
    ] {
        widget.corner_radius = radius;
        widget.expansion = 0.0;
        widget.bg_stroke = hairline;
        widget.weak_bg_fill = t.card;
        widget.bg_fill = t.background;
        widget.fg_stroke = Stroke::new(1.0, t.text);
    }
    widgets.hovered.weak_bg_fill = t.raised;
    widgets.hovered.bg_stroke = Stroke::new(1.0, t.subdued);
    widgets.hovered.fg_stroke = Stroke::new(1.2, t.strong);
    widgets.active.weak_bg_fill = t.raised;
    widgets.active.bg_stroke = Stroke::new(1.0, t.accent);
    widgets.active.fg_stroke = Stroke::new(1.2, t.strong);
    widgets.open.weak_bg_fill = t.raised;
    v.weak_text_color = Some(t.subdued);
    v.hyperlink_color = t.accent;
    v.selection.bg_fill = t.accent.gamma_multiply(0.35);
    v.selection.stroke = Stroke::new(1.0, t.strong);
    v.extreme_bg_color = t.background;
    v.text_edit_bg_color = Some(t.background);
    v.faint_bg_color = t.raised;
    v.code_bg_color = t.background;
    v.warn_fg_color = t.warning;
    v.error_fg_color = t.bad;
    v.panel_fill = t.background;
    v.window_fill = t.card;
    v.window_stroke = hairline;
    v.window_corner_radius = CornerRadius::same(CARD_RADIUS);
    v.menu_corner_radius = CornerRadius::same(CARD_RADIUS);
    let shadow = Shadow {
        offset: [0, 6],
        blur: 18,
        spread: 0,
        color: Color32::from_black_alpha(if v.dark_mode { 110 } else { 34 }),
    };
    v.window_shadow = shadow;
    v.popup_shadow = shadow;
    v.text_cursor.stroke = Stroke::new(1.5, t.accent);
    v.striped = false;
    v
}

/// Returns Inter in two weights and a monospaced font. Each uses the font of symbols as a fallback.
fn font_definitions() -> FontDefinitions {
    let mut definitions = FontDefinitions::default();
    let mut add = |name: &str, bytes: &'static [u8]| {
        let data = Arc::new(FontData::from_static(bytes));
        definitions.font_data.insert(name.into(), data);
    };
    add("inter", fonts::INTER);
    add("inter-semibold", fonts::INTER_SEMIBOLD);
    add("mono", fonts::MONO);
    add("symbols", fonts::SYMBOLS);
    let fallback = definitions.families.get(&FontFamily::Proportional).cloned().unwrap_or_default();
    let mut family = |family: FontFamily, first: &str| {
        let mut chain = vec![first.to_string(), "symbols".to_string()];
        chain.extend(fallback.iter().cloned());
        definitions.families.insert(family, chain);
    };
    family(FontFamily::Proportional, "inter");
    family(FontFamily::Name("semibold".into()), "inter-semibold");
    family(FontFamily::Monospace, "mono");
    definitions
}

#[cfg(test)]
pub(crate) mod colour_vision;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_readable_on_every_heat_colour() {
        for tokens in [&DARK, &LIGHT] {
            for step in 0..=20 {
                let background = tokens.heat_colour(f64::from(step) / 20.0);
                let text_colour = tokens.text_colour_on(background);
                assert!(colour_vision::contrast(text_colour, background) >= 3.0, "{background:?}");
            }
        }
    }
}
