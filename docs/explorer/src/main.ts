// The explorer's page: one panel or two, their state in the link, keys.

import "./book.css";
import "./explorer.css";
import "./book.js";
import { findVariant, launchFor } from "./course";
import { Panel } from "./panel";
import { Simulator, type Result } from "./simulator";
import { firstState, fromHash, toHash, type PanelState } from "./state";

declare global {
    interface Window {
        /** For tests, and whoever likes consoles: a kernel of the course, run at a size. */
        runKernel(step: string, variant: string, rows: number, cols: number): Result;
    }
}

class Page {
    private panels: Panel[] = [];
    private readonly root = document.getElementById("panels") as HTMLElement;
    private readonly compare = document.getElementById("compare") as HTMLButtonElement;

    constructor(private readonly simulator: Simulator) {
        this.show(fromHash(location.hash));
        this.compare.addEventListener("click", () => this.toggle());
        addEventListener("hashchange", () => {
            if (location.hash !== this.link()) this.show(fromHash(location.hash));
        });
        addEventListener("keydown", (event) => this.key(event));
    }

    private show(states: PanelState[]) {
        this.root.replaceChildren();
        const list = states.length ? states : [{ ...firstState }];
        this.panels = list.map((state, i) => {
            const element = document.createElement("section");
            element.className = "panel";
            element.setAttribute("aria-label", `Kernel ${i + 1}`);
            this.root.append(element);
            return new Panel(element, this.simulator, state, () => this.remember(), String(i));
        });
        this.root.classList.toggle("two", this.panels.length === 2);
        this.compare.setAttribute("aria-pressed", String(this.panels.length === 2));
    }

    private link(): string {
        return toHash(this.panels.map((panel) => panel.state));
    }

    private remember() {
        history.replaceState(null, "", this.link());
    }

    private toggle() {
        const first = (this.panels[0] as Panel).state;
        // The lesson's next step is the likeliest to be compared with.
        const second: PanelState = { ...first, step: "04_padded", variant: "padded", at: first.at };
        delete second.shape;
        this.show(this.panels.length === 2 ? [first] : [first, second]);
        this.remember();
    }

    private key(event: KeyboardEvent) {
        const target = event.target as HTMLElement;
        const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
        if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
        const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (move) {
            event.preventDefault();
            this.panels.forEach((panel) => panel.move(move));
        }
        if (event.key === "c") this.panels.forEach((panel) => panel.nextConflict());
        if (event.key === "s") this.toggle();
    }
}

function runKernel(simulator: Simulator, stepName: string, variantName: string, rows: number, cols: number): Result {
    const found = findVariant(stepName, variantName);
    if (!found) throw new Error(`There is no ${stepName}, ${variantName}.`);
    const [step, variant] = found;
    return simulator.run(step.ptx, {
        ...launchFor(variant, rows, cols),
        rows,
        cols,
        traced_block: 0,
        traced_warp: 0,
        limit: 0,
        produces: variant.produces,
    });
}

async function start() {
    const simulator = await Simulator.start();
    new Page(simulator);
    performance.mark("first-picture");
    window.runKernel = (...words) => runKernel(simulator, ...words);
    document.body.dataset.ready = "yes";
}

start().catch((error) => {
    (document.getElementById("problem") as HTMLElement).textContent = `The explorer could not start: ${error}`;
});
