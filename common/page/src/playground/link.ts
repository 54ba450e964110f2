// Encodes a string for use in a link: compresses it, and uses only characters that are allowed in a link. The first
// letter of the result is "d" for deflated text, or "p" for plain text if the browser cannot compress.

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
