// Encodes a string for use in a link: compresses it, and uses only characters that are allowed in a link. The first
// letter of the result is "d" for deflated text, or "p" for plain text if the browser cannot compress.

import type { ChangedFields } from "../any_kernel/arguments_form";
import type { Task } from "../examiner";
import type { Moment } from "../watch/watch_part";

/** Whether the text is checked against an exercise or only launched. "" chooses by the text. */
export type Mode = "" | "checked" | "launched";

/** What a link says about one side of the playground. */
export interface SideState {
    task: Task;
    text: string;
    mode?: Mode;
    /** The fields for a launch that the reader has changed. */
    fields?: ChangedFields;
    /** The moment of the run to show. */
    moment?: Moment | undefined;
}

const toUrlLetters = (bytes: Uint8Array): string => {
    let binary = "";
    for (const byte of bytes) binary += String.fromCharCode(byte);
    return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
};
const fromUrlLetters = (letters: string): Uint8Array =>
    Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));

async function sendThrough(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
    return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

export async function packed(text: string): Promise<string> {
    const bytes = new TextEncoder().encode(text);
    if (!("CompressionStream" in globalThis)) return `p${toUrlLetters(bytes)}`;
    return `d${toUrlLetters(await sendThrough(bytes, new CompressionStream("deflate-raw")))}`;
}

/** Decodes the letters of a link. Throws an error with a message for the reader. */
export async function unpacked(letters: string): Promise<string> {
    try {
        const bytes = fromUrlLetters(letters.slice(1));
        return new TextDecoder("utf-8", { fatal: true }).decode(letters[0] === "d" ? await sendThrough(bytes, new DecompressionStream("deflate-raw")) : bytes);
    } catch {
        throw new Error("The link is incomplete: its kernel cannot be read.");
    }
}

/** Encodes one side: "03_tiled,LETTERS" or "03_tiled-hunt,LETTERS", and a third part for the rest of the state. */
export async function packedSide({ task, text, mode = "", fields = {}, moment }: SideState): Promise<string> {
    const isUsual = !mode && !Object.keys(fields).length && !moment;
    const rest = isUsual ? "" : `,${await packed(JSON.stringify({ mode, fields, moment }))}`;
    return `${task.exercise}${task.hunt ? "-hunt" : ""},${await packed(text)}${rest}`;
}

/** Returns a link that opens a kernel in the playground. */
export const playgroundLink = async (side: SideState): Promise<string> =>
    new URL(`playground.html#a=${await packedSide(side)}`, location.href).href;
