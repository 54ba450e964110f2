// What a panel shows, as a link has it: step,variant,rows,cols,block,warp,access and, when they differ
// from the lesson's, the block's two extents.

export interface PanelState {
    step: string;
    variant: string;
    rows: number;
    cols: number;
    block: number;
    warp: number;
    at: number;
    shape?: [number, number];
}

export const firstState: PanelState = {
    step: "03_tiled",
    variant: "tiled",
    rows: 256,
    cols: 256,
    block: 0,
    warp: 5,
    at: 0,
};

export function toText(state: PanelState): string {
    const { step, variant, rows, cols, block, warp, at } = state;
    return [step, variant, rows, cols, block, warp, at, ...(state.shape ?? [])].join(",");
}

/** Numbers that are none fall back to those of `firstState`. */
export function fromText(text: string): PanelState {
    const [step, variant, ...rest] = text.split(",");
    const number = (place: number, otherwise: number) => {
        const value = Number(rest[place]);
        return rest[place] !== undefined && Number.isInteger(value) && value >= 0 ? value : otherwise;
    };
    const state: PanelState = {
        step: step || firstState.step,
        variant: variant ?? "",
        rows: number(0, firstState.rows),
        cols: number(1, firstState.cols),
        block: number(2, firstState.block),
        warp: number(3, firstState.warp),
        at: number(4, firstState.at),
    };
    if (rest.length >= 7) state.shape = [number(5, 32), number(6, 8)];
    return state;
}

/** The panels of a link "#a=...&b=...". */
export function fromHash(hash: string): PanelState[] {
    const words = new URLSearchParams(hash.replace(/^#/, ""));
    return ["a", "b"].flatMap((key) => (words.has(key) ? [fromText(words.get(key) as string)] : []));
}

export const toHash = (states: PanelState[]): string =>
    "#" + states.map((state, i) => `${"ab"[i]}=${toText(state)}`).join("&");
