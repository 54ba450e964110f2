#include "learn/counted.h"

#include <algorithm>

#include "base/text.h"
#include "examiner/course/course.h"
#include "examiner/launch_limits.h"
#include "harness/counters_json.h"

namespace coalesce::learn {
namespace {

constexpr double kFloatsInASector = 8, kBytesInASector = 32, kLanesPerWarp = 32;

double counter_value(const Json& counters, const std::string& name) {
    return counters.is_object() ? counters.value(name, 0.0) : 0.0;
}

bool is_shared(const std::string& counter) {
    return counter.starts_with("shared");
}

/// Returns a phrase such as "a load touches 4 sectors of 32 bytes", computed from a counter.
std::string sectors_in_words(const Json& counters, const std::string& counter) {
    const double sectors = *average_per_request(counters, counter);
    return "a " + counter + " touches " + format_figure(sectors) +
           (sectors == 1 ? " sector" : " sectors") + " of 32 bytes";
}

// Returns a sentence that explains the number of sectors for one kind of access. `ideal` is the
// minimum number of sectors per request, on average over the kernel.
std::string reason_for_sectors(const Json& counters, const std::string& counter, double ideal) {
    double sectors = *average_per_request(counters, counter);
    double bytes_each = ideal * kBytesInASector / kLanesPerWarp;
    std::string text = sectors_in_words(counters, counter);
    std::string needed_text = format_figure(kLanesPerWarp) + " lanes with " +
                              format_figure(bytes_each) + " bytes each need " +
                              format_figure(kLanesPerWarp * bytes_each) + " bytes, " +
                              format_figure(ideal) + (ideal == 1 ? " sector" : " sectors");
    if (sectors <= ideal * 1.01) return text + ": " + needed_text + ". No byte is wasted.";
    if (bytes_each > 2 && sectors <= ideal + 1.01) {
        const double rounded_bytes = bytes_each <= 4 ? 4 : bytes_each <= 8 ? 8 : 16;
        return text + ". " + format_figure(kLanesPerWarp) + " lanes with " +
               format_figure(rounded_bytes) + " bytes each fill " + format_figure(rounded_bytes) +
               " sectors. Here the accesses of some warps do not begin at the start of a sector, "
               "so these warps touch one more sector. At the end of a row, fewer lanes take part.";
    }
    return text + ". " + needed_text + ". In each sector that is moved, only " +
           format_figure(kBytesInASector * ideal / sectors) +
           " bytes are used, because neighbouring lanes access addresses that are far apart.";
}

std::string reason_for_wavefronts(const Json& counters, const std::string& counter) {
    double wavefronts = *average_per_request(counters, counter);
    double requests = counter_value(counters, counter + "_requests");
    double ideal = counter_value(counters, counter + "_ideal") / requests;
    std::string access_text = counter == "shared_load" ? "a load from" : "a store to";
    std::string text = access_text + " shared memory takes " + format_figure(wavefronts) +
                       (wavefronts == 1 ? " wavefront" : " wavefronts");
    if (wavefronts <= ideal * 1.01) {
        return text + ", the minimum: no two lanes need different words of the same bank.";
    }
    return text + ", but " + format_figure(ideal) + " would be enough: about " +
           format_figure(wavefronts / ideal) +
           " lanes need different words of the same bank, which delivers only one word at a time.";
}

}  // namespace

std::optional<double> average_per_request(const Json& counters, const std::string& counter) {
    double requests = counter_value(counters, counter + "_requests");
    if (requests == 0) return std::nullopt;
    return counter_value(counters, counter + (is_shared(counter) ? "_wavefronts" : "_sectors")) /
           requests;
}

std::optional<double> ideal_per_request(const Json& counters, const std::string& counter,
                                        double elements) {
    double requests = counter_value(counters, counter + "_requests");
    if (requests == 0) return std::nullopt;
    if (is_shared(counter)) return counter_value(counters, counter + "_ideal") / requests;
    return elements / kFloatsInASector / requests;
}

std::string unit_of_counter(const std::string& counter) {
    if (counter == kCopyPercentQuestion) return "percent of a copy's speed";
    std::string access_text = is_shared(counter) ? "wavefronts per shared " : "sectors per ";
    return access_text + (counter.ends_with("load") ? "load" : "store");
}

double total_cost(const Json& counters) {
    return counter_value(counters, "load_sectors") + counter_value(counters, "store_sectors") +
           counter_value(counters, "shared_load_wavefronts") +
           counter_value(counters, "shared_store_wavefronts");
}

std::string format_figure(double value) {
    std::string text = format_short(value);
    for (size_t end = std::min(text.find('.'), text.size()); end > 3; end -= 3) {
        text.insert(end - 3, ",");
    }
    return text;
}

std::string format_figure(const std::optional<double>& value) {
    return value ? format_figure(*value) : "-";
}

std::vector<std::string> explain_line_costs(const Verdict& verdict, const Counters& line) {
    std::vector<std::string> reasons;
    if (!verdict.counters) return reasons;
    const double elements = element_count(verdict.counted_shape);
    const Json kernel_counters = counters_to_json(*verdict.counters);
    const Json line_counters = counters_to_json(line);
    for (std::string counter : course::kCounterNamesToExpect) {
        if (!average_per_request(line_counters, counter)) continue;
        if (is_shared(counter)) {
            reasons.push_back(reason_for_wavefronts(line_counters, counter));
        } else if (verdict.sizes.empty()) {
            auto ideal = ideal_per_request(kernel_counters, counter, elements);
            reasons.push_back(reason_for_sectors(line_counters, counter, ideal.value_or(0)));
        } else {
            reasons.push_back(sectors_in_words(line_counters, counter) + ".");
        }
    }
    return reasons;
}

}  // namespace coalesce::learn
