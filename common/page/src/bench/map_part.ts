// Draws which cells of an output are right, wrong, or were never written.

import type { CellMap } from "../examiner";

/** The number of cells in a row of `signs`. */
const SIDE = 32;
const CELL = 10;
/** Maps the characters of common/harness/cell_map.cpp to the CSS classes of the cells. */
const KINDS: Record<string, string> = { ".": "right", "?": "untouched", X: "wrong" };

/** Returns the number of rows or columns that one cell of the picture stands for. */
const covered = (count: number): number => Math.ceil(count / SIDE);

function legendOf({ rows, cols, in_place, signs }: CellMap): string {
    const words: [string, string][] = [["X", "wrong"], ["?", in_place ? "unchanged" : "never written"], [".", "right"]];
    const keys = words.flatMap(([sign, name]) => (signs.includes(sign) ? [`<span class="key ${KINDS[sign]}">${name}</span>`] : []));
    const [down, across] = [covered(rows), covered(cols)];
    const scale = down * across > 1 ? ` Each square stands for ${down} x ${across} cells, and shows the worst cell.` : "";
    return `<code>${in_place ? "data" : "out"}</code>, ${rows} x ${cols}: ${keys.join(" ")}${scale}`;
}

/** Returns a figure with the cells and a legend. */
export function mapElement(map: CellMap): HTMLElement {
    const [down, across] = [Math.ceil(map.rows / covered(map.rows)), Math.ceil(map.cols / covered(map.cols))];
    let cells = "";
    for (let row = 0; row < down; row++) {
        for (let col = 0; col < across; col++) {
            const kind = KINDS[map.signs[row * SIDE + col] as string] ?? "right";
            cells += `<rect class="${kind}" x="${col * CELL}" y="${row * CELL}" width="${CELL - 1}" height="${CELL - 1}" rx="1.5"/>`;
        }
    }
    const figure = document.createElement("figure");
    figure.className = "cells";
    figure.innerHTML = `<svg role="img" viewBox="0 0 ${across * CELL - 1} ${down * CELL - 1}" style="max-width: ${across * CELL * 1.2}px" aria-label="The cells of the output that are right and wrong">${cells}</svg><figcaption>${legendOf(map)}</figcaption>`;
    return figure;
}
