"""Writes letters.pack, the 26 Latin capitals rendered with many free fonts and distorted like handwriting.

    pip install numpy pillow && python assets/make_letters.py assets/letters.pack

The images are synthetic. Each is a glyph of a font below with random stroke thickness, slant, rotation, size,
position, elastic distortion, blur, brightness and grain; 32x32 pixels, grey, light on dark. The training and test
splits use different font families. README.md in this folder describes the format of a pack. The seed determines all
random choices; grey levels may differ by one with another version of FreeType.

The fonts are those of Debian 12, all of them free. `python assets/make_letters.py --fonts` prints the `apt-get
install` command for them, then each font with its licence. If a font is missing, the script stops, because another
font would change the dataset.
"""

import json
import struct
import sys
import zlib
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

SEED = 26
TRAIN_PER_CLASS, TEST_PER_CLASS = 100, 40
SIDE = 32
FINE = 4 * SIDE  # glyphs are drawn and bent at four times the size
ROOT = Path("/usr/share/fonts")

OFL, APACHE, GPL, MIT = "OFL-1.1", "Apache-2.0", "GPL with font exception", "MIT"
# (file, Debian package, licence)
TRAIN_FONTS = [
    # serif
    ("opentype/ebgaramond/EBGaramond12-Regular.otf", "fonts-ebgaramond", OFL),
    ("truetype/gentiumplus/GentiumPlus-Italic.ttf", "fonts-sil-gentiumplus", OFL),
    ("opentype/linux-libertine/LinLibertine_RB.otf", "fonts-linuxlibertine", OFL),
    ("truetype/crosextra/Caladea-Bold.ttf", "fonts-crosextra-caladea", APACHE),
    ("opentype/roboto/slab/RobotoSlab-Regular.otf", "fonts-roboto-slab", APACHE),
    ("truetype/adf/BaskervaldADFStd.otf", "fonts-adf-baskervald", GPL),
    ("truetype/fanwood/FanwoodText.otf", "fonts-fanwood", MIT),
    # sans
    ("truetype/lato/Lato-Regular.ttf", "fonts-lato", OFL),
    ("truetype/lato/Lato-Black.ttf", "fonts-lato", OFL),
    ("truetype/open-sans/OpenSans-CondBold.ttf", "fonts-open-sans", APACHE),
    ("opentype/cabin/Cabin-Regular.otf", "fonts-cabin", OFL),
    ("opentype/dosis/Dosis-Medium.otf", "fonts-dosis", OFL),
    ("truetype/comfortaa/Comfortaa-Regular.ttf", "fonts-comfortaa", OFL),
    ("opentype/play/Play-Regular.otf", "fonts-play", OFL),
    # mono
    ("truetype/jetbrains-mono/JetBrainsMono-Regular.ttf", "fonts-jetbrains-mono", OFL),
    ("opentype/courier-prime/Courier Prime.otf", "fonts-courier-prime", OFL),
    ("truetype/agave/agave-r-autohinted.ttf", "fonts-agave", MIT),
    # handwriting and script
    ("truetype/fifthhorseman/dkg.ttf", "fonts-dkg-handwriting", OFL),
    ("truetype/humor-sans/Humor-Sans.ttf", "fonts-humor-sans", OFL),
    ("truetype/rufscript/Rufscript010.ttf", "fonts-rufscript", GPL),
    ("opentype/kaushanscript/KaushanScript-Regular.otf", "fonts-kaushanscript", OFL),
    ("opentype/malayalam/Chilanka-Regular.otf", "fonts-smc-chilanka", OFL),
    # display
    ("opentype/bebas-neue/BebasNeue-Regular.otf", "fonts-bebas-neue", OFL),
    ("opentype/lemonada/Lemonada-Regular.otf", "fonts-lemonada", OFL),
]
TEST_FONTS = [
    ("opentype/quattrocento/Quattrocento-Regular.otf", "fonts-quattrocento", OFL),
    ("truetype/vollkorn/Vollkorn-Bold.ttf", "fonts-vollkorn", OFL),
    ("truetype/charis/CharisSIL-Italic.ttf", "fonts-sil-charis", OFL),
    ("opentype/yanone-kaffeesatz/YanoneKaffeesatz-Regular.otf", "fonts-yanone-kaffeesatz", OFL),
    ("truetype/andika/Andika-Regular.ttf", "fonts-sil-andika", OFL),
    ("opentype/cantarell/Cantarell-Bold.otf", "fonts-cantarell", OFL),
    ("truetype/quicksand/Quicksand-Regular.ttf", "fonts-quicksand", OFL),
    ("truetype/mononoki/mononoki-Regular.ttf", "fonts-mononoki", OFL),
    ("truetype/sjfonts/SteveHand.ttf", "fonts-sjfonts", GPL),
    ("truetype/tomsontalks/TomsonTalks.ttf", "fonts-tomsontalks", OFL),
    ("truetype/tlwg/Purisa.ttf", "fonts-tlwg-purisa-ttf", GPL),
    ("opentype/lobstertwo/LobsterTwo-Regular.otf", "fonts-lobstertwo", OFL),
    ("truetype/averia-gwf/AveriaSerifGWF-Bold.ttf", "fonts-averia-serif-gwf", OFL),
]


def glyph(font, letter):
    """`letter` as wide and high as it is in `font`, centred, light on dark."""
    box = font.getbbox(letter)
    picture = Image.new("L", (FINE, FINE))
    place = ((FINE - box[0] - box[2]) / 2, (FINE - box[1] - box[3]) / 2)
    ImageDraw.Draw(picture).text(place, letter, font=font, fill=255)
    return picture


def with_stroke(picture, change):
    """Thicker (`change` > 0) or thinner strokes, by about `change` fine pixels a side."""
    size = 2 * abs(change) + 1
    if change > 0:
        return picture.filter(ImageFilter.MaxFilter(size))
    if change == 0:
        return picture
    thinner = picture.filter(ImageFilter.MinFilter(size))
    ink = np.asarray(picture, np.float32).sum()
    lost = np.asarray(thinner, np.float32).sum() < 0.35 * ink
    return picture if lost else thinner


def wave(generator, cells):
    """A smooth random field of values around zero, one per fine pixel."""
    coarse = generator.standard_normal((cells, cells)).astype(np.float32)
    return np.asarray(Image.fromarray(coarse).resize((FINE, FINE), Image.Resampling.BICUBIC))


def bent(picture, generator):
    """Turned, slanted, scaled, moved and elastically distorted."""
    angle = np.deg2rad(generator.normal(0, 7))
    slant = generator.normal(0, 0.16)
    scale = generator.uniform(0.78, 1.12) * np.exp(generator.normal(0, 0.09, 2))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    inverse = np.linalg.inv(turn @ np.array([[1, slant], [0, 1]]) @ np.diag(scale))
    move = generator.normal(0, 4.5, 2)
    middle = (FINE - 1) / 2
    y, x = np.mgrid[0:FINE, 0:FINE].astype(np.float32) - middle
    source = np.einsum("ij,jyx->iyx", inverse, np.stack([x - move[0], y - move[1]]))
    strength = generator.uniform(1.8, 5.8)
    source += strength * np.stack([wave(generator, 5), wave(generator, 5)]) + middle
    return sample(np.asarray(picture, np.float32), source)


def sample(values, source):
    """`values` read between the pixels at `source` (x, y), dark outside."""
    padded = np.pad(values, 1)
    x, y = (np.clip(axis + 1, 0, FINE + 0.999) for axis in source)
    left, top = x.astype(int), y.astype(int)
    right, down = x - left, y - top
    above = padded[top, left] * (1 - right) + padded[top, left + 1] * right
    below = padded[top + 1, left] * (1 - right) + padded[top + 1, left + 1] * right
    return above * (1 - down) + below * down


def draw(font, letter, generator):
    """One finished image, SIDE x SIDE bytes."""
    picture = with_stroke(glyph(font, letter), int(generator.integers(-2, 4)))
    fine = Image.fromarray(bent(picture, generator).astype(np.float32))
    small = np.asarray(fine.reduce(FINE // SIDE), np.float32)
    blur = generator.uniform(0, 0.9)
    if blur > 0.3:
        small = soften(small, blur)
    bright = generator.uniform(0.7, 1.3)
    grain = generator.normal(0, generator.uniform(2, 14), (SIDE, SIDE))
    grey = np.clip(small * bright + grain, 0, 255)
    # Steps of 8 are invisible here and halve the file.
    return np.minimum(np.round(grey / 8) * 8, 255).astype(np.uint8)


def soften(values, radius):
    """Gaussian blur of `radius` pixels."""
    reach = np.arange(-3, 4)
    kernel = np.exp(-(reach**2) / (2 * radius**2))
    kernel /= kernel.sum()
    for axis in (0, 1):
        values = sum(k * np.roll(values, r, axis) for k, r in zip(kernel, reach))
    return values


def pictures_of(letter, fonts, count, seed):
    """`count` images of `letter`; the fonts take turns."""
    generator = np.random.Generator(np.random.PCG64(seed))
    turns = [fonts[i % len(fonts)] for i in range(count)]
    return np.stack([draw(font, letter, generator) for font in turns])


def load(fonts):
    """The fonts, each at the size that makes its H 22 pixels high."""
    loaded = []
    for file, package, _ in fonts:
        path = ROOT / file
        if not path.exists():
            sys.exit(f"{path} is missing: install the Debian package {package}")
        probe = ImageFont.truetype(path, 200, layout_engine=ImageFont.Layout.BASIC)
        box = probe.getbbox("H")
        size = 200 * 22 * FINE / SIDE / (box[3] - box[1])
        loaded.append(ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC))
    return loaded


def main(path):
    letters = [chr(code) for code in range(ord("A"), ord("Z") + 1)]
    splits = {}
    for split, (name, fonts, count) in enumerate(
        [("train", TRAIN_FONTS, TRAIN_PER_CLASS), ("test", TEST_FONTS, TEST_PER_CLASS)]
    ):
        loaded = load(fonts)
        splits[name] = [
            pictures_of(letter, loaded, count, [SEED, split, index])
            for index, letter in enumerate(letters)
        ]
    header = {
        "name": "Letters",
        "note": "Synthetic: the 26 Latin capitals of "
        f"{len(TRAIN_FONTS) + len(TEST_FONTS)} free fonts, distorted as if drawn by hand; "
        "the test images use other fonts than the training images.",
        "licence": "MIT OR Apache-2.0",
        "height": SIDE,
        "width": SIDE,
        "classes": letters,
        **{name: [len(pictures) for pictures in classes] for name, classes in splits.items()},
    }
    text = json.dumps(header, ensure_ascii=False).encode()
    pixels = b"".join(p.tobytes() for classes in splits.values() for p in classes)
    Path(path).write_bytes(struct.pack("<I", len(text)) + text + zlib.compress(pixels, 9))


def list_fonts():
    fonts = TRAIN_FONTS + TEST_FONTS
    packages = sorted({package for _, package, _ in fonts})
    print("apt-get install --no-install-recommends", *packages)
    for split, chosen in (("train", TRAIN_FONTS), ("test", TEST_FONTS)):
        for file, package, licence in chosen:
            print(f"{split:5}  {Path(file).stem:28}  {package:28}  {licence}")


if __name__ == "__main__":
    argument = sys.argv[1] if len(sys.argv) > 1 else "letters.pack"
    list_fonts() if argument == "--fonts" else main(argument)
