"""Copies of texts that were really scanned: rendered, degraded, and read by Tesseract.

A page is set in a serif face, turned a little, blurred, reduced to few pixels a letter and
sprinkled with dark and light specks, all in proportion to one ``harm``. Tesseract
(``tesseract-ocr`` of Debian) reads it back, one thread a page.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import textwrap
from io import BytesIO
from pathlib import Path
from typing import Any

#: Where the face of the pages stands on Debian.
FACE = Path("/usr/share/fonts/truetype/dejavu/DejaVuSerif.ttf")

#: Characters of a line, and the height of a letter before the page is reduced.
LINE, HEIGHT = 64, 24


def scanned(text: str, harm: float, seed: int) -> str:
    """Return what Tesseract reads of a page.

    Args:
        text: what stands on it.
        harm: 0 (a clean page) and up.
        seed: decides the turn and the specks.
    """
    page = degraded(rendered(text), harm, random.Random(seed))
    buffer = BytesIO()
    page.save(buffer, "PNG")
    done = subprocess.run(
        ["tesseract", "-", "-", "--psm", "6", "-l", "eng"],
        input=buffer.getvalue(),
        capture_output=True,
        check=True,
        env=os.environ | {"OMP_THREAD_LIMIT": "1"},
    )
    return done.stdout.decode()


def rendered(text: str) -> Any:
    """Return a text as a page of black letters on white."""
    from PIL import Image, ImageDraw, ImageFont

    face = ImageFont.truetype(FACE, HEIGHT)
    lines = [
        line
        for paragraph in text.splitlines()
        for line in textwrap.wrap(paragraph, LINE, break_long_words=True)
    ]
    step = int(HEIGHT * 1.5)
    width = int(max(map(face.getlength, lines), default=0)) + 4 * HEIGHT
    page = Image.new("L", (width, step * len(lines) + 4 * HEIGHT), 255)
    draw = ImageDraw.Draw(page)
    for number, line in enumerate(lines):
        draw.text((2 * HEIGHT, 2 * HEIGHT + step * number), line, fill=0, font=face)
    return page


def degraded(page: Any, harm: float, draw: random.Random) -> Any:
    """Return a page turned, blurred, reduced and sprinkled."""
    from PIL import Image, ImageFilter

    turned = page.rotate(
        draw.uniform(-0.4, 0.4) * min(harm, 2), Image.Resampling.BICUBIC, fillcolor=255
    )
    blurred = turned.filter(ImageFilter.GaussianBlur(1.2 * harm))
    scale = 1 / (1 + 0.55 * harm)
    size = (int(blurred.width * scale), int(blurred.height * scale))
    small = blurred.resize(size, Image.Resampling.BILINEAR)
    specks = Image.effect_noise(small.size, 26 * harm)
    mixed = Image.blend(small, specks, min(0.6, 0.14 * harm))
    larger = (int(size[0] * 1.5), int(size[1] * 1.5))
    return mixed.resize(larger, Image.Resampling.BILINEAR)


if __name__ == "__main__":
    print(scanned(sys.stdin.read(), float(sys.argv[1]), 0))
