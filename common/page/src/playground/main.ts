// The playground for one kernel, or for two kernels side by side. The link contains the text of the kernels, and the
// arguments of kernels that belong to no exercise.

import "../parts.css";
import "../editor/editor.css";
import "../bench/bench.css";
import "./playground.css";
import { Examiner, type Examined, type Task } from "../examiner";
import { lessons, workOf } from "../exercises";
import { SimulatorThread } from "../thread";
import type { Moment } from "../watch/watch_part";
import { packedSide, unpacked, type SideState } from "./link";
import { Side } from "./side";
import { findStart, starts } from "./starts";

declare global {
    interface Window {
        /** Compares a kernel's text with an exercise. For tests, and for use in the console. */
        examineKernel(task: Task, source: string): Promise<Examined>;
    }
}

/** The time in milliseconds without typing after which the link is updated. */
const PAUSE = 300;

/**
 * Parses the mode, the fields for a launch, and the moment to watch. Drops everything else, because a link may come from
 * anywhere.
 */
function launchFrom(text: string): Pick<SideState, "mode" | "fields" | "moment"> {
    const { mode, fields, moment } = JSON.parse(text) as { mode?: unknown; fields?: object; moment?: object };
    const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === "string";
    const texts = Object.entries(fields ?? {}).filter(isText);
    const isMode = mode === "checked" || mode === "launched";
    return { mode: isMode ? mode : "", fields: Object.fromEntries(texts), moment: moment && momentFrom(moment) };
}

function momentFrom({ block, step, stops }: { [key in keyof Moment]?: unknown }): Moment {
    return {
        block: Number.isSafeInteger(block) ? (block as number) : null,
        step: Number.isSafeInteger(step) ? Math.max(0, step as number) : 0,
        stops: typeof stops === "string" ? stops : "",
    };
}

class Page {
    private sides: Side[] = [];
    private readonly thread = new SimulatorThread();
    private readonly examiner = new Examiner();
    private readonly starts = starts();
    private readonly root = document.getElementById("sides") as HTMLElement;
    private readonly compare = document.getElementById("compare") as HTMLButtonElement;
    private pause: ReturnType<typeof setTimeout> | undefined;
    private link = "";

    constructor() {
        window.examineKernel = async (task, source) => (await this.examiner.examine(task, source)).result;
        this.compare.addEventListener("click", () => this.toggle());
        document.getElementById("copy")?.addEventListener("click", () => void this.copy());
        addEventListener("hashchange", () => {
            if (location.hash !== this.link) void this.openLink();
        });
    }

    async openLink() {
        this.say("");
        const words = new URLSearchParams(location.hash.slice(1));
        if (words.has("try") || words.has("begin")) return this.openExperiment(words);
        const states: SideState[] = [];
        for (const key of ["a", "b"]) {
            const word = words.get(key);
            if (word !== null) states.push(await this.stateFrom(word));
        }
        this.show(states.length ? states : [this.first("03_tiled")]);
    }

    /**
     * Opens the solution of an exercise with the edits of a link in a lesson: "#try=03_tiled&from=...&to=...". With
     * "begin=a divergent warp", opens another kernel. With "watch=...", shows the first step that stops there.
     */
    private openExperiment(words: URLSearchParams) {
        const exercise = words.get("try") ?? "";
        const solution = this.first(lessons().some(({ name }) => name === exercise) ? exercise : "03_tiled");
        const state: SideState = { ...(findStart(this.starts, words.get("begin") ?? "") ?? solution) };
        const to = words.getAll("to");
        words.getAll("from").forEach((from, i) => {
            if (!state.text.includes(from)) this.say(`The kernel has no ${from}, so the experiment cannot be applied to it.`);
            else state.text = state.text.replace(from, () => to[i] ?? "");
        });
        const stops = words.get("watch");
        if (stops !== null) state.moment = { block: null, step: 0, stops };
        this.show([state]);
        if (stops === null) void this.sides[0]?.run();
    }

    private first(exercise: string): SideState {
        const task = { exercise, hunt: false };
        return { task, text: workOf(task).solution };
    }

    /**
     * Parses one side in a link, such as "03_tiled,LETTERS" or "03_tiled-hunt,LETTERS". A third part contains the mode,
     * the fields for a launch, and the moment to watch.
     */
    private async stateFrom(word: string): Promise<SideState> {
        const [name = "", letters = "", rest = ""] = word.split(",");
        const task: Task = { exercise: name.replace(/-hunt$/, ""), hunt: name.endsWith("-hunt") };
        try {
            workOf(task);
            return { task, text: await unpacked(letters), ...(rest ? launchFrom(await unpacked(rest)) : {}) };
        } catch (error) {
            this.say((error as Error).message);
            return this.first(lessons().some((lesson) => lesson.name === task.exercise) ? task.exercise : "03_tiled");
        }
    }

    private say(words: string) {
        (document.getElementById("problem") as HTMLElement).textContent = words;
    }

    private show(states: SideState[]) {
        this.root.replaceChildren();
        this.sides = states.map((state, i) => {
            const element = document.createElement("section");
            element.className = "side";
            element.setAttribute("aria-label", `Kernel ${i + 1}`);
            this.root.append(element);
            return new Side(element, i + 1, this.examiner, this.thread, this.starts, state, () => this.remember());
        });
        this.root.classList.toggle("two", states.length === 2);
        this.compare.setAttribute("aria-pressed", String(states.length === 2));
    }

    private toggle() {
        const first = (this.sides[0] as Side).state;
        // By default, compare with the next lesson.
        this.show(this.sides.length === 2 ? [first] : [first, this.first("04_padded")]);
        this.remember();
    }

    private remember() {
        clearTimeout(this.pause);
        this.pause = setTimeout(() => void this.writeLink(), PAUSE);
    }

    private async writeLink() {
        const words = await Promise.all(
            this.sides.map(async ({ state }, i) => `${"ab"[i]}=${await packedSide(state)}`));
        this.link = "#" + words.join("&");
        history.replaceState(null, "", this.link);
    }

    private async copy() {
        await this.writeLink();
        try {
            await navigator.clipboard.writeText(location.href);
            this.say("The link was copied. It contains what this page shows.");
        } catch {
            this.say("This browser does not let the page use the clipboard; copy the link from the address bar.");
        }
    }
}

const page = new Page();
page.openLink().then(
    () => (document.body.dataset.ready = "yes"),
    (error) => ((document.getElementById("problem") as HTMLElement).textContent = `The playground could not start: ${error}`),
);
