// Lines along an axis: paths, stability, contributions, numbers of features.

const MOST_NAMED = 14;

function drawLines(container, spec, width) {
  const named = spec.series.filter((line) => line.chosen && line.feature !== null).slice(0, MOST_NAMED);
  const beside = width >= 560 && named.length > 0;
  const margin = beside ? Math.min(220, 34 + Math.max(...named.map((line) => widthOf(line.name)))) : 10;
  const height = beside ? Math.max(340, 80 + named.length * TEXT_HEIGHT) : 300;
  const rules = spec.lines || [];
  const top = rules.some((rule) => rule.axis === "x") ? 46 : 28;
  const values = spec.series.flatMap((line) => line.values);
  const ends = {
    x: [spec.x.values[0], spec.x.values[spec.x.values.length - 1]],
    y: extent([...values, ...rules.filter((rule) => rule.axis === "y").map((rule) => rule.value)]),
  };
  if (ends.x[0] === ends.x[1]) ends.x = [ends.x[0] - 0.5, ends.x[0] + 0.5];
  if (ends.y[0] > 0 && ends.y[0] < ends.y[1] / 2) ends.y[0] = 0;
  if (spec.y.from !== undefined) ends.y = [spec.y.from, spec.y.to];
  spec.x.whole = spec.x.values.every(Number.isInteger);
  const svg = picture(container, spec, width, height);
  const frame = frameOf(spec, width, height, ends, { right: margin, top });
  axes(svg, spec, frame);
  rules.forEach((rule) => drawRule(svg, rule, frame));
  const items = drawSeries(svg, spec, frame);
  const order = spec.series.map((line, place) => ({ line, item: items[place] }));
  // Grey lines lie below, but chosen ones come first on the keyboard.
  const last = order.filter(({ line }) => line.chosen).concat(order.filter(({ line }) => !line.chosen));
  order.filter(({ line }) => line.chosen).forEach(({ item }) => svg.append(item.node));
  makeMarks(last.map(({ item }) => item));
  if (beside) nameEnds(svg, named, items, spec, frame);
  else if (named.length) key(container, named);
  followPointer(svg, items, spec, frame);
}

function drawRule(svg, rule, frame) {
  const { x, y } = frame.scales;
  if (rule.axis === "y") {
    const at = y(rule.value);
    draw("line", { class: "rule", x1: frame.left, x2: frame.right, y1: at, y2: at }, svg);
    if (rule.label) {
      const above = at - 6 > frame.top + 12;
      draw("text", { x: frame.left + 6, y: above ? at - 6 : at + 17, class: "quiet" }, svg, rule.label);
    }
    return;
  }
  const at = x(rule.value);
  draw("line", { class: "rule", x1: at, x2: at, y1: frame.top, y2: frame.bottom }, svg);
  const half = widthOf(rule.label) / 2;
  const middle = Math.min(Math.max(at, half), frame.width - half);
  draw("text", { x: middle, y: 34, "text-anchor": "middle", class: "quiet" }, svg, rule.label);
}

function drawSeries(svg, spec, frame) {
  const { x, y } = frame.scales;
  return spec.series.map((line) => {
    const node = draw("g", { class: colourOf(line) }, svg);
    const spots = line.values
      .map((value, place) => (value === null ? null : [x(spec.x.values[place]), y(value), place]))
      .filter(Boolean);
    const way = spots
      .map(([px, py, place], i) => `${i && spots[i - 1][2] === place - 1 ? "L" : "M"}${px.toFixed(1)},${py.toFixed(1)}`)
      .join("");
    draw("path", { class: "hit", d: way }, node);
    draw("path", { class: "curve stroked", d: way }, node);
    const final = spots.length ? line.values[spots[spots.length - 1][2]] : null;
    return { node, spots, line, feature: line.feature, also: line.also, name: line.name,
      text: `${line.name}\n${spec.y.label} ${shown(final)} at the end` };
  });
}

function nameEnds(svg, named, items, spec, frame) {
  const ended = named.map((line) => items.find((item) => item.line === line)).filter((item) => item.spots.length);
  const ends = ended.map((item) => item.spots[item.spots.length - 1]);
  const placed = spread(ends.map(([, py]) => py), TEXT_HEIGHT, frame.top, frame.bottom);
  ended.forEach((item, i) => {
    const [px, py] = ends[i];
    const [near, far] = [frame.right + 4, frame.right + 22];
    draw("path", { class: "leader stroked", d: `M${px},${py}L${near},${py}L${far - 4},${placed[i]}L${far},${placed[i]}` }, item.node);
    draw("text", { x: far + 4, y: placed[i] + 5 }, item.node, cut(item.name, frame.width - far - 6));
  });
}

function key(container, named) {
  const list = make("ul", { class: "key" }, container);
  for (const line of named) {
    const entry = make("li", { class: colourOf(line) }, list);
    const swatch = draw("svg", { width: 22, height: 14, "aria-hidden": "true" }, entry);
    draw("path", { class: "curve stroked", d: "M0,7h22" }, swatch);
    const button = make("button", { type: "button", class: "feature", "data-feature": line.feature, "aria-pressed": "false" }, entry, cut(line.name, 240));
    if (line.also) button.dataset.also = line.also.join(" ");
    button.addEventListener("click", () => markFeature(line.feature, line.name));
  }
}

// The value nearest to the pointer; on a focused line, left and right walk along it.
function followPointer(svg, items, spec, frame) {
  const dot = draw("circle", { class: "cursor", r: 5, visibility: "hidden" }, svg);
  const tell = (item, spot) => {
    const [px, py, place] = spot;
    dot.setAttribute("cx", px);
    dot.setAttribute("cy", py);
    dot.setAttribute("visibility", "visible");
    const text = `${item.name}\n${spec.x.label}: ${shown(spec.x.values[place])}\n${spec.y.label}: ${shown(item.line.values[place])}`;
    const box = svg.getBoundingClientRect();
    showTip(text, box.left + px, box.top + py);
    return text;
  };
  const leave = () => {
    dot.setAttribute("visibility", "hidden");
    items.forEach((item) => item.node.classList.remove("near"));
    hideTip();
  };
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const [mx, my] = [event.clientX - box.left, event.clientY - box.top];
    let best = null;
    for (const item of items) {
      for (const spot of item.spots) {
        const distance = Math.hypot(spot[0] - mx, spot[1] - my);
        if (distance < 40 && (!best || distance < best.distance)) best = { item, spot, distance };
      }
    }
    leave();
    if (!best) return;
    best.item.node.classList.add("near");
    tell(best.item, best.spot);
  });
  svg.addEventListener("pointerleave", leave);
  for (const item of items) {
    let at = item.spots.length - 1;
    item.node.addEventListener("focus", () => item.spots.length && tell(item, item.spots[at]));
    item.node.addEventListener("blur", leave);
    // Before the arrow keys of marks: up and down go to other lines, left and right stay on this.
    item.node.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step || !item.spots.length) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      at = Math.min(Math.max(0, at + step), item.spots.length - 1);
      live.textContent = tell(item, item.spots[at]).replace(/\n/g, ", ");
    }, true);
  }
}
