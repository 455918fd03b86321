//! The random streams of a PET: those of its initial values and of its dropout masks.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::site::Site;

/// How the random streams of a PET are derived. A run keeps the scheme that it started with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StreamScheme {
    /// Number 1, for runs whose record has no number. The stream of a parameter is derived from its index in the
    /// plugin file and the position of its site in the enum [`Site`]; that of dropout from the first six letters of
    /// the site's name. The plugins of LAE and of the Baseline do not use dropout.
    ByPlace,
    /// Number 2: the stream is derived from the full names of block, site and parameter.
    #[default]
    ByName,
}

impl StreamScheme {
    /// Returns the number stored in a run's record.
    pub fn number(self) -> u32 {
        match self {
            Self::ByPlace => 1,
            Self::ByName => 2,
        }
    }

    /// Returns the scheme for a number in a run's record; `None` for a number unknown to this version.
    pub fn from_number(number: Option<u32>) -> Option<Self> {
        match number {
            None | Some(1) => Some(Self::ByPlace),
            Some(2) => Some(Self::ByName),
            Some(_) => None,
        }
    }

    /// Returns the scheme of runs whose record has no number.
    pub fn for_older_runs() -> Self {
        Self::ByPlace
    }

    /// Returns the stream of a parameter's initial values. `name` is its name in the stack ("BLOCK.SITE.PARAMETER"),
    /// `parameter` its index in the plugin file.
    pub(super) fn parameter_stream(
        self,
        name: &str,
        (block, parameter, site): (usize, usize, Option<Site>),
    ) -> u64 {
        match self {
            Self::ByPlace => {
                let site_index = site.map_or(0, |site| site as u64 + 1);
                ((block as u64) << 32) | ((parameter as u64) << 8) | site_index
            }
            Self::ByName => hash_name(name),
        }
    }

    /// Returns the stream of the dropout masks at a site of a block.
    pub(super) fn site_stream(self, block: usize, site: Site) -> u64 {
        match self {
            Self::ByPlace => {
                let mut letters = [0; 8];
                let name = site.name().as_bytes();
                let count = name.len().min(6);
                letters[2..2 + count].copy_from_slice(&name[..count]);
                u64::from_le_bytes(letters) | block as u64
            }
            Self::ByName => hash_name(&format!("{block}.{}", site.name())),
        }
    }
}

/// Returns the first 64 bits of a name's SHA-256.
fn hash_name(name: &str) -> u64 {
    let hash: [u8; 32] = Sha256::digest(name).into();
    hash[..8].iter().fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_runs_use_streams_by_position() {
        let old = StreamScheme::for_older_runs();
        let old_draw = |site| old.parameter_stream("3.up", (3, 2, site));
        assert_eq!(old_draw(None), (3 << 32) | (2 << 8));
        assert_eq!(old_draw(Some(Site::Mlp)), (3 << 32) | (2 << 8) | 2);
        assert_eq!(old_draw(Some(Site::Stream)), (3 << 32) | (2 << 8) | 12);
        let letters = u64::from_le_bytes(*b"\0\0attent");
        assert_eq!(old.site_stream(5, Site::Attention), letters | 5);
    }

    #[test]
    fn new_runs_use_streams_by_name() {
        let new = StreamScheme::default();
        let position = (3, 0, None);
        // The first bytes of SHA-256("3.up") must never change.
        assert_eq!(new.parameter_stream("3.up", position), 0x334a_51c6_b94e_43a4);
        let other = (4, 9, Some(Site::Mlp));
        assert_eq!(new.parameter_stream("3.up", other), new.parameter_stream("3.up", position));
        assert_ne!(new.parameter_stream("3.up", position), hash_name("3.down"));
        let mut all: Vec<u64> = (0..24)
            .flat_map(|block| Site::ALL.iter().map(move |(site, ..)| (block, *site)))
            .map(|(block, site)| new.site_stream(block, site))
            .collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 24 * Site::ALL.len());
    }

    #[test]
    fn numbers_identify_stream_schemes() {
        for drawing in [StreamScheme::ByPlace, StreamScheme::ByName] {
            assert_eq!(StreamScheme::from_number(Some(drawing.number())), Some(drawing));
        }
        assert_eq!(StreamScheme::from_number(None), Some(StreamScheme::for_older_runs()));
        assert_eq!(StreamScheme::from_number(Some(3)), None);
    }
}
