// Tests that the examiner compiled to WebAssembly gives each kernel the same verdict as the native examiner: the same
// ids, texts, lines and counters. Only these may differ: the duration of the examination, the compiler's name, and the
// last digits of predicted times, because the two examiners use different math libraries.
//
//     node examiner.mjs SIMULATOR VERDICTS NAME...
//
// VERDICTS is the program built from verdicts.cpp, and each NAME is the name of an exercise, such as 03_tiled.
// COALESCE_EXAMINER_ARGUMENTS contains additional arguments for VERDICTS ("--ptx --all"). The exit code is 0 if all
// verdicts agree.
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { differences, nativeCases } from "./differences.mjs";

function describe(times) {
    times.sort((a, b) => a - b);
    const at = (part) => times[Math.floor(part * (times.length - 1))].toFixed(0);
    return `${at(0.5)} ms in the middle, ${at(1)} ms at most`;
}

async function main([simulator, program, ...names]) {
    const { ask } = await createRequire(import.meta.url)(resolve(simulator))();
    let wrong = 0;
    for (const name of names) {
        const cases = nativeCases(program, name);
        const solutions = {};
        const took = [];
        for (const one of cases) {
            // The first case of each exercise is its solution, with which the costs of the other kernels are compared.
            const key = `${one.exercise} ${one.hunt}`;
            solutions[key] ??= ask("cost", one);
            const begin = performance.now();
            const { verdict } = ask("examine", { ...one, solution: solutions[key] });
            took.push(performance.now() - begin);
            const found = differences(one.verdict, verdict);
            if (found.length > 0) {
                wrong += 1;
                console.log(`${name}, ${one.name}:\n  ${found.slice(0, 5).join("\n  ")}`);
            }
        }
        console.log(`${name}: ${cases.length} verdicts, ${describe(took)}`);
    }
    // Check that differences() detects a difference, and reports nothing if there is none.
    const one = { failures: [{ id: "missing-barrier" }], milliseconds: 1 };
    const other = { failures: [{ id: "shared-race" }], milliseconds: 2 };
    if (differences(one, other).length !== 1 || differences(one, one).length !== 0) throw new Error("differences()");
    if (wrong > 0) console.log(`${wrong} verdicts differ`);
    process.exitCode = wrong > 0 ? 1 : 0;
}

await main(process.argv.slice(2));
