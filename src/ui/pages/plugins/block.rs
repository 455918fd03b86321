//! A diagram of a backbone's block: its parts in a row, and below them the sites at which a plugin is used.

use egui::{Align2, Pos2, Rect, Role, Stroke, Ui, Vec2};

use crate::pet::Site;
use crate::session::editor::meaning::BackboneUsage;
use crate::tr;
use crate::ui::theme::{regular, tokens};
use crate::ui::widgets::{allocate_named, paint_box, paint_truncated_text};

/// Height of a part.
const PART_HEIGHT: f32 = 26.0;
/// Height of the line of a site.
const SITE_HEIGHT: f32 = 17.0;

/// The parts of a block with attention, and of a block without attention.
const ATTENTION_PARTS: [&str; 10] =
    ["norm", "q k v", "attend", "proj", "+", "norm", "fc1", "GELU", "fc2", "+"];
const CONVOLUTION_PARTS: [&str; 6] = ["conv", "norm", "fc1", "GELU", "fc2", "+"];

/// Draws the block. Each site that the plugin uses is a bar below the corresponding parts, with its parameters.
pub(super) fn show(ui: &mut Ui, backbone: &BackboneUsage) {
    let t = tokens(ui);
    let has_attention = backbone.block_usage.offered.contains(&Site::Query);
    let parts = if has_attention { &ATTENTION_PARTS[..] } else { &CONVOLUTION_PARTS[..] };
    let sites = &backbone.block_usage.sites;
    let height = PART_HEIGHT + 8.0 + SITE_HEIGHT * sites.len() as f32;
    let size = Vec2::new(ui.available_width(), height);
    let names: Vec<&str> = sites.iter().map(|site| site.name()).collect();
    let label = tr!("editor-on-block-sites", sites = names.join(", "));
    let (rect, _) = allocate_named(ui, size, Role::Image, &label);
    let part_width = rect.width() / parts.len() as f32;
    let x_of = |index: usize| rect.left() + part_width * index as f32;
    let middle = rect.top() + PART_HEIGHT / 2.0;
    let painter = ui.painter();
    let ends = [Pos2::new(rect.left(), middle), Pos2::new(rect.right(), middle)];
    painter.line_segment(ends, Stroke::new(1.0, t.subdued));
    let is_used =
        |index: usize| sites.iter().any(|site| span(*site, has_attention).contains(&index));
    for (index, part) in parts.iter().enumerate() {
        let part_rect = Rect::from_min_size(
            Pos2::new(x_of(index), rect.top()),
            Vec2::new(part_width, PART_HEIGHT),
        );
        let part_rect = part_rect.shrink2(Vec2::new(2.5, 2.0));
        let line = if is_used(index) { t.accent } else { t.line };
        let radius = if *part == "+" { 11 } else { 4 };
        paint_box(ui, part_rect, radius, t.background, line);
        let align = Align2::CENTER_CENTER;
        painter.text(part_rect.center(), align, part, regular(10.5), t.text);
    }
    for (row, site) in sites.iter().enumerate() {
        let span = span(*site, has_attention);
        let y = rect.top() + PART_HEIGHT + 6.0 + SITE_HEIGHT * row as f32;
        let (from, to) = (x_of(*span.start()) + 3.0, x_of(*span.end() + 1) - 3.0);
        let bar = Rect::from_min_max(Pos2::new(from, y), Pos2::new(to, y + 3.0));
        painter.rect_filled(bar, 1, t.accent);
        let label = format!("{}: {}", site.name(), site_parameters(backbone, *site));
        let is_left = from < rect.center().x;
        let (pos, align) = match is_left {
            true => (Pos2::new(from, y + 4.0), Align2::LEFT_TOP),
            false => (Pos2::new(to, y + 4.0), Align2::RIGHT_TOP),
        };
        let width = if is_left { rect.right() - from } else { to - rect.left() };
        paint_truncated_text(ui, pos, align, &label, regular(11.0), t.subdued, width);
    }
}

/// Returns the names of the parameters in the equation of a site.
fn site_parameters(backbone: &BackboneUsage, site: Site) -> String {
    let site_names = backbone.block_usage.parameters.iter().filter_map(|(name, ..)| {
        let (name, owner) = name.split_once(" at ").unwrap_or((name, site.name()));
        (owner == site.name()).then_some(name)
    });
    let is_used = |name: &&str| {
        let mut parts = backbone.block_usage.parts.iter().filter(|part| part.site == site);
        parts.any(|part| identifiers(&part.text).any(|word| word == *name))
    };
    let names: Vec<&str> = site_names.filter(is_used).collect();
    names.join(", ")
}

fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'))
}

/// Returns the range of parts that a site covers.
fn span(site: Site, has_attention: bool) -> std::ops::RangeInclusive<usize> {
    if !has_attention {
        return match site {
            Site::Norm2 => 1..=1,
            Site::Fc1 => 2..=2,
            Site::Activation => 3..=3,
            Site::Fc2 => 4..=4,
            Site::Mlp => 2..=4,
            _ => 0..=5,
        };
    }
    match site {
        Site::Norm1 | Site::Input => 0..=0,
        Site::Query | Site::Key | Site::Value => 1..=1,
        Site::Attend => 2..=2,
        Site::Proj => 3..=3,
        Site::Attention => 1..=3,
        Site::Norm2 => 5..=5,
        Site::Fc1 => 6..=6,
        Site::Activation => 7..=7,
        Site::Fc2 => 8..=8,
        Site::Mlp => 6..=8,
        Site::Stream => 5..=8,
        Site::Block | Site::Tokens => 0..=9,
    }
}
