// Finds the lines that a verdict refers to: the line of the failure, a second line that is part of the same mistake,
// and the lines of the compiler's messages.

import type { LineMark } from "../editor/marks";
import type { Examined, Failure } from "../examiner";
import { asSentence } from "../words";

/** Matches a sentence such as "The other access: exercises/03_tiled/kernel.cu:14, thread (0,0,0) of block (0,0,0)." */
const OTHER_ACCESS_PATTERN = /The other access: \S+?:(\d+), ([^.]*)\./;

const unwrapLines = (text: string): string => text.replace(/\s+/g, " ").trim();

/** Returns a mark for the second access of a race. Both accesses are marked, because the mistake lies between them. */
function markOtherAccess({ details }: Failure): LineMark[] {
    const [, line, thread] = OTHER_ACCESS_PATTERN.exec(unwrapLines(details)) ?? [];
    return line ? [{ kind: "related", line: Number(line), column: 0, text: `The other access: ${thread}.` }] : [];
}

/**
 * Returns the line number of the condition under which a line runs: an `if` around the line, or an earlier `if` that
 * returns. Returns 0 if there is no such condition.
 */
export function findCheckLine(text: string, line: number): number {
    const lines = text.split("\n").map((one) => one.replace(/\/\/.*/, ""));
    /** The number of code blocks that end between the current position and `line`. */
    let closed = 0;
    for (let at = line - 2; at >= 0; at--) {
        const code = lines[at] as string;
        let opens = false;
        for (const sign of [...code].reverse()) {
            if (sign === "}") closed++;
            else if (sign === "{" && closed > 0) closed--;
            else if (sign === "{") opens = true;
        }
        const isCheck = /\bif\s*\(/.test(code);
        const isDirectlyAbove = at === line - 2 && /\)\s*$/.test(code);
        const returns = closed === 0 && /\breturn\s*;/.test(code);
        if (isCheck && (opens || isDirectlyAbove || returns)) return at + 1;
        if (code.includes("__global__")) break;
    }
    return 0;
}

/** Returns a mark for the condition that lets an access outside the matrix pass. */
function markGuard({ id, place }: Failure, text: string): LineMark[] {
    if (id !== "no-bounds-check") return [];
    const line = /\bif\s*\(/.test(text.split("\n")[place.line - 1] ?? "") ? 0 : findCheckLine(text, place.line);
    return line ? [{ kind: "related", line, column: 0, text: "This check does not exclude the access." }] : [];
}

const MAX_NOTE_CHARACTERS = 90;

/** Returns a headline, or its beginning if the headline is long. The verdict contains the whole headline. */
function shortenHeadline(headline: string): string {
    const [beginning = headline] = headline.length > MAX_NOTE_CHARACTERS ? headline.split(/[:;.](?= )/) : [headline];
    return asSentence(beginning.length < headline.length ? `${beginning}.` : headline);
}

/** Returns marks for the lines that a verdict is about. `text` is the text that was examined. */
export function marksForVerdict({ verdict }: Examined, text: string): LineMark[] {
    const marks: LineMark[] = [];
    for (const { severity, place, text: words } of verdict.messages) {
        if (severity !== "note") marks.push({ kind: severity, line: place.line, column: place.column, text: words });
    }
    // Skip the failure `does-not-compile`, because the compiler's own messages are more precise.
    const [first, ...others] = verdict.failures.filter(({ id }) => id !== "does-not-compile");
    if (!first) return marks;
    if (first.place.line) marks.push({ kind: "cause", line: first.place.line, column: 0, text: shortenHeadline(first.headline) });
    marks.push(...markOtherAccess(first), ...markGuard(first, text));
    for (const { place, headline } of others) {
        if (place.line) marks.push({ kind: "related", line: place.line, column: 0, text: shortenHeadline(headline) });
    }
    return marks;
}
