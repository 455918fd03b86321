# Worauf die Backbones der Tabelle vortrainiert sind (-on) und wovor zu warnen ist (-warning). Ihr Englisch steht in
# assets/backbones.toml; eigene Einträge stehen so da, wie sie geschrieben sind.

-in21k = ImageNet-21k (14 Millionen Fotos, 21.843 Klassen)
-in22k = ImageNet-22k (dieselben 14 Millionen Fotos wie ImageNet-21k, 21.841 Klassen)
-lvd = 142 Millionen Fotos ohne Labels (LVD-142M), ausgewählt nach Ähnlichkeit zu ImageNet und anderen öffentlichen Datensätzen
-lvd-warning = die Bilder ohne Labels, aus denen es gelernt hat, wurden nach Ähnlichkeit zu ImageNet und mehreren Testmengen gesammelt: Lies Zahlen auf diesen mit Vorsicht

-lvd3 = 1,7 Milliarden Fotos ohne Labels aus dem Netz (LVD-1689M)
-lvd3-warning = die Bilder ohne Labels, aus denen es gelernt hat, wurden nach Ähnlichkeit zu ImageNet und anderen öffentlichen Datensätzen ausgewählt: Lies Zahlen auf diesen mit Vorsicht

backbone-lae-nano-on = gezeichneten Symbolen vieler Schriften (keine lateinischen Buchstaben, keine Ziffern) und 100.000 Fotos von Tiny-ImageNet in 32×32
backbone-lae-nano-warning = ein kleines Netz für Symbole und zum Ausprobieren: Auf Fotos ist lae-photo besser
backbone-lae-photo-on = 100.000 Fotos von Tiny-ImageNet, mit EfficientNet-Lite0 (ImageNet-1k) als Lehrer
backbone-lae-photo-warning = ein kleines Netz: Ein größeres ist auf Fotos genauer; viele Klassen von CIFAR und ImageNet-R kommen in seinen Trainingsdaten vor
backbone-vit-tiny-patch16-224-augreg-in21k-on = { -in21k }
backbone-vit-small-patch16-224-augreg-in21k-on = { -in21k }
backbone-vit-base-patch16-224-orig-in21k-on = { -in21k }
backbone-vit-base-patch16-224-augreg-in21k-on = { -in21k }
backbone-vit-base-patch16-224-augreg-in21k-ft-in1k-on = { -in21k }, dann ImageNet-1k
backbone-vit-base-patch16-224-augreg-in21k-ft-in1k-warning = ImageNet-R zeigt 200 der 1.000 Klassen, auf die diese Gewichte abgestimmt wurden: Zahlen darauf sind geschönt und nicht mit denen von ImageNet-21k-Gewichten vergleichbar
backbone-vit-large-patch16-224-augreg-in21k-on = { -in21k }
backbone-vit-small-patch14-dinov2-lvd142m-on = { -lvd }
backbone-vit-small-patch14-dinov2-lvd142m-warning = { -lvd-warning }
backbone-vit-base-patch14-dinov2-lvd142m-on = { -lvd }
backbone-vit-base-patch14-dinov2-lvd142m-warning = { -lvd-warning }
backbone-vit-base-patch16-224-mae-on = ImageNet-1k ohne Labels (1,28 Millionen Fotos)
backbone-vit-base-patch16-224-mae-warning = es hat die Fotos von ImageNet-1k gesehen, wenn auch nicht ihre Klassen; ImageNet-R zeigt 200 dieser Klassen
backbone-vit-base-patch16-clip-quickgelu-224-openai-on = 400 Millionen Bildern mit Bildtexten aus dem Netz (WIT)
backbone-vit-base-patch16-clip-quickgelu-224-openai-warning = unter den Bildern, aus denen es gelernt hat, sind vermutlich Bilder vieler Testmengen, auch Zeichnungen von der Art von ImageNet-R
backbone-vit-small-patch16-dinov3-lvd1689m-on = { -lvd3 }
backbone-vit-small-patch16-dinov3-lvd1689m-warning = { -lvd3-warning }
backbone-vit-base-patch16-dinov3-lvd1689m-on = { -lvd3 }
backbone-vit-base-patch16-dinov3-lvd1689m-warning = { -lvd3-warning }
backbone-eva02-base-patch14-224-mim-in22k-on = ImageNet-22k ohne Labels (14 Millionen Fotos), mit EVA-CLIP als Lehrer
backbone-eva02-base-patch14-224-mim-in22k-warning = sein Lehrer hat aus Bildern mit Bildtexten aus dem Netz gelernt; darunter sind vermutlich Bilder vieler Testmengen
backbone-vit-base-patch16-siglip-224-v2-webli-on = 10 Milliarden Bildern mit Bildtexten aus dem Netz (WebLI)
backbone-vit-base-patch16-siglip-224-v2-webli-warning = unter den Bildern, aus denen es gelernt hat, sind vermutlich Bilder vieler Testmengen; ohne Klassen-Token nimmt es keine Prompts an
backbone-vit-pe-core-base-patch16-224-fb-on = 5,4 Milliarden Bildern mit Bildtexten aus dem Netz, und Videos
backbone-vit-pe-core-base-patch16-224-fb-warning = unter den Bildern, aus denen es gelernt hat, sind vermutlich Bilder vieler Testmengen
backbone-swin-tiny-patch4-window7-224-ms-in22k-on = { -in22k }
backbone-swin-small-patch4-window7-224-ms-in22k-on = { -in22k }
backbone-swin-base-patch4-window7-224-ms-in22k-on = { -in22k }
backbone-convnext-tiny-fb-in22k-on = { -in22k }
backbone-convnext-small-fb-in22k-on = { -in22k }
backbone-convnext-base-fb-in22k-on = { -in22k }

# Die Titel, in denen Wörter stehen; die anderen sind Namen.

backbone-lae-nano-title = Nano, eingebaut
backbone-lae-photo-title = Foto, eingebaut
backbone-vit-base-patch16-224-orig-in21k-title = ViT-B/16, ImageNet-21k, Original (des Papers)
backbone-vit-base-patch16-224-augreg-in21k-ft-in1k-title = ViT-B/16, ImageNet-21k, auf ImageNet-1k abgestimmt
backbone-vit-base-patch16-clip-quickgelu-224-openai-title = CLIP ViT-B/16, Bildseite
backbone-vit-base-patch16-siglip-224-v2-webli-title = SigLIP 2 ViT-B/16, Bildseite
