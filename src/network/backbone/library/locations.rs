//! The locations of weight files on this computer and on the internet. The cache of the model hub's own tools is used
//! if it contains the file, otherwise a folder of this program.

use std::env;
use std::path::{Path, PathBuf};

use directories::BaseDirs;

use super::entry::{BackboneEntry, WeightSource};
use super::model_config::CONFIG;
use crate::backbone::weights::sha256_of_bytes;
use crate::fetch::HUB;
use crate::files::{self, names::to_portable};
use crate::folders;

/// The folders and addresses that the library uses.
#[derive(Clone, Debug)]
pub struct WeightLocations {
    /// The program's own downloads, one folder per entry.
    pub cache: PathBuf,
    /// The cache of the hub's own tools, which is only read.
    pub hub_cache: Option<PathBuf>,
    /// The address of the hub, without a trailing slash.
    pub endpoint: String,
    /// The tables of the user; later ones take precedence.
    pub tables: Vec<PathBuf>,
}

impl WeightLocations {
    /// Returns the default locations, which depend on the environment variables `HF_ENDPOINT`, `HF_HUB_CACHE` and
    /// `HF_HOME`.
    pub fn from_env() -> Self {
        let cache = folders::cache().unwrap_or_else(|| PathBuf::from("lae-studio-cache"));
        let mut tables = vec![PathBuf::from("plugins/backbones.toml")];
        tables.extend(folders::data().map(|folder| folder.join("backbones.toml")));
        let endpoint = env::var("HF_ENDPOINT").unwrap_or_default();
        let endpoint = endpoint.trim().trim_end_matches('/');
        Self {
            cache: cache.join("backbones"),
            hub_cache: hub_cache(),
            endpoint: if endpoint.is_empty() { HUB } else { endpoint }.to_owned(),
            tables,
        }
    }

    /// Returns the address of an entry's weights, if it has one.
    pub fn url(&self, entry: &BackboneEntry) -> Option<String> {
        match &entry.source {
            WeightSource::Hub { repository, file, revision } => {
                let revision = revision.as_deref().unwrap_or("main");
                Some(self.file_url(repository, revision, file))
            }
            WeightSource::Url(url) => Some(url.clone()),
            WeightSource::Embedded | WeightSource::File(_) => None,
        }
    }

    /// Returns the address of a file in a repository.
    pub fn file_url(&self, repository: &str, revision: &str, file: &str) -> String {
        let endpoint = &self.endpoint;
        format!("{endpoint}/{repository}/resolve/{revision}/{file}")
    }

    /// Returns the weights of a repository if they are on this computer, in the program's cache or that of the hub's
    /// tools. Weights in the latter without a configuration are ignored, because the repository states what they lack:
    /// timm downloads only the weights.
    pub fn repository_file(&self, repository: &str) -> Option<PathBuf> {
        let folder = self.repository_folder(repository);
        let hub = |file: &str| {
            let weights = self.find_in_hub_cache(repository, file, None)?;
            weights.with_file_name(CONFIG).is_file().then_some(weights)
        };
        let mut files = super::resolve::WEIGHT_FILES.iter();
        files.find_map(|file| {
            let cached = Some(folder.join(file)).filter(|path| path.is_file());
            cached.or_else(|| hub(file))
        })
    }

    /// Returns the folder for the program's own download of a repository.
    pub fn repository_folder(&self, repository: &str) -> PathBuf {
        let name = repository.replace('/', "--");
        self.cache.join(to_portable(&name))
    }

    /// Returns the path for the program's own download of an entry.
    pub fn cached_file(&self, entry: &BackboneEntry) -> Option<PathBuf> {
        // Entries with the same name but another repository or commit have other weights, so the folder depends on
        // the address.
        let (address, file) = match &entry.source {
            WeightSource::Hub { repository, file, revision } => {
                let revision = revision.as_deref().unwrap_or_default();
                (format!("{repository}{revision}"), file)
            }
            WeightSource::Url(url) => (url.clone(), url),
            WeightSource::Embedded | WeightSource::File(_) => return None,
        };
        let is_foreign = |c: char| !c.is_alphanumeric() && !"._-".contains(c);
        let sanitize = |text: &str| to_portable(&text.replace(is_foreign, "_"));
        let mark = &sha256_of_bytes(address.as_bytes())[..8];
        let folder = format!("{}-{mark}", sanitize(&entry.name));
        let file = file.rsplit('/').next().unwrap_or("weights");
        Some(self.cache.join(folder).join(sanitize(file)))
    }

    /// Returns the file of an entry in the hub's own cache, if it is there.
    pub fn hub_file(&self, entry: &BackboneEntry) -> Option<PathBuf> {
        let WeightSource::Hub { repository, file, revision } = &entry.source else {
            return None;
        };
        self.find_in_hub_cache(repository, file, revision.as_deref())
    }

    fn find_in_hub_cache(
        &self,
        repository: &str,
        file: &str,
        revision: Option<&str>,
    ) -> Option<PathBuf> {
        let cache = self.hub_cache.as_ref()?;
        let folder = cache.join(format!("models--{}", repository.replace('/', "--")));
        let snapshots = folder.join("snapshots");
        if let Some(revision) = revision {
            let path = snapshots.join(revision).join(file);
            return path.is_file().then_some(path);
        }
        let current = files::read_text(&folder.join("refs/main"), files::NOTE).ok();
        let current = current.map(|commit| snapshots.join(commit.trim()).join(file));
        let any_snapshot = || {
            let folders = std::fs::read_dir(&snapshots).ok()?.flatten();
            folders.map(|snapshot| snapshot.path().join(file)).find(|path| path.is_file())
        };
        current.filter(|path| path.is_file()).or_else(any_snapshot)
    }
}

fn hub_cache() -> Option<PathBuf> {
    let env_path = |key: &str| env::var_os(key).filter(|v| !v.is_empty()).map(PathBuf::from);
    let cache = env_path("HF_HUB_CACHE")
        .or_else(|| Some(env_path("HF_HOME")?.join("hub")))
        .or_else(|| Some(env_path("XDG_CACHE_HOME")?.join("huggingface/hub")))
        .or_else(|| Some(BaseDirs::new()?.home_dir().join(".cache/huggingface/hub")));
    cache.filter(|folder| Path::is_dir(folder))
}
