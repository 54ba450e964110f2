// Shows the accesses of one warp, the tiles of the blocks, and the predicted time of a learner's kernel.

import { AccessesPart } from "../accesses_part";
import { checkedTask } from "../course";
import type { Examined, Launch } from "../examiner";
import { gpus } from "../exercises";
import type { Result } from "../simulator";
import { serializeRuns, type SimulatorThread } from "../thread";
import { firstChoice, TimePart } from "../time_part";
import { BlockOrderPart } from "./block_order_part";
import { launchRule } from "./launch_rule";

const MAX_TRACED_ACCESSES = 1000;

/** Returns the HTML of this part. `whose` distinguishes two kernels that are shown side by side. */
const markup = (whose: string) => `
<form class="controls" aria-label="Which warp, ${whose}">
  <label>Block number <input name="block" type="number" min="0" value="0"/></label>
  <label>Warp <input name="warp" type="number" min="0" max="31" value="0"/></label>
</form>
<div class="columns"><section class="accesses" aria-label="One access of the warp, ${whose}"></section>
<section class="tile" aria-label="Shared memory, ${whose}"></section></div>
<pre class="line-shown" aria-label="The line" role="group" tabindex="0"></pre>
<section class="order" aria-label="Order of the blocks, ${whose}"></section>
<section class="own-time" aria-label="Predicted time, ${whose}"></section>`;

const product = (list: number[]): number => list.reduce((one, other) => one * other, 1);

export class WarpOfOwnKernelPart {
    private examined: Examined | null = null;
    private text = "";
    private produces = "";
    private result: Result | null = null;
    private accesses: AccessesPart | null = null;
    private order: BlockOrderPart | null = null;
    private time: TimePart | null = null;
    private isStale = true;
    private readonly traceLatest = serializeRuns(() => this.trace());
    private readonly predictLatest = serializeRuns(() => this.predict());

    constructor(
        private readonly root: HTMLDetailsElement | HTMLElement,
        private readonly thread: SimulatorThread,
        private readonly whose: string,
    ) {
        root.addEventListener("toggle", () => this.update());
    }

    /**
     * Shows a kernel, or nothing if `examined` is null. `produces` is the result that the kernel should leave in `out`.
     */
    show(examined: Examined | null, text: string, produces: string) {
        this.examined = examined?.ptx && examined.launch ? examined : null;
        this.text = text;
        this.produces = produces;
        this.root.hidden = this.examined === null;
        this.isStale = true;
        this.update();
    }

    private find<T extends HTMLElement>(selector: string): T {
        return this.root.querySelector(selector) as T;
    }

    /** Updates this part when the reader opens it, because an update needs additional runs of the kernel. */
    private update() {
        if (!this.isStale || !this.examined || !(this.root as HTMLDetailsElement).open) return;
        this.isStale = false;
        this.build();
        void this.traceLatest();
        this.order?.show(this.examined);
        void this.predictLatest();
    }

    private build() {
        if (this.accesses) return;
        const body = document.createElement("div");
        body.innerHTML = markup(this.whose);
        this.root.append(body);
        this.accesses = new AccessesPart(this.find(".accesses"), this.find(".tile"), (at) => this.showLine(at));
        this.order = new BlockOrderPart(this.find(".order"), this.thread);
        this.time = new TimePart(this.find(".own-time"), gpus(), firstChoice, () => void this.predictLatest());
        const form = this.find("form");
        form.addEventListener("submit", (event) => event.preventDefault());
        form.addEventListener("change", () => void this.traceLatest());
    }

    /** Reads the index of a block or warp, and limits it to the indices in the launch. */
    private place(name: "block" | "warp", count: number): number {
        const field = this.find<HTMLInputElement>(`input[name=${name}]`);
        const value = Math.min(Math.max(0, Math.floor(Number(field.value) || 0)), count - 1);
        field.value = String(value);
        return value;
    }

    private async trace() {
        if (!this.examined) return;
        const { ptx, entry, launch } = this.examined as Examined & { launch: Launch };
        try {
            this.result = await this.thread.run(ptx, {
                ...launch,
                entry,
                traced_block: this.place("block", product(launch.grid)),
                traced_warp: this.place("warp", Math.ceil(product(launch.block) / 32)),
                limit: MAX_TRACED_ACCESSES,
                produces: checkedTask(this.produces),
            });
        } catch (error) {
            this.result = null;
            this.find(".line-shown").textContent = (error as Error).message;
        }
        const at = this.accesses?.show(this.result?.accesses ?? [], 0, "This warp touches no memory.") ?? 0;
        if (this.result) this.showLine(at);
    }

    private showLine(at: number) {
        const line = this.result?.accesses[at]?.line;
        const words = line ? this.text.split("\n")[line - 1] : undefined;
        this.find(".line-shown").textContent = words === undefined ? "" : `${line}  ${words.trim()}`;
    }

    private async predict() {
        if (!this.examined) return;
        const { ptx, entry, verdict } = this.examined as Examined;
        const time = this.time as TimePart;
        const rule = launchRule(verdict.shapes);
        if (!rule) return time.refuse("the grid size is not a simple function of the matrix size.");
        const { gpu, size } = time.choice;
        time.wait();
        try {
            time.show(await this.thread.predict(ptx, { ...rule(size, size), entry, gpu }));
        } catch (error) {
            time.refuse((error as Error).message);
        }
    }
}
