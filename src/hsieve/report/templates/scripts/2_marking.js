// One feature can be marked, in the table and in all pictures; marks tell their values.

let marked = null;
const tip = document.getElementById("tip");
tip.setAttribute("aria-hidden", "true"); // marks have their values as labels
const live = document.getElementById("live");

function isOf(node, feature) {
  if (feature === null) return false;
  const also = node.dataset.also ? node.dataset.also.split(" ") : [];
  return node.dataset.feature === String(feature) || also.includes(String(feature));
}

function showMarked() {
  for (const node of document.querySelectorAll("[data-feature]")) {
    const on = isOf(node, marked);
    node.classList.toggle("marked", on);
    if (node.hasAttribute("aria-pressed")) node.setAttribute("aria-pressed", String(on));
  }
  document.body.classList.toggle("has-mark", marked !== null);
}

function markFeature(feature, name) {
  marked = marked === feature ? null : feature;
  showMarked();
  live.textContent = marked === null ? "No feature is marked." : `${name} is marked.`;
  const row = document.querySelector(`#feature-table tr[data-feature="${marked}"]`);
  const box = row && row.closest(".scroll");
  // Inside its own frame only: the page itself stays where it is.
  if (box && !box.contains(document.activeElement)) {
    box.scrollTop = row.offsetTop - box.clientHeight / 2;
  }
}

function unmark() {
  hideTip();
  if (marked !== null) markFeature(marked, "");
}

function showTip(text, x, y) {
  tip.textContent = text;
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.min(Math.max(8, x + 14), window.innerWidth - width - 8);
  const top = y - height - 12 < 8 ? y + 18 : y - height - 12;
  tip.style.left = `${Math.max(8, left)}px`;
  tip.style.top = `${Math.min(top, window.innerHeight - height - 8)}px`;
}

function hideTip() {
  tip.hidden = true;
}

function tipAt(node, text) {
  const box = node.getBoundingClientRect();
  showTip(text, box.left + box.width / 2, box.top);
}

// Make nodes of a picture marks: one of them is reached by Tab, the others by arrow keys.
// Each item has a node, a text for its values, and perhaps a feature with others beside it.
function makeMarks(items, columns = 1) {
  items.forEach((item, place) => {
    const { node } = item;
    node.classList.add("mark");
    node.setAttribute("tabindex", place === 0 ? "0" : "-1");
    node.setAttribute("aria-label", item.text.replace(/\n/g, ", "));
    if (item.feature === null || item.feature === undefined) {
      node.setAttribute("role", "img");
    } else {
      node.setAttribute("role", "button");
      node.setAttribute("aria-pressed", String(item.feature === marked));
      node.dataset.feature = item.feature;
      if (item.also) node.dataset.also = item.also.join(" ");
      node.addEventListener("click", () => markFeature(item.feature, item.name));
    }
    node.addEventListener("focus", () => tipAt(node, item.text));
    node.addEventListener("blur", hideTip);
    node.addEventListener("pointerenter", (event) => showTip(item.text, event.clientX, event.clientY));
    node.addEventListener("pointerleave", hideTip);
    node.addEventListener("keydown", (event) => {
      const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns };
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        node.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      } else if (event.key in steps || event.key === "Home" || event.key === "End") {
        event.preventDefault();
        let next = place + (steps[event.key] || 0);
        if (event.key === "Home") next = 0;
        if (event.key === "End") next = items.length - 1;
        if (next < 0 || next >= items.length) return;
        node.setAttribute("tabindex", "-1");
        items[next].node.setAttribute("tabindex", "0");
        items[next].node.focus();
      }
    });
  });
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") unmark();
});
