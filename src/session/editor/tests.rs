//! Tests of results that arrive late, and of changes of the file by another program.

use super::*;
use crate::session::Disk;
use crate::session::backend::{Backend, RecordedBackend};

fn session() -> Session {
    let backend: Box<dyn Backend> = Box::new(RecordedBackend::default());
    let disk = Disk::new(PathBuf::from("nowhere"));
    Session::with_backend(backend, disk, RunConfig::default(), Arc::new(|| ()))
}

fn open_plugin(session: &mut Session, name: &str) -> (u64, u64) {
    session.open_text(StoredText {
        text: replace_name(new_plugin_text(), name),
        ..StoredText::default()
    });
    let open = session.editor.open.as_ref().unwrap();
    (open.first_version, open.version)
}

#[test]
fn ignores_late_results_for_previous_text() {
    let mut session = session();
    let before = open_plugin(&mut session, "Before");
    session.editor.trial = TrialState::Requested(crate::run::job::JobId::generate());
    let now = open_plugin(&mut session, "Now");
    assert!(matches!(session.editor.trial, TrialState::Idle));
    let wrong = ((1, 1), Diagnostic::new(0..1, "wrong"));
    let checked = PluginCheck { errors: vec![wrong], ..PluginCheck::default() };
    session.accept_check(before, checked.clone());
    let open = session.editor.open.as_ref().unwrap();
    assert!(open.errors.is_empty() && open.checked_version == 0);
    session.accept_check(now, checked);
    let open = session.editor.open.as_ref().unwrap();
    assert_eq!((open.errors.len(), open.checked_version), (1, now.1));
}

#[test]
fn text_closed_while_saving_is_not_lost() {
    let mut session = session();
    let first = open_plugin(&mut session, "First").0;
    let text = session.editor.open.as_ref().unwrap().text.clone();
    open_plugin(&mut session, "Second");
    // The result for the first text does not apply to the second.
    session.accept_saved_plugin((first, text.clone()), Ok("/plugins/first.toml".into()));
    let open = session.editor.open.as_ref().unwrap();
    assert_eq!((&open.file, &open.saved), (&None, &None));
    assert!(session.editor.closed.is_empty(), "it is in its file");
    // Both a text that could not be saved and a text that was never saved are kept.
    let third = open_plugin(&mut session, "Third").0;
    open_plugin(&mut session, "Fourth");
    session.accept_saved_plugin((third, text), Err(Problem::new("the disk is full")));
    let closed_names: Vec<Option<&str>> =
        session.editor.closed.iter().map(|closed| closed.name.as_deref()).collect();
    assert_eq!(closed_names, [Some("Second"), Some("Third")]);
    session.close_plugin();
    session.reopen_closed_text();
    assert_eq!(session.stored_text().unwrap().name.as_deref(), Some("Fourth"));
    assert_eq!(session.editor.closed.len(), 2);
}

#[test]
fn external_changes_load_unless_text_has_unsaved_changes() {
    let mut session = session();
    open_plugin(&mut session, "Mine");
    session.accept_disk_text("theirs".into());
    let mut open = session.editor.open.clone().unwrap();
    assert_eq!(open.saved.as_deref(), Some("theirs"), "what its file holds");
    session.accept_disk_text("theirs again".into());
    open = session.editor.open.clone().unwrap();
    assert_eq!(
        (open.disk_text.as_deref(), open.name.as_deref()),
        (Some("theirs again"), Some("Mine"))
    );
    session.resolve_conflict(true);
    session.accept_disk_text("and again".into());
    open = session.editor.open.clone().unwrap();
    assert_eq!(open.text, "and again", "nothing was changed here");
}

#[test]
fn copy_changes_only_plugin_name() {
    let text = "# of \"name\"\nname = \"Adapter\"\nsites = [\"mlp\"]\n";
    let copy = replace_name(text, "My \"own\"");
    assert_eq!(copy, "# of \"name\"\nname = \"My own\"\nsites = [\"mlp\"]\n");
    assert_eq!(name_span("sites = [\"mlp\"]"), None);
}
