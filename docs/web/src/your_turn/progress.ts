// What a learner has done and written, kept in this browser. What was done has the form of .learn/state.json
// (common/learn/state.h), so that it can be taken there and back.

import type { Verdict } from "../examiner";

const FORMAT = 2;
/** Raised when an older page could not read what this one keeps. */
const PREFIX = "coalesce.1.";

export interface Guess {
    counter: string;
    said: number | null;
    fact: number | null;
    within: number;
    label: string;
}

interface Record {
    checks: number;
    passed_hash: string;
    passed_at: string;
    last_hash: string;
    last_failure: string;
    hints: { [failure: string]: number };
    guesses: Guess[];
    solution_seen: boolean;
    best_counters: unknown;
    best_measured: unknown;
    predicted: unknown;
}

interface State {
    format: number;
    has_begun: boolean;
    current: string;
    exercises: { [name: string]: Record };
}

const newRecord = (): Record => ({
    checks: 0,
    passed_hash: "",
    passed_at: "",
    last_hash: "",
    last_failure: "",
    hints: {},
    guesses: [],
    solution_seen: false,
    best_counters: null,
    best_measured: null,
    predicted: null,
});

const newState = (): State => ({ format: FORMAT, has_begun: true, current: "", exercises: {} });

/** Of another program's file: throws in words for the reader. */
function stateFrom(json: string): State {
    let state: State;
    try {
        state = JSON.parse(json);
    } catch {
        throw new Error("That is no state.json: it is not JSON.");
    }
    if (typeof state?.format !== "number" || typeof state.exercises !== "object") throw new Error("That is no state.json of the course.");
    if (state.format !== FORMAT) throw new Error(`That state.json has the format ${state.format}; this page knows ${FORMAT}.`);
    const known = Object.entries(state.exercises).map(([name, record]) => [name, { ...newRecord(), ...record }]);
    return { ...newState(), ...state, exercises: Object.fromEntries(known) };
}

/** Sectors and wavefronts together: what makes one kernel dearer than another. */
function costOf(counters: { [name: string]: number }): number {
    const parts = ["load_sectors", "store_sectors", "shared_load_wavefronts", "shared_store_wavefronts"];
    return parts.reduce((sum, part) => sum + (counters[part] ?? 0), 0);
}

export class Progress {
    /** Why nothing can be kept; "": it can. */
    problem = "";
    /** What the browser keeps, or would keep. */
    private readonly memory = new Map<string, string>();

    constructor() {
        this.write("probe", "1");
        this.write("probe", null);
    }

    // ---- texts: by the exercise's name ----

    text(name: string): string | null {
        return this.read(`text.${name}`);
    }
    keepText(name: string, text: string) {
        this.write(`text.${name}`, text);
    }
    /** What was written before the last reset. */
    textBefore(name: string): string | null {
        return this.read(`before.${name}`);
    }
    keepTextBefore(name: string, text: string) {
        this.write(`before.${name}`, text);
    }

    // ---- what was done ----

    record(name: string): Readonly<Record> {
        return this.state().exercises[name] ?? newRecord();
    }

    private update(name: string, change: (record: Record) => void) {
        // Another tab may have written meanwhile.
        const state = this.state();
        const record = state.exercises[name] ?? newRecord();
        change(record);
        state.exercises[name] = record;
        state.current = name;
        this.write("state", JSON.stringify(state));
    }

    hasPassed(name: string): boolean {
        return this.record(name).passed_hash !== "";
    }

    keepVerdict(name: string, verdict: Verdict) {
        this.update(name, (record) => {
            if (record.last_hash !== verdict.source_hash) record.checks++;
            record.last_hash = verdict.source_hash;
            record.last_failure = verdict.failures[0]?.id ?? "";
            if (verdict.outcome !== "passed" || !verdict.counters) return;
            record.passed_hash = verdict.source_hash;
            record.passed_at = new Date().toISOString().replace(/\.\d+Z/, "Z");
            const best = record.best_counters as { [name: string]: number } | null;
            if (!best || costOf(verdict.counters) < costOf(best)) record.best_counters = verdict.counters;
        });
    }

    keepGuess(name: string, guess: Omit<Guess, "fact" | "label">) {
        this.update(name, (record) => {
            if (record.guesses.some(({ counter }) => counter === guess.counter)) return;
            record.guesses.push({ ...guess, fact: null, label: "" });
        });
    }

    keepFact(name: string, counter: string, fact: number) {
        this.update(name, (record) => {
            const guess = record.guesses.find((one) => one.counter === counter);
            if (guess && guess.fact === null) guess.fact = fact;
        });
    }

    keepHint(name: string, failure: string, level: number) {
        this.update(name, (record) => (record.hints[failure] = Math.max(record.hints[failure] ?? 0, level)));
    }

    keepSolutionSeen(name: string) {
        this.update(name, (record) => (record.solution_seen ||= record.passed_hash === ""));
    }

    // ---- to .learn/state.json and back ----

    exported(): string {
        return JSON.stringify(this.state(), null, 1) + "\n";
    }

    /** What the file says of an exercise replaces what is here. Throws in words for the reader. */
    take(json: string) {
        const taken = stateFrom(json);
        const state = this.state();
        this.write("state", JSON.stringify({ ...state, exercises: { ...state.exercises, ...taken.exercises } }));
    }

    // ---- the browser's storage ----

    private state(): State {
        try {
            return stateFrom(this.read("state") ?? "");
        } catch {
            return newState();
        }
    }

    private read(key: string): string | null {
        try {
            if (!this.problem) return localStorage.getItem(PREFIX + key);
        } catch {
            // Then it is as if nothing had been kept.
        }
        return this.memory.get(key) ?? null;
    }

    private write(key: string, value: string | null) {
        if (value === null) this.memory.delete(key);
        else this.memory.set(key, value);
        try {
            if (value === null) localStorage.removeItem(PREFIX + key);
            else localStorage.setItem(PREFIX + key, value);
        } catch {
            this.problem = "This browser keeps nothing for this page: what you write is gone when you leave it. Save it below.";
        }
    }
}
