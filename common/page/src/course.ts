// The course's data in the page: window.courseData, which common/page/data writes when the book is
// built.

/**
 * A rule for the number of blocks along an axis of a grid: min(ceil((extent + plus) / size) * times, most). `of` names
 * the extent.
 */
export interface Axis {
    of: "one" | "rows" | "cols" | "elements" | "tiles";
    size: number;
    /** The side length of a tile, if `of` is "tiles". */
    tile?: number;
    plus?: number;
    times?: number;
    most?: number;
}

/** A kernel's launch. */
export interface Launch {
    kernel: string;
    /** The kernel's name in the program, such as "transpose_tiled<32>". */
    function: string;
    block: [number, number, number];
    shared: number;
    grid: Axis[];
    /** Each argument is "out", "in", "rows", "cols", or a number. */
    arguments: (string | number)[];
}

export interface Variant {
    name: string;
    about: string;
    rows_multiple: number;
    cols_multiple: number;
    produces: string;
    /** The two launches. The kernel may differ if the matrix has as many tiles across as down. */
    launch: { square: Launch; other: Launch };
    expect: Record<string, number>;
}

/** A variant without its own kernel, or one whose launch only the host can compute. */
export type NoKernel = Omit<Variant, "launch"> & {
    launch?: undefined;
    /** The reason, for example "it is host code, not a kernel". */
    why_not: string;
};

export interface Step {
    name: string;
    title: string;
    source: string;
    ptx: string;
    variants: Variant[];
}

/** The kernels of the sliders, by mangled name. `head` followed by one kernel's text is a complete PTX module. */
export interface Family {
    source: string;
    head: string;
    kernels: Record<string, string>;
}

/** A step's program with all of its variants. */
export type Program = Omit<Step, "variants"> & {
    /** The text of the headers that the program includes from its own folder. */
    headers: string;
    is_explored: boolean;
    variants: (Variant | NoKernel)[];
};

declare global {
    interface Window {
        courseData: { steps: Program[]; family: Family };
    }
}

export const programs = (): Program[] => window.courseData.steps;

let explored: Step[] | undefined;
/** Returns the steps that the explorer can show. */
export const steps = (): Step[] =>
    (explored ??= programs()
        .filter(({ is_explored }) => is_explored)
        .map((program) => ({ ...program, variants: program.variants.filter((variant): variant is Variant => variant.launch !== undefined) })));
export const family = (): Family => window.courseData.family;

export function findVariant(stepName: string, variantName: string): [Step, Variant] | null {
    const step = steps().find((one) => one.name === stepName);
    const variant = step?.variants.find((one) => one.name === variantName);
    return step && variant ? [step, variant] : null;
}

function countBlocksAlongAxis({ of, size, tile = 1, plus = 0, times = 1, most = Infinity }: Axis, rows: number, cols: number): number {
    const covered = { one: 1, rows, cols, elements: rows * cols, tiles: Math.ceil(rows / tile) * Math.ceil(cols / tile) }[of];
    return Math.min(Math.ceil((covered + plus) / size) * times, most);
}

/**
 * Returns the task that the simulator checks `out` against, or "" if the simulator cannot check what the variant
 * produces.
 */
export const checkedTask = (produces: string): string => (produces === "copy" || produces === "transpose" ? produces : "");

/**
 * Returns the launch for a matrix. If `block` is given, it replaces the two extents of the block, and a grid that
 * depends on them changes too.
 */
export function launchFor(variant: Variant, rows: number, cols: number, block?: [number, number]) {
    const gridOf = (launch: Launch) =>
        launch.grid.map((axis, i) => {
            const isBlocks = block && i < 2 && axis.size === launch.block[i];
            return countBlocksAlongAxis(isBlocks ? { ...axis, size: block[i] as number } : axis, rows, cols);
        });
    const grid = gridOf(variant.launch.other);
    const launch = grid[0] === grid[1] ? variant.launch.square : variant.launch.other;
    return {
        entry: launch.kernel,
        grid: gridOf(launch),
        block: block ? [block[0], block[1], 1] : launch.block,
        shared: launch.shared,
    };
}
