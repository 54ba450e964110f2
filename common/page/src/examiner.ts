// Examines a learner's text. C++ code chooses the options, clang compiles the text, and C++ code examines the kernel.
// All of this runs in workers, so that the page remains responsive.

import { Compiler, CompilationStopped, type CompilerAnswer, type CompilerRequest, type Progress } from "./compiler/compiler";
import { subjectOf, workOf } from "./exercises";
import type { KernelLaunch, Launched } from "./kernel_launch";
import { OwnExercisePartsLoader } from "./own_parts";
import type { Ask, Counters, Time } from "./simulator";
import { ThreadEnded, SimulatorThread } from "./thread";
import type { Record as Done } from "./your_turn/progress";

/** An exercise, or its bug hunt. */
export interface Task {
    exercise: string;
    hunt: boolean;
}

interface Place {
    file: string;
    line: number;
    column: number;
}

export interface Message {
    severity: "error" | "warning" | "note";
    place: Place;
    text: string;
}

/** The state of each cell of an output, or the worst of several cells: common/harness/cell_map.h. */
export interface CellMap {
    rows: number;
    cols: number;
    in_place: boolean;
    signs: string;
}

export interface Failure {
    id: string;
    headline: string;
    place: Place;
    shape: { rows: number; cols: number };
    details: string;
    next: string;
    map: CellMap | null;
}

export interface ShapeTried {
    shape: { rows: number; cols: number };
    passed: boolean;
    launch: { grid: number[]; block: number[]; shared_bytes: number };
}

/**
 * The verdict as printed by `./learn check --json` (common/examiner/verdict.h), without the fields that the page does
 * not use.
 */
export interface Verdict {
    source_hash: string;
    outcome: "passed" | "failed" | "not-examined";
    failures: Failure[];
    messages: Message[];
    shapes: ShapeTried[];
    counted: { rows: number; cols: number };
    counters: Counters | null;
    /** The beginning of what the kernel printed. */
    output: string;
    output_is_cut: boolean;
    predicted: { gpu: string; gbps: number; copy_gbps: number } | null;
}

/** The cost of a line, in sectors or wavefronts per request. It is null if the line has no such requests. */
export type LineCost = { line: number; reasons: string[] } & { [kind in CostKind | `${CostKind}_least`]: number | null };
export type CostKind = "load" | "store" | "shared_load" | "shared_store";

export interface Launch {
    rows: number;
    cols: number;
    grid: number[];
    block: number[];
    shared: number;
}

export interface Examined {
    passed: boolean;
    /** The ID of the first failure, or "". */
    failure: string;
    verdict: Verdict;
    html: string;
    terminal: string;
    /** The PTX for the simulator, or "" if the kernel did not compile. */
    ptx: string;
    entry: string;
    launch: Launch | null;
    /** The part of the predicted time that the learner's progress stores. */
    predicted: Done["predicted"];
    lines: LineCost[];
    /** The kernel below the limits of a GPU, or null if no bytes were counted. */
    roofline: Roofline | null;
}

/** A picture as SVG, and its explanation. */
export interface Roofline {
    svg: string;
    text: string;
}

/** A result, and the time in milliseconds that the examination took, excluding the time for loading the compiler. */
export interface Timed<Result extends Examined = Examined> {
    result: Result;
    milliseconds: number;
}

export interface Hint {
    level: number;
    of: number;
    /** "all", or the ID of the failure that the hint is for. */
    for: string;
    name: string;
    /** Whether the text may be rewrapped. */
    is_sentence: boolean;
    text: string;
}

export interface Prediction {
    counter: string;
    question: string;
    words: string;
    said: number | null;
    fact: number | null;
    /** The source of a number that was not counted, or "" if it was counted. */
    label: string;
    is_right: boolean | null;
    text: string | null;
}

export interface Explained {
    time: { why: string[]; unknown: string[]; cure: string } | null;
    time_line: string;
    svg: string;
}

/** The time limit for a step, in milliseconds. No kernel of the course needs even half of this time. */
const MIN_STEP_LIMIT_MS = 2000;
/** If this computer is slow, the limit is this multiple of the time that the slowest step of a correct kernel took. */
const SLOW_COMPUTER_FACTOR = 3;
/** The limit in milliseconds for the first step, in which a new worker also loads and compiles the examiner. */
const FIRST_STEP_LIMIT_MS = 10000;
/** The limit in milliseconds for each step of a launch of any kernel, whose work is unknown. */
const LAUNCH_LIMIT_MS = 10000;
/**
 * The limit for compiling, in milliseconds. Compiling a kernel of the course takes a tenth of this time.
 * SLOW_COMPUTER_FACTOR applies here, too.
 */
const MIN_COMPILATION_LIMIT_MS = 10000;
/** The limit in milliseconds for the first compilation, in which the browser also compiles the compiler. */
const FIRST_COMPILATION_LIMIT_MS = 60000;

const seconds = (milliseconds: number): string => `${Math.round(milliseconds / 1000)} seconds`;

/**
 * The error of a run that exceeded a limit. The text is for the reader. `after` is the time in milliseconds since the
 * run's last step started.
 */
export class TimeLimitError extends Error {
    constructor(
        words: string,
        readonly after: number,
    ) {
        super(words);
    }
}

/** The error of a run that the reader stopped, or whose text has changed. */
export class Cancelled extends Error {}

const kernelTimeLimitText = (limit: number): string =>
    `The kernel does far more work than the task needs, and was stopped after ${seconds(limit)}. Does a loop end too late, or never?`;
const launchTimeLimitText = (limit: number): string =>
    `The kernel was stopped after ${seconds(limit)}. Does a loop end too late, or never? If not, choose smaller sizes.`;
const compilerTimeLimitText = (limit: number): string =>
    `The compiler had not finished after ${seconds(limit)}, and was stopped. Does the text contain templates or constant expressions that take a long time to compute?`;

/** Explains why a page that was opened from the file system has no compiler. Returns "" if the page has a compiler. */
export const explainMissingCompiler = (): string =>
    location.protocol === "file:"
        ? "This page was opened as a file, and browsers do not let such a page load the compiler. Run `./learn play`: it serves the book on this computer, and its pages can run the kernel."
        : "";

/** The two questions that compile and run a kernel, and the limit for each step of the run in milliseconds. */
interface RunQuestions {
    request: Ask;
    run: Ask;
    limit: number;
    explain(limit: number): string;
}

export class Examiner {
    private compiler: Compiler | null = null;
    /** The time in milliseconds of the slowest compilation so far, or 0 before the first. */
    private slowestCompilation = 0;

    /** The thread of the worker, which this class ends if a step takes too long. */
    private readonly thread = new SimulatorThread(() => this.stepBegins());
    private readonly ownParts = new OwnExercisePartsLoader(this.thread);
    /** Called when a step of the examination starts. */
    private stepBegins = () => {};
    /** The limit for a step in milliseconds. It is longer until the speed of the computer is known. */
    private limit = FIRST_STEP_LIMIT_MS;
    /** The time in milliseconds of the slowest step so far. */
    private slowest = 0;
    private warmedUp: Promise<void> | null = null;
    /** The number of the reader's texts that are being examined or wait for it. */
    private readerWaits = 0;
    private readonly listeners: Progress[] = [];
    /** The end of the previous run. The next run waits for it, because a time limit applies to one run at a time. */
    private before: Promise<unknown> = Promise.resolve();

    /** Calls `listener` with the progress while the compiler is being loaded. */
    onProgress(listener: Progress) {
        this.listeners.push(listener);
    }

    /** Starts loading the compiler, and then examines the solution as a warm-up. */
    prepare(task: Task): Promise<void> {
        const ready = this.load();
        void this.warmUp(task).catch(() => {});
        return ready;
    }

    /** Starts loading the compiler. */
    load(): Promise<void> {
        if (this.compiler === null) {
            const compiler = new Compiler((part, words) => this.listeners.forEach((listener) => listener(part, words)));
            this.compiler = compiler;
            // If the network fails, the next call tries again.
            compiler.ready.catch(() => {
                if (this.compiler === compiler) [this.compiler, this.warmedUp] = [null, null];
            });
        }
        return this.compiler.ready;
    }

    /**
     * Examines a text. When `signal` is aborted with the reason "stop", the run ends at once. If the reason is a
     * different one, the run ends only if the kernel has not been compiled yet. In both cases the promise is rejected
     * with Cancelled. /
     */
    async examine(task: Task, source: string, signal?: AbortSignal): Promise<Timed> {
        this.readerWaits++;
        try {
            await this.load();
            return await this.inTurn(async () => {
                const begin = performance.now();
                const result = await this.examineNow(task, source, signal);
                return { result, milliseconds: performance.now() - begin };
            });
        } finally {
            this.readerWaits--;
            if (this.compiler) void this.warmUp(task).catch(() => {});
        }
    }

    /** Launches a kernel of any signature once. No result is compared with a reference. */
    async launch(kernel: KernelLaunch, source: string, signal: AbortSignal): Promise<Timed<Launched>> {
        await this.load();
        return this.inTurn(async () => {
            const begin = performance.now();
            const act: RunQuestions = {
                request: "launch_request",
                run: "launch",
                limit: LAUNCH_LIMIT_MS,
                explain: launchTimeLimitText,
            };
            const result = await this.compileAndRun<Omit<Launched, "asked">>(act, { kernel }, source, signal);
            return { result: { ...result, asked: { kernel, source } }, milliseconds: performance.now() - begin };
        });
    }

    /** Predicts the time of a launch, with its sizes multiplied by `factor`. */
    launchTime({ asked, ptx, entry }: Launched, gpu: string, factor: number): Promise<Time> {
        const question = { ...asked, ptx, entry, gpu, factor };
        const predict = () => this.thread.ask<Time>("launch_time", question);
        return this.inTurn(() => this.limited(predict, LAUNCH_LIMIT_MS, launchTimeLimitText));
    }

    /**
     * Examines the solution once. The first examination is the slowest, because the browser compiles the module and
     * clang parses the headers. If the reader already waits for a verdict, the warm-up waits until a later call.
     */
    private warmUp(task: Task): Promise<void> {
        return (this.warmedUp ??= this.inTurn(async () => {
            await this.load();
            if (this.readerWaits) return void (this.warmedUp = null);
            await this.examineNow(task, workOf(task).solution);
            this.limit = Math.max(MIN_STEP_LIMIT_MS, SLOW_COMPUTER_FACTOR * this.slowest);
        }));
    }

    private inTurn<Answer>(act: () => Promise<Answer>): Promise<Answer> {
        const result = this.before.then(act);
        this.before = result.catch(() => {});
        return result;
    }

    private async examineNow(task: Task, source: string, signal?: AbortSignal): Promise<Examined> {
        const compiler = await this.loadedCompiler(signal);
        const subject = { ...subjectOf(task), ...(await this.ownParts.of(task, compiler)) };
        const act: RunQuestions = { request: "request", run: "examine", limit: this.limit, explain: kernelTimeLimitText };
        return this.compileAndRun<Examined>(act, subject, source, signal);
    }

    private async loadedCompiler(signal?: AbortSignal): Promise<Compiler> {
        const compiler = this.compiler;
        if (!compiler) throw new Error("The compiler could not be loaded.");
        await compiler.ready;
        if (signal?.aborted) throw new Cancelled("The run was cancelled.");
        return compiler;
    }

    /** Compiles a text and runs the kernel. `subject` contains the fields of both questions. */
    private async compileAndRun<Result>(
        act: RunQuestions,
        subject: object,
        source: string,
        signal?: AbortSignal,
    ): Promise<Result> {
        const compiler = await this.loadedCompiler(signal);
        const request = await this.thread.ask<{ refused?: true } & CompilerRequest>(act.request, { ...subject, source });
        const { ir, said } = request.refused ? { ir: null, said: "" } : await this.compile(compiler, request, signal);
        const stop = () => signal?.reason === "stop" && this.thread.end();
        signal?.addEventListener("abort", stop);
        try {
            const question = { ...subject, source, compiler: compiler.version, ir, said };
            return await this.limited(() => this.thread.ask<Result>(act.run, question), act.limit, act.explain);
        } catch (error) {
            throw error instanceof ThreadEnded && signal?.aborted ? new Cancelled("The run was stopped.") : error;
        } finally {
            signal?.removeEventListener("abort", stop);
        }
    }

    /**
     * Compiles with a time limit. Throws TimeLimitError if the compilation takes too long, and Cancelled if `signal` is
     * aborted.
     */
    private async compile(compiler: Compiler, request: CompilerRequest, signal?: AbortSignal): Promise<CompilerAnswer> {
        const begin = performance.now();
        const slowest = this.slowestCompilation;
        const limit = slowest ? Math.max(MIN_COMPILATION_LIMIT_MS, SLOW_COMPUTER_FACTOR * slowest) : FIRST_COMPILATION_LIMIT_MS;
        let isTooLong = false;
        const checkTime = () => {
            // A download is not part of the compilation.
            if (compiler.waitsForWhole) return void (clock = setTimeout(checkTime, limit));
            isTooLong = true;
            compiler.stop();
        };
        let clock = setTimeout(checkTime, limit);
        const stop = () => compiler.stop();
        signal?.addEventListener("abort", stop);
        try {
            const answer = await compiler.compile(request);
            // Only correct kernels show how fast the computer is: the kernel of the warm-up, whose call has no signal,
            // or else the first one, for which the browser also compiles clang.
            if (!signal || (!slowest && answer.ir !== null)) this.slowestCompilation = Math.max(slowest, performance.now() - begin);
            return answer;
        } catch (error) {
            if (!(error instanceof CompilationStopped)) throw error;
            throw isTooLong ? new TimeLimitError(compilerTimeLimitText(limit), performance.now() - begin) : new Cancelled("The run was cancelled.");
        } finally {
            clearTimeout(clock);
            signal?.removeEventListener("abort", stop);
        }
    }

    hint(task: Task, failure: string, level: number): Promise<Hint> {
        return this.thread.ask("hint", { ...subjectOf(task), failure, level });
    }

    async predictions(task: Task, record: Done): Promise<Prediction[]> {
        const answer = await this.thread.ask<{ questions: Prediction[] }>("predictions", { ...subjectOf(task), record });
        return answer.questions;
    }

    explain(task: Task, source: string, verdict: Verdict): Promise<Explained> {
        return this.thread.ask("explain", { ...subjectOf(task), source, verdict });
    }

    /**
     * Records what a block does, step by step. If `block` is null, chooses the block in which the kernel's mistake shows.
     */
    async steps<Answer>(task: Task, source: string, block: number | null): Promise<Answer> {
        await this.load();
        return this.inTurn(async () => {
            const own = await this.ownParts.of(task, this.compiler as Compiler);
            return this.record<Answer>("steps", { ...subjectOf(task), ...own, block }, source);
        });
    }

    /** Records what a block of a kernel of any signature does. */
    async launchSteps<Answer>(kernel: KernelLaunch, source: string, block: number | null): Promise<Answer> {
        await this.load();
        return this.inTurn(() => this.record<Answer>("launch_steps", { kernel, block }, source));
    }

    private record<Answer>(run: "steps" | "launch_steps", subject: object, source: string): Promise<Answer> {
        const act: RunQuestions = {
            request: `${run}_request`,
            run,
            limit: LAUNCH_LIMIT_MS,
            explain: launchTimeLimitText,
        };
        return this.compileAndRun<Answer>(act, subject, source, new AbortController().signal);
    }

    /** Ends the worker if a step of `act` takes longer than `limit` milliseconds. `explain` returns the message. */
    private async limited<Answer>(
        act: () => Promise<Answer>,
        limit = this.limit,
        explain = kernelTimeLimitText,
    ): Promise<Answer> {
        let tooLong: TimeLimitError | null = null;
        let clock: ReturnType<typeof setTimeout>;
        const allow = (milliseconds: number) => {
            const begin = performance.now();
            clearTimeout(clock);
            clock = setTimeout(() => {
                tooLong = new TimeLimitError(explain(milliseconds), performance.now() - begin);
                this.thread.end();
            }, milliseconds);
        };
        let begin = 0;
        const ends = () => begin && (this.slowest = Math.max(this.slowest, performance.now() - begin));
        this.stepBegins = () => {
            ends();
            begin = performance.now();
            allow(limit);
        };
        allow(FIRST_STEP_LIMIT_MS);
        try {
            const answer = await act();
            ends();
            return answer;
        } catch (error) {
            throw tooLong && error instanceof ThreadEnded ? tooLong : error;
        } finally {
            clearTimeout(clock!);
            this.stepBegins = () => {};
        }
    }
}
