// What one can begin with: of each lesson the exercise, the bug hunt and their solutions, and every variant of its
// program that takes the four arguments, as a kernel with its launch.

import type { Launch, Step, Variant } from "../course";
import { steps } from "../course";
import type { Task } from "../examiner";
import { lessons } from "../exercises";

export interface Start {
    /** "solution", "swizzled" */
    name: string;
    /** What it is held against. */
    task: Task;
    text: string;
}

/** By lesson, in the course's order. */
export function starts(): Map<string, Start[]> {
    const all = new Map<string, Start[]>();
    for (const { name, exercise, hunt } of lessons()) {
        const task = { exercise: name, hunt: false };
        const list: Start[] = [
            { name: "solution", task, text: exercise.solution },
            { name: "exercise", task, text: exercise.skeleton },
        ];
        if (hunt) {
            list.push({ name: "bug hunt", task: { ...task, hunt: true }, text: hunt.skeleton });
            list.push({ name: "bug hunt, mended", task: { ...task, hunt: true }, text: hunt.solution });
        }
        const step = window.courseData ? steps().find((one) => one.name === name) : undefined;
        // What does a part of the task has no exercise that it could be held against.
        const variants = step?.variants.filter(({ produces }) => produces === exercise.produces) ?? [];
        if (step) list.push(...variants.map((variant) => ({ name: variant.name, task, text: textOf(step, variant, exercise.kernel) })));
        all.set(name, list);
    }
    return all;
}

// ---- a variant of a lesson's program as a learner's file ----

/** The parts of a program at its outermost level: what stands between two empty lines, or a whole body. */
function partsOf(source: string): string[] {
    const parts: string[] = [];
    let depth = 0;
    let part: string[] = [];
    for (const line of source.replace(/^(#include|\/\/!).*\n/gm, "").split("\n")) {
        if (!line.trim() && depth === 0) {
            if (part.length) parts.push(part.join("\n"));
            part = [];
            continue;
        }
        part.push(line);
        depth += (line.match(/\{/g)?.length ?? 0) - (line.match(/\}/g)?.length ?? 0);
    }
    return part.length ? [...parts, part.join("\n")] : parts;
}

const isHost = (part: string): boolean => /^(static|int main|inline|namespace)\b/m.test(part) && !/__(global|device)__/.test(part);
const withoutComments = (text: string): string => text.replace(/\/\/.*/g, "");

/** What a part declares for others: constants, types, functions. */
function declared(part: string): string[] {
    const code = withoutComments(part);
    const names = [...code.matchAll(/(?:struct|using)\s+(\w+)|(\w+)\s*=|__device__[^(]*?(\w+)\s*\(/g)];
    return names.flatMap(([, type, constant, call]) => [type, constant, call].filter((name) => name !== undefined));
}

/** The parts that `text` needs and does not declare itself, and those that these need, in the program's order. */
function needed(text: string, parts: string[]): string[] {
    const own = new Set(declared(text));
    const chosen = new Set<string>(parts.filter((part) => declared(part).some((name) => own.has(name))));
    const covered = new Set(chosen);
    const words = (code: string) => new Set(withoutComments(code).match(/\w+/g) ?? []);
    const add = (code: string) => {
        const used = words(code);
        for (const part of parts) {
            if (chosen.has(part) || !declared(part).some((name) => used.has(name))) continue;
            chosen.add(part);
            add(part);
        }
    };
    add(text);
    return parts.filter((part) => chosen.has(part) && !covered.has(part));
}

/** "_Z15transpose_tiledILi32EEvPfPKfii" -> ["transpose_tiled", ["32"]]; an argument may be a function's name. */
function demangled(kernel: string): [string, string[]] {
    const [, length = "0", rest = ""] = /^_Z(\d+)(.*)$/.exec(kernel) ?? [];
    const name = rest.slice(0, Number(length));
    const list = /^I((?:Li\d+E|XadL_Z\d+[a-z_]+E+)+)E/.exec(rest.slice(Number(length)))?.[1] ?? "";
    return [name, [...list.matchAll(/Li(\d+)E|XadL_Z\d+([a-z_]+?)i*E/g)].map(([, number, call]) => number ?? (call as string))];
}

/** A template with its arguments put in: constants of their names, or the function that is called. */
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

function configureText({ grid, block, shared }: Launch): string {
    const axis = ([extent, size]: Launch["grid"][number]): string =>
        ({ one: "1", rows: `ceil_div(rows, ${size})`, cols: `ceil_div(cols, ${size})`, elements: `ceil_div(rows * cols, ${size})` })[extent];
    const axes = grid.map(axis);
    while (axes.length > 1 && axes.at(-1) === "1") axes.pop();
    const threads = block.filter((count, i) => i === 0 || count > 1 || block.slice(i).some((one) => one > 1));
    const sharedText = shared ? `,\n            .shared_bytes = ${shared}` : "";
    return `constexpr Launch configure(int rows, int cols) {
    return {.grid = {${axes.join(", ")}}, .block = {${threads.join(", ")}}${sharedText}};
}
`;
}

/** `called`: what the kernel is to be called. */
function textOf(step: Step, variant: Variant, called: string): string {
    const launch = variant.launch.other;
    const [name, values] = demangled(launch.kernel);
    const parts = partsOf(step.source).filter((part) => !isHost(part));
    const kernel = parts.find((part) => new RegExp(`__global__[^(]*\\b${name}\\(`).test(part));
    if (!kernel) return "";
    const text = instantiated(kernel, values).replace(new RegExp(`\\b${name}\\b`), called);
    const helpers = needed(text, parts.filter((part) => !part.includes("__global__")));
    const about = `// ${step.name}, ${variant.name}${variant.about ? `: ${variant.about}` : ""}`;
    return [about, ...helpers, text, configureText(launch)].join("\n\n");
}
