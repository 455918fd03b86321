//! The devices there are to choose from.

use crate::backbone::families;
use crate::device;
use crate::message;
use crate::nn;
use crate::problem::{Problem, Result};
use crate::session::progress::Progress;
use crate::session::views::DeviceView;
use crate::session::words::device_text;
use crate::tr;

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
                format!("CPU · {}", device_text(&info.name))
            } else {
                format!("GPU · {}", info.name)
            },
            kind: format!("{}, {}", info.kind.said(), info.api.title()),
            chosen_by_auto: Some(info.index) == auto,
            prepared_by_itself: info.kind.is_hardware_gpu(),
            prepared: device::prepared(info),
            bf16_gain: nn::bf16_gain().filter(|_| info.is_cpu()),
        })
        .collect()
}

/// Prepares a card for a family of backbones; gives the devices as they are known then.
pub(super) fn prepare(key: &str, family: &str, progress: &Progress) -> Result<Vec<DeviceView>> {
    let info = device::choose(key)?;
    let variants = families::named(family)?.variants();
    let found = device::prepare(&info, family, &variants, &mut |done, of| {
        progress.step(message!("notices-variants"), (done + 1).min(of), Some(of))
    });
    match found {
        Err(_) if progress.is_stopped() => Err(Problem::new(tr!("notices-prepare-stopped"))
            .advise(tr!("notices-prepare-stopped-advice"))),
        found => device::keep_prepared(&info, family, &found?).map(|()| devices()),
    }
}
