#include "examiner/changes/batch.h"

#include <algorithm>
#include <functional>
#include <set>
#include <sstream>

#include "base/text.h"
#include "examiner/compilers.h"

namespace coalesce::changes {
namespace {

/// Returns the namespace of a copy. All namespaces have the same length, so that none occurs in the
/// mangled names of another.
std::string namespace_of(std::size_t number) {
    const std::string digits = std::to_string(number);
    return "change_" + std::string(4 - digits.size(), '0') + digits;
}

/// Returns the namespace as it occurs in mangled names.
std::string mangled_namespace(std::size_t number) {
    const std::string name = namespace_of(number);
    return std::to_string(name.size()) + name;
}

/// Returns the name of the file that the compiler's messages mention for a copy.
std::string file_of(std::size_t number) {
    return "/" + namespace_of(number) + ".cu";
}

std::string configure_entry(std::size_t number) {
    return std::string(kConfigureEntry) + "_" + namespace_of(number);
}

bool includes_header(const std::string& line) {
    const std::size_t begin = line.find_first_not_of(" \t");
    return begin != std::string::npos && line.compare(begin, 8, "#include") == 0;
}

/// Moves the #include lines of a text to `includes`. Headers cannot be included in a namespace.
std::string take_includes(const std::string& text, std::set<std::string>& includes) {
    std::string rest;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line); rest += "\n") {
        if (includes_header(line)) {
            includes.insert(line + "\n");
        } else {
            rest += line;
        }
    }
    return rest;
}

/// Returns the kernel that evaluates the `configure` of a copy.
std::string configure_kernel(std::size_t number, const std::vector<std::string>& sizes) {
    return "extern \"C\" __global__ void " + configure_entry(number) + "(long long* to, " +
           declare_sizes(sizes) + ") {\nconst ::Launch launch = ::" + namespace_of(number) +
           "::configure(" + joined(sizes, ", ") + R"();
to[0] = launch.grid.x; to[1] = launch.grid.y; to[2] = launch.grid.z;
to[3] = launch.block.x; to[4] = launch.block.y; to[5] = launch.block.z;
to[6] = launch.shared_bytes.value;
}
)";
}

/// Returns one source text with these copies, each in its own namespace.
std::string join_copies(const std::vector<std::string>& texts,
                        const std::vector<std::size_t>& which,
                        const std::vector<std::string>& sizes) {
    std::set<std::string> includes;
    std::string copies;
    for (const std::size_t number : which) {
        copies += "namespace " + namespace_of(number) + " {\n#line 1 \"" + file_of(number) +
                  "\"\n" + take_includes(learner_text(texts[number]), includes) + "\n}\n" +
                  configure_kernel(number, sizes);
    }
    std::string header = exercise_header();
    for (const std::string& line : includes) header += line;
    return header + copies;
}

/// Returns the copies that the compiler's errors mention.
std::set<std::size_t> copies_with_errors(const std::string& messages,
                                         const std::vector<std::size_t>& which) {
    std::set<std::size_t> wrong;
    for (const std::size_t number : which) {
        const std::string file = file_of(number) + "(";
        for (std::size_t at = messages.find(file); at != std::string::npos;
             at = messages.find(file, at + 1)) {
            const std::string line = messages.substr(at, messages.find('\n', at) - at);
            if (line.find("): error") != std::string::npos) wrong.insert(number);
        }
    }
    return wrong;
}

/// Splits a PTX module into its functions and the lines outside of functions.
std::vector<std::string> split_ptx(const std::string& ptx) {
    std::vector<std::string> parts;
    std::istringstream lines(ptx);
    bool is_in_function = false;
    for (std::string line; std::getline(lines, line);) {
        if (!is_in_function) parts.push_back("");
        parts.back() += line + "\n";
        is_in_function |=
            line.find(".entry") != std::string::npos || line.find(".func") != std::string::npos;
        // A function ends with its brace, and a declaration with its semicolon.
        if (line == "}" || line == ";") is_in_function = false;
    }
    return parts;
}

std::string replaced(std::string text, const std::string& word, const std::string& other) {
    for (std::size_t at = text.find(word); at != std::string::npos;
         at = text.find(word, at + other.size())) {
        text.replace(at, word.size(), other);
    }
    return text;
}

/// Returns the PTX of one copy: all parts that do not belong to another copy.
std::string extract_copy(const std::vector<std::string>& parts, std::size_t number) {
    std::string ptx;
    for (const std::string& part : parts) {
        const bool is_of_copy = part.find("change_") != std::string::npos;
        if (is_of_copy && part.find(namespace_of(number)) == std::string::npos) continue;
        ptx += part;
    }
    // The names no longer contain the number of the copy, so that equal copies have equal PTX.
    ptx = replaced(ptx, configure_entry(number), kConfigureEntry);
    return replaced(ptx, mangled_namespace(number), mangled_namespace(0));
}

/// Returns a hash of the instructions. Labels contain the number of their function in the module,
/// so the hash ignores the numbers in labels.
std::uint64_t hash_instructions(const std::string& ptx) {
    constexpr std::string_view label = "$L__BB";
    std::string text;
    for (std::size_t i = 0; i < ptx.size(); ++i) {
        text += ptx[i];
        if (!text.ends_with(label)) continue;
        while (i + 1 < ptx.size() && ptx[i + 1] >= '0' && ptx[i + 1] <= '9') ++i;
    }
    return std::hash<std::string>{}(text);
}

/// Returns the name of the kernel in the PTX of a copy.
std::string find_kernel(const std::string& ptx, const std::string& kernel) {
    const std::string mangled = mangled_namespace(0) + std::to_string(kernel.size()) + kernel + "E";
    for (const std::string& entry : find_entries(ptx)) {
        if (entry.find(mangled) != std::string::npos) return entry;
    }
    return "";
}

CompiledCopy make_copy(const std::vector<std::string>& parts, std::size_t number,
                       const Signature& signature) {
    CompiledCopy copy;
    // The simulator counts under this name.
    copy.compiled.kernel = namespace_of(0) + "::" + signature.kernel;
    copy.compiled.sizes = signature.sizes;
    copy.compiled.ptx = extract_copy(parts, number);
    copy.compiled.entry = find_kernel(copy.compiled.ptx, signature.kernel);
    copy.hash = hash_instructions(copy.compiled.ptx);
    if (copy.compiled.entry.empty()) copy.compiled.ptx.clear();
    return copy;
}

}  // namespace

bool can_compile_batches() {
    const auto compiler = find_compiler(Compiler::any);
    return compiler && compiler->kind == Compiler::nvrtc;
}

std::vector<CompiledCopy> compile_batch(const std::vector<std::string>& texts,
                                        const Signature& signature) {
    std::vector<CompiledCopy> copies(texts.size());
    const auto compiler = find_compiler(Compiler::nvrtc);
    if (!compiler) return copies;
    std::vector<std::size_t> which(texts.size());
    for (std::size_t i = 0; i < which.size(); ++i) which[i] = i;
    while (!which.empty()) {
        const RawOutput raw =
            run_nvrtc_quickly(compiler->path, join_copies(texts, which, signature.sizes),
                              CompileOptions{}.architecture);
        if (raw.is_good) {
            const std::vector<std::string> parts = split_ptx(raw.ptx);
            for (const std::size_t one : which) copies[one] = make_copy(parts, one, signature);
            break;
        }
        // Compile the batch again without the copies that have errors.
        const std::set<std::size_t> wrong = copies_with_errors(raw.output, which);
        if (wrong.empty()) break;
        std::erase_if(which, [&](std::size_t one) { return wrong.contains(one); });
    }
    return copies;
}

}  // namespace coalesce::changes
