// Runs the simulator in a worker, so that the page never blocks. thread.ts is the page's side.

import { Refusal, Simulator, type PageAsk, type Question, type TimeQuestion } from "./simulator";

/**
 * The first message is the script that defines `createSimulator`, or its address. The others are numbered questions.
 */
export type Message =
    | { script: Blob | string }
    | { number: number; method: "run"; ptx: string; question: Question }
    | { number: number; method: "predict"; ptx: string; question: TimeQuestion }
    | { number: number; method: PageAsk; question: unknown };

/** A step of an examination starts, such as a launch. */
export interface Step {
    step: true;
}

export interface Reply {
    number: number;
    answer?: unknown;
    /** A question that cannot be answered. The text is for the reader. */
    refusal?: string;
    /** An unexpected error. */
    error?: string;
}

declare function importScripts(url: string): void;

let started: Promise<Simulator>;

function start(script: Blob | string): Promise<Simulator> {
    const url = typeof script === "string" ? script : URL.createObjectURL(script);
    importScripts(url);
    if (url !== script) URL.revokeObjectURL(url);
    return Simulator.start(() => postMessage({ step: true } satisfies Step));
}

type Asked = Exclude<Message, { script: unknown }>;

function answerTo(simulator: Simulator, message: Asked): unknown {
    if (message.method === "run") return simulator.run(message.ptx, message.question);
    if (message.method === "predict") return simulator.predict(message.ptx, message.question);
    return simulator.page(message.method, message.question);
}

async function replyTo(message: Asked): Promise<Reply> {
    const { number } = message;
    try {
        return { number, answer: answerTo(await started, message) };
    } catch (error) {
        return error instanceof Refusal ? { number, refusal: error.message } : { number, error: String(error) };
    }
}

addEventListener("message", async ({ data }: MessageEvent<Message>) => {
    if ("script" in data) started = start(data.script);
    else postMessage(await replyTo(data));
});
