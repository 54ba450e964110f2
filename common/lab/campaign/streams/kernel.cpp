#include "lab/campaign/streams/kernel.h"

#include <filesystem>

#include "base/codec.h"
#include "base/errors.h"
#include "base/files.h"
#include "harness/text.h"
#include "lab/campaign/streams/plan.h"

namespace coalesce::timing {
namespace {

/// The contents of kernels.json.
struct KernelIndexFile {
    std::vector<Kernel> kernels;
};

void describe(auto& codec, KernelIndexFile& index) {
    codec::version(codec, "list of random kernels", 1);
    codec::fields(codec, "kernels", index.kernels);
}

/// Returns the 64-bit FNV-1a hash of the text and the launches.
std::string fingerprint_of(const Kernel& kernel) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char byte : kernel.text + codec::write(kernel.measured_launch)) {
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    }
    return format("%016llx", static_cast<unsigned long long>(hash));
}

std::string source_path(const std::string& folder, const Kernel& kernel) {
    return folder + "/" + kernel.name + ".cu";
}

Kernel make_kernel(const KernelPlan& plan, const std::string& name) {
    Kernel kernel;
    kernel.name = name;
    kernel.family = plan.family;
    kernel.title = format_title(plan);
    kernel.description = format_description(plan);
    kernel.computation = plan.work;
    kernel.measured_launch = plan_launch(plan, false);
    kernel.checked_launch = plan_launch(plan, true);
    kernel.text = generate_source(plan, name);
    kernel.fingerprint = fingerprint_of(kernel);
    return kernel;
}

}  // namespace

std::vector<Kernel> random_kernels(std::uint64_t seed, int count) {
    constexpr int family_count = static_cast<int>(last_of(Family{})) + 1;
    std::vector<Kernel> kernels;
    for (int i = 0; i < count; ++i) {
        campaign::Random random(campaign::hash_bits(seed) + static_cast<std::uint64_t>(i));
        const KernelPlan plan = random_plan(static_cast<Family>(i % family_count), random);
        kernels.push_back(make_kernel(plan, format("kernel_%02d", i + 1)));
    }
    return kernels;
}

std::vector<Kernel> transposing_kernels() {
    std::vector<Kernel> kernels;
    for (const KernelPlan& plan : transposing_plans())
        kernels.push_back(
            make_kernel(plan, format("kernel_%03d", static_cast<int>(kernels.size()) + 1)));
    return kernels;
}

void write_kernels(const std::vector<Kernel>& kernels, const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw UsageError(folder + " cannot be made: " + error.message());
    for (const Kernel& kernel : kernels) write_file(source_path(folder, kernel), kernel.text);
    write_file(folder + "/kernels.json", codec::write(KernelIndexFile{kernels}, true) + "\n");
}

std::vector<Kernel> read_kernels(const std::string& folder) {
    const std::string file = folder + "/kernels.json";
    std::vector<Kernel> kernels;
    try {
        kernels = codec::read<KernelIndexFile>(read_file(file)).kernels;
    } catch (const codec::Error& error) {
        throw UsageError(file + ": " + error.what() + "; generate it again with --make " + folder);
    }
    for (Kernel& kernel : kernels) {
        kernel.text = read_file(source_path(folder, kernel));
        if (fingerprint_of(kernel) == kernel.fingerprint) continue;
        throw UsageError(source_path(folder, kernel) + " does not match " + file +
                         ": generate both again with --make " + folder);
    }
    return kernels;
}

}  // namespace coalesce::timing
