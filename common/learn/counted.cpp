#include "learn/counted.h"

#include <cmath>
#include <cstdint>

#include "course/course.h"
#include "harness/text.h"

namespace coalesce::learn {
namespace {

constexpr double FLOATS_IN_A_SECTOR = 8, BYTES_IN_A_SECTOR = 32, LANES = 32;

double count(const Json& counters, const std::string& name) {
    return counters.is_object() ? counters.value(name, 0.0) : 0.0;
}

bool is_shared(const std::string& counter) {
    return counter.starts_with("shared");
}

std::string row(const std::string& name, const std::string& yours, const std::string& ideal,
                const std::string& solution) {
    return format("  %-26s%12s%12s%12s\n", name.c_str(), yours.c_str(), ideal.c_str(),
                  solution.c_str());
}

// `ideal` is the least for what the whole kernel moves, a request.
std::string reason_for_sectors(const Json& counters, const std::string& counter, double ideal) {
    double sectors = *per_request(counters, counter);
    double bytes_each = ideal * BYTES_IN_A_SECTOR / LANES;
    std::string text = "a " + counter + " touches " + figure(sectors) +
                       (sectors == 1 ? " sector" : " sectors") + " of 32 bytes";
    std::string needed = figure(LANES) + " lanes with " + figure(bytes_each) + " bytes each need " +
                         figure(LANES * bytes_each) + " bytes, " + figure(ideal) +
                         (ideal == 1 ? " sector" : " sectors");
    if (sectors <= ideal * 1.01) return text + ": " + needed + ". No byte is moved in vain.";
    return text + ". " + needed + ": of each sector that is moved, only " +
           figure(BYTES_IN_A_SECTOR * ideal / sectors) +
           " bytes are used, because lanes that are neighbours are far apart in memory.";
}

std::string reason_for_wavefronts(const Json& counters, const std::string& counter) {
    double wavefronts = *per_request(counters, counter);
    double requests = count(counters, counter + "_requests");
    double ideal = count(counters, counter + "_ideal") / requests;
    std::string what = counter == "shared_load" ? "a load from" : "a store to";
    std::string text = what + " shared memory takes " + figure(wavefronts) +
                       (wavefronts == 1 ? " wavefront" : " wavefronts");
    if (wavefronts <= ideal * 1.01) {
        return text + ", the least: no two lanes want different words of one bank at once.";
    }
    return text + " where " + figure(ideal) + " would do: about " + figure(wavefronts / ideal) +
           " lanes want different words of the same bank, which gives one at a time.";
}

}  // namespace

std::optional<double> per_request(const Json& counters, const std::string& counter) {
    double requests = count(counters, counter + "_requests");
    if (requests == 0) return std::nullopt;
    return count(counters, counter + (is_shared(counter) ? "_wavefronts" : "_sectors")) / requests;
}

std::optional<double> ideal_per_request(const Json& counters, const std::string& counter,
                                        double elements) {
    double requests = count(counters, counter + "_requests");
    if (requests == 0) return std::nullopt;
    if (is_shared(counter)) return count(counters, counter + "_ideal") / requests;
    return elements / FLOATS_IN_A_SECTOR / requests;
}

std::string words_for(const std::string& counter) {
    std::string what = is_shared(counter) ? "wavefronts a shared " : "sectors a ";
    return what + (counter.ends_with("load") ? "load" : "store");
}

double bank_conflicts_of(const Json& counters) {
    double conflicts = 0;
    for (std::string kind : {"shared_load", "shared_store"}) {
        conflicts += count(counters, kind + "_wavefronts") - count(counters, kind + "_ideal");
    }
    return conflicts;
}

double cost_of(const Json& counters) {
    return count(counters, "load_sectors") + count(counters, "store_sectors") +
           count(counters, "shared_load_wavefronts") + count(counters, "shared_store_wavefronts");
}

std::string figure(double value) {
    std::string text = format("%.2f", value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    size_t point = text.find('.');
    size_t end = point == std::string::npos ? text.size() : point;
    for (; end > 3; end -= 3) text.insert(end - 3, ",");
    return text;
}

std::string figure(const std::optional<double>& value) {
    return value ? figure(*value) : "-";
}

std::string table_of_counters(const Json& verdict) {
    const Json& yours = verdict.at("counters");
    const Json& solution = verdict.at("solution_counters");
    if (!yours.is_object()) return "";
    double rows = verdict.at("counted").value("rows", 0.0);
    double cols = verdict.at("counted").value("cols", 0.0);
    std::string text =
        row("Counted at " + figure(rows) + " x " + figure(cols), "yours", "ideal", "solution");
    for (const char* counter : course::EXPECTABLE) {
        if (!per_request(yours, counter) && !per_request(solution, counter)) continue;
        text += row(words_for(counter), figure(per_request(yours, counter)),
                    figure(ideal_per_request(yours, counter, rows * cols)),
                    figure(per_request(solution, counter)));
    }
    bool has_shared = per_request(yours, "shared_load") || per_request(yours, "shared_store");
    if (has_shared) {
        text += row("bank conflicts", figure(bank_conflicts_of(yours)), "0",
                    solution.is_object() ? figure(bank_conflicts_of(solution)) : "-");
    }
    return text;
}

std::vector<std::string> reasons_for(const Json& verdict, const Json& line_counters) {
    std::vector<std::string> reasons;
    const Json& counted = verdict.at("counted");
    double elements = counted.value("rows", 0.0) * counted.value("cols", 0.0);
    for (std::string counter : course::EXPECTABLE) {
        if (!per_request(line_counters, counter)) continue;
        auto ideal = ideal_per_request(verdict.at("counters"), counter, elements);
        reasons.push_back(is_shared(counter)
                              ? reason_for_wavefronts(line_counters, counter)
                              : reason_for_sectors(line_counters, counter, ideal.value_or(0)));
    }
    return reasons;
}

}  // namespace coalesce::learn
