// Axes of a picture: ticks that do not run into each other, and labels that are read upright.

function axes(svg, spec, frame) {
  const { left, right, top, bottom } = frame;
  const wanted = { x: Math.max(4, (right - left) / 80), y: Math.max(2, (bottom - top) / 48) };
  const { x, y } = frame.scales;
  for (const tick of ticksBetween(...frame.y, wanted.y)) {
    draw("line", { class: "grid", x1: left, x2: right, y1: y(tick), y2: y(tick) }, svg);
    draw("text", { x: left - 6, y: y(tick) + 5, "text-anchor": "end", class: "quiet" }, svg, shown(tick));
  }
  draw("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }, svg);
  let free = -Infinity;
  const places = tickPlaces(spec.x, frame, wanted.x).map((tick) => [x(tick), shown(tick)]);
  for (const [at, text] of places.sort((a, b) => a[0] - b[0])) {
    const half = widthOf(text) / 2;
    const middle = Math.min(Math.max(at, half), frame.width - half);
    if (middle - half < free) continue;
    free = middle + half + 10;
    draw("line", { class: "axis", x1: at, x2: at, y1: bottom, y2: bottom + 4 }, svg);
    draw("text", { x: middle, y: bottom + 19, "text-anchor": "middle", class: "quiet" }, svg, text);
  }
  draw("text", { x: (left + right) / 2, y: bottom + 40, "text-anchor": "middle" }, svg, cut(spec.x.label, frame.width - 8)
  ).classList.add("x-label");
  draw("text", { x: 0, y: 14 }, svg, cut(spec.y.label, frame.width));
}

function tickPlaces(axis, frame, wanted) {
  const [low, high] = frame.x;
  if (!axis.log) {
    const ticks = ticksBetween(Math.min(low, high), Math.max(low, high), wanted);
    return axis.whole ? ticks.filter(Number.isInteger) : ticks;
  }
  const ticks = [];
  for (let power = 1; power <= high; power *= 10) {
    for (const times of [1, 2, 5]) {
      if (times * power >= low && times * power <= high) ticks.push(times * power);
    }
  }
  return ticks;
}

// The place for the curves, and the scales; the x label is centred, so it must fit the width.
function frameOf(spec, width, height, ends, margins = {}) {
  const [xLow, xHigh] = ends.x;
  const [low, high] = ends.y;
  const labels = ticksBetween(low, high, 6).map((tick) => widthOf(shown(tick)));
  const frame = {
    width,
    height,
    left: Math.ceil(Math.max(...labels)) + 12,
    right: width - (margins.right || 10),
    top: margins.top || 28,
    bottom: height - 48,
    x: [xLow, xHigh],
    y: [low, high],
  };
  const half = widthOf(spec.x.label) / 2;
  const middle = (frame.left + frame.right) / 2;
  if (middle - half < 0) frame.left = Math.max(frame.left, 2 * half - frame.right);
  frame.scales = {
    x: scaleOf(xLow, xHigh, frame.left, frame.right, spec.x.log),
    y: scaleOf(low, high, frame.bottom, frame.top),
  };
  return frame;
}

// Move rising heights apart, as little as needed, between two ends.
function spread(heights, gap, low, high) {
  const order = heights.map((_, place) => place).sort((a, b) => heights[a] - heights[b]);
  const placed = heights.slice();
  let free = low;
  for (const place of order) {
    placed[place] = Math.max(heights[place], free);
    free = placed[place] + gap;
  }
  let room = high;
  for (const place of order.reverse()) {
    placed[place] = Math.min(placed[place], room);
    room = placed[place] - gap;
  }
  return placed;
}
