// The simulator in a thread of its own, so that the page never waits for it. thread.ts is its other end.

import { Refusal, Simulator, type Question, type TimeQuestion } from "./simulator";

/** First of all the script that makes `createSimulator`; then questions, each with a number. */
export type Message =
    | { script: Blob }
    | { number: number; method: "run"; ptx: string; question: Question }
    | { number: number; method: "predict"; ptx: string; question: TimeQuestion };

export interface Reply {
    number: number;
    answer?: unknown;
    /** A question that has no answer, in words for the reader. */
    refusal?: string;
    /** What should not happen. */
    error?: string;
}

declare function importScripts(url: string): void;

let started: Promise<Simulator>;

function start(script: Blob): Promise<Simulator> {
    const url = URL.createObjectURL(script);
    importScripts(url);
    URL.revokeObjectURL(url);
    return Simulator.start();
}

async function replyTo(message: Exclude<Message, { script: Blob }>): Promise<Reply> {
    const { number, ptx } = message;
    try {
        const simulator = await started;
        const answer =
            message.method === "run" ? simulator.run(ptx, message.question) : simulator.predict(ptx, message.question);
        return { number, answer };
    } catch (error) {
        return error instanceof Refusal ? { number, refusal: error.message } : { number, error: String(error) };
    }
}

addEventListener("message", async ({ data }: MessageEvent<Message>) => {
    if ("script" in data) started = start(data.script);
    else postMessage(await replyTo(data));
});
