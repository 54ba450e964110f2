// Draws an access as lanes and sectors, or as lanes and banks. Also draws the contents of shared memory.

import { rowsOf, type Row } from "./rows";
import type { Access } from "./simulator";
import { escapeHtml, headline } from "./words";

const CELL_PIXELS = 19;
const GAP_PIXELS = 5;
const LABEL_WIDTH = 116;
const ROW_HEIGHT = 22;
const MAX_DRAWN_ROWS = 8;

function kindOf(row: Row, place: number, isShared: boolean): string {
    if ((row.lanes[place] as number) >= 0) return isShared ? "shared" : "used";
    const sector = row.lanes.slice(Math.floor(place / 8) * 8, Math.floor(place / 8) * 8 + 8);
    return !isShared && sector.some((lane) => lane >= 0) ? "waste" : "idle";
}

function rowSvg(row: Row, isShared: boolean, y: number, followed: number): string {
    let svg = `<text class="faint right code" x="${LABEL_WIDTH - 10}" y="${y + 14}">${escapeHtml(row.label)}</text>`;
    row.lanes.forEach((lane, place) => {
        const x = LABEL_WIDTH + place * CELL_PIXELS + Math.floor(place / 8) * GAP_PIXELS;
        const mark = lane >= 0 && lane === followed ? " followed" : "";
        svg += `<rect class="${kindOf(row, place, isShared)}${mark}" x="${x}" y="${y}" width="${CELL_PIXELS - 1}" height="${CELL_PIXELS}"/>`;
        if (lane >= 0) svg += `<text class="lane" x="${x + 9}" y="${y + 13}">${lane}</text>`;
    });
    return svg;
}

/** Reports whether the access needs so many rows that the picture shows only the first ones. */
export const isLong = (access: Access): boolean => rowsOf(access).length > MAX_DRAWN_ROWS;

/**
 * Draws an access as SVG. `followed` is the index of the lane to highlight, or -1. If `all` is set, draws every row.
 */
export function pictureSvg(access: Access, followed = -1, all = false): string {
    const rows = rowsOf(access);
    const isShared = access.memory === "shared";
    const shown = all ? rows : rows.slice(0, MAX_DRAWN_ROWS);
    const more = rows.length - shown.length;
    const height = (shown.length + (more ? 1 : 0)) * ROW_HEIGHT + 22;
    const scale = isShared ? "banks 0 to 31" : "four sectors of 32 bytes per row";
    let svg = `<svg class="diagram" role="img" viewBox="0 0 752 ${height}" aria-label="${escapeHtml(headline(access))}">`;
    svg += `<text class="faint" x="${LABEL_WIDTH}" y="13">${scale}; numbers are lanes</text>`;
    shown.forEach((row, i) => (svg += rowSvg(row, isShared, 20 + i * ROW_HEIGHT, followed)));
    if (more) {
        const what = isShared ? "wavefronts" : "rows of 128 bytes";
        svg += `<text class="faint" x="${LABEL_WIDTH}" y="${20 + MAX_DRAWN_ROWS * ROW_HEIGHT + 14}">and ${more} more ${what}</text>`;
    }
    return svg + "</svg>";
}

// ---- the contents of shared memory ----

const WORDS_PER_ROW = 32;
const TILE_CELL_PIXELS = 8;
const MAX_TILE_ROWS = 72;

function accessedWords(access: Access): number[] {
    return access.addresses.flatMap((address) =>
        address === null ? [] : Array.from({ length: access.bytes / 4 }, (_, i) => address / 4 + i),
    );
}

/**
 * Draws shared memory as rows of 32 banks: what this warp has stored up to the access at index `at`, and what this
 * access touches. Returns null if there is nothing to draw.
 */
export function tileSvg(accesses: Access[], at: number): string | null {
    const shared = accesses.map((access) => (access.memory === "shared" ? accessedWords(access) : []));
    const last = Math.max(...shared.flat());
    if (!Number.isFinite(last)) return null;
    const filled = new Set(accesses.slice(0, at + 1).flatMap((access, i) => (access.store ? (shared[i] as number[]) : [])));
    const now = new Set(shared[at]);
    const rows = Math.min(Math.floor(last / WORDS_PER_ROW) + 1, MAX_TILE_ROWS);
    let cells = "";
    for (let word = 0; word < rows * WORDS_PER_ROW; word++) {
        const kind = now.has(word) ? "shared" : filled.has(word) ? "filled" : "idle";
        const x = (word % WORDS_PER_ROW) * TILE_CELL_PIXELS;
        const y = Math.floor(word / WORDS_PER_ROW) * TILE_CELL_PIXELS;
        cells += `<rect class="${kind}" x="${x}" y="${y}" width="${TILE_CELL_PIXELS - 1}" height="${TILE_CELL_PIXELS - 1}"/>`;
    }
    const label = `Shared memory, ${rows} rows of 32 banks: ${now.size} words accessed now, ${filled.size} filled by this warp so far`;
    return `<svg class="diagram" role="img" viewBox="0 0 ${WORDS_PER_ROW * TILE_CELL_PIXELS} ${rows * TILE_CELL_PIXELS}" aria-label="${label}">${cells}</svg>`;
}
