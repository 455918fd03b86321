//! What there is to choose from: plugins, backbones, devices, stored runs.

use std::path::Path;

use crate::backbone::library::{self, Description, State};
use crate::metrics::Expert;
use crate::pet::library::Library;
use crate::session::views::{BackboneView, DeviceView, PluginView, RunRow, RunState, WeightsPlace};
use crate::{device, store};

/// The PET plugins.
pub(super) fn plugins() -> Vec<PluginView> {
    Library::standard()
        .view(None)
        .into_iter()
        .map(plugin)
        .collect()
}

fn plugin(view: crate::pet::view::PluginView) -> PluginView {
    let size = view
        .sizes
        .first()
        .map(|size| (size.min, size.default, size.max));
    let first = view.variants.first();
    let parameter = |p: crate::pet::view::ParameterView| (p.name, p.shape, p.init);
    PluginView {
        name: view.name.to_lowercase(),
        equations: first.map(equations).unwrap_or_default(),
        title: view.name,
        about: view
            .description
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
        origin: view.origin,
        parameters: view.parameters.into_iter().map(parameter).collect(),
        size: size.unwrap_or((1, 5, 512)),
        variants: view
            .variants
            .into_iter()
            .map(|variant| variant.name)
            .collect(),
        source: view.text,
        problem: view.problem,
    }
}

/// The steps of the default form, each with the site or step it belongs to.
fn equations(form: &crate::pet::view::VariantView) -> Vec<(String, String)> {
    let mut shown = Vec::new();
    for equation in &form.equations {
        let sites = equation.sites.join(", ");
        for (step, text) in &equation.steps {
            let label = if step.is_empty() { &sites } else { step };
            shown.push((label.clone(), text.clone()));
        }
    }
    shown
}

/// The backbones of the table.
pub(super) fn backbones() -> Vec<BackboneView> {
    let library = library::Library::usual();
    library
        .entries()
        .iter()
        .filter_map(|entry| library.describe(&entry.name).ok())
        .map(|about| backbone(&about))
        .collect()
}

/// What the window shows of a backbone.
pub(super) fn backbone(about: &Description) -> BackboneView {
    let entry = &about.entry;
    BackboneView {
        name: entry.name.clone(),
        title: entry.title.clone(),
        family: entry.architecture.family().to_string(),
        parameters: about.parameters,
        input_size: entry.architecture.input_size(),
        depth: about.blocks.len(),
        width: about.blocks.first().map_or(0, |block| block.width),
        place: match &about.state {
            State::Embedded => WeightsPlace::BuiltIn,
            State::Present(_) => WeightsPlace::Here,
            State::Absent { arrived } => WeightsPlace::Hub(*arrived),
        },
        megabytes: entry.size_mb,
        licence: entry.licence.clone(),
        pretrained_on: entry.pretrained_on.clone(),
        warning: entry.warning.clone(),
        assumed: about.assumed.clone(),
    }
}

/// The devices of this machine.
pub(super) fn devices() -> Vec<DeviceView> {
    let auto = device::choose("auto").map(|info| info.index).ok();
    device::list()
        .iter()
        .map(|info| DeviceView {
            key: if info.is_cpu() {
                "cpu".into()
            } else {
                info.selector()
            },
            title: if info.is_cpu() {
                format!("CPU · {}", info.name)
            } else {
                format!("GPU · {}", info.name)
            },
            kind: format!("{}, {}", info.kind.title(), info.api.title()),
            chosen_by_auto: Some(info.index) == auto,
        })
        .collect()
}

/// The stored runs.
pub(super) fn runs(root: &Path) -> Vec<RunRow> {
    store::list(root).into_iter().map(run_row).collect()
}

fn run_row(listed: store::Listed) -> RunRow {
    let mut row = RunRow {
        name: listed.run,
        folder: listed.folder,
        header: None,
        state: RunState::Finished,
        history: Default::default(),
        images_per_second: 0.0,
        drift: Vec::new(),
    };
    match listed.stored {
        Err(problem) => row.state = RunState::Damaged(problem),
        Ok(run) => {
            row.history = Expert::ALL.map(|expert| run.history(expert));
            row.images_per_second = run.images_per_second();
            row.drift = run
                .reports
                .iter()
                .map(|report| (report.online_drift, report.offline_drift))
                .collect();
            row.state = match run.state {
                store::RunState::Finished => RunState::Finished,
                store::RunState::Interrupted { task, .. } => RunState::Unfinished(task),
                store::RunState::Running => RunState::Busy,
            };
            row.header = Some(run.header);
        }
    }
    row
}
