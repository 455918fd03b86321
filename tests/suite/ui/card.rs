//! How the window shows the ways of a card: chosen, refused, tried again; and fewer images at once.

use egui_kittest::kittest::Queryable;
use lae_studio::device::{Prepared, Tried};
use lae_studio::nn::ComputeVariant;
use lae_studio::problem::Result;
use lae_studio::run::config::RunConfig;
use lae_studio::session::backend::{Backend, Recorded};
use lae_studio::session::progress::Progress;
use lae_studio::session::views::DeviceView;
use lae_studio::session::{Disk, Session, Sources};
use lae_studio::ui::settings::ThemeChoice;

use super::{open_steps, wait, window};

const KEY: &str = "vulkan:discrete:0";

fn tried(variant: &str, speed: f64) -> Tried {
    Tried {
        variant: variant.parse().unwrap(),
        forward_error: Some(1e-6),
        gradient_error: Some(1e-6),
        images_per_second: Some(speed),
        refused: None,
    }
}

/// A card that was prepared for ViT, with this speed of its best way.
fn devices(fast: f64) -> Vec<DeviceView> {
    let mut list = vec![tried("plain", 100.0), tried("f32-fused-bytes", fast)];
    let wrong = "f16-fused-bytes".parse().unwrap();
    list.push(Tried::refused(wrong, "its gradients are off by 5.0e-1"));
    vec![DeviceView {
        key: KEY.into(),
        title: "GPU · Test card".into(),
        kind: "graphics card, Vulkan".into(),
        chosen_by_auto: true,
        prepared_by_itself: true,
        prepared: [("vit".to_string(), Prepared { tried: list })].into(),
        bf16_gain: None,
    }]
}

/// A machine with the test card, which is faster once it is prepared anew.
struct OneCard(Disk);

impl Sources for OneCard {
    fn disk(&self) -> &Disk {
        &self.0
    }

    fn devices(&self) -> Vec<DeviceView> {
        devices(150.0)
    }

    fn prepare(&self, key: &str, family: &str, _: &Progress) -> Result<Vec<DeviceView>> {
        assert_eq!((key, family), (KEY, "vit"));
        Ok(devices(300.0))
    }
}

#[test]
fn the_ways_of_a_card_are_shown_chosen_and_tried_again() {
    let root = tempfile::tempdir().unwrap();
    let sources = OneCard(Disk::at(root.path().to_path_buf()));
    let draft = RunConfig {
        device: KEY.into(),
        ..RunConfig::default()
    };
    let mut harness = window([1280.0, 900.0], ThemeChoice::Light, move |wake| {
        let backend: Box<dyn Backend> = Box::new(Recorded::default());
        Session::with(backend, sources, draft, wake)
    });
    wait(&mut harness, "the card is listed", |app| {
        let session = &app.session;
        // What comes while the menu is asked for moves it away.
        let known =
            !session.inventory.devices.is_empty() && !session.inventory.backbones.is_empty();
        known && !session.experiment.data.is_busy()
    });
    harness.run_steps(3);
    open_steps(&mut harness);
    harness.get_by_label("1.50 times as fast as the plain variant");
    harness.get_by_label("Variant: automatic").click();
    harness.run_steps(3);
    harness.get_by_label("Automatic: f32-fused-bytes");
    harness.get_by_label("f16 weights, fused attention, pictures as bytes · not used");
    let plain = "f32 weights, decomposed attention, pictures as floats · 100.0 images/s";
    harness.get_by_label(plain).click();
    harness.run_steps(3);
    let draft = &harness.state().session.experiment.draft;
    assert_eq!(draft.card_variant, Some(ComputeVariant::PLAIN));
    assert!(
        draft
            .as_command(&[], &[])
            .contains("--card-variant f32-decomposed-floats")
    );
    harness.get_by_label("Variant: f32-decomposed-floats");
    harness.get_by_label("Try again").click();
    wait(&mut harness, "the card is prepared anew", |app| {
        app.session.preparing().is_none()
            && app.session.inventory.devices[0].prepared["vit"].tried[1].images_per_second
                == Some(300.0)
    });
    harness.get_by_label("3.00 times as fast as the plain variant");
}
