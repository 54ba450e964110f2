// The kernels behind the sliders: common/page/kernels/tile.cu, compiled for each position of the
// sliders.

import { family } from "./course";
import type { Question, TimeQuestion } from "./simulator";

export interface Tile {
    down: number;
    elements: number;
    padding: number;
}

/** The slider position whose kernel is that of lesson 03. */
export const firstTile: Tile = { down: 32, elements: 1, padding: 0 };

/** The positions of each slider, as values of the constant that it sets. */
export const POSITIONS: Record<keyof Tile, number[]> = {
    down: [4, 8, 16, 32],
    elements: [1, 2, 4, 8],
    padding: [0, 1, 2, 3, 4],
};

/** The slider positions whose kernels are those of lessons. */
const LESSONS: [Tile, string][] = [
    [{ down: 32, elements: 1, padding: 0 }, "03_tiled"],
    [{ down: 32, elements: 1, padding: 1 }, "04_padded"],
    [{ down: 8, elements: 4, padding: 1 }, "05_coarsened"],
];

const isSame = (one: Tile, other: Tile): boolean =>
    one.down === other.down && one.elements === other.elements && one.padding === other.padding;

/** Returns the name of the lesson with this kernel, such as "03_tiled", or undefined if no lesson has it. */
export const lessonOf = (tile: Tile): string | undefined => LESSONS.find(([one]) => isSame(one, tile))?.[1];

/** Returns the nearest position, because a link may contain any numbers. */
export function nearestPosition(tile: Tile): Tile {
    const nearest = (name: keyof Tile) =>
        POSITIONS[name].reduce((best, one) => (Math.abs(one - tile[name]) < Math.abs(best - tile[name]) ? one : best));
    return { down: nearest("down"), elements: nearest("elements"), padding: nearest("padding") };
}

export const tileRows = ({ down, elements }: Tile): number => down * elements;
export const sharedBytes = (tile: Tile): number => 4 * tileRows(tile) * (32 + tile.padding);

const entryOf = ({ down, elements, padding }: Tile): string =>
    `_Z14transpose_tileILi${down}ELi${elements}ELi${padding}EEvPfPKfii`;

export const ptxOf = (tile: Tile): string => family().head + (family().kernels[entryOf(tile)] as string);

/** Returns the source with its constants replaced by numbers. */
export const sourceOf = ({ down, elements, padding }: Tile): string =>
    family()
        .source.replace(/^template .*\n/, "")
        .replace(/\bDOWN\b/g, String(down))
        .replace(/\bELEMENTS\b/g, String(elements))
        .replace(/\bPADDING\b/g, String(padding));

function launchOf(tile: Tile, side: number) {
    return {
        entry: entryOf(tile),
        rows: side,
        cols: side,
        grid: [side / 32, side / tileRows(tile), 1],
        block: [32, tile.down, 1],
        shared: 0,
    };
}

export const timeQuestion = (tile: Tile, size: number, gpu: string): TimeQuestion => ({ ...launchOf(tile, size), gpu });

/** Asks for the counters on a small matrix, because the cost per request does not depend on the size. */
export const countQuestion = (tile: Tile): Question => ({
    ...launchOf(tile, Math.max(...POSITIONS.down) * Math.max(...POSITIONS.elements)),
    traced_block: 0,
    traced_warp: 0,
    limit: 0,
    produces: "transpose",
});
