// The question that launches a kernel of any signature, and its answer. wasm/README.md describes both.

import type { Examined } from "./examiner";

/** A kernel with its arguments, in the form of an exercise's record. */
export interface KernelLaunch {
    name: string;
    sizes: { name: string; value: number | null }[];
    /** Such as "const float* in[rows * cols] = random(-1, 1)". */
    arguments: string[];
    /** Expressions in the sizes, or null if the text has a `configure`. */
    launch: { grid: string[]; block: string[]; shared: string } | null;
}

/** An array after a launch. */
export interface ArrayAfter {
    name: string;
    type: string;
    /** Whether the kernel may write to the array. */
    is_output: boolean;
    extents: number[];
    /** The number of rows and columns in `values`. The rest of a large array is left out. */
    shown: [number, number];
    /** The elements row by row, as text, or null for an element that was never written. */
    values: (string | null)[];
    /** For an array with two extents: the mean of each cell, or null, and the elements in a cell. */
    map: { down: number; across: number; cells: (number | null)[] } | null;
}

export interface Launched extends Examined {
    /** The kernel and the text that were launched. */
    asked: { kernel: KernelLaunch; source: string };
    arrays: ArrayAfter[];
}
