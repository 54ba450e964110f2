#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "base/codec.h"
#include "base/errors.h"
#include "base/files.h"
#include "lab/campaign/streams/kernel.h"
#include "lab/random_times/compare.h"

using namespace coalesce;
using namespace coalesce::timing;

namespace {

/// Returns a fingerprint of all kernels together.
std::string fingerprint_of(const std::vector<Kernel>& kernels) {
    std::uint64_t sum = 0;
    for (const Kernel& kernel : kernels)
        sum = sum * 31 + std::stoull(kernel.fingerprint, nullptr, 16);
    return std::to_string(sum);
}

}  // namespace

TEST_CASE("a seed determines the kernels, and generating more does not change the first ones") {
    const auto forty = random_kernels(1, 40);
    CHECK(codec::write(forty) == codec::write(random_kernels(1, 40)));
    CHECK(forty[6].text == random_kernels(1, 7)[6].text);
    CHECK(forty[6].text != random_kernels(2, 7)[6].text);
    // The stored predictions belong to these kernels. If the generator changes, the kernels must be
    // predicted and measured again.
    CHECK(fingerprint_of(forty) == "14618651890742862637");
}

TEST_CASE("all families have the same number of kernels, and no two kernels are equal") {
    std::map<Family, int> members;
    std::set<std::string> texts;
    for (Kernel kernel : random_kernels(1, 40)) {
        ++members[kernel.family];
        texts.insert(kernel.description);
    }
    CHECK(members.size() == 10);
    for (const auto& [family, count] : members) CHECK(count == 4);
    CHECK(texts.size() == 40);
}

TEST_CASE("every launch is valid, and every index fits into an int") {
    for (const Kernel& kernel : random_kernels(3, 2000)) {
        CAPTURE(kernel.description);
        CHECK(kernel.title.size() <= 35);
        CHECK(kernel.description.find('\n') == std::string::npos);
        for (const MatrixLaunch& run : {kernel.measured_launch, kernel.checked_launch}) {
            CHECK(run.block[0] * run.block[1] >= 32);
            CHECK(run.block[0] * run.block[1] <= 1024);
            CHECK(run.grid[0] >= 1);
            CHECK(run.grid[1] <= 65535);
            CHECK(run.shared_bytes <= 227 * 1024);
            const auto most = static_cast<std::uint64_t>(std::numeric_limits<int>::max()) *
                              static_cast<std::uint64_t>(kernel.computation.element_bytes);
            CHECK(std::max(run.in_bytes, run.out_bytes) < most);
        }
        const auto bytes =
            std::max(kernel.measured_launch.in_bytes, kernel.measured_launch.out_bytes);
        CHECK(bytes >= std::uint64_t{15} << 20);
        CHECK(bytes <= std::uint64_t{5} << 29);
        CHECK(kernel.checked_launch.in_bytes + kernel.checked_launch.out_bytes < std::uint64_t{64}
                                                                                     << 20);
    }
}

TEST_CASE("files are read back as they were written, and a modified file is rejected") {
    const TemporaryFolder folder;
    const auto kernels = random_kernels(1, 10);
    write_kernels(kernels, folder.path);
    const auto read = read_kernels(folder.path);
    CHECK(codec::write(read) == codec::write(kernels));
    CHECK(read[3].text == kernels[3].text);
    write_file(folder / "kernel_04.cu", kernels[3].text + "//");
    CHECK_THROWS_AS(read_kernels(folder.path), UsageError);
}

TEST_CASE("times are compared only if they belong to the same kernel") {
    PredictedKernels predicted{
        "H200", {{"kernel_01", "a title", "f00d", 1.1, 0.1, "memory", {"waits"}, {}}}};
    MeasuredKernels measured{"H200", "", "", {{"kernel_01", "a title", "f00d", 1.0, 0.01, 20}}};
    const auto pairs = pairs_of(predicted, measured);
    REQUIRE(pairs.size() == 1);
    CHECK(pairs[0].name == "01 a title");
    CHECK(pairs[0].relative_error() == doctest::Approx(0.1));
    CHECK_FALSE(pairs[0].is_fully_modelled());
    measured.kernels[0].fingerprint = "beef";
    CHECK_THROWS_AS(pairs_of(predicted, measured), UsageError);
    measured.kernels.clear();
    CHECK_THROWS_AS(pairs_of(predicted, measured), UsageError);
}
