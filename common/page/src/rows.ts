// Arranges 32 addresses in rows of 32 words. A row is either 128 bytes of memory (four sectors) or the 32 banks in one
// wavefront. draw_memory_rows and draw_bank_rows in common/examiner/picture.h do the same.

import type { Access } from "./simulator";

export interface Row {
    label: string;
    /** For each word of the row, the first lane that accesses it, or -1. */
    lanes: number[];
}

const WORD_BYTES = 4;
const BANKS = 32;
const emptyRow = (label: string): Row => ({ label, lanes: new Array(32).fill(-1) });

function forEachWord(access: Access, from: number, to: number, visit: (lane: number, byte: number) => void) {
    for (let lane = from; lane < to; lane++) {
        const address = access.addresses[lane];
        if (address === null || address === undefined) continue;
        for (let at = address; at < address + access.bytes; at += WORD_BYTES) visit(lane, at);
    }
}

function rowsOfMemory(access: Access): Row[] {
    const rows = new Map<number, Row>();
    forEachWord(access, 0, 32, (lane, at) => {
        const begin = Math.floor(at / 128) * 128;
        const row = rows.get(begin) ?? emptyRow(`${access.memory} + ${begin}`);
        rows.set(begin, row);
        const place = Math.floor((at - begin) / WORD_BYTES);
        if (row.lanes[place] === -1) row.lanes[place] = lane;
    });
    return [...rows.entries()].sort((one, other) => one[0] - other[0]).map(([, row]) => row);
}

function rowsOfBanks(access: Access): Row[] {
    // Accesses of 8 bytes are served one half warp at a time, and accesses of 16 bytes one quarter at a time.
    const together = access.bytes <= 4 ? 32 : 128 / access.bytes;
    const rows: Row[] = [];
    for (let first = 0; first < 32; first += together) {
        const done = rows.length;
        const served: number[][] = Array.from({ length: BANKS }, () => []);
        forEachWord(access, first, first + together, (lane, at) => {
            const word = Math.floor(at / WORD_BYTES);
            const bank = word % BANKS;
            const here = served[bank] as number[];
            // A word is delivered once for all lanes that access it.
            if (here.includes(word)) return;
            const place = done + here.length;
            if (rows.length <= place) rows.push(emptyRow(`wavefront ${rows.length + 1}`));
            (rows[place] as Row).lanes[bank] = lane;
            here.push(word);
        });
    }
    return rows;
}

export const rowsOf = (access: Access): Row[] =>
    access.memory === "shared" ? rowsOfBanks(access) : rowsOfMemory(access);
