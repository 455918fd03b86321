//! The script that a task of the array runs.

use std::path::Path;

use crate::files;
use crate::message;
use crate::problem::{Problem, Result};
use crate::run::config::quote_for_posix;
use crate::run::remote_machines::Slurm;

/// The included template of the script; users can use their own template instead.
pub const TEMPLATE: &str = r#"#!/bin/bash
{options}
# Requeue a run that the cluster interrupts.
#SBATCH --requeue
#SBATCH --open-mode=append
# Send a signal one minute before the time limit, to save the run.
#SBATCH --signal=B:TERM@60

# Each array task is one run of the grid. `exec` lets signals reach the program.
{setup}
exec {command}
"#;
/// The placeholder for the program's own command in a template.
const COMMAND: &str = "{command}";

/// Returns the script of a task with the options `slurm`. `name` is the name of the job in the queue, `folder` that of
/// the submission; relative paths in the grid file start in `working_folder`. The number of the run follows `command`,
/// which is the program with its arguments.
///
/// # Errors
/// Returns a Problem if the user's template cannot be read, or does not call the program.
pub(super) fn script_text(
    slurm: &Slurm,
    name: &str,
    folder: &Path,
    working_folder: &Path,
    command: &[String],
) -> Result<String> {
    let template_path = slurm.script.as_deref();
    let template = template_path.map(|path| {
        files::read_text(Path::new(path), files::TEXT)
            .map_err(|error| Problem::io("read the script's template", path, &error))
    });
    let template = template.transpose()?;
    let template = template.as_deref().unwrap_or(TEMPLATE);
    if !template.contains(COMMAND) {
        let what = message!("slurm-template-without-command", command = COMMAND);
        let problem = Problem::new(what).at(template_path.unwrap_or_default());
        return Err(problem.advise(message!("slurm-template-without-command-advice")));
    }
    let folder = folder.display().to_string();
    let options = [
        ("job-name=", Some(name.to_string())),
        ("output=", Some(format!("{folder}/logs/%A_%a.log"))),
        ("chdir=", Some(working_folder.display().to_string())),
        ("partition=", slurm.partition.clone()),
        ("account=", slurm.account.clone()),
        ("time=", slurm.time.clone()),
        ("gres=gpu:", slurm.gpus.map(|gpus| gpus.to_string())),
        ("mem=", slurm.memory.clone()),
        ("cpus-per-task=", slurm.cpus.map(|cpus| cpus.to_string())),
    ];
    let options = options.into_iter().filter_map(|(option, value)| {
        let option = quote_option(&format!("--{option}{}", value?));
        Some(format!("#SBATCH {option}"))
    });
    let modules = slurm.modules.iter();
    let modules = modules.map(|module| format!("module load {}", quote_for_posix(module)));
    let setup: Vec<String> = modules.chain(slurm.setup.iter().cloned()).collect();
    let command = command_text(&folder, command);
    Ok(template
        .replace("{options}", &Vec::from_iter(options).join("\n"))
        .replace("{setup}", setup.join("\n").trim_end())
        .replace(COMMAND, &command))
}

/// Returns the command that runs a cell, with the plugins and tables as they were at submission. Drivers in the user's
/// own folder are still found.
fn command_text(folder: &str, command: &[String]) -> String {
    let arguments: Vec<String> = command.iter().map(|word| quote_for_posix(word)).collect();
    let [data, cells] = ["data", "cells"].map(|part| quote_for_posix(&format!("{folder}/{part}")));
    format!(
        "env XDG_DATA_DIRS=\"${{XDG_DATA_HOME:-$HOME/.local/share}}:${{XDG_DATA_DIRS:-/usr/local/share:/usr/share}}\" \\\n    \
         XDG_DATA_HOME={data} \\\n    {} \\\n    --cells \"$((SLURM_ARRAY_TASK_ID + ${{1:-0}}))\" \\\n    \
         --json {cells}/\"$((SLURM_ARRAY_TASK_ID + ${{1:-0}})).json\"",
        arguments.join(" "),
    )
}

/// Quotes an option if necessary, so that a `#SBATCH` line reads it as one word.
fn quote_option(option: &str) -> String {
    match option.contains(|c: char| c.is_whitespace() || c == '#') {
        true => format!("\"{}\"", option.replace('"', "\\\"")),
        false => option.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_contains_the_options_and_the_command() {
        let slurm = Slurm {
            partition: Some("gpu".into()),
            time: Some("2:00:00".into()),
            gpus: Some(2),
            memory: Some("16G".into()),
            cpus: Some(8),
            modules: vec!["vulkan".into(), "tools/2 beta".into()],
            setup: vec!["export X=1".into()],
            ..Slurm::default()
        };
        let command = ["/opt/lae studio".to_string(), "grid".into()];
        let [folder, working_folder] = ["/runs/.slurm/mine", "/home/a b"].map(Path::new);
        let text = script_text(&slurm, "mine", folder, working_folder, &command).unwrap();
        for line in [
            "#SBATCH --partition=gpu",
            "#SBATCH --gres=gpu:2",
            "#SBATCH --mem=16G",
            "#SBATCH --cpus-per-task=8",
            "#SBATCH \"--chdir=/home/a b\"",
            "#SBATCH --output=/runs/.slurm/mine/logs/%A_%a.log",
            "module load 'tools/2 beta'",
            "export X=1",
            "'/opt/lae studio' grid",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert!(!text.contains("{options}") && !text.contains("--account"));
    }

    #[test]
    fn rejects_template_without_command() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "#!/bin/sh\necho hello\n").unwrap();
        let slurm = Slurm { script: Some(file.path().display().to_string()), ..Slurm::default() };
        let [folder, working_folder] = ["/runs", "/"].map(Path::new);
        let problem = script_text(&slurm, "mine", folder, working_folder, &[]).unwrap_err();
        assert!(problem.is("slurm-template-without-command"), "{problem}");
    }
}
