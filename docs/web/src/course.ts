// The course as the page has it: window.courseData, written by docs/web/data when the book is built.

export type Extent = "one" | "rows" | "cols" | "elements";

/** How a kernel is launched: for each axis of the grid, what it covers in pieces of which size. */
export interface Launch {
    kernel: string;
    block: [number, number, number];
    shared: number;
    grid: [Extent, number][];
}

export interface Variant {
    name: string;
    about: string;
    rows_multiple: number;
    cols_multiple: number;
    produces: string;
    /** Grids with as many blocks across as down may have a kernel of their own. */
    launch: { square: Launch; other: Launch };
    expect: Record<string, number>;
}

export interface Step {
    name: string;
    title: string;
    source: string;
    ptx: string;
    variants: Variant[];
}

/** The kernels of the sliders: `head` and one of them, by mangled name, are a whole PTX. */
export interface Family {
    source: string;
    head: string;
    kernels: Record<string, string>;
}

declare global {
    interface Window {
        courseData: { steps: Step[]; family: Family };
    }
}

export const steps = (): Step[] => window.courseData.steps;
export const family = (): Family => window.courseData.family;

export function findVariant(stepName: string, variantName: string): [Step, Variant] | null {
    const step = steps().find((one) => one.name === stepName);
    const variant = step?.variants.find((one) => one.name === variantName);
    return step && variant ? [step, variant] : null;
}

function blocksFor([extent, size]: [Extent, number], rows: number, cols: number): number {
    const length = { one: 1, rows, cols, elements: rows * cols }[extent];
    return Math.ceil(length / size);
}

/** The launch for a matrix. A block of another shape changes the grid where that followed the block. */
export function launchFor(variant: Variant, rows: number, cols: number, block?: [number, number]) {
    const gridOf = (launch: Launch) =>
        launch.grid.map(([extent, size], axis) => {
            const isBlocks = block && axis < 2 && size === launch.block[axis];
            return blocksFor([extent, isBlocks ? (block[axis] as number) : size], rows, cols);
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
