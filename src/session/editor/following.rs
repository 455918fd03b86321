//! Detects changes of plugin files by other programs while the page is shown.

use crate::pet::library::read_text;
use crate::session::Session;

impl Session {
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
                if let Some((file, text)) = text
                    && session
                        .editor
                        .open
                        .as_ref()
                        .is_some_and(|open| open.file == Some(file))
                {
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
