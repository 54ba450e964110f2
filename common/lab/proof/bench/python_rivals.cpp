#include "lab/proof/bench/python_rivals.h"

#include <iostream>

namespace coalesce::proof {
namespace {

using nlohmann::json;

/// Time limit in seconds for importing PyTorch from a cold disk and compiling Triton's kernels.
constexpr double kMaxAnswerSeconds = 150;
constexpr const char* kRivalNames[] = {"torch_copy", "torch_contiguous", "cupy_copyto", "triton"};

}  // namespace

PythonRivals::PythonRivals(const std::string& script, bool is_wanted) {
    const std::string python = environment_variable_or("COALESCE_PYTHON", "python3");
    if (!is_wanted) {
        absence_reason_ = "not requested (--no-python)";
    } else if (find_program(python).empty()) {
        absence_reason_ = python + " was not found; set COALESCE_PYTHON to another Python";
    } else {
        python_ = std::make_unique<Child>(Command{.program = python,
                                                  .arguments = {"-u", script},
                                                  .has_stdin_pipe = true,
                                                  .has_own_process_group = true});
    }
}

void PythonRivals::skip_all_rivals(const std::string& reason) {
    python_.reset();
    absence_reason_ = reason;
    std::cerr << "bench: the Python rivals are skipped from now on: " << reason << "\n";
    for (VariantResult& entry : entries_) {
        entry.reason_for_skipping = reason;
        entry.ms.clear();
    }
}

json PythonRivals::ask_script(const json& question) {
    if (!python_) return {};
    std::optional<std::string> line;
    json answer;
    if (!python_->send_line(question.dump())) {
        skip_all_rivals("rivals.py ended early");
    } else if (line = python_->receive_line(kMaxAnswerSeconds); !line) {
        skip_all_rivals("rivals.py gave no answer to " + question.dump());
    } else if (answer = json::parse(*line, nullptr, false); !answer.is_object()) {
        skip_all_rivals("rivals.py did not answer with a JSON object: " + line->substr(0, 60));
    }
    return answer;
}

void PythonRivals::begin_size(Shape shape) {
    entries_.clear();
    for (const char* name : kRivalNames) {
        VariantResult entry{"rivals", name, absence_reason_, ""};
        entry.bytes = 2.0 * sizeof(float) * shape.rows * shape.cols;
        entries_.push_back(entry);
    }
    const json answer = ask_script({{"do", "begin"}, {"rows", shape.rows}, {"cols", shape.cols}});
    if (!python_) return;
    library_versions_ = answer.value("versions", "");
    for (VariantResult& entry : entries_) {
        // If there is no message for a rival, the rival is available and its result is correct.
        const json state =
            answer.value(entry.variant, json{{"skipped", "rivals.py does not know this rival"}});
        entry.reason_for_skipping = state.value("skipped", "");
        entry.output_error = state.value("wrong", "");
    }
}

void PythonRivals::time_round(int launches) {
    const json answer = ask_script({{"do", "round"}, {"launches", launches}});
    if (!python_) return;
    for (VariantResult& entry : entries_) {
        if (!entry.is_verified() || !answer.contains(entry.variant)) continue;
        for (const json& ms : answer[entry.variant]) entry.ms.push_back(ms.get<double>());
    }
}

}  // namespace coalesce::proof
