// Breakpoints of "Watch": lines, and conditions on variables, as the reader writes them. `./learn step` uses the same
// notation (common/learn/stops.h).

import { hasLane, lanesOf, type Step, type Steps, type Value } from "./steps";

type Operator = "==" | "!=" | "<" | "<=" | ">" | ">=";

interface Comparison {
    left: string;
    operator: Operator;
    right: string;
}

export interface Stop {
    /** The line at which to stop, or 0 for any line. */
    line: number;
    /** The comparisons that must all be true in the same lane. */
    comparisons: Comparison[];
}

const OPERAND = String.raw`-?\d+(?:\.\d+)?|[A-Za-z_]\w*(?:\[\d+\]|\.\w+)*`;
const COMPARISON = new RegExp(`^\\s*(${OPERAND})\\s*(==|!=|<=|>=|<|>)\\s*(${OPERAND})\\s*$`);

/** The names of the values of a step, rather than of a lane. A stop with one of these names stops at each such step. */
const STEP_VALUES: Record<string, (step: Step, lane: number) => number> = {
    sectors: (step, lane) => costIn(step, lane, "sectors"),
    wavefronts: (step, lane) => costIn(step, lane, "wavefronts"),
    arrived: ({ barriers }) => Math.max(0, ...(barriers ?? []).map(({ arrived }) => arrived)),
};
const OTHER_VALUES: Record<string, (step: Step, lane: number) => number> = {
    lane: (_, lane) => lane,
    warp: ({ warp }) => warp,
    thread: ({ warp }, lane) => warp * 32 + lane,
    waiting: ({ waiting }) =>
        (waiting ?? []).reduce((sum, { lanes, why }) => sum + (why === "exited" ? 0 : lanesOf(lanes).length), 0),
    in_flight: ({ in_flight }) => in_flight ?? 0,
};

function costIn({ accesses }: Step, lane: number, unit: "sectors" | "wavefronts"): number {
    return Math.max(0, ...(accesses ?? []).filter(({ lanes }) => hasLane(lanes, lane)).map((access) => access[unit] ?? 0));
}

/** Parses stops such as "12; 14: row == 5 && lane < 4; wavefronts > 1". Throws an error for the reader. */
export function parseStops(text: string): Stop[] {
    return text
        .split(/[;,]/)
        .filter((one) => one.trim())
        .map((one) => {
            const [, line = "", rest = ""] = /^\s*(?:(\d+)\s*(?::|$))?(.*)$/.exec(one) as RegExpExecArray;
            const parts = rest.trim() ? rest.split("&&") : [];
            const comparisons = parts.map((part) => {
                const found = COMPARISON.exec(part);
                if (!found) throw new Error(`Write a line, such as 12, or a condition, such as row == 5, in place of ${one.trim()}.`);
                return { left: found[1] as string, operator: found[2] as Operator, right: found[3] as string };
            });
            return { line: Number(line || 0), comparisons };
        });
}

/** Compares two numbers. The result is false if a variable has no value yet, which is NaN here. */
function isTrue(left: number, operator: Operator, right: number): boolean {
    if (Number.isNaN(left) || Number.isNaN(right)) return false;
    switch (operator) {
        case "==": return left === right;
        case "!=": return left !== right;
        case "<": return left < right;
        case "<=": return left <= right;
        case ">": return left > right;
        case ">=": return left >= right;
    }
}

class StopFinder {
    /** The values of the variables so far, by warp and by the index of the variable. */
    private readonly values = new Map<number, Map<number, (Value | null)[]>>();
    /** The lanes in which each stop was true, by warp. */
    private readonly before = new Map<string, number>();
    private readonly namesByFunction = new Map<string, number[]>();

    constructor(
        private readonly steps: Steps,
        private readonly stops: Stop[],
    ) {
        steps.variables.forEach((variable, number) => {
            const key = `${variable.function} ${variable.name}`;
            this.namesByFunction.set(key, [...(this.namesByFunction.get(key) ?? []), number]);
        });
        for (const name of stops.flatMap(({ comparisons }) => comparisons.flatMap(({ left, right }) => [left, right])))
            this.requireName(name);
    }

    private requireName(name: string) {
        const isKnown = /^-?\d/.test(name) || name in STEP_VALUES || name in OTHER_VALUES;
        if (!isKnown && !this.steps.variables.some((variable) => variable.name === name))
            throw new Error(`The kernel has no variable ${name}.`);
    }

    find(): number[] {
        return this.steps.steps.flatMap((step, at) => {
            this.take(step);
            return this.stops.filter((stop, number) => this.stopsAt(stop, number, step)).length ? [at] : [];
        });
    }

    private take({ warp, set }: Step) {
        const known = this.values.get(warp) ?? new Map<number, (Value | null)[]>();
        this.values.set(warp, known);
        for (const [number, lanes, ...values] of set ?? []) {
            const now = known.get(number) ?? Array<Value | null>(32).fill(null);
            lanesOf(lanes).forEach((lane, nth) => (now[lane] = values[nth] as Value | null));
            known.set(number, now);
        }
    }

    private stopsAt(stop: Stop, number: number, step: Step): boolean {
        if (stop.line && stop.line !== step.line) return false;
        const lanes = lanesOf(step.active).filter((lane) =>
            stop.comparisons.every(({ left, operator, right }) =>
                isTrue(this.valueOf(left, step, lane), operator, this.valueOf(right, step, lane))));
        if (stop.line) return lanes.length > 0;
        const mask = lanes.reduce((sum, lane) => sum | (1 << lane), 0);
        const key = `${number} ${step.warp}`;
        const before = this.before.get(key) ?? 0;
        this.before.set(key, (before & ~step.active) | mask);
        // A condition without a line stops where it becomes true.
        const isEvent = stop.comparisons.some(({ left, right }) => left in STEP_VALUES || right in STEP_VALUES);
        return (isEvent ? mask : mask & ~before) !== 0;
    }

    /** Returns the value of a name or a number, or NaN if a variable has no value yet. */
    private valueOf(name: string, step: Step, lane: number): number {
        if (/^-?\d/.test(name)) return Number(name);
        for (const number of this.namesByFunction.get(`${step.function} ${name}`) ?? []) {
            const [first, last] = this.steps.variables[number]?.lines ?? [0, 0];
            const value = this.values.get(step.warp)?.get(number)?.[lane];
            if (last !== 0 && (step.line < first || step.line > last)) continue;
            if (value !== null && value !== undefined) return Number(value);
        }
        return (STEP_VALUES[name] ?? OTHER_VALUES[name])?.(step, lane) ?? NaN;
    }
}

/** Returns the indices of the steps at which to stop. Throws an error for the reader if a name is unknown. */
export const findStops = (steps: Steps, stops: Stop[]): number[] => (stops.length ? new StopFinder(steps, stops).find() : []);
