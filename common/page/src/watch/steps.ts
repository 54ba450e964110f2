// The steps of a block, as docs/guide/trace.md describes them, and the state after each of them.

export const LANES = 32;

export type Value = number | string | boolean;

export interface Variable {
    name: string;
    type: string;
    kind: string;
    function: number;
    /** The first and the last line of the variable's scope. The last line is 0 if it is unknown. */
    lines: [number, number];
}

export interface MemoryArray {
    name: string;
    space: "global" | "shared";
    /** The size of the array in bytes. `bytes` is the size of one element. */
    size: number;
    bytes: number;
    extents: number[];
}

export interface StepAccess {
    kind: "load" | "store" | "atomic";
    array: number;
    lanes: number;
    bytes: number;
    sectors?: number;
    wavefronts?: number;
    ideal: number;
    asynchronous?: boolean;
    offsets: number[];
    values: Value[];
}

export interface Step {
    warp: number;
    function: number;
    line: number;
    active: number;
    in_flight?: number;
    waiting?: { lanes: number; why: string; line: number }[];
    /**
     * The variables that the step sets. Each entry contains the variable's index, a mask of lanes, and a value for
     * each of these lanes, or null if the variable no longer has a value.
     */
    set?: [number, number, ...(Value | null)[]][];
    accesses?: StepAccess[];
    barriers?: { barrier: number; arrived: number; expected: number; complete: boolean }[];
}

export interface Moment {
    step: number;
    check: string;
    kind: string;
    message: string;
}

export interface Steps {
    kernel: string;
    block: [number, number, number];
    block_index: [number, number, number];
    is_complete: boolean;
    variables: Variable[];
    arrays: MemoryArray[];
    steps: Step[];
    moments: Moment[];
}

/** The values of a variable in the lanes of a warp. A lane without a value has null. */
export interface LaneValues {
    variable: Variable;
    values: (Value | null)[];
    /** The lanes whose value the step has changed, as a mask. */
    changed: number;
}

/** The last write to an element of an array. */
export interface Cell {
    value: Value | undefined;
    step: number;
    warp: number;
    lane: number;
}

export const hasLane = (mask: number, lane: number): boolean => ((mask >>> lane) & 1) === 1;

export function lanesOf(mask: number): number[] {
    return Array.from({ length: LANES }, (_, lane) => lane).filter((lane) => hasLane(mask, lane));
}

/** Returns a name for a mask of lanes, such as "lanes 0-31" or "lane 5". */
export function nameLanes(mask: number): string {
    const runs: string[] = [];
    for (let first = 0; first < LANES; first++) {
        if (!hasLane(mask, first)) continue;
        let last = first;
        while (last + 1 < LANES && hasLane(mask, last + 1)) last++;
        runs.push(last > first ? `${first}-${last}` : String(first));
        first = last;
    }
    return `${runs.length === 1 && !runs[0]?.includes("-") ? "lane" : "lanes"} ${runs.join(", ")}`;
}

/** Returns the indices of the element that contains the byte at `offset`. */
export function indicesOf(array: MemoryArray, offset: number): number[] {
    let index = Math.floor(offset / Math.max(array.bytes, 1));
    const indices: number[] = [];
    for (const extent of array.extents.slice(1).reverse()) {
        if (index < 0) break;
        indices.unshift(index % extent);
        index = Math.floor(index / extent);
    }
    return [index, ...indices];
}

export const nameElement = (array: MemoryArray, offset: number): string => array.name + indicesOf(array, offset).map((one) => `[${one}]`).join("");

/** Returns the values of the variables in scope after a step, in the lanes of its warp. */
export function variablesAfter({ steps, variables }: Steps, at: number): LaneValues[] {
    const { warp, line, function: ofFunction } = steps[at] as Step;
    const known = new Map<number, LaneValues>();
    for (let k = 0; k <= at; k++) {
        const step = steps[k] as Step;
        if (step.warp !== warp) continue;
        for (const [number, lanes, ...values] of step.set ?? []) {
            const variable = variables[number] as Variable;
            const now = known.get(number) ?? { variable, values: Array<Value | null>(LANES).fill(null), changed: 0 };
            lanesOf(lanes).forEach((lane, nth) => (now.values[lane] = values[nth] ?? null));
            if (k === at && values[0] !== null) now.changed |= lanes;
            known.set(number, now);
        }
    }
    const isInScope = ({ function: owner, lines: [first, last] }: Variable) =>
        owner === ofFunction && (last === 0 || (line >= first && line <= last));
    return [...known.values()].filter(({ variable }) => isInScope(variable));
}

/**
 * Returns a map from the index of each element of an array to the last write to this element, up to and including step
 * `at`.
 */
export function cellsAfter({ steps, arrays }: Steps, array: number, at: number): Map<number, Cell> {
    const { bytes } = arrays[array] as MemoryArray;
    const cells = new Map<number, Cell>();
    for (let k = 0; k <= at; k++) {
        const { warp, accesses } = steps[k] as Step;
        for (const access of accesses ?? []) {
            if (access.array !== array || access.kind === "load") continue;
            const elements = access.values.length / access.offsets.length;
            lanesOf(access.lanes).forEach((lane, nth) => {
                for (let element = 0; element < Math.max(elements, 1); element++) {
                    const place = Math.floor((access.offsets[nth] as number) / bytes) + element;
                    cells.set(place, { value: access.values[nth * elements + element], step: k, warp, lane });
                }
            });
        }
    }
    return cells;
}

/**
 * Replaces values that the kernel has loaded from its input with the names of their elements. The values themselves
 * would tell the reader nothing, because a matrix contains random bits.
 */
export function nameValuesBySource(all: Steps) {
    const names = new Map<Value, string>();
    const accesses = all.steps.flatMap((step) => step.accesses ?? []);
    for (const access of accesses) {
        const array = all.arrays[access.array] as MemoryArray;
        if (array.space === "shared" || access.kind !== "load") continue;
        const elements = access.values.length / access.offsets.length;
        access.values.forEach((value, k) => {
            const offset = (access.offsets[Math.floor(k / elements)] as number) + (k % elements) * array.bytes;
            if (!names.has(value)) names.set(value, nameElement(array, offset));
        });
    }
    const renamed = (value: Value): Value => names.get(value) ?? value;
    for (const access of accesses) access.values = access.values.map(renamed);
    for (const step of all.steps) {
        for (const change of step.set ?? []) {
            if (all.variables[change[0]]?.kind !== "float") continue;
            for (let k = 2; k < change.length; k++) change[k] = renamed(change[k] as Value);
        }
    }
}

/**
 * Returns the index of the nearest wanted step before `from` (`by` = -1) or after it (`by` = 1). Returns `from` if
 * there is none.
 */
export function findStep({ steps }: Steps, from: number, by: 1 | -1, isWanted: (step: Step, at: number) => boolean): number {
    for (let k = from + by; k >= 0 && k < steps.length; k += by) if (isWanted(steps[k] as Step, k)) return k;
    return from;
}
