// Instructive edits of a kernel's text that break the kernel.

export interface Break {
    name: string;
    words: string;
    /** Returns the edited text, or null if the edit does not apply to it. */
    edit(text: string): string | null;
}

const changed = (text: string, after: string): string | null => (after === text ? null : after);

/** Applies `edit` to the last match of `pattern`. Returns null if this changes nothing. */
function atLast(text: string, pattern: RegExp, edit: (match: RegExpMatchArray) => string): string | null {
    const match = [...text.matchAll(pattern)].at(-1);
    if (!match) return null;
    const at = match.index as number;
    return changed(text, text.slice(0, at) + edit(match) + text.slice(at + match[0].length));
}

const INDEX = String.raw`\[([^\[\]]+(?:\[[^\]]*\])?[^\[\]]*)\]`;

export const breaks: Break[] = [
    {
        name: "barrier",
        words: "No barrier",
        edit: (text) => changed(text, text.replace(/^(\s*)(__syncthreads\(\);|.*\bsync\(\);)/gm, "$1// $2")),
    },
    {
        name: "padding",
        words: "No padding",
        // The last bracket of a declaration contains the length of a row.
        edit: (text) => changed(text, text.replace(/^(\s*__shared__.*\[[^\]]*?)\s*\+\s*\w+\];/gm, "$1];")),
    },
    {
        name: "swapped",
        words: "Swapped indices",
        edit: (text) =>
            atLast(text, new RegExp(`\\b(tile\\w*)${INDEX}${INDEX}(?=;)`, "g"), ([, tile, one, other]) => `${tile}[${other}][${one}]`) ??
            atLast(text, /\bout\[(.+) \* rows \+ (.+?)\](?= =)/g, ([, one, other]) => `out[${other} * cols + ${one}]`),
    },
];
