//! Runs on a remote machine: a real `sshd` on this one, with its own keys and port.

use std::fs;
use std::net::TcpListener;
use std::process::Child;

use super::*;
use crate::run_tables::{create_run as run_of, set_method};
use crate::teach::letters;

/// An SSH server that accepts a generated key, and a places file that names it.
pub(super) struct Lab {
    root: tempfile::TempDir,
    sshd: Child,
    port: u16,
}

impl Drop for Lab {
    fn drop(&mut self) {
        if let Some(daemon) = self.daemon() {
            let _ = Command::new("kill").args(["-KILL", &daemon]).status();
        }
        let _ = self.sshd.kill();
        let _ = self.sshd.wait();
    }
}

fn sshd_program() -> Option<PathBuf> {
    let candidates = ["/usr/sbin/sshd", "/usr/local/sbin/sshd", "/usr/bin/sshd"];
    let sshd = candidates.iter().map(PathBuf::from).find(|path| path.exists());
    let is_installed = |tool: &str| {
        let tool = Command::new(tool).arg("-V").stdin(Stdio::null()).output();
        tool.is_ok()
    };
    sshd.filter(|_| is_installed("ssh") && is_installed("ssh-keygen"))
}

impl Lab {
    /// `None`, with the reason printed, if OpenSSH is missing.
    pub(super) fn start() -> Option<Self> {
        Self::with_sshd_line("")
    }

    /// Like `start`, with one more line in the server's configuration.
    fn with_sshd_line(line: &str) -> Option<Self> {
        let Some(sshd) = sshd_program() else {
            skip("OpenSSH (ssh, sshd, ssh-keygen) is not installed");
            return None;
        };
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name).display().to_string();
        for key in ["host", "key"] {
            let words = ["-q", "-t", "ed25519", "-N", "", "-f", &path(key)];
            let status = Command::new("ssh-keygen").args(words).status().unwrap();
            assert!(status.success());
        }
        fs::copy(path("key.pub"), path("authorized")).unwrap();
        // A port that was free a moment ago.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        // Keeps files of the remote program apart from this user's own.
        let lines = [
            format!("Port {port}"),
            "ListenAddress 127.0.0.1".into(),
            format!("HostKey {}", path("host")),
            format!("AuthorizedKeysFile {}", path("authorized")),
            format!("PidFile {}", path("sshd.pid")),
            "StrictModes no".into(),
            "UsePAM no".into(),
            "PasswordAuthentication no".into(),
            "MaxStartups 1000".into(),
            format!(
                "SetEnv HOME={0} XDG_CACHE_HOME={0}/cache XDG_DATA_HOME={0}/data XDG_CONFIG_HOME={0}/config",
                path("there")
            ),
            line.into(),
        ];
        fs::write(path("config"), lines.join("\n")).unwrap();
        fs::create_dir_all(path("there")).unwrap();
        fs::create_dir_all("/run/sshd").ok();
        let log = fs::File::create(path("sshd.log")).unwrap();
        let sshd = Command::new(sshd)
            .args(["-D", "-e", "-f", &path("config")])
            .stdin(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let lab = Self { root, sshd, port };
        lab.write_places_file("lab", env!("CARGO_BIN_EXE_lae-studio"));
        let end = Instant::now() + Duration::from_secs(20);
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            if Instant::now() > end {
                let sshd_log = fs::read_to_string(lab.path("sshd.log")).unwrap_or_default();
                skip(&format!(
                    "sshd does not start here: {}",
                    sshd_log.lines().last().unwrap_or_default()
                ));
                return None;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(lab)
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Writes a places file with one machine of this name and program.
    fn write_places_file(&self, name: &str, program: &str) {
        let user = Command::new("id").arg("-un").output().unwrap().stdout;
        let user = String::from_utf8(user).unwrap();
        let text = format!(
            "[{name}]\nssh = \"{}@127.0.0.1\"\noptions = [\"-F\", \"none\", \"-p\", \"{}\", \"-i\", \"{}\", \
             \"-o\", \"IdentitiesOnly=yes\", \"-o\", \"StrictHostKeyChecking=no\", \"-o\", \"UserKnownHostsFile={}\"]\n\
             folder = \"{}\"\nprogram = \"{program}\"\ndevice = \"cpu\"\n",
            user.trim(),
            self.port,
            self.path("key").display(),
            self.path("known").display(),
            self.remote_root().display(),
        );
        fs::create_dir_all(self.local_root().join("config/lae-studio")).unwrap();
        fs::write(self.local_root().join("config/lae-studio/places.toml"), text).unwrap();
    }

    /// The text of the places file.
    pub(super) fn places_file(&self) -> String {
        fs::read_to_string(self.local_root().join("config/lae-studio/places.toml")).unwrap()
    }

    /// The local folder of runs.
    pub(super) fn local_root(&self) -> PathBuf {
        self.path("here")
    }

    /// The remote folder of runs.
    pub(super) fn remote_root(&self) -> PathBuf {
        self.path("there/runs")
    }

    /// The process id of the remote daemon.
    pub(super) fn daemon(&self) -> Option<String> {
        let text = fs::read_to_string(self.remote_root().join(".serve/lock")).ok()?;
        text.lines().next().map(str::to_string)
    }

    /// Removes the accepted key.
    pub(super) fn revoke_key(&self) {
        fs::write(self.path("authorized"), "").unwrap();
    }

    /// Makes images of two classes.
    pub(super) fn make_images(&self) {
        for class in ["dark", "light"] {
            let folder = self.path("pictures").join(class);
            fs::create_dir_all(&folder).unwrap();
            for number in 0..12u8 {
                let shade = if class == "dark" { number } else { 200 + number };
                let image = image::RgbImage::from_pixel(24, 24, image::Rgb([shade; 3]));
                image.save(folder.join(format!("{number}.png"))).unwrap();
            }
        }
    }

    pub(super) fn local_runs(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.local_root()).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.join("run.toml").exists()).collect()
    }
}

/// Kills a process.
pub(super) fn kill(process: &str) {
    let killed = Command::new("kill").args(["-KILL", process]).status();
    assert!(killed.unwrap().success());
}

/// The `ssh` processes that a program has started.
pub(super) fn ssh_clients(process: &Child) -> Vec<String> {
    let output = Command::new("ps")
        .args(["-o", "pid=,comm=", "--ppid", &process.id().to_string()])
        .output()
        .unwrap();
    let process_list = String::from_utf8(output.stdout).unwrap();
    let ssh = process_list.lines().filter(|line| line.ends_with("ssh"));
    ssh.filter_map(|line| Some(line.split_whitespace().next()?.to_string())).collect()
}

/// Asserts that two runs have the same snapshots, predictions and plugin.
fn assert_same_files(first: &Path, other: &Path) {
    for file in ["task_1.safetensors", "task_3.safetensors", "confusion/task_3.csv", "plugin.toml"]
    {
        let [a, b] = [first, other].map(|run| fs::read(run.join(file)).unwrap());
        assert!(a == b, "{file} differs");
    }
}

#[test]
fn remote_run_equals_local_run_and_is_downloaded() {
    let Some(lab) = Lab::start() else { return };
    let checked = json(&run_json(&["places", "--check"], &lab.local_root()));
    assert_eq!(checked[0]["name"], "lab");
    assert_eq!(checked[0]["answers"]["version"], env!("CARGO_PKG_VERSION"));
    let local = lab.path("local");
    let expected = json(&run_json(&[SLOWER, &["--quiet"]].concat(), &local));
    let words = [SLOWER, &["--quiet", "--place", "lab"]].concat();
    let trained = json(&run_json(&words, &lab.local_root()));
    assert_eq!(essence(&trained), essence(&expected));
    assert_eq!(trained["place"], "lab");
    let local_runs = lab.local_runs();
    assert_eq!(local_runs.len(), 1);
    assert_same_files(&local_runs[0], &only_run(&local));
    assert!(!lab.local_root().join(".coming").exists());
    // The downloaded run predicts locally and is listed on both machines.
    let stroke = stroke_image(lab.root.path());
    let words = ["predict", "latest", stroke.to_str().unwrap(), "--device", "cpu"];
    let prediction = run(&words, &lab.local_root());
    assert_eq!(prediction.status.code(), Some(0), "{}", stderr(&prediction));
    let listed = json(&run_json(&["runs", "--place", "lab"], &lab.local_root()));
    assert_eq!(listed[0]["run"], trained["run"]);
    // It is found by its remote name even if its local folder is renamed.
    let renamed = lab.local_root().join("mine");
    fs::rename(&local_runs[0], &renamed).unwrap();
    let resumed = run_json(&["resume", "--place", "lab", "mine"], &lab.local_root());
    assert_eq!(essence(&json(&resumed)), essence(&expected));
    assert_eq!(lab.local_runs(), std::slice::from_ref(&renamed));
    // `latest` is the latest run of the remote machine.
    fs::remove_dir_all(&renamed).unwrap();
    let resumed = run_json(&["resume", "--place", "lab", "latest"], &lab.local_root());
    assert_eq!(essence(&json(&resumed)), essence(&expected));
    assert_eq!(lab.local_runs().len(), 1);
}

#[test]
fn remote_runs_list_accepts_local_options() {
    let Some(lab) = Lab::start() else { return };
    let remote_root = lab.remote_root();
    for method in ["lae", "l2p"] {
        run_of(&remote_root, 2, &|header| {
            set_method(header, method, method, true);
        });
    }
    run_of(&remote_root, 1, &|header| header.config.seed = 7);
    let file = lab.path("rows.json");
    let words = [
        "runs",
        "--place",
        "lab",
        "--where",
        "epochs >= 1",
        "--by",
        "method,seed",
        "--columns",
        "final",
        "--sort",
        "-method",
        "--against",
        "method = l2p",
        "--unfinished",
        "--json",
        file.to_str().unwrap(),
    ];
    let output = run(&words, &lab.local_root());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("Final accuracy vs.") && text.contains("1 of 2"), "{text}");
    let rows: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let methods = rows.as_array().unwrap().iter();
    let methods: Vec<&Value> = methods.map(|row| &row["by"]["method"]).collect();
    assert_eq!(methods, ["lae", "lae", "l2p"]);
}

/// Trains remotely while the connection is killed up to `most` times; returns the number of cuts.
fn train_with_cuts(lab: &Lab, words: &[&str], max_cuts: usize) -> (usize, Output) {
    let words = [words, &["--quiet", "--place", "lab", "--json", "-"]].concat();
    let mut command = program_command(&words, &lab.local_root());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut cuts = 0;
    while child.try_wait().unwrap().is_none() {
        // Each connection lasts a little longer than the one before, then the cycle restarts.
        std::thread::sleep(Duration::from_millis(600 + 100 * (cuts as u64 % 8)));
        for client in ssh_clients(&child) {
            if cuts < max_cuts && lab.daemon().is_some() {
                let killed = Command::new("kill").args(["-KILL", &client]).status().unwrap();
                cuts += usize::from(killed.success());
            }
        }
    }
    (cuts, child.wait_with_output().unwrap())
}

#[test]
fn connection_loss_does_not_change_result() {
    let Some(lab) = Lab::start() else { return };
    let local = lab.path("local");
    let expected = json(&run_json(&[SLOWER, &["--quiet"]].concat(), &local));
    let (cuts, output) = train_with_cuts(&lab, SLOWER, 12);
    assert_eq!(essence(&json(&output)), essence(&expected), "after {cuts} cuts");
    assert!(cuts > 2, "{cuts}");
    assert_same_files(&lab.local_runs()[0], &only_run(&local));
    // Requests repeated after a cut were executed once.
    let remote_entries =
        fs::read_dir(lab.remote_root()).unwrap().map(|entry| entry.unwrap().path());
    assert_eq!(remote_entries.filter(|path| path.join("run.toml").exists()).count(), 1);
}

/// Repeats runs until a hundred cuts are reached.
#[test]
#[ignore = "takes some minutes"]
fn hundred_connection_losses_do_not_change_result() {
    let Some(lab) = Lab::start() else { return };
    let local = lab.path("local");
    let expected = json(&run_json(&[SLOWER, &["--quiet"]].concat(), &local));
    let mut cuts = 0;
    while cuts < 100 {
        let (new_cuts, output) = train_with_cuts(&lab, SLOWER, 100 - cuts);
        assert_eq!(essence(&json(&output)), essence(&expected), "after {new_cuts} cuts");
        assert!(new_cuts > 0, "a run finished before it could be cut");
        cuts += new_cuts;
    }
    for run in lab.local_runs() {
        assert_same_files(&run, &only_run(&local));
    }
}

#[test]
fn detached_run_resumes_after_engine_is_killed() {
    let Some(lab) = Lab::start() else { return };
    let local = lab.path("local");
    let expected = json(&run_json(&[SLOWER, &["--quiet"]].concat(), &local));
    let detached = run(&[SLOWER, &["--place", "lab", "--detach"]].concat(), &lab.local_root());
    assert_eq!(detached.status.code(), Some(0), "{}", stderr(&detached));
    assert!(stderr(&detached).contains("resume --place lab"), "{}", stderr(&detached));
    // Its engine is killed in the middle.
    let remote_run = || first_run_folder(&lab.remote_root());
    let end = Instant::now() + crate::TIMEOUT;
    while !remote_run().is_some_and(|run| run.join("confusion/task_1.csv").exists()) {
        assert!(Instant::now() < end, "the first task did not finish in time");
        std::thread::sleep(Duration::from_millis(5));
    }
    let daemon = lab.daemon().unwrap();
    assert!(Command::new("kill").args(["-KILL", &daemon]).status().unwrap().success());
    let name = remote_run().unwrap().file_name().unwrap().to_str().unwrap().to_string();
    let words = ["resume", "--place", "lab", &name, "--quiet"];
    let resumed = json(&run_json(&words, &lab.local_root()));
    assert_eq!(essence(&resumed), essence(&expected));
    assert_same_files(&lab.local_runs()[0], &only_run(&local));
}

fn first_run_folder(root: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(root).ok()?;
    let mut paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.find(|path| path.join("run.toml").exists())
}

#[test]
fn ctrl_c_stops_remote_run_and_downloads_checkpoint() {
    let Some(lab) = Lab::start() else { return };
    let mut child = program_command(&[SLOWER, &["--place", "lab"]].concat(), &lab.local_root())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(&mut child, || {
        Some(first_run_folder(&lab.remote_root())?.join("resume/checkpoint.safetensors"))
    });
    let output = interrupt(child);
    let stderr_text = stderr(&output);
    assert!(stderr_text.contains("--place lab"), "{stderr_text}");
    let local_run = &lab.local_runs()[0];
    assert!(local_run.join("resume/checkpoint.safetensors").exists());
    // A run stopped remotely resumes locally as well.
    let resumed = json(&run_json(&["resume", "latest", "--quiet"], &lab.local_root()));
    assert_eq!(resumed["state"], "finished");
}

#[test]
fn download_preserves_locally_added_tasks() {
    let Some(lab) = Lab::start() else { return };
    let words = [QUICK, &["--quiet", "--place", "lab"]].concat();
    run_json(&words, &lab.local_root());
    let added = letters("AB", 10);
    let source = added.path().to_str().unwrap();
    let taught = json(&run_json(&["teach", "latest", source, "--quiet"], &lab.local_root()));
    assert_eq!(taught["task"], 6);
    let local_run = lab.local_runs().remove(0);
    fs::write(local_run.join("notes.txt"), "mine").unwrap();
    // A missing local file is downloaded again.
    fs::remove_file(local_run.join("task_2.safetensors")).unwrap();
    let downloaded = json(&run_json(&["resume", "--place", "lab", "latest"], &lab.local_root()));
    assert_eq!(downloaded["lessons"], json(&run_json(&["runs"], &lab.local_root()))[0]["lessons"]);
    assert_eq!(downloaded["lessons"][0]["classes"], serde_json::json!(["A", "B"]));
    assert!(local_run.join("lessons/task_6/pictures/0001.png").exists());
    assert!(local_run.join("task_2.safetensors").exists() && local_run.join("notes.txt").exists());
}

/// Trains remotely until the run has this file, then stops it.
fn stop_remote_run_at(lab: &Lab, file: &str) {
    let mut child = program_command(&[SLOWER, &["--place", "lab"]].concat(), &lab.local_root())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(&mut child, || Some(first_run_folder(&lab.remote_root())?.join(file)));
    interrupt(child);
}

#[test]
fn rejects_remote_resume_of_run_with_local_tasks() {
    let Some(lab) = Lab::start() else { return };
    stop_remote_run_at(&lab, "confusion/task_1.csv");
    let added = letters("AB", 10);
    let words = ["teach", "latest", added.path().to_str().unwrap(), "--quiet"];
    let task = json(&run_json(&words, &lab.local_root()))["task"].clone();
    let local_run = lab.local_runs().remove(0);
    let lesson_file = local_run.join(format!("lessons/task_{task}/lesson.toml"));
    let message = run_expecting_error(&["resume", "--place", "lab", "latest"], &lab.local_root());
    assert_says!(message, "problem-stopped-run-has-added-tasks");
    assert!(lesson_file.exists());
    // The remote run continues on its own; downloading it does not overwrite the locally added task.
    let remote_run = first_run_folder(&lab.remote_root()).unwrap();
    let daemon = lab.daemon().unwrap();
    kill(&daemon);
    let resumed = run(&["resume", remote_run.to_str().unwrap(), "--quiet"], &lab.remote_root());
    assert_eq!(resumed.status.code(), Some(0), "{}", stderr(&resumed));
    let message = run_expecting_error(&["resume", "--place", "lab", "latest"], &lab.local_root());
    assert_says!(message, "place-run-has-added-tasks");
    assert!(lesson_file.exists());
    json(&run_json(&["teach", "latest", "--undo"], &lab.local_root()));
    let downloaded = json(&run_json(&["resume", "--place", "lab", "latest"], &lab.local_root()));
    assert_eq!((&downloaded["state"], &downloaded["task_count"]), (&"finished".into(), &3.into()));
}

#[test]
fn remote_resume_accepts_smaller_micro_batch() {
    let Some(lab) = Lab::start() else { return };
    stop_remote_run_at(&lab, "resume/checkpoint.safetensors");
    let words = ["resume", "--place", "lab", "latest", "--quiet", "--micro-batch", "4"];
    let resumed = json(&run_json(&words, &lab.local_root()));
    assert_eq!(resumed["config"]["micro_batch"], 4, "{}", resumed["config"]);
}

#[test]
fn images_are_uploaded_once() {
    let Some(lab) = Lab::start() else { return };
    let images = lab.path("pictures");
    lab.make_images();
    // Linked files are uploaded, hidden files are not.
    let linked = images.join("light/11.png");
    fs::rename(&linked, lab.path("elsewhere.png")).unwrap();
    std::os::unix::fs::symlink(lab.path("elsewhere.png"), &linked).unwrap();
    fs::copy(&linked, images.join("dark/.12.png")).unwrap();
    let data = images.to_str().unwrap();
    let settings = [
        "train",
        "--data",
        data,
        "--epochs",
        "1",
        "--freeze-epochs",
        "0",
        "--classes-per-task",
        "1",
        "--backbone",
        "lae-nano",
        "--device",
        "cpu",
        "--json",
        "-",
    ];
    let local = json(&run(&settings, &lab.path("local")));
    let first = run(&[&settings[..], &["--place", "lab"]].concat(), &lab.local_root());
    assert_eq!(essence(&json(&first)), essence(&local));
    assert_says!(stderr(&first), "doing-copying-files", n = 24);
    let second = run(&[&settings[..], &["--place", "lab"]].concat(), &lab.local_root());
    assert_eq!(essence(&json(&second)), essence(&local));
    assert!(!stderr(&second).contains("copying"), "{}", stderr(&second));
}

#[test]
fn uploads_table_column_with_its_images() {
    let Some(lab) = Lab::start() else { return };
    lab.make_images();
    let row = |class: &str, number: u8| {
        let parity = ["even", "odd"][usize::from(number % 2)];
        format!("{class}/{number}.png,{parity},{class}\n")
    };
    let rows = ["dark", "light"].map(|class| (0..12).map(|number| row(class, number)).collect());
    let rows: [String; 2] = rows;
    let lists = lab.path("pictures/lists");
    fs::create_dir(&lists).unwrap();
    let table = lists.join("all.csv");
    fs::write(&table, format!("file,parity,shade\n{}", rows.concat())).unwrap();
    fs::write(lab.path("private.png"), "not to be carried").unwrap();
    let data = format!("{}#parity", table.display());
    let words = ["--epochs", "1", "--classes-per-task", "1", "--device", "cpu"];
    let method = ["--freeze-epochs", "0", "--backbone", "lae-nano", "--json", "-"];
    let settings = [&["train", "--data", &data][..], &words, &method].concat();
    let local = json(&run(&settings, &lab.path("local")));
    let remote = run(&[&settings[..], &["--place", "lab"]].concat(), &lab.local_root());
    assert_eq!(essence(&json(&remote)), essence(&local));
    let stderr_text = stderr(&remote);
    assert_says!(stderr_text, "doing-copying-files", n = 25);
}

#[test]
fn concurrent_uploads_of_same_files_succeed() {
    let Some(lab) = Lab::start() else { return };
    lab.make_images();
    // Large enough for the uploads to overlap.
    let bytes: Vec<u8> = (0..48u32 << 20).map(|n| (n >> 8) as u8).collect();
    fs::write(lab.path("pictures/large.bin"), bytes).unwrap();
    // The second program uploads another dataset with the same large file.
    copy_folder(&lab.path("pictures"), &lab.path("others"));
    fs::write(lab.path("others/more.txt"), "more").unwrap();
    let start_run = |data: &str| {
        let data = lab.path(data);
        let words = ["--place", "lab", "--detach", "--classes-per-task", "1"];
        let words = [&words[..], &["--epochs", "1", "--train-limit", "4"]].concat();
        let words = [&["train", "--data", data.to_str().unwrap()], &words[..]].concat();
        let mut command = program_command(&words, &lab.local_root());
        command.stderr(Stdio::piped()).spawn().unwrap()
    };
    let processes = ["pictures", "others", "pictures"].map(start_run);
    for program in processes {
        let output = program.wait_with_output().unwrap();
        let stderr_text = stderr(&output);
        assert_eq!(output.status.code(), Some(0), "{stderr_text}");
    }
    let sets = fs::read_dir(lab.remote_root().join(".data")).unwrap();
    let large = sets.map(|set| set.unwrap().path().join("large.bin"));
    assert_eq!(large.filter(|file| file.is_file()).count(), 2);
}

/// Installs a custom plugin and a table of backbones locally only.
pub(super) fn install_custom_plugin_and_backbone(lab: &Lab) {
    let data = lab.local_root().join("data/lae-studio");
    fs::create_dir_all(data.join("plugins")).unwrap();
    let lora = include_str!("../../../plugins/lora.toml");
    let plugin = lora.replace("\"LoRA\"", "\"Mine\"").replace("e @ a_k", "2 * e @ a_k");
    fs::write(data.join("plugins/mine.toml"), plugin).unwrap();
    let nano = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/lae-nano.safetensors");
    fs::copy(nano, data.join("nano.safetensors")).unwrap();
    let table = include_str!("../../../assets/backbones.toml");
    let start = table.find("name = \"lae-nano\"").unwrap();
    let end = table[start..].find("[[").map_or(table.len(), |end| start + end);
    let entry = table[start..end]
        .replace("\"lae-nano\"", "\"my-nano\"")
        .replace("embedded = true", "file = \"nano.safetensors\"");
    fs::write(data.join("backbones.toml"), format!("[[backbone]]\n{entry}")).unwrap();
}

#[test]
fn uploads_custom_plugins_and_backbones() {
    let Some(lab) = Lab::start() else { return };
    install_custom_plugin_and_backbone(&lab);
    let file = lab.local_root().join("data/lae-studio/nano.safetensors");
    for backbone in ["my-nano", file.to_str().unwrap()] {
        let pet_and_backbone = ["--pet", "mine", "--backbone", backbone, "--quiet"];
        let words = [QUICK, &pet_and_backbone].concat();
        let mut expected =
            program_command(&[&words[..], &["--json", "-"]].concat(), &lab.path("local"));
        let expected = expected.env("XDG_DATA_HOME", lab.local_root().join("data"));
        let expected = json(&expected.output().unwrap());
        let trained = run_json(&[&words[..], &["--place", "lab"]].concat(), &lab.local_root());
        assert_eq!(essence(&json(&trained)), essence(&expected), "{backbone}");
        // The same content is uploaded once, whatever its name.
        let is_first = backbone == "my-nano";
        let copied = tr!("copied-backbone");
        let is_copied = says!(stderr(&trained), "doing-copying-files", n = 1, what = copied);
        assert_eq!(is_copied, is_first);
        // The downloaded run predicts with the local files.
        let stroke = stroke_image(lab.root.path());
        let words = ["predict", "latest", stroke.to_str().unwrap(), "--device", "cpu"];
        let prediction = run(&words, &lab.local_root());
        assert_eq!(prediction.status.code(), Some(0), "{}", stderr(&prediction));
    }
}

#[test]
fn uploads_adapter_of_pet_start() {
    let Some(lab) = Lab::start() else { return };
    let folder = lab.local_root().join("adapter");
    let adapter_path = initial_lora::write_adapter(
        &folder,
        initial_lora::CONFIG,
        2,
        &[0, 3],
        initial_lora::KEYS_AND_VALUES,
    );
    let pet_options = ["--pet", "lora", "--pet-size", "2", "--pet-start", &adapter_path];
    let words = [QUICK, &pet_options, &["--quiet"]].concat();
    let expected = json(&run_json(&words, &lab.path("local")));
    let trained = run_json(&[&words[..], &["--place", "lab"]].concat(), &lab.local_root());
    assert_eq!(essence(&json(&trained)), essence(&expected));
    let stderr_text = stderr(&trained);
    let copied = tr!("copied-adapter");
    assert_says!(stderr_text, "doing-copying-files", n = 2, what = copied);
    // The downloaded run has its own copy.
    fs::remove_dir_all(folder).unwrap();
    let words = ["check", "latest", "--train", "--quiet", "--json", "-"];
    let report = json(&run(&words, &lab.local_root()));
    assert_eq!(report["verdict"], "equal", "{report}");
}

#[test]
fn remote_run_with_custom_plugin_and_backbone_resumes() {
    let Some(lab) = Lab::start() else { return };
    install_custom_plugin_and_backbone(&lab);
    let pet_and_backbone = ["--pet", "mine", "--backbone", "my-nano"];
    let words = [SLOWER, &pet_and_backbone, &["--place", "lab"]].concat();
    let mut child = program_command(&words, &lab.local_root())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(&mut child, || {
        Some(first_run_folder(&lab.remote_root())?.join("resume/checkpoint.safetensors"))
    });
    interrupt(child);
    let resumed = run_json(&["resume", "--place", "lab", "latest", "--quiet"], &lab.local_root());
    assert_eq!(json(&resumed)["state"], "finished");
}

/// A small file system, unmounted when dropped.
struct SmallDisk(PathBuf);

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

impl SmallDisk {
    /// `None`, with the reason printed, if this user may not mount.
    fn mount(folder: PathBuf, size: &str) -> Option<Self> {
        fs::create_dir_all(&folder).unwrap();
        let words = ["-t", "tmpfs", "-o", size, "tmpfs"];
        let mounted = Command::new("mount").args(words).arg(&folder).output();
        if !mounted.is_ok_and(|output| output.status.success()) {
            skip("only root can mount a small file system");
            return None;
        }
        Some(Self(folder))
    }
}

#[test]
fn reports_full_remote_disk() {
    let Some(lab) = Lab::start() else { return };
    let Some(_disk) = SmallDisk::mount(lab.remote_root(), "size=64k") else {
        return;
    };
    // Enough space for the daemon to start, but not for the run.
    let words = [QUICK, &["--quiet", "--place", "lab"]].concat();
    let message = run_expecting_error(&words, &lab.local_root());
    assert_says!(message, "place-disk-full-what", place = "lab");
    assert!(message.contains("where: lab: "), "{message}");
    assert_says!(message, "place-disk-full-advice");
    // Not enough space for the daemon either.
    let daemon = lab.daemon().unwrap();
    let ended = Command::new("kill").args(["-KILL", &daemon]).status();
    assert!(ended.unwrap().success());
    let _ = fs::write(lab.remote_root().join("full"), vec![1; 1 << 20]);
    fs::remove_dir_all(lab.remote_root().join(".serve")).unwrap();
    let _ = fs::write(lab.remote_root().join("fuller"), vec![1; 1 << 20]);
    let message = run_expecting_error(&words, &lab.local_root());
    assert_says!(message, "place-disk-full", place = "lab");
    assert_says!(message, "place-disk-full-advice");
}

#[test]
fn reports_unreachable_remote_machines() {
    let Some(lab) = Lab::start() else { return };
    let train = [QUICK, &["--place", "lab"]].concat();
    let message = run_expecting_error(&[QUICK, &["--place", "lob"]].concat(), &lab.local_root());
    assert!(message.contains(&tr!("advice-did-you-mean", name = "lab")), "{message}");
    lab.write_places_file("lab", "no-such-program");
    let message = run_expecting_error(&train, &lab.local_root());
    assert_says!(message, "place-program-not-found", program = "no-such-program", place = "lab");
    assert_says!(message, "place-program-not-found-advice");
    // A program of another version says so in its first frame.
    let head = r#"{"message":{"Hello":{"protocol":9,"version":"9.9.9","system":"linux","processor":"x86_64","folder":"/","instance":5}}}"#;
    let script = lab.path("other-version");
    let length = head.len().to_le_bytes();
    let length: String = length[..4].iter().map(|byte| format!("\\{byte:03o}")).collect();
    let text = format!(
        "#!/bin/sh\nprintf 'LAE\\001{length}\\000\\000\\000\\000'\nprintf '%s' '{head}'\ncat > /dev/null\n"
    );
    fs::write(&script, text).unwrap();
    let made = Command::new("chmod").args(["755", script.to_str().unwrap()]).status();
    assert!(made.unwrap().success());
    lab.write_places_file("lab", script.to_str().unwrap());
    let message = run_expecting_error(&train, &lab.local_root());
    assert_says!(message, "place-version-differs", theirs = "9.9.9");
    // A program that speaks another protocol.
    fs::write(&script, "#!/bin/sh\nhead -c 200000 /dev/zero\ncat > /dev/null\n").unwrap();
    let message = run_expecting_error(&train, &lab.local_root());
    assert!(message.contains("an invalid message"), "{message}");
    // A rejected key, then a port without a server.
    lab.write_places_file("lab", env!("CARGO_BIN_EXE_lae-studio"));
    lab.revoke_key();
    let message = run_expecting_error(&train, &lab.local_root());
    assert_says!(message, "place-ssh-key-rejected");
    let file = lab.local_root().join("config/lae-studio/places.toml");
    let text = fs::read_to_string(&file).unwrap();
    let text = text.replace(&format!("\"{}\"", lab.port), "\"1\"");
    fs::write(&file, text).unwrap();
    let message = run_expecting_error(&train, &lab.local_root());
    assert_says!(message, "place-host-not-responding");
    fs::write(&file, "[lab]\nssh = \"no-such-host.invalid\"\noptions = [\"-F\", \"none\"]\n")
        .unwrap();
    let message = run_expecting_error(&train, &lab.local_root());
    assert_says!(message, "place-host-unknown");
    fs::write(&file, "[lab]\nshs = \"lab\"\n").unwrap();
    let message = run_expecting_error(&train, &lab.local_root());
    assert!(message.contains("line 2, column 1"), "{message}");
}

#[test]
fn supports_fish_and_tcsh_login_shells() {
    for shell in ["fish", "tcsh"] {
        let shell_check = Command::new(shell).args(["-c", "true"]).output();
        if !shell_check.is_ok_and(|output| output.status.success()) {
            skip(&format!("{shell} is not installed"));
            continue;
        }
        let line = format!("ForceCommand exec {shell} -c \"$SSH_ORIGINAL_COMMAND\"");
        let Some(lab) = Lab::with_sshd_line(&line) else {
            return;
        };
        // A path that every shell would split.
        let remote_root = lab.remote_root();
        let file = lab.local_root().join("config/lae-studio/places.toml");
        let text = lab.places_file().replace(
            &format!("{}\"", remote_root.display()),
            &format!("{}/it's a $HOME!x\"", remote_root.display()),
        );
        fs::write(file, text).unwrap();
        let copied = run(&["places", "--copy", "lab"], &lab.local_root());
        assert_eq!(copied.status.code(), Some(0), "{shell}: {}", stderr(&copied));
        let trained =
            run_json(&[QUICK, &["--quiet", "--place", "lab"]].concat(), &lab.local_root());
        assert_eq!(json(&trained)["place"], "lab", "{shell}");
        assert!(remote_root.join("it's a $HOME!x/.program/lae-studio").exists());
        let lock = fs::read_to_string(remote_root.join("it's a $HOME!x/.serve/lock")).unwrap();
        kill(lock.lines().next().unwrap());
    }
}

#[test]
fn places_copy_installs_missing_program() {
    let Some(lab) = Lab::start() else { return };
    lab.write_places_file("lab", "no-such-program");
    let copied = run(&["places", "--copy", "lab"], &lab.local_root());
    assert_eq!(copied.status.code(), Some(0), "{}", stderr(&copied));
    let checked = json(&run_json(&["places", "--check"], &lab.local_root()));
    assert_eq!(checked[0]["answers"]["version"], env!("CARGO_PKG_VERSION"));
}
