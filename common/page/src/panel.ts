// A panel for one kernel. It contains controls, the accesses of a warp, the source, and the counters.

import { AccessesPart } from "./accesses_part";
import { checkedTask, findVariant, launchFor, steps, type Step, type Variant } from "./course";
import { gpus } from "./exercises";
import { Refusal, type Access, type Counters, type Result, type Simulator } from "./simulator";
import type { PanelState } from "./state";
import { serializeRuns, type SimulatorThread } from "./thread";
import { TimePart } from "./time_part";
import { countOf, escapeHtml, round } from "./words";

/** The maximum number of accesses to trace for a warp. */
const MAX_TRACED_ACCESSES = 1000;
const LARGEST = 2048;

const markup = (id: string) => `
<h2 class="unseen">Kernel ${Number(id) + 1}</h2>
<form class="controls" aria-label="What to run">
  <label>Step <select name="step"></select></label>
  <label>Variant <select name="variant"></select></label>
  <label>Rows <input name="rows" type="number" min="1" max="${LARGEST}"/></label>
  <label>Columns <input name="cols" type="number" min="1" max="${LARGEST}"/></label>
  <label>Block number <input name="block" type="number" min="0"/></label>
  <label>Warp <input name="warp" type="number" min="0" max="31"/></label>
  <label>Threads across <input name="across" type="number" min="1" max="1024"/></label>
  <label>Threads down <input name="down" type="number" min="1" max="1024"/></label>
</form>
<p class="about"></p>
<p class="verdict" role="status"></p>
<ul class="reports"></ul>
<section class="accesses" aria-label="One access of the warp"></section>
<div class="columns">
  <section class="source" aria-label="The kernel's source"><div class="lines" tabindex="0" role="group" aria-label="Source lines"></div></section>
  <section class="tile" aria-label="Shared memory"></section>
</div>
<section class="time" aria-label="Predicted time"></section>
<section aria-label="Counters"><div class="wide" tabindex="0" role="group" aria-label="Table of counters">
<table class="counters"><thead><tr><th>Counter</th><th>This warp so far</th><th>Whole launch</th><th>Per request</th></tr></thead><tbody></tbody></table></div></section>
<details class="ptx"><summary>The PTX, which you can edit</summary>
<label class="unseen" for="ptx-${id}">PTX</label><textarea id="ptx-${id}" spellcheck="false" rows="20"></textarea>
<p><button type="button" name="run-ptx">Run this PTX</button> <button type="button" name="reset-ptx">Restore the lesson's PTX</button></p></details>`;

/**
 * The rows of the table: a title, the counter of requests, the counter of their cost, and a test that selects the
 * accesses to add up.
 */
const COUNTED: [string, string, string, (access: Access) => boolean][] = [
    ["Loads, sectors", "load_requests", "load_sectors", (a) => a.memory !== "shared" && !a.store],
    ["Stores, sectors", "store_requests", "store_sectors", (a) => a.memory !== "shared" && a.store],
    ["Shared loads, wavefronts", "shared_load_requests", "shared_load_wavefronts", (a) => a.memory === "shared" && !a.store],
    ["Shared stores, wavefronts", "shared_store_requests", "shared_store_wavefronts", (a) => a.memory === "shared" && a.store],
];

export class Panel {
    private result: Result | null = null;
    private editedPtx: string | null = null;
    private readonly accessesPart: AccessesPart;
    private readonly timePart: TimePart;
    private readonly predict = serializeRuns(() => this.predicted());

    constructor(
        readonly root: HTMLElement,
        private readonly simulator: Simulator,
        private readonly thread: SimulatorThread,
        public state: PanelState,
        private readonly changed: () => void,
        id: string,
    ) {
        root.innerHTML = markup(id);
        this.accessesPart = new AccessesPart(this.find("section.accesses"), this.find("section.tile"), (at) => {
            this.state.at = at;
            this.showStep();
            this.changed();
        });
        this.timePart = new TimePart(this.find("section.time"), gpus(), state.time, () => {
            this.changed();
            void this.predict();
        });
        this.state.time = this.timePart.choice;
        this.select("step").append(...steps().map((step) => new Option(`${step.name}: ${step.title}`, step.name)));
        this.listen();
        this.run();
    }

    private find<T extends Element>(selector: string): T {
        return this.root.querySelector(selector) as T;
    }
    private select(name: string): HTMLSelectElement {
        return this.find(`select[name=${name}]`);
    }
    private field(name: string): HTMLInputElement {
        return this.find(`input[name=${name}]`);
    }

    private listen() {
        this.find<HTMLFormElement>("form").addEventListener("submit", (event) => event.preventDefault());
        this.find("form").addEventListener("change", (event) => this.take(event.target as HTMLInputElement));
        const click = (name: string, act: () => void) =>
            this.find(`button[name=${name}]`).addEventListener("click", act);
        click("run-ptx", () => {
            this.editedPtx = this.find<HTMLTextAreaElement>("textarea").value;
            this.run();
        });
        click("reset-ptx", () => {
            this.editedPtx = null;
            this.run();
        });
    }

    /** Stores the new value of a control in the state. */
    private take(field: HTMLInputElement) {
        const state = this.state;
        state.at = 0;
        if (field.name === "step") {
            state.step = field.value;
            state.variant = "";
        }
        if (field.name === "step" || field.name === "variant") {
            if (field.name === "variant") state.variant = field.value;
            delete state.shape;
            this.editedPtx = null;
        }
        const number = Math.max(Number(field.min || 0), Math.floor(Number(field.value) || 0));
        if (field.name === "rows") state.rows = Math.min(number, LARGEST);
        if (field.name === "cols") state.cols = Math.min(number, LARGEST);
        if (field.name === "block") state.block = number;
        if (field.name === "warp") state.warp = number;
        if (field.name === "across" || field.name === "down") {
            state.shape = [Number(this.field("across").value) || 1, Number(this.field("down").value) || 1];
        }
        this.run();
        this.changed();
    }

    /** Returns the step and the variant that the state names. Replaces unknown names with the first step or variant. */
    private chosen(): [Step, Variant] {
        const found = findVariant(this.state.step, this.state.variant);
        if (found) return found;
        const step = steps().find((one) => one.name === this.state.step) ?? (steps()[0] as Step);
        const variant = step.variants[0] as Variant;
        this.state.step = step.name;
        this.state.variant = variant.name;
        return [step, variant];
    }

    // ---- running ----

    private run() {
        const [step, variant] = this.chosen();
        const { rows, cols, shape } = this.state;
        const launch = launchFor(variant, rows, cols, shape);
        this.showControls(step, variant, launch.block);
        void this.predict();
        const verdict = this.find<HTMLElement>(".verdict");
        this.result = null;
        try {
            if (rows % variant.rows_multiple || cols % variant.cols_multiple) {
                throw new Refusal(`For this kernel, the number of rows must be a multiple of ${variant.rows_multiple}, and the number of columns a multiple of ${variant.cols_multiple}.`);
            }
            this.limitPlaces(launch.grid, launch.block);
            this.result = this.simulator.run(this.editedPtx ?? step.ptx, {
                ...launch,
                rows,
                cols,
                traced_block: this.state.block,
                traced_warp: this.state.warp,
                limit: MAX_TRACED_ACCESSES,
                produces: checkedTask(variant.produces),
            });
            this.showVerdict(variant);
        } catch (error) {
            if (!(error instanceof Refusal)) throw error;
            verdict.className = "verdict wrong";
            verdict.textContent = error.message;
        }
        this.show();
    }

    /** Limits the indices of the block and the warp to those in the launch. */
    private limitPlaces(grid: number[], block: number[]) {
        const product = (list: number[]) => list.reduce((one, other) => one * other, 1);
        this.state.block = Math.min(this.state.block, product(grid) - 1);
        this.state.warp = Math.min(this.state.warp, Math.ceil(product(block) / 32) - 1);
        this.field("block").value = String(this.state.block);
        this.field("warp").value = String(this.state.warp);
    }

    private async predicted() {
        const [step, variant] = this.chosen();
        const { gpu, size } = this.state.time;
        this.timePart.wait();
        try {
            const launch = launchFor(variant, size, size, this.state.shape);
            const question = { ...launch, rows: size, cols: size, gpu };
            this.timePart.show(await this.thread.predict(this.editedPtx ?? step.ptx, question));
        } catch (error) {
            this.timePart.refuse((error as Error).message);
        }
    }

    private showVerdict(variant: Variant) {
        const { status, wrong, reports, accesses, milliseconds } = this.result as Result;
        const verdict = this.find<HTMLElement>(".verdict");
        const isRight = status === 0 && !wrong && !reports.length;
        verdict.className = `verdict ${isRight ? "right" : "wrong"}`;
        verdict.dataset.milliseconds = String(milliseconds);
        const outcome =
            status !== 0
                ? `The kernel was stopped (error ${status}).`
                : wrong
                  ? `${countOf(wrong, "cell")} of out ${wrong === 1 ? "is" : "are"} wrong.`
                  : checkedTask(variant.produces)
                    ? "Every cell of out is right."
                    : "The kernel ran to completion.";
        const cut = accesses.length === MAX_TRACED_ACCESSES ? ` Only the first ${MAX_TRACED_ACCESSES} accesses of the warp are shown.` : "";
        verdict.textContent = `${this.state.rows} x ${this.state.cols}, simulated. ${outcome}${cut}`;
    }

    // ---- stepping ----

    private get accesses(): Access[] {
        return this.result?.accesses ?? [];
    }

    move(by: number) {
        this.accessesPart.move(by);
    }

    nextConflict() {
        this.accessesPart.nextConflict();
    }

    // ---- showing ----

    private showControls(step: Step, variant: Variant, block: number[]) {
        this.select("step").value = step.name;
        this.select("variant").replaceChildren(...step.variants.map((one) => new Option(one.name, one.name)));
        this.select("variant").value = variant.name;
        for (const name of ["rows", "cols", "block", "warp"] as const) {
            this.field(name).value = String(this.state[name]);
        }
        this.field("across").value = String(block[0]);
        this.field("down").value = String(block[1]);
        this.find(".about").textContent = variant.about;
        if (this.editedPtx === null) this.find<HTMLTextAreaElement>("textarea").value = step.ptx;
    }

    private show() {
        this.state.at = this.accessesPart.show(this.accesses, this.state.at, this.result ? "This warp touches no memory." : "No kernel has run yet.");
        this.showReports();
        this.showStep();
    }

    /** Updates everything that depends on the access that is shown. */
    private showStep() {
        this.showSource(this.accesses[this.state.at]?.line ?? 0);
        this.showCounters();
    }

    private showReports() {
        const items = (this.result?.reports ?? []).map((report) => {
            const item = document.createElement("li");
            item.textContent = `Line ${report.line}: ${report.check}, ${report.kind}. ${report.message} ${report.cure}`;
            return item;
        });
        this.find(".reports").replaceChildren(...items);
    }

    /** Shows the kernel's source with the cost of each line. */
    private showSource(current: number) {
        const [step] = this.chosen();
        const source = step.source.split("\n");
        const costs = new Map((this.result?.lines ?? []).map((row) => [row.line, row.counters]));
        const touched = [...this.accesses.map((access) => access.line), ...costs.keys()].filter((line) => line > 0);
        let first = Math.min(...touched, source.length);
        let last = Math.max(...touched, 1);
        while (first > 1 && !(source[first - 1] as string).includes("__global__")) first--;
        while (last < source.length && !(source[last - 1] as string).startsWith("}")) last++;
        const html = source.slice(first - 1, last).map((text, i) => {
            const line = first + i;
            const mark = line === current ? ' class="current" aria-current="true"' : "";
            return `<div${mark}><span class="number">${line}</span><code>${escapeHtml(text) || " "}</code><span class="cost">${costText(costs.get(line))}</span></div>`;
        });
        this.find(".lines").innerHTML = html.join("");
        const box = this.find<HTMLElement>(".lines");
        const mark = box.querySelector<HTMLElement>(".current");
        if (mark) box.scrollTop = mark.offsetTop - box.clientHeight / 2;
    }

    private showCounters() {
        const counters = this.result?.counters ?? {};
        const soFar = this.accesses.slice(0, this.state.at + 1);
        const rows = COUNTED.map(([name, requests, cost, isCounted]) => {
            const mine = soFar.filter(isCounted);
            const sum = mine.reduce((total, access) => total + access.cost, 0);
            const whole = counters[requests] ?? 0;
            const each = whole ? (counters[cost] ?? 0) / whole : 0;
            return `<tr data-counter="${cost}"><td class="idea ${cost.startsWith("shared") ? "shared" : "global"}">${name}</td><td>${mine.length} → ${sum}</td><td>${whole.toLocaleString("en")} → ${(counters[cost] ?? 0).toLocaleString("en")}</td><td>${whole ? round(each) : "-"}</td></tr>`;
        });
        const conflicts = ["load", "store"].reduce(
            (sum, kind) => sum + (counters[`shared_${kind}_wavefronts`] ?? 0) - (counters[`shared_${kind}_ideal`] ?? 0), 0);
        rows.push(`<tr data-counter="conflicts"><td>Bank conflicts</td><td></td><td>${conflicts.toLocaleString("en")}</td><td></td></tr>`);
        this.find("tbody").innerHTML = rows.join("");
    }
}

function costText(counters: Counters | undefined): string {
    if (!counters) return "";
    const parts = COUNTED.flatMap(([name, requests, cost]) =>
        counters[requests] ? [`${name.split(",")[0]} ${round((counters[cost] ?? 0) / (counters[requests] ?? 1))}`] : [],
    );
    return escapeHtml(parts.join("; "));
}
