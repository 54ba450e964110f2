// Questions to the simulator that runs in a thread of its own: worker.ts.

import { Refusal, type Question, type Result, type Time, type TimeQuestion } from "./simulator";
import SimulatorWorker from "./worker?worker&inline";
import type { Message, Reply } from "./worker";

interface Waiting {
    resolve(answer: unknown): void;
    reject(error: Error): void;
}

export class SimulatorThread {
    /** Begins when the page has shown what it shows at first. */
    private readonly worker = new Promise<Worker>((resolve) => setTimeout(() => resolve(this.start())));
    private readonly waiting = new Map<number, Waiting>();
    private asked = 0;

    private start(): Worker {
        const worker = new SimulatorWorker();
        worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => this.take(data));
        // A page from the file system may load no script for its worker. It has one already, whose text it passes on.
        const script = new Blob([`var _scriptDir; var createSimulator = ${createSimulator};`], { type: "text/javascript" });
        worker.postMessage({ script } satisfies Message);
        return worker;
    }

    run(ptx: string, question: Question): Promise<Result> {
        return this.ask({ number: ++this.asked, method: "run", ptx, question });
    }

    predict(ptx: string, question: TimeQuestion): Promise<Time> {
        return this.ask({ number: ++this.asked, method: "predict", ptx, question });
    }

    private ask<Answer>(message: Message & { number: number }): Promise<Answer> {
        return new Promise<Answer>((resolve, reject) => {
            this.waiting.set(message.number, { resolve: resolve as Waiting["resolve"], reject });
            void this.worker.then((worker) => worker.postMessage(message));
        });
    }

    private take(reply: Reply) {
        const asker = this.waiting.get(reply.number);
        this.waiting.delete(reply.number);
        if (reply.refusal !== undefined) asker?.reject(new Refusal(reply.refusal));
        else if (reply.error !== undefined) asker?.reject(new Error(reply.error));
        else asker?.resolve(reply.answer);
    }
}

/** `act` as often as is called for, but never twice at a time: calls meanwhile are one call afterwards. */
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
