// Shows an array after a launch: its numbers in a table and, for two extents, a heat map.

import type { ArrayAfter } from "../kernel_launch";
import { countOf, escapeHtml } from "../words";

/** The number of elements in a row of the table, if the array has a single extent. */
const LISTED_PER_ROW = 10;
const CELL_PIXELS = 10;
/** The weakest color of a cell, as a fraction of the strongest. */
const LEAST_OPACITY = 0.08;

const shortNumber = (value: number): string => String(Number(value.toPrecision(4)));
const shapeOf = ({ extents }: ArrayAfter): string => extents.join(" x ");

// ---- the numbers ----

function cellHtml(text: string | null | undefined): string {
    if (text === undefined) return "<td></td>";
    return text === null ? '<td class="untouched">&ndash;</td>' : `<td>${escapeHtml(text)}</td>`;
}

/** Returns the rows of the table. `width` is the number of elements in a row, and `first` names a row. */
function rowsHtml(values: (string | null)[], width: number, nameOf: (row: number) => string): string {
    const rows = [];
    for (let row = 0; row * width < values.length; row++) {
        const cells = Array.from({ length: width }, (_, i) => cellHtml(values[row * width + i]));
        rows.push(`<tr><th scope="row">${nameOf(row)}</th>${cells.join("")}</tr>`);
    }
    return rows.join("");
}

function tableHtml(array: ArrayAfter): string {
    const { extents, values, shown } = array;
    const isList = extents.length === 1;
    const width = isList ? Math.min(LISTED_PER_ROW, values.length) : shown[1];
    const columns = Array.from({ length: width }, (_, i) => `<th scope="col">${isList ? `+${i}` : i}</th>`).join("");
    const inner = extents.slice(1, -1);
    const rowName = (row: number) =>
        isList ? String(row * width) : inner.length ? indicesOf(row, inner) : String(row);
    const corner = `<th scope="col"><span class="unseen">${isList ? "Index" : "Row"}</span></th>`;
    return `<table><thead><tr>${corner}${columns}</tr></thead>
        <tbody>${rowsHtml(values, width, rowName)}</tbody></table>`;
}

/** Returns the indices of a row in an array with more than two extents, such as "1, 3". */
function indicesOf(row: number, inner: number[]): string {
    const indices = [];
    for (const extent of [...inner].reverse()) {
        indices.unshift(row % extent);
        row = Math.floor(row / extent);
    }
    return [row, ...indices].join(", ");
}

/** Says which part of the array the table leaves out, and what a dash means. */
function noteText({ extents, shown, values }: ArrayAfter): string {
    const [cols = 1] = extents.slice(-1);
    const rows = extents.slice(0, -1).reduce((one, other) => one * other, 1);
    const parts = [];
    if (extents.length > 1 && rows > shown[0]) parts.push(`the first ${shown[0]} of ${rows} rows`);
    if (cols > shown[1]) parts.push(`the first ${shown[1]} of ${cols} ${extents.length > 1 ? "columns" : "elements"}`);
    const sentences = parts.length ? [`The table shows ${parts.join(", and ")}.`] : [];
    if (values.includes(null)) sentences.push("A dash marks an element that no thread has written.");
    return sentences.join(" ");
}

// ---- the heat map ----

interface Range {
    least: number;
    most: number;
}

function rangeOf(cells: (number | null)[]): Range | null {
    const known = cells.filter((cell): cell is number => cell !== null);
    return known.length ? { least: Math.min(...known), most: Math.max(...known) } : null;
}

/**
 * Returns the class and the opacity of a cell. Negative values have a color of their own. If there are any, the
 * strongest color is farthest from 0.
 */
function cellStyle(value: number, { least, most }: Range): string {
    const isSigned = least < 0;
    const part = isSigned
        ? Math.abs(value) / Math.max(-least, most)
        : most > least
          ? (value - least) / (most - least)
          : 1;
    const opacity = LEAST_OPACITY + (1 - LEAST_OPACITY) * part;
    return `class="${value < 0 ? "below" : "above"}" fill-opacity="${opacity.toFixed(3)}"`;
}

function describeMap(name: string, cells: (number | null)[], across: number, range: Range | null): string {
    if (!range) return `Heat map of ${name}: no cell has a number.`;
    const at = (value: number) => {
        const index = cells.indexOf(value);
        return `${shortNumber(value)} in row ${Math.floor(index / across)}, column ${index % across}`;
    };
    const missing = cells.filter((cell) => cell === null).length;
    const others = missing ? ` ${countOf(missing, "cell")} ${missing === 1 ? "has" : "have"} no number.` : "";
    const size = `${cells.length / across} rows of ${across} cells`;
    const ends = `The smallest is ${at(range.least)}, the largest ${at(range.most)}.`;
    return `Heat map of ${name}, ${size}. ${ends}${others}`;
}

function keyHtml(range: Range | null, hasMissing: boolean): string {
    const keys = [];
    if (range && range.least < 0) keys.push(`<span class="key below">down to ${shortNumber(range.least)}</span>`);
    if (range && range.least < 0 && range.most > 0) keys.push(`<span class="key weak">0</span>`);
    if (range && range.least >= 0 && range.least < range.most)
        keys.push(`<span class="key weak">${shortNumber(range.least)}</span>`);
    if (range && range.most >= 0)
        keys.push(
            `<span class="key above">${range.least < range.most ? "up to " : ""}${shortNumber(range.most)}</span>`,
        );
    if (hasMissing) keys.push('<span class="key untouched">not written, or not a finite number</span>');
    return keys.join(" ");
}

function heatMap({ name, extents, map }: ArrayAfter): HTMLElement | null {
    if (!map) return null;
    const across = Math.ceil((extents[1] as number) / map.across);
    const down = map.cells.length / across;
    const range = rangeOf(map.cells);
    const cells = map.cells.map((cell, i) => {
        const style = cell === null || !range ? 'class="untouched"' : cellStyle(cell, range);
        const [x, y] = [(i % across) * CELL_PIXELS, Math.floor(i / across) * CELL_PIXELS];
        return `<rect ${style} x="${x}" y="${y}" width="${CELL_PIXELS - 1}" height="${CELL_PIXELS - 1}"/>`;
    });
    const scale = map.down * map.across > 1 ? ` Each square is the mean of ${map.down} x ${map.across} elements.` : "";
    const figure = document.createElement("figure");
    figure.className = "cells heat";
    const [width, height] = [across * CELL_PIXELS - 1, down * CELL_PIXELS - 1];
    figure.innerHTML = `<svg role="img" viewBox="0 0 ${width} ${height}" style="max-width: ${1.2 * width}px"
        aria-label="${escapeHtml(describeMap(name, map.cells, across, range))}">${cells.join("")}</svg>
        <figcaption><code>${escapeHtml(name)}</code>: ${keyHtml(range, map.cells.includes(null))}${scale}</figcaption>`;
    return figure;
}

/** Returns an array with its heading. `whose` distinguishes two kernels that are shown side by side. */
export function arrayElement(array: ArrayAfter, whose: string): HTMLElement {
    const { name, type, is_output } = array;
    const part = document.createElement("details");
    part.className = "array";
    part.dataset.array = name;
    part.open = is_output;
    const note = noteText(array);
    const label = escapeHtml(`The numbers of ${name}, ${whose}`);
    const when = is_output ? "after the launch" : "(input)";
    part.innerHTML = `<summary><code>${escapeHtml(name)}</code> ${when}: ${shapeOf(array)}
        <code>${escapeHtml(type)}</code></summary>
        <div class="wide numbers" tabindex="0" role="group" aria-label="${label}">${tableHtml(array)}</div>
        ${note ? `<p class="faint">${note}</p>` : ""}`;
    const map = heatMap(array);
    if (map) part.querySelector("summary")?.after(map);
    return part;
}
