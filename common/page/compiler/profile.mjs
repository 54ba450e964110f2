// Finds the functions of clang that kernels need, and writes their numbers to used_functions.json. pack.mjs leaves the
// other functions out of the compiler that pages load first. Run this after an update of the npm package; it takes
// some minutes, and needs wasm-split, which comes with emscripten.
//
//     node profile.mjs HTML PAGE ROOT BIN
//
// The arguments are those of tests/loading.cjs.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import vm from "node:vm";
import { deflateRawSync } from "node:zlib";
import { packSet } from "./trim.mjs";

const { requestsOf, scriptOf } = createRequire(import.meta.url)("../tests/site.cjs");
const [html, page, root, programs] = process.argv.slice(2);

/** Texts that learners may write, and that the course's kernels do not contain. Each is compiled with a kernel. */
const TEXTS = fs.readFileSync(new URL("profile_texts.txt", import.meta.url), "utf8").split(/^-+\n/m);
/** The room in pages of 64 KiB that is enough for one number per function. */
const PROFILE_PAGES = 32;

/** Compiles requests with an instrumented clang, which records the functions that are called. */
class Profiler {
    constructor(Clang, module, headers) {
        this.isUsed = null;
        const { Instance } = WebAssembly;
        WebAssembly.Instance = new Proxy(Instance, { construct: (_, parts) => (this.last = new Instance(...parts)) });
        this.clang = new Clang(module, headers);
    }

    compile(request) {
        this.clang.compile(request);
        this.take();
        if (this.clang.readHeadersFor(request)) this.take();
    }

    /** Adds the functions that the last run has called. */
    take() {
        const { memory, __write_profile: writeProfile } = this.last.exports;
        const at = memory.grow(PROFILE_PAGES) * 65536;
        // A hash of 8 bytes precedes the numbers.
        const size = writeProfile(at, PROFILE_PAGES * 65536);
        const called = new Uint32Array(memory.buffer.slice(at + 8, at + size));
        this.isUsed ??= new Uint8Array(called.length);
        called.forEach((time, i) => time && (this.isUsed[i] = 1));
    }

    get count() {
        return this.isUsed.reduce((sum, one) => sum + one, 0);
    }
}

/** Returns the request with a different text. `change` takes and returns the kernel's text. */
function changed(request, change) {
    const [[name, text]] = Object.entries(request.files);
    return { ...request, files: { [name]: change(text) } };
}

/** Returns requests with mistakes: each one lacks a line, or has a word in place of another. */
function* withMistakes(request) {
    const [text] = Object.values(request.files);
    const lines = text.split("\n");
    const isPlace = (line) => line.startsWith("#line ");
    const begin = lines.findLastIndex((line) => isPlace(line) && line.includes("kernel.cu")) + 1;
    const end = lines.findIndex((line, i) => i > begin && isPlace(line));
    for (let i = begin; i < end; i++) {
        if (lines[i].trim().length < 3) continue;
        yield changed(request, () => lines.toSpliced(i, 1).join("\n"));
        yield changed(request, () => lines.with(i, lines[i].replace(/\b[a-z]\w+\b(?!.*\b[a-z]\w+\b)/, "unknown")).join("\n"));
        yield changed(request, () => lines.with(i, lines[i].replace(/[;)\]}](?!.*[;)\]}])/, "")).join("\n"));
    }
}

const folder = path.join(html, "compiler");
const manifest = JSON.parse(fs.readFileSync(path.join(folder, "compiler.json"), "utf8"));
const headers = JSON.parse(fs.readFileSync(path.join(folder, manifest.headers.file), "utf8"));
const program = path.join(page, "node_modules/@yowasp/clang/gen/llvm.core.wasm");
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "profile-"));
const instrumented = path.join(scratch, "clang.wasm");
execFileSync("wasm-split", ["--instrument", "--all-features", "--profile-export=__write_profile", program, "-o", instrumented]);
const module = new WebAssembly.Module(fs.readFileSync(instrumented));
fs.rmSync(scratch, { recursive: true });

const { Clang } = vm.runInThisContext(`${await scriptOf(page, "clang.ts", "clangPart")}; clangPart`);
const profiler = new Profiler(Clang, module, headers);
const web_requests = path.join(programs, "web_requests");
const requests = Object.values(requestsOf(root, web_requests));
for (const request of requests) profiler.compile(request);
console.log(`${profiler.count} functions for the course's kernels`);
for (const request of Object.values(requestsOf(root, web_requests, ["--variables"]))) profiler.compile(request);
console.log(`${profiler.count} with their variables`);
for (const text of TEXTS) profiler.compile(changed(requests[0], (kernel) => `${kernel}\n${text}`));
console.log(`${profiler.count} with other texts`);
// A few kernels are enough, because the same mistakes lead to the same messages.
const chosen = requests.filter((_, i) => i % 16 === 0);
for (const request of chosen) for (const mistaken of withMistakes(request)) profiler.compile(mistaken);
console.log(`${profiler.count} of ${profiler.isUsed.length} with mistakes`);
const list = {
    program: createHash("sha256").update(fs.readFileSync(program)).digest("hex"),
    functions: packSet(profiler.isUsed.length, (i) => profiler.isUsed[i], (bits) => deflateRawSync(bits, { level: 9 })),
};
fs.writeFileSync(new URL("used_functions.json", import.meta.url), JSON.stringify(list, null, 4) + "\n");
