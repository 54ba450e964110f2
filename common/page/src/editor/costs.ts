// Shows the cost of each line of a kernel beside the line: sectors per request (s) and wavefronts per request (w).

import { RangeSet, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { gutter, GutterMarker } from "@codemirror/view";
import type { CostKind, LineCost } from "../examiner";
import { round } from "../words";

export const setCosts = StateEffect.define<LineCost[]>();

const COST_KINDS: [CostKind, string][] = [["load", "s"], ["store", "s"], ["shared_load", "w"], ["shared_store", "w"]];

class CostMark extends GutterMarker {
    constructor(private readonly cost: LineCost) {
        super();
    }
    eq(other: CostMark) {
        return JSON.stringify(other.cost) === JSON.stringify(this.cost);
    }
    toDOM() {
        const mark = document.createElement("span");
        for (const [kind, unit] of COST_KINDS) {
            const value = this.cost[kind];
            if (value === null) continue;
            const part = document.createElement("span");
            const least = this.cost[`${kind}_least`];
            part.className = `${least !== null && value > 1.01 * least ? "costly" : "cheap"} ${unit === "s" ? "global" : "shared"}`;
            part.textContent = `${round(value)}${unit}`;
            mark.append(part);
        }
        mark.title = this.cost.reasons.join("\n");
        return mark;
    }
}

const field = StateField.define<RangeSet<GutterMarker>>({
    create: () => RangeSet.empty,
    update(marks, transaction) {
        for (const effect of transaction.effects) {
            if (!effect.is(setCosts)) continue;
            const builder = new RangeSetBuilder<GutterMarker>();
            const text = transaction.state.doc;
            for (const cost of [...effect.value].sort((one, other) => one.line - other.line)) {
                if (cost.line < 1 || cost.line > text.lines) continue;
                const { from } = text.line(cost.line);
                builder.add(from, from, new CostMark(cost));
            }
            return builder.finish();
        }
        return marks.map(transaction.changes);
    },
});

export const costGutter = [field, gutter({ class: "costs-gutter", markers: (view) => view.state.field(field) })];
