"""Writes icon.png, and with --packaging the icons of all systems: three bars with the colours and markers of the experts.

    pip install pillow && python assets/make_icon.py assets/icon.png --packaging assets/packaging/icons

From top to bottom: online (disc), offline (triangle) and ensemble (square), on the dark background of the window. The
length of a bar represents the usual accuracy of the expert.
"""

import argparse
import pathlib

from PIL import Image, ImageDraw

SIDE, FINE = 256, 4
SIZES = (16, 32, 48, 64, 128, 256, 512)
GROUND, EDGE, TROUGH = "#14161A", "#2E333D", "#22262E"
ONLINE, OFFLINE, ENSEMBLE = "#56B4E9", "#E69F00", "#2FBF8F"
# Middle, end and colour of the bars.
BARS = ((74, 168, ONLINE), (128, 190, OFFLINE), (182, 214, ENSEMBLE))


def drawn(side):
    """The icon as an image of side × side pixels, RGBA."""
    zoom = side * FINE / SIDE
    picture = Image.new("RGBA", (side * FINE, side * FINE))
    pen = ImageDraw.Draw(picture)

    def scaled(*numbers):
        return [number * zoom for number in numbers]

    pen.rounded_rectangle(
        scaled(6, 6, 250, 250),
        radius=52 * zoom,
        fill=GROUND,
        outline=EDGE,
        width=max(1, round(4 * zoom)),
    )
    for middle, end, colour in BARS:
        pen.rounded_rectangle(scaled(90, middle - 15, 214, middle + 15), 8 * zoom, fill=TROUGH)
        pen.rounded_rectangle(scaled(90, middle - 15, end, middle + 15), 8 * zoom, fill=colour)
    pen.ellipse(scaled(42, 59, 72, 89), fill=ONLINE)
    pen.polygon(scaled(57, 110, 75, 143, 39, 143), fill=OFFLINE)
    pen.rectangle(scaled(43, 168, 71, 196), fill=ENSEMBLE)
    return picture.resize((side, side), Image.Resampling.LANCZOS)


def vector():
    """The same drawing as SVG text."""
    bars = "".join(
        f'  <rect x="90" y="{middle - 15}" width="124" height="30" rx="8" fill="{TROUGH}"/>\n'
        f'  <rect x="90" y="{middle - 15}" width="{end - 90}" height="30" rx="8" fill="{colour}"/>\n'
        for middle, end, colour in BARS
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{SIDE}" height="{SIDE}" '
        f'viewBox="0 0 {SIDE} {SIDE}">\n'
        f'  <rect x="8" y="8" width="240" height="240" rx="50" fill="{GROUND}" '
        f'stroke="{EDGE}" stroke-width="4"/>\n{bars}'
        f'  <circle cx="57" cy="74" r="15" fill="{ONLINE}"/>\n'
        f'  <path d="M57 110 75 143 39 143Z" fill="{OFFLINE}"/>\n'
        f'  <rect x="43" y="168" width="28" height="28" fill="{ENSEMBLE}"/>\n</svg>\n'
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("icon", nargs="?", default="icon.png", help="the image to write")
    parser.add_argument("--packaging", type=pathlib.Path, help="folder for the icons of all systems")
    args = parser.parse_args()
    drawn(SIDE).save(args.icon, optimize=True)
    if args.packaging is None:
        return
    args.packaging.mkdir(parents=True, exist_ok=True)
    pictures = {side: drawn(side) for side in SIZES}
    for side, picture in pictures.items():
        picture.save(args.packaging / f"{side}x{side}.png", optimize=True)
    (args.packaging / "icon.svg").write_text(vector())
    small = [pictures[side] for side in SIZES if side <= 256]
    small[-1].save(
        args.packaging / "icon.ico", sizes=[p.size for p in small], append_images=small[:-1]
    )
    pictures[512].save(
        args.packaging / "icon.icns", append_images=[pictures[side] for side in (32, 64, 128, 256)]
    )


if __name__ == "__main__":
    main()
