// Shows the predicted time of a launch: the figures, the bottleneck, and the timeline of one multiprocessor. Works with
// the Time of any kernel. If the reader chooses another GPU or size, the code that created this part must request a new
// prediction.

import type { Gpu } from "./exercises";
import type { Time } from "./simulator";
import { capitalizeFirstLetter, escapeHtml, joinUnits } from "./words";

/** The chosen GPU, and the chosen side length of the matrix (`size`). */
export interface TimeChoice {
    gpu: string;
    size: number;
}

/** A size to choose, with its text in the list. */
export interface SizeChoice {
    size: number;
    words: string;
}

export const SIZES = [1024, 2048, 4096, 8192, 16384, 32768];
export const firstChoice: TimeChoice = { gpu: "NVIDIA H200", size: 16384 };

const markup = `
<h3>Predicted time</h3>
<form class="controls">
  <label>GPU <select name="gpu"></select></label>
  <label><span class="of-size">Matrix</span> <select name="size"></select></label>
</form>
<p class="faint known"></p>
<div class="answer">
 <div>
  <p class="time-headline" role="status"></p>
  <div class="share" aria-hidden="true"><div class="fill"></div><div class="band"></div>
    <span style="left: 0">0</span><span style="left: 50%">half of a copy</span><span style="left: 100%">a copy</span></div>
  <p class="binds"></p>
  <p class="why"></p>
  <p class="cure"></p>
 </div><div>
  <div class="drawing time-line" tabindex="0" role="group" aria-label="One multiprocessor, moment by moment"></div>
  <details class="time-text"><summary>The timeline as text</summary><div class="wide" tabindex="0" role="group" aria-label="The timeline as text"><pre></pre></div></details>
 </div>
</div>`;

export class TimePart {
    /** The choice that is shown. A choice that is not available is replaced by a default. */
    readonly choice: TimeChoice;

    constructor(
        private readonly root: HTMLElement,
        private readonly gpus: Gpu[],
        wanted: TimeChoice,
        chosen: (choice: TimeChoice) => void,
        sizes?: SizeChoice[],
    ) {
        root.innerHTML = markup;
        root.classList.add("time");
        const first = gpus[0] as Gpu;
        const choices = sizes ?? SIZES.map((size) => ({ size, words: `${size} x ${size}` }));
        if (sizes) this.find(".of-size").textContent = "Sizes";
        this.choice = {
            gpu: (gpus.find((gpu) => gpu.name === wanted.gpu) ?? first).name,
            size: choices.some(({ size }) => size === wanted.size) ? wanted.size : firstChoice.size,
        };
        const gpuSelect = this.find<HTMLSelectElement>("select[name=gpu]");
        const sizeSelect = this.find<HTMLSelectElement>("select[name=size]");
        gpuSelect.append(...gpus.map((gpu) => new Option(gpu.measured ? gpu.name : `${gpu.name} (unverified)`, gpu.name)));
        sizeSelect.append(...choices.map(({ size, words }) => new Option(words, String(size))));
        gpuSelect.value = this.choice.gpu;
        sizeSelect.value = String(this.choice.size);
        this.find("form").addEventListener("submit", (event) => event.preventDefault());
        this.find("form").addEventListener("change", () => {
            this.choice.gpu = gpuSelect.value;
            this.choice.size = Number(sizeSelect.value);
            this.showKnown();
            chosen(this.choice);
        });
        this.showKnown();
    }

    private find<T extends Element>(selector: string): T {
        return this.root.querySelector(selector) as T;
    }

    private showKnown() {
        const gpu = this.gpus.find((one) => one.name === this.choice.gpu) as Gpu;
        this.find(".known").textContent = `The model's figures for this GPU: ${gpu.source}.`;
    }

    /** Marks the shown time as outdated, until show() or refuse() is called. */
    wait() {
        this.root.setAttribute("aria-busy", "true");
    }

    show(time: Time) {
        const { told, prediction } = time;
        this.root.setAttribute("aria-busy", "false");
        this.root.classList.remove("refused");
        this.root.dataset.ms = String(prediction.ms);
        this.find(".time-headline").innerHTML =
            `<strong>${escapeHtml(joinUnits(capitalizeFirstLetter(told.time)))}</strong> <span class="label">${escapeHtml(joinUnits(told.label))}</span>`;
        this.find(".binds").textContent = joinUnits(`${capitalizeFirstLetter(told.verdict)}.`);
        this.find(".why").textContent = joinUnits([...told.why, ...told.unknown].join(" "));
        this.find(".cure").textContent = joinUnits(told.cure);
        this.find("pre").textContent = time.text;
        this.showShare(time);
        this.showTimeLine(time);
    }

    /** Shows the reason why no time is predicted, as a text for the reader. */
    refuse(reason: string) {
        this.root.setAttribute("aria-busy", "false");
        this.root.classList.add("refused");
        delete this.root.dataset.ms;
        this.find(".time-headline").textContent = `No time is predicted: ${reason}`;
    }

    /** Draws a bar for the kernel's speed as a fraction of a copy's, with its error band. */
    private showShare({ of_copy, prediction }: Time) {
        const share = this.find<HTMLElement>(".share");
        share.hidden = of_copy === null;
        if (of_copy === null) return;
        const percent = (part: number) => `${100 * Math.min(Math.max(part, 0), 1.08)}%`;
        const least = of_copy / (1 + prediction.error_band);
        const most = of_copy / Math.max(1 - prediction.error_band, 0.5);
        this.find<HTMLElement>(".share .fill").style.width = percent(of_copy);
        const band = this.find<HTMLElement>(".share .band").style;
        band.left = percent(least);
        band.right = `calc(100% - ${percent(most)})`;
    }

    /** Draws the timeline. A label describes the drawing in words, because browsers would show a title as a tooltip. */
    private showTimeLine({ svg }: Time) {
        const drawing = this.find(".time-line");
        drawing.innerHTML = svg;
        const picture = drawing.querySelector("svg") as SVGElement;
        const words = [...picture.querySelectorAll("title, desc")];
        picture.setAttribute("role", "img");
        picture.setAttribute("aria-label", words.map((one) => one.textContent).join(". "));
        words.forEach((one) => one.remove());
    }
}
