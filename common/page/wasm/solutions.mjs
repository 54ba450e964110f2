// Computes the costs of the course's solutions in the same way as a page: clang compiles the solutions to LLVM IR, and
// the examiner counts their costs, both as WebAssembly. When a learner's kernel is compared with the solution, both
// have therefore passed through the same compiler, translator and simulator.
//
//     node solutions.mjs SIMULATOR CLANG PROJECT FILE
//
// SIMULATOR is the module without solutions, and CLANG is the folder of the npm package @yowasp/clang. FILE is written
// as JSON: {"03_tiled/kernel.cu": {"counters", "predicted", "reference"}, ...}. "reference" is the PTX of the reference
// of an exercise beyond the transpose.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [simulator, clang, project, file] = process.argv.slice(2).map((path) => resolve(path));

/** Returns a folder in the form that @yowasp/clang expects. */
function tree(folder) {
    const entries = readdirSync(folder, { withFileTypes: true }).map((entry) => {
        const path = join(folder, entry.name);
        return [entry.name, entry.isDirectory() ? tree(path) : readFileSync(path, "utf8")];
    });
    return Object.fromEntries(entries);
}

/** Compiles a request from page_request, and returns {"ir", "said"}, where "said" is clang's output. */
async function compile({ arguments: words, files, output, headers }, { runLLVM }, included) {
    let said = "";
    const decoder = new TextDecoder();
    const stderr = (bytes) => {
        if (bytes) said += decoder.decode(bytes, { stream: true });
    };
    try {
        const made = await runLLVM(["clang", ...words], { ...files, [headers]: included }, { stderr });
        const text = made[output];
        return { ir: typeof text === "string" ? text : decoder.decode(text), said };
    } catch (error) {
        if (!said) throw error;
        return { ir: null, said };
    }
}

const require = createRequire(import.meta.url);
const { ask } = await require(simulator)();
const { default: entry } = JSON.parse(readFileSync(join(clang, "package.json"), "utf8")).exports;
const llvm = await import(pathToFileURL(join(clang, entry)).href);
const headers = tree(join(project, "common/cuda_headers/include"));
const solutions = {};
for (const exercise of readdirSync(join(project, "solutions")).sort()) {
    for (const name of ["kernel.cu", "hunt.cu"]) {
        const path = join(project, "solutions", exercise, name);
        if (!existsSync(path)) continue;
        const question = { exercise, hunt: name === "hunt.cu", source: readFileSync(path, "utf8") };
        const request = ask("request", question);
        const compiled = await compile(request, llvm, headers);
        if (request.reference) question.reference = await compile(request.reference, llvm, headers);
        const cost = ask("cost", { ...question, ...compiled, compiler: "clang" });
        // The bug hunt has the same reference as the exercise, so do not store it twice.
        if (question.hunt) delete cost.reference;
        solutions[`${exercise}/${name}`] = cost;
    }
}
writeFileSync(file, JSON.stringify(solutions));
