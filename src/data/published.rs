//! Datasets that can be downloaded by name, with address, size, hash and licence.

use std::path::PathBuf;

use super::archive::cache_folder;
use crate::fetch::{self, DownloadProgress};
use crate::message;
use crate::problem::{Problem, Result};
use crate::texts::translate_entry;

/// A dataset that can be downloaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublishedData {
    /// The name for `--data`.
    pub name: &'static str,
    /// A description in one sentence, in English.
    pub description: &'static str,
    /// The address of the archive.
    pub url: &'static str,
    /// The exact size of the archive in bytes, if known.
    pub size: Option<u64>,
    /// The approximate size in megabytes, for display.
    pub megabytes: u32,
    /// SHA-256 of the archive in hex, if known.
    pub sha256: Option<&'static str>,
    /// The licence, in English.
    pub licence: &'static str,
}

/// All datasets that can be downloaded.
pub const PUBLISHED: [PublishedData; 3] = [
    PublishedData {
        name: "cifar-10",
        description: "CIFAR-10: 60,000 colour photographs of 32×32 pixels in 10 classes (Krizhevsky, 2009).",
        url: "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
        size: Some(170_052_171),
        megabytes: 170,
        sha256: Some("c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"),
        licence: "no licence is stated; made for research, cite Krizhevsky 2009",
    },
    PublishedData {
        name: "cifar-100",
        description: "CIFAR-100: 60,000 colour photographs of 32×32 pixels in 100 classes (Krizhevsky, 2009).",
        url: "https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz",
        size: Some(168_513_733),
        megabytes: 169,
        sha256: Some("58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec"),
        licence: "no licence is stated; made for research, cite Krizhevsky 2009",
    },
    PublishedData {
        name: "imagenet-r",
        description: "ImageNet-R: 30,000 renditions (art, cartoons, toys, …) of 200 ImageNet classes (Hendrycks et al., 2021).",
        url: "https://people.eecs.berkeley.edu/~hendrycks/imagenet-r.tar",
        size: Some(2_191_079_936),
        megabytes: 2_191,
        sha256: Some("18c6bf493b39a0d975d48e587437f562caab9c52ae6327dcfa9dd8eb54aa1b52"),
        licence: "MIT for the collection; the images belong to their creators",
    },
];

impl PublishedData {
    /// Returns the description in the language of this thread.
    pub fn description(&self) -> &'static str {
        translate_entry("dataset", self.name, "about", self.description)
    }

    /// Returns the licence in the language of this thread.
    pub fn licence(&self) -> &'static str {
        translate_entry("dataset", self.name, "licence", self.licence)
    }

    /// Returns the path of the downloaded archive.
    pub fn archive_path(&self) -> PathBuf {
        let file = self.url.rsplit('/').next().unwrap_or(self.name);
        cache_folder().join("downloads").join(file)
    }

    /// Returns whether the archive is downloaded.
    pub fn is_downloaded(&self) -> bool {
        self.archive_path().is_file()
    }

    /// Downloads and verifies the archive, resuming an interrupted download.
    ///
    /// # Errors
    /// Returns the same Problems as [`fetch::download`].
    pub fn download(&self, progress: &mut dyn FnMut(DownloadProgress) -> bool) -> Result<PathBuf> {
        fetch::download(self.url, &self.archive_path(), self.sha256, self.size, progress)
            .map(|done| done.path)
    }
}

/// Returns a name in lower case without hyphens, underscores and spaces, so that spellings can be compared.
fn normalised(name: &str) -> String {
    name.to_ascii_lowercase().replace(['-', '_', ' '], "")
}

/// Returns the published dataset with this name.
pub fn find_published(name: &str) -> Option<&'static PublishedData> {
    PUBLISHED.iter().find(|dataset| normalised(dataset.name) == normalised(name))
}

/// Returns the archive of a published dataset; `None` if `name` is not one.
pub(super) fn find_archive(name: &str) -> Result<Option<PathBuf>> {
    if normalised(name) == "domainnet" {
        return Err(Problem::new(message!("problem-domainnet-not-downloadable"))
            .at("http://ai.bu.edu/M3SDA/")
            .advise(message!("advice-unpack-domainnet-domains")));
    }
    let Some(dataset) = find_published(name) else {
        return Ok(None);
    };
    if dataset.is_downloaded() {
        return Ok(Some(dataset.archive_path()));
    }
    Err(Problem::new(message!("problem-dataset-not-downloaded", name = dataset.name))
        .at(dataset.archive_path().display())
        .advise(message!(
            "advice-download-dataset",
            megabytes = dataset.megabytes.to_string(),
            name = dataset.name
        )))
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn finds_published_datasets_in_any_spelling() {
        assert_eq!(find_published("CIFAR100").unwrap().name, "cifar-100");
        assert_eq!(find_published("imagenet_r").unwrap().name, "imagenet-r");
        assert!(find_published("mnist").is_none());
        assert!(find_archive("mnist").unwrap().is_none());
        let problem = find_archive("DomainNet").unwrap_err();
        assert!(problem.place.starts_with("http"), "{problem}");
        for dataset in &PUBLISHED {
            assert!(dataset.url.starts_with("https://"));
            assert!(dataset.sha256.is_none_or(|hash| hash.len() == 64));
        }
    }
}
