//! The shortcuts, each defined once. [`named`] formats them for the system: Ctrl+K is ⌘K on
//! macOS.

use egui::{Context, Key, KeyboardShortcut, ModifierNames, Modifiers};

use crate::tr;

/// Returns a shortcut in the words of the system and the window's language: "Ctrl+K", "Strg+K", "⌘K".
pub fn named(ctx: &Context, keys: &KeyboardShortcut) -> String {
    translated(&ctx.format_shortcut(keys))
}

/// Replaces English names of keys by those of the window's language.
pub fn translated(keys: &str) -> String {
    let names = ModifierNames::NAMES;
    keys.replace(names.ctrl, tr!("keys-ctrl"))
        .replace(names.shift, tr!("keys-shift"))
}

/// Returns this key with Ctrl, or with ⌘.
pub const fn with_command(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND, key)
}

const fn alone(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::NONE, key)
}

/// List all commands.
pub const PALETTE: KeyboardShortcut = with_command(Key::K);
/// Open help.
pub const HELP: KeyboardShortcut = alone(Key::F1);
/// Start training.
pub const START: KeyboardShortcut = with_command(Key::Enter);
/// Stop the run.
pub const STOP: KeyboardShortcut = with_command(Key::Period);
/// Open the presenter view.
pub const PRESENT: KeyboardShortcut = alone(Key::F11);
/// Pause or resume the run, on Train.
pub const PAUSE: KeyboardShortcut = alone(Key::Space);
/// Undo a change of the settings, or a stroke of a drawing.
pub const UNDO: KeyboardShortcut = with_command(Key::Z);
/// Redo a change of the settings.
pub const REDO: KeyboardShortcut =
    KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::Z);
/// Predict the image in the clipboard, on Predict: a paste event of the window.
pub const PASTE: KeyboardShortcut = with_command(Key::V);
/// Save the edited plugin.
pub const SAVE_FILE: KeyboardShortcut = with_command(Key::S);
/// Search in it.
pub const FIND: KeyboardShortcut = with_command(Key::F);
/// Save the content of a dialog.
pub const SAVE: KeyboardShortcut = with_command(Key::Enter);
/// Select all runs of the list.
pub const ALL: KeyboardShortcut = with_command(Key::A);

/// The shortcuts listed in help besides those of the pages, by message.
pub const TOLD: [(KeyboardShortcut, &str); 10] = [
    (HELP, "keys-open-help"),
    (PALETTE, "keys-open-palette"),
    (START, "keys-start-training"),
    (STOP, "keys-stop-run"),
    (PAUSE, "keys-pause"),
    (PRESENT, "keys-presenter-view"),
    (UNDO, "keys-undo"),
    (REDO, "keys-redo"),
    (PASTE, "keys-paste-image"),
    (ALL, "keys-select-all-runs"),
];
