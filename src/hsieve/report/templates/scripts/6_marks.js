// Dots, bars and cells, each of which is a feature or two.

function drawScatter(container, spec, width) {
  const height = Math.min(420, Math.max(300, width * 0.7));
  const ends = {
    x: extent(spec.points.map((point) => point.x), spec.x.from),
    y: extent(spec.points.map((point) => point.y), spec.y.from),
  };
  for (const side of ["x", "y"]) ends[side][1] += (ends[side][1] - ends[side][0]) * 0.06;
  const svg = picture(container, spec, width, height);
  const frame = frameOf(spec, width, height, ends);
  axes(svg, spec, frame);
  const { x, y } = frame.scales;
  // Chosen ones last, so that they lie on top, but first on the keyboard.
  const points = spec.points.filter((point) => !point.chosen).concat(spec.points.filter((point) => point.chosen).reverse());
  const items = points.map((point) => {
    const node = draw("g", { class: colourOf(point) }, svg);
    const place = { cx: x(point.x).toFixed(1), cy: y(point.y).toFixed(1) };
    draw("circle", { ...place, r: 12, fill: "transparent" }, node);
    draw("circle", { ...place, r: point.chosen ? 6 : 4, class: `ring ${point.chosen ? "filled" : "hollow"}` }, node);
    return { node, point, feature: point.feature, name: point.name,
      text: `${point.name}${point.chosen ? " (chosen)" : ""}\n${spec.x.label} ${shown(point.x)}\n${spec.y.label} ${shown(point.y)}` };
  });
  makeMarks(items.slice().reverse());
  nameDots(svg, items.slice().reverse(), frame);
}

// Names beside dots, where there is room for them: beside all dots, or else over hollow ones.
function nameDots(svg, items, frame) {
  const { x, y } = frame.scales;
  const spots = items.map(({ point }) => [x(point.x), y(point.y)]);
  const boxes = spots.map(([px, py]) => [px - 6, py - 6, px + 6, py + 6]);
  const hollow = boxes.filter((_, i) => !items[i].point.chosen);
  const taken = boxes.filter((_, i) => items[i].point.chosen);
  const meets = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
  items.forEach(({ node, name, point }, i) => {
    if (!point.chosen) return;
    const text = cut(name, 130);
    const [wide, [px, py]] = [widthOf(text), spots[i]];
    const tries = [[px + 10, py + 5], [px - 10 - wide, py + 5], [px - wide / 2, py - 11], [px - wide / 2, py + 22]];
    for (const [tx, ty, clear] of [true, false].flatMap((clear) => tries.map((at) => [...at, clear]))) {
      const box = [tx - 2, ty - 14, tx + wide + 2, ty + 5];
      const inside = box[0] >= frame.left && box[2] <= frame.width && box[1] >= frame.top - 6 && box[3] <= frame.bottom;
      if (!inside || taken.some((other) => meets(box, other))) continue;
      if (clear && hollow.some((other) => meets(box, other))) continue;
      taken.push(box);
      draw("text", { x: tx, y: ty }, node, text);
      return;
    }
  });
}

function drawBars(container, spec, width) {
  const row = 26;
  const height = spec.bars.length * row + 12;
  const svg = picture(container, spec, width, height);
  const values = spec.bars.map((bar) => bar.value || 0);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const numbers = Math.max(...spec.bars.map((bar) => widthOf(shown(bar.value))));
  const names = Math.min(width * 0.38, Math.max(...spec.bars.map((bar) => widthOf(bar.name))));
  const along = scaleOf(low, high > low ? high : low + 1, names + 12, width - numbers - 12);
  const items = spec.bars.map((bar, place) => {
    const node = draw("g", { class: colourOf(bar) }, svg);
    const y = place * row + 6;
    draw("rect", { x: 0, y: y - 2, width, height: row - 2, fill: "transparent" }, node);
    draw("text", { x: names, y: y + 16, "text-anchor": "end" }, node, cut(bar.name, names));
    const [from, to] = [along(0), along(bar.value || 0)];
    draw("rect", { x: Math.min(from, to), y: y + 3, width: Math.max(1, Math.abs(to - from)), height: row - 10, rx: 2,
      class: `ring ${bar.chosen ? "filled" : "hollow"}` }, node);
    draw("text", { x: width, y: y + 16, "text-anchor": "end", class: "quiet" }, node, shown(bar.value));
    return { node, feature: bar.feature, name: bar.name,
      text: `${bar.name}${bar.chosen ? " (chosen)" : ""}\n${spec.x.label} ${shown(bar.value)}` };
  });
  draw("line", { class: "axis", x1: along(0), x2: along(0), y1: 2, y2: height - 4 }, svg);
  makeMarks(items);
}

function drawHeat(container, spec, width) {
  const least = 24;
  const names = Math.min(width * 0.36, 32 + Math.max(...spec.features.map((one) => widthOf(one.name))));
  const n = Math.min(spec.features.length, Math.max(2, Math.floor((width - names) / least)));
  const size = Math.min(44, Math.floor((width - names - 2) / n));
  const svg = picture(container, spec, width, 24 + n * size + 2);
  const items = [];
  for (let i = 0; i < n; i += 1) {
    const middle = 24 + (i + 0.5) * size;
    draw("text", { x: names + (i + 0.5) * size, y: 16, "text-anchor": "middle", class: "quiet" }, svg, String(i + 1));
    draw("text", { x: 0, y: middle + 5, class: "quiet" }, svg, String(i + 1));
    draw("text", { x: 24, y: middle + 5 }, svg, cut(spec.features[i].name, names - 30));
    for (let j = 0; j < n; j += 1) {
      const node = draw("g", {}, svg);
      const [value, first, second] = [spec.values[i][j], spec.features[i], spec.features[j]];
      const place = { x: names + j * size, y: 24 + i * size, width: size, height: size };
      draw("rect", { ...place, class: "empty" }, node);
      draw("rect", { ...place, class: "cell ring", "fill-opacity": Math.max(0.02, value) }, node);
      const text = i === j ? `${first.name}\nNHSIC ${shown(value)} with itself` : `${first.name}\n${second.name}\nNHSIC ${shown(value)}`;
      items.push({ node, feature: first.feature, also: [second.feature], name: first.name, text });
    }
  }
  makeMarks(items, n);
  scaleKey(container, n < spec.features.length ? `The first ${n} of ${spec.features.length} features; a wider page shows all.` : "");
}

function scaleKey(container, note) {
  const steps = [0.02, 0.25, 0.5, 0.75, 1];
  const list = make("ul", { class: "key", "aria-label": "Shades" }, container);
  for (const step of steps) {
    const entry = make("li", {}, list);
    const swatch = draw("svg", { width: 18, height: 18, "aria-hidden": "true" }, entry);
    draw("rect", { width: 18, height: 18, class: "empty" }, swatch);
    draw("rect", { width: 18, height: 18, class: "cell", "fill-opacity": step }, swatch);
    entry.append(step === 0.02 ? "0" : String(step));
  }
  if (note) make("p", { class: "hint" }, container, note);
}
