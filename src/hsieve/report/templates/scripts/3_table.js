// The table of features: sorting, searching, and marking.

function startTable() {
  const table = document.getElementById("feature-table");
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const headings = Array.from(table.tHead.rows[0].cells);

  const valueOf = (row, place) => {
    const cell = row.cells[place];
    if (cell.dataset.value === undefined) return cell.textContent.toLocaleLowerCase();
    return cell.dataset.value === "" ? null : Number(cell.dataset.value);
  };

  // What is not known stays last, whichever the direction; equal values stay in order of rank.
  const sortBy = (place, direction) => {
    const before = (a, b) => {
      const [left, right] = [valueOf(a, place), valueOf(b, place)];
      if (left === null || right === null) return (left === null) - (right === null);
      if (typeof left === "string") return direction * left.localeCompare(right);
      return direction * (left - right);
    };
    body.append(...rows.slice().sort(before));
  };

  headings.forEach((heading, place) => {
    const button = heading.querySelector("button");
    if (!button) return;
    const risesFirst = ["rank", "name", "p_value", "adjusted_p_value", "given_others_p"].includes(heading.dataset.key);
    button.addEventListener("click", () => {
      const now = heading.getAttribute("aria-sort");
      const rises = now === null ? risesFirst : now !== "ascending";
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", rises ? "ascending" : "descending");
      sortBy(place, rises ? 1 : -1);
      live.textContent = `Sorted by ${button.textContent}, ${rises ? "rising" : "falling"}.`;
    });
  });

  const search = document.getElementById("search");
  const onlyChosen = document.getElementById("only-chosen");
  const count = document.getElementById("count");
  const filter = () => {
    const wanted = search.value.trim().toLocaleLowerCase();
    let met = 0;
    for (const row of rows) {
      const name = row.querySelector("th").textContent.toLocaleLowerCase();
      const fits = name.includes(wanted) && (!onlyChosen.checked || row.classList.contains("chosen"));
      row.hidden = !fits;
      met += fits;
    }
    count.textContent = `${met} of ${rows.length} shown`;
  };
  search.addEventListener("input", filter);
  onlyChosen.addEventListener("change", filter);
  document.querySelector(".controls").hidden = false;
  filter();

  body.addEventListener("click", (event) => {
    const button = event.target.closest("button.feature");
    if (button) markFeature(Number(button.dataset.feature), button.textContent);
  });
}
