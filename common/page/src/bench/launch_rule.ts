// Derives, from observed launches, a rule that gives the grid for a matrix of any shape. common/book/recorder does the
// same for the kernels of the lessons.

import type { Launch, ShapeTried } from "../examiner";

type Rule = (rows: number, cols: number) => number;

/** The quantities that the blocks along an axis may have to cover, as functions of the matrix's shape. */
const TRIED_EXTENTS: Rule[] = [() => 1, (_, cols) => cols, (rows) => rows, (rows, cols) => rows * cols];
const MAX_ELEMENTS_PER_BLOCK = 4096;

/** Returns a rule that gives the grid's size along this axis in every launch, or null if no simple rule does. */
function findAxisRule(axis: number, tried: ShapeTried[]): Rule | null {
    for (const extent of TRIED_EXTENTS) {
        for (let size = 1; size <= MAX_ELEMENTS_PER_BLOCK; size++) {
            const rule: Rule = (rows, cols) => Math.ceil(extent(rows, cols) / size);
            if (tried.every(({ shape, launch }) => rule(shape.rows, shape.cols) === launch.grid[axis])) return rule;
        }
    }
    return null;
}

/** Returns how the kernel is launched for other matrices, or null if its launches follow no simple rule. */
export function launchRule(tried: ShapeTried[]): ((rows: number, cols: number) => Launch) | null {
    const first = tried[0]?.launch;
    const isSame = tried.every(({ launch }) => JSON.stringify(launch.block) === JSON.stringify(first?.block) && launch.shared_bytes === first?.shared_bytes);
    const rules = [0, 1, 2].map((axis) => findAxisRule(axis, tried));
    if (!first || !isSame || rules.includes(null)) return null;
    return (rows, cols) => ({
        rows,
        cols,
        grid: rules.map((rule) => (rule as Rule)(rows, cols)),
        block: first.block,
        shared: first.shared_bytes,
    });
}
