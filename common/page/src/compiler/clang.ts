// Runs clang as WebAssembly. Each compilation uses its own instance, which takes 20 ms to create. For a small kernel,
// half of the compile time is spent on parsing the headers. They are therefore parsed once per set of options and
// stored as a precompiled header. The result of a compilation does not depend on whether the precompiled header is
// used.

import { System } from "./wasi";
import type { CompilerAnswer, CompilerRequest } from "./compiler";

/** The folder in which clang's options look for headers (examiner/clang_ir.cpp). */
const headersFolder = "include";

/** The precompiled header for a set of options. */
export interface ReadHeaders {
    key: string;
    bytes: Uint8Array;
}

const readHeadersName = "headers.pch";
const emptyHeaderName = "empty.h";

/** Splits a request at the header that it includes. Returns null if the request includes no header that we know. */
function splitAtHeader({ arguments: words, output, files }: CompilerRequest) {
    const include = words.indexOf("-include");
    const [input, ...others] = Object.keys(files);
    const isKnown = include >= 0 && words.includes("-emit-llvm") && input !== undefined && !others.length;
    if (!isKnown || words.lastIndexOf("-include") !== include) return null;
    const own = new Map([["-emit-llvm", "-emit-pch"], [output, readHeadersName], [input, emptyHeaderName]]);
    return {
        key: JSON.stringify(words.filter((word) => word !== input && word !== output)),
        reading: words.map((word) => own.get(word) ?? word),
        using: [...words.slice(0, include), "-include-pch", readHeadersName, ...words.slice(include + 2)],
    };
}

/** The error of a compilation that needs a function which the module lacks. */
export class MissingFunction extends Error {}

export class Clang {
    private readonly headers: [string, Uint8Array][];

    constructor(
        private readonly module: WebAssembly.Module,
        headers: Record<string, string>,
        private read: ReadHeaders | null = null,
        /** Whether the module has all functions. */
        private readonly isWhole = true,
    ) {
        this.headers = Object.entries(headers).map(([name, text]) => [`${headersFolder}/${name}`, encoded(text)]);
    }

    compile(request: CompilerRequest): CompilerAnswer {
        const begin = performance.now();
        const parts = splitAtHeader(request);
        const files = Object.entries(request.files).map(([name, text]): [string, Uint8Array] => [name, encoded(text)]);
        let words = request.arguments;
        if (this.read !== null && this.read.key === parts?.key) {
            words = parts.using;
            files.push([readHeadersName, this.read.bytes], [emptyHeaderName, encoded("")]);
        }
        const { file, said } = this.run(words, files, request.output);
        const ir = file ? makeLocationsRelative(new TextDecoder().decode(file)) : null;
        return { ir, said: makeNamesRelative(said), milliseconds: performance.now() - begin };
    }

    /** Precompiles the headers for requests with the same options. Returns the precompiled header if it is new. */
    readHeadersFor(request: CompilerRequest): ReadHeaders | null {
        const parts = splitAtHeader(request);
        if (!parts || parts.key === this.read?.key) return null;
        const { file } = this.run(parts.reading, [[emptyHeaderName, encoded("")]], readHeadersName);
        // Compiling also works without the precompiled header, but takes twice as long.
        if (!file) return null;
        this.read = { key: parts.key, bytes: file };
        return this.read;
    }

    private run(words: string[], files: [string, Uint8Array][], output: string) {
        // The module contains several programs, and the first argument selects one of them.
        const system = new System(["llvm", "clang", ...words], new Map([...this.headers, ...files]));
        try {
            const isGood = system.run(this.module) === 0;
            return { file: isGood ? system.file(output) : undefined, said: system.text() };
        } catch (error) {
            // Functions that are left out consist of the instruction `unreachable`.
            if (!this.isWhole && error instanceof WebAssembly.RuntimeError) throw new MissingFunction(String(error));
            return { file: undefined, said: `${system.text()}error: ${explainClangFailure(error)}\n` };
        }
    }
}

/** Explains why clang failed. In a page, clang has a smaller stack than in a terminal. */
function explainClangFailure(error: unknown): string {
    if (error instanceof RangeError) return "templates, calls or brackets are nested too deeply for the compiler on this page";
    return `the compiler itself has failed (${error}); please report this error, with your kernel`;
}

function encoded(text: string): Uint8Array {
    return new TextEncoder().encode(text);
}

// A precompiled header contains absolute paths, such as "/include/..." for a file that the options refer to as
// "include/...".

function makeNamesRelative(said: string): string {
    return said.replace(/^(In file included from )?\/include\//gm, "$1include/");
}

function makeLocationsRelative(ir: string): string {
    return ir.replace(/(= !DIFile\(filename: ")\/include\//g, "$1include/");
}
