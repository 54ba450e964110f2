// Launches a kernel of any signature in a bench, in place of an examination, and shows the result: the reports as a
// verdict, the counters, what the kernel printed, the arrays, the predicted time and the roofline.

import type { Alternative } from "../bench/bench";
import { rooflineElement } from "../bench/roofline_part";
import { verdictElement } from "../bench/verdict_part";
import type { Examined, Examiner, Timed } from "../examiner";
import { gpus } from "../exercises";
import type { KernelLaunch, Launched } from "../kernel_launch";
import { Refusal } from "../simulator";
import { serializeRuns } from "../thread";
import { firstChoice, TimePart, type SizeChoice } from "../time_part";
import { asSentence, countOf } from "../words";
import { NotLaunchable, type ArgumentsForm } from "./arguments_form";
import { arrayElement } from "./array_part";

/** The factors by which the predicted time may multiply each size. */
const FACTORS = [1, 4, 16, 64, 256, 1024, 4096, 16384];
const MAX_PREDICTED_ELEMENTS = 2 ** 29;

export class LaunchMode implements Alternative {
    private gpu = firstChoice.gpu;

    constructor(
        private readonly form: ArgumentsForm,
        private readonly examiner: Examiner,
        private readonly whose: string,
    ) {}

    async run(_text: string, signal: AbortSignal): Promise<Timed> {
        const kernel = this.form.launch;
        try {
            return await this.examiner.launch(kernel, this.form.source, signal);
        } catch (error) {
            throw error instanceof Refusal
                ? new NotLaunchable(`The kernel was not launched: ${asSentence(error.message)}`)
                : error;
        }
    }

    describe({ passed, failure, ptx }: Examined): string {
        if (passed) return "The kernel ran, and no check reports anything";
        if (!ptx) return failure === "does-not-compile" ? "The kernel does not compile" : "The kernel was not launched";
        return "The simulated GPU reports a mistake";
    }

    element(result: Examined, goTo: (line: number) => void): HTMLElement {
        const { arrays, roofline, verdict, passed } = result as Launched;
        const root = document.createElement("div");
        const told = verdictElement(result, {}, true, goTo);
        if (passed) changeToReport(told, result as Launched);
        removeComparison(told);
        explainMissingFunction(told, result);
        root.append(told);
        if (verdict.output && passed)
            root.append(printedElement(verdict.output, verdict.output_is_cut, this.whose));
        const [outputs, inputs] = [arrays.filter((one) => one.is_output), arrays.filter((one) => !one.is_output)];
        root.append(...[...outputs, ...inputs].map((array) => arrayElement(array, this.whose)));
        if (passed) root.append(this.timeElement(result as Launched));
        if (roofline) root.append(rooflineElement(roofline, this.whose));
        return root;
    }

    // ---- the predicted time ----

    private timeElement(launched: Launched): HTMLElement {
        const details = document.createElement("details");
        details.className = "extra launch-time";
        details.innerHTML = "<summary>The predicted time</summary><section></section>";
        const section = details.querySelector("section") as HTMLElement;
        section.setAttribute("aria-label", `Predicted time, ${this.whose}`);
        const predict = serializeRuns(() => this.predict(launched, time));
        const time = new TimePart(
            section,
            gpus(),
            { gpu: this.gpu, size: 1 },
            () => void predict(),
            sizeChoices(launched.asked.kernel),
        );
        details.addEventListener("toggle", () => details.open && void predict(), { once: true });
        return details;
    }

    private async predict(launched: Launched, time: TimePart) {
        const { gpu, size } = time.choice;
        this.gpu = gpu;
        time.wait();
        try {
            time.show(await this.examiner.launchTime(launched, gpu, size));
        } catch (error) {
            time.refuse((error as Error).message);
        }
    }
}

/** Returns the factors for the sizes, each with the sizes that result. */
function sizeChoices({ sizes }: KernelLaunch): SizeChoice[] {
    const elements = (factor: number) => sizes.reduce((product, { value }) => product * (value ?? 1) * factor, 1);
    const factors = sizes.length
        ? FACTORS.filter((factor) => factor === 1 || elements(factor) <= MAX_PREDICTED_ELEMENTS)
        : [1];
    return factors.map((factor) => ({
        size: factor,
        words: sizes.map(({ name, value }) => `${name} = ${(value ?? 1) * factor}`).join(", ") || "as launched",
    }));
}

/** Replaces the headline, which is about an exercise, and the output, which the page shows in a part of its own. */
function changeToReport(told: HTMLElement, { launch }: Launched) {
    const headline = told.querySelector("h2");
    if (headline && launch) {
        const [blocks, threads] = [productText(launch.grid, "block"), productText(launch.block, "thread")];
        headline.textContent = `The launch had ${blocks} of ${threads}.`;
    }
    const output = told.querySelector(".output");
    output?.previousElementSibling?.remove();
    output?.remove();
}

/** Functions of which the page's headers have only an approximate version. The exact ones are in NVIDIA's library. */
const APPROXIMATE = /undeclared identifier '(sin|cos|tan|log|log2|log10|exp10|pow)f?'/;

/** Names the function to use if the page's compiler lacks one of CUDA's mathematical functions. */
function explainMissingFunction(told: HTMLElement, { verdict }: Examined) {
    const [, name] = APPROXIMATE.exec(verdict.failures[0]?.headline ?? "") ?? [];
    const next = told.querySelector(".next");
    if (name && next)
        next.textContent = `Next: write __${name}f. The page has only the approximate version of this function.`;
}

/** Formats the numbers along the axes: "4 x 8 blocks", without axes of length 1 at the end. */
function productText(counts: number[], word: string): string {
    const shown = counts.filter((_, axis) => axis === 0 || counts.slice(axis).some((count) => count > 1));
    return shown.length > 1 ? `${shown.join(" x ")} ${word}s` : countOf(shown[0] ?? 1, word);
}

/** Removes the columns for limits, an ideal kernel and a solution, because there are none. */
function removeComparison(told: HTMLElement) {
    const table = told.querySelector<HTMLTableElement>("table.costs");
    for (const row of table?.rows ?? []) {
        while (row.cells.length > 2) row.deleteCell(2);
        if (row.rowIndex === 0 && row.cells[1]) row.cells[1].textContent = "counted";
    }
}

function printedElement(output: string, isTruncated: boolean, whose: string): HTMLElement {
    const part = document.createElement("section");
    part.className = "printed";
    part.innerHTML = `<h3>The kernel printed</h3>
        <pre tabindex="0" role="group" aria-label="What the kernel printed, ${whose}"></pre>`;
    (part.querySelector("pre") as HTMLElement).textContent =
        output + (isTruncated ? "... and more that is not shown.\n" : "");
    return part;
}
