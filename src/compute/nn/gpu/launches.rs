//! Records kernel launches and their times on the GPU.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cubecl::config::{TypeNameFormatLevel, type_name_format};
use cubecl::future::block_on;
use cubecl::logging::{
    LaunchObservation, LaunchObserver, ProfileDuration, TimingMethod, TimingRequest,
};

use crate::sync::lock;

/// All launches of one kernel.
#[derive(Clone, Debug, Default)]
pub struct KernelLaunches {
    /// The name of the kernel. Those of this program contain a space; the framework's are type names.
    pub kernel: String,
    /// Number of launches.
    pub count: u32,
    /// Total time of all launches on the GPU.
    pub time: Duration,
    /// Total floating-point operations of all launches for matrix products; 0 for other kernels.
    pub operations: f64,
}

/// Floating-point operations of products, by kernel name; `None` unless launches are observed.
static OPERATIONS: Mutex<Option<BTreeMap<&'static str, f64>>> = Mutex::new(None);

/// Returns whether launches are observed. Those of a replay are not.
pub fn are_observed() -> bool {
    lock(&OPERATIONS).is_some()
}

/// Adds the floating-point operations of a product that is launched, if launches are observed.
pub fn count_operations(kernel: &'static str, operations: f64) {
    if let Some(counts) = &mut *lock(&OPERATIONS) {
        *counts.entry(kernel).or_default() += operations;
    }
}

/// Collects time measurements, which are read after the work.
#[derive(Default)]
struct Observer {
    pending: Mutex<Vec<(&'static str, ProfileDuration)>>,
    timed: Mutex<Vec<(&'static str, Duration)>>,
}

impl LaunchObserver for Observer {
    fn launched(&self, _kernel: &'static str) {}

    fn timing(&self) -> TimingRequest {
        TimingRequest::Deferred
    }

    fn profiled(&self, kernel: &'static str, profile: ProfileDuration) {
        lock(&self.pending).push((kernel, profile));
    }

    fn timed(&self, kernel: &'static str, time: Duration, _method: TimingMethod) {
        lock(&self.timed).push((kernel, time));
    }
}

/// Runs work and returns its kernel launches, sorted by decreasing time. The work must wait for its results.
pub fn observe<T>(work: impl FnOnce() -> T) -> (T, Vec<KernelLaunches>) {
    let observer = Arc::new(Observer::default());
    *lock(&OPERATIONS) = Some(BTreeMap::new());
    let observation = LaunchObservation::new(observer.clone());
    let result = work();
    drop(observation);
    let operations = lock(&OPERATIONS).take().unwrap_or_default();
    let pending = std::mem::take(&mut *lock(&observer.pending));
    let mut times = std::mem::take(&mut *lock(&observer.timed));
    for (kernel, profile) in pending {
        let time = block_on(profile.resolve()).map_or(Duration::ZERO, |ticks| ticks.duration());
        times.push((kernel, time));
    }
    let mut by_kernel: BTreeMap<&'static str, KernelLaunches> = BTreeMap::new();
    for (kernel, time) in times {
        let launches = by_kernel.entry(kernel).or_insert_with(|| KernelLaunches {
            kernel: type_name_format(kernel, TypeNameFormatLevel::Short),
            operations: operations.get(kernel).copied().unwrap_or(0.0),
            ..KernelLaunches::default()
        });
        launches.count += 1;
        launches.time += time;
    }
    let mut sorted: Vec<_> = by_kernel.into_values().collect();
    sorted.sort_by_key(|launches| std::cmp::Reverse(launches.time));
    (result, sorted)
}
