"""Scatter plots with error bars and labels, side by side, as SVG text in the style of energy.svg."""
import math
from collections import namedtuple
from xml.sax.saxutils import escape

# Errors are standard deviations, or 0 if there is one value only. A tone is one of TONES, or None.
Point = namedtuple("Point", "x x_error y y_error label series tone", defaults=[None])
Panel = namedtuple("Panel", "title x_title y_title points")
COLOURS = ["#8a93a0", "#1b2330"]  # Of series.
# What has the same color in all charts of eatt.
TONES = {"vanilla": "#0072b2", "eatt": "#d55e00", "best": "#009e73"}
WIDTH, HEIGHT, TOP, BOTTOM = 600, 620, 96, 60
LETTER = 5.8  # Width of a letter of a label, on average.


def ticks(low, high):
    """Round numbers that cover low to high in about five steps."""
    span = (high - low) or abs(high) or 1
    step = 10 ** math.floor(math.log10(span / 5))
    step *= next(factor for factor in (1, 2, 5, 10) if span / (step * factor) <= 6)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    last = max(last, first + 1)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return [round(i * step, digits) for i in range(first, last + 1)], digits


def front(points):
    """The points that have more y than every point with less x or the same."""
    best = []
    for point in sorted(points, key=lambda point: (point.x, -point.y)):
        if not best or point.y > best[-1].y:
            best.append(point)
    return best


def text(x, y, words, size=12, anchor="start", more=""):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
            f'fill="#222222"{more}>{escape(words)}</text>')


def line(x1, y1, x2, y2, colour, more=""):
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            f'stroke-width="1"{more}/>')


def overlap(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


class Drawing:
    """One panel, its plot between `left` and `right`."""

    def __init__(self, panel, left, series):
        self.panel, self.series = panel, series
        self.left, self.right = left + 60, left + WIDTH - 30
        self.bottom = HEIGHT - BOTTOM
        self.x_ticks, self.x_digits = ticks(*self.range("x"))
        self.y_ticks, self.y_digits = ticks(*self.range("y"))
        self.taken = []  # Boxes of marks and labels: left, top, right, bottom.

    def range(self, axis):
        ends = [getattr(point, axis) + sign * getattr(point, axis + "_error")
                for point in self.panel.points for sign in (-1, 1)]
        return min(ends), max(ends)

    def x(self, value):
        low, high = self.x_ticks[0], self.x_ticks[-1]
        return self.left + (value - low) / (high - low) * (self.right - self.left)

    def y(self, value):
        low, high = self.y_ticks[0], self.y_ticks[-1]
        return self.bottom - (value - low) / (high - low) * (self.bottom - TOP)

    def axes(self):
        parts = [text(self.left - 40, TOP - 22, self.panel.title, 13, more=' font-weight="bold"'),
                 text(self.left - 40, TOP - 8, self.panel.y_title, 11),
                 text((self.left + self.right) / 2, self.bottom + 36, self.panel.x_title, 11, "middle")]
        for i, tick in enumerate(self.y_ticks):
            y = self.y(tick)
            parts.append(line(self.left, y, self.right, y, "#dddddd" if i else "#444444"))
            parts.append(text(self.left - 6, y + 4, f"{tick:.{self.y_digits}f}", 11, "end"))
        for tick in self.x_ticks:
            x = self.x(tick)
            parts.append(line(x, self.bottom, x, self.bottom + 4, "#444444"))
            parts.append(text(x, self.bottom + 17, f"{tick:.{self.x_digits}f}", 11, "middle"))
        return parts

    def mark(self, point):
        x, y, colour = self.x(point.x), self.y(point.y), TONES.get(point.tone) or self.colour(point)
        parts = []
        if point.x_error:
            parts.append(line(self.x(point.x - point.x_error), y, self.x(point.x + point.x_error), y,
                              colour))
        if point.y_error:
            ends = [self.y(point.y - point.y_error), self.y(point.y + point.y_error)]
            parts += [line(x, ends[0], x, ends[1], colour),
                      *(line(x - 4, end, x + 4, end, colour) for end in ends)]
        radius = 6 if point.tone else 4
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{colour}"><title>'
                     f'{escape(point.label)}: {point.x:.4g}, {point.y:.4g}</title></circle>')
        return parts

    def colour(self, point):
        return COLOURS[self.series.index(point.series) % len(COLOURS)]

    def places(self, point):
        """(x, y, anchor) where a label may stand, from the nearest on."""
        x, y = self.x(point.x), self.y(point.y)
        yield from ((x + 8, y + 4, "start"), (x - 8, y + 4, "end"), (x, y - 9, "middle"),
                    (x, y + 18, "middle"))
        for away in range(12, 160, 6):
            for side, anchor in ((1, "start"), (-1, "end")):
                for shift in (12, 40, 80):
                    yield from ((x + side * shift, y + 4 + away, anchor),
                                (x + side * shift, y + 4 - away, anchor))

    def label(self, point):
        """Where nothing else is, with a thin line to the mark if that is not beside it."""
        width = LETTER * len(point.label)
        for number, (x, y, anchor) in enumerate(self.places(point)):
            start = x - {"start": 0, "middle": width / 2, "end": width}[anchor]
            box = (start, y - 10, start + width, y + 2)
            inside = (box[0] >= self.left and box[2] <= self.right + 26
                      and box[1] >= TOP and box[3] <= self.bottom)
            if inside and not any(overlap(box, other) for other in self.taken):
                self.taken.append(box)
                pointer = [line(self.x(point.x), self.y(point.y), x, y - 4, "#aaaaaa")]
                return (pointer if number >= 4 else []) + [text(x, y, point.label, 11, anchor)]
        return []

    def parts(self):
        parts = self.axes()
        for name in self.series:
            path = front([point for point in self.panel.points if point.series == name])
            for one, other in zip(path, path[1:]):
                parts.append(line(self.x(one.x), self.y(one.y), self.x(other.x), self.y(other.y),
                                  self.colour(one), ' stroke-dasharray="4 3"'))
        for point in self.panel.points:
            x, y = self.x(point.x), self.y(point.y)
            self.taken.append((x - 4, y - 4, x + 4, y + 4))
            parts += self.mark(point)
        for point in self.panel.points:
            parts += self.label(point)
        return parts


def picture(title, subtitle, panels):
    """The panels beside each other; points of a series have a colour, and a line along their front."""
    series = sorted({point.series for panel in panels for point in panel.points})
    width = WIDTH * len(panels)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" '
             f'width="{width}" height="{HEIGHT}" font-family="Helvetica, Arial, sans-serif">',
             f'<rect width="{width}" height="{HEIGHT}" fill="#ffffff"/>',
             text(30, 28, title, 16, more=' font-weight="bold"'), text(30, 48, subtitle)]
    for i, panel in enumerate(panels):
        if panel.points:
            parts += Drawing(panel, i * WIDTH, series).parts()
    for i, name in enumerate(series):
        x = 30 + 160 * i
        parts.append(f'<circle cx="{x + 6}" cy="{HEIGHT - 12}" r="4" fill="{COLOURS[i % len(COLOURS)]}"/>')
        parts.append(text(x + 16, HEIGHT - 8, name))
    return "\n".join(parts + ["</svg>"]) + "\n"
