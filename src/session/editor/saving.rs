//! Saving the open plugin, using it, installing its file, and following changes of plugin files by other programs.

use std::path::{Path, PathBuf};

use super::Written;
use crate::pet::library::read_text;
use crate::problem::Problem;
use crate::session::Session;
use crate::store::{self, PluginSave};
use crate::tr;

impl Session {
    /// Returns the folder of the user's own plugins.
    pub fn plugin_folder(&self) -> Option<PathBuf> {
        self.tasks.sources().disk().plugins.clone()
    }

    /// Saves the open text.
    pub fn save_plugin(&mut self) {
        let Some(open) = &mut self.editor.open else {
            return;
        };
        if open.saving {
            return;
        }
        let name = open.name.clone().or_else(|| {
            let file = open.file.as_deref().and_then(Path::file_stem)?;
            Some(file.to_string_lossy().into_owned())
        });
        let Some(name) = name else {
            let problem = Problem::new(tr!("editor-problem-no-name"));
            open.problem = Some(problem.advise(tr!("editor-advice-write-name")));
            self.editor.to_use = None;
            return;
        };
        let save = PluginSave {
            text: open.text.clone(),
            name,
            file: open.file.clone(),
            from: open.from.clone(),
            allowed: open.allowed,
        };
        open.saving = true;
        open.problem = None;
        let (first, text) = (open.first, save.text.clone());
        self.task(
            move |sources| store::save_plugin(sources.disk().own_plugins()?, &save),
            move |session, saved| session.accept_saved_plugin((first, text), saved),
        );
    }

    pub(super) fn accept_saved_plugin(
        &mut self,
        (first, text): (u64, String),
        saved: Result<PathBuf, Problem>,
    ) {
        self.editor.saves += 1;
        let Some(open) = self.opened_as(first) else {
            // The text was closed in the meantime; once it is saved, it need not be kept.
            match saved {
                Ok(_) => {
                    self.editor.left.retain(|left| left.text != text);
                    self.read_plugins();
                }
                Err(problem) => self.notify(problem, true),
            }
            return;
        };
        open.saving = false;
        match saved {
            Ok(file) => {
                open.file = Some(file);
                open.saved = Some(text);
                open.from = None;
                open.theirs = None;
                self.read_plugins();
            }
            Err(problem) => {
                open.problem = Some(problem);
                self.editor.to_use = None;
            }
        }
    }

    /// Allows the open plugin to replace the built-in plugin of its name, and saves it.
    pub fn allow_open_plugin(&mut self) {
        if let Some(open) = &mut self.editor.open {
            open.allowed = true;
            self.save_plugin();
        }
    }

    /// Allows a plugin file to replace the built-in plugin of its name.
    pub fn allow_plugin(&mut self, file: PathBuf) {
        self.task_or_notify(
            move |sources| store::allow_plugin(sources.disk().own_plugins()?, &file),
            |session, ()| session.read_plugins(),
        );
    }

    /// Selects the open plugin on Experiment. Unsaved changes are saved first.
    pub fn use_plugin(&mut self) {
        let Some(open) = &self.editor.open else {
            return;
        };
        self.editor.to_use = open.name.as_ref().map(|name| name.to_lowercase());
        match open.is_changed() {
            true => self.save_plugin(),
            false => self.use_listed(),
        }
    }

    /// Selects the plugin in `to_use` once it is listed without problems.
    pub(in crate::session) fn use_listed(&mut self) {
        let Some(name) = &self.editor.to_use else {
            return;
        };
        let mut sound = self.inventory.plugins.iter();
        if sound.any(|own| own.name == *name && own.problem.is_none()) {
            let name = name.clone();
            self.editor.to_use = None;
            self.editor.used = true;
            self.choose_pet(&name);
        }
    }

    /// Returns whether a plugin was selected since the last call, so that Experiment must be shown.
    pub fn take_used(&mut self) -> bool {
        std::mem::take(&mut self.editor.used)
    }

    /// Opens a copy of the text under another name, to be saved as another file.
    pub fn duplicate_plugin(&mut self) {
        let Some(open) = &self.editor.open else {
            return;
        };
        let name = open.name.as_deref().unwrap_or(tr!("editor-default-name"));
        let text = super::renamed(&open.text, &tr!("editor-default-name-copy", name));
        self.open_text(Written {
            text,
            ..Written::default()
        });
    }

    /// Opens a plugin file that was dropped on the window, so that the user sees it before it is installed.
    pub fn reread_plugin(&mut self, file: PathBuf) {
        self.task_or_notify(
            move |_| Ok((read_text(&file)?, file)),
            |session, (text, file)| {
                session.open_text(Written {
                    text,
                    from: Some(file),
                    ..Written::default()
                });
            },
        );
    }

    /// Resolves a conflict: adopts the text that another program wrote to the file, or keeps the edited text.
    pub fn settle_plugin(&mut self, take_theirs: bool) {
        let Some(open) = &mut self.editor.open else {
            return;
        };
        let Some(theirs) = open.theirs.take() else {
            return;
        };
        open.saved = Some(theirs.clone());
        if take_theirs {
            self.edit_plugin(theirs);
        }
    }

    /// Checks whether plugin files changed, and reads them again if so.
    pub fn reread_plugins(&mut self) {
        if self.editor.looking {
            return;
        }
        self.editor.looking = true;
        let (before, saves) = (self.editor.seen.clone(), self.editor.saves);
        let open = self.editor.open.as_ref().and_then(|open| open.file.clone());
        self.task(
            move |sources| {
                let seen = sources.disk().plugin_files();
                if before.as_ref() == Some(&seen) {
                    return Ok(None);
                }
                let text = open.and_then(|file| {
                    let text = read_text(&file).ok()?;
                    Some((file, text))
                });
                // Nothing is read at the first check, because the files were read when the window opened.
                Ok(Some((seen, text, before.is_some())))
            },
            move |session, looked| {
                session.editor.looking = false;
                let Ok(Some((seen, text, changed))) = looked else {
                    return;
                };
                let saving = session.editor.open.as_ref().is_some_and(|open| open.saving);
                if saving || session.editor.saves != saves {
                    // The file may have been read before it was saved; the next check will read it again.
                    return;
                }
                session.editor.seen = Some(seen);
                let open = session.editor.open.as_ref();
                let open = open.and_then(|open| open.file.clone());
                if let Some((_, text)) = text.filter(|(file, _)| Some(file) == open.as_ref()) {
                    session.read_disk(text);
                }
                if changed {
                    session.read_plugins();
                }
            },
        );
    }

    /// Handles a new text of the open plugin's file: adopts it, unless there are unsaved changes.
    pub(super) fn read_disk(&mut self, text: String) {
        let Some(open) = &mut self.editor.open else {
            return;
        };
        if open.saved.as_ref() == Some(&text) {
            return;
        }
        let first = open.saved.is_none();
        let untouched = !first && !open.is_changed();
        if untouched && open.text != text {
            open.saved = Some(text.clone());
            self.edit_plugin(text);
        } else if first || open.text == text {
            open.saved = Some(text);
        } else {
            open.theirs = Some(text);
        }
    }
}
