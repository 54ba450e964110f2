// Formats counters and sentences.

import type { Access } from "./simulator";

export const countOf = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;

/** Formats a number rounded to at most two decimals. */
export const round = (value: number): string => String(Math.round(value * 100) / 100);

/** Capitalizes the first letter. */
export const capitalizeFirstLetter = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Capitalizes the first letter, unless the sentence begins with code, such as "out(0,1) holds in(0,1)". */
export const asSentence = (text: string): string => (/^\w+[([]/.test(text) ? text : capitalizeFirstLetter(text));

/** Joins numbers and units with a non-breaking space. */
export const joinUnits = (text: string): string => text.replace(/(\d) (?=%|[KG]B\b|[mu]?s\b)/g, "$1\u00a0");

/** Describes an access, such as "Load from in, line 21: 4 sectors, the minimum". */
export function headline(access: Access): string {
    const unit = access.memory === "shared" ? "wavefront" : "sector";
    const place = access.memory === "shared" ? "the tile" : access.memory;
    const cost =
        access.cost > access.ideal
            ? `${countOf(access.cost, unit)}, where ${access.ideal} would be enough`
            : `${countOf(access.cost, unit)}, the minimum`;
    return `${access.store ? "Store to" : "Load from"} ${place}, line ${access.line}: ${cost}`;
}

export const escapeHtml = (text: string): string =>
    text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign] as string);

/** Converts text between backquotes to code. */
export const withCode = (text: string): string => escapeHtml(text).replace(/`([^`]*)`/g, "<code>$1</code>");
