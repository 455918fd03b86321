//! Saving the open plugin, using it, installing its file, and following changes of plugin files by other programs.

use std::path::{Path, PathBuf};

use super::StoredText;
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
        if open.is_saving {
            return;
        }
        let name = open.name.clone().or_else(|| {
            let file = open.file.as_deref().and_then(Path::file_stem)?;
            Some(file.to_string_lossy().into_owned())
        });
        let Some(name) = name else {
            let problem = Problem::new(tr!("editor-problem-no-name"));
            open.problem = Some(problem.advise(tr!("editor-advice-write-name")));
            self.editor.pending_selection = None;
            return;
        };
        let save = PluginSave {
            text: open.text.clone(),
            name,
            file: open.file.clone(),
            source: open.install_from.clone(),
            allow_replace: open.may_replace_builtin,
        };
        open.is_saving = true;
        open.problem = None;
        let (first, text) = (open.first_version, save.text.clone());
        self.task(
            move |sources| store::save_plugin(sources.disk().user_plugin_folder()?, &save),
            move |session, saved| session.accept_saved_plugin((first, text), saved),
        );
    }

    pub(super) fn accept_saved_plugin(
        &mut self,
        (first, text): (u64, String),
        saved: Result<PathBuf, Problem>,
    ) {
        self.editor.save_count += 1;
        let Some(open) = self.open_version(first) else {
            // The text was closed in the meantime; once it is saved, it need not be kept.
            match saved {
                Ok(_) => {
                    self.editor.closed.retain(|closed| closed.text != text);
                    self.read_plugins();
                }
                Err(problem) => self.notify(problem, true),
            }
            return;
        };
        open.is_saving = false;
        match saved {
            Ok(file) => {
                open.file = Some(file);
                open.saved = Some(text);
                open.install_from = None;
                open.disk_text = None;
                self.read_plugins();
            }
            Err(problem) => {
                open.problem = Some(problem);
                self.editor.pending_selection = None;
            }
        }
    }

    /// Allows the open plugin to replace the built-in plugin of its name, and saves it.
    pub fn allow_open_plugin(&mut self) {
        if let Some(open) = &mut self.editor.open {
            open.may_replace_builtin = true;
            self.save_plugin();
        }
    }

    /// Allows a plugin file to replace the built-in plugin of its name.
    pub fn allow_plugin(&mut self, file: PathBuf) {
        self.task_or_notify(
            move |sources| store::allow_plugin(sources.disk().user_plugin_folder()?, &file),
            |session, ()| session.read_plugins(),
        );
    }

    /// Selects the open plugin on Experiment. Unsaved changes are saved first.
    pub fn use_plugin(&mut self) {
        let Some(open) = &self.editor.open else {
            return;
        };
        self.editor.pending_selection = open.name.as_ref().map(|name| name.to_lowercase());
        match open.has_unsaved_changes() {
            true => self.save_plugin(),
            false => self.use_listed_plugin(),
        }
    }

    /// Selects the plugin in `pending_selection` once it is listed without problems.
    pub(in crate::session) fn use_listed_plugin(&mut self) {
        let Some(name) = &self.editor.pending_selection else {
            return;
        };
        let mut plugins = self.inventory.plugins.iter();
        if plugins.any(|plugin| plugin.name == *name && plugin.problem.is_none()) {
            let name = name.clone();
            self.editor.pending_selection = None;
            self.editor.was_selected = true;
            self.choose_pet(&name);
        }
    }

    /// Returns whether a plugin was selected since the last call, so that Experiment must be shown.
    pub fn take_was_selected(&mut self) -> bool {
        std::mem::take(&mut self.editor.was_selected)
    }

    /// Opens a copy of the text under another name, to be saved as another file.
    pub fn duplicate_plugin(&mut self) {
        let Some(open) = &self.editor.open else {
            return;
        };
        let name = open.name.as_deref().unwrap_or(tr!("editor-default-name"));
        let text = super::replace_name(&open.text, &tr!("editor-default-name-copy", name));
        self.open_text(StoredText { text, ..StoredText::default() });
    }

    /// Opens a plugin file that was dropped on the window, so that the user sees it before it is installed.
    pub fn open_dropped_plugin(&mut self, file: PathBuf) {
        self.task_or_notify(
            move |_| Ok((read_text(&file)?, file)),
            |session, (text, file)| {
                session.open_text(StoredText { text, from: Some(file), ..StoredText::default() });
            },
        );
    }

    /// Resolves a conflict: adopts the text that another program wrote to the file, or keeps the edited text.
    pub fn resolve_conflict(&mut self, use_disk_text: bool) {
        let Some(open) = &mut self.editor.open else {
            return;
        };
        let Some(disk_text) = open.disk_text.take() else {
            return;
        };
        open.saved = Some(disk_text.clone());
        if use_disk_text {
            self.edit_plugin(disk_text);
        }
    }

    /// Checks whether plugin files changed, and reads them again if so.
    pub fn check_plugin_files(&mut self) {
        if self.editor.is_checking_files {
            return;
        }
        self.editor.is_checking_files = true;
        let (previous, saves) = (self.editor.file_states.clone(), self.editor.save_count);
        let open = self.editor.open.as_ref().and_then(|open| open.file.clone());
        self.task(
            move |sources| {
                let states = sources.disk().plugin_files();
                if previous.as_ref() == Some(&states) {
                    return Ok(None);
                }
                let text = open.and_then(|file| {
                    let text = read_text(&file).ok()?;
                    Some((file, text))
                });
                // Nothing is read at the first check, because the files were read when the window opened.
                Ok(Some((states, text, previous.is_some())))
            },
            move |session, result| {
                session.editor.is_checking_files = false;
                let Ok(Some((states, text, changed))) = result else {
                    return;
                };
                let is_saving = session.editor.open.as_ref().is_some_and(|open| open.is_saving);
                if is_saving || session.editor.save_count != saves {
                    // The file may have been read before it was saved; the next check will read it again.
                    return;
                }
                session.editor.file_states = Some(states);
                let open = session.editor.open.as_ref();
                let open = open.and_then(|open| open.file.clone());
                if let Some((_, text)) = text.filter(|(file, _)| Some(file) == open.as_ref()) {
                    session.accept_disk_text(text);
                }
                if changed {
                    session.read_plugins();
                }
            },
        );
    }

    /// Handles a new text of the open plugin's file: adopts it, unless there are unsaved changes.
    pub(super) fn accept_disk_text(&mut self, text: String) {
        let Some(open) = &mut self.editor.open else {
            return;
        };
        if open.saved.as_ref() == Some(&text) {
            return;
        }
        let is_first_read = open.saved.is_none();
        let is_untouched = !is_first_read && !open.has_unsaved_changes();
        if is_untouched && open.text != text {
            open.saved = Some(text.clone());
            self.edit_plugin(text);
        } else if is_first_read || open.text == text {
            open.saved = Some(text);
        } else {
            open.disk_text = Some(text);
        }
    }
}
