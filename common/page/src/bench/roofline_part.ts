// Shows whether memory or the rate of instructions limits a kernel. C++ code draws the picture, as for the terminal.

import type { Roofline } from "../examiner";

/** Returns the roofline as an element that the reader can open. `whose` distinguishes two kernels side by side. */
export function rooflineElement({ svg, text }: Roofline, whose: string): HTMLElement {
    // The terminal names the points by letters, and this picture by their names.
    const words = text.replace(/^[A-Z], /gm, "");
    const details = document.createElement("details");
    details.className = "extra roofline";
    details.innerHTML = `<summary>The roofline</summary>
        <div class="drawing" tabindex="0" role="group" aria-label="Roofline, ${whose}">${svg}</div>
        <p class="faint"></p>`;
    const picture = details.querySelector("svg");
    picture?.setAttribute("role", "img");
    picture?.setAttribute("aria-label", words);
    // The page has its own styles, and a title would be shown as a tooltip.
    picture?.querySelectorAll("title, style").forEach((one) => one.remove());
    (details.querySelector("p") as HTMLElement).textContent = words;
    return details;
}
