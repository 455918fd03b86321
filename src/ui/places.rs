//! Prints the positions of all widgets regularly, each time as a line of JSON. A script can find a button by its name
//! and control the window with mouse and keys.

use std::time::{Duration, Instant};

use egui::accesskit::{Node, TreeUpdate};
use egui::{Context, FullOutput, Plugin};
use serde_json::{Value, json};

/// Prefix of every line.
const MARK: &str = "places: ";
/// Interval between two lines.
const EVERY: Duration = Duration::from_millis(250);

/// Prints to standard error what a screen reader would read, with the positions in pixels.
pub struct Places {
    told: Instant,
}

impl Default for Places {
    fn default() -> Self {
        Self {
            told: Instant::now(),
        }
    }
}

impl Plugin for Places {
    fn debug_name(&self) -> &'static str {
        "places"
    }

    fn setup(&mut self, ctx: &Context) {
        ctx.enable_accesskit();
    }

    fn output_hook(&mut self, ctx: &Context, output: &mut FullOutput) {
        ctx.request_repaint_after(EVERY);
        let Some(update) = &output.platform_output.accesskit_update else {
            return;
        };
        if self.told.elapsed() >= EVERY {
            self.told = Instant::now();
            eprintln!("{MARK}{}", told(update, ctx.pixels_per_point().into()));
        }
    }
}

fn told(update: &TreeUpdate, scale: f64) -> Value {
    let known = update.nodes.iter();
    known
        .filter_map(|(_, node)| one(node, scale))
        .collect::<Vec<_>>()
        .into()
}

/// Returns role, name, and left, top, right and bottom edge of a node; `None` for a node without a name.
fn one(node: &Node, scale: f64) -> Option<Value> {
    let name = node.label().or(node.value())?;
    let at = node.bounds()?;
    let at = [at.x0, at.y0, at.x1, at.y1].map(|edge| (edge * scale).round());
    Some(json!({
        "role": format!("{:?}", node.role()),
        "name": name,
        "value": node.value(),
        "at": at,
        "off": node.is_disabled(),
    }))
}
