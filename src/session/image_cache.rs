//! A cache of decoded images that pages show, of both splits and of added tasks. The oldest images are evicted first
//! and decoded again when needed.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::views::PictureKey;
use crate::problem::Result;
use crate::run::event::Picture;

/// Maximum bytes of cached images: about two hundred of the largest images, many more of common sizes.
const MOST: usize = 128 << 20;

/// Images by dataset, split and index.
#[derive(Default)]
pub(super) struct Album {
    /// Requested images; `None` until an image is loaded.
    held: HashMap<PictureKey, Option<Result<Arc<Picture>>>>,
    /// Loaded images, oldest first.
    order: VecDeque<PictureKey>,
    bytes: usize,
}

impl Album {
    /// Records a request for an image. Returns `false` if it was already requested.
    pub fn ask(&mut self, id: &PictureKey) -> bool {
        !self.is_asked(id) && self.held.insert(id.clone(), None).is_none()
    }

    /// Returns whether an image is loaded or requested.
    pub fn is_asked(&self, id: &PictureKey) -> bool {
        self.held.contains_key(id)
    }

    /// Returns an image, or why it cannot be shown; `None` until it is loaded.
    pub fn get(&self, id: &PictureKey) -> Option<&Result<Arc<Picture>>> {
        self.held.get(id)?.as_ref()
    }

    /// Stores an image, unless it was evicted meanwhile.
    pub fn put(&mut self, id: PictureKey, picture: Result<Picture>) {
        let Some(slot) = self.held.get_mut(&id) else {
            return;
        };
        let picture = picture.map(Arc::new);
        self.bytes += size(&picture);
        match slot.replace(picture) {
            Some(before) => self.bytes -= size(&before),
            None => self.order.push_back(id),
        }
        while self.bytes > MOST && self.order.len() > 1 {
            let oldest = self.order.pop_front();
            let gone = oldest.and_then(|oldest| self.held.remove(&oldest)?);
            self.bytes -= gone.map_or(0, |picture| size(&picture));
        }
    }

    /// Keeps only the images of these datasets.
    pub fn retain(&mut self, wanted: impl Fn(&str) -> bool) {
        self.order.retain(|(key, ..)| wanted(key));
        let gone = self.held.extract_if(|(key, ..), _| !wanted(key));
        let gone = gone.filter_map(|(_, picture)| picture);
        self.bytes -= gone.map(|picture| size(&picture)).sum::<usize>();
    }
}

fn size(picture: &Result<Arc<Picture>>) -> usize {
    picture.as_ref().map_or(0, |picture| picture.rgb.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::views::Split;

    #[test]
    fn old_pictures_are_given_back_and_can_be_asked_for_again() {
        let mut album = Album::default();
        let id_of = |data: &str, split, index: usize| (Arc::from(data), split, index);
        let id = |index: usize| id_of("digits", Split::Test, index);
        for index in 0..10 {
            assert!(album.ask(&id(index)) && !album.ask(&id(index)));
            let picture = Picture {
                name: String::new(),
                width: 1,
                height: 1,
                rgb: vec![0; MOST / 4],
            };
            album.put(id(index), Ok(picture));
        }
        assert!(album.bytes <= MOST && album.held.len() == 4);
        assert!(album.get(&id(0)).is_none() && album.get(&id(9)).is_some());
        assert!(album.ask(&id(0)), "it may be looked at again");
        let letters = [Split::Train, Split::Test].map(|split| id_of("letters", split, 0));
        for id in &letters {
            album.ask(id);
            album.put(id.clone(), Err(crate::problem::Problem::new("lost")));
        }
        album.retain(|key| key == "letters");
        assert_eq!((album.bytes, album.held.len()), (0, 2));
        assert!(letters.iter().all(|id| album.get(id).is_some()));
        // An answer to a request that is no longer recorded is ignored.
        let lost = crate::problem::Problem::new("lost");
        album.put(id(3), Err(lost));
        assert!(album.get(&id(3)).is_none());
    }
}
