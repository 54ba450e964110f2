// Finds the kernels in a text, with their parameters.

export interface KernelParameter {
    /** The element's type, such as "unsigned char". */
    type: string;
    name: string;
    is_pointer: boolean;
    /** Whether the kernel only reads the array. */
    is_const: boolean;
}

export interface KernelSignature {
    name: string;
    parameters: KernelParameter[];
    /** The text between the braces. */
    body: string;
    is_template: boolean;
    /** The offset of the parenthesis that closes the list of parameters. */
    parameters_end: number;
}

/** Replaces comments and the contents of strings with blanks, so that offsets stay the same. */
export function blankOutComments(text: string): string {
    const blank = (part: string) => part.replace(/[^\n]/g, " ");
    return text.replace(/\/\/.*|\/\*[^]*?\*\/|"(?:\\.|[^"\\\n])*"/g, blank);
}

/** Type names with the names that an exercise's record uses for them. */
const RECORD_TYPES: Record<string, string> = {
    size_t: "unsigned long",
    unsigned: "unsigned int",
    uint: "unsigned int",
    uchar: "unsigned char",
};

function parseParameter(text: string, index: number): KernelParameter {
    const plain = text
        .replace(/\b(__restrict__|__restrict|__grid_constant__|volatile|struct)\b/g, " ")
        .replace(/=.*$/, "")
        .trim();
    const is_pointer = /\*|\[[^\]]*\]\s*$/.test(plain);
    const is_const = is_pointer && /\bconst\b/.test(plain.split("*")[0] as string);
    const words = plain
        .replace(/\[[^\]]*\]|\*|\bconst\b/g, " ")
        .trim()
        .split(/\s+/);
    // A parameter without a name has only words that belong to a type.
    const isNamed =
        words.length > 1 && !/^(int|char|short|long|float|double|unsigned|signed)$/.test(words.at(-1) as string);
    const name = isNamed ? (words.pop() as string) : `argument${index + 1}`;
    // A pointer to pointers keeps a star, so that its type is refused.
    const type = words.join(" ") + "*".repeat(Math.max(0, plain.split("*").length - 2));
    return { type: RECORD_TYPES[type] ?? type, name, is_pointer, is_const };
}

/** Returns the text from an opening brace to the brace that closes it. */
function bodyFrom(code: string, start: number): string {
    let depth = 0;
    for (let at = start; at < code.length; at++) {
        if (code[at] === "{") depth++;
        else if (code[at] === "}" && --depth === 0) return code.slice(start + 1, at);
    }
    return code.slice(start + 1);
}

const KERNEL_PATTERN = /__global__\b(?:\s|\w|__launch_bounds__\s*\([^)]*\))*?\b(\w+)\s*\(([^()]*)\)\s*\{/g;

/** Returns the kernels that a text defines, in order. */
export function kernelsIn(text: string): KernelSignature[] {
    const code = blankOutComments(text);
    return [...code.matchAll(KERNEL_PATTERN)].map((match) => {
        const list = (match[2] as string).trim();
        return {
            name: match[1] as string,
            parameters: list && list !== "void" ? list.split(",").map(parseParameter) : [],
            is_template: /\btemplate\s*<[^;{}]*>\s*$/.test(code.slice(0, match.index)),
            body: bodyFrom(code, match.index! + match[0].length - 1),
            parameters_end: match.index! + match[0].lastIndexOf(")"),
        };
    });
}

/** Reports whether the text has a function with this name, other than in a call. */
export const hasFunction = (text: string, name: string): boolean =>
    new RegExp(`\\b(?:int|void|auto|Launch)\\s+${name}\\s*\\(`).test(blankOutComments(text));
