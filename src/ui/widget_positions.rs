//! Prints the positions of all widgets regularly, each time as a line of JSON. A script can find a button by its name
//! and control the window with mouse and keys.

use std::time::{Duration, Instant};

use egui::accesskit::{Node, TreeUpdate};
use egui::{Context, FullOutput, Plugin};
use serde_json::{Value, json};

/// Prefix of every line.
const PREFIX: &str = "places: ";
/// Interval between two lines.
const INTERVAL: Duration = Duration::from_millis(250);

/// Prints to standard error what a screen reader would read, with the positions in pixels.
pub struct PositionPrinter {
    last_printed: Instant,
}

impl Default for PositionPrinter {
    fn default() -> Self {
        Self { last_printed: Instant::now() }
    }
}

impl Plugin for PositionPrinter {
    fn debug_name(&self) -> &'static str {
        "places"
    }

    fn setup(&mut self, ctx: &Context) {
        ctx.enable_accesskit();
    }

    fn output_hook(&mut self, ctx: &Context, output: &mut FullOutput) {
        ctx.request_repaint_after(INTERVAL);
        let Some(update) = &output.platform_output.accesskit_update else {
            return;
        };
        if self.last_printed.elapsed() >= INTERVAL {
            self.last_printed = Instant::now();
            eprintln!("{PREFIX}{}", widget_positions(update, ctx.pixels_per_point().into()));
        }
    }
}

fn widget_positions(update: &TreeUpdate, scale: f64) -> Value {
    let nodes = update.nodes.iter();
    nodes.filter_map(|(_, node)| describe_node(node, scale)).collect::<Vec<_>>().into()
}

/// Returns role, name, and left, top, right and bottom edge of a node; `None` for a node without a name.
fn describe_node(node: &Node, scale: f64) -> Option<Value> {
    let name = node.label().or(node.value())?;
    let bounds = node.bounds()?;
    let bounds = [bounds.x0, bounds.y0, bounds.x1, bounds.y1].map(|edge| (edge * scale).round());
    Some(json!({
        "role": format!("{:?}", node.role()),
        "name": name,
        "value": node.value(),
        "at": bounds,
        "off": node.is_disabled(),
    }))
}
