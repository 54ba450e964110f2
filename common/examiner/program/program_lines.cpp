#include "examiner/program/examination.h"

#include <vector>

#include "examiner/matches.h"
#include "examiner/source_lines.h"

namespace coalesce {
namespace {

struct CopyCall {
    int line = 0;
    std::string words;  ///< text of the whole statement that contains the call
};

std::vector<CopyCall> copy_calls_in(const std::string& text) {
    static const TextPattern call(R"(\bcudaMemcpy(?:Async)?\s*\()");
    const std::string code = blank_out_comments(text);
    std::vector<CopyCall> calls;
    for (const TextMatch& one : find_matches(code, call)) {
        const std::size_t begin = one.position();
        calls.push_back(
            {line_number_at(code, begin), code.substr(begin, code.find(';', begin) - begin)});
    }
    return calls;
}

/// Reports whether the call can make a copy in the direction `way`. The call's direction argument
/// may be a variable or cudaMemcpyDefault, which match every direction.
bool may_copy(const CopyCall& call, const std::string& way) {
    const bool says_to_gpu = call.words.find("cudaMemcpyHostToDevice") != std::string::npos;
    const bool says_to_host = call.words.find("cudaMemcpyDeviceToHost") != std::string::npos;
    if (way == "to-gpu") return !says_to_host;
    if (way == "to-host") return !says_to_gpu;
    return !says_to_gpu && !says_to_host;
}

}  // namespace

int find_launch_line(const std::string& text) {
    const std::size_t place = blank_out_comments(text).find("<<<");
    return place == std::string::npos ? 0 : line_number_at(text, place);
}

int find_copy_line(const std::string& text, const RecordedRun& run, std::size_t number) {
    const std::vector<CopyCall> calls = copy_calls_in(text);
    if (calls.size() == 1) return calls.front().line;
    // If a copy failed, the program may have exited before making the other copies.
    if (run.copies.size() > calls.size() || number >= run.copies.size()) return 0;
    for (std::size_t i = 0; i < run.copies.size(); ++i) {
        if (!may_copy(calls[i], run.copies[i].direction)) return 0;
    }
    return calls[number].line;
}

}  // namespace coalesce
