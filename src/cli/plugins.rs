//! `plugins`: lists the PET plugins, with their equations on request.

use std::path::{Path, PathBuf};

use super::CommandOutcome;
use super::output::{JsonOutput, Table, print_problem, print_text};
use crate::pet::library::{PluginEntry, PluginLibrary, user_folder};
use crate::pet::spec::MAIN_SIZE;
use crate::pet::view::PluginFacts;
use crate::problem::{Problem, Result};
use crate::store::allow_plugin;

/// Options of `plugins`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Show these plugins in full: parameters, equations, reference
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Check a plugin file and list all errors, with exit code 1 if there are any; may be given several times
    #[arg(long, value_name = "FILE", conflicts_with = "names")]
    check: Vec<PathBuf>,
    /// Allow a plugin file to replace the built-in plugin of the same name
    #[arg(long, value_name = "FILE", conflicts_with_all = ["names", "check", "json"])]
    allow: Option<PathBuf>,
    #[command(flatten)]
    json: JsonOutput,
}

/// Lists the plugins. A broken one is listed, and its Problem is printed to standard error.
pub(super) fn run(args: &Args) -> Result<CommandOutcome> {
    args.json.check()?;
    if !args.check.is_empty() {
        return check_files(args);
    }
    if let Some(file) = &args.allow {
        return allow_file(file);
    }
    let library = PluginLibrary::standard();
    for name in &args.names {
        let mut entries = library.entries().iter();
        // The library reports unknown names with a suggestion.
        if !entries.any(|entry| entry.name.eq_ignore_ascii_case(name)) {
            library.get(name)?;
        }
    }
    let is_requested = |plugin: &PluginFacts| {
        let mut names = args.names.iter();
        args.names.is_empty() || names.any(|name| name.eq_ignore_ascii_case(&plugin.name))
    };
    let plugins: Vec<PluginFacts> = library.view(None).into_iter().filter(is_requested).collect();
    let text = if args.names.is_empty() {
        plugin_table(&plugins)
    } else {
        plugins.iter().map(describe).collect()
    };
    let problems: Vec<&Problem> = plugins.iter().filter_map(|p| p.problem.as_ref()).collect();
    for problem in &problems {
        print_problem(problem);
    }
    args.json.print_results(&plugins, &text)?;
    Ok(CommandOutcome::from_success(args.names.is_empty() || problems.is_empty()))
}

/// Records that a file may replace a built-in plugin.
fn allow_file(file: &Path) -> Result<CommandOutcome> {
    let entry = PluginEntry::from_file(file);
    entry.spec?;
    let folder = user_folder().ok_or_else(|| {
        Problem::new("this system has no folder to store this permission in")
            .advise("give the plugin another name")
    })?;
    allow_plugin(&folder, file)?;
    let shown = file.display();
    print_text(&format!("{shown} can now replace a built-in plugin\n"))?;
    Ok(CommandOutcome::Done)
}

/// Checks files separately, and prints the valid plugins in full.
fn check_files(args: &Args) -> Result<CommandOutcome> {
    let entries = args.check.iter().map(|path| PluginEntry::from_file(path));
    let plugins: Vec<PluginFacts> = entries.map(|entry| PluginFacts::new(&entry, None)).collect();
    let (valid, broken): (Vec<&PluginFacts>, Vec<&PluginFacts>) =
        plugins.iter().partition(|plugin| plugin.problem.is_none());
    for problem in broken.iter().filter_map(|plugin| plugin.problem.as_ref()) {
        print_problem(problem);
    }
    let text: String = valid.into_iter().map(describe).collect();
    args.json.print_results(&plugins, &text)?;
    Ok(CommandOutcome::from_success(broken.is_empty()))
}

fn plugin_table(plugins: &[PluginFacts]) -> String {
    let mut table =
        Table::new(&["name", "size", "sites", "variants", "starts as identity", "from"]);
    for plugin in plugins {
        if plugin.problem.is_some() {
            table.add_row([plugin.name.as_str(), "broken", "", "", "", &plugin.origin]);
            continue;
        }
        let main = plugin.sizes.iter().filter(|size| size.name == MAIN_SIZE);
        let sizes = main.map(|s| format!("{} ({}–{})", s.default, s.min, s.max));
        let forms = plugin.variants.iter().map(|variant| variant.name.clone());
        table.add_row([
            plugin.name.clone(),
            sizes.collect::<Vec<_>>().join(", "),
            plugin.sites.join(" or "),
            forms.collect::<Vec<_>>().join(", "),
            if plugin.starts_as_identity { "yes" } else { "no" }.to_string(),
            plugin.origin.clone(),
        ]);
    }
    table.to_string()
}

/// Returns a plugin with all of its parts as text.
fn describe(plugin: &PluginFacts) -> String {
    let mut text = format!("{} ({})\n", plugin.name, plugin.origin);
    for paragraph in [&plugin.description, &plugin.reference] {
        if !paragraph.trim().is_empty() {
            text += &format!("{}\n", paragraph.trim());
        }
    }
    for size in &plugin.sizes {
        let (name, default, min, max) = (&size.name, size.default, size.min, size.max);
        text += &format!("  {name} = {default} ({min}–{max}): {}\n", size.meaning);
    }
    for constant in &plugin.constants {
        let (name, default) = (&constant.name, constant.default);
        let range = constant.range.map(|[min, max]| format!(" ({min}–{max})"));
        let range = range.unwrap_or_default();
        text += &format!("  {name} = {default}{range}: {}\n", constant.meaning);
    }
    for parameter in &plugin.parameters {
        let fixed = if parameter.fixed { ", fixed" } else { "" };
        let shared = match parameter.shared {
            true => ", shared by all blocks",
            false => "",
        };
        let (name, shape, init) = (&parameter.name, &parameter.shape, &parameter.init);
        text += &format!("  {name}: {shape}, {init}{fixed}{shared}\n");
    }
    for variant in &plugin.variants {
        for equation in &variant.equations {
            let form = match variant.name.as_str() {
                "" => String::new(),
                name => format!(", {name}"),
            };
            text += &format!("  at {}{form}:\n", equation.sites.join(", "));
            for (name, step) in &equation.steps {
                let left = if name.is_empty() { "h'" } else { name };
                text += &format!("    {left} = {step}\n");
            }
        }
        if let Some(folded) = variant.folded() {
            text += &format!("  {folded}\n");
        }
    }
    text.push('\n');
    text
}
