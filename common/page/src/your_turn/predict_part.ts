// Asks the learner to predict a kernel's counters, and later shows whether the prediction was correct.

import type { Examiner, Prediction, Task } from "../examiner";
import { nameOf, workOf, type Question } from "../exercises";
import { escapeHtml, withCode } from "../words";
import type { Progress } from "./progress";

const MAX_ANSWER = 1e6;

/** Parses an answer. Returns null if nothing was entered, and undefined if the text is not a number. */
function parseAnswer(text: string): number | null | undefined {
    const words = text.trim().replace(",", ".").replace(/\s*%$/, "");
    if (words === "") return null;
    const value = Number(words);
    return Number.isFinite(value) && value >= 0 && value <= MAX_ANSWER ? value : undefined;
}

export class PredictPart {
    constructor(
        private readonly root: HTMLElement,
        private readonly examiner: Examiner,
        private readonly progress: Progress,
        /** A function that is called when all questions have been answered. */
        private readonly answered: () => void,
    ) {}

    /** Returns the questions that have been neither answered nor skipped. */
    open(task: Task): Question[] {
        const { guesses } = this.progress.record(nameOf(task));
        return workOf(task).questions.filter(({ counter }) => !guesses.some((guess) => guess.counter === counter));
    }

    hide() {
        this.root.replaceChildren();
    }

    ask(task: Task) {
        const questions = this.open(task);
        const fields = questions.map(
            ({ question }, i) => `<p><label for="guess-${i}">${withCode(question)}</label> <input id="guess-${i}" name="guess-${i}" inputmode="decimal" autocomplete="off" size="6"/></p>`);
        this.root.innerHTML = `<form class="box predict" aria-label="Predict"><h3>What will it cost? Predict before you look</h3>${fields.join("")}
<p class="wrong" role="alert"></p><div class="tools"><button type="submit">Save my guess</button><button type="button" name="none">No guess</button></div></form>`;
        const form = this.root.querySelector("form") as HTMLFormElement;
        form.addEventListener("submit", (event) => {
            event.preventDefault();
            this.readAnswers(task, questions, form);
        });
        form.querySelector("button[name=none]")?.addEventListener("click", () => this.storeAnswers(task, questions, questions.map(() => null)));
    }

    private readAnswers(task: Task, questions: Question[], form: HTMLFormElement) {
        const said = [...form.querySelectorAll("input")].map(({ value }) => parseAnswer(value));
        if (said.includes(undefined)) {
            (form.querySelector(".wrong") as HTMLElement).textContent = "Please enter a number from 0 to a million, or leave the field empty for no guess.";
            return;
        }
        this.storeAnswers(task, questions, said as (number | null)[]);
    }

    private storeAnswers(task: Task, questions: Question[], said: (number | null)[]) {
        questions.forEach(({ counter, within }, i) => this.progress.keepGuess(nameOf(task), { counter, said: said[i] ?? null, within }));
        this.hide();
        this.answered();
    }

    /** Shows the learner's predictions and, after a kernel has passed, the correct answers. */
    async show(task: Task) {
        const name = nameOf(task);
        const predictions = await this.examiner.predictions(task, this.progress.record(name));
        for (const one of predictions) if (one.fact !== null) this.progress.keepFact(name, one);
        const items = predictions.map((one) => `<li class="${one.is_right === null ? "" : one.is_right ? "right" : "wrong"}">${escapeHtml(lineFor(one))}</li>`);
        this.root.innerHTML = items.length
            ? `<section class="box predict" aria-label="Your predictions"><h3>Your predictions</h3><ul>${items.join("")}</ul></section>`
            : "";
    }
}

function lineFor({ words, said, text }: Prediction): string {
    return `${words}: ${said === null ? "no guess" : `you said ${said}`}${text ? `; ${text}` : "; the answer is shown once your kernel has passed"}`;
}
