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
use super::pairs::{PAIRS, lay_out};
use super::panels::ProductTarget;
use super::simd::Level;
use super::simd_x86::Avx512;

/// Length of the inner axis that is summed at a time: a block of this length of each matrix fits into the L1 cache.
const DEPTH: usize = 256;

/// Number of pairs of the right matrix, and of the left one, that are packed at a time; both fit into the L2 cache.
const ROOM: usize = 64 * 1024;
const LEFT_ROOM: usize = 64 * 1024;

/// Number of rows and columns of a block, which consists of two by two tiles.
const BLOCK: usize = 2 * WIDTH;

/// Number of elements of a tile.
const TILE: usize = WIDTH * WIDTH;

/// Returns whether this processor has AMX and the system allows this process to use it. The first call requests it.
pub(crate) fn is_there() -> bool {
    static THERE: OnceLock<bool> = OnceLock::new();
    *THERE.get_or_init(|| {
        const BF16_AND_TILES: u32 = 1 << 22 | 1 << 24;
        Level::best().is_avx512()
            && is_x86_feature_detected!("avx512bf16")
            && __cpuid_count(0, 0).eax >= 7
            && __cpuid_count(7, 0).edx & BF16_AND_TILES == BF16_AND_TILES
            && allowed()
    })
}

/// Requests from Linux to save the tiles of all threads of this process.
#[cfg(target_os = "linux")]
fn allowed() -> bool {
    const ASK_FOR_STATE: libc::c_long = 0x1023;
    const TILES: libc::c_long = 18;
    // SAFETY: the call takes two numbers and accesses no memory.
    unsafe { libc::syscall(libc::SYS_arch_prctl, ASK_FOR_STATE, TILES) == 0 }
}

#[cfg(not(target_os = "linux"))]
fn allowed() -> bool {
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
    let all = WIDTH as u8;
    let mut config = Config {
        palette: 1,
        start: 0,
        unused: [0; 14],
        bytes: [0; 16],
        rows: [0; 16],
    };
    // In the order of `whole_block`: the sums, the left matrix, the right matrix.
    config.rows[..8].copy_from_slice(&[upper, upper, lower, lower, upper, lower, all, all]);
    config.bytes[..8].fill(64);
    // SAFETY: 64 bytes are read.
    unsafe {
        asm!("ldtilecfg [{}]", in(reg) &raw const config, options(nostack, readonly, preserves_flags));
    }
}

/// Computes `a` (contiguous rows) · `b` into `to`; see [`super::bf16::product`] for the bias.
pub(crate) fn product(to: ProductTarget<'_>, bias: &[f32], a: Matrix<'_>, b: Matrix<'_, bf16>) {
    assert!(is_there());
    // SAFETY: checked above.
    unsafe { run(to, bias, a, b) }
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512bf16,avx2,fma")]
unsafe fn run(to: ProductTarget<'_>, bias: &[f32], a: Matrix<'_>, b: Matrix<'_, bf16>) {
    let ProductTarget { y, stride, store } = to;
    let inner = a.columns;
    let most = inner
        .div_ceil(inner.div_ceil(DEPTH))
        .next_multiple_of(PAIRS);
    let deep = most / 2;
    let panels = ROOM / (deep * BLOCK);
    // If all columns fit into one pass, the rows of one block are rounded at a time and stay in the L1 cache.
    let one_pass = b.columns <= panels * BLOCK;
    let at_once = match one_pass {
        true => BLOCK,
        false => (LEFT_ROOM / deep).min(a.rows).next_multiple_of(BLOCK),
    };
    let mut room = Buffer::new(ROOM);
    let mut left = Buffer::new(deep * at_once);
    let mut ready = 0;
    for start in (0..inner).step_by(most) {
        let along = start..inner.min(start + most);
        let deep = along.len().next_multiple_of(PAIRS) / 2;
        let add = start > 0 || store != Store::Replace;
        for group in (0..a.rows).step_by(at_once) {
            let group = group..a.rows.min(group + at_once);
            round(a, group.clone(), along.clone(), store, &mut left);
            for first in (0..b.columns).step_by(panels * BLOCK) {
                let columns = first..b.columns.min(first + panels * BLOCK);
                if !one_pass || group.start == 0 {
                    lay_out::<Avx512>(b, along.clone(), columns.clone(), deep, &mut room);
                }
                let blocks = left.chunks_exact(deep * BLOCK);
                for (left, row) in blocks.zip(group.clone().step_by(BLOCK)) {
                    let rows = BLOCK.min(group.end - row);
                    if rows != ready {
                        // SAFETY: the caller has checked that AMX is available.
                        unsafe { configure(rows) };
                        ready = rows;
                    }
                    let panels = room.chunks_exact(deep * BLOCK);
                    for (right, column) in panels.zip(columns.clone().step_by(BLOCK)) {
                        let wide = BLOCK.min(columns.end - column);
                        let y = &mut y[row * stride + column..];
                        let begin = match add {
                            true => Begin::There,
                            false => Begin::With(bias.get(column..column + wide).unwrap_or(&[])),
                        };
                        // SAFETY: the tiles are configured for this number of rows.
                        unsafe { block(y, stride, [rows, wide], begin, left, right) };
                    }
                }
            }
        }
    }
    // SAFETY: AMX is available, and the results in the tiles have been stored.
    unsafe { asm!("tilerelease", options(nostack, nomem, preserves_flags)) };
}

/// Rounds the columns `along` of some rows to bf16. The result is ordered by blocks of rows; within a block, tiles of
/// its upper and lower sixteen rows alternate along the columns.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512bf16,avx2,fma")]
fn round(a: Matrix<'_>, rows: Range<usize>, along: Range<usize>, store: Store, to: &mut [f32]) {
    let deep = along.len().next_multiple_of(PAIRS) / 2;
    for (i, row) in rows.enumerate() {
        let from = &a.data[row * a.row..][along.clone()];
        let to = &mut to[i / BLOCK * BLOCK * deep..][i % BLOCK * WIDTH..];
        for (from, to) in from.chunks(PAIRS).zip(to.chunks_mut(2 * TILE)) {
            // SAFETY: these instructions are enabled in this function.
            let rounded = |from| unsafe { Avx512::rounded(from) };
            let pairs = match from.first_chunk() {
                Some(whole) if store != Store::Subtract => rounded(whole),
                _ => {
                    let mut whole = [0.0; PAIRS];
                    for (whole, from) in whole.iter_mut().zip(from) {
                        *whole = if store == Store::Subtract {
                            -from
                        } else {
                            *from
                        };
                    }
                    rounded(&whole)
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
enum Begin<'a> {
    /// The values in the result.
    There,
    /// This row in each row, or zeros if it is empty.
    With(&'a [f32]),
}

/// Computes one block of the result, up to 32 × 32.
///
/// # Safety
/// The tiles must be configured for this number of rows.
unsafe fn block(
    y: &mut [f32],
    stride: usize,
    [rows, wide]: [usize; 2],
    begin: Begin<'_>,
    left: &[f32],
    right: &[f32],
) {
    let mut first = [0.0; BLOCK];
    if let Begin::With(numbers) = begin {
        first[..numbers.len()].copy_from_slice(numbers);
    }
    let begin = matches!(begin, Begin::With(_)).then_some(&first);
    if wide == BLOCK {
        // SAFETY: guaranteed by the caller.
        return unsafe { whole_block(y, stride, rows, begin, left, right) };
    }
    let mut edge = [0.0; BLOCK * BLOCK];
    let there = |row: usize| row * stride..row * stride + wide;
    for (row, edge) in edge.chunks_exact_mut(BLOCK).take(rows).enumerate() {
        edge[..wide].copy_from_slice(&y[there(row)]);
    }
    // SAFETY: guaranteed by the caller.
    unsafe { whole_block(&mut edge, BLOCK, rows, begin, left, right) };
    for (row, edge) in edge.chunks_exact(BLOCK).take(rows).enumerate() {
        y[there(row)].copy_from_slice(&edge[..wide]);
    }
}

/// Computes a block with 32 columns. The sums start at the values in `y`, or at `begin` in each row.
///
/// # Safety
/// As for [`block`].
unsafe fn whole_block(
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
pub(crate) fn chains(times: usize) -> usize {
    assert!(is_there());
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
