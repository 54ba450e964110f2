// Sends questions to the simulator, which runs in a worker (worker.ts).

import { loadScript } from "./scripts";
import { Refusal, type PageAsk, type Question, type Result, type Time, type TimeQuestion } from "./simulator";
import SimulatorWorker from "./worker?worker&inline";
import type { Message, Reply, Step } from "./worker";

interface Waiting {
    resolve(answer: unknown): void;
    reject(error: Error): void;
}

/** The worker was ended while it answered. */
export class Ended extends Error {}

/**
 * A page from the file system cannot load a script for its worker. It loads the script itself and passes on the text.
 */
async function scriptOfSimulator(): Promise<Blob | string> {
    const isFile = location.protocol === "file:";
    if (!isFile && !("createSimulator" in globalThis)) return new URL("simulator.js", location.href).href;
    await loadScript("simulator.js", () => "createSimulator" in globalThis);
    return new Blob([`var _scriptDir; var createSimulator = ${createSimulator};`], { type: "text/javascript" });
}

export class SimulatorThread {
    private worker: Promise<Worker> | null = null;
    private readonly waiting = new Map<number, Waiting>();
    private asked = 0;

    /** `onStep` is called when a step of an examination starts. */
    constructor(private readonly onStep: () => void = () => {}) {}

    /** Starts the worker with the first question, after the page has been shown. */
    private begun(): Promise<Worker> {
        return (this.worker ??= new Promise((resolve, reject) => setTimeout(() => this.start().then(resolve, reject))));
    }

    private async start(): Promise<Worker> {
        const worker = new SimulatorWorker();
        worker.addEventListener("message", ({ data }: MessageEvent<Reply | Step>) =>
            "step" in data ? this.onStep() : this.take(data));
        worker.addEventListener("error", (event) => this.rejectAll(new Error(event.message)));
        worker.postMessage({ script: await scriptOfSimulator() } satisfies Message);
        return worker;
    }

    /** Ends the worker. Waiting questions are rejected as Ended, and later ones go to a new worker. */
    end() {
        void this.worker?.then((worker) => worker.terminate());
        this.worker = null;
        this.rejectAll(new Ended("It was stopped."));
    }

    run(ptx: string, question: Question): Promise<Result> {
        return this.ask({ number: ++this.asked, method: "run", ptx, question });
    }

    predict(ptx: string, question: TimeQuestion): Promise<Time> {
        return this.ask({ number: ++this.asked, method: "predict", ptx, question });
    }

    page<Answer>(method: PageAsk, question: unknown): Promise<Answer> {
        return this.ask({ number: ++this.asked, method, question });
    }

    private ask<Answer>(message: Message & { number: number }): Promise<Answer> {
        return new Promise<Answer>((resolve, reject) => {
            this.waiting.set(message.number, { resolve: resolve as Waiting["resolve"], reject });
            this.begun().then((worker) => worker.postMessage(message), (error) => this.rejectAll(error));
        });
    }

    private rejectAll(error: Error) {
        const all = [...this.waiting.values()];
        this.waiting.clear();
        for (const { reject } of all) reject(error);
    }

    private take(reply: Reply) {
        const asker = this.waiting.get(reply.number);
        this.waiting.delete(reply.number);
        if (reply.refusal !== undefined) asker?.reject(new Refusal(reply.refusal));
        else if (reply.error !== undefined) asker?.reject(new Error(reply.error));
        else asker?.resolve(reply.answer);
    }
}

/** Calls `act`, but never concurrently. All calls during a run are combined into one call afterwards. */
export function oneAtATime(act: () => Promise<void>): () => Promise<void> {
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
