//! What the random draws of a PET are kept apart by: its starting values, and what dropout drops.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::site::Site;

/// What the random draws of a PET are kept apart by. A run keeps the one that it began with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Drawing {
    /// Number 1, that of runs which note none: the place of a parameter in the plugin's file and of a
    /// site in this program's list, and for dropout the first six letters of a site's name. LAE and
    /// the Baseline drop nothing.
    ByPlace,
    /// Number 2: the whole names of block, site and parameter, without any prefix.
    #[default]
    ByName,
}

impl Drawing {
    /// Its number in a run's record.
    pub fn number(self) -> u32 {
        match self {
            Self::ByPlace => 1,
            Self::ByName => 2,
        }
    }

    /// That of a number in a run's record; `None` for a number that this version does not know.
    pub fn numbered(number: Option<u32>) -> Option<Self> {
        match number {
            None | Some(1) => Some(Self::ByPlace),
            Some(2) => Some(Self::ByName),
            Some(_) => None,
        }
    }

    /// That of runs of before it was noted.
    pub fn of_older_runs() -> Self {
        Self::ByPlace
    }

    /// The stream of a parameter's starting values; `name` is that of the whole stack
    /// ("BLOCK.SITE.PARAMETER"), `parameter` its place in the plugin's file.
    pub(super) fn of_parameter(
        self,
        name: &str,
        (block, parameter, site): (usize, usize, Option<Site>),
    ) -> u64 {
        match self {
            Self::ByPlace => {
                let place = site.map_or(0, |site| site as u64 + 1);
                ((block as u64) << 32) | ((parameter as u64) << 8) | place
            }
            Self::ByName => hashed(name),
        }
    }

    /// The stream of what is dropped at a site of a block.
    pub(super) fn of_site(self, block: usize, site: Site) -> u64 {
        match self {
            Self::ByPlace => {
                let mut letters = [0; 8];
                let name = site.name().as_bytes();
                let count = name.len().min(6);
                letters[2..2 + count].copy_from_slice(&name[..count]);
                u64::from_le_bytes(letters) | block as u64
            }
            Self::ByName => hashed(&format!("{block}.{}", site.name())),
        }
    }
}

/// The first 64 bits of a name's SHA-256.
fn hashed(name: &str) -> u64 {
    let hash: [u8; 32] = Sha256::digest(name).into();
    hash[..8]
        .iter()
        .fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_runs_keep_the_streams_they_began_with() {
        let old = Drawing::of_older_runs();
        let old_draw = |site| old.of_parameter("3.up", (3, 2, site));
        assert_eq!(old_draw(None), (3 << 32) | (2 << 8));
        assert_eq!(old_draw(Some(Site::Mlp)), (3 << 32) | (2 << 8) | 2);
        assert_eq!(old_draw(Some(Site::Stream)), (3 << 32) | (2 << 8) | 12);
        let letters = u64::from_le_bytes(*b"\0\0attent");
        assert_eq!(old.of_site(5, Site::Attention), letters | 5);
    }

    #[test]
    fn new_runs_draw_by_whole_names() {
        let new = Drawing::default();
        let place = (3, 0, None);
        // The beginning of SHA-256("3.up"): the same for ever.
        assert_eq!(new.of_parameter("3.up", place), 0x334a_51c6_b94e_43a4);
        let other = (4, 9, Some(Site::Mlp));
        assert_eq!(
            new.of_parameter("3.up", other),
            new.of_parameter("3.up", place)
        );
        assert_ne!(new.of_parameter("3.up", place), hashed("3.down"));
        let mut all: Vec<u64> = (0..24)
            .flat_map(|block| Site::ALL.iter().map(move |(site, ..)| (block, *site)))
            .map(|(block, site)| new.of_site(block, site))
            .collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 24 * Site::ALL.len());
    }

    #[test]
    fn a_number_stands_for_each_and_none_for_the_oldest() {
        for drawing in [Drawing::ByPlace, Drawing::ByName] {
            assert_eq!(Drawing::numbered(Some(drawing.number())), Some(drawing));
        }
        assert_eq!(Drawing::numbered(None), Some(Drawing::of_older_runs()));
        assert_eq!(Drawing::numbered(Some(3)), None);
    }
}
