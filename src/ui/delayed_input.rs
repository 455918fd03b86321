//! Delays input that follows a click. In a slow frame, this input arrives in the same frame as the click, but what the
//! click opens gets the focus only two frames later. So key presses are delayed. Later pointer moves are delayed too,
//! because egui uses the last pointer position of a frame for the click.

use egui::{Event, Key};

/// Distance in points that the pointer can move and still be at the position of the click.
const CLICK_RADIUS: f32 = 6.0;

/// The delayed input.
#[derive(Default)]
pub struct DelayedInput {
    events: Vec<Event>,
    /// Whether the frame that draws the clicked widget's effect is still due.
    opening: bool,
}

impl DelayedInput {
    /// Splits the events of a frame. Input after the first event that can move the focus is delayed, if it includes key
    /// presses or the pointer leaves the position of the click. Input that was delayed before is added to `events`.
    /// Returns whether input is delayed, so that another frame is needed.
    pub fn split(&mut self, events: &mut Vec<Event>) -> bool {
        self.events.append(events);
        if std::mem::take(&mut self.opening) {
            return true;
        }
        *events = std::mem::take(&mut self.events);
        let Some(first) = events.iter().position(moves_focus) else {
            return false;
        };
        let click_position = match events[first] {
            Event::PointerButton { pos, .. } => Some(pos),
            _ => None,
        };
        let leaves_click = |event: &Event| match (event, click_position) {
            (Event::PointerMoved(to), Some(from)) => from.distance(*to) > CLICK_RADIUS,
            _ => false,
        };
        let must_wait = |event: &Event| is_typed(event) || leaves_click(event);
        if !events[first + 1..].iter().any(must_wait) {
            return false;
        }
        self.events = events.split_off(first + 1);
        self.opening = true;
        true
    }
}

/// Returns whether input after this event may go to another widget than the focused one.
fn moves_focus(event: &Event) -> bool {
    match event {
        Event::PointerButton { pressed, .. } => !pressed,
        Event::Key { key, pressed: true, modifiers, .. } => {
            modifiers.command || matches!(key, Key::Tab | Key::Enter | Key::Escape | Key::F1)
        }
        _ => false,
    }
}

fn is_typed(event: &Event) -> bool {
    matches!(event, Event::Text(_) | Event::Paste(_) | Event::Ime(_))
        || matches!(event, Event::Key { pressed: true, .. })
}

#[cfg(test)]
mod tests {
    use egui::{Context, Id, Modifiers, PointerButton, Pos2, RawInput, TextEdit};

    use super::*;

    fn input(events: Vec<Event>) -> RawInput {
        RawInput { events, ..RawInput::default() }
    }

    fn press(pos: Pos2, pressed: bool) -> Event {
        Event::PointerButton {
            pos,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        }
    }

    /// Draws a button that opens a text field, which then requests the focus.
    fn window(ctx: &Context, input: RawInput, open: &mut bool, text: &mut String) -> Pos2 {
        let mut position = Pos2::ZERO;
        let _ = ctx.run_ui(input, |ui| {
            let button = ui.button("Open");
            position = button.rect.center();
            *open |= button.clicked();
            if *open {
                ui.add(TextEdit::singleline(text).id(Id::unique("field"))).request_focus();
            }
        });
        position
    }

    #[test]
    fn text_typed_in_the_click_frame_reaches_the_opened_field() {
        for delays in [false, true] {
            let (ctx, mut open, mut text) = (Context::default(), false, String::new());
            let position = window(&ctx, RawInput::default(), &mut open, &mut text);
            let moved = input(vec![Event::PointerMoved(position)]);
            window(&ctx, moved, &mut open, &mut text);
            let mut pending = vec![press(position, true), press(position, false)];
            pending.extend(["d", "o", "g"].map(|letter| Event::Text(letter.into())));
            let mut delayed_input = DelayedInput::default();
            for _ in 0..5 {
                let mut events = std::mem::take(&mut pending);
                if delays {
                    delayed_input.split(&mut events);
                }
                window(&ctx, input(events), &mut open, &mut text);
            }
            assert!(open);
            assert_eq!(text, if delays { "dog" } else { "" }, "{delays}");
        }
    }

    /// Draws two buttons, one above the other, and counts their clicks.
    fn buttons(ctx: &Context, events: Vec<Event>, clicks: &mut [usize; 2]) -> [Pos2; 2] {
        let mut positions = [Pos2::ZERO; 2];
        let _ = ctx.run_ui(input(events), |ui| {
            for (i, name) in ["One", "Other"].into_iter().enumerate() {
                let button = ui.button(name);
                positions[i] = button.rect.center();
                clicks[i] += usize::from(button.clicked());
            }
        });
        positions
    }

    #[test]
    fn click_uses_the_pointer_position_of_the_click() {
        let (ctx, mut clicks, mut delayed_input) =
            (Context::default(), [0, 0], DelayedInput::default());
        let [first, second] = buttons(&ctx, Vec::new(), &mut clicks);
        let button = |pressed| press(first, pressed);
        let moved = Event::PointerMoved;
        // All events are in one slow frame.
        let mut pending = vec![moved(first), button(true), button(false), moved(second)];
        for _ in 0..4 {
            let mut events = std::mem::take(&mut pending);
            delayed_input.split(&mut events);
            buttons(&ctx, events, &mut clicks);
        }
        assert_eq!(clicks, [1, 0]);
        // The events of a double click stay in one frame.
        let mut double_click = vec![button(true), button(false), button(true), button(false)];
        assert!(!delayed_input.split(&mut double_click));
        assert_eq!(double_click.len(), 4);
    }

    #[test]
    fn typing_without_clicks_is_not_delayed() {
        let mut delayed_input = DelayedInput::default();
        for letters in [vec!["a", "b"], vec![]] {
            let text = |letter: &str| Event::Text(letter.into());
            let mut events: Vec<Event> = letters.into_iter().map(text).collect();
            let before = events.clone();
            assert!(!delayed_input.split(&mut events));
            assert_eq!(events, before);
        }
    }
}
