// Counts and sentences.

import type { Access } from "./simulator";

export const countOf = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;

/** "Load from in, line 21: 4 sectors, the least there can be" */
export function headline(access: Access): string {
    const unit = access.memory === "shared" ? "wavefront" : "sector";
    const place = access.memory === "shared" ? "the tile" : access.memory;
    const cost =
        access.cost > access.ideal
            ? `${countOf(access.cost, unit)}, where ${access.ideal} would do`
            : `${countOf(access.cost, unit)}, the least there can be`;
    return `${access.store ? "Store to" : "Load from"} ${place}, line ${access.line}: ${cost}`;
}

export const escaped = (text: string): string =>
    text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign] as string);
