// The interface to the simulated GPU, which is compiled to WebAssembly. Its input is PTX, and its
// output is counters and accesses.

export interface Access {
    file: string;
    line: number;
    memory: "in" | "out" | "shared" | "other";
    store: boolean;
    bytes: number;
    cost: number;
    ideal: number;
    /** The address of each lane, relative to the start of the memory, or null if the lane is not active. */
    addresses: (number | null)[];
}

export type Counters = Record<string, number>;

export interface Report {
    check: string;
    kind: string;
    line: number;
    count: number;
    message: string;
    cure: string;
}

export interface Result {
    status: number;
    milliseconds: number;
    counters?: Counters;
    lines: { file: string; line: number; counters: Counters }[];
    accesses: Access[];
    reports: Report[];
    /** The number of wrong cells of `out`; absent if they were not checked. */
    wrong?: number;
}

export interface Question {
    entry: string;
    rows: number;
    cols: number;
    grid: number[];
    block: number[];
    shared: number;
    traced_block: number;
    traced_warp: number;
    limit: number;
    produces: string;
}

/**
 * The prediction for one launch, in the format of coalescePredict (timing/prediction.h), without the fields that the
 * page does not use.
 */
export interface Prediction {
    gpu: string;
    measured_gpu: boolean;
    kernel: string;
    ms: number;
    error_band: number;
    binds: string;
    resident_blocks: number;
    bytes_on_their_way: number;
}

/** A prediction with its explanation and pictures, as wasm/time_of_launch.h describes. */
export interface Time {
    prediction: Prediction;
    /** The kernel's speed as a fraction of a copy's, or null if it is unknown. */
    of_copy: number | null;
    told: { kernel: string; time: string; label: string; verdict: string; why: string[]; unknown: string[]; cure: string };
    svg: string;
    text: string;
}

export interface TimeQuestion extends Pick<Question, "entry" | "rows" | "cols" | "grid" | "block" | "shared"> {
    gpu: string;
}

/** The names of the questions. wasm/README.md describes each question. */
export type Ask =
    | "run" | "time" | "request" | "examine" | "cost" | "hint" | "predictions" | "explain" | "steps_request" | "steps"
    | "launch_request" | "launch" | "launch_time" | "launch_steps_request" | "launch_steps";

/**
 * The WebAssembly module, with the function that wasm/ask.js adds. `ask` throws an error named "Refusal" if there is no
 * answer.
 */
interface Module {
    ask(name: Ask, question: object): unknown;
}

declare global {
    /** `onStep` is called when an examination starts a translation, a launch or a prediction. */
    var createSimulator: (options: { onStep(): void }) => Promise<Module>;
}

/** The error for a question that cannot be answered. Its text is for the reader. */
export class Refusal extends Error {}

export class Simulator {
    private constructor(private readonly module: Module) {}

    static async start(onStep = () => {}): Promise<Simulator> {
        return new Simulator(await createSimulator({ onStep }));
    }

    ask<Answer>(name: Ask, question: object): Answer {
        try {
            return this.module.ask(name, question) as Answer;
        } catch (error) {
            throw error instanceof Error && error.name === "Refusal" ? new Refusal(error.message) : error;
        }
    }

    run(ptx: string, question: Question): Result {
        return this.ask("run", { ptx, ...question });
    }
}
