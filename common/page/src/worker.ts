// Runs the simulator in a worker, so that the page remains responsive. The page's side is thread.ts.

import { Refusal, Simulator, type Ask } from "./simulator";

/**
 * A message to the worker. The first message contains the script that defines `createSimulator`, or its address. All
 * later messages are numbered questions.
 */
export type Message = { script: Blob | string } | Asked;

export interface Asked {
    number: number;
    name: Ask;
    question: object;
}

/** The message that a step of an examination, such as a launch, has started. */
export interface Step {
    step: true;
}

export interface Reply {
    number: number;
    answer?: unknown;
    /** The reason why the question cannot be answered, as a text for the reader. */
    refusal?: string;
    /** The message of an unexpected error. */
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

async function replyTo({ number, name, question }: Asked): Promise<Reply> {
    try {
        return { number, answer: (await started).ask(name, question) };
    } catch (error) {
        return error instanceof Refusal ? { number, refusal: error.message } : { number, error: String(error) };
    }
}

addEventListener("message", async ({ data }: MessageEvent<Message>) => {
    if ("script" in data) started = start(data.script);
    else postMessage(await replyTo(data));
});
