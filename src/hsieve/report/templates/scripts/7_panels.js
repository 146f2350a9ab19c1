// Small pictures: a chosen feature beside the target, or two features with the target as colour.

const GOLDEN = 0.618034;

function drawPanels(container, spec, width) {
  const grid = make("div", { class: "small-multiples" }, container);
  // All places before the first picture: a row is as wide as its columns are many.
  const show = (from, to) => {
    const places = spec.panels.slice(from, to).map((panel, i) => [panel, panelPlace(grid, panel), from + i]);
    for (const [panel, box, place] of places) {
      const drawn = { points: drawCloud, plane: drawPlane, violins: drawViolins, survival: drawSurvival, fractions: drawFractions }[panel.form];
      drawn(box, { ...panel, id: `${spec.id}-${place}`, title: titleOf(panel), target: spec.target, groupNames: spec.groups }, box.clientWidth);
    }
  };
  // Two rows at first, and at least four.
  const first = spec.open ? spec.panels.length : Math.max(4, 2 * Math.floor((width + 18) / 258));
  show(0, first);
  if (first < spec.panels.length) {
    const more = make("button", { type: "button", class: "more" }, container, `Show ${spec.panels.length - first} more`);
    more.addEventListener("click", () => {
      spec.open = true;
      more.remove();
      show(first, spec.panels.length);
      showMarked();
      grid.children[first].querySelector("button").focus();
    });
  }
  const labels = spec.groups || (spec.panels.find((panel) => panel.classes) || {}).classes;
  if (labels) colourKey(container, labels, spec.target);
}

function titleOf(panel) {
  return panel.names ? panel.names.join(" × ") : panel.name;
}

function panelPlace(grid, panel) {
  const box = make("div", { class: `panel ${colourOf(panel)}` }, grid);
  const title = titleOf(panel);
  const button = make("button", { type: "button", class: "feature", "data-feature": panel.feature, "aria-pressed": "false" }, make("h4", {}, box), title);
  if (panel.also) button.dataset.also = panel.also.join(" ");
  button.addEventListener("click", () => markFeature(panel.feature, title));
  return box;
}

function colourKey(container, labels, target) {
  const list = make("ul", { class: "key", "aria-label": `Colours: ${target}` }, container);
  labels.forEach((label, place) => {
    const entry = make("li", { class: `c${place % COLOURS}` }, list);
    make("span", { class: "swatch" }, entry);
    make("bdi", {}, entry, label);
  });
}

function smallFrame(panel, width, height, xs, ys, labels) {
  const spec = { x: { label: labels[0] }, y: { label: labels[1] } };
  const svg = picture(panel.box, panel, width, height);
  const frame = frameOf(spec, width, height, { x: extent(xs), y: extent(ys) });
  axes(svg, { x: { label: cut(labels[0], width - 8) }, y: { label: labels[1] } }, frame);
  return { svg, frame };
}

// Dots as one path: hundreds of them cost the page next to nothing.
function dotPath(points, { x, y }) {
  return points.map((point) => `M${x(point[0]).toFixed(1)},${y(point[1]).toFixed(1)}h0`).join("");
}

function drawCloud(box, panel, width) {
  const points = panel.points;
  const all = points.concat(panel.line);
  const { svg, frame } = smallFrame({ ...panel, box }, width, 230, all.map((p) => p[0]), all.map((p) => p[1]), [panel.name, panel.target]);
  draw("path", { class: "dots stroked", d: dotPath(points, frame.scales) }, svg);
  const { x, y } = frame.scales;
  draw("path", { class: "curve smooth", d: panel.line.map((p, i) => `${i ? "L" : "M"}${x(p[0]).toFixed(1)},${y(p[1]).toFixed(1)}`).join("") }, svg);
  const stops = panel.line.filter((_, place) => place % 8 === 4);
  makeMarks(stops.map((point) => {
    const node = draw("g", { class: "stop" }, svg);
    draw("circle", { cx: x(point[0]), cy: y(point[1]), r: 9, fill: "transparent" }, node);
    draw("circle", { class: "ring hollow", cx: x(point[0]), cy: y(point[1]), r: 4 }, node);
    return { node, feature: panel.feature, name: panel.name,
      text: `${panel.name} ${shown(point[0])}\n${panel.target} about ${shown(point[1])}` };
  }));
}

function drawPlane(box, panel, width) {
  const points = panel.points;
  const { svg, frame } = smallFrame({ ...panel, box }, width, 250, points.map((p) => p[0]), points.map((p) => p[1]), panel.names);
  makeMarks(panel.groupNames.map((label, group) => {
    const own = points.filter((point) => point[2] === group);
    const node = draw("g", { class: `c${group % COLOURS} g${group % 2}` }, svg);
    draw("path", { class: "dots stroked", d: dotPath(own, frame.scales) }, node);
    return { node, feature: panel.feature, also: panel.also, name: panel.title,
      text: `${panel.target}: ${label}\n${own.length} of the samples drawn` };
  }));
}

function drawViolins(box, panel, width) {
  const [row, half] = [66, 19];
  const height = panel.groups.length * row + 48;
  const svg = picture(box, panel, width, height);
  const [low, high] = extent(panel.groups.flatMap((group) => group.points));
  const along = scaleOf(low, high, 8, width - 8);
  const bottom = height - 46;
  const spec = { x: { label: panel.along === "feature" ? panel.name : panel.target } };
  bottomAxis(svg, spec, { left: 8, right: width - 8, bottom, width, x: [low, high], scales: { x: along } });
  makeMarks(panel.groups.map((group, place) => {
    const node = draw("g", { class: panel.along === "feature" ? `c${place % COLOURS}` : "" }, svg);
    const y = place * row + 42;
    const [, q1, middle, q3] = group.quantiles.map((value) => Math.min(Math.max(along(value), 8), width - 8));
    draw("rect", { x: 0, y: y - 41, width, height: row - 4, fill: "transparent" }, node);
    draw("text", { x: 0, y: y - 26 }, node, cut(group.name, width * 0.7));
    draw("text", { x: width, y: y - 26, "text-anchor": "end", class: "quiet" }, node, `n ${group.count}`);
    const density = group.density || [];
    const side = (up) => density.map(([at, wide]) => `${along(at).toFixed(1)},${(y + up * wide * half).toFixed(1)}`);
    if (density.length) draw("path", { class: "violin stroked ring", d: `M${[...side(-1), ...side(1).reverse()].join("L")}Z` }, node);
    const heightAt = (value) => {
      const near = density.reduce((best, one) => (Math.abs(one[0] - value) < Math.abs(best[0] - value) ? one : best), [value, 0.4]);
      return near[1] * half * 0.8;
    };
    const dots = group.points.map((value, i) => `M${along(value).toFixed(1)},${(y + heightAt(value) * (2 * ((i * GOLDEN) % 1) - 1)).toFixed(1)}h0`);
    draw("path", { class: "dots stroked", d: dots.join("") }, node);
    draw("line", { class: "quartiles", x1: q1, x2: q3, y1: y, y2: y }, node);
    draw("circle", { class: "median", cx: middle, cy: y, r: 4 }, node);
    return { node, feature: panel.feature, name: panel.name,
      text: `${group.name}: ${group.count} samples\nmedian ${shown(group.quantiles[2])}\nquartiles ${shown(group.quantiles[1])} and ${shown(group.quantiles[3])}\n5 % and 95 %: ${shown(group.quantiles[0])} and ${shown(group.quantiles[4])}` };
  }));
}

function bottomAxis(svg, spec, frame) {
  draw("line", { class: "axis", x1: frame.left, x2: frame.right, y1: frame.bottom, y2: frame.bottom }, svg);
  let free = -Infinity;
  for (const tick of ticksBetween(...frame.x, Math.max(4, frame.width / 50))) {
    const text = shown(tick);
    const half = widthOf(text) / 2;
    const middle = Math.min(Math.max(frame.scales.x(tick), half), frame.width - half);
    if (middle - half < free) continue;
    free = middle + half + 10;
    draw("text", { x: middle, y: frame.bottom + 17, "text-anchor": "middle", class: "quiet" }, svg, text);
  }
  draw("text", { x: frame.width / 2, y: frame.bottom + 38, "text-anchor": "middle" }, svg, cut(spec.x.label, frame.width - 8));
}

// Kaplan-Meier curves: steps from above, with a line for each group of samples.
function drawSurvival(box, panel, width) {
  const [row, height] = [20, 230];
  const above = row * panel.groups.length + 24;
  const last = Math.max(...panel.groups.map((group) => group.curve[group.curve.length - 1][0]));
  const spec = { x: { label: cut(panel.target, width - 8) }, y: { label: "without event" } };
  const svg = picture(box, panel, width, height + above);
  const frame = frameOf(spec, width, height + above, { x: [0, last], y: [0, 1] }, { top: above + 8 });
  axes(svg, spec, frame);
  const { x, y } = frame.scales;
  makeMarks(panel.groups.map((group, place) => {
    const node = draw("g", { class: `c${place % COLOURS}` }, svg);
    const steps = group.curve.map((point, i) => (i ? `H${x(point[0]).toFixed(1)}V${y(point[1]).toFixed(1)}` : `M${x(point[0]).toFixed(1)},${y(point[1]).toFixed(1)}`));
    draw("path", { class: "hit", d: steps.join("") }, node);
    draw("path", { class: "curve stroked", d: steps.join("") }, node);
    draw("path", { class: "curve stroked", d: `M0,${place * row + 31}h18` }, node);
    draw("text", { x: 24, y: place * row + 36 }, node, cut(group.name, width * 0.6));
    draw("text", { x: width, y: place * row + 36, "text-anchor": "end", class: "quiet" }, node, `n ${group.count}`);
    return { node, feature: panel.feature, name: panel.name,
      text: `${panel.name} ${group.name}: ${group.count} samples, ${group.events} events\nwithout event at the end: ${shown(group.curve[group.curve.length - 1][1])}` };
  }));
}

function drawFractions(box, panel, width) {
  const row = 46;
  const svg = picture(box, panel, width, panel.levels.length * row + 4);
  const items = [];
  panel.levels.forEach((level, place) => {
    const y = place * row;
    draw("text", { x: 0, y: y + 15 }, svg, cut(level.name, width * 0.7));
    draw("text", { x: width, y: y + 15, "text-anchor": "end", class: "quiet" }, svg, `n ${level.count}`);
    let from = 0;
    level.fractions.forEach((share, group) => {
      if (!share) return;
      const node = draw("g", { class: `c${group % COLOURS}` }, svg);
      draw("rect", { class: "ring filled", x: from * width, y: y + 22, width: Math.max(1, share * width - 1), height: 16 }, node);
      from += share;
      items.push({ node, feature: panel.feature, name: panel.name,
        text: `${panel.name} ${level.name}\n${panel.classes[group]}: ${shown(share * 100)} % of ${level.count} samples` });
    });
  });
  makeMarks(items);
}
