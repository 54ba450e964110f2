// Reads and writes the GPU descriptions in gpus/. Both directions use the same list of keys.
#include "timing/gpu.h"

#include <cctype>
#include <cmath>
#include <cstdio>
#include <variant>

#include "base/strict_toml.h"
#include "timing/gpu_files.h"

namespace coalesce::timing {
namespace {

using Toml = coalesce::StrictToml<GpuError>;

struct FileField {
    const char* key;
    std::variant<int Gpu::*, double Gpu::*> gpu_member;
    double min_value, max_value;
    const char* comment;
};
struct FileSection {
    const char* name;
    const char* comment;
    std::vector<FileField> fields;
};

// The smallest value allowed for numbers that must not be 0, such as rates and latencies.
constexpr double kMinPositive = 0.01;

// Long: one table of all figures in a file.
const std::vector<FileSection>& file_sections() {
    static const std::vector<FileSection> all_sections = {
        {"multiprocessors",
         "The number of multiprocessors, and what each can hold at a time",
         {{"count", &Gpu::multiprocessors, 1, 4096, ""},
          {"warps", &Gpu::max_warps, 1, 1024, ""},
          {"blocks", &Gpu::max_blocks, 1, 1024, ""},
          {"registers", &Gpu::registers, 1024, 1 << 24, "each has 32 bits"},
          {"shared_bytes", &Gpu::shared_bytes, 1024, 1 << 24,
           "shared memory for all blocks, including what the system reserves"},
          {"shared_bytes_of_system", &Gpu::system_shared_bytes, 1, 1 << 16,
           "shared memory that the system reserves for each block"},
          {"clock_ghz", &Gpu::clock_ghz, kMinPositive, 100, "under load"}}},
        {"memory",
         "Memory: rates in GB/s, times in nanoseconds",
         {{"peak_gbps", &Gpu::peak_gbps, 1, 1e6, "according to data sheets"},
          {"copy_gbps", &Gpu::copy_gbps, 1, 1e6,
           "bandwidth of a copy in long runs, counting bytes read and written"},
          {"read_gbps", &Gpu::read_gbps, 1, 1e6, "bandwidth of reads in long runs"},
          {"write_gbps", &Gpu::write_gbps, 1, 1e6, "bandwidth of writes in long runs"},
          {"latency_ns", &Gpu::latency_ns, 1, 1e5, "latency of one load while memory is idle"},
          {"queue_ns", &Gpu::queueing_ns, 0, 1e5,
           "multiplied by u / (1 - u), then added to the latency; u is the fraction of time that "
           "memory is busy"},
          {"write_delay_ns", &Gpu::write_delay_ns, 0, 1e5,
           "multiplied by the fraction of time spent on writing, then added to the latency"},
          {"latency_floor", &Gpu::fastest_latency_fraction, kMinPositive, 1,
           "latency of the fastest loads / latency_ns"},
          {"latency_spread_ns", &Gpu::latency_spread_ns, 0, 1e5,
           "largest difference between the average latency and that of the fastest loads"},
          {"l2_bytes", &Gpu::l2_bytes, 0, 1e12, ""},
          {"l2_latency_ns", &Gpu::l2_latency_ns, 1, 1e5,
           "latency of a load that hits the L2 cache"}}},
        {"multiprocessor",
         "One multiprocessor: times in clock cycles",
         {{"l1_latency", &Gpu::l1_latency_cycles, 1, 1e4,
           "latency of a load that hits the L1 cache"},
          {"shared_latency", &Gpu::shared_latency_cycles, 1, 1e4, "latency of a load"},
          {"l2_read_bytes", &Gpu::l2_read_bytes_per_cycle, kMinPositive, 1e4,
           "bytes per cycle from the L2 cache, if all multiprocessors read"},
          {"l2_write_bytes", &Gpu::l2_write_bytes_per_cycle, kMinPositive, 1e4,
           "bytes per cycle to the L2 cache, if all multiprocessors write"},
          {"barrier", &Gpu::barrier_cycles, 0, 1e4,
           "__syncthreads; barrier_of_warp is added for each warp"},
          {"barrier_of_warp", &Gpu::barrier_cycles_per_warp, 0, 1e4, ""},
          {"add_issue", &Gpu::add_issue_cycles, kMinPositive, 1e4,
           "scheduler cycles per warp instruction"},
          {"multiply_issue", &Gpu::multiply_issue_cycles, kMinPositive, 1e4, ""},
          {"divide_issue", &Gpu::divide_issue_cycles, kMinPositive, 1e4,
           "all instructions that a division is compiled to"},
          {"special_issue", &Gpu::special_issue_cycles, kMinPositive, 1e4,
           "reciprocals, roots, exponentials, conversions"},
          {"double_issue", &Gpu::double_issue_cycles, kMinPositive, 1e4,
           "additions and multiplications of doubles"}}},
        {"blocks",
         "The start of kernels and blocks: times in clock cycles",
         {{"launch_us", &Gpu::launch_us, 0, 1e5,
           "duration of an empty kernel in microseconds, measured with events"},
          {"interval", &Gpu::block_interval_cycles, kMinPositive, 1e6,
           "time between the starts of two blocks on a multiprocessor"},
          {"start", &Gpu::block_start_cycles, 0, 1e6,
           "time from a block's end to the next block's first instruction"},
          {"warp_start", &Gpu::warp_start_cycles, 0, 1e6,
           "added for each warp that starts earlier"}}},
    };
    return all_sections;
}

template <class GpuOrConst>
auto* find_run_list(GpuOrConst& gpu, const std::string& key) {
    return key == "bytes"  ? &gpu.run_costs.bytes
           : key == "read" ? &gpu.run_costs.extra_read_time
                           : &gpu.run_costs.extra_write_time;
}
template <class GpuOrConst>
auto* find_partial_cost(GpuOrConst& gpu, const std::string& key) {
    return key == "of_4"   ? &gpu.partial_sectors.cycles_for_4_bytes
           : key == "of_8" ? &gpu.partial_sectors.cycles_for_8_bytes
                           : &gpu.partial_sectors.cycles_for_16_bytes;
}
template <class GpuOrConst>
auto* find_bulk_list(GpuOrConst& gpu, const std::string& key) {
    return key == "bytes" ? &gpu.bulk_copies.bytes
           : key == "row" ? &gpu.bulk_copies.row_cycles
                          : &gpu.bulk_copies.box_row_cycles;
}
constexpr const char* kRunCostKeys[] = {"bytes", "read", "write"};
constexpr const char* kBulkCopyKeys[] = {"bytes", "row", "row_of_box"};
constexpr const char* kPartialSectorKeys[] = {"of_4", "of_8", "of_16"};

// ---- reading ----

/// Reports whether the value of this key is inherited: the key is missing, but the file names a
/// base GPU in the key `like`. A file without `like` must contain all keys.
bool is_inherited(const toml::table& document, const toml::table& table, const char* key) {
    return document.contains("like") && !table.contains(key);
}

void read_section(const Toml& reader, const toml::table& document, const FileSection& section,
                  Gpu& gpu) {
    if (is_inherited(document, document, section.name)) return;
    const toml::table& table = reader.section(document, section.name, "a GPU");
    const std::string section_label = std::string("`") + section.name + "`";
    std::set<std::string_view> known_keys;
    for (const FileField& field : section.fields) known_keys.insert(field.key);
    reader.allow_keys(table, known_keys, section_label);
    for (const FileField& field : section.fields) {
        if (is_inherited(document, table, field.key)) continue;
        if (const auto* int_member = std::get_if<int Gpu::*>(&field.gpu_member)) {
            gpu.** int_member = static_cast<int>(reader.integer(
                table, field.key, section_label, static_cast<std::int64_t>(field.min_value),
                static_cast<std::int64_t>(field.max_value)));
        } else {
            gpu.*std::get<double Gpu::*>(field.gpu_member) =
                reader.number(table, field.key, section_label, field.min_value, field.max_value);
        }
    }
}

void read_partial_sectors(const Toml& reader, const toml::table& document, Gpu& gpu) {
    if (is_inherited(document, document, "partial")) return;
    const toml::table& table = reader.section(document, "partial", "a GPU");
    reader.allow_keys(table, {"of_4", "of_8", "of_16"}, "`partial`");
    for (const char* key : kPartialSectorKeys) {
        *find_partial_cost(gpu, key) = reader.number(table, key, "`partial`", 0, 1e4);
    }
}

/// Reads a section that consists of three lists: `bytes`, and two lists with a number for each size
/// in `bytes`.
template <class FindList>
void read_lists_by_bytes(const Toml& reader, const toml::table& document, const char* section,
                         const char* const (&keys)[3], FindList find_list) {
    const toml::table& table = reader.section(document, section, "a GPU");
    const std::string section_label = std::string("`") + section + "`";
    reader.allow_keys(table, {keys[0], keys[1], keys[2]}, section_label);
    const std::vector<double>& bytes = *find_list(keys[0]);
    for (const char* key : keys) {
        *find_list(key) = reader.numbers(table, key, section_label, key == keys[0] ? 1 : 0, 1e9);
        if (find_list(key)->size() != bytes.size() || bytes.empty()) {
            reader.fail(Toml::line_of(*table.get(key)),
                        std::string("`") + keys[0] + "`, `" + keys[1] + "` and `" + keys[2] +
                            "` must be non-empty lists of the same length");
        }
    }
    for (std::size_t i = 1; i < bytes.size(); ++i) {
        if (bytes[i - 1] < bytes[i]) continue;
        reader.fail(Toml::line_of(*table.get(keys[0])),
                    "the numbers in `bytes` must be in ascending order; sort them");
    }
}

void read_run_costs(const Toml& reader, const toml::table& document, Gpu& gpu) {
    if (is_inherited(document, document, "runs")) return;
    read_lists_by_bytes(reader, document, "runs", kRunCostKeys,
                        [&](const char* key) { return find_run_list(gpu, key); });
}

void read_bulk_copies(const Toml& reader, const toml::table& document, Gpu& gpu) {
    if (!document.contains("bulk")) return;
    read_lists_by_bytes(reader, document, "bulk", kBulkCopyKeys,
                        [&](const char* key) { return find_bulk_list(gpu, key); });
}

/// Returns the base GPU, which the key `like` names. Its own file must be complete.
Gpu read_base_gpu(const Toml& reader, const toml::table& document) {
    const std::string base_name = reader.text(document, "like", "a GPU");
    for (const GpuFile& file : gpu_files()) {
        const toml::table candidate = Toml(std::string(file.name)).parse(file.text);
        if (candidate["name"].value_or(std::string()) != base_name || candidate.contains("like"))
            continue;
        return parse_gpu(file.text, std::string(file.name));
    }
    reader.fail(Toml::line_of(*document.get("like")),
                "no file in gpus/ completely describes \"" + base_name +
                    "\"; name a GPU with a complete file: `like = \"NVIDIA H200\"`");
}

// ---- writing ----

/// Formats a number with as few digits as possible, such that the relative error remains below one
/// millionth.
std::string format_number(double value) {
    char formatted[64];
    if (value == std::floor(value) && std::fabs(value) < 1e15) {
        std::snprintf(formatted, sizeof formatted, "%.0f", value);
    } else {
        std::snprintf(formatted, sizeof formatted, "%.7g", value);
    }
    return formatted;
}

std::string format_line(const std::string& key, const std::string& value,
                        const std::string& comment) {
    std::string text = key + " = " + value;
    if (!comment.empty()) {
        if (text.size() < 32) text.resize(32, ' ');
        text += "  # " + comment;
    }
    return text + "\n";
}

std::string format_list(const std::vector<double>& values) {
    std::string text;
    for (const double value : values) text += (text.empty() ? "[" : ", ") + format_number(value);
    return text + "]";
}

std::string format_section(const Gpu& gpu, const FileSection& section) {
    std::string text = std::string("\n# ") + section.comment + "\n[" + section.name + "]\n";
    for (const FileField& field : section.fields) {
        const auto* int_member = std::get_if<int Gpu::*>(&field.gpu_member);
        const double value =
            int_member ? gpu.**int_member : gpu.*std::get<double Gpu::*>(field.gpu_member);
        text += format_line(field.key, format_number(value), field.comment);
    }
    return text;
}

// ---- names ----

std::string to_lower_case(std::string_view text) {
    std::string lowered;
    for (const char c : text) {
        lowered += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return lowered;
}

/// Reports whether `name` contains `words` as whole words, so that "200" does not match "H200".
bool contains_whole_words(const std::string& name, const std::string& words) {
    const auto is_alphanumeric_at = [&](std::size_t position) {
        return position < name.size() &&
               std::isalnum(static_cast<unsigned char>(name[position])) != 0;
    };
    for (std::size_t position = name.find(words); !words.empty() && position != std::string::npos;
         position = name.find(words, position + 1)) {
        if ((position == 0 || !is_alphanumeric_at(position - 1)) &&
            !is_alphanumeric_at(position + words.size()))
            return true;
    }
    return false;
}

}  // namespace

Gpu parse_gpu(std::string_view text, const std::string& file) {
    const Toml reader(file);
    const toml::table document = reader.parse(text);
    std::set<std::string_view> known_keys = {"name",    "source", "measured", "like",
                                             "partial", "runs",   "bulk"};
    for (const FileSection& section : file_sections()) known_keys.insert(section.name);
    reader.allow_keys(document, known_keys, "a GPU");
    Gpu gpu = document.contains("like") ? read_base_gpu(reader, document) : Gpu{};
    gpu.name = reader.text(document, "name", "a GPU");
    gpu.source = reader.text(document, "source", "a GPU");
    gpu.is_measured = reader.boolean(document, "measured", "a GPU");
    if (gpu.name.empty()) reader.fail(Toml::line_of(*document.get("name")), "`name` is empty");
    for (const FileSection& section : file_sections()) read_section(reader, document, section, gpu);
    read_partial_sectors(reader, document, gpu);
    read_run_costs(reader, document, gpu);
    read_bulk_copies(reader, document, gpu);
    return gpu;
}

std::string format_gpu(const Gpu& gpu) {
    std::string text =
        "# The time model's description of this GPU; " +
        std::string(gpu.is_measured ? "measured by build/bin/calibrate.\n"
                                    : "unverified: no GPU of this model was measured.\n");
    text += format_line("name", toml_string(gpu.name), "") +
            format_line("source", toml_string(gpu.source), "") +
            format_line("measured", gpu.is_measured ? "true" : "false", "");
    for (const FileSection& section : file_sections()) text += format_section(gpu, section);
    text +=
        "\n# A store that writes 4, 8 or 16 bytes of a sector: cycles that this sector takes in "
        "one multiprocessor's share of\n# the L2 cache\n[partial]\n";
    for (const char* key : kPartialSectorKeys)
        text += format_line(key, format_number(*find_partial_cost(gpu, key)), "");
    text +=
        "\n# A copy whose runs have this many bytes takes (1 + read + write) times as long as a "
        "copy in "
        "long runs\n[runs]\n";
    for (const char* key : kRunCostKeys)
        text += format_line(key, format_list(*find_run_list(gpu, key)), "");
    if (gpu.bulk_copies.bytes.empty()) return text;
    text +=
        "\n# Bulk copies into shared memory: cycles that a multiprocessor needs for a row of this "
        "many bytes, if the row is copied\n# alone (row) or as part of a box "
        "(row_of_box)\n[bulk]\n";
    for (const char* key : kBulkCopyKeys)
        text += format_line(key, format_list(*find_bulk_list(gpu, key)), "");
    return text;
}

const std::vector<Gpu>& known_gpus() {
    static const std::vector<Gpu> all_gpus = [] {
        std::vector<Gpu> gpus;
        for (const GpuFile& file : gpu_files()) {
            gpus.push_back(parse_gpu(file.text, std::string(file.name)));
        }
        return gpus;
    }();
    return all_gpus;
}

const Gpu& find_gpu(std::string_view name) {
    const std::string wanted_name = to_lower_case(name);
    std::string known_names, matching_names;
    const Gpu* matching_gpu = nullptr;
    for (const Gpu& gpu : known_gpus()) {
        const std::string lowered_name = to_lower_case(gpu.name);
        if (lowered_name == wanted_name) return gpu;
        known_names += (known_names.empty() ? "" : ", ") + gpu.name;
        if (!contains_whole_words(lowered_name, wanted_name)) continue;
        matching_names += (matching_names.empty() ? "" : ", ") + gpu.name;
        matching_gpu = matching_names == gpu.name ? &gpu : nullptr;
    }
    if (matching_gpu != nullptr) return *matching_gpu;
    if (!matching_names.empty()) {
        throw GpuError("\"" + std::string(name) +
                       "\" matches several GPUs; choose one: " + matching_names);
    }
    throw GpuError("no GPU is called \"" + std::string(name) + "\"; the known GPUs are " +
                   known_names + " (build/bin/calibrate measures a new GPU)");
}

}  // namespace coalesce::timing
