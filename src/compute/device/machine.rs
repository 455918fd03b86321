//! The processor and the graphics adapters of this machine, without opening any of them.

use std::collections::HashMap;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use burn::tensor::wgpu::wgpu;

use super::{AdapterKind, Api, DeviceInfo};
use crate::nn::plans::Fragments;

/// Returns the entry of the CPU.
pub(super) fn cpu() -> DeviceInfo {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let noun = if threads == 1 { "thread" } else { "threads" };
    DeviceInfo {
        index: 0,
        name: format!("{}, {threads} {noun}", processor_name()),
        kind: AdapterKind::Cpu,
        api: Api::Flex,
        driver: String::new(),
        pci: String::new(),
        ordinal: 0,
    }
}

/// Returns the processor's name as reported by the system.
pub fn processor_name() -> String {
    let from_linux = || {
        let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_string())
    };
    let from_mac = || {
        let mut sysctl = std::process::Command::new("/usr/sbin/sysctl");
        let output = sysctl.args(["-n", "machdep.cpu.brand_string"]).output();
        let name = String::from_utf8(output.ok()?.stdout).ok()?;
        Some(name.trim().to_string()).filter(|name| !name.is_empty())
    };
    match std::env::consts::OS {
        "linux" => from_linux(),
        "macos" => from_mac(),
        _ => std::env::var("PROCESSOR_IDENTIFIER").ok(),
    }
    .unwrap_or_else(|| format!("CPU ({})", std::env::consts::ARCH))
}

/// Returns every wgpu adapter. OpenGL is queried only if no other API has adapters: it lists the same GPUs again,
/// with lower speed, and prints to standard error if there is no display.
pub(super) fn adapters() -> Vec<DeviceInfo> {
    let modern = adapters_with(wgpu::Backends::all() - wgpu::Backends::GL);
    if modern.is_empty() {
        return adapters_with(wgpu::Backends::GL);
    }
    modern
}

/// Returns the adapters of some graphics APIs.
fn adapters_with(backends: wgpu::Backends) -> Vec<DeviceInfo> {
    let found = enumerate(backends).into_iter();
    found.map(|(info, _)| info).collect()
}

/// Returns the adapters of some graphics APIs, numbered for each API and kind as the framework does it.
fn enumerate(backends: wgpu::Backends) -> Vec<(DeviceInfo, wgpu::Adapter)> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let mut counts: HashMap<(Api, AdapterKind), usize> = HashMap::new();
    let mut found = Vec::new();
    let enumeration = pin!(instance.enumerate_adapters(backends));
    let mut context = Context::from_waker(Waker::noop());
    // Outside browsers, the result is available immediately.
    let Poll::Ready(adapters) = enumeration.poll(&mut context) else {
        return found;
    };
    for adapter in adapters {
        let info = adapter.get_info();
        let api = match info.backend {
            wgpu::Backend::Vulkan => Api::Vulkan,
            wgpu::Backend::Metal => Api::Metal,
            wgpu::Backend::Dx12 => Api::Dx12,
            wgpu::Backend::Gl => Api::Gl,
            _ => continue,
        };
        let kind = match info.device_type {
            wgpu::DeviceType::DiscreteGpu => AdapterKind::DiscreteGpu,
            wgpu::DeviceType::IntegratedGpu => AdapterKind::IntegratedGpu,
            wgpu::DeviceType::VirtualGpu => AdapterKind::VirtualGpu,
            wgpu::DeviceType::Cpu => AdapterKind::SoftwareGpu,
            wgpu::DeviceType::Other => AdapterKind::OtherGpu,
        };
        let count = counts.entry((api, kind)).or_default();
        let device_info = DeviceInfo {
            index: 0,
            name: info.name,
            kind,
            api,
            driver: format!("{} {}", info.driver, info.driver_info).trim().into(),
            pci: info.device_pci_bus_id,
            ordinal: *count,
        };
        found.push((device_info, adapter));
        *count += 1;
    }
    found
}

/// Returns the cooperative matrices (f16, summed in f32) of a GPU; `None` if it has none, or if the size of its
/// subgroups is not constant.
pub fn cooperative_matrices(info: &DeviceInfo) -> Option<Fragments> {
    let (_, adapter) = enumerate(wgpu::Backends::all() - wgpu::Backends::GL)
        .into_iter()
        .find(|(found, _)| found.selector() == info.selector())?;
    let needed = wgpu::Features::EXPERIMENTAL_COOPERATIVE_MATRIX | wgpu::Features::SHADER_F16;
    let adapter_info = adapter.get_info();
    let lanes = adapter_info.subgroup_min_size;
    if !adapter.features().contains(needed) || lanes != adapter_info.subgroup_max_size {
        return None;
    }
    let matrix_properties = adapter.cooperative_matrix_properties();
    let supports = |size: u32| {
        matrix_properties.iter().any(|matrix| {
            matrix.ab_type == wgpu::CooperativeScalarType::F16
                && matrix.cr_type == wgpu::CooperativeScalarType::F32
                && [matrix.m_size, matrix.n_size, matrix.k_size] == [size; 3]
        })
    };
    Fragments::all().find(|fragments| fragments.lanes == lanes && supports(fragments.size))
}
