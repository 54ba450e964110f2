// A bench for one kernel: its editor, the Run button, the verdict, the costs of lines, and the accesses of warps. A
// lesson has one bench, and the playground has up to two.

import { Editor } from "../editor/editor";
import { noCompiler, TooLong, type Examined, type Examiner, type Task } from "../examiner";
import { isBeyond, workOf } from "../exercises";
import { oneAtATime, type SimulatorThread } from "../thread";
import { OwnPart } from "./own_part";
import { withCode } from "../words";
import { verdictElement } from "./verdict_part";

/** The kernel is examined when the learner has not typed for this many milliseconds. */
const PAUSE = 700;

const markup = `
<p class="loading" hidden><progress max="1"></progress> <span></span></p>
<div class="editor"></div>
<p class="legend faint">Beside a line, for each request: <b>s</b> sectors, <b>w</b> wavefronts of shared memory; red is
more expensive than it must be. <kbd>Esc</kbd> leaves the editor.</p>
<div class="tools"><button type="button" name="run" class="main">Run</button>
<span class="keys"><kbd>Ctrl</kbd> <kbd>Enter</kbd>, or a pause</span></div>
<p class="standing" role="status"></p>
<div class="outcome"></div>
<details class="own" hidden><summary>What one warp of it touches, and its time</summary></details>
<p class="faint">The compiler in this page is clang: <a href="compiler/LICENSE.txt">its licence</a>.</p>`;

export interface BenchEvents {
    changed(text: string): void;
    /** Called with each result, which is the result for `text`. */
    examined(result: Examined, text: string): void;
}

export class Bench {
    /** The result for the current text, or null if it has not been examined yet. */
    last: Examined | null = null;
    private task: Task | null = null;
    private showsCosts = true;
    private examinedText = "";
    private pause: ReturnType<typeof setTimeout> | undefined;
    private readonly editor: Editor;
    private readonly own: OwnPart;
    private readonly examineLatest = oneAtATime(() => this.examine());

    constructor(
        private readonly root: HTMLElement,
        label: string,
        private readonly examiner: Examiner,
        thread: SimulatorThread,
        private readonly events: BenchEvents,
    ) {
        root.classList.add("bench");
        root.innerHTML = markup;
        this.editor = new Editor(this.find(".editor"), label, "", { changed: () => this.changed(), run: () => void this.run() });
        this.own = new OwnPart(this.find(".own"), thread, label);
        this.find("button[name=run]").addEventListener("click", () => void this.run());
        if (noCompiler()) this.say(noCompiler());
        examiner.onProgress((part, words) => this.showLoading(part, words));
        this.prepareWhenSeen();
    }

    find<T extends HTMLElement>(selector: string): T {
        return this.root.querySelector(selector) as T;
    }

    /** The buttons beside Run. */
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
        clearTimeout(this.pause);
        if (!noCompiler()) this.say("");
        this.find(".outcome").replaceChildren();
    }

    /** Whether counters may be shown. A lesson first asks the learner to predict them. */
    set costsAreShown(shown: boolean) {
        this.showsCosts = shown;
        if (this.last) this.show(this.last);
    }

    focus() {
        this.editor.focus();
    }

    say(words: string) {
        this.find(".standing").innerHTML = withCode(words);
    }

    async run(): Promise<void> {
        clearTimeout(this.pause);
        if (noCompiler()) return this.say(noCompiler());
        await this.examineLatest();
    }

    // ---- when to run ----

    private changed() {
        if (!this.task) return;
        this.last = null;
        this.events.changed(this.text);
        clearTimeout(this.pause);
        if (!noCompiler()) this.pause = setTimeout(() => void this.run(), PAUSE);
    }

    /** The compiler is large, so it is loaded only for readers who use the editor. */
    private prepareWhenSeen() {
        if (noCompiler()) return;
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
        line.hidden = part === 1;
        if (part === null) bar.removeAttribute("value");
        else bar.value = part;
        this.find(".loading span").textContent = words;
        bar.setAttribute("aria-label", words);
    }

    // ---- examining ----

    private async examine() {
        const task = this.task as Task;
        const text = this.text;
        const begin = performance.now();
        this.root.setAttribute("aria-busy", "true");
        this.say("Running …");
        try {
            const result = await this.examiner.examine(task, text);
            // The text has changed in the meantime, so examine it next.
            if (text !== this.text || task !== this.task) return;
            this.root.dataset.milliseconds = String(performance.now() - begin);
            this.last = result;
            this.examinedText = text;
            this.events.examined(result, text);
            this.show(result);
            const seconds = ((performance.now() - begin) / 1000).toFixed(1);
            this.say(`${result.passed ? "Passed" : result.verdict.outcome === "failed" ? "Not yet" : "Not examined"} (simulated, ${seconds} s).`);
        } catch (error) {
            this.forget();
            if (!(error instanceof Error)) throw error;
            this.say(error instanceof TooLong ? error.message : `It could not be examined: ${error.message}`);
        } finally {
            this.root.setAttribute("aria-busy", "false");
        }
    }

    private show(result: Examined) {
        this.root.dataset.outcome = result.verdict.outcome;
        this.editor.showMessages(result.verdict.messages.filter(({ severity }) => severity !== "note"));
        this.editor.showCosts(this.showsCosts ? result.lines : []);
        const { limits } = workOf(this.task as Task);
        this.find(".outcome").replaceChildren(verdictElement(result, limits, this.showsCosts));
        // Pictures and predicted times are about matrices.
        const isShown = this.showsCosts && !isBeyond((this.task as Task).exercise);
        this.own.show(isShown ? result : null, this.examinedText, workOf(this.task as Task).produces);
    }

    private forget() {
        this.last = null;
        delete this.root.dataset.outcome;
        this.editor.showMessages([]);
        this.editor.showCosts([]);
        this.find(".outcome").replaceChildren();
        this.own.show(null, "", "");
    }
}
