// Packs the files that the pages need to compile kernels: clang, a single file with the CUDA headers, compiler.json
// (which contains the names of these files), and the licences.
//
//     node pack.mjs CLANG HEADERS LICENCE FOLDER
//
// CLANG is the folder of the npm package. Only the program is taken from it. The package's archive of headers and
// libraries (29 MB) is for C++ programs, and the pages have their own implementation of the system interface
// (src/compiler/wasi.ts). The files are compressed here and decompressed in the page, because some servers do not
// compress files.
//
// Pages first load a clang without the functions that kernels hardly ever need, which is a third of the size. A kernel
// that needs one of these functions makes the page load the whole clang.

import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { WASI } from "node:wasi";
import { gzipSync, inflateRawSync } from "node:zlib";
import { trim, unpackSet } from "./trim.mjs";

const [clang, headers, licence, folder] = process.argv.slice(2);

/** Writes a file whose name contains the hash of its content, and returns the name. */
function write(name, ending, bytes) {
    const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
    const file = `${name}-${hash}${ending}`;
    fs.writeFileSync(path.join(folder, file), bytes);
    return file;
}

/** Returns the version that the program reports, such as "clang 22.1.0". It may differ from that of the package. */
async function versionOf(program) {
    const printed = path.join(os.tmpdir(), `clang-version-${process.pid}`);
    const to = fs.openSync(printed, "w+");
    try {
        const args = ["llvm", "clang", "-cc1", "-version"];
        const system = new WASI({ version: "preview1", args, stdout: to, stderr: to, returnOnExit: true });
        const module = await WebAssembly.compile(program);
        system.start(await WebAssembly.instantiate(module, { wasi_snapshot_preview1: system.wasiImport }));
        const said = fs.readFileSync(printed, "utf8");
        const version = /version (\d+\.\d+\.\d+)/.exec(said);
        if (!version) throw new Error(`${clang}: the output of -version contains no version number: ${said}`);
        return `clang ${version[1]}`;
    } finally {
        fs.closeSync(to);
        fs.rmSync(printed);
    }
}

/** Returns the texts of a folder's files, by their paths within the folder. */
function textsOf(root) {
    const files = fs.readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const names = files.map((entry) => path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)));
    return Object.fromEntries(names.sort().map((name) => [name, fs.readFileSync(path.join(root, name), "utf8")]));
}

/** Writes a module, compressed, and returns its description for compiler.json. */
function writeModule(name, module) {
    const packed = gzipSync(module, { level: 9 });
    return { file: write(name, ".wasm.gz", packed), bytes: packed.length, unpackedBytes: module.length };
}

/** Returns the program without unused functions, or null if the list of used functions is for another version. */
function trimmed(program) {
    const used = JSON.parse(fs.readFileSync(new URL("used_functions.json", import.meta.url), "utf8"));
    if (used.program === createHash("sha256").update(program).digest("hex")) return trim(program, unpackSet(used.functions, inflateRawSync));
    console.warn("used_functions.json is for another version of clang, so pages load all of clang; profile.mjs renews the list");
    return null;
}

const program = fs.readFileSync(path.join(clang, "gen/llvm.core.wasm"));
const small = trimmed(program);
fs.rmSync(folder, { recursive: true, force: true });
fs.mkdirSync(folder, { recursive: true });
const manifest = {
    version: await versionOf(program),
    module: small ? writeModule("clang-small", small) : writeModule("clang", program),
    ...(small ? { whole: writeModule("clang", program) } : {}),
    headers: { file: write("headers", ".json", JSON.stringify(textsOf(headers))) },
};
fs.writeFileSync(path.join(folder, "compiler.json"), JSON.stringify(manifest, null, 4) + "\n");
fs.copyFileSync(licence, path.join(folder, "LICENSE.txt"));
