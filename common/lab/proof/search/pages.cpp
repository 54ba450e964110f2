// pages -- does it matter where a matrix's physical pages lie? Address space made of chunks of physical memory, in order,
// backwards and shuffled; in each, the search's fastest kernels beside a copy. docs/guide/search.md.

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <numeric>
#include <random>
#include <vector>

#include "base/files.h"
#include "harness/device.h"
#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "harness/result.h"
#include "harness/stopwatch.h"
#include "harness/text.h"
#include "lab/proof/bench/machine.h"
#include "lab/proof/json_text.h"
#include "lab/proof/run_program.h"
#include "lab/proof/search/race.h"

using namespace coalesce;
using namespace coalesce::proof;

namespace {

// ---- the driver's functions, which the runtime knows where to find ----

template <class Function>
Function* driver_function(const char* name) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result;
    CUDA_CHECK(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result));
    if (!found) throw std::runtime_error(std::string("the driver has no ") + name);
    return reinterpret_cast<Function*>(found);
}
#define DRIVER_FUNCTION(name) driver_function<decltype(name)>(#name)

void check(CUresult result, const char* what) {
    if (result != CUDA_SUCCESS)
        throw std::runtime_error(format("%s: error %d of the driver", what, int(result)));
}

// ---- memory ----

enum class Sequence { in_order, backwards, shuffled };

std::string name_of(Sequence sequence) {
    constexpr const char* names[] = {"in order", "backwards", "shuffled"};
    return names[static_cast<int>(sequence)];
}

/// Address space in a row, whose physical memory comes in chunks.
class MemoryOfChunks {
public:
    MemoryOfChunks(std::size_t bytes, std::size_t chunk, Sequence sequence)
        : chunk_(chunk), chunks_((bytes + chunk - 1) / chunk) {
        CUmemAllocationProp place{};
        place.type = CU_MEM_ALLOCATION_TYPE_PINNED;
        place.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        std::vector<CUmemGenericAllocationHandle> pieces(chunks_);
        for (auto& piece : pieces)
            check(DRIVER_FUNCTION(cuMemCreate)(&piece, chunk, &place, 0), "cuMemCreate");
        check(DRIVER_FUNCTION(cuMemAddressReserve)(&begin_, chunk * chunks_, 0, 0, 0),
              "cuMemAddressReserve");
        if (sequence == Sequence::backwards) std::reverse(pieces.begin(), pieces.end());
        if (sequence == Sequence::shuffled)
            std::shuffle(pieces.begin(), pieces.end(), std::mt19937(7));
        for (std::size_t i = 0; i < chunks_; ++i) {
            check(DRIVER_FUNCTION(cuMemMap)(begin_ + i * chunk, chunk, 0, pieces[i], 0),
                  "cuMemMap");
            check(DRIVER_FUNCTION(cuMemRelease)(pieces[i]), "cuMemRelease");
        }
        const CUmemAccessDesc access{place.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
        check(DRIVER_FUNCTION(cuMemSetAccess)(begin_, chunk * chunks_, &access, 1),
              "cuMemSetAccess");
    }
    ~MemoryOfChunks() {
        cudaDeviceSynchronize();
        DRIVER_FUNCTION(cuMemUnmap)(begin_, chunk_ * chunks_);
        DRIVER_FUNCTION(cuMemAddressFree)(begin_, chunk_ * chunks_);
    }
    MemoryOfChunks(const MemoryOfChunks&) = delete;
    MemoryOfChunks& operator=(const MemoryOfChunks&) = delete;

    float* data() const { return reinterpret_cast<float*>(begin_); }

private:
    std::size_t chunk_, chunks_;
    CUdeviceptr begin_ = 0;
};

// ---- measuring ----

struct Words {
    int side = 32768, rounds = 8, launches = 3;
    std::vector<std::size_t> chunks{2, 32, 512};  // MiB
    std::string json, commit;
};

void add_options(CLI::App& app, Words& words) {
    app.add_option("--side", words.side, "Of the matrix, a multiple of 256 (32768)")
        ->check(CLI::Range(256, 40960));
    app.add_option("--chunks", words.chunks, "MiB of a chunk, even (2,32,512)")->delimiter(',');
    app.add_option("--rounds", words.rounds, "Turns of each kernel (8)")
        ->check(CLI::Range(1, 1000));
    app.add_option("--launches", words.launches, "Timed launches in one turn (3)")
        ->check(CLI::Range(1, 1000));
    app.add_option("--json", words.json, "Where the results go, too");
    app.add_option("--commit", words.commit, "Commit of the source, where git cannot say");
}

/// The search's fastest kernels, and the plain one that they are made of.
std::vector<Candidate> kernels_to_time() {
    std::vector<Candidate> all = search_candidates(1), wanted;
    for (const char* name : {"raw 64 x 64", "raw 64 x 64, stay", "raw 64 x 64, apart",
                             "raw 64 x 64, stay and apart"}) {
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const Candidate& one) { return one.name == name; });
        wanted.push_back(*found);
    }
    return wanted;
}

class Comparison {
public:
    Comparison(const Words& words, std::size_t l2_bytes)
        : words_(words),
          bytes_(sizeof(float) * words.side * words.side),
          kernels_(kernels_to_time()),
          stopwatch_(l2_bytes),
          values_(bytes_) {
        std::vector<std::uint32_t> values(bytes_ / sizeof(std::uint32_t));
        std::iota(values.begin(), values.end(), 0u);
        CUDA_CHECK(cudaMemcpy(values_.data(), values.data(), bytes_, cudaMemcpyHostToDevice));
    }

    /// `memory`: what it is, for the table.
    void measure(const std::string& memory, float* out, float* in) {
        CUDA_CHECK(cudaMemcpy(in, values_.data(), bytes_, cudaMemcpyDeviceToDevice));
        Race race(kernels_, {words_.side, words_.side}, out, in);
        race.verify();
        for (int i = 0; i < words_.rounds; ++i) race.play_round(stopwatch_, words_.launches);
        std::cout << memory << "\n";
        for (std::size_t i = 0; i <= kernels_.size(); ++i) {
            const std::string name = i == 0 ? "copy" : kernels_[i - 1].name;
            std::cout << format("  %-40s%9.4f ms%7.0f GB/s\n", name.c_str(), race.ms(i),
                                race.gbps(i))
                      << std::flush;
            rows_.push_back({{"memory", memory},
                             {"candidate", name},
                             {"ms", rounded(race.ms(i), 4)},
                             {"gbps", rounded(race.gbps(i), 1)}});
        }
    }

    const Json& rows() const { return rows_; }

private:
    const Words& words_;
    std::size_t bytes_;
    std::vector<Candidate> kernels_;
    Stopwatch stopwatch_;
    DeviceBuffer values_;  ///< of which no two are the same
    Json rows_ = Json::array();
};

int run(const Words& words, char** argv) {
    if (words.side % kSearchSide != 0)
        throw UsageError(format("--side: a multiple of %d", kSearchSide));
    const Device device = choose_device(DeviceChoice::gpu, argv);
    if (!words.json.empty()) check_writable(words.json);
    std::cout << device.first_line() << "\n";
    Comparison comparison(words, device.l2_bytes);
    const std::size_t bytes = sizeof(float) * words.side * words.side;
    {
        const DeviceBuffer out(bytes), in(bytes);
        comparison.measure("cudaMalloc", static_cast<float*>(out.data()),
                           static_cast<float*>(in.data()));
    }
    for (const std::size_t mib : words.chunks) {
        for (const Sequence sequence :
             {Sequence::in_order, Sequence::backwards, Sequence::shuffled}) {
            const MemoryOfChunks out(bytes, mib << 20, sequence), in(bytes, mib << 20, sequence);
            comparison.measure(format("chunks of %zu MiB, ", mib) + name_of(sequence), out.data(),
                               in.data());
        }
    }
    if (words.json.empty()) return exit_right;
    write_file(words.json,
               json_text({{"device", {{"name", device.name}}},
                          {"run", run_record(words.commit, {{"rounds", words.rounds},
                                                            {"launches_a_round", words.launches}})},
                          {"rows", words.side},
                          {"cols", words.side},
                          {"results", comparison.rows()}}));
    std::cout << "Written to " << words.json << "\n";
    return exit_right;
}

}  // namespace

int main(int argc, char** argv) {
    return run_program(
        "pages", "The fastest transposes in memory whose physical pages lie in different orders",
        argc, argv, add_options, run);
}
