// Shows the verdict in the same words as the terminal, and the requirements of the exercise beside the counters.

import type { Examined } from "../examiner";
import { round } from "../words";

/** The key of each requirement, by the words in the verdict's table. */
const ROWS: [RegExp, string][] = [
    [/^sectors per load/, "load"],
    [/^sectors per store/, "store"],
    [/^wavefronts per shared load/, "shared_load"],
    [/^wavefronts per shared store/, "shared_store"],
];

function addAsked(table: HTMLTableElement, limits: Record<string, number>) {
    for (const [i, row] of [...table.rows].entries()) {
        const name = row.cells[0]?.textContent ?? "";
        const counter = ROWS.find(([words]) => words.test(name))?.[1];
        const limit = counter === undefined ? undefined : limits[counter];
        const cell = document.createElement(i === 0 ? "th" : "td");
        cell.textContent = i === 0 ? "asked" : limit === undefined ? "" : `≤ ${round(limit)}`;
        row.cells[1]?.after(cell);
    }
}

/** `html` comes from C++ code, which has escaped the learner's text. */
export function verdictElement(result: Examined, limits: Record<string, number>, showsCosts: boolean): HTMLElement {
    const holder = document.createElement("div");
    holder.innerHTML = result.html;
    const table = holder.querySelector<HTMLTableElement>("table.costs");
    if (!showsCosts) {
        table?.remove();
        holder.querySelector(".predicted")?.remove();
    } else if (table) {
        addAsked(table, limits);
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
