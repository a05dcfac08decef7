// Titles under the pointer without the browser's delay, and tables that are sorted by a click.
"use strict";
const tip = document.getElementById("tip");
const HOLDERS = "svg.matrix title, svg.strip title, svg.load title, svg.timeline title";
for (const title of document.querySelectorAll(HOLDERS)) {
  title.parentNode.dataset.says = title.textContent;
  title.remove();
}
document.addEventListener("pointermove", (event) => {
  const found = event.target.closest && event.target.closest("[data-says]");
  tip.hidden = !found;
  if (!found) return;
  tip.textContent = found.dataset.says;
  const box = tip.getBoundingClientRect();
  const below = event.clientY + 18 + box.height <= innerHeight;
  tip.style.left = Math.max(8, Math.min(event.clientX + 12, innerWidth - box.width - 8)) + "px";
  tip.style.top = event.clientY + (below ? 18 : -box.height - 12) + "px";
});
addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });

for (const button of document.querySelectorAll(".sortable th button")) {
  button.addEventListener("click", () => {
    const head = button.closest("th");
    const column = [...head.parentNode.children].indexOf(head);
    const isNumber = head.dataset.kind === "number";
    const first = isNumber ? "descending" : "ascending";
    const other = isNumber ? "ascending" : "descending";
    const order = head.getAttribute("aria-sort") === first ? other : first;
    for (const old of head.parentNode.children) old.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const value = (row) => row.children[column].dataset.value;
    const body = head.closest("table").tBodies[0];
    const rows = [...body.rows].sort((a, b) => sign * (isNumber
      ? Number(value(a)) - Number(value(b)) : value(a).localeCompare(value(b))));
    body.append(...rows);
  });
}
