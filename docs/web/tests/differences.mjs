// Where what a page found out differs from what the programs here did. Predicted times are equal to 12 digits: the
// libraries' logarithms differ in the last bit.

/** Keys on whose values nothing rests. */
const IGNORED = new Set(["milliseconds", "compiler"]);

const isNearly = (one, other) => Math.abs(one - other) <= 1e-12 * Math.max(Math.abs(one), Math.abs(other), 1);

/** As lines "path: native != page". Figures whose path has "predicted/" are those of predicted times. */
export function differences(native, page, path = "") {
    if (typeof native !== "object" || typeof page !== "object" || native === null || page === null) {
        if (path.includes("predicted/") && typeof native === "number" && isNearly(native, page)) return [];
        return Object.is(native, page) ? [] : [`${path}: ${JSON.stringify(native)} != ${JSON.stringify(page)}`];
    }
    const found = [];
    for (const key of new Set([...Object.keys(native), ...Object.keys(page)])) {
        if (!IGNORED.has(key)) found.push(...differences(native[key], page[key], `${path}/${key}`));
    }
    return found;
}
