// libFuzzer target: loads and lowers each module that the parser accepts, and runs two small blocks
// of each kernel, with all checks and a low instruction limit. The run must end with an error or a
// result. The sanitizer detects every access outside the simulator's memory.
//
// Each word of the parameters is an address in device memory, because addresses let a kernel cause
// the most damage.
#include <cstring>
#include <string>
#include <vector>

#include "ptx_mutations.h"
#include "simulator/base/device_model.h"
#include "simulator/base/options.h"
#include "simulator/device/device.h"
#include "simulator/ptx/parser.h"

namespace {

using namespace coalesce::simulator;

constexpr u64 kInstructions = 2000;
constexpr u64 kBufferBytes = 4096;
/// The maximum size of a kernel's parameters, in bytes. cudart/launch.cpp rejects launches with
/// larger parameters.
constexpr u64 kParameterBytes = DeviceModel::parameter_bytes_max;

void prepare() {
    Options& wanted = options();
    wanted.max_instructions = kInstructions;
    wanted.worker_count = 1;
    wanted.is_quiet = true;
    reports().print_immediately(false);
    wanted.memory_bytes = 256 << 20;
}

u64 buffer() {
    static const u64 address = Device::instance().memory().allocate(kBufferBytes);
    return address;
}

void run(Kernel& kernel) {
    if (kernel.parameter_bytes > kParameterBytes) return;
    const std::vector<u64> words(kParameterBytes / sizeof(u64) + 1, buffer());
    std::vector<void*> arguments(kernel.parameter_offsets.size(), const_cast<u64*>(words.data()));
    LaunchConfig config;
    config.grid = {2, 1, 1};
    config.block = {40, 1, 1};
    config.dynamic_shared_bytes = 64;
    Device::instance().launch(kernel, config, arguments.data());
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

/// Mutates an input. Two out of three mutations change the PTX as text. The other mutations change
/// bytes.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
    const std::string_view before(reinterpret_cast<const char*>(data), size);
    const auto text = seed % 3 == 0 ? std::nullopt : PtxMutation(before, seed).apply();
    if (!text || text->size() > size_max) return LLVMFuzzerMutate(data, size, size_max);
    std::memcpy(data, text->data(), text->size());
    return text->size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const bool once = (prepare(), true);
    (void)once;
    std::string error;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto module = Device::instance().load_module(text, error);
    if (!module) return 0;
    for (const auto& [name, kernel] : module->kernels) {
        run(*kernel);
        // Discard the launch, which would otherwise be recorded for the table that is printed at
        // the end of the program.
        kernel->totals.launches = 0;
    }
    reports().clear();
    Device::instance().unload_module(*module);
    return 0;
}
