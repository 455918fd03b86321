//! The menu of every figure: copy it as an image or as numbers, or save it to a file. The figure is rendered from its
//! data, not from the screen.

use egui::{Context, Id, Popup, Pos2, Rect, Role, Sense, Ui, Vec2, WidgetInfo};

use super::icons::{self, Icon};
use crate::store::export::Format;
use crate::store::figure::Figure;
use crate::tr;
use crate::ui::theme::tokens;

/// Size of the menu's button, in points.
const BUTTON_SIZE: f32 = 20.0;

/// An action on a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureAction {
    /// Copy its image.
    CopyImage,
    /// Copy its numbers.
    CopyNumbers,
    /// Save it to a file.
    Save(Format),
}

/// All actions with the message ids of their labels.
const ACTIONS: [(FigureAction, &str); 5] = [
    (FigureAction::CopyImage, "figure-copy-image"),
    (FigureAction::CopyNumbers, "figure-copy-numbers"),
    (FigureAction::Save(Format::Svg), "figure-save-svg"),
    (FigureAction::Save(Format::Pdf), "figure-save-pdf"),
    (FigureAction::Save(Format::Png), "figure-save-png"),
];

type FigureRequests = Vec<(FigureAction, Figure)>;

/// Draws a small button that opens the menu of a figure. `make` returns the data of the figure and is only called if an
/// action is chosen. Charts cannot push commands, so the action is stored for [`take_requests`].
pub fn menu(ui: &Ui, centre: Pos2, name: &str, make: impl FnOnce() -> Figure) {
    let rect = Rect::from_center_size(centre, Vec2::splat(BUTTON_SIZE));
    let button_id = ui.scope_id().with((name, "menu-of-figure"));
    let button = ui.interact(rect, button_id, Sense::click());
    let label = format!("{}: {name}", tr!("figure-menu"));
    button.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), &label));
    let t = tokens(ui);
    let highlighted = button.hovered() || button.has_focus();
    let colour = if highlighted { t.strong } else { t.subdued };
    icons::paint(ui.painter(), Icon::Dots, centre, 10.0, colour);
    let mut selected = None;
    Popup::menu(&button).show(|ui| {
        for (action, title) in ACTIONS {
            if ui.button(tr!(title)).clicked() {
                selected = Some(action);
            }
        }
    });
    if let Some(action) = selected {
        let figure = make();
        ui.data_mut(|data| {
            let requests: &mut FigureRequests = data.get_temp_mut_or_default(requests_id());
            requests.push((action, figure));
        });
    }
    button.on_hover_text(tr!("figure-menu"));
}

/// Returns the actions that were chosen since the last call, with their figures.
pub fn take_requests(ctx: &Context) -> FigureRequests {
    ctx.data_mut(|data| data.remove_temp(requests_id()).unwrap_or_default())
}

fn requests_id() -> Id {
    Id::unique("requested figures")
}
