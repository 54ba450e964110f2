#include "learn/commands.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <vector>

#include "base/child.h"
#include "base/errors.h"
#include "base/files.h"
#include "harness/device.h"
#include "learn/figures.h"
#include "learn/json_file.h"
#include "learn/paths.h"
#include "learn/table.h"

namespace coalesce::learn {
namespace {

namespace fs = std::filesystem;

// Returns the reason why no GPU is usable, or "" if one is. Throws UsageError if the request
// requires a GPU and none is usable.
std::string find_gpu_problem_for(const RunRequest& request) {
    const std::string failure_reason = find_gpu_problem();
    if (failure_reason.empty() || !request.needs_gpu) return failure_reason;
    throw UsageError("no GPU works here (" + failure_reason + "); --device sim needs no GPU");
}

// Executes a request of `learn run`: starts the programs and collects their results.
class ProgramRun {
public:
    explicit ProgramRun(const RunRequest& request) : request_(request) {
        check_environment();
        if (!request.json.empty()) check_writable(request.json);
    }

    int run_all_steps() {
        for (auto* step : request_.steps) {
            const bool is_whole = !request_.only_first_variants;
            if (!run_variant(step->name, is_whole ? "" : step->variants.front().name)) return 2;
        }
        if (should_run_rivals() && !run_variant(kRivals)) return 2;
        if (table_) table_->print_notes();
        if (program_count_ + wrong_program_count_ == 0) {
            print_message("nothing ran, because none of these variants supports that shape");
            return 2;
        }
        if (device_.is_null()) return 1;  // `record_failure` has printed the reason
        if (!request_.json.empty()) {
            write_file(request_.json,
                       Json{{"device", device_}, {"results", results_}}.dump(2) + "\n");
        }
        return print_summary();
    }

private:
    // Before the first program starts, checks for everything that could make the run fail later.
    void check_environment() const {
        for (auto* step : request_.steps) require_built(program_path(step->name));
        if (request_.rivals == RunRequest::Rivals::yes) require_built(program_path(kRivals));
        if (request_.needs_gpu) find_gpu_problem_for(request_);
    }

    bool should_run_rivals() const {
        if (request_.rivals != RunRequest::Rivals::on_gpu)
            return request_.rivals != RunRequest::Rivals::no;
        return device_.value("kind", "") == "gpu" && fs::exists(program_path(kRivals));
    }

    // Runs a program and prints its rows. If the program could not run, prints the reason and
    // returns false.
    bool run_variant(const std::string& step, const std::string& variant = "") {
        fs::path json = folder_.path / (step + ".json");
        std::vector<std::string> arguments = request_.options;
        arguments.insert(arguments.end(), {"--json", json.string()});
        if (!variant.empty()) arguments.insert(arguments.end(), {"--variant", variant});
        ProcessResult outcome = run_to_end({.program = program_path(step), .arguments = arguments});
        if (outcome.exit_code == 2) return false;
        bool is_complete = fs::exists(json) && (outcome.exit_code == 0 || outcome.exit_code == 1);
        if (is_complete) add_results(step, read_json(json));
        if (!is_complete) {
            record_failure(step,
                           "the program ended with exit code " + std::to_string(outcome.exit_code));
        }
        // Print the program's own output, which explains what is wrong and where.
        if (outcome.exit_code != 0) std::cout << "\n" << outcome.output << std::endl;
        return true;
    }

    void record_failure(const std::string& step, const std::string& failure_reason) {
        ++wrong_program_count_;
        if (table_) {
            table_->print_failure(step, failure_reason);
        } else {
            std::cout << step << ": " << failure_reason << std::endl;
        }
    }

    void add_results(const std::string& step, const Json& run_json) {
        if (device_.is_null()) {
            device_ = run_json.at("device");
            table_.emplace(std::cout, device_, request_.is_predicted);
            table_->print_head(run_json.at("results").at(0));
        }
        if (run_json.at("device") != device_) {
            throw std::runtime_error(step + " ran on a different device from the earlier steps: " +
                                     run_json["device"].dump() + "; give --device gpu or sim");
        }
        for (auto& result : run_json.at("results")) {
            if (skip_reason(result).empty()) {
                ++program_count_;
                wrong_program_count_ += verdict_word(result) != "right";
            }
            table_->print_row(result);
            results_.push_back(result);
        }
    }

    int print_summary() const {
        std::cout << "\n" << program_count_ << " variants ran: ";
        if (wrong_program_count_ == 0) {
            std::cout << "all verified.\n";
            return 0;
        }
        std::cout << wrong_program_count_ << " wrong (above).\n";
        return 1;
    }

    const RunRequest& request_;
    TemporaryFolder folder_;
    std::optional<Table> table_;
    Json device_;
    Json results_ = Json::array();
    int program_count_ = 0, wrong_program_count_ = 0;
};

}  // namespace

int run(const RunRequest& request) {
    return ProgramRun(request).run_all_steps();
}

int run_program(const RunRequest& request) {
    const fs::path program = require_built(program_path(request.program->name));
    const bool is_simulated = std::ranges::count(request.options, "sim") > 0;
    Command command{.program = program, .captures_stderr = true};
    if (is_simulated || !find_gpu_problem_for(request).empty()) {
        command = {.program = programs_folder() / "simulate",
                   .arguments = {program.string()},
                   .captures_stderr = true};
    }
    std::cout << command.program.filename().string();
    for (const std::string& word : command.arguments) {
        std::cout << " " << fs::path(word).lexically_proximate(repository()).string();
    }
    std::cout << "\n\n" << std::flush;
    const ProcessResult simulate_result = run_to_end(command);
    std::cout << simulate_result.output;
    return simulate_result.exit_code;
}

}  // namespace coalesce::learn
