//! The shortcuts, each once. What is shown of them is told by [`egui::Context::format_shortcut`], in the signs of the
//! system: Ctrl+K here is ⌘K on macOS.

use egui::{Key, KeyboardShortcut, Modifiers};

/// This key with Ctrl, or with ⌘.
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
/// Show the run to a whole room.
pub const PRESENT: KeyboardShortcut = alone(Key::F11);
/// Pause the run or let it go on, on Train.
pub const PAUSE: KeyboardShortcut = alone(Key::Space);
/// Take a change of the settings, or a stroke of a drawing, back.
pub const UNDO: KeyboardShortcut = with_command(Key::Z);
/// Put a change of the settings there again.
pub const REDO: KeyboardShortcut =
    KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::Z);
/// Ask about what the clipboard holds, on Predict: a paste event of the window.
pub const PASTE: KeyboardShortcut = with_command(Key::V);
/// Save the plugin that is written.
pub const SAVE_FILE: KeyboardShortcut = with_command(Key::S);
/// Find something in it.
pub const FIND: KeyboardShortcut = with_command(Key::F);
/// Save what was typed in a dialog.
pub const SAVE: KeyboardShortcut = with_command(Key::Enter);
/// Choose all runs of the list.
pub const ALL: KeyboardShortcut = with_command(Key::A);

/// What help tells of, beside the pages, by the names of messages.
pub const TOLD: [(KeyboardShortcut, &str); 10] = [
    (HELP, "keys-help"),
    (PALETTE, "keys-palette"),
    (START, "keys-start"),
    (STOP, "keys-stop"),
    (PAUSE, "keys-pause"),
    (PRESENT, "keys-present"),
    (UNDO, "keys-undo"),
    (REDO, "keys-redo"),
    (PASTE, "keys-paste"),
    (ALL, "keys-all"),
];
