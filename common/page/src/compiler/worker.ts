// The compiler's worker. It loads the compiler, or receives a compiled module from an earlier worker. It then compiles
// one file at a time. The page's side is compiler.ts.

import { Clang, type ReadHeaders } from "./clang";
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
    | { loaded: Loaded }
    /** The compiler cannot be loaded. The text explains the reason to the reader. */
    | { failure: string }
    | { read: ReadHeaders }
    | { number: number; answer: CompilerAnswer };

const reply = (what: Reply) => postMessage(what);

let clang: Clang;

async function start(folder: string) {
    let told = -Infinity;
    try {
        const loaded = await load(folder, (part, words) => {
            // Report the progress at most every 50 ms, which is often enough for the screen.
            if (performance.now() - told < 50 && part !== 1) return;
            told = performance.now();
            reply({ part, words });
        });
        clang = new Clang(loaded.module, loaded.headers);
        reply({ loaded });
    } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        reply({ failure: `The compiler could not be loaded (${why}). Press Run to try again.` });
    }
}

addEventListener("message", ({ data }: MessageEvent<Message>) => {
    if ("folder" in data) void start(data.folder);
    else if ("loaded" in data) clang = new Clang(data.loaded.module, data.loaded.headers, data.read);
    else {
        reply({ number: data.number, answer: clang.compile(data.request) });
        const read = clang.readHeadersFor(data.request);
        if (read) reply({ read });
    }
});
