// Shows a learner's kernel beside the solution, and explains the costs.

import { showDifference } from "../editor/difference";
import type { Examined, Examiner, Task } from "../examiner";
import { nameOf, workOf } from "../exercises";
import { escapeHtml, joinUnits } from "../words";
import type { Progress } from "./progress";

export class ExplainPart {
    constructor(
        private readonly root: HTMLElement,
        private readonly examiner: Examiner,
        private readonly progress: Progress,
    ) {}

    hide() {
        this.root.replaceChildren();
    }

    async show(task: Task, text: string, result: Examined | null) {
        this.root.innerHTML = `<section class="box explained" aria-label="Explained"><h3>Why the kernel costs this much</h3><div class="why"></div>
<h3>The solution beside your kernel</h3><div class="difference"></div></section>`;
        if (result?.passed || this.progress.hasPassed(nameOf(task))) this.showSolution(task, text);
        else this.offerSolution(task, text);
        await this.showWhy(task, text, result);
    }

    private find(selector: string): HTMLElement {
        return this.root.querySelector(selector) as HTMLElement;
    }

    private async showWhy(task: Task, text: string, result: Examined | null) {
        if (!result?.verdict.counters) {
            this.find(".why").innerHTML = "<p>There are no costs to explain yet: run the kernel first.</p>";
            return;
        }
        const lines = result.lines.map(({ line, reasons }) => `<dt>Line ${line}: <code>${escapeHtml(text.split("\n")[line - 1]?.trim() ?? "")}</code></dt>${reasons.map((reason) => `<dd>${escapeHtml(reason)}</dd>`).join("")}`);
        const { time, time_line } = await this.examiner.explain(task, text, result.verdict);
        const why = time ? [...time.why, ...time.unknown, time.cure].filter(Boolean) : [];
        this.find(".why").innerHTML = `<dl>${lines.join("")}</dl>${why.map((sentence) => `<p>${escapeHtml(joinUnits(sentence))}</p>`).join("")}${
            time_line ? `<details><summary>One multiprocessor, moment by moment</summary><pre tabindex="0" role="group" aria-label="The timeline as text">${escapeHtml(time_line)}</pre></details>` : ""}`;
    }

    private offerSolution(task: Task, text: string) {
        this.find(".difference").innerHTML = `<p>The solution is shown once your kernel has passed. <button type="button">Show it anyway</button></p>`;
        this.find(".difference button").addEventListener("click", () => this.showSolution(task, text));
    }

    private showSolution(task: Task, text: string) {
        this.progress.keepSolutionSeen(nameOf(task));
        const { solution } = workOf(task);
        if (solution === text) this.find(".difference").innerHTML = "<p>Your kernel is identical to the solution.</p>";
        else showDifference(this.find(".difference"), text, solution);
    }
}
