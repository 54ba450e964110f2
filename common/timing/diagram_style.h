// The colours and fonts of all diagrams, in light and dark themes. A diagram appends its own rules
// and the end tag of the style element.
#pragma once

namespace coalesce {

// The book's theme switch overrides the colour variables with rules for `.drawing .diagram`.
constexpr const char* kDiagramStyle = R"(<style>
.diagram { --d-ink: #1d242b; --d-faint: #56616c; --d-page: #ffffff; --d-idle: #eef1f4;
  --d-used: #2f7ed8; --d-used-ink: #ffffff; --d-waste: #e9b49f; }
@media (prefers-color-scheme: dark) {
.diagram { --d-ink: #e4e9ee; --d-faint: #a4afba; --d-page: #14181c; --d-idle: #262d34;
  --d-used: #2f6fb8; --d-used-ink: #ffffff; --d-waste: #7a4331; }
}
.diagram text { fill: var(--d-ink); font: 13px system-ui, "DejaVu Sans", sans-serif; }
.diagram .faint { fill: var(--d-faint); }
.diagram .head { font-weight: 700; }
.diagram .right { text-anchor: end; }
.diagram .middle { text-anchor: middle; }
.diagram .page { fill: var(--d-page); }
.diagram .idle { fill: var(--d-idle); }
.diagram .used { fill: var(--d-used); }
.diagram .waste { fill: var(--d-waste); }
)";

}  // namespace coalesce
