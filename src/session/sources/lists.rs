//! Lists of what is available: the devices.

use super::Disk;
use crate::device;
use crate::nn;
use crate::session::views::DeviceView;
use crate::session::words::device_text;

impl Disk {
    /// Returns the devices of this machine.
    pub fn devices(&self) -> Vec<DeviceView> {
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
                bf16_gain: nn::bf16_gain().filter(|_| info.is_cpu()),
            })
            .collect()
    }
}
