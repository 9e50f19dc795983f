// SPDX-License-Identifier: BSD-3-Clause
#include "apps/report/components.hpp"

#include <string>

namespace coppice::app::report {

std::string curve_style(int k) { return "k" + std::to_string(k % 12) + " d" + std::to_string((k + k / 12) % 4); }

// The chosen run is blue. Colours --k0 to --k11 of other curves have a contrast of at least 4.5 on the page, since
// labels have them, too; dashes are a second distinction for all types of colour vision and in grey.
char const* const style_sheet = R"css(
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1b1f24; --soft: #5c6570; --line: #d9dee4; --wash: #f4f6f8;
  --chosen: #0b5cad; --good: #1a6e3c; --bad: #b3261e;
  --k0: #646d78; --k1: #8f6300; --k2: #b8405a; --k3: #1a7445; --k4: #7a3fb0; --k5: #b7410e; --k6: #0e6f87; --k7: #a21caf;
  --k8: #4a720d; --k9: #7f1d1d; --k10: #2f3a8f; --k11: #5b4a2f; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171b; --ink: #e7ebef; --soft: #9aa5b1; --line: #343b44;
  --wash: #1d2228; --chosen: #62b0ff; --good: #6fd193; --bad: #ff8a80;
  --k0: #a3adb8; --k1: #e3b53d; --k2: #ff8b9e; --k3: #5fd39a; --k4: #c39bff; --k5: #ff9d5c; --k6: #4fd0e8; --k7: #f08cff;
  --k8: #b5d94c; --k9: #e07a6a; --k10: #9aa8ff; --k11: #c9b28a; } .ink { filter: invert(1); } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif; }
main { max-width: 1088px; margin: 0 auto; padding: 40px 24px 56px; }
h1 { font-size: 30px; line-height: 1.2; margin: 0 0 4px; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { font-size: 21px; margin: 52px 0 6px; letter-spacing: -0.005em; }
h3 { font-size: 15px; margin: 26px 0 10px; }
p { max-width: 74ch; margin: 6px 0 14px; }
.overline { color: var(--soft); font-size: 14px; margin: 0 0 10px; }
.size, .faint, figcaption { color: var(--soft); }
.conclusion { font-size: 19px; line-height: 1.45; margin: 22px 0 0; }
.conclusion b.good { color: var(--good); } .conclusion b.bad { color: var(--bad); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin: 26px 0 0; }
.figures div { background: var(--wash); border-radius: 8px; padding: 12px 16px; }
.figures dt { color: var(--soft); font-size: 13px; }
.figures dd { margin: 0; font-size: 23px; font-weight: 600; font-variant-numeric: tabular-nums; white-space: nowrap; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 15px; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 500; color: var(--soft); font-size: 13px; vertical-align: bottom; }
th, td { padding: 7px 14px 7px 0; border-bottom: 1px solid var(--line); }
td.number, th.number { text-align: right; white-space: nowrap; }
tr.chosen td { font-weight: 600; }
td .swatch { display: inline-block; width: 26px; height: 0; margin-right: 9px; vertical-align: 4px;
  border-top: 2px solid var(--run); }
td .swatch.chosen { border-top-width: 4px; } td .swatch.d1, td .swatch.d3 { border-top-style: dashed; }
td .swatch.d2 { border-top-style: dotted; }
.chosen { --run: var(--chosen); } .k0 { --run: var(--k0); } .k1 { --run: var(--k1); } .k2 { --run: var(--k2); }
.k3 { --run: var(--k3); } .k4 { --run: var(--k4); } .k5 { --run: var(--k5); } .k6 { --run: var(--k6); }
.k7 { --run: var(--k7); } .k8 { --run: var(--k8); } .k9 { --run: var(--k9); } .k10 { --run: var(--k10); }
.k11 { --run: var(--k11); }
.meter { display: block; width: 150px; height: 9px; border-radius: 5px; background: var(--line); overflow: hidden; }
.meter i { display: block; height: 100%; background: var(--chosen); }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(420px, 100%), 1fr)); gap: 0 48px; }
.columns td:first-child { color: var(--soft); white-space: nowrap; width: 1%; padding-right: 24px; }
.columns td { overflow-wrap: anywhere; vertical-align: top; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(320px, 100%), 1fr)); gap: 24px 40px; }
figure { margin: 0; max-width: 540px; } figcaption { font-size: 14px; margin-top: 8px; } figcaption b { color: var(--ink); }
.matrix { display: grid; aspect-ratio: 1; border: 1px solid var(--line); background: var(--wash); }
.matrix img { grid-area: 1 / 1; width: 100%; height: 100%; image-rendering: pixelated; }
.key { display: inline-block; width: 11px; height: 11px; border-radius: 2px; background: #0b6fd4; vertical-align: -1px; }
.key.other { background: var(--ink); }
svg.chart { margin: 4px 0 18px; min-width: 760px; } svg.histogram { min-width: 420px; }
tr td:first-child { white-space: nowrap; }
svg { display: block; width: 100%; height: auto; font-family: inherit; overflow: visible; }
svg text { fill: var(--ink); } svg .tick { font-size: 13px; fill: var(--soft); } svg .faint { opacity: 0.85; }
.grid { stroke: var(--line); stroke-width: 1; } .axis { stroke: var(--soft); stroke-width: 1; }
.tolerance { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 2 4; }
.curve { fill: none; stroke: var(--run); stroke-width: 1.8; stroke-linejoin: round; }
.curve.d1 { stroke-dasharray: 7 4; } .curve.d2 { stroke-dasharray: 1.5 4; stroke-linecap: round; stroke-width: 2.2; }
.curve.d3 { stroke-dasharray: 10 3 2 3; } .curve.chosen { stroke-width: 2.8; }
.end { fill: var(--run); stroke: var(--paper); stroke-width: 1.5; }
.leader { stroke: var(--run); stroke-width: 1; opacity: 0.7; }
.label { font-size: 14px; paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
.label .name { font-weight: 650; fill: var(--run); } .label .count { font-size: 12.5px; fill: var(--soft); }
.bar { fill: var(--chosen); } .value { font-size: 13px; font-variant-numeric: tabular-nums; }
th button { all: unset; cursor: pointer; } th button:focus-visible { outline: 2px solid var(--chosen); }
th[aria-sort=ascending] button::after { content: " \25B2"; } th[aria-sort=descending] button::after { content: " \25BC"; }
input[type=search] { width: min(320px, 100%); padding: 6px 10px; margin: 0 0 8px; font: inherit; font-size: 14px;
  color: inherit; background: var(--wash); border: 1px solid var(--line); border-radius: 6px; }
.long { max-height: 420px; overflow-y: auto; }
footer { margin-top: 56px; padding-top: 14px; border-top: 1px solid var(--line); color: var(--soft); font-size: 14px; }
@media (max-width: 640px) { main { padding: 24px 16px 40px; } .columns td:first-child, tr td:first-child {
  white-space: normal; overflow-wrap: normal; width: auto; } .figures { grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); } }
@page { margin: 14mm; }
@media print { input[type=search] { display: none; } .long { max-height: none; } main { padding: 0; max-width: none; } h2, h3 { break-after: avoid; }
  figure, table, svg { break-inside: avoid; } .scroll { overflow: visible; }
  svg.chart, svg.histogram { min-width: 0; } h2 { margin-top: 30px; }
  .figures { grid-template-columns: repeat(5, 1fr); gap: 8px; } .figures div { padding: 8px 10px; }
  .figures dd { font-size: 18px; } table { font-size: 12px; } th { font-size: 11px; }
  th, td { padding: 4px 8px 4px 0; } th:last-child, td:last-child { padding-right: 0; }
  .meter { width: 90px; } }
)css";

char const* const table_script = R"js(<script>
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells], rows = [...body.rows];
  const value = (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent;
  const compare = (a, b) => a - b || (isNaN(a - b) ? String(a).localeCompare(b) : 0);
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.onclick = () => {
      const down = head.ariaSort === "ascending";
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.ariaSort = down ? "descending" : "ascending";
      rows.sort((a, b) => (down ? -1 : 1) * compare(value(a, column), value(b, column)));
      body.append(...rows);
    };
  });
  if (rows.length <= 10) continue;
  const search = document.createElement("input");
  search.type = "search";
  search.placeholder = "Search " + rows.length + " rows";
  search.setAttribute("aria-label", search.placeholder);
  search.oninput = () => {
    const words = search.value.toLowerCase().split(/\s+/);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every(word => text.includes(word));
    }
  };
  table.parentNode.before(search);
}
</script>)js";

} // namespace coppice::app::report
