//! Tests of results that arrive late, and of changes of the file by another program.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::session::Disk;
use crate::session::backend::{Backend, Recorded};

fn session() -> Session {
    let backend: Box<dyn Backend> = Box::new(Recorded::default());
    let disk = Disk::at(PathBuf::from("nowhere"));
    Session::with(backend, disk, RunConfig::default(), Arc::new(|| ()))
}

fn opened(session: &mut Session, name: &str) -> (u64, u64) {
    session.open_text(Written {
        text: renamed(blank(), name),
        ..Written::default()
    });
    let open = session.editor.open.as_ref().unwrap();
    (open.first, open.version)
}

#[test]
fn what_comes_late_of_another_text_lands_nowhere() {
    let mut session = session();
    let before = opened(&mut session, "Before");
    session.editor.trying = TrialState::Asked(crate::run::job::JobId::fresh());
    let now = opened(&mut session, "Now");
    assert!(matches!(session.editor.trying, TrialState::Not));
    let wrong = ((1, 1), Diagnostic::new(0..1, "wrong"));
    let checked = Checked {
        mistakes: vec![wrong],
        ..Checked::default()
    };
    session.accept_check(before, checked.clone());
    let open = session.editor.open.as_ref().unwrap();
    assert!(open.mistakes.is_empty() && open.checked == 0);
    session.accept_check(now, checked);
    let open = session.editor.open.as_ref().unwrap();
    assert_eq!((open.mistakes.len(), open.checked), (1, now.1));
}

#[test]
fn a_text_that_is_closed_while_it_is_saved_is_lost_by_nobody() {
    let mut session = session();
    let first = opened(&mut session, "First").0;
    let text = session.editor.open.as_ref().unwrap().text.clone();
    opened(&mut session, "Second");
    // The result for the first text does not apply to the second.
    session.accept_saved_plugin((first, text.clone()), Ok("/plugins/first.toml".into()));
    let open = session.editor.open.as_ref().unwrap();
    assert_eq!((&open.file, &open.saved), (&None, &None));
    assert!(session.editor.left.is_empty(), "it is in its file");
    // Both a text that could not be saved and a text that was never saved are kept.
    let third = opened(&mut session, "Third").0;
    opened(&mut session, "Fourth");
    session.accept_saved_plugin((third, text), Err(Problem::new("the disk is full")));
    let left: Vec<Option<&str>> = session
        .editor
        .left
        .iter()
        .map(|left| left.name.as_deref())
        .collect();
    assert_eq!(left, [Some("Second"), Some("Third")]);
    session.close_plugin();
    session.reopen_closed_text();
    assert_eq!(session.written().unwrap().name.as_deref(), Some("Fourth"));
    assert_eq!(session.editor.left.len(), 2);
}

#[test]
fn what_another_program_wrote_is_taken_over_and_never_over_changes() {
    let mut session = session();
    opened(&mut session, "Mine");
    session.read_disk("theirs".into());
    let mut open = session.editor.open.clone().unwrap();
    assert_eq!(open.saved.as_deref(), Some("theirs"), "what its file holds");
    session.read_disk("theirs again".into());
    open = session.editor.open.clone().unwrap();
    assert_eq!(
        (open.theirs.as_deref(), open.name.as_deref()),
        (Some("theirs again"), Some("Mine"))
    );
    session.settle_plugin(true);
    session.read_disk("and again".into());
    open = session.editor.open.clone().unwrap();
    assert_eq!(open.text, "and again", "nothing was changed here");
}

#[test]
fn a_copy_has_the_same_text_under_another_name() {
    let text = "# of \"name\"\nname = \"Adapter\"\nsites = [\"mlp\"]\n";
    let copy = renamed(text, "My \"own\"");
    assert_eq!(
        copy,
        "# of \"name\"\nname = \"My own\"\nsites = [\"mlp\"]\n"
    );
    assert_eq!(name_span("sites = [\"mlp\"]"), None);
}
