// Finds mistakes in a program from its text, because a run of the program reveals only their
// symptoms.
#include <array>

#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/matches.h"
#include "examiner/program/examination.h"
#include "examiner/source_lines.h"

namespace coalesce {
namespace {

/// A pattern of incorrect code, and the headline and the advice for its failure.
struct WrongPiece {
    const char* pattern;
    const char* headline;
    const char* advice;
};

constexpr std::array kWrongPieces = {
    WrongPiece{R"(blockIdx\.x\s*\+\s*blockDim\.x)",
               "the block's index and the block's size are added here: blocks then begin only one "
               "element apart.",
               "Multiply the two: the blocks before this one have blockIdx.x * blockDim.x "
               "threads."},
    WrongPiece{R"(blockIdx\.x\s*\*\s*gridDim\.x)",
               "gridDim.x is the number of blocks, but the index needs the number of threads in a "
               "block.",
               "A block has blockDim.x threads: blockIdx.x * blockDim.x + threadIdx.x."},
    WrongPiece{R"(\[\s*count\s*-\s*\w+\s*\])",
               "this index is one too large: for element 0 it is `count`, and the last element is "
               "count - 1.",
               "Element i belongs at index count - 1 - i."},
    WrongPiece{
        R"(if\s*\([^;{]*<=\s*count\s*\))",
        "`<= count` lets the thread with index `count` through, but this thread has no element.",
        "The last element has index count - 1: compare with <."},
    WrongPiece{
        R"(if\s*\([^;{]*<\s*count\s*/)",
        "this condition excludes threads whose elements exist, so these elements are never stored.",
        "Each of the `count` elements has its own thread: compare the thread's index with count."},
    WrongPiece{R"(=\s*out\s*\[)",
               "this reads from `out`, which has no values yet: the input is in `in`.",
               "Read each element from `in`, and store it once, at its place in `out`."},
    WrongPiece{R"(blockIdx\.x\s*\*\s*blockDim\.x\s*\+\s*blockDim\.x\s*-\s*1)",
               "this reverses the elements of each block, but the blocks stay where they are.",
               "The first element of the whole array becomes the last one: count - 1 - i."},
    WrongPiece{R"(\bin\s*\[\s*\w+\s*\+\s*1\s*\])",
               "this reads the element after the thread's own; for the last thread, there is no "
               "such element.",
               "A thread reads element i; only the index of its store counts from the end."},
};

/// Returns the body of the first kernel, with everything else blanked out.
std::string kernel_code(const std::string& text) {
    const std::string code = code_for_search(text);
    const std::size_t begin = code.find("__global__");
    if (begin == code.npos) return "";
    const std::size_t opening_position = code.find('{', begin);
    if (opening_position == code.npos) return "";
    std::string kernel = code.substr(0, find_closing_bracket(code, opening_position));
    for (std::size_t i = 0; i < opening_position; ++i) {
        if (kernel[i] != '\n') kernel[i] = ' ';
    }
    return kernel;
}

/// Finds a store that writes each element back to the index from which it was loaded.
ProgramMistake find_same_index(const std::string& kernel) {
    static const TextPattern copy(R"(\bout\s*\[([^\[\]]*)\]\s*=\s*in\s*\[([^\[\]]*)\])");
    for (const TextMatch& match : find_matches(kernel, copy)) {
        if (trimmed(match.str(1)) != trimmed(match.str(2))) continue;
        return {line_of_match(kernel, match),
                "the element is read and stored with the same index, so it keeps its place: "
                "nothing is reversed.",
                "Use two indices: element i of `in` is element count - 1 - i of `out`."};
    }
    return {};
}

/// Finds a condition that depends on the thread's index within its block.
ProgramMistake find_condition_on_thread(const std::string& kernel) {
    static const TextPattern condition(R"(if\s*\(\s*threadIdx\.x\s*<[^{;]*\))");
    TextMatch match;
    if (!search(kernel, match, condition)) return {};
    return {line_of_match(kernel, match),
            "this compares the thread's index within its block, so the same threads of every block "
            "are excluded.",
            "Compare i, the index of the element across all blocks, with count."};
}

/// Returns the arguments of the first launch.
std::vector<std::string> find_launch_arguments(const std::string& code) {
    const std::size_t end = code.find(">>>");
    if (end == code.npos) return {};
    const std::size_t opening_position = code.find('(', end);
    if (opening_position == code.npos) return {};
    return split_outside_brackets(
        code.substr(opening_position + 1,
                    find_closing_bracket(code, opening_position) - opening_position - 1),
        ",");
}

/// Looks for a launch that passes the input array as the kernel's output.
ProgramMistake find_exchanged_arrays(const std::string& code,
                                     const std::vector<std::string>& kernel_arguments) {
    static const TextPattern copy_to_device(R"(cudaMemcpy\s*\(([^;]*)cudaMemcpyHostToDevice)"),
        copy_to_host(R"(cudaMemcpy\s*\(([^;]*)cudaMemcpyDeviceToHost)");
    TextMatch copy_match, fetch_match;
    if (!search(code, copy_match, copy_to_device) || !search(code, fetch_match, copy_to_host))
        return {};
    const std::vector<std::string> target_argument = split_outside_brackets(copy_match.str(1), ","),
                                   source_argument =
                                       split_outside_brackets(fetch_match.str(1), ",");
    if (target_argument.size() < 2 || source_argument.size() < 2 ||
        target_argument[0] == source_argument[1] || kernel_arguments[0] != target_argument[0] ||
        kernel_arguments[1] != source_argument[1])
        return {};
    return {line_number_at(code, code.find("<<<")),
            "the launch passes `" + kernel_arguments[0] + "` as the kernel's output and `" +
                kernel_arguments[1] + "` as its input, but the input was copied to `" +
                target_argument[0] + "`, and the result is copied back from `" +
                source_argument[1] + "`.",
            "Swap these two arguments: they must be in the order of the kernel's parameters."};
}

ProgramMistake find_wrong_argument(const std::string& code) {
    const std::vector<std::string> kernel_arguments = find_launch_arguments(code);
    if (kernel_arguments.size() != 3) return {};
    if (const ProgramMistake mistake = find_exchanged_arrays(code, kernel_arguments);
        mistake.line > 0)
        return mistake;
    const int launch = line_number_at(code, code.find("<<<"));
    if (kernel_arguments[2] == "bytes" || kernel_arguments[2].find("sizeof") != std::string::npos) {
        return {launch,
                "the launch passes a number of bytes, but the kernel's parameter counts elements.",
                "Pass count."};
    }
    static const TextPattern copy_to_host(R"(cudaMemcpy\s*\(([^;]*)cudaMemcpyDeviceToHost)");
    TextMatch match;
    if (!search(code, match, copy_to_host)) return {};
    const std::vector<std::string> parts = split_outside_brackets(match.str(1), ",");
    if (parts.size() < 2 || parts[1] != kernel_arguments[1] ||
        kernel_arguments[1] == kernel_arguments[0])
        return {};
    return {line_of_match(code, match),
            "this copies back `" + parts[1] + "`, the kernel's input; the kernel's result is in `" +
                kernel_arguments[0] + "`.",
            "Copy back the array that the kernel writes, the first argument of the launch."};
}

/// Finds a loop over all elements that launches the kernel once for each element.
ProgramMistake find_launches_in_loop(const std::string& code) {
    const std::size_t launch = code.find("<<<");
    if (launch == code.npos) return {};
    const int line = line_number_at(code, launch);
    const std::vector<Loop> loops = find_loops(code);
    if (!find_innermost_loop(loops, line)) return {};
    return {line,
            "the kernel is launched once for each element, and each launch processes an array of "
            "one element.",
            "Launch the kernel once, with a thread for each element: the launch replaces the "
            "loop."};
}

ProgramMistake find_address_of_vector(const std::string& code) {
    static const TextPattern call(
        R"(cudaMemcpy\s*\(\s*(?:&\s*(?:in|out)\s*,|[^,;]*,\s*&\s*(?:in|out)\s*,))");
    TextMatch match;
    if (!search(code, match, call)) return {};
    return {line_of_match(code, match),
            "`&` gives the address of the std::vector itself, not of its elements.",
            "Use .data(), which points to the first element."};
}

}  // namespace

ProgramMistake find_program_mistake(const std::string& text, bool has_crashed) {
    const std::string code = code_for_search(text), kernel = kernel_code(text);
    if (has_crashed) return find_address_of_vector(code);
    for (const auto find : {find_wrong_argument, find_launches_in_loop}) {
        if (ProgramMistake mistake = find(code); mistake.line > 0) return mistake;
    }
    for (const WrongPiece& wrong_piece : kWrongPieces) {
        TextMatch match;
        if (!search(kernel, match, TextPattern(wrong_piece.pattern))) continue;
        return {line_of_match(kernel, match), wrong_piece.headline, wrong_piece.advice};
    }
    for (const auto find : {find_same_index, find_condition_on_thread}) {
        if (ProgramMistake mistake = find(kernel); mistake.line > 0) return mistake;
    }
    return {};
}

}  // namespace coalesce
