/** Reports of the floor: sums by table, dealer and game, slips, stops, alarms; two pictures. It takes no action. */

import { byId, make, write } from "./elements.js";
import { ask, begin, field, filled, link, when } from "./past.js";
import { language, own } from "./words.js";

const REPORTS = ["tables", "dealers", "games", "pace", "slips", "locked", "misreads", "alarms", "incidents"];
const TIMES = ["at", "until"];
const CODES = ["kind", "rulings", "game"];

/** @type {{ report: any }} */
const page = { report: null };

function form() {
  return /** @type {HTMLFormElement} */ (byId("ask"));
}

function drawForm() {
  const kept = new FormData(form());
  const value = (/** @type {string} */ name) => String(kept.get(name) ?? new URLSearchParams(location.search).get(name) ?? "");
  const names = REPORTS.map((name) => /** @type {[string, string]} */ ([name, own(`history.report.${name}`)]));
  const button = make("button", "pri", own("history.show"));
  button.setAttribute("type", "submit");
  form().replaceChildren(
    field("report", "select", value("report") || "tables", names),
    field("from", "datetime-local", value("from")),
    field("to", "datetime-local", value("to")),
    button,
  );
}

/** @param {string} name @param {any} value @returns {string | Node} */
function said(name, value) {
  if (value === null) return "";
  if (TIMES.includes(name)) return when(String(value));
  if (!CODES.includes(name)) return typeof value === "number" ? value.toLocaleString(language()) : String(value);
  return String(value)
    .split(" ")
    .map((code) => ["history.slip.", "floor.title.", "floor.ruling.", "floor.game."].map((start) => own(start + code)).find((text) => !text.endsWith(code)) ?? code)
    .join(", ");
}

/** @param {any[]} row @param {string[]} columns @returns {HTMLElement} */
function line(row, columns) {
  const made = make("tr");
  const of = (/** @type {string} */ name) => row[columns.indexOf(name)];
  for (const [index, name] of columns.entries()) {
    if (name === "journal") continue;
    const isHand = name === "hand" && row[index] !== null && columns.includes("journal");
    const path = isHand ? `/hands/${encodeURIComponent(of("table"))}/${of("journal")}/${row[index]}` : "";
    const cell = make("td", typeof row[index] === "number" ? "number" : TIMES.includes(name) ? "time" : "", isHand ? link(path, String(row[index])) : said(name, row[index]));
    cell.dataset.name = own(`history.col.${name}`);
    made.append(cell);
  }
  return made;
}

function drawRows() {
  const { report } = page;
  if (!report) return;
  const columns = /** @type {string[]} */ (report.columns);
  const head = columns.filter((name) => name !== "journal").map((name) => make("th", "", own(`history.col.${name}`)));
  const table = byId("rows");
  table.querySelector("thead")?.replaceChildren(make("tr", "", ...head));
  table.querySelector("tbody")?.replaceChildren(...report.rows.map((/** @type {any[]} */ row) => line(row, columns)));
  const asked = span();
  byId("keys").replaceChildren(link(`/api/reports/${report.name}.csv?${asked}`, own("history.csv"), true));
  const plots = ["pace", "slips"].map((name) => {
    const image = /** @type {HTMLImageElement} */ (document.createElement("img"));
    asked.set("lang", language());
    image.src = `/api/reports/${name}.svg?${asked}`;
    image.alt = own(`history.plot.${name}`);
    return image;
  });
  byId("plots").replaceChildren(...plots);
}

/** @returns {URLSearchParams} From when to when. */
function span() {
  const asked = filled(form());
  asked.delete("report");
  return asked;
}

async function show() {
  const name = String(new FormData(form()).get("report"));
  const told = await ask(`/api/reports/${name}?${span()}`);
  if (!told) return;
  page.report = told;
  if (told.rows.length === 0) write(byId("said"), own("history.nothing.report"));
  else if (told.cut) write(byId("said"), own("history.cut"));
  drawRows();
}

function draw() {
  write(byId("title"), own("history.page.reports"));
  document.title = own("history.page.reports");
  drawForm();
  drawRows();
}

begin(draw);
draw();
byId("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  show();
});
byId("ask").addEventListener("change", () => show());
show();
