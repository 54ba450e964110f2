// The compiler in the page: clang, as WebAssembly, in a worker of its own. It is loaded once, in the background.

/** Told while it is loaded: how much of it is there (0 to 1; null: that cannot be said), and words for the reader. */
export type Progress = (part: number | null, words: string) => void;

/** One compilation, as C++ asks for it (kernel/compilers.h): the arguments behind `clang`, the files, by name. */
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

export class Compiler {
    /** "clang 22.0.0" */
    readonly version: string = "clang";
    /** Rejected when it cannot be loaded; the error's message is for the reader. */
    readonly ready: Promise<void>;

    constructor(onProgress: Progress = () => {}) {
        onProgress(null, "The compiler is not there yet.");
        this.ready = Promise.reject(new Error("The compiler is not there yet."));
    }

    /** Waits until it is loaded, and for compilations before this one. */
    async compile(request: CompilerRequest): Promise<CompilerAnswer> {
        await this.ready;
        return { ir: null, said: request.output, milliseconds: 0 };
    }

    /** Ends what is being compiled, which is rejected as Stopped. The next compilation may follow at once. */
    stop(): void {}
}
