//! The demo opens no network connection, observed from outside.

use super::*;

/// Runs a program under `strace`; returns its output and the network calls that it and its children made. `None` if
/// `strace` is missing or not permitted.
fn run_traced(command: &Command, folder: &Path) -> Option<(Output, Vec<String>)> {
    let calls = folder.join("calls.txt");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-e", "trace=%network", "-o"]);
    strace.arg(&calls).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        strace.env(name, value.unwrap_or_default());
    }
    let output = strace.stdin(Stdio::null()).output().ok()?;
    let calls = std::fs::read_to_string(calls).ok()?;
    Some((output, calls.lines().map(str::to_string).collect()))
}

/// The sockets of a program, polled every few milliseconds until it exits.
fn poll_sockets(command: &mut Command) -> Vec<String> {
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = quiet.spawn().unwrap();
    let handles = PathBuf::from(format!("/proc/{}/fd", child.id()));
    let mut sockets_seen = Vec::new();
    while child.try_wait().unwrap().is_none() {
        let entries = std::fs::read_dir(&handles).into_iter().flatten().flatten();
        let targets = entries.filter_map(|entry| std::fs::read_link(entry.path()).ok());
        let targets = targets.map(|target| target.display().to_string());
        sockets_seen.extend(targets.filter(|target| target.starts_with("socket:")));
        std::thread::sleep(Duration::from_millis(3));
    }
    assert!(child.wait().unwrap().success());
    sockets_seen
}

#[test]
fn demo_run_opens_no_socket() {
    let runs = tempfile::tempdir().unwrap();
    let demo = |device: &'static str| {
        let words: Vec<&str> =
            QUICK.iter().map(|word| if *word == "cpu" { device } else { word }).collect();
        program_command(&words, runs.path())
    };
    let Some((output, calls)) = run_traced(&demo("cpu"), runs.path()) else {
        eprintln!("strace cannot be used: open sockets are polled instead");
        assert_eq!(poll_sockets(&mut demo("cpu")), Vec::<String>::new());
        return;
    };
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(calls, Vec::<String>::new());
    // GPU drivers may talk to the desktop, but not to other machines.
    let reaches_network = |calls: &[String]| calls.iter().any(|call| call.contains("AF_INET"));
    let (output, calls) = run_traced(&demo("auto"), runs.path()).unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(!reaches_network(&calls), "{calls:?}");
    // Control: a download is detected.
    let image = stroke_image(runs.path());
    let words = ["features", "vit_tiny_patch16_224", "--image", image.to_str().unwrap()];
    let mut download = program_command(&words, runs.path());
    download.env("HF_ENDPOINT", "http://127.0.0.1:9");
    let (_, calls) = run_traced(&download, runs.path()).unwrap();
    assert!(reaches_network(&calls), "{calls:?}");
}
