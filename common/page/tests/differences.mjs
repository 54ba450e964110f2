// Finds differences between a page's results and those of the native programs. Predicted times must agree to 12 digits.
// They need not be equal, because the last bits of a logarithm depend on the math library.

import { spawnSync } from "node:child_process";

/** Returns the kernels of an exercise with their native verdicts, as the program of verdicts.cpp prints them. */
export function nativeCases(program, name) {
    const more = (process.env.COALESCE_EXAMINER_ARGUMENTS ?? "").split(" ").filter(Boolean);
    const ended = spawnSync(program, [name, ...more], { encoding: "utf8", maxBuffer: 1 << 30 });
    if (ended.status !== 0) throw new Error(`${program} ${name}: ${ended.stderr}`);
    return JSON.parse(ended.stdout).cases;
}

/** Keys whose values may differ. */
const IGNORED = new Set(["milliseconds", "compiler"]);

const isNearly = (one, other) => Math.abs(one - other) <= 1e-12 * Math.max(Math.abs(one), Math.abs(other), 1);

/** Returns lines "path: native != page". A path that contains "predicted/" leads to a predicted time. */
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
