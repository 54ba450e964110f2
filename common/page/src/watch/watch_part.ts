// "Watch" steps through a kernel line by line, forwards and backwards. It shows the variables of each lane and the
// arrays of the block.

import type { Bench } from "../bench/bench";
import type { Examiner, Task } from "../examiner";
import { movesMatrix } from "../exercises";
import { escapeHtml } from "../words";
import {
    cellsAfter, findStep, hasLane, LANES, lanesOf, nameElement, nameLanes, nameValuesBySource, variablesAfter,
    type MemoryArray, type Step, type StepAccess, type Steps, type Value,
} from "./steps";
import "./watch.css";

interface Answer {
    problem?: string;
    shape: string;
    mistake: string;
    steps: Steps;
}

/** The maximum number of elements of an array that is drawn as a grid. */
const MAX_GRID_CELLS = 8192;
/** The number of elements per row when an array without known extents is drawn. */
const DEFAULT_ROW_ELEMENTS = 32;
const SOURCE_LINES_AROUND = 5;

const markup = `
<h3>Watch it run</h3>
<p class="about"></p>
<div class="tools" role="group" aria-label="Which step">
<button type="button" name="back">Back</button><button type="button" name="forward">Forward</button>
<button type="button" name="next-barrier">Next barrier</button><button type="button" name="mistake">Show me the mistake</button>
<label class="block">Block <input name="block" type="number" min="0"/></label></div>
<label class="follow">Step <input name="step" type="range" min="1"/><output></output></label>
<div class="stage" tabindex="0" role="group" aria-label="The step; the arrow keys move forward and back">
<pre class="source"></pre><div class="events" role="status"></div>
<div class="wide variables" tabindex="0" role="group" aria-label="Variables of the lanes"></div></div>
<div class="grids"></div>`;

const formatShort = (value: Value | null | undefined): string => {
    if (value === null || value === undefined) return "";
    return typeof value === "number" && !Number.isInteger(value) ? String(Number(value.toPrecision(6))) : String(value);
};

export class WatchPart {
    private steps: Steps | null = null;
    private text = "";
    private stepIndex = 0;

    constructor(
        private readonly root: HTMLElement,
        private readonly examiner: Examiner,
    ) {
        root.classList.add("watch", "box");
        root.hidden = true;
        root.innerHTML = markup;
        const on = (name: string, act: () => void) => this.find(`button[name=${name}]`).addEventListener("click", act);
        on("back", () => this.moveToStep(-1, () => true));
        on("forward", () => this.moveToStep(1, () => true));
        on("next-barrier", () => this.moveToStep(1, (step) => step.barriers !== undefined));
        on("mistake", () => this.showMistake());
        this.slider.addEventListener("input", () => this.show(Number(this.slider.value) - 1));
        this.find(".stage").addEventListener("keydown", (event) => this.handleKey(event));
    }

    private find<T extends HTMLElement>(selector: string): T {
        return this.root.querySelector(selector) as T;
    }
    private get slider(): HTMLInputElement {
        return this.find<HTMLInputElement>("input[name=step]");
    }
    private get block(): HTMLInputElement {
        return this.find<HTMLInputElement>("input[name=block]");
    }

    /** Records the steps of a kernel, and shows them. */
    async open(task: Task, text: string) {
        this.root.hidden = false;
        this.showStatus("Running …");
        this.block.onchange = () => void this.record(task, text, Number(this.block.value));
        await this.record(task, text);
    }

    private async record(task: Task, text: string, block?: number) {
        try {
            const answer = await this.examiner.steps<Answer>(task, text, block);
            if (answer.problem !== undefined || answer.steps.steps.length === 0) {
                this.steps = null;
                return this.showStatus(answer.problem ?? "This block has no steps to show.");
            }
            if (movesMatrix(task)) nameValuesBySource(answer.steps);
            this.begin(answer, text);
        } catch (error) {
            this.showStatus((error as Error).message);
        }
    }

    private begin({ steps, shape, mistake }: Answer, text: string) {
        this.steps = steps;
        this.text = text;
        this.slider.max = String(steps.steps.length);
        const [x, y, z] = steps.block_index;
        this.showStatus(`${shape}, block (${x}, ${y}, ${z}). ${mistake}${steps.is_complete ? "" : " Only the first steps were recorded."}`);
        this.find("button[name=mistake]").hidden = steps.moments.length === 0;
        this.show(steps.moments[0]?.step ?? 0);
    }

    private showStatus(words: string) {
        this.find(".about").textContent = words;
    }

    // ---- which step ----

    private moveToStep(by: 1 | -1, isWanted: (step: Step, at: number) => boolean) {
        if (this.steps) this.show(findStep(this.steps, this.stepIndex, by, isWanted));
    }

    /** Shows the next mistake or, after the last one, the first mistake. */
    private showMistake() {
        const all = (this.steps?.moments ?? []).map(({ step }) => step);
        this.show(all.find((step) => step > this.stepIndex) ?? all[0] ?? this.stepIndex);
    }

    private handleKey(event: KeyboardEvent) {
        const warp = this.steps?.steps[this.stepIndex]?.warp;
        const acts: Record<string, () => void> = {
            ArrowRight: () => this.moveToStep(1, () => true),
            ArrowLeft: () => this.moveToStep(-1, () => true),
            ArrowDown: () => this.moveToStep(1, (step) => step.warp === warp),
            ArrowUp: () => this.moveToStep(-1, (step) => step.warp === warp),
        };
        const act = acts[event.key];
        if (!act) return;
        event.preventDefault();
        act();
    }

    // ---- one step ----

    private show(at: number) {
        if (!this.steps) return;
        this.stepIndex = at;
        const step = this.steps.steps[at] as Step;
        this.root.dataset.step = String(at);
        this.slider.value = String(at + 1);
        const words = `${at + 1} of ${this.steps.steps.length}: warp ${step.warp}, ${nameLanes(step.active)}`;
        this.find("output").textContent = words;
        this.slider.setAttribute("aria-valuetext", words);
        this.find(".source").innerHTML = this.sourceAround(step.line);
        this.find(".events").innerHTML = this.events(step).map((words) => `<p>${escapeHtml(words)}</p>`).join("");
        this.find(".variables").innerHTML = this.table(at, step);
        this.find(".grids").innerHTML = this.steps.arrays.map((array, number) => this.grid(array, number, at)).join("");
    }

    private sourceAround(line: number): string {
        const lines = this.text.split("\n");
        const first = Math.max(1, line - SOURCE_LINES_AROUND);
        return lines
            .slice(first - 1, line + SOURCE_LINES_AROUND)
            .map((text, k) => {
                const shown = `${String(first + k).padStart(4)}  ${escapeHtml(text)}`;
                return first + k === line ? `<mark aria-current="step">${shown}</mark>` : shown;
            })
            .join("\n");
    }

    private events(step: Step): string[] {
        const { arrays, moments } = this.steps as Steps;
        const found = moments
            .filter((moment) => moment.step === this.stepIndex)
            .map(({ check, kind, message }) => (check === "result" ? "This step stores the wrong element." : `${kind}: ${message}`));
        for (const access of step.accesses ?? []) {
            const array = arrays[access.array] as MemoryArray;
            const cost = access.wavefronts ?? access.sectors ?? 0;
            const unit = (access.wavefronts === undefined ? "sector" : "wavefront") + (cost === 1 ? "" : "s");
            const least = cost > access.ideal ? `, where ${access.ideal} would be enough` : "";
            const async = access.asynchronous ? ", asynchronous" : "";
            found.push(`${access.kind} ${access.kind === "load" ? "from" : "to"} ${array.name}: ${nameLanes(access.lanes)}, ${cost} ${unit}${least}${async}`);
        }
        for (const { barrier, arrived, expected, complete } of step.barriers ?? [])
            found.push(`Barrier ${barrier}: ${arrived} of ${expected} threads have arrived${complete ? ", so all of them continue" : ""}.`);
        for (const { lanes, why, line } of step.waiting ?? [])
            found.push(why === "exited" ? `${nameLanes(lanes)} have ended.` : `${nameLanes(lanes)} wait (${why}), line ${line}.`);
        if (step.in_flight) found.push(`${step.in_flight} bytes of asynchronous copies are in flight.`);
        return found;
    }

    private table(at: number, step: Step): string {
        const lanes = Array.from({ length: LANES }, (_, lane) => lane);
        const isIdle = (lane: number) => (hasLane(step.active, lane) ? "" : " idle");
        const head = lanes.map((lane) => `<th scope="col" class="lane-${lane}${isIdle(lane)}">${lane}</th>`).join("");
        const rows = variablesAfter(this.steps as Steps, at).map(({ variable, values, changed }) => {
            const cells = lanes.map((lane) => {
                const mark = hasLane(changed, lane) ? "changed" : "";
                return `<td class="${mark}${isIdle(lane)}">${escapeHtml(formatShort(values[lane]))}</td>`;
            });
            return `<tr><th scope="row" title="${escapeHtml(variable.type)}">${escapeHtml(variable.name)}</th>${cells.join("")}</tr>`;
        });
        return `<table><caption>Variables after this step, by lane; changed values are marked</caption>
            <thead><tr><th scope="col">lane</th>${head}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
    }

    /** Draws an array. Elements that the step accesses show the lane's number and colour. */
    private grid(array: MemoryArray, number: number, at: number): string {
        const step = (this.steps as Steps).steps[at] as Step;
        const count = Math.floor(array.size / Math.max(array.bytes, 1));
        const isUsed = (this.steps as Steps).steps.some(({ accesses }) => accesses?.some((access) => access.array === number));
        if (count === 0 || count > MAX_GRID_CELLS || !isUsed) return "";
        const cells = cellsAfter(this.steps as Steps, number, at);
        const now = new Map<number, number>();
        for (const access of step.accesses ?? []) if (access.array === number) this.addTouched(access, array, now);
        const width = array.extents.length > 1 ? (array.extents.at(-1) as number) : DEFAULT_ROW_ELEMENTS;
        let rects = "";
        for (let k = 0; k < count; k++) {
            const cell = cells.get(k);
            const lane = now.get(k);
            if (!cell && lane === undefined) continue;
            const [x, y] = [(k % width) * 10, Math.floor(k / width) * 10];
            const colour = lane === undefined ? "written" : "touched";
            const hue = lane === undefined ? "" : ` style="--lane: ${lane}"`;
            const writer = cell ? `, written by warp ${cell.warp} lane ${cell.lane} in step ${cell.step + 1}: ${formatShort(cell.value)}` : "";
            rects += `<rect class="${colour}"${hue} x="${x}" y="${y}" width="9" height="9"><title>${escapeHtml(nameElement(array, k * array.bytes) + writer)}</title></rect>`;
        }
        const height = Math.ceil(count / width) * 10;
        const label = `${array.name} in ${array.space} memory, ${Math.ceil(count / width)} x ${width} elements, ${cells.size} written so far`;
        return `<figure><svg class="diagram" role="img" viewBox="0 0 ${width * 10} ${height}" style="max-width: ${width * 10}px" aria-label="${escapeHtml(label)}">
            <rect class="ground" width="${width * 10}" height="${height}"/>${rects}</svg><figcaption>${escapeHtml(label)}</figcaption></figure>`;
    }

    private addTouched(access: StepAccess, array: MemoryArray, now: Map<number, number>) {
        lanesOf(access.lanes).forEach((lane, nth) => {
            const first = Math.floor((access.offsets[nth] as number) / array.bytes);
            for (let k = 0; k < Math.max(1, access.bytes / array.bytes); k++) now.set(first + k, lane);
        });
    }
}

/** Adds the Watch button, and the part that it opens, to a bench. `task` returns the task that is open on the bench. */
export function addWatch(bench: Bench, examiner: Examiner, task: () => Task): HTMLButtonElement {
    const holder = document.createElement("section");
    holder.setAttribute("aria-label", "Watch it run");
    bench.find(".outcome").after(holder);
    const part = new WatchPart(holder, examiner);
    return bench.addTool("watch", "Watch", () => void part.open(task(), bench.text));
}
