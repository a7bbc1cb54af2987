// One moment for the whole page: a cursor over every chart, numbers beside their names, the robot on the map.
const end = Number(document.body.dataset.end);
const charts = [...document.querySelectorAll("figure.chart")];
const track = (document.querySelector("[data-track]")?.dataset.track ?? "").split(" ").map((pose) => pose.split(","));
const here = document.querySelector(".here");
const clock = document.querySelector("footer output");
let pinned = null;

// A path "M x y L x y …" as runs of numbers, parsed when first needed.
const runs = (path) => (path.runs ??= path.getAttribute("d").split("M").slice(1)
  .map((run) => run.match(/-?\d+/g).map(Number)));

// The line's height at x, between its points; undefined in a gap.
function heightAt(path, x) {
  for (const run of runs(path)) {
    const last = run.length - 2;
    if (x < run[0] - 1 || x > run[last] + 1) continue;
    let i = 0;
    while (i < last - 2 && run[i + 2] < x) i += 2;
    if (last === 0 || run[i + 2] === run[i]) return run[i + 1];
    const mix = Math.min(1, Math.max(0, (x - run[i]) / (run[i + 2] - run[i])));
    return run[i + 1] + mix * (run[i + 3] - run[i + 1]);
  }
}

function readOut(chart, part) {
  const [low, high] = [Number(chart.dataset.low), Number(chart.dataset.high)];
  const digits = Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(high - low))));
  const names = chart.querySelectorAll("output");
  chart.querySelectorAll(".line").forEach((line, index) => {
    const y = heightAt(line, 1000 * part);
    names[index].value = y === undefined ? "–" : (high - (y / 1000) * (high - low)).toFixed(digits);
  });
}

function show(time) {
  const part = Math.min(1, Math.max(0, time / end));
  document.body.style.setProperty("--cursor", part);
  document.body.classList.add("live");
  charts.filter((chart) => chart.matches(".time")).forEach((chart) => readOut(chart, part));
  const [left, top, heading] = track[Math.round(part * (track.length - 1))];
  if (here && heading !== undefined) here.style.cssText = `left:${left}%;top:${top}%;rotate:${heading}deg`;
  clock.value = `${(part * end).toFixed(2)} s`;
}

function pin(time) {
  pinned = Math.min(end, Math.max(0, time));
  document.body.classList.add("pinned");
  show(pinned);
}

document.querySelectorAll(".plot").forEach((plot) => {
  const part = (event) => {
    const box = plot.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  };
  if (plot.closest(".time")) {
    plot.addEventListener("pointermove", (event) => show(part(event) * end));
    plot.addEventListener("click", (event) => pin(Number(event.target.dataset.at ?? part(event) * end)));
    plot.addEventListener("pointerleave", () => pinned !== null && show(pinned));
  } else if (plot.closest(".chart")) {
    plot.addEventListener("pointermove", (event) => {
      plot.style.setProperty("--cursor", part(event));
      readOut(plot.closest(".chart"), part(event));
    });
  }
});

document.querySelectorAll("td [data-at], .peaks [data-at]").forEach((place) => {
  place.addEventListener("click", () => pin(Number(place.dataset.at)));
});

// Arrows step through the run, a hundredth at a time.
document.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step) pin((pinned ?? 0) + (step * end) / 100);
});
