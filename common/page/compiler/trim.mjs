// Leaves functions out of a WebAssembly module. Their bodies are replaced with the instruction `unreachable`, so the
// numbers of all functions stay the same, and a call of a function that is left out throws a RuntimeError. clang has
// many functions that no kernel needs, such as those for other languages and processors.

/** The sections of a module that matter here. */
const CUSTOM_SECTION = 0;
const CODE_SECTION = 10;
/** The size of the module's head: its magic number and its version. */
const HEAD_SIZE = 8;
/** The body of a function that is left out: its size, no locals, `unreachable`, and `end`. */
const EMPTY_BODY = Buffer.from([3, 0, 0x00, 0x0b]);

/** Reads unsigned numbers in LEB128. `at` is the position of the next number. */
class Reader {
    constructor(bytes, at) {
        Object.assign(this, { bytes, at });
    }

    number() {
        let value = 0;
        for (let weight = 1; ; weight *= 128) {
            const byte = this.bytes[this.at++];
            value += (byte % 128) * weight;
            if (byte < 128) return value;
        }
    }
}

function written(number) {
    const bytes = [];
    for (; number >= 128; number = Math.floor(number / 128)) bytes.push((number % 128) + 128);
    return Buffer.from([...bytes, number]);
}

/** Calls `use(id, from, to, begin)` for each section, whose content is between `from` and `to`. */
function forEachSection(module, use) {
    const reader = new Reader(module, HEAD_SIZE);
    while (reader.at < module.length) {
        const begin = reader.at++;
        const to = reader.number() + reader.at;
        use(module[begin], reader.at, to, begin);
        reader.at = to;
    }
}

function trimmedCode(module, from, isUsed) {
    const reader = new Reader(module, from);
    const count = reader.number();
    const parts = [written(count)];
    for (let i = 0; i < count; i++) {
        const begin = reader.at;
        const size = reader.number();
        reader.at += size;
        parts.push(isUsed(i) ? module.subarray(begin, reader.at) : EMPTY_BODY);
    }
    return Buffer.concat(parts);
}

/** Returns the module without the functions for which `isUsed(i)` is false. `i` counts the functions with bodies. */
export function trim(module, isUsed) {
    const parts = [module.subarray(0, HEAD_SIZE)];
    forEachSection(module, (id, from, to, begin) => {
        if (id === CUSTOM_SECTION) return;
        if (id !== CODE_SECTION) return void parts.push(module.subarray(begin, to));
        const code = trimmedCode(module, from, isUsed);
        parts.push(Buffer.from([CODE_SECTION]), written(code.length), code);
    });
    return Buffer.concat(parts);
}

// ---- the list of used functions: a set of numbers, as compressed text ----

/** Returns a test whether a number is in the set that `packSet` has written. `unpack` decompresses bytes. */
export function unpackSet(text, unpack) {
    const bits = unpack(Buffer.from(text, "base64"));
    return (i) => ((bits[i >> 3] ?? 0) >> (i & 7)) & 1;
}

/** Returns a set of numbers below `count` as text. `pack` compresses bytes. */
export function packSet(count, contains, pack) {
    const bits = new Uint8Array((count + 7) >> 3);
    for (let i = 0; i < count; i++) if (contains(i)) bits[i >> 3] |= 1 << (i & 7);
    return Buffer.from(pack(bits)).toString("base64");
}
