// Wraps long lines. The continuation of a line is indented by two columns more than its beginning.

import { RangeSetBuilder, type Extension } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from "@codemirror/view";

const EXTRA_INDENT = 2;
const MAX_INDENT = 32;

function indents(view: EditorView): DecorationSet {
    const builder = new RangeSetBuilder<Decoration>();
    for (const { from, to } of view.visibleRanges) {
        for (let at = from; at <= to; ) {
            const line = view.state.doc.lineAt(at);
            const columns = Math.min(line.text.search(/\S|$/), MAX_INDENT) + EXTRA_INDENT;
            // The editor itself sets the left padding of a line to 6 px.
            const style = `text-indent: -${columns}ch; padding-left: calc(6px + ${columns}ch)`;
            builder.add(line.from, line.from, Decoration.line({ attributes: { style } }));
            at = line.to + 1;
        }
    }
    return builder.finish();
}

export const wrapping: Extension = [
    EditorView.lineWrapping,
    ViewPlugin.fromClass(
        class {
            decorations: DecorationSet;
            constructor(view: EditorView) {
                this.decorations = indents(view);
            }
            update(update: ViewUpdate) {
                if (update.docChanged || update.viewportChanged) this.decorations = indents(update.view);
            }
        },
        { decorations: (plugin) => plugin.decorations },
    ),
];
