//! Kernels as WGSL text, launched on the framework's tensors.
//!
//! Sizes and strides are constants in the text, so that a kernel has no loops or branches that depend on them. The
//! number of rows (images × tokens) is an exception: it is read from a small buffer, because it is different for the
//! last batch of an epoch.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex};

use burn_cubecl::CubeDevice;
use burn_cubecl::tensor::CubeTensor;
use cubecl::ir::attributes::BufferIOAttr;
use cubecl::ir::metadata::Info;
use cubecl::ir::{AddressType, ElemType, UIntKind};
use cubecl::prelude::*;
use cubecl::server::KernelArguments;
use cubecl::{CubeKernel, PrecompiledSource};
#[cfg(test)]
use naga::valid::{Capabilities, ValidationFlags, Validator};

use crate::sync::lock;

/// Largest number of workgroups on one axis of a launch.
pub const MAX_GROUPS: usize = 65_535;

/// A compute shader that can be launched.
#[derive(Clone, Debug)]
pub struct Kernel {
    name: &'static str,
    text: Arc<str>,
    hash: u64,
    threads: u32,
}

impl Kernel {
    /// Creates a kernel from a WGSL text with the entry point `main` and this number of threads per workgroup. The
    /// display name contains a space, which distinguishes it from kernels of the framework.
    pub fn new(name: String, text: &str, threads: u32) -> Self {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        Self {
            // The framework requires names with static lifetime. The leak is bounded, because each kernel is created
            // once.
            name: name.leak(),
            text: text.into(),
            hash: hasher.finish(),
            threads,
        }
    }

    /// Returns the WGSL text.
    #[cfg(test)]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Queues the kernel on the device of its buffers, which are bound in this order. Does not wait, so errors of the
    /// driver appear at the next read.
    pub fn launch(&self, groups: [u32; 3], buffers: &[Bound<'_>]) {
        let Some(client) = buffers.first().map(|bound| bound.tensor().client.clone()) else {
            return;
        };
        let mut arguments = KernelArguments::new();
        for bound in buffers {
            let (tensor, access) = match bound {
                Bound::Read(tensor) => (tensor, BufferIOAttr::ReadOnly),
                Bound::Write(tensor) => (tensor, BufferIOAttr::WriteOnly),
                Bound::Update(tensor) => (tensor, BufferIOAttr::ReadWrite),
            };
            arguments = arguments.with_buffer_io(tensor.handle.clone().binding(), access);
        }
        let [x, y, z] = groups;
        client.launch(Box::new(self.clone()), CubeCount::Static(x, y, z), arguments);
    }
}

/// A tensor and its access by a kernel. In the text, all buffers are `read_write`, because tensors may share a
/// buffer, and a buffer can have only one access mode per launch.
#[derive(Clone, Copy)]
pub enum Bound<'a> {
    /// Read only.
    Read(&'a CubeTensor),
    /// Completely overwritten.
    Write(&'a CubeTensor),
    /// Read and written.
    Update(&'a CubeTensor),
}

impl<'a> Bound<'a> {
    /// Returns the tensor.
    pub fn tensor(&self) -> &'a CubeTensor {
        match self {
            Self::Read(tensor) | Self::Write(tensor) | Self::Update(tensor) => tensor,
        }
    }
}

impl KernelMetadata for Kernel {
    fn name(&self) -> &'static str {
        self.name
    }

    fn id(&self) -> KernelId {
        KernelId::new::<Self>()
            .info(self.hash)
            .cube_dim(CubeDim::new_1d(self.threads).0)
            // Indices are valid by construction; the checked mode would add bounds to every loop.
            .mode(ExecutionMode::Unchecked)
    }

    fn address_type(&self) -> ElemType {
        UIntKind::U32.into()
    }
}

impl CubeKernel for Kernel {
    fn define(&self) -> KernelDefinition {
        let threads = CubeDim::new_1d(self.threads).0;
        let settings = KernelSettings::new(threads, ExecutionMode::Unchecked, AddressType::U32);
        KernelDefinition { body: Scope::root(settings.clone()), settings, info: Info::default() }
    }

    fn source(&self) -> Option<PrecompiledSource> {
        Some(PrecompiledSource {
            source: self.text.to_string(),
            entrypoint_name: "main".into(),
            lang: "wgsl",
        })
    }
}

/// A cache of kernels; the key describes everything that a kernel's text depends on.
pub struct Cache<K>(LazyLock<Mutex<HashMap<K, Kernel>>>);

impl<K: Hash + Eq + Clone> Cache<K> {
    /// Creates an empty cache.
    pub const fn new() -> Self {
        Self(LazyLock::new(Mutex::default))
    }

    /// Returns the kernel with this key; `create` creates it the first time.
    pub fn get(&self, key: &K, create: impl FnOnce() -> Kernel) -> Kernel {
        let mut kernels = lock(&self.0);
        kernels.entry(key.clone()).or_insert_with(create).clone()
    }
}

/// Returns an uninitialised f32 tensor on the device of `like`.
pub fn empty(like: &CubeTensor, shape: &[usize]) -> CubeTensor {
    let count: usize = shape.iter().product();
    CubeTensor::new_contiguous(
        like.client.clone(),
        like.device.clone(),
        burn_std::Shape::from(shape.to_vec()),
        like.client.empty(count * size_of::<f32>()),
        burn_std::DType::F32,
    )
}

/// Buffers with constant contents, by device and what determines the contents.
pub struct BufferCache<K, V>(LazyLock<Mutex<HashMap<(CubeDevice, K), V>>>);

impl<K: Hash + Eq, V: Clone> BufferCache<K, V> {
    /// Maximum number of entries.
    const LIMIT: usize = 256;

    /// Creates an empty cache.
    pub const fn new() -> Self {
        Self(LazyLock::new(Mutex::default))
    }

    /// Returns the buffers on the device of `like`; `create` creates them the first time.
    pub fn get(&self, like: &CubeTensor, key: K, create: impl FnOnce() -> V) -> V {
        let mut buffers = lock(&self.0);
        let key = (like.device.clone(), key);
        if buffers.len() >= Self::LIMIT && !buffers.contains_key(&key) {
            buffers.clear();
        }
        buffers.entry(key).or_insert_with(create).clone()
    }

    /// Removes all buffers.
    pub fn clear(&self) {
        let mut buffers = lock(&self.0);
        buffers.clear();
    }
}

/// The buffers of [`cached_numbers`].
pub static NUMBERS: BufferCache<[u32; 3], CubeTensor> = BufferCache::new();

/// Returns a buffer with these numbers, which is cached.
pub fn cached_numbers(like: &CubeTensor, numbers: [u32; 3]) -> CubeTensor {
    let [a, b, c] = numbers;
    NUMBERS.get(like, numbers, || u32_buffer(like, &[a, b, c, 0]))
}

/// Returns a new buffer with these numbers.
pub fn u32_buffer(like: &CubeTensor, numbers: &[u32]) -> CubeTensor {
    let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    byte_buffer(like, &bytes)
}

/// Returns a new buffer of u32 with these bytes, whose number is a multiple of four.
pub fn byte_buffer(like: &CubeTensor, bytes: &[u8]) -> CubeTensor {
    CubeTensor::new_contiguous(
        like.client.clone(),
        like.device.clone(),
        burn_std::Shape::from(vec![bytes.len() / size_of::<u32>()]),
        like.client.create_from_slice(bytes),
        burn_std::DType::U32,
    )
}

/// Returns the dimensions of a launch of this many workgroups; they use a second axis if one is too short.
pub fn grid(groups: usize) -> [u32; 3] {
    let rows = groups.div_ceil(MAX_GROUPS).max(1);
    [groups.div_ceil(rows) as u32, rows as u32, 1]
}

/// Returns WGSL declarations of f32 buffers, followed by u32 buffers, with these names.
pub fn declare(names: &[&str], numbers: &[&str]) -> String {
    let types = names.iter().map(|name| (*name, "f32"));
    let types = types.chain(numbers.iter().map(|name| (*name, "u32")));
    declare_typed(&types.collect::<Vec<_>>())
}

/// Returns WGSL declarations of buffers with these names and types of elements.
pub fn declare_typed(buffers: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (binding, (name, kind)) in buffers.iter().enumerate() {
        text += &format!(
            "@group(0) @binding({binding}) var<storage, read_write> {name}: array<{kind}>;\n"
        );
    }
    text
}

/// Number of threads of a workgroup in kernels with a thread per value.
pub const VALUE_THREADS: usize = 256;

/// Returns a WGSL entry point whose threads execute `body` for their index `i` if it is below `count`.
pub fn for_each_value(count: &str, body: &str) -> String {
    format!(
        "@compute @workgroup_size({VALUE_THREADS})
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {{
  let i = (group.y * groups.x + group.x) * {VALUE_THREADS}u + t;
  if (i < {count}) {{
    {body}
  }}
}}
"
    )
}

/// Creates a kernel whose threads execute `body` for their index `i` below `count[0]`. Its buffers are f32, those of
/// `numbers`, the last of which is `count`, u32.
pub fn value_kernel(name: &str, names: &[&str], numbers: &[&str], body: &str) -> Kernel {
    let text = declare(names, numbers) + &for_each_value("count[0]", body);
    Kernel::new(name.into(), &text, VALUE_THREADS as u32)
}

/// Launches this number of threads of a [`value_kernel`], which reads the other number as `count[1]`.
pub fn launch_values(
    kernel: &Kernel,
    [threads, other]: [usize; 2],
    buffers: &[Bound<'_>],
    like: &CubeTensor,
) {
    let count = cached_numbers(like, [threads as u32, other as u32, 0]);
    kernel.launch(value_grid(threads), &[buffers, &[Bound::Read(&count)]].concat());
}

/// Returns the dimensions of a launch of this many threads of [`for_each_value`].
pub fn value_grid(threads: usize) -> [u32; 3] {
    grid(threads.div_ceil(VALUE_THREADS))
}

#[cfg(test)]
impl Kernel {
    /// Panics unless the text is valid WGSL that stays within the default limits of WebGPU.
    pub fn validate(&self) {
        // Products read pairs of f16, which every backend of wgpu has.
        let shared = self.validate_with(Capabilities::SHADER_FLOAT16_IN_FLOAT32);
        assert!(shared <= 16 << 10, "{shared} bytes of shared memory");
        assert!(self.threads <= 256, "{} threads", self.threads);
    }

    /// Panics unless the text is valid WGSL with cooperative matrices; returns its bytes of shared memory.
    pub fn validate_cooperative(&self) -> u32 {
        self.validate_with(
            Capabilities::SHADER_FLOAT16
                | Capabilities::SHADER_FLOAT16_IN_FLOAT32
                | Capabilities::COOPERATIVE_MATRIX,
        )
    }

    fn validate_with(&self, capabilities: Capabilities) -> u32 {
        let text = self.text();
        let options =
            naga::front::wgsl::Options { capabilities, ..naga::front::wgsl::Options::new() };
        let module = naga::front::wgsl::Frontend::new_with_options(options)
            .parse(text)
            .unwrap_or_else(|error| panic!("{}\n{text}", error.emit_to_string(text)));
        Validator::new(ValidationFlags::all(), capabilities)
            .validate(&module)
            .unwrap_or_else(|error| panic!("{}\n{text}", error.emit_to_string(text)));
        let mut layouter = naga::proc::Layouter::default();
        assert!(layouter.update(module.to_ctx()).is_ok());
        (module.global_variables.iter())
            .filter(|(_, variable)| variable.space == naga::AddressSpace::WorkGroup)
            .map(|(_, variable)| layouter[variable.ty].size)
            .sum()
    }
}
