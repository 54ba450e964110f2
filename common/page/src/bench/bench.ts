// A bench for one kernel: an editor, the Run button, the verdict, the cost of each line, and the accesses of warps. A
// lesson has one bench, and the playground has up to two.

import { Editor } from "../editor/editor";
import { Cancelled, explainMissingCompiler, TimeLimitError } from "../examiner";
import type { Examined, Examiner, Task, Timed } from "../examiner";
import { movesMatrix, workOf } from "../exercises";
import { serializeRuns, type SimulatorThread } from "../thread";
import type { Moment } from "../watch/watch_part";
import { asSentence, withCode } from "../words";
import { marksForVerdict } from "./marks";
import { WarpOfOwnKernelPart } from "./own_part";
import { rooflineElement } from "./roofline_part";
import { verdictElement } from "./verdict_part";

/** The time in milliseconds without typing after which the kernel is examined. */
const TYPING_PAUSE_MS = 700;

const markup = `
<div class="panes">
<div class="pane typed">
<div class="editor"></div>
<div class="tools"><button type="button" name="run" class="main">Run</button>
<button type="button" name="stop" hidden>Stop</button>
<span class="keys"><kbd>Ctrl</kbd> <kbd>Enter</kbd></span></div>
</div>
<div class="pane told">
<p class="loading" hidden><progress max="1"></progress> <span></span></p>
<p class="standing" role="status"></p>
<div class="outcome"></div>
<p class="empty">The verdict appears here. Press Run, or type and pause.</p>
<details class="own" hidden><summary>What one warp of the kernel accesses, and the predicted time</summary></details>
<p class="legend faint">Beside a line, for each request: <b class="global">s</b> sectors of global memory,
<b class="shared">w</b> wavefronts of shared memory; underlined if more than necessary. <kbd>Esc</kbd> leaves the
editor. The compiler is clang: <a href="compiler/LICENSE.txt">its licence</a>.</p>
</div>
</div>`;

/** A computer with less memory than this, in GB, loads the compiler only when it is needed. */
const MIN_MEMORY_GB = 4;

/** The failures about the cost of accesses. The picture of one warp's accesses shows their cause. */
const FAILURES_SHOWN_BY_ACCESSES = ["uncoalesced-loads", "uncoalesced-stores", "bank-conflicts", "too-many-requests", "work-repeated", "lanes-idle"];

export interface BenchEvents {
    changed(text: string): void;
    /** Called with each result. `text` is the text that was examined. */
    examined(result: Examined, text: string): void;
}

/**
 * Shows a moment of the kernel's run: the given one, or else the mistake or, without a mistake, the first access in
 * `line` that costs more than necessary.
 */
export type ShowMoment = (moment: Moment | null, line: number) => Promise<void>;

/** A way to run a text that does not examine it against an exercise. */
export interface Alternative {
    /** Rejects with an error whose name is "NotLaunchable" if its text is a complete message for the reader. */
    run(text: string, signal: AbortSignal): Promise<Timed>;
    /** Returns a short text about the result. */
    describe(result: Examined): string;
    /** Returns the result as an element. `goTo` is called with the line that the reader wants to see. */
    element(result: Examined, goTo: (line: number) => void): HTMLElement;
}

export class Bench {
    /** The way to run the text, or null to examine it against the exercise. */
    alternative: Alternative | null = null;
    /** Shows a moment of the kernel that is open. Set by "Watch". */
    showMoment: ShowMoment = async () => {};
    /** The result for the current text, or null if it has not been examined yet. */
    last: Examined | null = null;
    private task: Task | null = null;
    private showsCosts = true;
    private examinedText = "";
    private typingTimer: ReturnType<typeof setTimeout> | undefined;
    /** Cancels the current run; null if there is none. */
    private current: AbortController | null = null;
    private readonly editor: Editor;
    private readonly ownPart: WarpOfOwnKernelPart;
    private readonly examineLatest = serializeRuns(() => this.examine());

    constructor(
        private readonly root: HTMLElement,
        private readonly label: string,
        private readonly examiner: Examiner,
        thread: SimulatorThread,
        private readonly events: BenchEvents,
    ) {
        root.classList.add("bench");
        root.innerHTML = markup;
        this.editor = new Editor(this.find(".editor"), label, "", { changed: () => this.changed(), run: () => void this.run() });
        this.ownPart = new WarpOfOwnKernelPart(this.find(".own"), thread, label);
        this.find("button[name=run]").addEventListener("click", () => void this.run());
        this.find("button[name=stop]").addEventListener("click", () => this.stop());
        if (explainMissingCompiler()) this.say(explainMissingCompiler());
        examiner.onProgress((part, words) => this.showLoading(part, words));
        this.prepareWhenSeen();
    }

    find<T extends HTMLElement>(selector: string): T {
        return this.root.querySelector(selector) as T;
    }

    /** Adds a button beside Run, and returns the button. `name` identifies it, and `words` is its label. */
    addTool(name: string, words: string, act: () => void): HTMLButtonElement {
        const button = document.createElement("button");
        Object.assign(button, { type: "button", name, textContent: words });
        button.addEventListener("click", act);
        this.find(".tools").append(button);
        return button;
    }

    get text(): string {
        return this.editor.text;
    }

    /** Changes the text as if the learner had typed it. */
    set text(text: string) {
        this.editor.text = text;
    }

    /** Switches to another exercise and its text. */
    open(task: Task, text: string) {
        this.task = task;
        this.forget();
        this.editor.text = text;
        clearTimeout(this.typingTimer);
        if (!explainMissingCompiler()) this.say("");
        this.find(".outcome").replaceChildren();
    }

    /** Whether counters may be shown. A lesson first asks the learner to predict the counters. */
    set costsAreShown(shown: boolean) {
        this.showsCosts = shown;
        if (this.last) this.show(this.last);
    }

    focus() {
        this.editor.focus();
    }

    /**
     * Sets the status line. `unseen` is text for screen readers only, because the page shows the same information
     * elsewhere.
     */
    say(words: string, unseen = "") {
        this.find(".standing").innerHTML = withCode(words) + (unseen ? `<span class="unseen"> ${withCode(unseen)}</span>` : "");
    }

    async run(): Promise<void> {
        clearTimeout(this.typingTimer);
        if (explainMissingCompiler()) return this.say(explainMissingCompiler());
        await this.examineLatest();
    }

    stop() {
        clearTimeout(this.typingTimer);
        this.current?.abort("stop");
    }

    // ---- when to run ----

    private changed() {
        if (!this.task) return;
        this.last = null;
        // Mark the verdict below as outdated, because it is about an earlier text.
        delete this.root.dataset.outcome;
        this.current?.abort("edit");
        this.events.changed(this.text);
        clearTimeout(this.typingTimer);
        if (!explainMissingCompiler()) this.typingTimer = setTimeout(() => void this.run(), TYPING_PAUSE_MS);
    }

    /**
     * Starts loading the compiler, which is large, while the learner reads, and at the latest when the bench becomes
     * visible.
     */
    private prepareWhenSeen() {
        if (explainMissingCompiler()) return;
        loadWhenIdle(() => void this.examiner.load().catch(() => {}));
        const observer = new IntersectionObserver((entries) => {
            if (!entries.some((entry) => entry.isIntersecting)) return;
            observer.disconnect();
            this.examiner.prepare(this.task as Task).catch((error: Error) => this.say(error.message));
        });
        observer.observe(this.root);
    }

    private showLoading(part: number | null, words: string) {
        const line = this.find(".loading");
        const bar = this.find<HTMLProgressElement>("progress");
        // Hide the progress after a failure too, because the error message is shown with the results.
        line.hidden = part === 1 || part === null;
        if (part === 1 || part === null) dispatchEvent(new Event("compiler-settled"));
        if (part !== null) bar.value = part;
        this.find(".loading span").textContent = words;
        bar.setAttribute("aria-label", words);
    }

    // ---- examining ----

    private async examine() {
        const task = this.task as Task;
        const { text, alternative } = this;
        const run = new AbortController();
        this.current = run;
        this.showRunning(true);
        this.say("Running …");
        try {
            const running = alternative
                ? alternative.run(text, run.signal)
                : this.examiner.examine(task, text, run.signal);
            const { result, milliseconds } = await Promise.race([running, rejectWhenStopped(run.signal)]);
            // The text was edited during the examination, so examine the new text next.
            if (text !== this.text || task !== this.task || alternative !== this.alternative) return;
            this.root.dataset.milliseconds = String(milliseconds);
            this.last = result;
            this.examinedText = text;
            this.events.examined(result, text);
            this.show(result);
            const standing = alternative?.describe(result) ?? describeStanding(result);
            this.say(`${standing} (simulated, ${(milliseconds / 1000).toFixed(1)} s).`, describeCause(result));
        } catch (error) {
            this.explain(error, run);
        } finally {
            this.showRunning(false);
        }
    }

    private explain(error: unknown, run: AbortController) {
        if (!(error instanceof Error)) throw error;
        if (error instanceof Cancelled) {
            if (run.signal.reason === "stop") this.say("Stopped.");
            return;
        }
        this.forget();
        this.root.dataset.outcome = "stopped";
        const isComplete = error instanceof TimeLimitError || error.name === "NotLaunchable";
        this.say(isComplete ? error.message : `The kernel could not be examined: ${error.message}`);
    }

    private showRunning(isRunning: boolean) {
        this.root.setAttribute("aria-busy", String(isRunning));
        this.find("button[name=stop]").hidden = !isRunning;
    }

    private show(result: Examined) {
        this.root.dataset.outcome = result.verdict.outcome;
        this.editor.showMarks(marksForVerdict(result, this.examinedText));
        this.editor.showCosts(this.showsCosts ? result.lines : []);
        const goTo = (line: number) => this.editor.goTo(line);
        if (this.alternative) {
            this.find(".outcome").replaceChildren(this.alternative.element(result, goTo));
            this.addShowMe(result);
            return this.ownPart.show(null, "", "");
        }
        const { limits } = workOf(this.task as Task);
        const roofline = this.showsCosts && result.roofline ? [rooflineElement(result.roofline, this.label)] : [];
        this.find(".outcome").replaceChildren(verdictElement(result, limits, this.showsCosts, goTo), ...roofline);
        this.addShowMe(result);
        // Only kernels that move a matrix have pictures and predicted times.
        const isShown = this.showsCosts && movesMatrix(this.task as Task);
        const [first] = result.verdict.failures;
        if (isShown && first && FAILURES_SHOWN_BY_ACCESSES.includes(first.id)) this.find<HTMLDetailsElement>(".own").open = true;
        this.ownPart.show(isShown ? result : null, this.examinedText, workOf(this.task as Task).produces);
    }

    /** Adds a button to the verdict on a kernel that was launched and is wrong: it shows the moment of the mistake. */
    private addShowMe({ passed, launch, verdict }: Examined) {
        const next = this.find(".outcome .next");
        if (passed || !launch || !next) return;
        const button = document.createElement("button");
        Object.assign(button, { type: "button", name: "show-me", textContent: "Show me in the run" });
        button.addEventListener("click", () => void this.showMoment(null, verdict.failures[0]?.place.line ?? 0));
        next.after(button);
    }

    private forget() {
        this.last = null;
        delete this.root.dataset.outcome;
        this.editor.showMarks([]);
        this.editor.showCosts([]);
        this.find(".outcome").replaceChildren();
        this.ownPart.show(null, "", "");
    }
}

/** Calls `act` after the page has been shown, unless the reader has asked for less data traffic or memory is scarce. */
function loadWhenIdle(act: () => void) {
    const { connection, deviceMemory = MIN_MEMORY_GB } = navigator as Navigator & { connection?: { saveData?: boolean }; deviceMemory?: number };
    if (connection?.saveData || deviceMemory < MIN_MEMORY_GB) return;
    if ("requestIdleCallback" in globalThis) requestIdleCallback(act, { timeout: 3000 });
    else setTimeout(act, 1500);
}

/** Returns a promise that is rejected when the reader stops the run, even while the compiler is still being loaded. */
function rejectWhenStopped(signal: AbortSignal): Promise<never> {
    return new Promise((_, reject) =>
        signal.addEventListener("abort", () => signal.reason === "stop" && reject(new Cancelled("The run was stopped."))));
}

function describeStanding({ passed, verdict }: Examined): string {
    if (passed) return "Passed";
    return verdict.outcome === "failed" ? "Not yet" : "Not examined";
}

/** Returns a sentence with the cause of the failure and its line. */
function describeCause({ verdict }: Examined): string {
    const [first] = verdict.failures;
    if (!first) return "";
    return `${first.place.line ? `Line ${first.place.line}: ` : ""}${asSentence(first.headline)}`;
}
