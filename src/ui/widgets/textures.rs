//! A cache of textures, so that each image is uploaded once.

use std::collections::HashMap;
use std::sync::Arc;

use egui::{
    Color32, ColorImage, Context, Image, Pos2, Rect, TextureFilter, TextureHandle, TextureId,
    TextureOptions, Ui, Vec2, pos2,
};

use crate::run::event::NamedImage;

/// Maximum number of textures in the cache.
const MAX_TEXTURES: usize = 1024;
/// Maximum bytes of the cached images.
const MAX_BYTES: usize = 256 << 20;
/// Maximum side of a texture in pixels. It is sharp on any screen and below the limit of every GPU.
const MAX_SIDE: usize = 1024;

/// The textures of the displayed images. An image is identified by its address, which stays valid because the cache
/// keeps the image.
#[derive(Default)]
pub struct Textures {
    cached: HashMap<usize, (Arc<NamedImage>, TextureHandle)>,
    bytes: usize,
}

impl Textures {
    /// Returns the texture of an image. Small images are shown without smoothing.
    pub fn get(&mut self, ctx: &Context, image: &Arc<NamedImage>) -> TextureId {
        if self.cached.len() > MAX_TEXTURES || self.bytes > MAX_BYTES {
            self.cached.clear();
            self.bytes = 0;
        }
        let key = Arc::as_ptr(image) as usize;
        if !self.cached.contains_key(&key) {
            self.bytes += image.rgb.len();
        }
        let (_, texture) = self.cached.entry(key).or_insert_with(|| {
            let (width, height) = (image.width, image.height);
            let texture = upload(ctx, &image.name, width, height, &image.rgb);
            (image.clone(), texture)
        });
        texture.id()
    }

    /// Paints the central square of an image into `rect`. Nothing is uploaded while `rect` is not visible.
    pub fn paint_square(&mut self, ui: &Ui, image: &Arc<NamedImage>, rect: Rect, radius: u8) {
        if !ui.is_rect_visible(rect) {
            return;
        }
        let (w, h) = (image.width.max(1) as f32, image.height.max(1) as f32);
        let (x, y) = (w.min(h) / w / 2.0, w.min(h) / h / 2.0);
        let square = Rect::from_min_max(pos2(0.5 - x, 0.5 - y), pos2(0.5 + x, 0.5 + y));
        let widget = Image::new((self.get(ui.ctx(), image), rect.size())).uv(square);
        widget.corner_radius(radius).paint_at(ui, rect);
    }

    /// Paints a whole image around `centre`. Its longer side has the length `side`. Nothing is uploaded while it is not
    /// visible.
    pub fn paint_image(
        &mut self,
        ui: &Ui,
        image: &Arc<NamedImage>,
        centre: Pos2,
        side: f32,
        radius: u8,
    ) {
        let (w, h) = (image.width.max(1) as f32, image.height.max(1) as f32);
        let size = Vec2::new(w, h) * (side / w.max(h));
        let rect = Rect::from_center_size(centre, size);
        if !ui.is_rect_visible(rect) {
            return;
        }
        let widget = Image::new((self.get(ui.ctx(), image), size)).corner_radius(radius);
        widget.paint_at(ui, rect);
    }
}

/// Uploads RGB pixels as a texture; large images are scaled down. If the buffer has the wrong length, the texture is a
/// transparent pixel.
pub fn upload(ctx: &Context, name: &str, width: usize, height: usize, rgb: &[u8]) -> TextureHandle {
    let image = if rgb.len() == width * height * 3 && !rgb.is_empty() {
        let longest_side = width.max(height);
        if longest_side > MAX_SIDE {
            let scaled = |side: usize| (side * MAX_SIDE / longest_side).max(1);
            downscale(rgb, [width, height], [scaled(width), scaled(height)])
        } else {
            ColorImage::from_rgb([width, height], rgb)
        }
    } else {
        ColorImage::filled([1, 1], Color32::TRANSPARENT)
    };
    let options =
        if width.max(height) <= 96 { TextureOptions::NEAREST } else { TextureOptions::LINEAR };
    ctx.load_texture(name, image, options)
}

/// Uploads a square of `side` × `side` cells, row by row, which is shown without smoothing. If `side` is 0, the texture
/// is a transparent pixel.
pub fn upload_heat_map(
    ctx: &Context,
    name: &str,
    side: usize,
    cells: impl Iterator<Item = Color32>,
) -> TextureHandle {
    let image = match side {
        0 => ColorImage::filled([1, 1], Color32::TRANSPARENT),
        _ => ColorImage::new([side, side], cells.collect()),
    };
    // Linear minification prevents cells from being skipped when the texture is scaled down.
    let options = TextureOptions { minification: TextureFilter::Linear, ..TextureOptions::NEAREST };
    ctx.load_texture(name, image, options)
}

/// Scales an image down. Every pixel is the mean of its source pixels.
fn downscale(rgb: &[u8], [width, height]: [usize; 2], size: [usize; 2]) -> ColorImage {
    let mut pixels = Vec::with_capacity(size[0] * size[1]);
    for y in 0..size[1] {
        let rows = y * height / size[1]..((y + 1) * height / size[1]).max(y * height / size[1] + 1);
        for x in 0..size[0] {
            let from = x * width / size[0];
            let columns = from..((x + 1) * width / size[0]).max(from + 1);
            let mut sum = [0u32; 3];
            for row in rows.clone() {
                for pixel in rgb[(row * width + columns.start) * 3..(row * width + columns.end) * 3]
                    .chunks_exact(3)
                {
                    for (sum, value) in sum.iter_mut().zip(pixel) {
                        *sum += u32::from(*value);
                    }
                }
            }
            let count = (rows.len() * columns.len()) as u32;
            let [r, g, b] = sum.map(|sum| (sum / count) as u8);
            pixels.push(Color32::from_rgb(r, g, b));
        }
    }
    ColorImage::new(size, pixels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oversized_image_is_scaled_down() {
        let rgb = vec![200; 3 * 20_000 * 3];
        let image = downscale(&rgb, [20_000, 3], [1024, 1]);
        assert_eq!(image.size, [1024, 1]);
        assert!(image.pixels.iter().all(|p| p.r() == 200 && p.b() == 200));
    }
}
