// The page: pictures at the width there is, colours, and copying.

const PAINTERS = { lines: drawLines, scatter: drawScatter, bars: drawBars, heat: drawHeat, panels: drawPanels };

function startPictures() {
  const specs = JSON.parse(document.getElementById("report-data").textContent);
  const byId = new Map(specs.map((spec) => [spec.id, spec]));
  const widths = new Map();
  const paint = (container) => {
    const width = Math.floor(container.clientWidth);
    if (!width || widths.get(container) === width) return;
    widths.set(container, width);
    container.replaceChildren();
    const spec = byId.get(container.dataset.picture);
    PAINTERS[spec.kind](container, spec, width);
    showMarked();
  };
  const watcher = new ResizeObserver((entries) => entries.forEach((entry) => paint(entry.target)));
  for (const container of document.querySelectorAll(".plot")) {
    paint(container);
    watcher.observe(container);
  }
}

function startTheme() {
  const button = document.getElementById("theme");
  const root = document.documentElement;
  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);
  const tell = () => {
    button.textContent = isDark() ? "Light colours" : "Dark colours";
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    tell();
  });
  prefersDark.addEventListener("change", tell);
  button.hidden = false;
  tell();
}

// Without the right to use the clipboard, as inside a notebook, the text is selected and copied.
async function copied(node) {
  try {
    await navigator.clipboard.writeText(node.textContent);
    return true;
  } catch {
    window.getSelection().selectAllChildren(node);
    return document.execCommand("copy");
  }
}

function startCopying() {
  for (const button of document.querySelectorAll("button.copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const done = await copied(document.getElementById(button.dataset.copies));
      button.textContent = done ? "Copied" : "Press Ctrl+C";
      live.textContent = done ? "Copied." : "Selected; press Control and C to copy.";
      setTimeout(() => {
        button.textContent = "Copy";
      }, 2000);
    });
  }
}

// In a frame of a notebook "#part" would mean a part of the notebook.
function startLinks() {
  if (!window.location.href.startsWith("about:srcdoc")) return;
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    const part = link && document.getElementById(link.getAttribute("href").slice(1));
    if (!part) return;
    event.preventDefault();
    part.scrollIntoView();
  });
}

// What is wider than its place fades at the side where there is more, and a line above says so.
function startScrolling() {
  const tell = (box) => {
    const room = box.scrollWidth - box.clientWidth;
    box.classList.toggle("more-left", box.scrollLeft > 4);
    box.classList.toggle("more-right", room - box.scrollLeft > 4);
    const cue = box.previousElementSibling;
    if (cue && cue.classList.contains("cue")) cue.hidden = room <= 4;
  };
  const watcher = new ResizeObserver((entries) => entries.forEach((entry) => tell(entry.target)));
  for (const box of document.querySelectorAll(".scroll, pre")) {
    if (box.classList.contains("scroll")) {
      const cue = make("p", { class: "cue", "aria-hidden": "true" }, null, "More columns: scroll sideways →");
      cue.hidden = true;
      box.before(cue);
    }
    box.addEventListener("scroll", () => tell(box), { passive: true });
    watcher.observe(box);
    tell(box);
  }
}

startTheme();
startLinks();
startTable();
startScrolling();
startPictures();
startCopying();
