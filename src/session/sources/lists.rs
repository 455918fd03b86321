//! The devices there are to choose from.

use crate::device;
use crate::session::views::DeviceView;

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
