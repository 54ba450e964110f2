// Lists the names of the special registers in the PTX ISA.
#include "simulator/ptx/special_registers.h"

#include <algorithm>
#include <charconv>

namespace coalesce::simulator::ptx {

namespace {

constexpr std::string_view kSpecialRegisterNames[] = {
    "%tid",
    "%ntid",
    "%ctaid",
    "%nctaid",
    "%laneid",
    "%warpid",
    "%nwarpid",
    "%smid",
    "%nsmid",
    "%gridid",
    "%lanemask_eq",
    "%lanemask_le",
    "%lanemask_lt",
    "%lanemask_ge",
    "%lanemask_gt",
    "%clock",
    "%clock_hi",
    "%clock64",
    "%globaltimer",
    "%globaltimer_lo",
    "%globaltimer_hi",
    "%clusterid",
    "%nclusterid",
    "%cluster_ctaid",
    "%cluster_nctaid",
    "%cluster_ctarank",
    "%cluster_nctarank",
    "%is_explicit_cluster",
    "%reserved_smem_offset_begin",
    "%reserved_smem_offset_end",
    "%reserved_smem_offset_cap",
    "%total_smem_size",
    "%aggr_smem_size",
    "%dynamic_smem_size",
    "%current_graph_exec",
};

/// A family of names that contain a number below `count`, optionally followed by a suffix.
struct NumberedNames {
    std::string_view prefix, suffix;
    int count;
};
constexpr NumberedNames kNumberedNames[] = {
    {"%envreg", "", 32}, {"%pm", "", 8}, {"%pm", "_64", 8}, {"%reserved_smem_offset_", "", 2}};

bool matches_family(const NumberedNames& family, std::string_view name) {
    if (!name.starts_with(family.prefix) || !name.ends_with(family.suffix)) return false;
    if (name.size() <= family.prefix.size() + family.suffix.size()) return false;
    name.remove_prefix(family.prefix.size());
    name.remove_suffix(family.suffix.size());
    int number = -1;
    const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    return error == std::errc() && stop == name.data() + name.size() && number >= 0 &&
           number < family.count;
}

}  // namespace

bool is_special_register(std::string_view name) {
    return std::find(std::begin(kSpecialRegisterNames), std::end(kSpecialRegisterNames), name) !=
               std::end(kSpecialRegisterNames) ||
           std::any_of(std::begin(kNumberedNames), std::end(kNumberedNames),
                       [&](const NumberedNames& family) { return matches_family(family, name); });
}

bool is_clock(std::string_view name) {
    return name.starts_with("%clock") || name.starts_with("%globaltimer");
}

}  // namespace coalesce::simulator::ptx
