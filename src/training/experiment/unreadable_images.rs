//! Handles images that cannot be read during a run: a few are skipped and reported, more end the run.
//!
//! A damaged file affects one image. A lost disk affects all images that are not in memory; a run that continued
//! would learn only from cached images and report misleading results.

use crate::message;
use crate::problem::{Problem, Result};

/// At most one in this number of images may be unreadable.
const ONE_IN: usize = 20;

/// Counts the unreadable images of one pass over a number of images.
pub(super) struct UnreadableImages {
    images: usize,
    unreadable_count: usize,
}

impl UnreadableImages {
    /// Begins a pass over this number of images.
    pub fn new(images: usize) -> Self {
        Self { images, unreadable_count: 0 }
    }

    /// Adds images that could not be read.
    ///
    /// # Errors
    /// Returns a Problem once they are more than a small share.
    pub fn add_unreadable(&mut self, unreadable: &[(usize, Problem)]) -> Result<()> {
        self.unreadable_count += unreadable.len();
        let Some((_, last)) = unreadable.last() else {
            return Ok(());
        };
        if self.unreadable_count <= (self.images / ONE_IN).max(1) {
            return Ok(());
        }
        Err(Problem::new(message!(
            "problem-too-many-images-unreadable",
            lost = self.unreadable_count.to_string(),
            images = self.images.to_string(),
            what = last.what.to_string()
        ))
        .at(&last.place)
        .advise(message!("advice-restore-images-and-resume")))
    }

    /// Ends a pass in which `read_count` images were read.
    ///
    /// # Errors
    /// Returns a Problem if no image was read, because then nothing was learned or tested.
    pub fn check_any_read(&self, read_count: usize) -> Result<()> {
        if read_count > 0 {
            return Ok(());
        }
        Err(Problem::new(message!("problem-no-image-readable"))
            .advise(message!("advice-restore-disk-and-resume")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lae_base::tr;

    #[test]
    fn tolerates_only_few_unreadable_images() {
        let unreadable = |count: usize| vec![(0, Problem::new("gone").at("a.png")); count];
        let mut many = UnreadableImages::new(1000);
        assert!(
            many.add_unreadable(&unreadable(30)).is_ok()
                && many.add_unreadable(&unreadable(20)).is_ok()
        );
        assert!(many.add_unreadable(&[]).is_ok());
        let problem = many.add_unreadable(&unreadable(1)).err();
        assert!(problem.is_some_and(|p| p.what
            == tr!(
                "problem-too-many-images-unreadable",
                lost = "51",
                images = "1000",
                what = "gone"
            )
            && p.place == "a.png"));
        let mut few = UnreadableImages::new(3);
        assert!(
            few.add_unreadable(&unreadable(1)).is_ok()
                && few.add_unreadable(&unreadable(1)).is_err()
        );
        assert!(few.check_any_read(0).is_err() && few.check_any_read(1).is_ok());
    }
}
