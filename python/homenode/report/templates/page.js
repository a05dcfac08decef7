// Values under the pointer, the finger and the arrow keys; a larger view of each matrix.
"use strict";
const tip = document.getElementById("tip");
const large = document.getElementById("large");
const readout = document.getElementById("readout");

function showTip(text, x, y) {
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(8, Math.min(x + 12, innerWidth - box.width - 8)) + "px";
  tip.style.top = (y + 18 + box.height > innerHeight ? y - box.height - 12 : y + 18) + "px";
}
function hideTip() { tip.hidden = true; }

// Our own tip replaces the browser's slow one; without this script the titles still work.
for (const title of document.querySelectorAll("svg.matrix title, svg.times title")) {
  title.parentNode.dataset.value = title.textContent;
  title.remove();
}

const VALUES = "svg.matrix rect[data-value], svg.times g[data-value]";
const cellUnder = (event) => event.target.closest && event.target.closest(VALUES);
document.addEventListener("pointermove", (event) => {
  const cell = cellUnder(event);
  if (!cell) return hideTip();
  showTip(cell.dataset.value, event.clientX, event.clientY);
  if (large.open) readout.textContent = cell.dataset.value;
});
document.addEventListener("pointerdown", (event) => {
  const cell = cellUnder(event);
  if (!cell) return;
  showTip(cell.dataset.value, event.clientX, event.clientY);
  if (large.open && large.contains(cell)) mark(cell);
});
addEventListener("scroll", hideTip, { passive: true });

function mark(cell) {
  for (const old of document.querySelectorAll("svg.matrix .on")) old.classList.remove("on");
  cell.classList.add("on");
  if (large.open) readout.textContent = cell.dataset.value;
}

const focusPlace = new WeakMap();
function walk(holder, key) {
  const svg = holder.querySelector("svg.matrix");
  const size = Number(svg.dataset.size);
  const last = focusPlace.get(svg);
  let row = last ? last[0] : 0, column = last ? last[1] : 0;
  if (last) {
    if (key === "ArrowRight") column = Math.min(size - 1, column + 1);
    if (key === "ArrowLeft") column = Math.max(0, column - 1);
    if (key === "ArrowDown") row = Math.min(size - 1, row + 1);
    if (key === "ArrowUp") row = Math.max(0, row - 1);
  }
  focusPlace.set(svg, [row, column]);
  const cell = svg.querySelectorAll("rect[data-value]")[row * size + column];
  mark(cell);
  const box = cell.getBoundingClientRect();
  showTip(cell.dataset.value, box.right, box.bottom);
}

const AXES = "Rows, from the top: the nodes that ask. Columns, from the left: the nodes that answer.";
function enlarge(button) {
  const row = button.closest("tr");
  const pair = large.querySelector(".pair");
  document.getElementById("large-title").textContent = button.dataset.says;
  pair.replaceChildren();
  for (const [source, text] of [
    [button, `measured: ${button.dataset.verdict}. ${AXES}`],
    [row.querySelector("td.best"), "perfect: " + button.dataset.perfect + " local"],
  ]) {
    const figure = document.createElement("figure");
    const caption = document.createElement("figcaption");
    const svg = source.querySelector("svg").cloneNode(true);
    for (const old of svg.querySelectorAll(".on")) old.classList.remove("on");
    caption.textContent = text;
    figure.append(svg, caption);
    pair.append(figure);
  }
  pair.firstChild.tabIndex = 0;
  readout.textContent = "Point at, tap or walk (arrow keys) to a cell for its value.";
  hideTip();
  large.showModal();
  pair.firstChild.focus();
}

// The bars of a chart are walked up and down.
function walkBars(figure, key) {
  const bars = [...figure.querySelectorAll("g.bar")];
  const at = bars.findIndex((bar) => bar.classList.contains("on"));
  const step = key === "ArrowDown" || key === "ArrowRight" ? 1 : -1;
  const bar = bars[Math.max(0, Math.min(bars.length - 1, at < 0 ? 0 : at + step))];
  for (const old of bars) old.classList.remove("on");
  bar.classList.add("on");
  bar.scrollIntoView({ block: "nearest" });
  // In the next frame, unless the chart is left before it: the scrolling hides the tip.
  requestAnimationFrame(() => {
    if (!bar.classList.contains("on")) return;
    const box = bar.getBoundingClientRect();
    showTip(bar.dataset.value, box.left, box.bottom - 12);
  });
}
for (const figure of document.querySelectorAll("figure.bars")) {
  figure.addEventListener("blur", () => {
    for (const bar of figure.querySelectorAll(".on")) bar.classList.remove("on");
    hideTip();
  });
}

for (const button of document.querySelectorAll("button.m")) {
  button.addEventListener("click", () => enlarge(button));
  button.addEventListener("focus", () => {
    if (!button.matches(":focus-visible")) return;
    const box = button.getBoundingClientRect();
    showTip(button.dataset.says, box.left, box.bottom - 18);
  });
  button.addEventListener("blur", hideTip);
}
document.addEventListener("keydown", (event) => {
  const holder = event.target.closest && event.target.closest("button.m, dialog figure");
  const chart = event.target.closest && event.target.closest("figure.bars");
  if (!(holder || chart) || !event.key.startsWith("Arrow")) return;
  event.preventDefault();
  if (chart) return walkBars(chart, event.key);
  walk(holder, event.key);
});
large.addEventListener("click", (event) => { if (event.target === large) large.close(); });
large.addEventListener("close", hideTip);
