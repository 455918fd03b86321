//! What the settings come to: worked out by a task whenever they change.

use std::sync::Arc;

use super::Session;
use super::views::{DataView, PlanView, PluginView};
use crate::method::Chosen;
use crate::run::config::RunConfig;

/// What is known of the plan beside itself.
#[derive(Default)]
pub(super) struct Planning {
    /// The settings that the newest plan is of or is worked out for, and whether their data set was open.
    asked: Option<(RunConfig, bool)>,
    /// Whether a plan is being worked out.
    busy: bool,
    /// What the settings without effect are of.
    idle_of: Option<(RunConfig, Arc<[PluginView]>)>,
    /// The weight file that the blocks are to follow once it is known.
    fit_blocks: Option<String>,
}

impl Planning {
    /// What the plan is made of has changed.
    pub fn renew(&mut self) {
        self.asked = None;
    }
}

impl Session {
    /// Makes a weight file the backbone; as many blocks get a PET as suits it.
    pub fn choose_weights(&mut self, path: String) {
        self.experiment.draft.backbone.clone_from(&path);
        self.experiment.planning.fit_blocks = Some(path);
    }

    /// Whether it is known what the settings, or the grid, as they stand come to.
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

    /// Whether the settings as they stand can be trained.
    pub fn can_start(&self) -> bool {
        if self.has_grid() {
            return self.grid_to_do().is_some();
        }
        self.experiment.plan.problems.is_empty()
            && self.experiment.data.ready().is_some()
            && !self.is_downloading_weights()
    }

    /// Finds the settings that have no effect beside the others, where these or the plugins have changed. They follow
    /// from the settings alone, so that they are never those of older ones, as the plan may be.
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

    /// Asks what the settings come to whenever they changed, one question at a time.
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
        self.ask_plan(self.experiment.draft.clone(), data, Self::take_plan);
        self.experiment.planning.asked = Some((self.experiment.draft.clone(), there));
    }

    /// Has it worked out what settings come to with a data set.
    pub(super) fn ask_plan(
        &mut self,
        config: RunConfig,
        data: Option<Arc<DataView>>,
        take: impl FnOnce(&mut Self, &RunConfig, PlanView) + Send + 'static,
    ) {
        let asked = config.clone();
        self.task(
            move |sources| Ok(sources.plan(&config, data.as_deref())),
            move |session, plan| {
                let lost = |problem| PlanView {
                    problems: vec![problem],
                    ..PlanView::default()
                };
                take(session, &asked, plan.unwrap_or_else(lost));
            },
        );
    }

    fn take_plan(&mut self, asked: &RunConfig, plan: PlanView) {
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
            self.experiment.draft.blocks = backbone.shape.pet_blocks.to_string();
        }
    }
}
