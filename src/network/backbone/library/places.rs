//! Where weight files are on this computer and on the internet: the cache of the model hub's own tools
//! where a file is already there, else a folder of this program.

use std::env;
use std::path::{Path, PathBuf};

use directories::BaseDirs;

use super::entry::{BackboneEntry, WeightSource};
use crate::backbone::weights::sha256_of_bytes;
use crate::fetch::HUB;
use crate::files::{self, names::portable};
use crate::folders;

/// Folders and addresses the library works with.
#[derive(Clone, Debug)]
pub struct Places {
    /// Our own downloads, one folder per entry.
    pub cache: PathBuf,
    /// The cache of the hub's own tools, read but never written.
    pub hub_cache: Option<PathBuf>,
    /// Address of the hub, without a slash at its end.
    pub endpoint: String,
    /// Tables of the user, the later ones win.
    pub tables: Vec<PathBuf>,
}

impl Places {
    /// The usual places, as the environment says (`HF_ENDPOINT`, `HF_HUB_CACHE`, `HF_HOME`).
    pub fn usual() -> Self {
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

    /// The address of an entry's weights, if it has one.
    pub fn address(&self, entry: &BackboneEntry) -> Option<String> {
        match &entry.source {
            WeightSource::Hub {
                repository,
                file,
                revision,
            } => {
                let revision = revision.as_deref().unwrap_or("main");
                Some(self.resolved(repository, revision, file))
            }
            WeightSource::Url(url) => Some(url.clone()),
            WeightSource::Embedded | WeightSource::File(_) => None,
        }
    }

    /// The address of a repository's file.
    pub fn resolved(&self, repository: &str, revision: &str, file: &str) -> String {
        let endpoint = &self.endpoint;
        format!("{endpoint}/{repository}/resolve/{revision}/{file}")
    }

    /// The weights of a repository, if they are here: in our cache, or in that of the hub's tools.
    pub fn repository_file(&self, repository: &str) -> Option<PathBuf> {
        let own = self.repository_folder(repository);
        let hub = |file: &str| self.in_hub_cache(repository, file, None);
        let mut files = super::resolve::WEIGHT_FILES.iter();
        files.find_map(|file| {
            let here = Some(own.join(file)).filter(|path| path.is_file());
            here.or_else(|| hub(file))
        })
    }

    /// Where our own download of a repository goes.
    pub fn repository_folder(&self, repository: &str) -> PathBuf {
        let name = repository.replace('/', "--");
        self.cache.join(portable(&name))
    }

    /// Where our own download of an entry goes.
    pub fn own_file(&self, entry: &BackboneEntry) -> Option<PathBuf> {
        let file = match &entry.source {
            WeightSource::Hub { file, .. } => file.rsplit('/').next(),
            WeightSource::Url(url) => url.rsplit('/').next(),
            WeightSource::Embedded | WeightSource::File(_) => return None,
        };
        let plain = |c: char| {
            if c.is_alphanumeric() || "._-".contains(c) {
                c
            } else {
                '_'
            }
        };
        // An entry of the same name elsewhere, or of another commit, has other weights.
        let address = match &entry.source {
            WeightSource::Hub {
                repository,
                revision,
                ..
            } => format!("{repository}{}", revision.as_deref().unwrap_or_default()),
            WeightSource::Url(url) => url.clone(),
            WeightSource::Embedded | WeightSource::File(_) => String::new(),
        };
        let mark = &sha256_of_bytes(address.as_bytes())[..8];
        let name: String = entry.name.chars().map(plain).collect();
        let folder = format!("{}-{mark}", portable(&name));
        let file: String = file.unwrap_or("weights").chars().map(plain).collect();
        Some(self.cache.join(folder).join(portable(&file)))
    }

    /// The file of an entry in the hub's own cache, if it is there.
    pub fn hub_file(&self, entry: &BackboneEntry) -> Option<PathBuf> {
        let WeightSource::Hub {
            repository,
            file,
            revision,
        } = &entry.source
        else {
            return None;
        };
        self.in_hub_cache(repository, file, revision.as_deref())
    }

    fn in_hub_cache(
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
        let any = || {
            let folders = std::fs::read_dir(&snapshots).ok()?.flatten();
            folders
                .map(|one| one.path().join(file))
                .find(|path| path.is_file())
        };
        current.filter(|path| path.is_file()).or_else(any)
    }
}

fn hub_cache() -> Option<PathBuf> {
    let set = |key: &str| {
        env::var_os(key)
            .filter(|v| !v.is_empty())
            .map(PathBuf::from)
    };
    let cache = set("HF_HUB_CACHE")
        .or_else(|| Some(set("HF_HOME")?.join("hub")))
        .or_else(|| Some(set("XDG_CACHE_HOME")?.join("huggingface/hub")))
        .or_else(|| Some(BaseDirs::new()?.home_dir().join(".cache/huggingface/hub")));
    cache.filter(|folder| Path::is_dir(folder))
}
