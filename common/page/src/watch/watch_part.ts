// "Watch" steps through a kernel line by line, forwards and backwards. It shows the variables of each lane and the
// arrays of the block.

import type { Bench, ShowMoment } from "../bench/bench";
import { explainMissingCompiler } from "../examiner";
import { escapeHtml } from "../words";
import {
    cellsAfter, findStep, hasLane, LANES, lanesOf, nameElement, nameLanes, nameValuesBySource, variablesAfter,
    type MemoryArray, type Step, type StepAccess, type Steps, type Value,
} from "./steps";
import { findStops, parseStops } from "./stops";
import "./watch.css";

/** The answer of the simulator (wasm/README.md). */
export interface StepsAnswer {
    problem?: string;
    shape: string;
    mistake: string;
    steps: Steps;
}

/** A moment of a run, as in a link. */
export interface Moment {
    /** The linear index of the block, or null for the block that the page chooses. */
    block: number | null;
    /** The step, counted from 1, or 0 for the first stop. */
    step: number;
    /** The reader's stops, as text. */
    stops: string;
}

/** A kernel whose steps can be recorded. */
export interface Watched {
    text: string;
    /** Whether the kernel only moves elements, so that a value is best named by its source. */
    movesMatrix: boolean;
    record(block: number | null): Promise<StepsAnswer>;
    /** Returns a link that opens the kernel at a moment. */
    link(moment: Moment): Promise<string>;
}

/** The maximum number of elements of an array that is drawn as a grid. */
const MAX_GRID_CELLS = 8192;
/** The number of elements per row when an array without known extents is drawn. */
const DEFAULT_ROW_ELEMENTS = 32;
const SOURCE_LINES_AROUND = 5;

const markup = `
<h3>Watch it run</h3>
<p class="about" role="status"></p>
<div class="tools" role="group" aria-label="Which step">
<button type="button" name="back">Back</button><button type="button" name="forward">Forward</button>
<button type="button" name="last-stop">Last stop</button><button type="button" name="next-stop">Next stop</button>
<button type="button" name="next-barrier">Next barrier</button><button type="button" name="mistake">Show me the mistake</button>
<button type="button" name="link">Copy a link to this step</button></div>
<div class="controls"><label class="stops">Stop at <input name="stops" type="text" autocomplete="off" spellcheck="false"
 placeholder="12; row == 5; wavefronts > 1"/></label>
<label class="block">Block <input name="block" type="number" min="0"/></label></div>
<p class="stops-told" role="status"></p>
<label class="follow">Step <input name="step" type="range" min="1"/><output></output></label>
<div class="stage" tabindex="0" role="group" aria-label="The step; the arrow keys move forward and back">
<pre class="source"></pre><div class="events" role="status"></div>
<div class="wide variables" tabindex="0" role="group" aria-label="Variables of the lanes"></div></div>
<div class="grids"></div>
<details class="extra"><summary>What stops and keys mean</summary>
<p>A stop is a line (<code>12</code>), a condition (<code>row == 5 &amp;&amp; lane &lt; 4</code>), or both
(<code>12: row == 5</code>). Semicolons separate several stops. A condition stops where it becomes true in a lane.
Besides the kernel's variables, it may use <code>lane</code>, <code>warp</code> and <code>thread</code>;
<code>sectors</code> and <code>wavefronts</code> of an access; <code>waiting</code>, the number of lanes that wait;
<code>arrived</code>, the number of threads at a barrier; and <code>in_flight</code>, the bytes of asynchronous copies.
The number of a line is a button that stops there.</p>
<p>Keys, while the step has the focus: right and left, a step; down and up, a step of the same warp; <kbd>n</kbd> and
<kbd>p</kbd>, the next and the last stop; <kbd>b</kbd>, the next barrier; <kbd>m</kbd>, the mistake; Home and End.</p>
</details>`;

const formatShort = (value: Value | null | undefined): string => {
    if (value === null || value === undefined) return "";
    return typeof value === "number" && !Number.isInteger(value) ? String(Number(value.toPrecision(6))) : String(value);
};

export class WatchPart {
    private watched: Watched | null = null;
    private steps: Steps | null = null;
    private stepIndex = 0;
    /** The indices of the steps at which to stop. */
    private stopSteps: number[] = [];
    /** Counts the recordings, so that only the latest is shown. */
    private recordings = 0;

    constructor(private readonly root: HTMLElement) {
        root.classList.add("watch", "box");
        root.hidden = true;
        root.innerHTML = markup;
        const on = (name: string, act: () => void) => this.find(`button[name=${name}]`).addEventListener("click", act);
        on("back", () => this.moveToStep(-1, () => true));
        on("forward", () => this.moveToStep(1, () => true));
        on("last-stop", () => this.moveToStop(-1));
        on("next-stop", () => this.moveToStop(1));
        on("next-barrier", () => this.moveToStep(1, (step) => step.barriers !== undefined));
        on("mistake", () => this.showMistake());
        on("link", () => void this.copyLink());
        this.slider.addEventListener("input", () => this.show(Number(this.slider.value) - 1));
        this.stops.addEventListener("change", () => this.updateStops());
        this.block.addEventListener("change", () => void this.record({ ...this.moment, block: this.blockNumber, step: 1 }));
        this.find(".stage").addEventListener("keydown", (event) => this.handleKey(event));
        this.find(".source").addEventListener("click", ({ target }) => {
            const line = (target as HTMLElement).closest<HTMLElement>("button[data-line]")?.dataset.line;
            if (line) this.toggleLine(line);
        });
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
    private get stops(): HTMLInputElement {
        return this.find<HTMLInputElement>("input[name=stops]");
    }
    private get blockNumber(): number | null {
        return this.block.value === "" ? null : Number(this.block.value);
    }
    /** The moment that is shown, or the last one that was. */
    get moment(): Moment {
        return { block: this.blockNumber, step: this.stepIndex + 1, stops: this.stops.value };
    }

    /**
     * Records the steps of a kernel and shows a moment. Without a moment, shows the kernel's mistake or, if it has none
     * that shows in the run, the first access in the line `line` that costs more than necessary.
     */
    async open(watched: Watched, moment: Moment | null = null, line = 0) {
        this.watched = watched;
        this.root.hidden = false;
        this.block.value = String(moment?.block ?? "");
        if (moment) this.stops.value = moment.stops;
        await this.record(moment, line);
    }

    private async record(moment: Moment | null, line = 0) {
        const watched = this.watched as Watched;
        const recording = ++this.recordings;
        this.showStatus("Running …");
        this.root.setAttribute("aria-busy", "true");
        delete this.root.dataset.step;
        try {
            const answer = await watched.record(moment?.block ?? null);
            if (recording !== this.recordings) return;
            if (answer.problem !== undefined || answer.steps.steps.length === 0) {
                this.steps = null;
                return this.showStatus(answer.problem ?? "This block has no steps to show.");
            }
            if (watched.movesMatrix) nameValuesBySource(answer.steps);
            this.begin(answer, moment, line);
        } catch (error) {
            if (recording === this.recordings) this.showStatus((error as Error).message);
        } finally {
            if (recording === this.recordings) this.root.setAttribute("aria-busy", "false");
        }
    }

    private begin({ steps, shape, mistake }: StepsAnswer, moment: Moment | null, line: number) {
        this.steps = steps;
        const count = steps.steps.length;
        this.slider.max = String(count);
        const [x, y, z] = steps.block_index;
        const rest = steps.is_complete ? "" : `The block has more steps; the first ${count} were recorded.`;
        this.showStatus([`${shape ? `${shape}, ` : ""}block (${x}, ${y}, ${z}).`, mistake, rest].filter(Boolean).join(" "));
        this.find("button[name=mistake]").hidden = steps.moments.length === 0;
        this.updateStops();
        const wasteful = steps.steps.findIndex((step) =>
            step.line === line && step.accesses?.some(({ sectors, wavefronts, ideal }) => (sectors ?? wavefronts ?? 0) > ideal));
        const first = steps.moments[0]?.step ?? Math.max(0, wasteful);
        const wanted = moment ? (moment.step ? moment.step - 1 : (this.stopSteps[0] ?? 0)) : first;
        this.show(Math.min(wanted, count - 1));
    }

    // ---- stops ----

    private updateStops() {
        if (!this.steps) return;
        const told = this.find(".stops-told");
        this.stops.removeAttribute("aria-invalid");
        told.textContent = "";
        this.stopSteps = [];
        try {
            this.stopSteps = findStops(this.steps, parseStops(this.stops.value));
            if (this.stops.value.trim() && this.stopSteps.length === 0) told.textContent = "No step of this block stops there.";
        } catch (error) {
            this.stops.setAttribute("aria-invalid", "true");
            told.textContent = (error as Error).message;
        }
        for (const name of ["last-stop", "next-stop"]) this.find<HTMLButtonElement>(`button[name=${name}]`).disabled = this.stopSteps.length === 0;
        if (this.root.dataset.step !== undefined) this.show(this.stepIndex);
    }

    /** Returns the lines in the text of the stops that have no condition. */
    private get stopLines(): string[] {
        return this.stops.value.split(/[;,]/).map((one) => one.trim()).filter((one) => /^\d+$/.test(one));
    }

    private toggleLine(line: string) {
        const others = this.stops.value.split(/[;,]/).map((one) => one.trim()).filter((one) => one && one !== line);
        this.stops.value = (this.stopLines.includes(line) ? others : [...others, line]).join("; ");
        this.updateStops();
        this.find(`.source button[data-line="${line}"]`)?.focus();
    }

    private moveToStop(by: 1 | -1) {
        this.moveToStep(by, (_, at) => this.stopSteps.includes(at));
    }

    private async copyLink() {
        if (!this.watched || !this.steps) return;
        const link = await this.watched.link(this.moment);
        try {
            await navigator.clipboard.writeText(link);
            this.find(".stops-told").textContent = "The link was copied. It opens this kernel at this step.";
        } catch {
            location.href = link;
        }
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
            n: () => this.moveToStop(1),
            p: () => this.moveToStop(-1),
            b: () => this.moveToStep(1, (step) => step.barriers !== undefined),
            m: () => this.showMistake(),
            Home: () => this.show(0),
            End: () => this.show((this.steps?.steps.length ?? 1) - 1),
        };
        const act = event.ctrlKey || event.altKey || event.metaKey ? undefined : acts[event.key];
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
        const lines = (this.watched as Watched).text.split("\n");
        const first = Math.max(1, line - SOURCE_LINES_AROUND);
        const stops = this.stopLines;
        return lines
            .slice(first - 1, line + SOURCE_LINES_AROUND)
            .map((text, k) => {
                const number = first + k;
                const button = `<button type="button" class="number" data-line="${number}" aria-pressed="${stops.includes(String(number))}" aria-label="Stop at line ${number}">${String(number).padStart(4)}</button>`;
                const shown = `${button}  ${escapeHtml(text)}`;
                return number === line ? `<mark aria-current="step">${shown}</mark>` : shown;
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

/**
 * Adds the Watch button, and the part that it opens, to a bench. `watched` returns the kernel that is open on the bench.
 */
export function addWatch(bench: Bench, watched: () => Watched) {
    const holder = document.createElement("section");
    holder.setAttribute("aria-label", "Watch it run");
    bench.find(".outcome").after(holder);
    const part = new WatchPart(holder);
    const show: ShowMoment = async (moment, line) => {
        if (explainMissingCompiler()) return bench.say(explainMissingCompiler());
        try {
            const opened = part.open(watched(), moment, line);
            holder.scrollIntoView({ block: "start" });
            await opened;
        } catch (error) {
            bench.say((error as Error).message);
        }
    };
    bench.showMoment = show;
    bench.addTool("watch", "Watch", () => void show(null, 0));
}
