//! The plan of the settings, computed on a helper thread whenever they change.

use std::sync::Arc;

use super::Session;
use super::views::{DataView, PlanView, PluginView};
use crate::method::Chosen;
use crate::run::config::RunConfig;

/// State of planning.
#[derive(Default)]
pub(super) struct Planning {
    /// The settings of the newest plan, finished or in progress, and whether their dataset was open.
    asked: Option<(RunConfig, bool)>,
    /// Whether a plan is being computed.
    busy: bool,
    /// The settings and plugins that `idle` was computed from.
    idle_of: Option<(RunConfig, Arc<[PluginView]>)>,
    /// The weight file for which the number of blocks must be set once the file is read.
    fit_blocks: Option<String>,
}

impl Planning {
    /// Marks the plan as outdated.
    pub fn renew(&mut self) {
        self.asked = None;
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
        if self.has_grid() {
            return self.is_grid_planned();
        }
        let planning = &self.experiment.planning;
        let now = (
            &self.experiment.draft,
            self.experiment.data.ready().is_some(),
        );
        let asked = planning.asked.as_ref();
        !planning.busy
            && !self.experiment.data.is_busy()
            && asked.is_some_and(|(config, with)| (config, *with) == now)
    }

    /// Returns whether the current settings can be trained.
    pub fn can_start(&self) -> bool {
        if self.has_grid() {
            return self.grid_to_do().is_some();
        }
        self.experiment.plan.problems.is_empty()
            && self.experiment.data.ready().is_some()
            && !self.is_downloading_weights()
    }

    /// Computes the settings that have no effect if the settings or the plugins have changed. They depend only on
    /// these, so they are always up to date, unlike the plan.
    pub(super) fn refresh_idle(&mut self) {
        let (draft, plugins) = (&self.experiment.draft, &self.inventory.plugins);
        let of = self.experiment.planning.idle_of.as_ref();
        if of.is_some_and(|(config, known)| config == draft && Arc::ptr_eq(known, plugins)) {
            return;
        }
        let chosen = Chosen::of(draft);
        let plugin = self.inventory.plugin_of(draft);
        self.experiment.idle = chosen.map_or_else(|_| Vec::new(), |chosen| chosen.idle(plugin));
        self.experiment.planning.idle_of = Some((draft.clone(), plugins.clone()));
    }

    /// Plans the settings again if they changed, with one request at a time.
    pub(super) fn refresh_plan(&mut self) {
        let there = self.experiment.data.ready().is_some();
        let same =
            |(config, with): &(RunConfig, bool)| *config == self.experiment.draft && *with == there;
        let known = self.experiment.planning.asked.as_ref().is_some_and(same);
        if self.experiment.planning.busy || self.experiment.data.is_busy() || known {
            return;
        }
        self.experiment.planning.busy = true;
        let data = self.experiment.data.ready().cloned();
        self.request_plan(self.experiment.draft.clone(), data, Self::accept_plan);
        self.experiment.planning.asked = Some((self.experiment.draft.clone(), there));
    }

    /// Plans settings with a dataset on a helper thread; `take` receives the plan.
    pub(super) fn request_plan(
        &mut self,
        config: RunConfig,
        data: Option<Arc<DataView>>,
        take: impl FnOnce(&mut Self, &RunConfig, PlanView) + Send + 'static,
    ) {
        let asked = config.clone();
        self.task(
            move |sources| Ok(sources.disk().plan(&config, data.as_deref())),
            move |session, plan| {
                let lost = |problem| PlanView {
                    problems: vec![problem],
                    ..PlanView::default()
                };
                take(session, &asked, plan.unwrap_or_else(lost));
            },
        );
    }

    fn accept_plan(&mut self, asked: &RunConfig, plan: PlanView) {
        self.experiment.planning.busy = false;
        let newest = self.experiment.planning.asked.as_ref();
        if newest.is_none_or(|(config, _)| config != asked) {
            return;
        }
        self.experiment.plan = plan;
        let fit = self.experiment.planning.fit_blocks.as_ref();
        if fit == Some(&asked.backbone)
            && asked.backbone == self.experiment.draft.backbone
            && let Some(backbone) = &self.experiment.plan.backbone
        {
            self.experiment.planning.fit_blocks = None;
            self.experiment.draft.blocks = backbone.entry.pet_blocks.to_string();
        }
    }
}
