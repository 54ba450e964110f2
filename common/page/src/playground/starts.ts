// The initial texts that the reader can choose. Each lesson has the exercise, the bug hunt, the solutions of both, and
// those variants of its program that solve one of them, with their launches.

import type { ChangedFields } from "../any_kernel/arguments_form";
import { blankOutComments } from "../any_kernel/signature";
import type { Axis, Launch, NoKernel, Program, Variant } from "../course";
import { programs } from "../course";
import type { Task } from "../examiner";
import { lessons, type Work } from "../exercises";
import { wordKernels } from "./word_kernels";

export interface Start {
    /** The name in the list, such as "solution" or "swizzled". */
    name: string;
    /** The exercise against which the text is checked. */
    task: Task;
    text: string;
    /** The reason why this variant cannot be used as an initial text, or "" if it can. */
    why_not: string;
    /** The fields of a launch, if they are not the proposed ones. */
    fields?: ChangedFields;
}

/** The key of the initial texts that belong to no lesson. */
export const OTHER_KERNELS = "Any other kernel";
export const WORD_KERNELS = "Words of the glossary";

export const isOfNoLesson = (key: string): boolean => key === OTHER_KERNELS || key === WORD_KERNELS;

const VECTOR_ADDITION = `// Adds two vectors. The page asks for the arguments and the launch.
__global__ void add(float* c, const float* a, const float* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
`;

const WAVES = `// Computes an image: two waves that meet.
__global__ void waves(float* image, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || col >= cols) return;
    image[row * cols + col] = __sinf(0.3f * row) + __cosf(0.2f * col);
}
`;

/** Returns the initial texts that are launched and not checked. A check, if the reader chooses one, is for `task`. */
const otherKernels = (task: Task): Start[] => [
    { name: "vector addition", task, text: VECTOR_ADDITION, why_not: "" },
    { name: "image of two waves", task, text: WAVES, why_not: "" },
];

/** Returns the initial texts by lesson, in the course's order, followed by other kernels. */
export function starts(): Map<string, Start[]> {
    const all = new Map<string, Start[]>();
    for (const { name, exercise, hunt } of lessons()) {
        const task = { exercise: name, hunt: false };
        const list: Start[] = [
            { name: "solution", task, text: exercise.solution, why_not: "" },
            { name: "exercise", task, text: exercise.skeleton, why_not: "" },
        ];
        if (hunt) {
            list.push({ name: "bug hunt", task: { ...task, hunt: true }, text: hunt.skeleton, why_not: "" });
            list.push({ name: "bug hunt, fixed", task: { ...task, hunt: true }, text: hunt.solution, why_not: "" });
        }
        const program = window.courseData ? programs().find((one) => one.name === name) : undefined;
        if (program) list.push(...program.variants.map((variant) => makeStart(program, variant, task, exercise)));
        all.set(name, list);
    }
    const [first] = lessons();
    if (first) {
        const task = { exercise: first.name, hunt: false };
        all.set(OTHER_KERNELS, otherKernels(task));
        all.set(WORD_KERNELS, wordKernels.map((one) => ({ ...one, task, why_not: "" })));
    }
    return all;
}

/** Returns the initial text with this name that belongs to no lesson. */
export const findStart = (all: Map<string, Start[]>, name: string): Start | undefined =>
    [OTHER_KERNELS, WORD_KERNELS].flatMap((key) => all.get(key) ?? []).find((start) => start.name === name);

function makeStart(program: Program, variant: Variant | NoKernel, task: Task, exercise: Work): Start {
    const none = (why_not: string): Start => ({ name: variant.name, task, text: "", why_not });
    if (!variant.launch) return none(variant.why_not);
    if (variant.produces !== exercise.produces) return none("this variant performs a different task, for which there is no exercise");
    const text = startText(program, variant, exercise.kernel);
    return text ? { name: variant.name, task, text, why_not: "" } : none("the text of the kernel was not found in the program");
}

// ---- converting a variant of a lesson's program to a learner's file ----

/** Returns the top-level parts of a program, each with its comment: declarations and complete bodies. */
function splitSource(source: string): string[] {
    const parts: string[] = [];
    let depth = 0;
    let part: string[] = [];
    const end = () => part.length && parts.push(part.splice(0).join("\n"));
    for (const line of source.replace(/^(#|\/\/!).*\n/gm, "").split("\n")) {
        if (line.trim() || depth > 0) part.push(line);
        depth += (line.match(/\{/g)?.length ?? 0) - (line.match(/\}/g)?.length ?? 0);
        if (depth === 0 && (!line.trim() || /[;}]\s*$/.test(blankOutComments(line)))) end();
    }
    end();
    return parts;
}

/** Joins the parts of a program. A blank line separates two parts, unless both have a single line. */
const joinParts = (parts: string[]): string =>
    parts.reduce((text, part, i) => text + (i === 0 ? "" : part.includes("\n") || parts[i - 1]?.includes("\n") ? "\n\n" : "\n") + part, "");

const isHost = (part: string): boolean => /^(static (?!constexpr)|int main|inline\b|namespace\b|using namespace\b)/m.test(part) && !/__(global|device)__/.test(part);

/** Returns the names that a part declares for others: constants, types, functions. */
function declaredNames(part: string): string[] {
    let code = blankOutComments(part);
    // Ignore names that are declared within a body, because they cannot be used outside it.
    for (let whole = ""; whole !== code; ) [whole, code] = [code, code.replace(/\{[^{}]*\}/g, "")];
    const names = [...code.matchAll(/(?:struct|using)\s+(\w+)|(\w+)\s*=|__device__[^(]*?(\w+)\s*\(/g)];
    return names.flatMap(([, type, constant, call]) => [type, constant, call].filter((name) => name !== undefined));
}

/**
 * Returns the parts that `text` uses but does not declare, and the parts that these parts use, in the program's order.
 */
function findNeededParts(text: string, parts: string[]): string[] {
    const own = new Set(declaredNames(text));
    const chosen = new Set<string>(parts.filter((part) => declaredNames(part).some((name) => own.has(name))));
    const covered = new Set(chosen);
    const words = (code: string) => new Set(blankOutComments(code).match(/\w+/g) ?? []);
    const add = (code: string) => {
        const used = words(code);
        for (const part of parts) {
            if (chosen.has(part) || !declaredNames(part).some((name) => used.has(name))) continue;
            chosen.add(part);
            add(part);
        }
    };
    add(text);
    return parts.filter((part) => chosen.has(part) && !covered.has(part));
}

/**
 * Splits a function's name from its template arguments: "transpose_ordered<32, &(diagonal(int, int))>" becomes
 * ["transpose_ordered", ["32", "diagonal"]].
 */
function splitTemplateName(called: string): [string, string[]] {
    const [, name = called, list = ""] = /^(\w+)<(.*)>$/.exec(called) ?? [];
    const values = list.replace(/\([^()]*\)(?=\))|\([^()]*\)(?=,|$)/g, "").match(/\w+/g) ?? [];
    return [name, values];
}

/** Replaces template parameters with their arguments, which are constants or functions. */
function instantiated(kernel: string, values: string[]): string {
    const list = /^template <(.*)>\n/m.exec(kernel);
    if (!list) return kernel;
    const names = (list[1] as string).replace(/\(int[^)]*\)$/, "").split(",").map((one) => (/\w+(?=\W*$)/.exec(one) as RegExpExecArray)[0]);
    let constants = "";
    let text = kernel.replace(list[0], "");
    names.forEach((name, i) => {
        if (/^\d+$/.test(values[i] as string)) constants += `constexpr int ${name} = ${values[i]};\n`;
        else text = text.replace(new RegExp(`\\b${name}\\b`, "g"), values[i] as string);
    });
    return constants ? `${constants}\n${text}` : text;
}

const axisText = ({ of, size, tile, plus, times, most }: Axis): string => {
    if (of === "one") return String(Math.ceil((1 + (plus ?? 0)) / size) * (times ?? 1));
    const tiles = `ceil_div(rows, ${tile}) * ceil_div(cols, ${tile})`;
    const covered = { rows: "rows", cols: "cols", elements: "rows * cols", tiles }[of] + (plus ? ` + ${plus}` : "");
    const pieces = size === 1 ? covered : `ceil_div(${covered}, ${size})`;
    const blocks = times ? `${pieces} * ${times}` : pieces;
    return most ? `${blocks} < ${most} ? ${blocks} : ${most}` : blocks;
};

function configureText({ grid, block, shared }: Launch): string {
    const axes = grid.map(axisText);
    while (axes.length > 1 && axes.at(-1) === "1") axes.pop();
    const threads = block.filter((count, i) => i === 0 || count > 1 || block.slice(i).some((one) => one > 1));
    const sharedText = shared ? `,\n            .shared_bytes = ${shared}` : "";
    return `constexpr Launch configure(int rows, int cols) {
    return {.grid = {${axes.join(", ")}}, .block = {${threads.join(", ")}}${sharedText}};
}
`;
}

/** Returns the headers that a text needs, if its program includes them and a learner's file may include them too. */
function includesFor(text: string, source: string): string[] {
    const findNeededParts: [RegExp, string][] = [[/\b__pipeline_/, "cuda_pipeline.h"], [/\bu?int\d+_t\b/, "cstdint"]];
    const lines = findNeededParts.filter(([word]) => word.test(text)).map(([, header]) => `#include <${header}>`);
    return lines.filter((line) => source.includes(line));
}

const usual = ["out", "in", "rows", "cols"];

/**
 * Gives the kernel the name that the exercise expects. If the kernel's parameters are not the usual ones, turns it into
 * a __device__ function, which a new kernel with that name calls.
 */
function kernelText(kernel: string, launch: Launch, called: string): string {
    const [name, values] = splitTemplateName(launch.function);
    const named = (text: string) => text.replace(new RegExp(`\\b${name}\\b`), called);
    if (launch.arguments.join() === usual.join()) return named(instantiated(kernel, values));
    const matrices = launch.arguments.includes("in") ? "float* out, const float* in" : "float* out, const float*";
    const own = kernel.replace("__global__", "__device__");
    return `${own}\n\n__global__ void ${called}(${matrices}, int rows, int cols) {
    ${values.length ? `${name}<${values.join(", ")}>` : name}(${launch.arguments.join(", ")});
}`;
}

/**
 * Returns the text of a learner's file for a variant. `called` is the name that the kernel must have. Returns "" if the
 * variant's kernel is not found.
 */
function startText(program: Program, variant: Variant, called: string): string {
    const launch = variant.launch.other;
    const [name] = splitTemplateName(launch.function);
    const source = `${program.headers}\n${program.source}`;
    const parts = splitSource(source).filter((part) => !isHost(part));
    const kernel = parts.find((part) => new RegExp(`__global__[^(]*\\b${name}\\(`).test(part));
    if (!kernel) return "";
    const text = kernelText(kernel, launch, called);
    const helpers = findNeededParts(text, parts.filter((part) => !part.includes("__global__")));
    const about = `// ${program.name}, ${variant.name}${variant.about ? `: ${variant.about}` : ""}`;
    const includes = includesFor([...helpers, text].join("\n"), source);
    return [about, joinParts(includes), joinParts(helpers), text, configureText(launch)].filter(Boolean).join("\n\n");
}
