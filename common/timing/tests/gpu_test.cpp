// Tests the files in gpus/. They must be read back as they were written, mistakes must be reported,
// and all files must be valid.
#include "timing/gpu.h"

#include <doctest/doctest.h>

#include <cctype>
#include <set>

#include "timing/gpu_files.h"

using namespace coalesce::timing;

namespace {

/// Returns the text of the H200's file with `from` replaced by `to`. The text must contain `from`.
std::string changed(const std::string& from, const std::string& to) {
    std::string text = format_gpu(known_gpus().front());
    const std::size_t at = text.find(from);
    REQUIRE_MESSAGE(at != std::string::npos, from);
    return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& text) {
    try {
        parse_gpu(text, "gpus/some.toml");
    } catch (const GpuError& error) {
        return error.what();
    }
    return "no error";
}

/// Returns the first line that begins with `key`, and its line number.
std::pair<std::string, int> line_with(const std::string& text, const std::string& key) {
    int number = 1;
    for (std::size_t at = 0; at < text.size(); ++number) {
        const std::size_t end = text.find('\n', at);
        const std::string line = text.substr(at, end - at);
        if (line.starts_with(key + " =")) return {line, number};
        at = end + 1;
    }
    return {"", 0};
}

void check_same(const Gpu& a, const Gpu& b) {
    CHECK(format_gpu(a) == format_gpu(b));
    CHECK(a.name == b.name);
    CHECK(a.is_measured == b.is_measured);
    CHECK(a.multiprocessors == b.multiprocessors);
    CHECK(a.latency_spread_ns == b.latency_spread_ns);
    CHECK(a.l2_bytes == b.l2_bytes);
    CHECK(a.warp_start_cycles == b.warp_start_cycles);
    CHECK(a.partial_sectors.cycles_for_16_bytes == b.partial_sectors.cycles_for_16_bytes);
    CHECK(a.run_costs.extra_write_time == b.run_costs.extra_write_time);
}

}  // namespace

TEST_CASE("a file is read as it was written") {
    Gpu gpu = known_gpus().front();
    gpu.name = "A \"GPU\" of mine \\ yours";
    gpu.source = "two\nlines";
    gpu.is_measured = !gpu.is_measured;
    gpu.clock_ghz = 1.987;
    gpu.l2_bytes = 104857600;
    gpu.run_costs = {{32, 64.5}, {0.25, 0}, {0.125, 1e-3}};
    gpu.bulk_copies = {{128, 1024}, {20, 41.5}, {6, 33}};
    const Gpu same = parse_gpu(format_gpu(gpu), "here");
    check_same(gpu, parse_gpu(format_gpu(same), "here"));
    CHECK(same.name == gpu.name);
    CHECK(same.source == "two lines");
    CHECK(same.clock_ghz == 1.987);
    CHECK(same.l2_bytes == 104857600);
    CHECK(same.run_costs.bytes == gpu.run_costs.bytes);
    CHECK(same.run_costs.extra_write_time == gpu.run_costs.extra_write_time);
    CHECK(same.bulk_copies.bytes == gpu.bulk_copies.bytes);
    CHECK(same.bulk_copies.row_cycles == gpu.bulk_copies.row_cycles);
    CHECK(same.bulk_copies.box_row_cycles == gpu.bulk_copies.box_row_cycles);
}

TEST_CASE("every number has a key of its own") {
    // Change each number in the text. If the resulting GPU stays the same, the key is not read.
    const std::string text = format_gpu(known_gpus().front());
    int changes = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        const std::string line = text.substr(at, end - at);
        const std::size_t equals = line.find(" = ");
        if (equals != std::string::npos && line[0] != '#' &&
            (std::isdigit(line[equals + 3]) || line[equals + 3] == '[')) {
            std::string other = line.substr(0, equals) + " = ";
            if (line[equals + 3] == '[') {
                // In a list, change the last number.
                other += line.substr(equals + 3, line.rfind(' ') - equals - 2);
                other += line.starts_with("bytes") ? "999999]" : "0.77]";
            } else if (line.starts_with("latency_floor")) {
                other += "0.123";
            } else {
                other += std::stod(line.substr(equals + 3)) < 1000 ? "12" : "12345";
            }
            const std::string whole = text.substr(0, at) + other + text.substr(end);
            CHECK_MESSAGE(format_gpu(parse_gpu(whole, "here")) != text, line);
            ++changes;
        }
        at = end + 1;
    }
    CHECK(changes == 39);
}

TEST_CASE("mistakes in a file are reported with their lines") {
    const std::string good = format_gpu(known_gpus().front());
    CHECK(error_of(good) == "no error");

    CHECK(error_of("").starts_with("gpus/some.toml:1: a GPU has no `name`; add name = "));
    CHECK(error_of("name = \n").starts_with("gpus/some.toml:1: "));
    CHECK(error_of(changed("name = \"", "name = \"\" # ")).find(": `name` is empty") !=
          std::string::npos);
    CHECK(error_of(changed("measured = ", "measured = 1 # "))
              .find("`measured` must be true or false") != std::string::npos);
    CHECK(error_of(changed("\n[partial]", "\n[parts]")).find("a GPU: unknown key `parts`") !=
          std::string::npos);

    // Unknown and repeated keys are reported with their lines, and so are values that are out of
    // range or have the wrong type. Missing keys are also reported.
    const auto [line, number] = line_with(good, "queue_ns");
    REQUIRE(number > 1);
    const std::string place = "gpus/some.toml:" + std::to_string(number) + ": ";
    CHECK(error_of(changed("queue_ns", "queues_ns"))
              .starts_with(place + "`memory`: unknown key `queues_ns`; correct or remove it"));
    CHECK(error_of(changed(line + "\n", "")).find("`memory` has no `queue_ns`; add queue_ns = ") !=
          std::string::npos);
    CHECK(error_of(changed(line, "queue_ns = -1"))
              .starts_with(place + "`queue_ns` must be a number from 0 to 100000"));
    CHECK(error_of(changed(line, "queue_ns = nan")).starts_with(place));
    CHECK(error_of(changed(line, "queue_ns = \"40\"")).starts_with(place));
    CHECK(error_of(changed(line, line + "\nqueue_ns = 1"))
              .starts_with("gpus/some.toml:" + std::to_string(number + 1)));
    CHECK(error_of(changed("\nwarps = ", "\nwarps = 0 # "))
              .find("`warps` must be a whole number from 1 to 1024") != std::string::npos);
    CHECK(error_of(changed("\nwarps = ", "\nwarps = 64.5 # ")).find("`warps` must be a whole") !=
          std::string::npos);
    CHECK(error_of(changed("latency_floor = ", "latency_floor = 1.5 # ")).find("from 0.01 to 1") !=
          std::string::npos);

    // Lists of runs must have equal lengths and contain only numbers, and `bytes` must increase.
    CHECK(error_of(changed("\nread = [", "\nread = [0.5, ")).find("lists of the same length") !=
          std::string::npos);
    CHECK(error_of(changed("\nread = [", "\nread = [\"a\", ")).find("must be a list of numbers") !=
          std::string::npos);
    CHECK(
        error_of(changed("\nbytes = [32", "\nbytes = [99")).find("`bytes` must be in ascending") !=
        std::string::npos);
}

TEST_CASE("a file may omit all keys for bulk copies, but not only some of them") {
    Gpu gpu = known_gpus().front();
    gpu.bulk_copies = {};
    const std::string none = format_gpu(gpu);
    CHECK(none.find("bulk") == std::string::npos);
    CHECK(error_of(none) == "no error");
    CHECK(parse_gpu(none, "here").bulk_copies.bytes.empty());
    CHECK(
        error_of(none + "[bulk]\nbytes = [128]\nrow = [20]\n").find("`bulk` has no `row_of_box`") !=
        std::string::npos);
    CHECK(error_of(none + "[bulk]\nbytes = [128]\nrow = [20, 1]\nrow_of_box = [6]\n")
              .find("must be non-empty lists of the same length") != std::string::npos);
}

TEST_CASE("missing parameters are taken from the GPU that the file names in `like`") {
    const Gpu& h200 = known_gpus().front();
    const std::string few = "name = \"mine\"\nsource = \"a guess\"\nmeasured = false\n";
    const std::string like = "like = \"NVIDIA H200\"\n";
    const std::string memory = "[memory]\nqueue_ns = 7\n";
    const Gpu gpu = parse_gpu(few + like + memory, "here");
    CHECK(gpu.name == "mine");
    CHECK(gpu.queueing_ns == 7);
    CHECK(gpu.latency_ns == h200.latency_ns);
    CHECK(gpu.multiprocessors == h200.multiprocessors);
    CHECK(gpu.partial_sectors.cycles_for_8_bytes == h200.partial_sectors.cycles_for_8_bytes);
    CHECK(gpu.run_costs.extra_write_time == h200.run_costs.extra_write_time);
    CHECK(!gpu.is_measured);

    CHECK(error_of(few + memory).find("add multiprocessors = ") != std::string::npos);
    CHECK(error_of(few + like + "[memory]\nqueues_ns = 7\n").find("unknown key `queues_ns`") !=
          std::string::npos);
    CHECK(error_of(few + like + "[runs]\nbytes = [1, 2]\nread = [0, 0]\n")
              .find("`runs` has no `write`") != std::string::npos);
    // `like` must be the full name of a GPU whose own file has no `like`.
    for (const char* other : {"NVIDIA L4", "H200", ""}) {
        CAPTURE(other);
        CHECK(error_of(few + "like = \"" + other + "\"\n")
                  .starts_with("gpus/some.toml:4: no file in gpus/ completely describes "));
    }
}

TEST_CASE("every file in gpus/ is valid") {
    CHECK(known_gpus().size() == gpu_files().size());
    CHECK(known_gpus().size() >= 14);
    CHECK(known_gpus().front().name == "NVIDIA H200");
    std::set<std::string> names;
    for (const Gpu& gpu : known_gpus()) {
        CAPTURE(gpu.name);
        CHECK(names.insert(gpu.name).second);
        CHECK(!gpu.source.empty());
        check_same(gpu, parse_gpu(format_gpu(gpu), "here"));
        CHECK(gpu.copy_gbps <= gpu.peak_gbps);
        CHECK(gpu.read_gbps <= gpu.peak_gbps);
        CHECK(gpu.write_gbps <= gpu.peak_gbps);
        CHECK(gpu.shared_latency_cycles < gpu.l1_latency_cycles + 10);
        CHECK(gpu.l1_latency_cycles < gpu.l2_latency_ns * gpu.clock_ghz);
        CHECK(gpu.l2_latency_ns < gpu.latency_ns);
        CHECK(gpu.run_costs.bytes.size() >= 3);
    }
}

TEST_CASE("a GPU is found by name") {
    const Gpu& h200 = known_gpus().front();
    CHECK(&find_gpu("NVIDIA H200") == &h200);
    CHECK(&find_gpu("h200") == &h200);
    CHECK(find_gpu("RTX 4090").name == "NVIDIA GeForce RTX 4090");
    CHECK(find_gpu("4090").name == "NVIDIA GeForce RTX 4090");
    CHECK(find_gpu("a100").name == "NVIDIA A100-SXM4-80GB");
    CHECK(find_gpu("h100 pcie").name == "NVIDIA H100 PCIe");
    CHECK(find_gpu("L4").name == "NVIDIA L4");
    for (const char* name : {"T4", "A10", "L40S", "RTX 4070", "RTX 5090", "B200"}) {
        CAPTURE(name);
        CHECK(find_gpu(name).name.ends_with(name));
        CHECK_FALSE(find_gpu(name).is_measured);
    }
    for (const char* wrong : {"", "200", "H20", "RTX 409", "V100"}) {
        CAPTURE(wrong);
        CHECK_THROWS_WITH_AS(find_gpu(wrong), doctest::Contains("the known GPUs are NVIDIA H200, "),
                             GpuError);
    }
    CHECK_THROWS_WITH_AS(find_gpu("H100"), doctest::Contains("choose one: "), GpuError);
}
