// How near the simulator's estimate of a kernel's registers comes to what ptxas gives it.
//
//     registers_test PTXAS COURSE FOLDER ...
//
// The kernels are those of the learners' files of the course that are right, compiled here, and of the
// programs in the folders, whose PTX lies in them (none that is built with -G). Both sides get the same PTX. A kernel
// that has the same instructions as another, for as many threads, counts once: not so its name, nor its number among
// those of its file, which is in the names of its labels. Fails where too few are near, and prints the worst.
//
// Half of the kernels, chosen by a hash of their instructions, may be looked at to find what the estimate
// leaves out; the other half is held back, so that its share tells what to expect of kernels nobody has seen.
// Both are printed.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/child.h"
#include "base/files.h"
#include "base/kernel_name.h"
#include "examiner/compile.h"
#include "simulator/analysis/block_layout.h"
#include "simulator/ptx/parser.h"
#include "simulator/ptxas/register_estimate.h"
#include "simulator/tests/ptxas/kernel_texts.h"
#include "timing/occupancy.h"

using namespace coalesce;
using namespace coalesce::simulator;
namespace fs = std::filesystem;

namespace {

/// What counts as near, as a share of what ptxas gives.
constexpr double kNear = 0.15;
/// The least share of kernels that have to be near, and of launches that have to have the right number of
/// blocks on a multiprocessor. Other kernels of the same kind would give other shares: what is asked for lies two
/// standard errors of a share of as many kernels below what is there now (89.1 % near and 96.9 % right of 3203 in
/// programs), so that a few new tests cannot break it, while a rule that is lost does. Of 135 learners' files 97.8 and
/// 96.7 % are; there it stays at what was asked for when 96.3 % were near.
struct Demand {
    const char* group;
    std::size_t kernels;  ///< that there have to be at least
    double near, blocks;
};
constexpr std::array kDemands = {Demand{"learners' files", 100, 0.95, 0.945},
                                 Demand{"programs", 300, 0.88, 0.96}};

struct Found {
    std::string group, file, kernel;
    u32 estimate = 0, truth = 0;
    bool is_held_back = false;
    double error() const { return std::abs(1.0 * estimate - truth) / truth; }
};

/// 3 of 4 -> 0.75
template <class Numbers, class Is>
double share(const Numbers& numbers, Is is) {
    const auto count = std::count_if(numbers.begin(), numbers.end(), is);
    return numbers.empty() ? 0 : static_cast<double>(count) / static_cast<double>(numbers.size());
}

// ---- both sides ----

/// "... Compiling entry function 'k' ... Used 12 registers ..." -> k: 12
std::map<std::string, u32> registers_in(const std::string& said) {
    std::map<std::string, u32> registers;
    std::istringstream lines(said);
    std::string kernel;
    for (std::string line; std::getline(lines, line);) {
        constexpr std::string_view entry = "Compiling entry function '", used = "Used ";
        if (const auto at = line.find(entry); at != line.npos) {
            const auto begin = at + entry.size();
            kernel = line.substr(begin, line.find('\'', begin) - begin);
        } else if (const auto found = line.find(used); found != line.npos && !kernel.empty()) {
            registers[kernel] = static_cast<u32>(std::stoul(line.substr(found + used.size())));
        }
    }
    return registers;
}

/// FNV-1a: the same everywhere, unlike std::hash.
bool is_held_back(const std::string& instructions) {
    u32 hash = 2166136261;
    for (unsigned char c : instructions) hash = (hash ^ c) * 16777619;
    return hash >> 13 & 1;
}

std::string instructions_of(const ptx::Module& module, const ptx::Function& function) {
    std::string text;
    for (const ptx::Instruction& i : function.body) text += std::string(module.text_of(i)) + "\n";
    return text;
}

class Comparison {
public:
    Comparison(std::string ptxas, std::vector<KernelText> texts)
        : ptxas_(std::move(ptxas)), texts_(std::move(texts)) {
        std::vector<std::thread> workers;
        for (unsigned k = 0; k < std::max(2u, std::thread::hardware_concurrency()); ++k)
            workers.emplace_back([this] {
                for (std::size_t next; (next = next_++) < texts_.size();) compare(texts_[next]);
            });
        for (std::thread& worker : workers) worker.join();
    }
    const std::vector<Found>& found() const { return found_; }

private:
    void compare(const KernelText& text) {
        if (is_for_debugging(text.ptx)) return;
        const TemporaryFolder folder;
        const fs::path file = folder / "kernels.ptx";
        write_file(file, text.ptx);
        const Ended ended = run_child(
            {ptxas_, "-arch=sm_90", "-v", "-o", (folder / "kernels.cubin").string(), file.string()},
            300);
        const std::map<std::string, u32> truth = registers_in(ended.output);
        const auto module = ptx::parse(text.ptx);
        for (const auto& [name, function] : module->functions) {
            const auto known = truth.find(name);
            if (known == truth.end() || name == kConfigureEntry) continue;
            put_in_order(*function);
            const u32 estimate = estimate_code(*module, *function).registers;
            const std::lock_guard lock(mutex_);
            const std::string instructions = instructions_of(*module, *function);
            const bool held_back = is_held_back(instructions);
            const auto [seen, is_new] =
                seen_.try_emplace(without_names(*module, *function), found_.size());
            if (is_new)
                found_.push_back(
                    {text.group, text.file, kernel_name(name), estimate, known->second, held_back});
            // Who looks at one of two that are the same has seen the other.
            found_[seen->second].is_held_back &= held_back;
        }
    }

    const std::string ptxas_;
    const std::vector<KernelText> texts_;
    std::atomic<std::size_t> next_{0};
    std::mutex mutex_;
    std::map<std::string, std::size_t> seen_;  ///< what tells kernels apart: index into found_
    std::vector<Found> found_;
};

// ---- the report ----

u32 blocks(u32 registers, u32 threads) {
    return std::min(2048 / threads, timing::blocks_with_registers(registers, threads / 32, 65536u));
}

double share_with_right_blocks(const std::vector<Found>& kernels) {
    constexpr std::array threads = {128u, 256u, 512u, 1024u};
    double sum = 0;
    for (u32 t : threads)
        sum += share(kernels,
                     [&](const Found& k) { return blocks(k.estimate, t) == blocks(k.truth, t); });
    return sum / threads.size();
}

/// Of those that may be looked at.
void print_worst(std::vector<Found> kernels) {
    std::erase_if(kernels, [](const Found& k) { return k.is_held_back; });
    std::sort(kernels.begin(), kernels.end(), [](const Found& a, const Found& b) {
        return a.error() != b.error() ? a.error() > b.error()
                                      : std::tie(a.file, a.kernel) < std::tie(b.file, b.kernel);
    });
    std::puts("  estimate  ptxas");
    for (std::size_t k = 0; k < std::min<std::size_t>(10, kernels.size()); ++k)
        std::printf("  %8u  %5u  %s  %s\n", kernels[k].estimate, kernels[k].truth,
                    kernels[k].file.c_str(), kernels[k].kernel.substr(0, 60).c_str());
}

bool is_near(const Found& kernel) {
    return kernel.error() <= kNear;
}

void print_halves(const std::vector<Found>& kernels) {
    std::vector<Found> halves[2];
    for (const Found& k : kernels) halves[k.is_held_back].push_back(k);
    std::printf("  of the half that may be looked at: %.1f %%, of the one held back: %.1f %%\n",
                100 * share(halves[0], is_near), 100 * share(halves[1], is_near));
}

bool meets(const Demand& demand, const std::vector<Found>& all) {
    std::vector<Found> kernels;
    for (const Found& k : all)
        if (k.group == demand.group) kernels.push_back(k);
    const double near = share(kernels, is_near);
    const double same_step =
        share(kernels, [](const Found& k) { return (k.estimate + 7) / 8 == (k.truth + 7) / 8; });
    const double right = share_with_right_blocks(kernels);
    std::printf(
        "%s: %zu kernels\n  within %.0f %% of ptxas: %.1f %% (at least %.1f)\n"
        "  the same rounded up to 8: %.1f %%\n  the right number of blocks: %.1f %% (at least "
        "%.1f)\n",
        demand.group, kernels.size(), 100 * kNear, 100 * near, 100 * demand.near, 100 * same_step,
        100 * right, 100 * demand.blocks);
    print_halves(kernels);
    print_worst(kernels);
    const bool enough = kernels.size() >= demand.kernels;
    if (!enough) std::printf("  There should be %zu kernels: is all built?\n", demand.kernels);
    return enough && near >= demand.near && right >= demand.blocks;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::puts("registers_test PTXAS COURSE FOLDER ...");
        return 2;
    }
    std::vector<KernelText> texts = learners_files(argv[2]);
    for (int k = 3; k < argc; ++k)
        for (KernelText& text : texts_in_folder(argv[k])) texts.push_back(std::move(text));
    const Comparison comparison(argv[1], std::move(texts));
    bool good = true;
    for (const Demand& demand : kDemands) good &= meets(demand, comparison.found());
    return good ? 0 : 1;
}
