// Shows the verdict, in the same words as in the terminal. Shows the requirements of the exercise next to the counters.

import type { Examined } from "../examiner";
import { mapElement } from "./map_part";
import { round, withCode } from "../words";

/** Maps the text of a row in the verdict's table to the key of the row's requirement. */
const REQUIREMENT_ROWS: [RegExp, string][] = [
    [/^sectors per load/, "load"],
    [/^sectors per store/, "store"],
    [/^wavefronts per shared load/, "shared_load"],
    [/^wavefronts per shared store/, "shared_store"],
];

function addRequiredColumn(table: HTMLTableElement, limits: Record<string, number>) {
    for (const [i, row] of [...table.rows].entries()) {
        const name = row.cells[0]?.textContent ?? "";
        const counter = REQUIREMENT_ROWS.find(([words]) => words.test(name))?.[1];
        const limit = counter === undefined ? undefined : limits[counter];
        if (counter) row.cells[0]?.classList.add("idea", counter.startsWith("shared") ? "shared" : "global");
        const cell = document.createElement(i === 0 ? "th" : "td");
        cell.textContent = i === 0 ? "asked" : limit === undefined ? "" : `≤ ${round(limit)}`;
        row.cells[1]?.after(cell);
    }
}

/**
 * Replaces what the verdict draws as text for the terminal. In a page, the editor marks the lines, and a picture shows
 * the cells.
 */
function replaceDrawings(holder: HTMLElement, { verdict }: Examined, goTo: (line: number) => void) {
    const [first] = verdict.failures;
    if (!first) return;
    if (first.place.line) {
        holder.querySelector(".excerpt")?.remove();
        const button = document.createElement("button");
        Object.assign(button, { type: "button", className: "to-line", textContent: `Line ${first.place.line}` });
        button.addEventListener("click", () => goTo(first.place.line));
        holder.querySelector(".place")?.replaceChildren(button);
    } else {
        // Remove the path of the file, because a page has no files.
        holder.querySelector(".place")?.remove();
    }
    if (first.map) holder.querySelector("pre.map")?.replaceWith(mapElement(first.map));
    // Join these lines, which are wrapped at 80 columns for the terminal.
    const details = holder.querySelector("pre.details");
    if (details && !/^\s/m.test(details.textContent ?? "")) {
        const text = document.createElement("p");
        text.className = "details";
        text.innerHTML = withCode((details.textContent ?? "").replace(/\S*\/\w+\.cu:(\d+)/g, "line $1").replace(/\s+/g, " ").trim());
        details.replaceWith(text);
    }
}

/**
 * Returns the verdict as an element. The HTML in `result` comes from C++ code, which has escaped the learner's text.
 * `goTo` is called with the line number that the reader wants to see.
 */
export function verdictElement(result: Examined, limits: Record<string, number>, showsCosts: boolean, goTo: (line: number) => void): HTMLElement {
    const holder = document.createElement("div");
    holder.innerHTML = result.html;
    replaceDrawings(holder, result, goTo);
    const table = holder.querySelector<HTMLTableElement>("table.costs");
    if (!showsCosts) {
        table?.remove();
        holder.querySelector(".predicted")?.remove();
    } else if (table) {
        addRequiredColumn(table, limits);
        const wide = document.createElement("div");
        wide.className = "wide";
        wide.tabIndex = 0;
        wide.setAttribute("role", "group");
        wide.setAttribute("aria-label", "What it costs");
        table.replaceWith(wide);
        wide.append(table);
    }
    for (const block of holder.querySelectorAll("pre")) {
        block.tabIndex = 0;
        block.setAttribute("role", "group");
        block.setAttribute("aria-label", block.className || "Details");
    }
    return holder;
}
