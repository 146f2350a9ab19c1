// Small tools: elements, numbers, scales. Texts only ever become text nodes or attribute values.

const SVG = "http://www.w3.org/2000/svg";
const TEXT_HEIGHT = 18;
const COLOURS = 7;
const DASHES = 3;

function make(name, attributes = {}, parent = null, text = null) {
  const node = document.createElement(name);
  return dressed(node, attributes, parent, text);
}

function draw(name, attributes = {}, parent = null, text = null) {
  const node = document.createElementNS(SVG, name);
  return dressed(node, attributes, parent, text);
}

function dressed(node, attributes, parent, text) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) node.setAttribute(key, String(value));
  }
  if (text !== null) node.textContent = text;
  if (parent) parent.append(node);
  return node;
}

// Four significant digits, as in the table; very small and large numbers in powers of ten.
function shown(value) {
  if (value === null || value === undefined) return "not known";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-4) return value.toExponential(2).replace("e+", "e");
  return String(Number(value.toPrecision(4)));
}

// Steps of 1, 2 or 5 times a power of ten inside an interval.
function ticksBetween(low, high, most) {
  if (!(high > low)) return [low];
  const rough = (high - low) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough * 0.999);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i += 1) {
    ticks.push(Number((i * step).toPrecision(12)));
  }
  return ticks.length < 2 && most < 20 ? ticksBetween(low, high, 2 * most) : ticks;
}

function scaleOf(low, high, from, to, log = false) {
  const turn = log ? Math.log : (value) => value;
  const [start, end] = [turn(low), turn(high)];
  const span = end - start || 1;
  return (value) => from + ((turn(value) - start) / span) * (to - from);
}

function extent(values, least = Infinity, most = -Infinity) {
  let [low, high] = [least, most];
  for (const value of values) {
    if (value === null) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) return [0, 1];
  return low === high ? [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2] : [low, high];
}

const ruler = document.createElement("canvas").getContext("2d");
ruler.font = `14px ${getComputedStyle(document.body).fontFamily}`;

function widthOf(text) {
  return ruler.measureText(text).width;
}

// Beginning and end of a text, as much as fits: long names often differ in one of them only.
function cut(text, most) {
  if (widthOf(text) <= most) return text;
  const letters = Array.from(text);
  let [few, many] = [0, letters.length];
  const shorter = (kept) => {
    const last = Math.floor(kept / 2);
    return `${letters.slice(0, kept - last).join("")}…${last ? letters.slice(-last).join("") : ""}`;
  };
  while (few < many) {
    const middle = Math.ceil((few + many) / 2);
    if (widthOf(shorter(middle)) <= most) few = middle;
    else many = middle - 1;
  }
  return shorter(few);
}

// Chosen features have a colour by their place, and a dash from the eighth on; others are grey.
function colourOf(item) {
  if (!item.chosen || item.colour === null || item.colour === undefined) return "c-none";
  const round = Math.floor(item.colour / COLOURS) % DASHES;
  return `c${item.colour % COLOURS} d${round}`;
}

function picture(container, spec, width, height) {
  const svg = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group" }, container);
  svg.setAttribute("aria-label", spec.title || spec.name);
  if (spec.description) {
    const id = `desc-${spec.id}`;
    draw("desc", { id }, svg, spec.description);
    svg.setAttribute("aria-describedby", id);
  }
  return svg;
}
