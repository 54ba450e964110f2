// Draws a map of the correct, wrong and unwritten cells of an output.

import type { CellMap } from "../examiner";

/** The number of cells in a row of `signs`. */
const CELLS_PER_ROW = 32;
const CELL_PIXELS = 10;
/** Maps the characters of common/harness/cell_map.cpp to the CSS classes of the cells. */
const CSS_CLASSES: Record<string, string> = { ".": "right", "?": "untouched", X: "wrong" };

/** Returns the number of rows or columns that one cell of the picture stands for. */
const elementsPerCell = (count: number): number => Math.ceil(count / CELLS_PER_ROW);

function legendText({ rows, cols, in_place, signs }: CellMap): string {
    const words: [string, string][] = [["X", "wrong"], ["?", in_place ? "unchanged" : "never written"], [".", "right"]];
    const keys = words.flatMap(([sign, name]) => (signs.includes(sign) ? [`<span class="key ${CSS_CLASSES[sign]}">${name}</span>`] : []));
    const [down, across] = [elementsPerCell(rows), elementsPerCell(cols)];
    const scale = down * across > 1 ? ` Each square stands for ${down} x ${across} cells, and shows the worst cell.` : "";
    return `<code>${in_place ? "data" : "out"}</code>, ${rows} x ${cols}: ${keys.join(" ")}${scale}`;
}

/** Returns a figure with the cells and a legend. */
export function mapElement(map: CellMap): HTMLElement {
    const [down, across] = [Math.ceil(map.rows / elementsPerCell(map.rows)), Math.ceil(map.cols / elementsPerCell(map.cols))];
    let cells = "";
    for (let row = 0; row < down; row++) {
        for (let col = 0; col < across; col++) {
            const kind = CSS_CLASSES[map.signs[row * CELLS_PER_ROW + col] as string] ?? "right";
            cells += `<rect class="${kind}" x="${col * CELL_PIXELS}" y="${row * CELL_PIXELS}" width="${CELL_PIXELS - 1}" height="${CELL_PIXELS - 1}" rx="1.5"/>`;
        }
    }
    const figure = document.createElement("figure");
    figure.className = "cells";
    figure.innerHTML = `<svg role="img" viewBox="0 0 ${across * CELL_PIXELS - 1} ${down * CELL_PIXELS - 1}" style="max-width: ${across * CELL_PIXELS * 1.2}px" aria-label="The cells of the output that are right and wrong">${cells}</svg><figcaption>${legendText(map)}</figcaption>`;
    return figure;
}
