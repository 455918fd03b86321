//! Pictures as textures, uploaded once each.

use std::collections::HashMap;
use std::sync::Arc;

use egui::{ColorImage, Context, TextureHandle, TextureId, TextureOptions};

use crate::run::event::Picture;

/// Textures kept at most.
const MOST: usize = 1024;

/// The textures of all pictures on show. A picture is known by its address, which stays taken as
/// long as it is kept here.
#[derive(Default)]
pub struct Textures {
    known: HashMap<usize, (Arc<Picture>, TextureHandle)>,
}

impl Textures {
    /// The texture of a picture; small ones are shown with hard pixels.
    pub fn of(&mut self, ctx: &Context, picture: &Arc<Picture>) -> TextureId {
        if self.known.len() > MOST {
            self.known.clear();
        }
        let key = Arc::as_ptr(picture) as usize;
        let (_, texture) = self.known.entry(key).or_insert_with(|| {
            let texture = upload(
                ctx,
                &picture.name,
                picture.width,
                picture.height,
                &picture.rgb,
            );
            (picture.clone(), texture)
        });
        texture.id()
    }
}

/// Uploads rgb pixels; a buffer of the wrong length gives an empty picture rather than a crash.
pub fn upload(ctx: &Context, name: &str, width: usize, height: usize, rgb: &[u8]) -> TextureHandle {
    let image = if rgb.len() == width * height * 3 && !rgb.is_empty() {
        ColorImage::from_rgb([width, height], rgb)
    } else {
        ColorImage::filled([1, 1], egui::Color32::TRANSPARENT)
    };
    let options = if width.max(height) <= 96 {
        TextureOptions::NEAREST
    } else {
        TextureOptions::LINEAR
    };
    ctx.load_texture(name, image, options)
}
