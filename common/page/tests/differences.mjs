// Where what a page found out differs from what the programs here did. Predicted times are equal to 12 digits: the
// libraries' logarithms differ in the last bit.

import { spawnSync } from "node:child_process";

/** Kernels of an exercise with what the examiner says of them natively: of the program of verdicts.cpp. */
export function nativeCases(program, name) {
    const more = (process.env.COALESCE_EXAMINER_ARGUMENTS ?? "").split(" ").filter(Boolean);
    const ended = spawnSync(program, [name, ...more], { encoding: "utf8", maxBuffer: 1 << 30 });
    if (ended.status !== 0) throw new Error(`${program} ${name}: ${ended.stderr}`);
    return JSON.parse(ended.stdout).cases;
}

/** Keys on whose values nothing rests. */
const IGNORED = new Set(["milliseconds", "compiler"]);

const isNearly = (one, other) => Math.abs(one - other) <= 1e-12 * Math.max(Math.abs(one), Math.abs(other), 1);

/** As lines "path: native != page". Figures whose path has "predicted/" are those of predicted times. */
export function differences(native, page, path = "") {
    if (typeof native !== "object" || typeof page !== "object" || native === null || page === null) {
        if (path.includes("predicted/") && typeof native === "number" && isNearly(native, page)) return [];
        return Object.is(native, page) ? [] : [`${path}: ${JSON.stringify(native)} != ${JSON.stringify(page)}`];
    }
    const found = [];
    for (const key of new Set([...Object.keys(native), ...Object.keys(page)])) {
        if (!IGNORED.has(key)) found.push(...differences(native[key], page[key], `${path}/${key}`));
    }
    return found;
}
