// The page's interface to the compiler, which is clang as WebAssembly in a worker. The compiler is loaded once, in the
// background.

import { OpenQuestions } from "../open_questions";
import type { ReadHeaders } from "./clang";
import type { Loaded } from "./load";
import CompilerWorker from "./worker?worker&inline";
import type { Message, Reply } from "./worker";

/**
 * A function that is called while the compiler is being loaded. Its arguments are the loaded fraction (0 to 1, or null
 * if it is unknown) and a text for the reader.
 */
export type Progress = (part: number | null, words: string) => void;

/** One compilation, as requested by C++ code (examiner/clang_ir.h): the options of clang, and the files by name. */
export interface CompilerRequest {
    arguments: string[];
    files: Record<string, string>;
    output: string;
}

export interface CompilerAnswer {
    /** The LLVM IR, or null if `said` contains errors. */
    ir: string | null;
    /** The output of clang: errors and warnings. */
    said: string;
    milliseconds: number;
}

/** The error with which a compilation is rejected if stop() ends it. */
export class CompilationStopped extends Error {}

const isOpenedFromFiles =
    "A page that is opened from the file system cannot load the compiler. " +
    "Run ./learn play: it serves the same pages at an address from which they can load the compiler.";

export class Compiler {
    /** The compiler's version, such as "clang 22.1.0", once the compiler is ready. */
    version = "clang";
    /** Rejected if the compiler cannot be loaded. The message is for the reader. */
    readonly ready: Promise<void>;

    /** Whether a compilation waits for the whole compiler, because its kernel needs a function that is seldom used. */
    waitsForWhole = false;

    private worker: Worker | undefined;
    private loaded: Loaded | undefined;
    /** The precompiled header from a worker, which is passed on to the next worker. */
    private read: ReadHeaders | null = null;
    private readonly questions = new OpenQuestions();
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
        // Handle the rejection, so that the browser logs no error if no code waits for the compiler.
        this.ready.catch(() => {});
        if (location.protocol === "file:") this.fail(isOpenedFromFiles);
        else this.start({ folder: new URL(folder, document.baseURI).href });
    }

    /** Compiles after the compiler has been loaded and earlier compilations have finished. */
    async compile(request: CompilerRequest): Promise<CompilerAnswer> {
        await this.ready;
        return this.questions.ask((number) => this.tell({ number, request }));
    }

    /**
     * Ends the current compilation, whose promise is rejected as CompilationStopped. The next compilation may start immediately.
     */
    stop(): void {
        if (!this.loaded || this.questions.isEmpty) return;
        this.questions.rejectAll(new CompilationStopped("The compilation was stopped."));
        // Do not stop the download, because the next compilation probably needs the whole compiler too.
        if (this.waitsForWhole) return;
        this.worker?.terminate();
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
        else if ("waitsForWhole" in reply) this.waitsForWhole = reply.waitsForWhole;
        else if ("read" in reply) this.read = reply.read;
        else if ("loaded" in reply) {
            this.loaded = reply.loaded;
            this.version = reply.loaded.version;
            this.onProgress(1, "The compiler is ready.");
            this.isReady();
        } else this.questions.answer(reply.number, reply.answer);
    }

    private fail(words: string) {
        this.onProgress(null, words);
        this.hasFailed(new Error(words));
    }
}
