//! A cache of decoded images that pages show, of both splits and of added tasks. The oldest images are evicted first
//! and decoded again when needed.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::views::ImageKey;
use crate::problem::Result;
use crate::run::event::NamedImage;

/// Maximum bytes of cached images: about two hundred of the largest images, many more of common sizes.
const MAX_BYTES: usize = 128 << 20;

/// Images by dataset, split and index.
#[derive(Default)]
pub(super) struct ImageCache {
    /// Requested images; `None` until an image is loaded.
    images: HashMap<ImageKey, Option<Result<Arc<NamedImage>>>>,
    /// Loaded images, oldest first.
    order: VecDeque<ImageKey>,
    bytes: usize,
}

impl ImageCache {
    /// Records a request for an image. Returns `false` if it was already requested.
    pub fn request(&mut self, id: &ImageKey) -> bool {
        !self.contains(id) && self.images.insert(id.clone(), None).is_none()
    }

    /// Returns whether an image is loaded or requested.
    pub fn contains(&self, id: &ImageKey) -> bool {
        self.images.contains_key(id)
    }

    /// Returns an image, or why it cannot be shown; `None` until it is loaded.
    pub fn get(&self, id: &ImageKey) -> Option<&Result<Arc<NamedImage>>> {
        self.images.get(id)?.as_ref()
    }

    /// Stores an image, unless it was evicted meanwhile.
    pub fn insert(&mut self, id: ImageKey, image: Result<NamedImage>) {
        let Some(slot) = self.images.get_mut(&id) else {
            return;
        };
        let image = image.map(Arc::new);
        self.bytes += byte_size(&image);
        match slot.replace(image) {
            Some(previous) => self.bytes -= byte_size(&previous),
            None => self.order.push_back(id),
        }
        while self.bytes > MAX_BYTES && self.order.len() > 1 {
            let oldest = self.order.pop_front();
            let evicted = oldest.and_then(|oldest| self.images.remove(&oldest)?);
            self.bytes -= evicted.map_or(0, |image| byte_size(&image));
        }
    }

    /// Keeps only the images of these datasets.
    pub fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.order.retain(|(key, ..)| keep(key));
        let removed = self.images.extract_if(|(key, ..), _| !keep(key));
        let removed = removed.filter_map(|(_, image)| image);
        self.bytes -= removed.map(|image| byte_size(&image)).sum::<usize>();
    }
}

fn byte_size(image: &Result<Arc<NamedImage>>) -> usize {
    image.as_ref().map_or(0, |image| image.rgb.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::views::Split;

    #[test]
    fn old_images_are_evicted_and_can_be_requested_again() {
        let mut cache = ImageCache::default();
        let id_of = |data: &str, split, index: usize| (Arc::from(data), split, index);
        let id = |index: usize| id_of("digits", Split::Test, index);
        for index in 0..10 {
            assert!(cache.request(&id(index)) && !cache.request(&id(index)));
            let image = NamedImage {
                name: String::new(),
                width: 1,
                height: 1,
                rgb: vec![0; MAX_BYTES / 4],
            };
            cache.insert(id(index), Ok(image));
        }
        assert!(cache.bytes <= MAX_BYTES && cache.images.len() == 4);
        assert!(cache.get(&id(0)).is_none() && cache.get(&id(9)).is_some());
        assert!(cache.request(&id(0)), "it may be looked at again");
        let letters = [Split::Train, Split::Test].map(|split| id_of("letters", split, 0));
        for id in &letters {
            cache.request(id);
            cache.insert(id.clone(), Err(crate::problem::Problem::new("lost")));
        }
        cache.retain(|key| key == "letters");
        assert_eq!((cache.bytes, cache.images.len()), (0, 2));
        assert!(letters.iter().all(|id| cache.get(id).is_some()));
        // An answer to a request that is no longer recorded is ignored.
        let problem = crate::problem::Problem::new("lost");
        cache.insert(id(3), Err(problem));
        assert!(cache.get(&id(3)).is_none());
    }
}
