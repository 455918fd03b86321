//! The plan of the settings, computed on a helper thread whenever they change.

use std::sync::Arc;

use super::Session;
use super::views::{DataView, PlanView, PluginView};
use crate::method::ConfiguredMethod;
use crate::run::config::RunConfig;

/// State of planning.
#[derive(Default)]
pub(super) struct Planning {
    /// The settings of the newest plan, finished or in progress, and whether their dataset was open.
    requested: Option<(RunConfig, bool)>,
    /// Whether a plan is being computed.
    is_busy: bool,
    /// The settings and plugins that `idle` was computed from.
    idle_source: Option<(RunConfig, Arc<[PluginView]>)>,
    /// The weight file for which the number of blocks must be set once the file is read.
    fit_blocks: Option<String>,
}

impl Planning {
    /// Marks the plan as outdated.
    pub fn invalidate(&mut self) {
        self.requested = None;
    }
}

impl Session {
    /// Selects a weight file as the backbone. A suitable number of blocks with a PET is set once the file is read.
    pub fn choose_weights(&mut self, path: String) {
        self.experiment.draft.backbone.clone_from(&path);
        self.experiment.draft.pretrained_transform = true;
        self.experiment.draft.backbone_set = None;
        self.experiment.planning.fit_blocks = Some(path);
    }

    /// Returns whether the plan of the current settings or of the grid is up to date.
    pub fn is_planned(&self) -> bool {
        match self.has_grid() {
            true => self.is_grid_planned(),
            false => self.is_draft_planned(),
        }
    }

    /// Returns whether the plan of the current settings is up to date, even if there is a grid.
    pub(super) fn is_draft_planned(&self) -> bool {
        let planning = &self.experiment.planning;
        let current = (&self.experiment.draft, self.experiment.data.ready().is_some());
        let requested = planning.requested.as_ref();
        !planning.is_busy
            && !self.experiment.data.is_busy()
            && requested.is_some_and(|(config, had_data)| (config, *had_data) == current)
    }

    /// Returns whether the current settings or their grid can be trained.
    pub fn can_start(&self) -> bool {
        match self.has_grid() {
            true => self.remaining_grid_runs().is_some(),
            false => self.can_start_draft(),
        }
    }

    /// Returns whether a single run with the current settings can be trained, even if there is a grid.
    pub(super) fn can_start_draft(&self) -> bool {
        self.experiment.plan.problems.is_empty()
            && self.experiment.data.ready().is_some()
            && !self.is_downloading_weights()
    }

    /// Computes the settings that have no effect if the settings or the plugins have changed. They depend only on
    /// these, so they are always up to date, unlike the plan.
    pub(super) fn refresh_idle(&mut self) {
        let (draft, plugins) = (&self.experiment.draft, &self.inventory.plugins);
        let source = self.experiment.planning.idle_source.as_ref();
        if source.is_some_and(|(config, old_plugins)| {
            config == draft && Arc::ptr_eq(old_plugins, plugins)
        }) {
            return;
        }
        let chosen = ConfiguredMethod::from_config(draft);
        let plugin = self.inventory.plugin_of(draft);
        self.experiment.idle =
            chosen.map_or_else(|_| Vec::new(), |chosen| chosen.unused_settings(plugin));
        self.experiment.planning.idle_source = Some((draft.clone(), plugins.clone()));
    }

    /// Plans the settings again if they changed, with one request at a time.
    pub(super) fn refresh_plan(&mut self) {
        let has_data = self.experiment.data.ready().is_some();
        let is_same = |(config, had_data): &(RunConfig, bool)| {
            *config == self.experiment.draft && *had_data == has_data
        };
        let is_known = self.experiment.planning.requested.as_ref().is_some_and(is_same);
        if self.experiment.planning.is_busy || self.experiment.data.is_busy() || is_known {
            return;
        }
        self.experiment.planning.is_busy = true;
        let data = self.experiment.data.ready().cloned();
        self.request_plan(self.experiment.draft.clone(), data, Self::accept_plan);
        self.experiment.planning.requested = Some((self.experiment.draft.clone(), has_data));
    }

    /// Plans settings with a dataset on a helper thread; `on_plan` receives the plan.
    pub(super) fn request_plan(
        &mut self,
        config: RunConfig,
        data: Option<Arc<DataView>>,
        on_plan: impl FnOnce(&mut Self, &RunConfig, PlanView) + Send + 'static,
    ) {
        let requested = config.clone();
        self.task(
            move |sources| Ok(sources.disk().plan(&config, data.as_deref())),
            move |session, plan| {
                let failed_plan =
                    |problem| PlanView { problems: vec![problem], ..PlanView::default() };
                on_plan(session, &requested, plan.unwrap_or_else(failed_plan));
            },
        );
    }

    fn accept_plan(&mut self, requested: &RunConfig, plan: PlanView) {
        self.experiment.planning.is_busy = false;
        let newest = self.experiment.planning.requested.as_ref();
        if newest.is_none_or(|(config, _)| config != requested) {
            return;
        }
        self.experiment.plan = plan;
        let weights = self.experiment.planning.fit_blocks.as_ref();
        if weights == Some(&requested.backbone)
            && requested.backbone == self.experiment.draft.backbone
            && let Some(backbone) = &self.experiment.plan.backbone
        {
            self.experiment.planning.fit_blocks = None;
            self.experiment.draft.blocks = backbone.entry.pet_blocks.to_string();
        }
    }
}
