// The explorer's page: one or two panels, the sliders, the state in the link, and keyboard
// shortcuts.

import "./parts.css";
import "./explorer.css";
import { checkedTask, findVariant, launchFor, type Step, type Variant } from "./course";
import { Panel } from "./panel";
import { Simulator, type Result, type Time } from "./simulator";
import { Sliders } from "./sliders";
import { fromHash, toHash, type LinkedState, type PanelState } from "./state";
import { SimulatorThread } from "./thread";

declare global {
    interface Window {
        /** Runs a kernel of the course at a given size. For tests, and for use in the console. */
        runKernel(step: string, variant: string, rows: number, cols: number): Result;
        /** Predicts the time of a kernel. For tests, and for use in the console. */
        predictKernel(step: string, variant: string, rows: number, cols: number, gpu: string): Promise<Time>;
    }
}

class Page {
    private panels: Panel[] = [];
    private sliders!: Sliders;
    private readonly root = document.getElementById("panels") as HTMLElement;
    private readonly compare = document.getElementById("compare") as HTMLButtonElement;

    constructor(
        private readonly simulator: Simulator,
        private readonly thread: SimulatorThread,
    ) {
        this.show(fromHash(location.hash));
        this.compare.addEventListener("click", () => this.toggle());
        addEventListener("hashchange", () => {
            if (location.hash !== this.link()) this.show(fromHash(location.hash));
        });
        addEventListener("keydown", (event) => this.key(event));
    }

    private show(state: LinkedState) {
        this.showPanels(state.panels);
        const root = document.getElementById("sliders") as HTMLElement;
        this.sliders = new Sliders(root, this.thread, state.sliders, () => this.remember());
        if (state.isAboutSliders) root.scrollIntoView();
    }

    private showPanels(states: PanelState[]) {
        this.root.replaceChildren();
        this.panels = states.map((state, i) => {
            const element = document.createElement("section");
            element.className = "panel";
            element.setAttribute("aria-label", `Kernel ${i + 1}`);
            this.root.append(element);
            return new Panel(element, this.simulator, this.thread, state, () => this.remember(), String(i));
        });
        this.root.classList.toggle("two", this.panels.length === 2);
        this.compare.setAttribute("aria-pressed", String(this.panels.length === 2));
    }

    private link(): string {
        return toHash({ panels: this.panels.map((panel) => panel.state), sliders: this.sliders.state });
    }

    private remember() {
        history.replaceState(null, "", this.link());
    }

    private toggle() {
        const first = (this.panels[0] as Panel).state;
        // By default, compare with the next step.
        const second: PanelState = { ...first, step: "04_padded", variant: "padded", time: { ...first.time } };
        delete second.shape;
        this.showPanels(this.panels.length === 2 ? [first] : [first, second]);
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

function existing(stepName: string, variantName: string): [Step, Variant] {
    const found = findVariant(stepName, variantName);
    if (!found) throw new Error(`There is no variant ${variantName} of ${stepName}.`);
    return found;
}

function offerToTests(simulator: Simulator, thread: SimulatorThread) {
    window.runKernel = (stepName, variantName, rows, cols) => {
        const [step, variant] = existing(stepName, variantName);
        const launch = launchFor(variant, rows, cols);
        const nothing = { traced_block: 0, traced_warp: 0, limit: 0 };
        return simulator.run(step.ptx, { ...launch, ...nothing, rows, cols, produces: checkedTask(variant.produces) });
    };
    window.predictKernel = (stepName, variantName, rows, cols, gpu) => {
        const [step, variant] = existing(stepName, variantName);
        return thread.predict(step.ptx, { ...launchFor(variant, rows, cols), rows, cols, gpu });
    };
}

async function start() {
    const simulator = await Simulator.start();
    const thread = new SimulatorThread();
    new Page(simulator, thread);
    performance.mark("first-picture");
    offerToTests(simulator, thread);
    document.body.dataset.ready = "yes";
}

start().catch((error) => {
    (document.getElementById("problem") as HTMLElement).textContent = `The explorer could not start: ${error}`;
});
