// A kernel with three sliders, for the block size, the elements per thread and the padding. At each position of the
// sliders, shows the counters and the time, and how they differ from the previous position.

import { gpus } from "./exercises";
import { serializeRuns, type SimulatorThread } from "./thread";
import type { Counters, Time } from "./simulator";
import type { SlidersState } from "./state";
import { countQuestion, lessonOf, nearestPosition, POSITIONS, ptxOf, sharedBytes, sourceOf, tileRows, timeQuestion, type Tile } from "./tile";
import { TimePart } from "./time_part";
import { capitalizeFirstLetter, countOf, round, joinUnits } from "./words";

const SLIDER_NAMES: (keyof Tile)[] = ["down", "elements", "padding"];

/** Describes the position of a slider. */
const SLIDER_LABELS: Record<keyof Tile, (value: number) => string> = {
    down: (value) => `32 x ${value} threads`,
    elements: (value) => countOf(value, "element"),
    padding: (value) => countOf(value, "float"),
};

const slider = (name: keyof Tile, label: string) => `
<div class="slider"><label for="tile-${name}">${label}</label><output for="tile-${name}"></output>
<input id="tile-${name}" name="tile-${name}" type="range" min="0" max="${POSITIONS[name].length - 1}" step="1"/></div>`;

const markup = `
<h2>Block, elements per thread, padding</h2>
<p>One kernel combines lessons 03 to 05. Move a slider to see how the cost of a request and the predicted time change.
The kernel is compiled again for each position, so the table also counts its instructions.</p>
<div class="two-columns">
<div>
  <form class="sliders" aria-label="The kernel">${slider("down", "Block")}${slider("elements", "Elements per thread")}${slider("padding", "Padding of a tile's row")}</form>
  <p class="lesson"></p>
  <div class="wide" tabindex="0" role="group" aria-label="Table of costs">
  <table class="counters"><thead><tr><th>Counted</th><th>Before</th><th>Now</th></tr></thead><tbody class="counted"></tbody>
  <thead><tr><th colspan="3" class="prediction">Predicted</th></tr></thead><tbody class="predicted"></tbody></table></div>
  <details class="source"><summary>The kernel's source</summary><div class="wide" tabindex="0" role="group" aria-label="The kernel's source"><pre></pre></div></details>
</div>
<section aria-label="Predicted time of the kernel with sliders"></section>
</div>`;

/** A row of the table: a key for tests, a name, and the value. */
type Row = [string, string, string];

function perRequest(counters: Counters, cost: string, kind: string): string {
    const requests = counters[`${kind}_requests`] ?? 0;
    return requests ? round((counters[cost] ?? 0) / requests) : "-";
}

const kilobytes = (bytes: number): string => `${round(bytes / 1024)} KB`;

const countedRows = (tile: Tile, counters: Counters): Row[] => [
    ["load_sectors", "Sectors per load", perRequest(counters, "load_sectors", "load")],
    ["store_sectors", "Sectors per store", perRequest(counters, "store_sectors", "store")],
    ["shared_store_wavefronts", "Wavefronts per store to the tile", perRequest(counters, "shared_store_wavefronts", "shared_store")],
    ["shared_load_wavefronts", "Wavefronts per load from the tile", perRequest(counters, "shared_load_wavefronts", "shared_load")],
    ["load_waits", "Loads in flight per warp", round((counters.load_requests ?? 0) / (counters.load_waits || 1))],
    ["shared_bytes", "Tile size per block", kilobytes(sharedBytes(tile))],
];

const predictedRows = ({ prediction, of_copy, told }: Time): Row[] => [
    ["time", "Time", told.time.replace(/^about |[,;].*/g, "")],
    ["of_copy", "Fraction of a copy's speed", of_copy === null ? "-" : `${Math.round(100 * of_copy)} %`],
    ["bytes_on_their_way", "Bytes in flight", kilobytes(prediction.bytes_on_their_way)],
    ["resident_blocks", "Blocks at a time", String(prediction.resident_blocks)],
];

export class Sliders {
    readonly state: SlidersState;
    private readonly timePart: TimePart;
    private readonly compute = serializeRuns(() => this.computed());
    /** The current values of the table's rows, by name. `before` contains those of the previous position. */
    private readonly now = new Map<string, string>();
    private before = new Map<string, string>();
    private shown = "";

    constructor(
        private readonly root: HTMLElement,
        private readonly thread: SimulatorThread,
        state: SlidersState,
        private readonly changed: () => void,
    ) {
        root.innerHTML = markup;
        this.timePart = new TimePart(this.find(".two-columns > section"), gpus(), state.time, () => this.update());
        this.state = { tile: nearestPosition(state.tile), time: this.timePart.choice };
        for (const name of SLIDER_NAMES) {
            this.input(name).value = String(POSITIONS[name].indexOf(this.state.tile[name]));
        }
        this.find(".sliders").addEventListener("submit", (event) => event.preventDefault());
        this.find(".sliders").addEventListener("input", () => this.take());
        this.showPositions();
        void this.compute();
    }

    private find<T extends Element>(selector: string): T {
        return this.root.querySelector(selector) as T;
    }
    private input(name: keyof Tile): HTMLInputElement {
        return this.find(`#tile-${name}`);
    }

    private take() {
        for (const name of SLIDER_NAMES) this.state.tile[name] = POSITIONS[name][Number(this.input(name).value)] as number;
        this.update();
    }

    private update() {
        this.showPositions();
        this.changed();
        void this.compute();
    }

    /** Updates the labels of the sliders and everything else that needs no computation. */
    private showPositions() {
        const { tile } = this.state;
        for (const name of SLIDER_NAMES) {
            const words = SLIDER_LABELS[name](tile[name]);
            this.find(`output[for=tile-${name}]`).textContent = words;
            this.input(name).setAttribute("aria-valuetext", words);
        }
        const lesson = lessonOf(tile);
        const size = `A tile of ${tileRows(tile)} x 32 floats.`;
        this.find(".lesson").innerHTML = lesson
            ? `${size} This is the kernel of <a href="lesson_${lesson}.html">${lesson}</a>.`
            : size;
        this.find("details.source pre").textContent = sourceOf(tile);
    }

    private async computed() {
        const tile = { ...this.state.tile };
        const { gpu, size } = this.state.time;
        const ptx = ptxOf(tile);
        this.timePart.wait();
        try {
            const [counted, time] = await Promise.all([
                this.thread.run(ptx, countQuestion(tile)),
                this.thread.predict(ptx, timeQuestion(tile, size, gpu)),
            ]);
            this.root.dataset.wrong = String(counted.wrong);
            this.timePart.show(time);
            this.remember(JSON.stringify([tile, gpu, size]), countedRows(tile, counted.counters ?? {}), predictedRows(time));
            this.find(".prediction").textContent = joinUnits(capitalizeFirstLetter(time.told.label));
        } catch (error) {
            this.timePart.refuse((error as Error).message);
        }
    }

    /** Shows the rows, and stores their values for comparison. `key` identifies the sliders' position. */
    private remember(key: string, counted: Row[], predicted: Row[]) {
        if (key !== this.shown) this.before = new Map(this.now);
        this.shown = key;
        for (const [cost, , value] of [...counted, ...predicted]) this.now.set(cost, value);
        this.find(".counted").innerHTML = counted.map((row) => this.rowHtml(row)).join("");
        this.find(".predicted").innerHTML = predicted.map((row) => this.rowHtml(row)).join("");
    }

    private rowHtml([cost, name, now]: Row): string {
        const before = this.before.get(cost) ?? "";
        const mark = before && before !== now ? ' class="differs"' : "";
        return `<tr data-cost="${cost}"><td>${name}</td><td>${before}</td><td${mark}>${now}</td></tr>`;
    }
}
