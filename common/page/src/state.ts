// The state of the explorer, as encoded in the link. "a" and "b" describe the panels:
// step,variant,rows,cols,block,warp,access. The two extents of a block follow if they are not the lesson's own.
// "a_time" and "b_time" are GPU,size, and are present if they are not the default. "tile" and "tile_time" are the same
// for the sliders.

import { firstTile, type Tile } from "./tile";
import { firstChoice, type TimeChoice } from "./time_part";

export interface PanelState {
    step: string;
    variant: string;
    rows: number;
    cols: number;
    block: number;
    warp: number;
    at: number;
    shape?: [number, number];
    time: TimeChoice;
}

export interface SlidersState {
    tile: Tile;
    time: TimeChoice;
}

export interface PageState {
    panels: PanelState[];
    sliders: SlidersState;
}

/** The state in a link. If the link is only about the sliders, the page scrolls to them. */
export interface LinkedState extends PageState {
    isAboutSliders: boolean;
}

export const firstState = (): PanelState => ({
    step: "03_tiled",
    variant: "tiled",
    rows: 256,
    cols: 256,
    block: 0,
    warp: 5,
    at: 0,
    time: { ...firstChoice },
});

// ---- writing a link ----

function panelText(state: PanelState): string {
    const { step, variant, rows, cols, block, warp, at } = state;
    return [step, variant, rows, cols, block, warp, at, ...(state.shape ?? [])].join(",");
}

const timeText = ({ gpu, size }: TimeChoice): string => `${gpu.replaceAll(" ", "+")},${size}`;
const tileText = ({ down, elements, padding }: Tile): string => [down, elements, padding].join(",");

export function toHash({ panels, sliders }: PageState): string {
    const words: string[] = panels.map((state, i) => `${"ab"[i]}=${panelText(state)}`);
    const addTime = (key: string, time: TimeChoice) => {
        if (timeText(time) !== timeText(firstChoice)) words.push(`${key}_time=${timeText(time)}`);
    };
    panels.forEach((state, i) => addTime("ab"[i] as string, state.time));
    if (tileText(sliders.tile) !== tileText(firstTile)) words.push(`tile=${tileText(sliders.tile)}`);
    addTime("tile", sliders.time);
    return "#" + words.join("&");
}

// ---- reading a link ----

/** Returns the whole number at a position of a list, or `otherwise` if there is none. */
function numberAt(words: string[], place: number, otherwise: number): number {
    const value = Number(words[place] || NaN);
    return Number.isInteger(value) && value >= 0 ? value : otherwise;
}

function panelFrom(text: string, time: TimeChoice): PanelState {
    const [step, variant, ...rest] = text.split(",");
    const first = firstState();
    const state: PanelState = {
        step: step || first.step,
        variant: variant ?? "",
        rows: numberAt(rest, 0, first.rows),
        cols: numberAt(rest, 1, first.cols),
        block: numberAt(rest, 2, first.block),
        warp: numberAt(rest, 3, first.warp),
        at: numberAt(rest, 4, first.at),
        time,
    };
    if (rest.length >= 7) state.shape = [numberAt(rest, 5, 32), numberAt(rest, 6, 8)];
    return state;
}

function timeFrom(text: string | null): TimeChoice {
    const [gpu, ...rest] = (text ?? "").split(",");
    return { gpu: gpu || firstChoice.gpu, size: numberAt(rest, 0, firstChoice.size) };
}

function tileFrom(text: string | null): Tile {
    const words = (text ?? "").split(",");
    return {
        down: numberAt(words, 0, firstTile.down),
        elements: numberAt(words, 1, firstTile.elements),
        padding: numberAt(words, 2, firstTile.padding),
    };
}

/** Reads the panels and sliders of a link "#a=...&b=...". There is always at least one panel. */
export function fromHash(hash: string): LinkedState {
    const words = new URLSearchParams(hash.replace(/^#/, ""));
    const panels = ["a", "b"].flatMap((key) =>
        words.has(key) ? [panelFrom(words.get(key) as string, timeFrom(words.get(`${key}_time`)))] : [],
    );
    return {
        panels: panels.length ? panels : [firstState()],
        sliders: { tile: tileFrom(words.get("tile")), time: timeFrom(words.get("tile_time")) },
        isAboutSliders: words.has("tile") && !panels.length,
    };
}
