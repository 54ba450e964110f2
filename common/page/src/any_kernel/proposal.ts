// Proposes the arguments and the launch of a kernel: which integers are sizes, how many elements each array has, which
// values it has before the launch, and a grid that covers the elements.

import { blankOutComments, type KernelParameter, type KernelSignature } from "./signature";

/** The most sizes that an exercise's record can have. */
const MAX_SIZES = 3;

/** The names that programmers give to numbers of elements. */
const SIZE_NAMES = new RegExp(
    "^(n|m|k|w|h|d|n[xyz]|(num|n)_?\\w*|[xyz]?(len|length|size|count|total)|\\w+_(len|length|size|count)|rows?|cols?|" +
        "columns|width|height|depth|bins|elements|dim\\w*|side)$",
    "i",
);
const HEIGHT_NAMES = /^(rows?|height|h|ny|m)$/i;
const WIDTH_NAMES = /^(cols?|columns|width|w|nx|n)$/i;

/** The threads of a kernel that has nothing to cover. */
const WARP_SIZE = 32;
const LIST_SIZE = "1000";
const MATRIX_SIZE = "64";

export interface ArgumentProposal {
    parameter: KernelParameter;
    is_size: boolean;
    /** The extents of an array, such as "[rows][cols]"; "" for a scalar. */
    extents: string;
    /** The generator of the values, "" for an array without values, or the value of a size. */
    values: string;
}

export interface LaunchProposal {
    arguments: ArgumentProposal[];
    grid: string;
    block: string;
    shared: string;
}

const isInteger = ({ type, is_pointer }: KernelParameter): boolean =>
    !is_pointer && /\b(int|long|short|unsigned|u?int\d+_t)\b/.test(type);
const isFloating = (type: string): boolean => /float|double|half|bfloat/.test(type);

/** Returns the sizes, with the size of the slowest axis first. */
function sizesOf(parameters: KernelParameter[]): string[] {
    const integers = parameters.filter(isInteger).map(({ name }) => name);
    const named = integers.filter((name) => SIZE_NAMES.test(name));
    const sizes = (named.length ? named : integers).slice(0, MAX_SIZES);
    const [first = "", second = ""] = sizes;
    return sizes.length === 2 && WIDTH_NAMES.test(first) && HEIGHT_NAMES.test(second) ? [second, first] : sizes;
}

/** Returns the extents of the array number `index`. A product of matrices has the usual three shapes. */
function extentsOf(sizes: string[], index: number, isOutput: boolean): string {
    if (!sizes.length) return `[${LIST_SIZE}]`;
    const letter = (wanted: string) => sizes.find((name) => name.toLowerCase() === wanted);
    const [m, n, k] = [letter("m"), letter("n"), letter("k")];
    const product = m && n && k ? (isOutput ? [m, n] : index === 0 ? [m, k] : [k, n]) : sizes;
    return product.map((name) => `[${name}]`).join("");
}

/** Reports whether the kernel reads elements of an array before or while it writes them. */
function isRead(body: string, name: string): boolean {
    return [...body.matchAll(new RegExp(`\\b${name}\\s*\\[`, "g"))].some((match) => {
        let depth = 1;
        let at = match.index! + match[0].length;
        for (; at < body.length && depth > 0; at++) depth += Number(body[at] === "[") - Number(body[at] === "]");
        return !/^\s*=(?!=)/.test(body.slice(at));
    });
}

function valuesOf({ type, is_pointer, is_const, name }: KernelParameter, body: string): string {
    if (!is_pointer) return isFloating(type) ? "2" : "1";
    if (new RegExp(`\\batomic\\w+\\s*\\(\\s*&?\\s*${name}\\b`).test(body)) return "zero";
    if (!is_const && !isRead(body, name)) return "";
    if (isFloating(type)) return "random(-1, 1)";
    return /unsigned|^u/.test(type) ? "random(0, 100)" : "random(-100, 100)";
}

/** Returns the value of a constant of the text whose name matches, if it is at most `most`. */
function constantIn(text: string, name: RegExp, most: number): number | null {
    const code = blankOutComments(text);
    for (const [, called, value] of code.matchAll(
        /(?:#define\s+|\b(?:constexpr|const)\s+(?:static\s+)?\w+\s+)(\w+)\s*=?\s*(\d+)/g,
    )) {
        if (name.test(called as string) && Number(value) <= most) return Number(value);
    }
    return null;
}

/** Returns the factor in an index such as `blockIdx.x * 32 + threadIdx.x`, or null if it is not a constant. */
function factorOf(axis: string, text: string, body: string, most: number): number | null {
    const [, factor = ""] = new RegExp(`\\bblockIdx\\s*\\.\\s*${axis}\\s*\\*\\s*(\\w+)`).exec(body) ?? [];
    if (/^\d+$/.test(factor)) return Number(factor) <= most ? Number(factor) : null;
    return factor && factor !== "blockDim" ? constantIn(text, new RegExp(`^${factor}$`), most) : null;
}

function proposeBlock(text: string, body: string): number[] {
    if (!/\b(threadIdx|blockIdx)\s*\.\s*y\b/.test(body)) {
        return [factorOf("x", text, body, 1024) ?? constantIn(text, /block|thread|tile/i, 1024) ?? 256];
    }
    const side = constantIn(text, /tile|block|dim|side/i, 32) ?? 16;
    return [factorOf("x", text, body, 32) ?? side, factorOf("y", text, body, 32) ?? side];
}

/** Proposes a launch with one thread per element. */
export function proposeLaunch(text: string, { parameters, body }: KernelSignature): LaunchProposal {
    const sizes = sizesOf(parameters);
    const pointers = parameters.filter(({ is_pointer }) => is_pointer);
    const block = proposeBlock(text, body);
    const output = pointers.find(({ is_const }) => !is_const);
    const outputExtents = extentsOf(sizes, 0, true).slice(1, -1).split("][");
    const elements = outputExtents.join(" * ");
    const [last = "1", before = "1"] = [...outputExtents].reverse();
    const inputs = pointers.filter((one) => one !== output);
    const shared = /\bextern\s+__shared__/.test(body) ? block.reduce((one, other) => one * other, 4) : 0;
    return {
        arguments: parameters.map((parameter) => {
            const is_size = sizes.includes(parameter.name);
            return {
                parameter,
                is_size,
                extents: parameter.is_pointer ? extentsOf(sizes, inputs.indexOf(parameter), parameter === output) : "",
                values: is_size ? (sizes.length > 1 ? MATRIX_SIZE : LIST_SIZE) : valuesOf(parameter, body),
            };
        }),
        grid:
            !pointers.length && !sizes.length
                ? "1"
                : block.length === 2
                  ? `ceil_div(${last}, ${block[0]}), ceil_div(${before}, ${block[1]})`
                  : `ceil_div(${elements}, ${block[0]})`,
        block: pointers.length || sizes.length ? block.join(", ") : String(WARP_SIZE),
        shared: String(shared),
    };
}
