// same_counters [--some] NVCC.JSON DIFFERENCES.TXT PROGRAM... -- runs the steps that clang has
// built on the simulated GPU, and compares every counter of every variant with that of nvcc's
// program. The differences must be exactly those in DIFFERENCES.TXT, which also states their
// causes. With --some, steps without a program are skipped.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Json = nlohmann::json;
/// Maps the name of a counter, such as "02_naive naive store_sectors", to its values with nvcc and
/// with clang.
using Differences = std::map<std::string, std::pair<long long, long long>>;

Json read_json(const std::string& file) {
    std::ifstream stream(file);
    if (!stream)
        throw std::runtime_error(file + " cannot be read; run the test learn.run_all first");
    return Json::parse(stream);
}

/// Runs a step's program on matrices of the same shape as in nvcc's results. Returns the program's
/// results.
Json results_of(const std::string& program, const std::map<std::string, Json>& nvcc) {
    const std::string step = program.substr(program.rfind('/') + 1);
    const auto found = nvcc.lower_bound(step + " ");
    if (found == nvcc.end() || found->second["step"] != step) {
        throw std::runtime_error("nvcc has no results of " + step);
    }
    const auto side = [&](const char* name) {
        return std::to_string(found->second[name].get<int>());
    };
    const std::string file = program + ".json";
    const std::string command = program + " --device sim --rows " + side("rows") + " --cols " +
                                side("cols") + " --json " + file + " >" + program + ".txt 2>&1";
    if (std::system(command.c_str()) != 0) {
        throw std::runtime_error(program + " failed; its output is in " + program + ".txt");
    }
    return read_json(file)["results"];
}

std::string name_of(const Json& result) {
    return result["step"].get<std::string>() + " " + result["variant"].get<std::string>();
}

std::map<std::string, Json> by_name(const Json& results) {
    std::map<std::string, Json> named;
    for (const Json& result : results) {
        if (result.contains("counters")) named[name_of(result)] = result;
    }
    return named;
}

Differences read_list(const std::string& file) {
    Differences list;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream words(line);
        std::string step, variant, counter, cause;
        long long nvcc = 0, clang = 0;
        if (!(words >> step >> variant >> counter >> nvcc >> clang >> cause)) {
            throw std::runtime_error(file + ": not STEP VARIANT COUNTER NVCC CLANG CAUSE: " + line);
        }
        list[step + " " + variant + " " + counter] = {nvcc, clang};
    }
    return list;
}

void compare(const Json& nvcc, const Json& clang, Differences& found) {
    for (const auto& [counter, value] : nvcc["counters"].items()) {
        if (counter == "warp_instructions" || clang["counters"][counter] == value) continue;
        found[name_of(nvcc) + " " + counter] = {value, clang["counters"][counter]};
    }
}

/// Prints the entries of `of` that are missing in `other` or have different values there. Returns
/// the number of these entries.
int print_surplus(const Differences& of, const Differences& other, const char* who) {
    int count = 0;
    for (const auto& [name, values] : of) {
        const auto same = other.find(name);
        if (same != other.end() && same->second == values) continue;
        std::cout << name << ": " << who << " nvcc " << values.first << ", clang " << values.second
                  << "\n";
        ++count;
    }
    return count;
}

std::string step_in(const std::string& name) {
    return name.substr(0, name.find(' '));
}

/// Removes the entries whose step is in `there`, but not in `run`: steps that exist but were not
/// run.
template <typename Named>
void keep_those_run(Named& named, const std::set<std::string>& there,
                    const std::set<std::string>& run) {
    std::erase_if(named, [&](const auto& one) {
        const std::string step = step_in(one.first);
        return there.contains(step) && !run.contains(step);
    });
}

int run(const std::vector<std::string>& arguments, bool only_some) {
    auto nvcc = by_name(read_json(arguments[0])["results"]);
    Differences list = read_list(arguments[1]);
    Differences found;
    std::set<std::string> there, steps_run;
    for (const auto& [name, result] : nvcc) there.insert(step_in(name));
    std::size_t compared = 0;
    for (std::size_t i = 2; i < arguments.size(); ++i) {
        for (const auto& [name, clang] : by_name(results_of(arguments[i], nvcc))) {
            if (!clang["verified"].get<bool>())
                throw std::runtime_error(name + " is wrong by clang");
            steps_run.insert(step_in(name));
            compare(nvcc.at(name), clang, found);
            ++compared;
        }
    }
    if (only_some) {
        keep_those_run(list, there, steps_run);
        keep_those_run(nvcc, there, steps_run);
    }
    int wrong = print_surplus(found, list, "the programs count");
    wrong += print_surplus(list, found, "the list says");
    if (compared != nvcc.size()) {
        std::cout << compared << " variants by clang, " << nvcc.size() << " by nvcc\n";
        return 1;
    }
    if (wrong == 0) {
        std::cout << "ok: " << compared << " variants count the same, except for " << list.size()
                  << " known differences\n";
    }
    return wrong != 0;
}

}  // namespace

int main(int argc, char** argv) {
    const bool only_some = argc > 1 && std::string(argv[1]) == "--some";
    const int first = only_some ? 2 : 1;
    if (argc < first + 3) {
        std::cerr << "Usage: same_counters [--some] NVCC.JSON DIFFERENCES.TXT PROGRAM...\n";
        return 2;
    }
    try {
        return run({argv + first, argv + argc}, only_some);
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 2;
    }
}
