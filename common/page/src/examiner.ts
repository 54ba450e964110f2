// Examines a learner's text: C++ code chooses clang's options, clang compiles, and C++ code
// examines the kernel. All of them run in workers, so that the page never blocks.

import { Compiler, type Progress } from "./compiler/compiler";
import { workOf } from "./exercises";
import type { Counters } from "./simulator";
import { Ended, SimulatorThread } from "./thread";
import type { Record as Done } from "./your_turn/progress";

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

/** As `./learn check --json` prints it (common/examiner/verdict.h); what the page does not read is left out. */
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

/** What a line costs: sectors or wavefronts per request; null where it has no such request. */
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
    /** The first failure's, or "". */
    failure: string;
    verdict: Verdict;
    html: string;
    terminal: string;
    /** For the simulator; "" where it did not compile. */
    ptx: string;
    entry: string;
    launch: Launch | null;
    /** What is kept of the predicted time. */
    predicted: Done["predicted"];
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
    /** Of whom a fact is that was not counted; "": it was. */
    label: string;
    is_right: boolean | null;
    text: string | null;
}

export interface Explained {
    time: { why: string[]; unknown: string[]; cure: string } | null;
    time_line: string;
    svg: string;
}

/** A launch that does not end is stopped after that: no kernel of the course needs half of it. */
const MOST_MILLISECONDS = 2000;
/** ... unless this computer has shown that it is slower: so many times the slowest step of a kernel that is right. */
const PATIENCE = 3;
/** Until an examination's first step, since a new thread loads and compiles the examiner itself. */
const MOST_AT_FIRST = 10000;

/** A run that was ended from outside, in words for the reader. `after`: milliseconds since its last step began. */
export class TooLong extends Error {
    constructor(
        limit: number,
        readonly after: number,
    ) {
        super(`It did not end within ${Math.round(limit / 1000)} seconds and was stopped. Is there a loop without an end?`);
    }
}

/** Why a page that was opened from the file system has no compiler; "": it has. */
export const noCompiler = (): string =>
    location.protocol === "file:"
        ? "This page was opened as a file, and browsers do not let such a page load the compiler. `./learn play` serves the book on this computer: there it runs."
        : "";

export class Examiner {
    private compiler: Compiler | null = null;

    /** Its own, which it may end. */
    private readonly thread = new SimulatorThread(() => this.stepBegins());
    /** What is done when a step of what is being examined begins. */
    private stepBegins = () => {};
    /** How long a step may take, in milliseconds; while that is found out, longer. */
    private limit = MOST_AT_FIRST;
    /** The slowest step so far. */
    private slowest = 0;
    private warmedUp: Promise<void> | null = null;
    private readonly listeners: Progress[] = [];
    /** One at a time, so that the clock is of one run alone. */
    private before: Promise<unknown> = Promise.resolve();

    /** While the compiler is loaded, `listener` is told how far it is. */
    onProgress(listener: Progress) {
        this.listeners.push(listener);
    }

    /** Begins to load the compiler, and does then with the solution what will be done with the learner's kernel. */
    prepare(task: Task): Promise<void> {
        this.compiler ??= new Compiler((part, words) => this.listeners.forEach((listener) => listener(part, words)));
        void this.warmUp(task).catch(() => {});
        return this.compiler.ready;
    }

    examine(task: Task, source: string): Promise<Examined> {
        this.prepare(task).catch(() => {});
        return this.inTurn(() => this.examineNow(task, source));
    }

    /** The first examination is the slowest: the browser compiles what it runs, and clang reads the headers. */
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
        const request = await this.thread.page<{ refused?: true; arguments: string[]; files: Record<string, string>; output: string }>(
            "page_request", { ...task, source });
        const { ir, said } = request.refused ? { ir: null, said: "" } : await compiler.compile(request);
        return this.limited(() => this.thread.page<Examined>("page_examine", { ...task, source, compiler: compiler.version, ir, said }));
    }

    hint(task: Task, failure: string, level: number): Promise<Hint> {
        return this.thread.page("page_hint", { ...task, failure, level });
    }

    async predictions(task: Task, record: Done): Promise<Prediction[]> {
        const answer = await this.thread.page<{ questions: Prediction[] }>("page_predict", { ...task, record });
        return answer.questions;
    }

    explain(task: Task, source: string, verdict: Verdict): Promise<Explained> {
        return this.thread.page("page_explain", { ...task, source, verdict });
    }

    /** Ends the thread when a step of `act` takes too long. */
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
