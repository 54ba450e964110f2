// Stores a learner's progress and texts in this browser. The progress has the format of .learn/state.json
// (common/learn/state.h), so that it can be exported and imported.

import type { Examined } from "../examiner";
import type { Counters } from "../simulator";

const FILE_FORMAT = 2;
const MAX_EARLIER_TEXTS = 10;
/**
 * The prefix of the keys in the browser's storage. Its number is increased when older pages cannot read the new format.
 */
const STORAGE_PREFIX = "coalesce.1.";

export interface Guess {
    counter: string;
    said: number | null;
    fact: number | null;
    within: number;
    label: string;
}

/** The progress in one exercise or bug hunt. */
export interface Record {
    checks: number;
    passed_hash: string;
    passed_at: string;
    last_hash: string;
    last_failure: string;
    hints: { [failure: string]: number };
    guesses: Guess[];
    solution_seen: boolean;
    best_counters: Counters | null;
    /** The measurement on a real GPU. Only the terminal sets it. */
    best_measured: { gbps: number } | null;
    predicted: { percent: number; label: string } | null;
}

/** An earlier text that the learner may restore. */
export interface EarlierText {
    text: string;
    /** The time at which the text was replaced. */
    at: string;
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

const newState = (): State => ({ format: FILE_FORMAT, has_begun: true, current: "", exercises: {} });

/** Reads a file written by another program. Throws an error with a message for the reader. */
function parseState(json: string): State {
    let state: State;
    try {
        state = JSON.parse(json);
    } catch {
        throw new Error("This is not a state.json file, because it is not valid JSON.");
    }
    if (typeof state?.format !== "number" || typeof state.exercises !== "object") throw new Error("This is not a state.json file from this course.");
    if (state.format !== FILE_FORMAT) throw new Error(`This state.json has format ${state.format}, but this page reads only format ${FILE_FORMAT}.`);
    const known = Object.entries(state.exercises).map(([name, record]) => [name, { ...newRecord(), ...record }]);
    return { ...newState(), ...state, exercises: Object.fromEntries(known) };
}

/** Returns the sum of sectors and wavefronts, which is used to compare the costs of kernels. */
function totalCost(counters: Counters): number {
    const parts = ["load_sectors", "store_sectors", "shared_load_wavefronts", "shared_store_wavefronts"];
    return parts.reduce((sum, part) => sum + (counters[part] ?? 0), 0);
}

const cheaperCounters = (one: Counters | null, other: Counters | null): Counters | null =>
    !one || (other && totalCost(other) < totalCost(one)) ? other : one;

function mergeGuesses(one: Guess[], other: Guess[]): Guess[] {
    // If both lists contain a guess for a counter, keep the guess in `one`. The actual cost may be known only in
    // `other`.
    const both = one.map((guess) => {
        const same = other.find(({ counter }) => counter === guess.counter);
        return same && guess.fact === null ? { ...guess, fact: same.fact, label: same.label } : guess;
    });
    return [...both, ...other.filter(({ counter }) => !one.some((guess) => guess.counter === counter))];
}

/** Merges the progress made here and elsewhere. Nothing is lost, and merging again changes nothing. */
function mergeRecords(here: Record, there: Record): Record {
    const [passedLast, passedFirst] = here.passed_at > there.passed_at ? [here, there] : [there, here];
    const checkedMore = here.checks > there.checks ? here : there;
    const hints = { ...here.hints };
    for (const [failure, level] of Object.entries(there.hints)) hints[failure] = Math.max(hints[failure] ?? 0, level);
    return {
        checks: checkedMore.checks,
        passed_hash: passedLast.passed_hash,
        passed_at: passedLast.passed_at,
        last_hash: checkedMore.last_hash,
        last_failure: checkedMore.last_failure,
        hints,
        guesses: mergeGuesses(here.guesses, there.guesses),
        solution_seen: here.solution_seen || there.solution_seen,
        best_counters: cheaperCounters(here.best_counters, there.best_counters),
        best_measured: (here.best_measured?.gbps ?? 0) > (there.best_measured?.gbps ?? 0) ? here.best_measured : there.best_measured,
        predicted: passedLast.predicted ?? passedFirst.predicted,
    };
}

export class Progress {
    /** The reason why the browser cannot store anything, or "" if it can. */
    problem = "";
    /** The contents of the browser's storage, or of its replacement. */
    private readonly memory = new Map<string, string>();

    constructor() {
        this.write("probe", "1");
        this.write("probe", null);
    }

    // ---- the learner's texts, stored under the name of the exercise ----

    text(name: string): string | null {
        return this.read(`text.${name}`);
    }
    keepText(name: string, text: string) {
        this.write(`text.${name}`, text);
    }
    /** Returns the texts that a reset or another tab has replaced, the newest first. */
    earlierTexts(name: string): EarlierText[] {
        try {
            const texts: unknown = JSON.parse(this.read(`earlier.${name}`) ?? "[]");
            return Array.isArray(texts) ? texts.filter((one) => typeof one?.text === "string") : [];
        } catch {
            return [];
        }
    }
    keepEarlierText(name: string, text: string) {
        const others = this.earlierTexts(name).filter((one) => one.text !== text);
        const texts = [{ text, at: new Date().toISOString() }, ...others].slice(0, MAX_EARLIER_TEXTS);
        this.write(`earlier.${name}`, JSON.stringify(texts));
    }

    /** Calls `changed` with the new text when another tab changes the text of an exercise. */
    onOtherTab(changed: (name: string, text: string) => void) {
        const prefix = `${STORAGE_PREFIX}text.`;
        addEventListener("storage", ({ key, newValue }) => {
            if (key?.startsWith(prefix) && newValue !== null) changed(key.slice(prefix.length), newValue);
        });
    }

    // ---- the learner's progress ----

    record(name: string): Readonly<Record> {
        return this.state().exercises[name] ?? newRecord();
    }

    private update(name: string, change: (record: Record) => void) {
        // Read the state again, because another tab may have changed it.
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

    /** Records a check, as ./learn check does. Running the same text again does not count as another check. */
    keepVerdict(name: string, { verdict, predicted }: Examined) {
        this.update(name, (record) => {
            if (verdict.outcome === "not-examined") return;
            if (record.last_hash !== verdict.source_hash) record.checks++;
            record.last_hash = verdict.source_hash;
            record.last_failure = verdict.failures[0]?.id ?? "";
            if (verdict.outcome !== "passed") return;
            record.passed_hash = verdict.source_hash;
            record.passed_at = new Date().toISOString().replace(/\.\d+Z/, "Z");
            if (!verdict.counters) return;
            record.predicted = predicted ?? record.predicted;
            record.best_counters = cheaperCounters(record.best_counters, verdict.counters);
        });
    }

    keepGuess(name: string, guess: Omit<Guess, "fact" | "label">) {
        this.update(name, (record) => {
            if (record.guesses.some(({ counter }) => counter === guess.counter)) return;
            record.guesses.push({ ...guess, fact: null, label: "" });
        });
    }

    keepFact(name: string, { counter, fact, label }: Pick<Guess, "counter" | "fact" | "label">) {
        this.update(name, (record) => {
            const guess = record.guesses.find((one) => one.counter === counter);
            if (guess && guess.fact === null) Object.assign(guess, { fact, label });
        });
    }

    keepHint(name: string, failure: string, level: number) {
        this.update(name, (record) => (record.hints[failure] = Math.max(record.hints[failure] ?? 0, level)));
    }

    keepSolutionSeen(name: string) {
        this.update(name, (record) => (record.solution_seen ||= record.passed_hash === ""));
    }

    // ---- conversion to .learn/state.json and back ----

    exported(): string {
        return JSON.stringify(this.state(), null, 1) + "\n";
    }

    /** Merges the contents of a file into the progress. Throws an error with a message for the reader. */
    take(json: string) {
        const taken = parseState(json);
        const state = this.state();
        for (const [name, record] of Object.entries(taken.exercises)) {
            const here = state.exercises[name];
            state.exercises[name] = here ? mergeRecords(here, record) : record;
        }
        state.current ||= taken.current;
        this.write("state", JSON.stringify(state));
    }

    // ---- the browser's storage ----

    private state(): State {
        try {
            return parseState(this.read("state") ?? "");
        } catch {
            return newState();
        }
    }

    private read(key: string): string | null {
        try {
            if (!this.problem) return localStorage.getItem(STORAGE_PREFIX + key);
        } catch {
            // The browser's storage is not available. The value is then kept only until the page is closed.
        }
        return this.memory.get(key) ?? null;
    }

    private write(key: string, value: string | null) {
        if (value === null) this.memory.delete(key);
        else this.memory.set(key, value);
        try {
            if (value === null) localStorage.removeItem(STORAGE_PREFIX + key);
            else localStorage.setItem(STORAGE_PREFIX + key, value);
        } catch {
            this.problem = "This browser stores nothing for this page, so your text will be lost when you leave the page. Save your text below.";
        }
    }
}
