//! The menu of every figure: copy it as an image or as numbers, or save it to a file. The figure is rendered from its
//! data, not from the screen.

use egui::{Context, Id, Popup, Pos2, Rect, Role, Sense, Ui, Vec2, WidgetInfo};

use super::icons::{self, Icon};
use crate::store::export::Format;
use crate::store::figure::Figure;
use crate::tr;
use crate::ui::theme::tokens;

/// Size of the menu's button, in points.
const SIDE: f32 = 20.0;

/// An action on a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureWish {
    /// Copy its image.
    CopyPicture,
    /// Copy its numbers.
    CopyNumbers,
    /// Save it to a file.
    Save(Format),
}

/// All actions with the message ids of their labels.
const WISHES: [(FigureWish, &str); 5] = [
    (FigureWish::CopyPicture, "figure-copy-image"),
    (FigureWish::CopyNumbers, "figure-copy-numbers"),
    (FigureWish::Save(Format::Svg), "figure-save-svg"),
    (FigureWish::Save(Format::Pdf), "figure-save-pdf"),
    (FigureWish::Save(Format::Png), "figure-save-png"),
];

type Wishes = Vec<(FigureWish, Figure)>;

/// Draws a small button that opens the menu of a figure. `make` returns the data of the figure and is only called if an
/// action is chosen. Charts cannot push commands, so the action is stored for [`take`].
pub fn menu(ui: &Ui, centre: Pos2, name: &str, make: impl FnOnce() -> Figure) {
    let rect = Rect::from_center_size(centre, Vec2::splat(SIDE));
    let own_id = ui.scope_id().with((name, "menu-of-figure"));
    let button = ui.interact(rect, own_id, Sense::click());
    let words = format!("{}: {name}", tr!("figure-menu"));
    button.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), &words));
    let t = tokens(ui);
    let lit = button.hovered() || button.has_focus();
    let colour = if lit { t.strong } else { t.subdued };
    icons::paint(ui.painter(), Icon::Dots, centre, 10.0, colour);
    let mut chosen = None;
    Popup::menu(&button).show(|ui| {
        for (wish, words) in WISHES {
            if ui.button(tr!(words)).clicked() {
                chosen = Some(wish);
            }
        }
    });
    if let Some(wish) = chosen {
        let figure = make();
        ui.data_mut(|data| {
            let wishes: &mut Wishes = data.get_temp_mut_or_default(id());
            wishes.push((wish, figure));
        });
    }
    button.on_hover_text(tr!("figure-menu"));
}

/// Returns the actions that were chosen since the last call, with their figures.
pub fn take(ctx: &Context) -> Wishes {
    ctx.data_mut(|data| data.remove_temp(id()).unwrap_or_default())
}

fn id() -> Id {
    Id::unique("requested figures")
}
