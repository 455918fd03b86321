//! Products with a frozen bf16 matrix on AMX tiles (Intel server processors since 2023).
//!
//! A tile has sixteen rows of 64 bytes. One instruction multiplies sixteen rows of 32 bf16 values by sixteen rows of
//! sixteen pairs, in the layout of panels (see `pairs.rs`), and adds the result to 16 × 16 f32 sums. The compiler
//! does not support these registers yet, so a whole block of a product is written in assembly. The operating system
//! must allow their use: Linux saves them only for processes that requested it.
#![allow(unsafe_code)]

use std::arch::asm;
use std::arch::x86_64::__cpuid_count;
use std::ops::Range;
use std::sync::OnceLock;

use half::bf16;

use super::buffer::Buffer;
use super::lanes::{Lanes, WIDTH};
use super::matrix::{Matrix, Store};
use super::pairs::{PAIRS, pack_pairs};
use super::panels::ProductTarget;
use super::simd::Level;
use super::simd_x86::Avx512;

/// Length of the inner axis that is summed at a time: a block of this length of each matrix fits into the L1 cache.
const DEPTH: usize = 256;

/// Number of pairs of the right matrix, and of the left one, that are packed at a time; both fit into the L2 cache.
const RIGHT_BUFFER_LEN: usize = 64 * 1024;
const LEFT_BUFFER_LEN: usize = 64 * 1024;

/// Number of rows and columns of a block, which consists of two by two tiles.
const BLOCK: usize = 2 * WIDTH;

/// Number of elements of a tile.
const TILE: usize = WIDTH * WIDTH;

/// Returns whether this processor has AMX and the system allows this process to use it. The first call requests it.
pub(crate) fn is_available() -> bool {
    static AVAILABLE: OnceLock<bool> = OnceLock::new();
    *AVAILABLE.get_or_init(|| {
        const BF16_AND_TILES: u32 = 1 << 22 | 1 << 24;
        Level::best().is_avx512()
            && is_x86_feature_detected!("avx512bf16")
            && __cpuid_count(0, 0).eax >= 7
            && __cpuid_count(7, 0).edx & BF16_AND_TILES == BF16_AND_TILES
            && request_tiles()
    })
}

/// Requests from Linux to save the tiles of all threads of this process; returns whether it does.
#[cfg(target_os = "linux")]
fn request_tiles() -> bool {
    const ASK_FOR_STATE: libc::c_long = 0x1023;
    const TILES: libc::c_long = 18;
    // SAFETY: the call takes two numbers and accesses no memory.
    unsafe { libc::syscall(libc::SYS_arch_prctl, ASK_FOR_STATE, TILES) == 0 }
}

#[cfg(not(target_os = "linux"))]
fn request_tiles() -> bool {
    false
}

/// The configuration of the tiles, in the layout that the instruction requires.
#[repr(C, align(64))]
struct Config {
    palette: u8,
    start: u8,
    unused: [u8; 14],
    bytes: [u16; 16],
    rows: [u8; 16],
}

/// Configures the tiles for a block of `rows` rows.
///
/// # Safety
/// AMX must be available.
unsafe fn configure(rows: usize) {
    let upper = rows.min(WIDTH) as u8;
    let lower = rows.saturating_sub(WIDTH).max(1) as u8;
    let full = WIDTH as u8;
    let mut config =
        Config { palette: 1, start: 0, unused: [0; 14], bytes: [0; 16], rows: [0; 16] };
    // In the order of `compute_full_block`: the sums, the left matrix, the right matrix.
    config.rows[..8].copy_from_slice(&[upper, upper, lower, lower, upper, lower, full, full]);
    config.bytes[..8].fill(64);
    // SAFETY: 64 bytes are read.
    unsafe {
        asm!("ldtilecfg [{}]", in(reg) &raw const config, options(nostack, readonly, preserves_flags));
    }
}

/// Computes `a` (contiguous rows) · `b` into `target`; see [`super::bf16::product`] for the bias.
pub(crate) fn product(target: ProductTarget<'_>, bias: &[f32], a: Matrix<'_>, b: Matrix<'_, bf16>) {
    assert!(is_available());
    // SAFETY: checked above.
    unsafe { multiply_tiles(target, bias, a, b) }
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512bf16,avx2,fma")]
unsafe fn multiply_tiles(
    target: ProductTarget<'_>,
    bias: &[f32],
    a: Matrix<'_>,
    b: Matrix<'_, bf16>,
) {
    let ProductTarget { y, stride, store } = target;
    let inner = a.columns;
    let max_depth = inner.div_ceil(inner.div_ceil(DEPTH)).next_multiple_of(PAIRS);
    let pair_depth = max_depth / 2;
    let panels = RIGHT_BUFFER_LEN / (pair_depth * BLOCK);
    // If all columns fit into one pass, the rows of one block are rounded at a time and stay in the L1 cache.
    let one_pass = b.columns <= panels * BLOCK;
    let rows_per_pass = match one_pass {
        true => BLOCK,
        false => (LEFT_BUFFER_LEN / pair_depth).min(a.rows).next_multiple_of(BLOCK),
    };
    let mut panel_buffer = Buffer::new(RIGHT_BUFFER_LEN);
    let mut left_buffer = Buffer::new(pair_depth * rows_per_pass);
    let mut configured_rows = 0;
    for start in (0..inner).step_by(max_depth) {
        let depth_range = start..inner.min(start + max_depth);
        let pair_depth = depth_range.len().next_multiple_of(PAIRS) / 2;
        let accumulate = start > 0 || store != Store::Replace;
        for row_start in (0..a.rows).step_by(rows_per_pass) {
            let row_range = row_start..a.rows.min(row_start + rows_per_pass);
            pack_left(a, row_range.clone(), depth_range.clone(), store, &mut left_buffer);
            for column_start in (0..b.columns).step_by(panels * BLOCK) {
                let columns = column_start..b.columns.min(column_start + panels * BLOCK);
                if !one_pass || row_range.start == 0 {
                    pack_pairs::<Avx512>(
                        b,
                        depth_range.clone(),
                        columns.clone(),
                        pair_depth,
                        &mut panel_buffer,
                    );
                }
                let blocks = left_buffer.chunks_exact(pair_depth * BLOCK);
                for (left, row) in blocks.zip(row_range.clone().step_by(BLOCK)) {
                    let rows = BLOCK.min(row_range.end - row);
                    if rows != configured_rows {
                        // SAFETY: the caller has checked that AMX is available.
                        unsafe { configure(rows) };
                        configured_rows = rows;
                    }
                    let panels = panel_buffer.chunks_exact(pair_depth * BLOCK);
                    for (right, column) in panels.zip(columns.clone().step_by(BLOCK)) {
                        let block_width = BLOCK.min(columns.end - column);
                        let y = &mut y[row * stride + column..];
                        let initial = match accumulate {
                            true => InitialSums::Existing,
                            false => InitialSums::Row(
                                bias.get(column..column + block_width).unwrap_or(&[]),
                            ),
                        };
                        // SAFETY: the tiles are configured for this number of rows.
                        unsafe {
                            compute_block(y, stride, [rows, block_width], initial, left, right);
                        };
                    }
                }
            }
        }
    }
    // SAFETY: AMX is available, and the results in the tiles have been stored.
    unsafe { asm!("tilerelease", options(nostack, nomem, preserves_flags)) };
}

/// Rounds the columns `depth_range` of some rows to bf16. The result consists of blocks of rows; in a block, tiles of
/// its upper and lower sixteen rows alternate along the columns.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512bf16,avx2,fma")]
fn pack_left(
    a: Matrix<'_>,
    rows: Range<usize>,
    depth_range: Range<usize>,
    store: Store,
    to: &mut [f32],
) {
    let pair_depth = depth_range.len().next_multiple_of(PAIRS) / 2;
    for (i, row) in rows.enumerate() {
        let from = &a.data[row * a.row_stride..][depth_range.clone()];
        let to = &mut to[i / BLOCK * BLOCK * pair_depth..][i % BLOCK * WIDTH..];
        for (from, to) in from.chunks(PAIRS).zip(to.chunks_mut(2 * TILE)) {
            // SAFETY: these instructions are enabled in this function.
            let rounded = |from| unsafe { Avx512::rounded(from) };
            let pairs = match from.first_chunk() {
                Some(chunk) if store != Store::Subtract => rounded(chunk),
                _ => {
                    let mut padded = [0.0; PAIRS];
                    for (value, from) in padded.iter_mut().zip(from) {
                        *value = if store == Store::Subtract { -from } else { *from };
                    }
                    rounded(&padded)
                }
            };
            if let Some(to) = to.first_chunk_mut() {
                pairs.store(to);
            }
        }
    }
}

/// The initial value of the sums of a block.
#[derive(Clone, Copy)]
enum InitialSums<'a> {
    /// The values in the result.
    Existing,
    /// This row in each row, or zeros if it is empty.
    Row(&'a [f32]),
}

/// Computes one block of the result, up to 32 × 32.
///
/// # Safety
/// The tiles must be configured for this number of rows.
unsafe fn compute_block(
    y: &mut [f32],
    stride: usize,
    [rows, width]: [usize; 2],
    initial: InitialSums<'_>,
    left: &[f32],
    right: &[f32],
) {
    let mut initial_row = [0.0; BLOCK];
    if let InitialSums::Row(values) = initial {
        initial_row[..values.len()].copy_from_slice(values);
    }
    let initial = matches!(initial, InitialSums::Row(_)).then_some(&initial_row);
    if width == BLOCK {
        // SAFETY: guaranteed by the caller.
        return unsafe { compute_full_block(y, stride, rows, initial, left, right) };
    }
    let mut edge = [0.0; BLOCK * BLOCK];
    let row_range = |row: usize| row * stride..row * stride + width;
    for (row, edge) in edge.chunks_exact_mut(BLOCK).take(rows).enumerate() {
        edge[..width].copy_from_slice(&y[row_range(row)]);
    }
    // SAFETY: guaranteed by the caller.
    unsafe { compute_full_block(&mut edge, BLOCK, rows, initial, left, right) };
    for (row, edge) in edge.chunks_exact(BLOCK).take(rows).enumerate() {
        y[row_range(row)].copy_from_slice(&edge[..width]);
    }
}

/// Computes a block with 32 columns. The sums start at the values in `y`, or at `begin` in each row.
///
/// # Safety
/// As for [`compute_block`].
unsafe fn compute_full_block(
    y: &mut [f32],
    stride: usize,
    rows: usize,
    begin: Option<&[f32; BLOCK]>,
    left: &[f32],
    right: &[f32],
) {
    assert!(left.len() == right.len() && left.len().is_multiple_of(2 * TILE) && !left.is_empty());
    assert!((rows - 1) * stride + BLOCK <= y.len());
    let y = y.as_mut_ptr();
    let y_step = 4 * stride;
    let (begin, begin_step) = match begin {
        Some(begin) => (begin.as_ptr(), 0),
        None => (y.cast_const(), y_step),
    };
    let steps = left.len() / (2 * TILE);
    let (left, right) = (left.as_ptr(), right.as_ptr());
    // SAFETY: the assertions above bound all reads and writes; `y` is borrowed exclusively.
    unsafe {
        if rows > WIDTH {
            asm!(
                "tileloadd tmm0, [{begin} + {begin_step}]",
                "tileloadd tmm1, [{begin} + {begin_step} + 64]",
                "tileloadd tmm2, [{lower} + {begin_step}]",
                "tileloadd tmm3, [{lower} + {begin_step} + 64]",
                "2:",
                "tileloadd tmm4, [{left} + {left_step}]",
                "tileloadd tmm6, [{right} + {right_step}]",
                "tileloadd tmm7, [{right} + {right_step} + 64]",
                "tdpbf16ps tmm0, tmm4, tmm6",
                "tdpbf16ps tmm1, tmm4, tmm7",
                "tileloadd tmm5, [{left} + {left_step} + 1024]",
                "tdpbf16ps tmm2, tmm5, tmm6",
                "tdpbf16ps tmm3, tmm5, tmm7",
                "add {left}, 2048",
                "add {right}, 2048",
                "dec {steps}",
                "jnz 2b",
                "tilestored [{y} + {y_step}], tmm0",
                "tilestored [{y} + {y_step} + 64], tmm1",
                "tilestored [{y_lower} + {y_step}], tmm2",
                "tilestored [{y_lower} + {y_step} + 64], tmm3",
                begin = in(reg) begin,
                lower = in(reg) begin.byte_add(WIDTH * begin_step),
                begin_step = in(reg) begin_step,
                left = inout(reg) left => _,
                left_step = in(reg) 64usize,
                right = inout(reg) right => _,
                right_step = in(reg) 128usize,
                steps = inout(reg) steps => _,
                y = in(reg) y,
                y_lower = in(reg) y.byte_add(WIDTH * y_step),
                y_step = in(reg) y_step,
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nostack)
            );
        } else {
            asm!(
                "tileloadd tmm0, [{begin} + {begin_step}]",
                "tileloadd tmm1, [{begin} + {begin_step} + 64]",
                "2:",
                "tileloadd tmm4, [{left} + {left_step}]",
                "tileloadd tmm6, [{right} + {right_step}]",
                "tileloadd tmm7, [{right} + {right_step} + 64]",
                "tdpbf16ps tmm0, tmm4, tmm6",
                "tdpbf16ps tmm1, tmm4, tmm7",
                "add {left}, 2048",
                "add {right}, 2048",
                "dec {steps}",
                "jnz 2b",
                "tilestored [{y} + {y_step}], tmm0",
                "tilestored [{y} + {y_step} + 64], tmm1",
                begin = in(reg) begin,
                begin_step = in(reg) begin_step,
                left = inout(reg) left => _,
                left_step = in(reg) 64usize,
                right = inout(reg) right => _,
                right_step = in(reg) 128usize,
                steps = inout(reg) steps => _,
                y = in(reg) y,
                y_step = in(reg) y_step,
                out("tmm0") _, out("tmm1") _, out("tmm4") _, out("tmm6") _, out("tmm7") _,
                options(nostack)
            );
        }
    }
}

/// Multiplies tiles without loading or storing; returns the number of multiply-add operations.
pub(crate) fn run_fma_chains(times: usize) -> usize {
    assert!(is_available());
    let times = times / WIDTH;
    // SAFETY: AMX is available, as checked above; only tiles are written.
    unsafe {
        configure(BLOCK);
        asm!(
            "tilezero tmm0", "tilezero tmm1", "tilezero tmm2", "tilezero tmm3",
            "tilezero tmm4", "tilezero tmm5", "tilezero tmm6", "tilezero tmm7",
            "2:",
            "tdpbf16ps tmm0, tmm4, tmm6",
            "tdpbf16ps tmm1, tmm4, tmm7",
            "tdpbf16ps tmm2, tmm5, tmm6",
            "tdpbf16ps tmm3, tmm5, tmm7",
            "dec {times}",
            "jnz 2b",
            "tilerelease",
            times = inout(reg) times => _,
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack, nomem)
        );
    }
    4 * times * TILE * PAIRS
}
