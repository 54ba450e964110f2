// Tests that a page records the same steps of a kernel as `./learn step`: the same lines, lanes, values, accesses and
// moments, for each solution, for wrong kernels and for bug hunts. Only addresses may differ.
//
//     node steps.mjs SIMULATOR VERDICTS NAME...
//
// VERDICTS is the program built from verdicts.cpp, and each NAME is the name of an exercise. The exit code is 0 if all
// steps agree. Also measures the time and the size of the recordings.
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";

const MAX_OUTPUT_BYTES = 2 ** 30;
/** The limit that keeps a page fast, for a block of 1024 threads and 2,000 steps. */
const MAX_BYTES = 100e6;

/** Returns the steps without what differs between two processes: addresses, and values that contain them. */
function withoutAddresses({ shape, mistake, problem, steps }) {
    const plain = structuredClone(steps);
    for (const array of plain?.arrays ?? []) delete array.address;
    for (const moment of plain?.moments ?? []) delete moment.message;
    const isPointer = ([number]) => plain.variables[number].kind === "pointer" || plain.variables[number].function !== 0;
    for (const step of plain?.steps ?? []) step.set = (step.set ?? []).filter((change) => !isPointer(change));
    return { shape, mistake: mistake?.replace(/0x[0-9a-f]+/g, "0x"), problem: problem !== undefined, plain };
}

/** Describes the first difference, or returns "". */
function difference(native, page) {
    for (const key of Object.keys(native).filter((one) => one !== "plain"))
        if (native[key] !== page[key]) return `${key} is ${page[key]}, expected ${native[key]}`;
    for (const key of Object.keys(native.plain ?? {})) {
        const [one, other] = [native.plain[key], page.plain[key]];
        if (isDeepStrictEqual(one, other)) continue;
        const at = Array.isArray(one) ? one.findIndex((part, i) => !isDeepStrictEqual(part, other[i])) : 0;
        return `${key}[${at}] is ${JSON.stringify(other?.[at] ?? other)?.slice(0, 200)}, expected ${JSON.stringify(one?.[at] ?? one)?.slice(0, 200)}`;
    }
    return "";
}

async function main([simulator, program, ...names]) {
    const { ask } = await createRequire(import.meta.url)(resolve(simulator))();
    let wrong = 0;
    for (const name of names) {
        const more = (process.env.COALESCE_EXAMINER_ARGUMENTS ?? "").split(" ").filter(Boolean);
        const text = execFileSync(program, [name, "--steps", ...more], { encoding: "utf8", maxBuffer: MAX_OUTPUT_BYTES });
        let [count, moments, slowest, largest] = [0, 0, 0, 0];
        for (const one of JSON.parse(text).cases) {
            const begin = process.cpuUsage();
            const answer = ask("steps", one);
            // Measure the time on a processor, because other tests run at the same time.
            slowest = Math.max(slowest, process.cpuUsage(begin).user / 1000);
            largest = Math.max(largest, JSON.stringify(answer).length);
            count += answer.steps?.steps.length ?? 0;
            moments += answer.steps?.moments.length ?? 0;
            const found = difference(withoutAddresses(one.answer), withoutAddresses(answer));
            if (!found) continue;
            wrong += 1;
            console.log(`${name}, ${one.name}: ${found}`);
        }
        console.log(`${name}: ${count} steps, ${moments} moments, ${slowest.toFixed(0)} ms and ${(largest / 1e6).toFixed(1)} MB at most`);
        if (count === 0) throw new Error(`${name} has no steps`);
        if (largest > MAX_BYTES) throw new Error(`${name} exceeds the limit of a page`);
    }
    // Check that difference() detects a difference.
    const steps = { variables: [], arrays: [], moments: [], steps: [{ line: 1 }] };
    const other = { ...steps, steps: [{ line: 2 }] };
    if (!difference(withoutAddresses({ steps }), withoutAddresses({ steps: other }))) throw new Error("difference()");
    if (wrong > 0) console.log(`the steps of ${wrong} kernels differ`);
    process.exitCode = wrong > 0 ? 1 : 0;
}

await main(process.argv.slice(2));
