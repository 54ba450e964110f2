// The compiler's worker. It loads the compiler, or receives a compiled module from an earlier worker. It then compiles
// one file at a time. The page's side is compiler.ts.

import { Clang, MissingFunction, type ReadHeaders } from "./clang";
import type { CompilerAnswer, CompilerRequest } from "./compiler";
import { load, type Loaded } from "./load";

/**
 * A message to the worker. The first message contains either the address to load the compiler from, or a loaded
 * compiler. All later messages are numbered requests.
 */
export type Message =
    | { folder: string }
    | { loaded: Loaded; read: ReadHeaders | null }
    | { number: number; request: CompilerRequest };

export type Reply =
    | { part: number | null; words: string }
    /** A compilation waits for the whole compiler, or does so no longer. */
    | { waitsForWhole: boolean }
    | { loaded: Loaded }
    /** The compiler cannot be loaded. The text explains the reason to the reader. */
    | { failure: string }
    | { read: ReadHeaders }
    | { number: number; answer: CompilerAnswer };

const reply = (what: Reply) => postMessage(what);

let clang: Clang;
let folder: string;

function take(loaded: Loaded, read: ReadHeaders | null = null) {
    folder = loaded.folder;
    clang = new Clang(loaded.module, loaded.headers, read, loaded.isWhole);
}

async function loadCompiler(from: string, loadsWhole: boolean) {
    let told = -Infinity;
    const loaded = await load(from, loadsWhole, (part, words) => {
        // Report the progress at most every 50 ms, which is often enough for the screen.
        if (performance.now() - told < 50 && part !== 1) return;
        told = performance.now();
        reply({ part, words });
    });
    take(loaded);
    reply({ loaded });
}

const explain = (error: unknown) =>
    `could not be loaded (${error instanceof Error ? error.message : String(error)}). Press Run to try again.`;

/** Compiles. If the kernel needs a function that the compiler lacks, loads the whole compiler and compiles again. */
async function compile(request: CompilerRequest): Promise<CompilerAnswer> {
    try {
        return clang.compile(request);
    } catch (error) {
        if (!(error instanceof MissingFunction)) throw error;
    }
    reply({ waitsForWhole: true });
    try {
        await loadCompiler(folder, true);
    } catch (error) {
        reply({ part: 1, words: "" });
        return { ir: null, said: `error: this kernel needs the whole compiler, which ${explain(error)}\n`, milliseconds: 0 };
    } finally {
        reply({ waitsForWhole: false });
    }
    return clang.compile(request);
}

/** Precompiles the headers, unless the compiler lacks a function for that. */
function readHeaders(request: CompilerRequest): ReadHeaders | null {
    try {
        return clang.readHeadersFor(request);
    } catch (error) {
        if (error instanceof MissingFunction) return null;
        throw error;
    }
}

async function handle(message: Message) {
    if ("folder" in message) await loadCompiler(message.folder, false).catch((error) => reply({ failure: `The compiler ${explain(error)}` }));
    else if ("loaded" in message) take(message.loaded, message.read);
    else {
        reply({ number: message.number, answer: await compile(message.request) });
        const read = readHeaders(message.request);
        if (read) reply({ read });
    }
}

/** The end of the previous message's work. While the whole compiler is being loaded, later messages wait. */
let before: Promise<void> = Promise.resolve();
addEventListener("message", ({ data }: MessageEvent<Message>) => (before = before.then(() => handle(data))));
