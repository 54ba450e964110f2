// "Your turn": a bench for a lesson's exercise and bug hunt, with hints and the learner's progress.

import { Bench } from "../bench/bench";
import type { Examined, Examiner, Task } from "../examiner";
import { lessons, nameOf, workOf } from "../exercises";
import { playgroundLink } from "../playground/link";
import type { SimulatorThread } from "../thread";
import { addWatch } from "../watch/watch_part";
import { watchedExercise } from "../watch/watched";
import { capitalizeFirstLetter, escapeHtml, withCode } from "../words";
import { ExplainPart } from "./explain_part";
import { PredictPart } from "./predict_part";
import { Progress } from "./progress";
import { TransferPart } from "./transfer_part";

const markup = `
<p class="problem wrong" role="alert"></p>
<div class="tools works" role="group" aria-label="What to work on">
<span class="title">Your turn</span>
<button type="button" name="exercise">Exercise</button><button type="button" name="hunt">Bug hunt</button>
<button type="button" name="across" class="beside" aria-pressed="false">Full width</button></div>
<div class="other-tab" role="status" hidden><p>Another tab has changed this text.</p>
<div class="tools"><button type="button" name="theirs">Use that text</button><button type="button" name="mine">Keep this text</button></div></div>
<div class="on-bench"></div>
<p class="onwards" hidden></p>
<div class="predictions"></div>
<div class="hints"></div>
<div class="explanation"></div>
<details class="work"></details>`;

export class Turn {
    private task: Task;
    private readonly bench: Bench;
    private readonly predict: PredictPart;
    private readonly explain: ExplainPart;
    private readonly transfer: TransferPart;
    private readonly progress = new Progress();
    /** The text from another tab that the learner has neither accepted nor rejected, or null. */
    private offered: string | null = null;

    constructor(
        private readonly root: HTMLElement,
        private readonly examiner: Examiner,
        thread: SimulatorThread,
    ) {
        this.task = { exercise: root.dataset.exercise as string, hunt: false };
        const body = document.createElement("div");
        body.innerHTML = markup;
        root.append(body);
        this.bench = new Bench(this.find(".on-bench"), `Your kernel of ${this.task.exercise}`, examiner, thread, {
            changed: (text) => this.keep(text),
            examined: (result) => this.examined(result),
        });
        this.predict = new PredictPart(this.find(".predictions"), examiner, this.progress, () => void this.answered());
        this.explain = new ExplainPart(this.find(".explanation"), examiner, this.progress);
        this.transfer = new TransferPart(this.find(".work"), this.progress, (text) => (this.bench.text = text), () => this.showStanding());
        this.addTools();
        for (const name of ["exercise", "hunt"]) {
            this.find(`button[name=${name}]`).addEventListener("click", () => this.open(name === "hunt"));
        }
        const across = this.find("button[name=across]");
        across.addEventListener("click", () => across.setAttribute("aria-pressed", String(root.classList.toggle("across"))));
        this.find("button[name=hunt]").hidden = !lessons().find(({ name }) => name === this.task.exercise)?.hunt;
        this.takeAnswersOfTheLesson();
        this.addWatchButtons();
        this.watchOtherTabs();
        this.open(false);
    }

    private find<T extends HTMLElement>(selector: string): T {
        return this.root.querySelector(selector) as T;
    }

    private addTools() {
        this.bench.addTool("hint", "Hint", () => void this.helped(() => this.hint()));
        this.bench.addTool("predict", "Predict", () => void this.helped(() => this.predictions()));
        addWatch(this.bench, () => watchedExercise(this.examiner, this.task, this.bench.text));
        this.bench.addTool("explain", "Explain", () => void this.helped(() => this.explain.show(this.task, this.bench.text, this.bench.last)));
        this.bench.addTool("reset", "Reset", () => this.reset());
        this.bench.addTool("restore", "My last text", () => this.restore());
        this.bench.addTool("share", "Copy a link", () => void this.share());
    }

    private open(hunt: boolean) {
        this.task = { ...this.task, hunt };
        const work = workOf(this.task);
        this.bench.open(this.task, this.progress.text(nameOf(this.task)) ?? work.skeleton);
        this.bench.costsAreShown = this.predict.open(this.task).length === 0;
        this.predict.hide();
        this.explain.hide();
        this.find(".hints").replaceChildren();
        this.transfer.show(work.file, () => this.bench.text);
        this.offered = null;
        this.find(".other-tab").hidden = true;
        this.showStanding();
    }

    /** Shows which tasks have passed, and which earlier texts can be restored. */
    private showStanding() {
        for (const hunt of [false, true]) {
            const button = this.find(`button[name=${hunt ? "hunt" : "exercise"}]`);
            const hasPassed = this.progress.hasPassed(nameOf({ ...this.task, hunt }));
            button.setAttribute("aria-pressed", String(hunt === this.task.hunt));
            button.textContent = `${hunt ? "Bug hunt" : "Exercise"}${hasPassed ? ": passed" : ""}`;
        }
        this.find("button[name=restore]").hidden = this.textBefore() === undefined;
        this.transfer.showEarlier(this.progress.earlierTexts(nameOf(this.task)), (text) => this.bringBack(text));
        this.find("button[name=predict]").hidden = workOf(this.task).questions.length === 0;
        this.find(".problem").textContent = this.progress.problem;
        this.showNext();
        // After the exercise has been solved, unfold the parts of the lesson that contain the
        // solution.
        if (this.progress.hasPassed(this.task.exercise)) {
            for (const folded of document.querySelectorAll<HTMLDetailsElement>("details.solved")) folded.open = true;
        }
    }

    /** Shows a link to the next page of the book after the task has passed. */
    private showNext() {
        const next = document.querySelector<HTMLAnchorElement>('.neighbours a[rel="next"]');
        const line = this.find(".onwards");
        line.hidden = !next || !this.progress.hasPassed(nameOf(this.task));
        if (!next || line.hidden) return;
        const link = Object.assign(document.createElement("a"), { href: next.href, textContent: `Next: ${next.textContent?.trim() ?? ""}` });
        line.replaceChildren(link);
    }

    private examined(result: Examined) {
        this.progress.keepVerdict(nameOf(this.task), result);
        dispatchEvent(new Event("progress-changed"));
        const mustGuess = !!result.verdict.counters && this.predict.open(this.task).length > 0;
        if (mustGuess && !this.find(".predictions form")) this.predict.ask(this.task);
        else if (result.passed && !mustGuess) void this.helped(() => this.predict.show(this.task));
        this.explain.hide();
        this.showStanding();
    }

    /** Copies a link that opens the text in the playground. */
    private async share() {
        const link = await playgroundLink({ task: this.task, text: this.bench.text });
        try {
            await navigator.clipboard.writeText(link);
            this.bench.say("The link is in the clipboard. It opens this text in the playground.");
        } catch {
            location.href = link;
        }
    }

    // ---- help ----

    private async helped(act: () => Promise<void>) {
        try {
            await act();
        } catch (error) {
            this.bench.say((error as Error).message);
        }
    }

    private async hint() {
        const name = nameOf(this.task);
        const failure = this.bench.last?.failure ?? this.progress.record(name).last_failure;
        const seen = (key: string) => this.progress.record(name).hints[key] ?? 0;
        // The first call returns the hint that applies. The second call requests the next level of that hint.
        const first = await this.examiner.hint(this.task, failure, 1);
        const level = Math.min(seen(first.for) + 1, first.of);
        this.progress.keepHint(name, first.for, level);
        const levels = await Promise.all(Array.from({ length: level }, (_, i) => this.examiner.hint(this.task, failure, i + 1)));
        const texts = levels.map((one) => `<h4>${escapeHtml(capitalizeFirstLetter(one.name))}</h4>${one.is_sentence ? `<p>${withCode(one.text)}</p>` : `<pre tabindex="0" role="group" aria-label="${one.name}">${escapeHtml(one.text.replace(/^\n/, ""))}</pre>`}`);
        const more = level < first.of ? "Press Hint again for more." : "There are no more hints: read the lesson again, or press Explain.";
        this.find(".hints").innerHTML = `<section class="box hint" aria-label="Hint" aria-live="polite"><h3>Hint, ${level} of ${first.of}</h3>${texts.join("")}<p class="faint">${more}</p></section>`;
    }

    private async predictions() {
        if (this.predict.open(this.task).length) this.predict.ask(this.task);
        else await this.predict.show(this.task);
        this.find<HTMLInputElement>(".predictions input")?.focus();
    }

    private async answered() {
        this.bench.costsAreShown = true;
        await this.helped(() => this.predict.show(this.task));
    }

    /** Records the answers to the lesson's questions as predictions, so that the same questions are not asked twice. */
    private takeAnswersOfTheLesson() {
        for (const form of document.querySelectorAll<HTMLFormElement>("form.question[data-counter]")) {
            form.addEventListener("submit", () => {
                const task = { ...this.task, hunt: false };
                const asked = this.predict.open(task).find(({ counter }) => counter === form.dataset.counter);
                const said = Number(form.querySelector("input")?.value.trim().replace(",", ".") || NaN);
                if (!asked || Number.isNaN(said)) return;
                this.progress.keepGuess(nameOf(task), { counter: asked.counter, said, within: asked.within });
                if (!this.task.hunt && this.predict.open(task).length === 0) this.bench.costsAreShown = true;
            });
        }
    }

    /** Lets the lesson's buttons show the learner's own kernel at the moment that the lesson describes. */
    private addWatchButtons() {
        for (const button of document.querySelectorAll<HTMLElement>("button[data-stops]")) {
            const stops = button.dataset.stops as string;
            button.addEventListener("click", () => void this.bench.showMoment({ block: null, step: 0, stops }, 0));
        }
    }

    // ---- the same exercise in another tab ----

    private watchOtherTabs() {
        this.progress.onOtherTab((name, text) => {
            if (name !== nameOf(this.task)) return;
            this.offered = text === this.bench.text ? null : text;
            this.find(".other-tab").hidden = this.offered === null;
        });
        this.find("button[name=theirs]").addEventListener("click", () => this.decide(true));
        this.find("button[name=mine]").addEventListener("click", () => this.decide(false));
    }

    /** Keeps one of the two texts in the editor, and stores the other one among the earlier texts. */
    private decide(takesTheirs: boolean) {
        const theirs = this.offered;
        this.offered = null;
        this.find(".other-tab").hidden = true;
        if (theirs === null) return;
        this.progress.keepEarlierText(nameOf(this.task), takesTheirs ? this.bench.text : theirs);
        if (takesTheirs) this.bench.text = theirs;
        this.progress.keepText(nameOf(this.task), this.bench.text);
        this.showStanding();
    }

    private keep(text: string) {
        // The text that is typed here replaces the other tab's text. Therefore, keep the other text among the earlier
        // texts.
        if (this.offered !== null) this.progress.keepEarlierText(nameOf(this.task), this.offered);
        this.progress.keepText(nameOf(this.task), text);
    }

    // ---- starting again ----

    private textBefore(): string | undefined {
        return this.progress.earlierTexts(nameOf(this.task)).find(({ text }) => text !== this.bench.text)?.text;
    }

    private reset() {
        const { skeleton } = workOf(this.task);
        if (this.bench.text === skeleton) return this.bench.say("The file already has its original text.");
        this.progress.keepEarlierText(nameOf(this.task), this.bench.text);
        this.bench.text = skeleton;
        this.bench.say("The original text is back. Your own text was saved: “My last text” restores it.");
        this.showStanding();
    }

    private restore() {
        const before = this.textBefore();
        if (before !== undefined) this.bringBack(before);
    }

    private bringBack(text: string) {
        this.progress.keepEarlierText(nameOf(this.task), this.bench.text);
        this.bench.text = text;
        this.showStanding();
    }
}
