#include "examiner/program/examination.h"

#include <vector>

#include "examiner/matches.h"
#include "examiner/source_lines.h"

namespace coalesce {
namespace {

struct CopyCall {
    int line = 0;
    std::string statement_text;  ///< text of the whole statement that contains the call
};

std::vector<CopyCall> find_copy_calls(const std::string& text) {
    static const TextPattern call(R"(\bcudaMemcpy(?:Async)?\s*\()");
    const std::string code = blank_out_comments(text);
    std::vector<CopyCall> calls;
    for (const TextMatch& match : find_matches(code, call)) {
        const std::size_t begin = match.position();
        calls.push_back(
            {line_number_at(code, begin), code.substr(begin, code.find(';', begin) - begin)});
    }
    return calls;
}

/// Reports whether the call can make a copy in the direction `copy_direction`. The call's direction
/// argument may be a variable or cudaMemcpyDefault, which match every direction.
bool may_copy(const CopyCall& call, const std::string& copy_direction) {
    const bool is_to_gpu = call.statement_text.find("cudaMemcpyHostToDevice") != std::string::npos;
    const bool is_to_host = call.statement_text.find("cudaMemcpyDeviceToHost") != std::string::npos;
    if (copy_direction == "to-gpu") return !is_to_host;
    if (copy_direction == "to-host") return !is_to_gpu;
    return !is_to_gpu && !is_to_host;
}

}  // namespace

int find_launch_line(const std::string& text) {
    const std::size_t launch_position = blank_out_comments(text).find("<<<");
    return launch_position == std::string::npos ? 0 : line_number_at(text, launch_position);
}

int find_copy_line(const std::string& text, const RecordedRun& run, std::size_t number) {
    const std::vector<CopyCall> calls = find_copy_calls(text);
    if (calls.size() == 1) return calls.front().line;
    // If a copy failed, the program may have exited before making the other copies.
    if (run.copies.size() > calls.size() || number >= run.copies.size()) return 0;
    for (std::size_t i = 0; i < run.copies.size(); ++i) {
        if (!may_copy(calls[i], run.copies[i].direction)) return 0;
    }
    return calls[number].line;
}

}  // namespace coalesce
