//! Records the launches of a computation on a GPU and repeats them with other inputs.
//!
//! For a small network, the CPU needs more time to prepare the launches of a training step than the GPU needs to
//! execute them. A replay prepares nothing: kernels, buffers and sizes are those of the recording.

use burn::tensor::Tensor;
use cubecl::MemoryScope;
use cubecl::client::{Client, Graph};

use super::autodiff::constant;
use super::kernel::NUMBERS;
use super::packed::Packed;
use super::tokens::ORDERS;

/// How often a recording is attempted. One fails if memory that the run before it has used is not yet free again.
const ATTEMPTS: usize = 3;

/// The largest memory in bytes that the framework may have reserved before a recording. A recording keeps the memory of
/// its launches, so that other work may need as much again.
const MAX_RESERVED: u64 = 1 << 30;

/// The recorded launches of a computation.
pub struct Recording {
    graph: Graph,
    /// The buffers that the launches read.
    inputs: Packed,
    /// The tensors that the launches write.
    outputs: Vec<Tensor<1>>,
}

impl Recording {
    /// Records a computation whose launches depend only on the shapes of its inputs. `compute` runs several times; it
    /// must neither send values to the GPU nor read results. `None` if [`Packed::new`] does not accept the inputs, if
    /// too much memory is in use, or if the computation cannot be recorded.
    pub fn new<E>(
        inputs: &[Tensor<1>],
        mut compute: impl FnMut(Vec<Tensor<1>>) -> Result<Vec<Tensor<1>>, E>,
    ) -> Option<Self> {
        let client = constant(inputs.first()?)?.client;
        let memory = client.memory_report(MemoryScope::CurrentStream).usage();
        if memory.bytes_reserved > MAX_RESERVED {
            return None;
        }
        let inputs = Packed::new(inputs)?;
        for _ in 0..ATTEMPTS {
            let mut run = || compute(inputs.parts().collect()).ok();
            match record(&client, &mut run) {
                Ok((graph, outputs)) => {
                    return Some(Self { graph, inputs, outputs: outputs? });
                }
                Err(error) => {
                    tracing::debug!("a training step was not recorded: {error}");
                    // Buffers that were created during the recording have no contents.
                    NUMBERS.clear();
                    ORDERS.clear();
                }
            }
        }
        None
    }

    /// Repeats the launches with these inputs, which have the sizes of the recorded ones. Returns copies of the
    /// outputs; `None` if the driver failed.
    pub fn replay(&self, inputs: &[Tensor<1>]) -> Option<Vec<Tensor<1>>> {
        self.inputs.fill(inputs)?;
        #[expect(
            unsafe_code,
            reason = "the launches write to memory that the framework cannot check"
        )]
        // SAFETY: the graph keeps all memory that its launches use from being moved or reused. `self` owns the inputs
        // and the outputs, and other work on this device is queued on the same stream, before or after the launches.
        let replayed = unsafe { self.graph.replay() };
        if let Err(error) = replayed {
            tracing::warn!("a recorded training step failed: {error}");
            return None;
        }
        // The next replay overwrites the outputs.
        Some(Packed::new(&self.outputs)?.parts().collect())
    }
}

/// Runs a computation twice and records the second run.
fn record<T>(
    client: &Client,
    run: &mut impl FnMut() -> T,
) -> Result<(Graph, T), cubecl::server::ServerError> {
    client.graph_prepare()?;
    let capture = Capture(client);
    // The first run reserves the memory that the second one uses.
    run();
    client.start_capture()?;
    let outputs = run();
    std::mem::forget(capture);
    Ok((client.stop_capture()?, outputs))
}

/// Ends a capture that failed or panicked. The stream refuses reads until then.
struct Capture<'a>(&'a Client);

impl Drop for Capture<'_> {
    fn drop(&mut self) {
        let _ = self.0.stop_capture();
    }
}
