// The page's interface to the compiler, which is clang as WebAssembly in a worker. It is loaded
// once, in the background.

import type { ReadHeaders } from "./clang";
import type { Loaded } from "./load";
import CompilerWorker from "./worker?worker&inline";
import type { Message, Reply } from "./worker";

/** Told while it is loaded: how much of it is there (0 to 1; null: that cannot be said), and words for the reader. */
export type Progress = (part: number | null, words: string) => void;

/** One compilation, as C++ asks for it (examiner/clang_ir.h): the arguments behind `clang`, the files, by name. */
export interface CompilerRequest {
    arguments: string[];
    files: Record<string, string>;
    output: string;
}

export interface CompilerAnswer {
    /** The text of LLVM IR; null: there is none, and `said` has the errors. */
    ir: string | null;
    /** What clang printed: errors and warnings. */
    said: string;
    milliseconds: number;
}

/** A compilation that was ended by stop(). */
export class Stopped extends Error {}

interface Waiting {
    resolve(answer: CompilerAnswer): void;
    reject(error: Error): void;
}

const fromFiles =
    "A page that is opened from the file system cannot load a compiler. " +
    "./learn play shows the same pages at an address where it may.";

export class Compiler {
    /** "clang 22.1.0", when it is ready. */
    version = "clang";
    /** Rejected when it cannot be loaded; the error's message is for the reader. */
    readonly ready: Promise<void>;

    private worker: Worker | undefined;
    private loaded: Loaded | undefined;
    /** What a thread has read is kept for the one that comes after it. */
    private read: ReadHeaders | null = null;
    private readonly waiting = new Map<number, Waiting>();
    private asked = 0;
    private isReady!: () => void;
    private hasFailed!: (error: Error) => void;

    constructor(
        private readonly onProgress: Progress = () => {},
        folder = "compiler/",
    ) {
        this.ready = new Promise((resolve, reject) => {
            this.isReady = resolve;
            this.hasFailed = reject;
        });
        // Prevents an error message if no code waits for the compiler.
        this.ready.catch(() => {});
        if (location.protocol === "file:") this.fail(fromFiles);
        else this.start({ folder: new URL(folder, document.baseURI).href });
    }

    /** Waits until it is loaded, and for compilations before this one. */
    async compile(request: CompilerRequest): Promise<CompilerAnswer> {
        await this.ready;
        return new Promise((resolve, reject) => {
            const number = ++this.asked;
            this.waiting.set(number, { resolve, reject });
            this.tell({ number, request });
        });
    }

    /** Ends what is being compiled, which is rejected as Stopped. The next compilation may follow at once. */
    stop(): void {
        if (!this.loaded || !this.waiting.size) return;
        this.worker?.terminate();
        for (const { reject } of this.waiting.values()) reject(new Stopped("The compilation was stopped."));
        this.waiting.clear();
        this.start({ loaded: this.loaded, read: this.read });
    }

    private start(first: Message) {
        this.worker = new CompilerWorker();
        this.worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => this.take(data));
        this.tell(first);
    }

    private tell(message: Message) {
        this.worker?.postMessage(message);
    }

    private take(reply: Reply) {
        if ("part" in reply) this.onProgress(reply.part, reply.words);
        else if ("failure" in reply) this.fail(reply.failure);
        else if ("read" in reply) this.read = reply.read;
        else if ("loaded" in reply) {
            this.loaded = reply.loaded;
            this.version = reply.loaded.version;
            this.onProgress(1, "The compiler is ready.");
            this.isReady();
        } else {
            this.waiting.get(reply.number)?.resolve(reply.answer);
            this.waiting.delete(reply.number);
        }
    }

    private fail(words: string) {
        this.onProgress(null, words);
        this.hasFailed(new Error(words));
    }
}
