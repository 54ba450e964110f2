// From a learner's text to a verdict: C++ says what clang is to be asked, clang compiles, C++ examines. Both work in
// threads of their own, so that the page never waits.

import { Compiler, type Progress } from "./compiler/compiler";
import type { Counters } from "./simulator";
import { Ended, SimulatorThread } from "./thread";

/** An exercise, or the bug hunt that goes with it. */
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

/** As `./learn check --json` prints it (common/kernel/verdict.h); what the page does not read is left out. */
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

/** What a line costs: sectors or wavefronts a request; null where it has no such request. */
export type LineCost = { line: number; reasons: string[] } & Record<CostKind | `${CostKind}_least`, number | null>;
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
    /** The first failure's, or "". */
    failure: string;
    verdict: Verdict;
    html: string;
    terminal: string;
    /** For the simulator; "" where it did not compile. */
    ptx: string;
    entry: string;
    launch: Launch | null;
    lines: LineCost[];
}

export interface Hint {
    level: number;
    of: number;
    /** "all", or the failure that it helps with. */
    for: string;
    name: string;
    /** It flows; else it keeps its lines. */
    is_sentence: boolean;
    text: string;
}

export interface Prediction {
    counter: string;
    question: string;
    words: string;
    said: number | null;
    fact: number | null;
    is_right: boolean | null;
    text: string | null;
}

export interface Explained {
    time: { why: string[]; unknown: string[]; cure: string } | null;
    time_line: string;
    svg: string;
}

/** A kernel that does not end is stopped after that: no kernel of the course needs half of it. */
const MOST_MILLISECONDS = 2000;
/** ... unless it is the first in its thread, where the browser still compiles the examiner itself. */
const MOST_AT_FIRST = 10000;
/** ... or this computer has shown that it is slower: so many times the slowest that did end. */
const PATIENCE = 3;

/** A run that was ended from outside, in words for the reader. */
export class TooLong extends Error {
    constructor(limit: number) {
        super(`It did not end within ${Math.round(limit / 1000)} seconds and was stopped. Is there a loop without an end?`);
    }
}

/** Why a page that was opened from the file system has no compiler; "": it has. */
export const noCompiler = (): string =>
    location.protocol === "file:"
        ? "This page was opened as a file, and browsers let no such page load the compiler. `./learn play` serves the book on this computer: there it runs."
        : "";

export class Examiner {
    private compiler: Compiler | null = null;

    /** Its own, which it may end. */
    private readonly thread = new SimulatorThread();
    /** It has examined something since it was begun. */
    private isWarm = false;
    /** Milliseconds of the slowest that ended, once it was warm. */
    private slowest = 0;
    private readonly listeners: Progress[] = [];
    /** One at a time, so that the clock is of one run alone. */
    private before: Promise<unknown> = Promise.resolve();

    /** While the compiler is loaded, `listener` is told how far it is. */
    onProgress(listener: Progress) {
        this.listeners.push(listener);
    }

    /** Begins to load the compiler. */
    prepare(): Promise<void> {
        this.compiler ??= new Compiler((part, words) => this.listeners.forEach((listener) => listener(part, words)));
        return this.compiler.ready;
    }

    /** `patience`: so many milliseconds at least, before it is stopped. */
    examine(task: Task, source: string, patience = MOST_MILLISECONDS): Promise<Examined> {
        const result = this.before.then(() => this.examineNow(task, source, patience));
        this.before = result.catch(() => {});
        return result;
    }

    private async examineNow(task: Task, source: string, patience: number): Promise<Examined> {
        await this.prepare();
        const compiler = this.compiler as Compiler;
        const request = await this.thread.page<{ refused?: true; arguments: string[]; files: Record<string, string>; output: string }>(
            "page_request", { ...task, source });
        const { ir, said } = request.refused ? { ir: null, said: "" } : await compiler.compile(request);
        return this.limited(patience, () =>
            this.thread.page<Examined>("page_examine", { ...task, source, compiler: compiler.version, ir, said }));
    }

    hint(task: Task, failure: string, level: number): Promise<Hint> {
        return this.thread.page("page_hint", { ...task, failure, level });
    }

    /** `said`: of each question; `verdict`: of a kernel that passed. */
    async predictions(task: Task, verdict: Verdict | null, said: (number | null)[]): Promise<Prediction[]> {
        const answer = await this.thread.page<{ questions: Prediction[] }>("page_predict", { ...task, verdict, said });
        return answer.questions;
    }

    explain(task: Task, source: string, verdict: Verdict): Promise<Explained> {
        return this.thread.page("page_explain", { ...task, source, verdict });
    }

    private async limited<Answer>(patience: number, act: () => Promise<Answer>): Promise<Answer> {
        const limit = this.isWarm ? Math.max(patience, PATIENCE * this.slowest) : MOST_AT_FIRST;
        const begin = performance.now();
        let isOver = false;
        const clock = setTimeout(() => {
            isOver = true;
            this.isWarm = false;
            this.thread.end();
        }, limit);
        try {
            const answer = await act();
            if (this.isWarm) this.slowest = Math.max(this.slowest, performance.now() - begin);
            this.isWarm = true;
            return answer;
        } catch (error) {
            throw isOver && error instanceof Ended ? new TooLong(limit) : error;
        } finally {
            clearTimeout(clock);
        }
    }
}
