// One side of the playground: the initial text, ways to break the kernel, and the bench. A text that is no exercise's
// kernel is launched with arguments that the reader chooses, and is not checked.

import { ArgumentsForm } from "../any_kernel/arguments_form";
import { LaunchMode } from "../any_kernel/launch_mode";
import { hasFunction, kernelsIn } from "../any_kernel/signature";
import { Bench } from "../bench/bench";
import type { Examiner, Task } from "../examiner";
import { lessons, numberOf, workOf } from "../exercises";
import type { SimulatorThread } from "../thread";
import { addWatch } from "../watch/watch_part";
import { watchedExercise, watchedLaunch } from "../watch/watched";
import { breaks } from "./break_it";
import type { Mode, SideState } from "./link";
import { isOfNoLesson, type Start } from "./starts";

const markup = (number: number) => `
<h2 class="unseen">Kernel ${number}</h2>
<form class="controls" aria-label="What kernel ${number} begins with"><label>Begin with <select name="start"></select></label>
<label>Checked against <select name="task"></select></label></form>
<form class="arguments" aria-label="Arguments of kernel ${number}" hidden></form>
<div class="tools breaks" role="group" aria-label="Break kernel ${number}"><span class="faint">Break it:</span></div>
<div class="on-bench"></div>`;

/** The value of the option that launches the text without a check. */
const LAUNCH_ONLY = "launched";

const keyOf = ({ exercise, hunt }: Task): string => exercise + (hunt ? " hunt" : "");

export class Side {
    private readonly bench: Bench;
    private readonly arguments: ArgumentsForm;
    private readonly launchMode: LaunchMode;
    private task!: Task;
    private mode: Mode = "";

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
        this.arguments = new ArgumentsForm(this.find("form.arguments"), `kernel ${number}`, () => {
            this.changed();
            void this.bench.run();
        });
        this.launchMode = new LaunchMode(this.arguments, examiner, `kernel ${number}`);
        addWatch(this.bench, () =>
            this.isLaunched
                ? watchedLaunch(examiner, this.arguments, this.task, this.bench.text)
                : watchedExercise(examiner, this.task, this.bench.text));
        this.addChoices();
        this.addBreaks();
        this.open(first);
    }

    private find<T extends HTMLElement>(selector: string): T {
        return this.root.querySelector(selector) as T;
    }

    get state(): SideState {
        return { task: this.task, text: this.bench.text, mode: this.mode, fields: this.arguments.changedFields };
    }

    /** Whether the text is launched and not checked. */
    private get isLaunched(): boolean {
        if (this.mode) return this.mode === "launched";
        const { text } = this.bench;
        const kernels = kernelsIn(text);
        const hasKernel = kernels.some(({ name }) => name === workOf(this.task).kernel);
        const isExercise = hasKernel && hasFunction(text, "configure");
        return !isExercise && (kernels.length > 0 || hasFunction(text, "main"));
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
                const label = isOfNoLesson(lesson) ? name : `${numberOf(lesson)} ${name}`;
                const option = new Option(`${label}${why_not ? `: ${why_not}` : ""}`, `${lesson}/${i}`);
                option.disabled = why_not !== "";
                return option;
            }));
            select.append(group);
        }
        select.addEventListener("change", () => {
            const [lesson, i] = select.value.split("/");
            const start = this.starts.get(lesson ?? "")?.[Number(i)];
            if (start) this.begin(start);
        });
        const tasks = this.find<HTMLSelectElement>("select[name=task]");
        tasks.append(new Option("nothing: the kernel is only launched", LAUNCH_ONLY));
        for (const { name, hunt } of lessons()) {
            tasks.append(new Option(name, keyOf({ exercise: name, hunt: false })));
            if (hunt) tasks.append(new Option(`${name}, bug hunt`, keyOf({ exercise: name, hunt: true })));
        }
        tasks.addEventListener("change", () => {
            const isLaunched = tasks.value === LAUNCH_ONLY;
            const chosen = { exercise: tasks.value.replace(/ hunt$/, ""), hunt: tasks.value.endsWith(" hunt") };
            const task = isLaunched ? this.task : chosen;
            this.open({ ...this.state, task, mode: isLaunched ? "launched" : "checked" });
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

    private open({ task, text, mode = "", fields = {}, moment }: SideState) {
        this.task = task;
        this.mode = mode;
        this.bench.open(task, text);
        this.arguments.open(text, fields);
        this.showMode();
        this.showPossible();
        if (moment) void this.bench.showMoment(moment, 0);
    }

    private edited() {
        this.arguments.update(this.bench.text);
        this.showMode();
        this.showPossible();
        this.changed();
    }

    /** Shows the controls for a text that is checked, or for one that is launched. */
    private showMode() {
        const { isLaunched } = this;
        this.bench.alternative = isLaunched ? this.launchMode : null;
        this.find<HTMLSelectElement>("select[name=task]").value = isLaunched ? LAUNCH_ONLY : keyOf(this.task);
        this.find("form.arguments").hidden = !isLaunched;
        this.find(".breaks").hidden = isLaunched;
    }

    /** Enables the buttons that apply to the text, and shows whether the text is still one of the initial texts. */
    private showPossible() {
        const { text } = this.bench;
        for (const { name, edit } of breaks) this.find<HTMLButtonElement>(`button[name=${name}]`).disabled = edit(text) === null;
        const found = [...this.starts].flatMap(([lesson, list]) => list.flatMap((start, i) => (!start.why_not && start.text === text ? [`${lesson}/${i}`] : [])));
        this.find<HTMLSelectElement>("select[name=start]").value = found[0] ?? "";
    }
}
