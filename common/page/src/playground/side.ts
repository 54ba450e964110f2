// One side of the playground: the initial text, ways to break the kernel, and the bench.

import { Bench } from "../bench/bench";
import type { Examiner, Task } from "../examiner";
import { lessons, numberOf } from "../exercises";
import type { SimulatorThread } from "../thread";
import { addWatch } from "../watch/watch_part";
import { breaks } from "./break_it";
import type { Start } from "./starts";

export interface SideState {
    task: Task;
    text: string;
}

const markup = (number: number) => `
<h2 class="unseen">Kernel ${number}</h2>
<form class="controls" aria-label="What kernel ${number} begins with"><label>Begin with <select name="start"></select></label>
<label>Checked against <select name="task"></select></label></form>
<div class="tools breaks" role="group" aria-label="Break kernel ${number}"><span class="faint">Break it:</span></div>
<div class="on-bench"></div>`;

const keyOf = ({ exercise, hunt }: Task): string => exercise + (hunt ? " hunt" : "");

export class Side {
    private readonly bench: Bench;
    private task!: Task;

    /** `changed` is called when the state in the link has changed. */
    constructor(
        private readonly root: HTMLElement,
        number: number,
        examiner: Examiner,
        thread: SimulatorThread,
        private readonly starts: Map<string, Start[]>,
        first: SideState,
        private readonly changed: () => void,
    ) {
        root.innerHTML = markup(number);
        this.bench = new Bench(this.find(".on-bench"), `Kernel ${number}`, examiner, thread, {
            changed: () => this.edited(),
            examined: () => {},
        });
        addWatch(this.bench, examiner, () => this.task);
        this.addChoices();
        this.addBreaks();
        this.open(first);
    }

    private find<T extends HTMLElement>(selector: string): T {
        return this.root.querySelector(selector) as T;
    }

    get state(): SideState {
        return { task: this.task, text: this.bench.text };
    }

    run(): Promise<void> {
        return this.bench.run();
    }

    private addChoices() {
        const select = this.find<HTMLSelectElement>("select[name=start]");
        select.append(new Option("your own text", ""));
        for (const [lesson, list] of this.starts) {
            const group = document.createElement("optgroup");
            group.label = lesson;
            group.append(...list.map(({ name, why_not }, i) => {
                const option = new Option(`${numberOf(lesson)} ${name}${why_not ? `: ${why_not}` : ""}`, `${lesson} ${i}`);
                option.disabled = why_not !== "";
                return option;
            }));
            select.append(group);
        }
        select.addEventListener("change", () => {
            const [lesson, i] = select.value.split(" ");
            const start = this.starts.get(lesson ?? "")?.[Number(i)];
            if (start) this.begin(start);
        });
        const tasks = this.find<HTMLSelectElement>("select[name=task]");
        for (const { name, hunt } of lessons()) {
            tasks.append(new Option(name, keyOf({ exercise: name, hunt: false })));
            if (hunt) tasks.append(new Option(`${name}, bug hunt`, keyOf({ exercise: name, hunt: true })));
        }
        tasks.addEventListener("change", () => {
            this.open({ ...this.state, task: { exercise: tasks.value.replace(/ hunt$/, ""), hunt: tasks.value.endsWith(" hunt") } });
            this.changed();
            void this.bench.run();
        });
        this.find("form").addEventListener("submit", (event) => event.preventDefault());
    }

    private addBreaks() {
        for (const { name, words, edit } of breaks) {
            const button = document.createElement("button");
            Object.assign(button, { type: "button", name, textContent: words });
            button.addEventListener("click", () => {
                this.bench.text = edit(this.bench.text) ?? this.bench.text;
                void this.bench.run();
            });
            this.find(".breaks").append(button);
        }
    }

    private begin(start: Start) {
        this.open(start);
        this.changed();
        void this.bench.run();
    }

    private open({ task, text }: SideState) {
        this.task = task;
        this.bench.open(task, text);
        this.find<HTMLSelectElement>("select[name=task]").value = keyOf(task);
        this.showPossible();
    }

    private edited() {
        this.showPossible();
        this.changed();
    }

    /** Enables the buttons that apply to the text, and shows whether the text is still one of the initial texts. */
    private showPossible() {
        const { text } = this.bench;
        for (const { name, edit } of breaks) this.find<HTMLButtonElement>(`button[name=${name}]`).disabled = edit(text) === null;
        const found = [...this.starts].flatMap(([lesson, list]) => list.flatMap((start, i) => (!start.why_not && start.text === text ? [`${lesson} ${i}`] : [])));
        this.find<HTMLSelectElement>("select[name=start]").value = found[0] ?? "";
    }
}
