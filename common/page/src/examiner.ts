// Examines a learner's text: C++ code chooses clang's options, clang compiles, and C++ code
// examines the kernel. All of them run in workers, so that the page never blocks.

import { Compiler, type CompilerRequest, type Progress } from "./compiler/compiler";
import { subjectOf, workOf } from "./exercises";
import { OwnParts } from "./own_parts";
import type { Counters } from "./simulator";
import { Ended, SimulatorThread } from "./thread";
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
    failures: { id: string; headline: string; place: Place }[];
    messages: Message[];
    shapes: ShapeTried[];
    counted: { rows: number; cols: number };
    counters: Counters | null;
    predicted: { gpu: string; gbps: number; copy_gbps: number } | null;
}

/** The cost of a line: sectors or wavefronts per request, or null if it has no such request. */
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
    /** The advice for the first failure, or "". */
    failure: string;
    verdict: Verdict;
    html: string;
    terminal: string;
    /** The PTX for the simulator, or "" if the kernel did not compile. */
    ptx: string;
    entry: string;
    launch: Launch | null;
    /** The part of the predicted time that is stored. */
    predicted: Done["predicted"];
    lines: LineCost[];
}

export interface Hint {
    level: number;
    of: number;
    /** "all", or the failure that the hint is for. */
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

/** The time limit for a step, in milliseconds. No kernel of the course needs half of it. */
const MOST_MILLISECONDS = 2000;
/** If this computer is slow, the limit is this many times the slowest step of a correct kernel. */
const PATIENCE = 3;
/** The limit for the first step, in which a new worker also loads and compiles the examiner. */
const MOST_AT_FIRST = 10000;

/**
 * A run that was ended. The text is for the reader. `after` is the time in milliseconds since its last step started.
 */
export class TooLong extends Error {
    constructor(
        limit: number,
        readonly after: number,
    ) {
        super(`It did not end within ${Math.round(limit / 1000)} seconds and was stopped. Is there a loop without an end?`);
    }
}

/** Explains why a page that was opened from the file system has no compiler, or "" if it has one. */
export const noCompiler = (): string =>
    location.protocol === "file:"
        ? "This page was opened as a file, and browsers do not let such a page load the compiler. `./learn play` serves the book on this computer: there it runs."
        : "";

export class Examiner {
    private compiler: Compiler | null = null;

    /** The worker, which this class may end. */
    private readonly thread = new SimulatorThread(() => this.stepBegins());
    private readonly ownParts = new OwnParts(this.thread);
    /** Called when a step of the examination starts. */
    private stepBegins = () => {};
    /** The limit for a step in milliseconds. It is longer until the speed of the computer is known. */
    private limit = MOST_AT_FIRST;
    /** The slowest step so far. */
    private slowest = 0;
    private warmedUp: Promise<void> | null = null;
    private readonly listeners: Progress[] = [];
    /** Only one run at a time, so that the time limit applies to that run. */
    private before: Promise<unknown> = Promise.resolve();

    /** `listener` is told the progress while the compiler is loading. */
    onProgress(listener: Progress) {
        this.listeners.push(listener);
    }

    /** Starts loading the compiler, and then examines the solution as a warm-up. */
    prepare(task: Task): Promise<void> {
        this.compiler ??= new Compiler((part, words) => this.listeners.forEach((listener) => listener(part, words)));
        void this.warmUp(task).catch(() => {});
        return this.compiler.ready;
    }

    examine(task: Task, source: string): Promise<Examined> {
        this.prepare(task).catch(() => {});
        return this.inTurn(() => this.examineNow(task, source));
    }

    /** The first examination is the slowest, because the browser compiles the module and clang parses the headers. */
    private warmUp(task: Task): Promise<void> {
        return (this.warmedUp ??= this.inTurn(async () => {
            await this.examineNow(task, workOf(task).solution);
            this.limit = Math.max(MOST_MILLISECONDS, PATIENCE * this.slowest);
        }));
    }

    private inTurn<Answer>(act: () => Promise<Answer>): Promise<Answer> {
        const result = this.before.then(act);
        this.before = result.catch(() => {});
        return result;
    }

    private async examineNow(task: Task, source: string): Promise<Examined> {
        const compiler = this.compiler as Compiler;
        await compiler.ready;
        const subject = { ...subjectOf(task), ...(await this.ownParts.of(task, compiler)) };
        const request = await this.thread.ask<CompilerRequest & { refused?: true }>("request", { ...subject, source });
        const { ir, said } = request.refused ? { ir: null, said: "" } : await compiler.compile(request);
        return this.limited(() => this.thread.ask<Examined>("examine", { ...subject, source, compiler: compiler.version, ir, said }));
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

    /** Records what a block does, step by step. Without `block`, it is the one in which the kernel's mistake shows. */
    steps<Answer>(task: Task, source: string, block?: number): Promise<Answer> {
        this.prepare(task).catch(() => {});
        return this.inTurn(async () => {
            const compiler = this.compiler as Compiler;
            await compiler.ready;
            const request = await this.thread.ask<{ refused?: true; arguments: string[]; files: Record<string, string>; output: string }>(
                "steps_request", { ...task, source });
            const { ir, said } = request.refused ? { ir: null, said: "" } : await compiler.compile(request);
            return this.limited(() => this.thread.ask<Answer>("steps", { ...task, source, compiler: compiler.version, ir, said, block }));
        });
    }

    /** Ends the worker if a step of `act` takes too long. */
    private async limited<Answer>(act: () => Promise<Answer>): Promise<Answer> {
        let tooLong: TooLong | null = null;
        let clock: ReturnType<typeof setTimeout>;
        const allow = (milliseconds: number) => {
            const begin = performance.now();
            clearTimeout(clock);
            clock = setTimeout(() => {
                tooLong = new TooLong(milliseconds, performance.now() - begin);
                this.thread.end();
            }, milliseconds);
        };
        let begin = 0;
        const ends = () => begin && (this.slowest = Math.max(this.slowest, performance.now() - begin));
        this.stepBegins = () => {
            ends();
            begin = performance.now();
            allow(this.limit);
        };
        allow(MOST_AT_FIRST);
        try {
            const answer = await act();
            ends();
            return answer;
        } catch (error) {
            throw tooLong && error instanceof Ended ? tooLong : error;
        } finally {
            clearTimeout(clock!);
            this.stepBegins = () => {};
        }
    }
}
