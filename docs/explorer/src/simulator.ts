// The simulated GPU, compiled to WebAssembly: PTX in, counters and accesses out.

export interface Access {
    file: string;
    line: number;
    memory: "in" | "out" | "shared" | "other";
    store: boolean;
    bytes: number;
    cost: number;
    ideal: number;
    /** Of each lane, from the memory's beginning; null: the lane takes no part. */
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
    /** Cells of `out` that are not what they should be; absent where that is not checked. */
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

interface Module {
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    _explorer_load(text: number): number;
    _explorer_run(text: number): number;
    UTF8ToString(pointer: number): string;
    stringToUTF8(text: string, pointer: number, bytes: number): void;
    lengthBytesUTF8(text: string): number;
}

declare global {
    function createSimulator(): Promise<Module>;
}

/** A question that can not be answered, in words for the reader. */
export class Refusal extends Error {}

export class Simulator {
    private loaded = "";

    private constructor(private readonly module: Module) {}

    static async start(): Promise<Simulator> {
        return new Simulator(await createSimulator());
    }

    private ask<Answer>(name: "_explorer_load" | "_explorer_run", text: string): Answer {
        const bytes = this.module.lengthBytesUTF8(text) + 1;
        const pointer = this.module._malloc(bytes);
        this.module.stringToUTF8(text, pointer, bytes);
        const answer = JSON.parse(this.module.UTF8ToString(this.module[name](pointer)));
        this.module._free(pointer);
        if (answer.error) throw new Refusal(answer.error);
        return answer as Answer;
    }

    run(ptx: string, question: Question): Result {
        if (ptx !== this.loaded) {
            this.loaded = "";
            this.ask("_explorer_load", ptx);
            this.loaded = ptx;
        }
        return this.ask("_explorer_run", JSON.stringify(question));
    }
}
