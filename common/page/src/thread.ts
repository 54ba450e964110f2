// Sends questions to the simulator, which runs in a worker (worker.ts).

import { OpenQuestions } from "./open_questions";
import { loadScript } from "./scripts";
import { Refusal, type Ask, type Question, type Result, type Time, type TimeQuestion } from "./simulator";
import SimulatorWorker from "./worker?worker&inline";
import type { Message, Reply, Step } from "./worker";

/** The error for a question whose thread was ended before it answered. */
export class ThreadEnded extends Error {}

/**
 * Returns the address of the simulator's script or, in a page opened from the file system, the script itself. Such a
 * page cannot load a script for its worker, so it loads the script and passes it on.
 */
async function loadSimulatorScript(): Promise<Blob | string> {
    const isFile = location.protocol === "file:";
    if (!isFile && !("createSimulator" in globalThis)) return new URL("simulator.js", location.href).href;
    await loadScript("simulator.js", () => "createSimulator" in globalThis);
    return new Blob([`var _scriptDir; var createSimulator = ${createSimulator};`], { type: "text/javascript" });
}

export class SimulatorThread {
    private worker: Promise<Worker> | null = null;
    private readonly questions = new OpenQuestions();

    /** Creates a thread that calls `onStep` when a step of an examination starts. */
    constructor(private readonly onStep: () => void = () => {}) {}

    /** Returns the worker. Starts it when the first question is asked, after the page has been shown. */
    private begun(): Promise<Worker> {
        return (this.worker ??= new Promise((resolve, reject) => setTimeout(() => this.start().then(resolve, reject))));
    }

    private async start(): Promise<Worker> {
        const worker = new SimulatorWorker();
        worker.addEventListener("message", ({ data }: MessageEvent<Reply | Step>) =>
            "step" in data ? this.onStep() : this.take(data));
        worker.addEventListener("error", (event) => this.questions.rejectAll(new Error(event.message)));
        worker.postMessage({ script: await loadSimulatorScript() } satisfies Message);
        return worker;
    }

    /** Ends the worker. Waiting questions are rejected as ThreadEnded, and later ones go to a new worker. */
    end() {
        void this.worker?.then((worker) => worker.terminate());
        this.worker = null;
        this.questions.rejectAll(new ThreadEnded("The run was stopped."));
    }

    run(ptx: string, question: Question): Promise<Result> {
        return this.ask("run", { ptx, ...question });
    }

    /** Predicts the time of a launch. This is fast for a matrix of any size, because only a few blocks run. */
    predict(ptx: string, question: TimeQuestion): Promise<Time> {
        return this.ask("time", { ptx, ...question });
    }

    ask<Answer>(name: Ask, question: object): Promise<Answer> {
        return this.questions.ask((number) => {
            const message = { number, name, question } satisfies Message;
            this.begun().then((worker) => worker.postMessage(message), (error) => this.questions.rejectAll(error));
        });
    }

    private take({ number, answer, refusal, error }: Reply) {
        if (refusal !== undefined) this.questions.reject(number, new Refusal(refusal));
        else if (error !== undefined) this.questions.reject(number, new Error(error));
        else this.questions.answer(number, answer);
    }
}

/**
 * Returns a function that calls `act`, but never concurrently. All calls during a run cause a single run afterwards.
 */
export function serializeRuns(act: () => Promise<void>): () => Promise<void> {
    let isBusy = false;
    let isCalled = false;
    return async () => {
        isCalled = true;
        if (isBusy) return;
        isBusy = true;
        try {
            while (isCalled) {
                isCalled = false;
                await act();
            }
        } finally {
            isBusy = false;
        }
    };
}
