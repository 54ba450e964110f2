// Shows two kernels side by side, line by line, without a way to edit them.

import { unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { appearance } from "./editor";

/** Shows `theirs`, and marks the differences in `yours`. */
export function showDifference(parent: HTMLElement, yours: string, theirs: string) {
    parent.replaceChildren();
    new EditorView({
        parent,
        doc: theirs,
        extensions: [
            appearance,
            EditorState.readOnly.of(true),
            EditorView.editable.of(false),
            EditorView.contentAttributes.of({ "aria-label": "Lines of the solution that replace your lines", tabindex: "0" }),
            unifiedMergeView({ original: yours, mergeControls: false, gutter: true, highlightChanges: false, collapseUnchanged: { margin: 3, minSize: 6 } }),
        ],
    });
}
