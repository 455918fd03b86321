//! The shortcuts, each defined once. [`format_shortcut`] formats them for the system: Ctrl+K is ⌘K on
//! macOS.

use egui::{Context, InputState, Key, KeyboardShortcut, ModifierNames, Modifiers};

use crate::tr;

/// Returns the name of a shortcut for the system and the window's language: "Ctrl+K", "Strg+K", "⌘K".
pub fn format_shortcut(ctx: &Context, keys: &KeyboardShortcut) -> String {
    translate_keys(&ctx.format_shortcut(keys))
}

/// Replaces the English names of keys by the names in the window's language.
pub fn translate_keys(keys: &str) -> String {
    let names = ModifierNames::NAMES;
    keys.replace(names.ctrl, tr!("keys-ctrl"))
        .replace(names.shift, tr!("keys-shift"))
        .replace(Key::Space.name(), tr!("keys-space"))
        .replace(Key::Period.name(), ".")
}

/// Returns the shortcut of this key with Ctrl, or with ⌘ on macOS.
pub const fn with_command(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND, key)
}

const fn without_modifiers(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::NONE, key)
}

/// Returns whether [`UNDO`] was pressed, and consumes it. egui would also match [`REDO`] for it.
pub fn consume_undo(input: &mut InputState) -> bool {
    !input.consume_shortcut(&REDO) && input.consume_shortcut(&UNDO)
}

/// Opens the command palette.
pub const PALETTE: KeyboardShortcut = with_command(Key::K);
/// Opens help.
pub const HELP: KeyboardShortcut = without_modifiers(Key::F1);
/// Starts training.
pub const START: KeyboardShortcut = with_command(Key::Enter);
/// Stops the run.
pub const STOP: KeyboardShortcut = with_command(Key::Period);
/// Opens the presenter view.
pub const PRESENT: KeyboardShortcut = without_modifiers(Key::F11);
/// Pauses or resumes the run on Train.
pub const PAUSE: KeyboardShortcut = without_modifiers(Key::Space);
/// Undoes a change of the settings or a stroke of a drawing.
pub const UNDO: KeyboardShortcut = with_command(Key::Z);
/// Redoes a change of the settings.
pub const REDO: KeyboardShortcut =
    KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::Z);
/// Predicts the image in the clipboard on Predict. The window receives a paste event for it.
pub const PASTE: KeyboardShortcut = with_command(Key::V);
/// Saves the plugin that is being edited.
pub const SAVE_FILE: KeyboardShortcut = with_command(Key::S);
/// Searches in the plugin that is being edited.
pub const FIND: KeyboardShortcut = with_command(Key::F);
/// Saves the content of a dialog.
pub const SAVE: KeyboardShortcut = with_command(Key::Enter);
/// Selects all runs of the list.
pub const SELECT_ALL: KeyboardShortcut = with_command(Key::A);

/// The shortcuts that help lists in addition to those of the pages, with their messages.
pub const HELP_ENTRIES: [(KeyboardShortcut, &str); 10] = [
    (HELP, "keys-open-help"),
    (PALETTE, "keys-open-palette"),
    (START, "keys-start-training"),
    (STOP, "keys-stop-run"),
    (PAUSE, "keys-pause"),
    (PRESENT, "keys-presenter-view"),
    (UNDO, "keys-undo"),
    (REDO, "keys-redo"),
    (PASTE, "keys-paste-image"),
    (SELECT_ALL, "keys-select-all-runs"),
];
