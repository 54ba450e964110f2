// Tests that the simulator merges memory accesses as ptxas does.
//
//     merges_test [--list] [--one-in N] PTXAS KNOWN COURSE FOLDER ...
//
// The kernels come from the correct exercise files in COURSE, which this test compiles, and from
// the programs in the folders. Each PTX instruction gets its own line number (`.loc`), so that the
// line table of ptxas's machine code maps each machine instruction to its load or store in the PTX.
//
// For each kernel with shared memory accesses, the test compares the number of LDS, STS, LDG and
// STG instructions of each width. ptxas may duplicate code, for example when it unrolls a loop. In
// that case, it is enough if for each width, the same number of distinct PTX loads and stores have
// a machine instruction of that width. The test ignores machine instructions that belong to other
// PTX instructions: atomics that become loops, copies, and accesses through generic addresses. If
// the line table lacks an instruction, all machine instructions of the kernel count.
//
// KNOWN lists the kernels that differ, with the cause (`FILE KERNEL: CAUSE`). The test fails if a
// kernel that is not listed differs, or if a listed kernel does not differ. --list prints each
// kernel that differs, instruction by instruction. --one-in compares a sample of one kernel in N.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "base/child.h"
#include "base/files.h"
#include "base/kernel_name.h"
#include "examiner/compile.h"
#include "simulator/analysis/block_layout.h"
#include "simulator/ptx/instruction_parts.h"
#include "simulator/ptxas/machine_instruction.h"
#include "simulator/ptxas/merged_accesses.h"
#include "simulator/ptxas/register_estimate.h"
#include "simulator/ptxas/shared_layout.h"
#include "simulator/tests/ptxas/cubin.h"
#include "simulator/tests/ptxas/kernel_texts.h"

using namespace coalesce;
using namespace coalesce::simulator;
namespace fs = std::filesystem;

namespace {

/// The minimum fraction of the kernels with shared memory accesses whose access widths must be
/// those of ptxas's code.
constexpr double kAsked = 0.99;
constexpr std::size_t kKernelsAtLeast = 300;

/// A PTX load or store, identified by its offset in the text, and the width of one of its machine
/// accesses.
struct Place {
    u32 text = 0;
    std::string_view opcode;
    u32 bytes = 0;
    auto operator<=>(const Place&) const = default;
};
using Places = std::multiset<Place>;
using Widths = std::map<std::pair<std::string_view, u32>, u32>;

template <class SomePlaces>
Widths widths_of(const SomePlaces& places) {
    Widths widths;
    for (const Place& place : places) ++widths[{place.opcode, place.bytes}];
    return widths;
}
Widths widths_of_different(const Places& places) {
    return widths_of(std::set<Place>(places.begin(), places.end()));
}

struct Compared {
    std::string file, kernel;
    Places simulated, made;
    Widths all_made;  ///< widths of all machine accesses, including those without a line number
    std::string listing;
    bool is_equal() const {
        return widths_of(simulated) == widths_of(made) || widths_of(simulated) == all_made ||
               widths_of_different(simulated) == widths_of_different(made);
    }
};

// ---- PTX with a line number for each instruction ----

/// Returns the PTX with a `.loc` line for each instruction, which replaces the original `.loc`
/// lines. Line n is the instruction at offset `offsets[n - 1]` of the text.
std::string with_own_lines(const ptx::Module& module, const std::vector<ptx::Function*>& kept,
                           std::vector<u32>& offsets) {
    for (const auto& [name, function] : module.functions)
        for (const ptx::Instruction& i : function->body)
            if (i.label.empty()) offsets.push_back(i.text_offset);
    std::sort(offsets.begin(), offsets.end());
    std::string text = text_with_kernels(module, kept);
    for (const std::string_view directive : {".loc\t", ".loc ", ".file"})
        for (std::size_t at = 0; (at = text.find(directive, at)) != text.npos; ++at) {
            const std::size_t line = text.rfind('\n', at) + 1;
            const bool begins_line = text.find_first_not_of(" \t", line) == at;
            if (begins_line)
                std::fill(
                    text.begin() + static_cast<i64>(at),
                    text.begin() + static_cast<i64>(std::min(text.find('\n', at), text.size())),
                    ' ');
        }
    std::string numbered;
    std::size_t begin = 0;
    for (std::size_t k = 0; k < offsets.size(); ++k) {
        numbered.append(text, begin, offsets[k] - begin);
        numbered += "\n.loc 1 " + std::to_string(k + 1) + " 1\n";
        begin = offsets[k];
    }
    return numbered + text.substr(begin) + "\n.file 1 \"kernels.cu\"\n";
}

// ---- both sides ----

bool is_compared(const ptx::Instruction& i) {
    const ptx::StateSpace space = ptx::access_space(i);
    // An access to another block of the cluster is not compiled to LDS or STS.
    return is_one_of(i.opcode, {"ld", "st"}) && !i.has("shared::cluster") &&
           (space == ptx::StateSpace::global || space == ptx::StateSpace::shared);
}

/// Returns the machine opcode that a PTX load or store compiles to.
std::string_view opcode_of(const ptx::Instruction& i) {
    const bool is_global = ptx::access_space(i) == ptx::StateSpace::global;
    if (i.opcode == "ld") return is_global ? "LDG" : "LDS";
    return is_global ? "STG" : "STS";
}

Places simulated_places(const ptx::Module& module, const ptx::Function& kernel) {
    const std::vector<u32> unrolled = estimate_code(module, kernel).unrolled_loops();
    const MergedAccesses merged = merged_accesses(
        kernel, ControlFlow(kernel), make_shared_layout(module, kernel).offsets, unrolled);
    Places places;
    for (u32 at = 0; at < kernel.body.size(); ++at) {
        const ptx::Instruction& i = kernel.body[at];
        if (!is_compared(i)) continue;
        const std::string_view opcode = opcode_of(i);
        const u32 bytes = size_of(ptx::find_type(i)) * ptx::vector_length(i);
        const auto changed = merged.find(at);
        if (changed == merged.end()) {
            places.insert({i.text_offset, opcode, bytes});
            continue;
        }
        for (const MachineAccess& access : changed->second.list)
            places.insert({i.text_offset, opcode, access.bytes});
    }
    return places;
}

Places places_in(const std::vector<MachineMemory>& code, const std::vector<u32>& offsets,
                 const std::map<u32, const ptx::Instruction*>& instructions) {
    Places places;
    for (const MachineMemory& access : code) {
        if (access.line == 0 || access.line > offsets.size()) continue;
        const u32 text = offsets[access.line - 1];
        const auto found = instructions.find(text);
        if (found == instructions.end() || !is_compared(*found->second)) continue;
        const std::string_view opcode = opcode_of(*found->second);
        if (access.opcode == opcode) places.insert({text, opcode, access.bytes});
    }
    return places;
}

bool has_shared_accesses(const ptx::Function& function) {
    return std::any_of(function.body.begin(), function.body.end(), [](const ptx::Instruction& i) {
        return is_compared(i) && ptx::access_space(i) == ptx::StateSpace::shared;
    });
}

std::string listing_of(const ptx::Module& module, const ptx::Function& kernel,
                       const Places& simulated, const Places& made) {
    const auto text_of = [](const Places& places, u32 text) {
        std::string all;
        for (const Place& place : places)
            if (place.text == text)
                all += " " + std::string(place.opcode) + "." + std::to_string(8 * place.bytes);
        return all.empty() ? " -" : all;
    };
    std::string listing;
    for (const ptx::Instruction& i : kernel.body) {
        if (!i.label.empty()) {
            listing += "      " + i.label + ":\n";
            continue;
        }
        listing += is_compared(i)
                       ? text_of(simulated, i.text_offset) == text_of(made, i.text_offset)
                             ? "    = "
                             : "    ! "
                       : "      ";
        listing += std::string(module.find_text(i));
        if (is_compared(i))
            listing += "   //" + text_of(simulated, i.text_offset) + ", ptxas" +
                       text_of(made, i.text_offset);
        listing += "\n";
    }
    return listing;
}

class Comparison {
public:
    Comparison(std::string ptxas, std::vector<KernelText> texts, u32 every)
        : ptxas_(std::move(ptxas)),
          texts_(choose_kernels(std::move(texts), every, has_shared_accesses)) {
        for_each_in_parallel(texts_.size(), [this](std::size_t k) { compare(texts_[k]); });
        std::sort(compared_.begin(), compared_.end(), [](const Compared& a, const Compared& b) {
            return std::tie(a.file, a.kernel) < std::tie(b.file, b.kernel);
        });
    }
    const std::vector<Compared>& compared() const { return compared_; }

private:
    void compare(const ParsedText& one) {
        std::vector<u32> offsets;
        const TemporaryFolder folder;
        const fs::path file = folder / "kernels.ptx", cubin = folder / "kernels.cubin";
        write_file(file, with_own_lines(*one.module, one.kernels, offsets));
        const ProcessResult ended = run_child(
            {ptxas_, "-arch=sm_90", "-lineinfo", "-o", cubin.string(), file.string()}, 300);
        if (ended.exit_code != 0) {
            std::printf("%s: ptxas failed\n%s", one.text.file.c_str(), ended.output.c_str());
            return;
        }
        const auto code = read_cubin(read_if_exists(cubin).value_or(""));
        for (ptx::Function* kernel : one.kernels)
            if (const auto found = code.find(kernel->name); found != code.end())
                compare_kernel(one, *kernel, found->second, offsets);
    }

    void compare_kernel(const ParsedText& text, ptx::Function& kernel,
                        const std::vector<MachineMemory>& code, const std::vector<u32>& offsets) {
        std::map<u32, const ptx::Instruction*> instructions;
        order_blocks_for_reconvergence(kernel);
        for (const ptx::Instruction& i : kernel.body) instructions[i.text_offset] = &i;
        Compared one;
        one.file = text.text.file;
        one.kernel = kernel_name(kernel.name);
        one.simulated = simulated_places(*text.module, kernel);
        one.made = places_in(code, offsets, instructions);
        for (const MachineMemory& access : code)
            if (access.opcode != "LDL" && access.opcode != "STL")
                ++one.all_made[{access.opcode, access.bytes}];
        if (!one.is_equal())
            one.listing = listing_of(*text.module, kernel, one.simulated, one.made);
        const std::lock_guard lock(mutex_);
        compared_.push_back(std::move(one));
    }

    const std::string ptxas_;
    const std::vector<ParsedText> texts_;
    std::mutex mutex_;
    std::vector<Compared> compared_;
};

// ---- known differences ----

/// Reads lines of the form `FILE KERNEL: CAUSE`. Returns the part of each line that precedes the
/// colon. Throws std::runtime_error if a line has a different form.
std::set<std::string> known_differences(const fs::path& file) {
    std::set<std::string> names;
    std::istringstream lines(read_file(file));
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line.starts_with('#')) continue;
        const std::size_t colon = line.find(": ");
        if (colon == line.npos || colon + 2 == line.size())
            throw std::runtime_error(file.string() + ": no `NAME: CAUSE`: " + line);
        names.insert(line.substr(0, colon));
    }
    return names;
}

/// Prints the kernels that differ but are not in `known`, and the kernels in `known` that do not
/// differ. Returns true if there are none of either kind.
bool agrees_with_known(const std::vector<Compared>& all, const std::set<std::string>& known) {
    std::set<std::string> differing, equal;
    for (const Compared& one : all)
        (one.is_equal() ? equal : differing).insert(one.file + " " + one.kernel);
    bool agrees = true;
    for (const std::string& name : differing)
        if (!known.contains(name)) {
            agrees = false;
            std::printf("%s differs, and is not among the known differences\n", name.c_str());
        }
    for (const std::string& name : known)
        if (equal.contains(name) && !differing.contains(name)) {
            agrees = false;
            std::printf("%s is among the known differences, and is equal\n", name.c_str());
        }
    return agrees;
}

std::string text_of(const Widths& widths) {
    std::string text;
    for (const auto& [what, count] : widths)
        text += " " + std::to_string(count) + " x " + std::string(what.first) + "." +
                std::to_string(8 * what.second);
    return text;
}

void print_difference(const Compared& one, bool lists) {
    std::printf("%s %s\n  here: %s\n  ptxas:%s\n", one.file.c_str(),
                one.kernel.substr(0, 60).c_str(), text_of(widths_of(one.simulated)).c_str(),
                text_of(widths_of(one.made)).c_str());
    if (lists) std::printf("%s", one.listing.c_str());
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> arguments(argv + 1, argv + argc);
    bool lists = false;
    u32 every = 1;
    while (!arguments.empty() && arguments[0].starts_with("--")) {
        lists |= arguments[0] == "--list";
        if (arguments[0] == "--one-in" && arguments.size() > 1) {
            every = std::max(1u, static_cast<u32>(std::stoul(arguments[1])));
            arguments.erase(arguments.begin());
        }
        arguments.erase(arguments.begin());
    }
    if (arguments.size() < 4) {
        std::puts("merges_test [--list] [--one-in N] PTXAS KNOWN COURSE FOLDER ...");
        return 2;
    }
    std::vector<KernelText> texts;
    if (arguments[2] != "-") texts = learners_files(arguments[2]);
    for (std::size_t k = 3; k < arguments.size(); ++k)
        for (KernelText& text : texts_in_folder(arguments[k])) texts.push_back(std::move(text));
    const Comparison comparison(arguments[0], std::move(texts), every);
    const std::vector<Compared>& all = comparison.compared();
    std::size_t equal = 0;
    for (const Compared& one : all) {
        equal += one.is_equal();
        if (!one.is_equal()) print_difference(one, lists);
    }
    const double share =
        all.empty() ? 0 : 1.0 * static_cast<double>(equal) / static_cast<double>(all.size());
    std::printf(
        "%zu kernels with accesses to shared memory, %zu with the widths of ptxas: %.2f %% (at "
        "least %.0f)\n",
        all.size(), equal, 100 * share, 100 * kAsked);
    const bool agrees = agrees_with_known(all, known_differences(arguments[1]));
    return agrees && share >= kAsked && all.size() >= kKernelsAtLeast / every ? 0 : 1;
}
