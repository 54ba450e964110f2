// libFuzzer target: reads arbitrary text as a learner's file. The functions that run on this text
// outside of the sandbox must terminate quickly. CMakeLists.txt contains the seeds and limits.
#include <cstddef>
#include <cstdint>
#include <string>

#include "examiner/load_lines.h"
#include "examiner/source.h"
#include "examiner/source_lines.h"

namespace {

using namespace coalesce;

void search_lines(const std::string& text) {
    for (const int line : {1, 3, 10}) {
        static_cast<void>(find_caller_of_asm(text, line));
        static_cast<void>(find_statement_line(text, line));
        static_cast<void>(find_local_array(text, line));
        static_cast<void>(find_load_line(text, line));
    }
}

void search_text(const std::string& text) {
    static_cast<void>(find_unshared_array(text));
    static_cast<void>(find_line_with_mixed_axes(text));
    static_cast<void>(find_cast_of_value(text));
    static_cast<void>(find_line_with_repeated_component(text));
    static_cast<void>(find_component_never_set(text));
    static_cast<void>(find_line_leaving_diagonal(text));
    static_cast<void>(find_odd_pitch(text, "tile"));
    static_cast<void>(find_pointer_advance_line(text, "in"));
    static_cast<void>(find_copy_wait_line(text));
    static_cast<void>(find_copy_start_line(text));
    static_cast<void>(find_configure_line(text, ".grid"));
    static_cast<void>(find_kernel_line(text, "transpose"));
    static_cast<void>(find_missing_parentheses(text));
    static_cast<void>(find_array_overrun(text));
    static_cast<void>(find_loops(text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    static_cast<void>(make_source(text, "kernel.cu"));
    search_text(text);
    search_lines(text);
    return 0;
}
