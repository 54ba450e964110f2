#include "examiner/course/results_file.h"

#include <set>
#include <string>
#include <utility>

#include "base/codec.h"
#include "timing/prediction.h"

namespace coalesce::course {
namespace {

using Json = nlohmann::ordered_json;

/// A value in a results file, together with its path in the file.
class ResultsField {
public:
    ResultsField(const Json& value, std::string path) : value_(value), path_(std::move(path)) {}

    [[noreturn]] void fail(const std::string& reason) const {
        throw ResultsError((path_.empty() ? "" : path_ + ": ") + reason);
    }
    bool has_key(const char* key) const { return value_.contains(key); }
    ResultsField operator[](const char* key) const {
        if (!value_.is_object()) fail("expected an object");
        if (!has_key(key)) fail("no \"" + std::string(key) + "\"");
        return {value_[key], path_.empty() ? key : path_ + "." + key};
    }
    ResultsField operator[](std::size_t index) const {
        return {value_.at(index), path_ + "[" + std::to_string(index) + "]"};
    }
    std::size_t size() const {
        if (!value_.is_array()) fail("expected a list");
        return value_.size();
    }
    const Json& value() const { return value_; }

    template <class Value>
    Value convert_to() const {
        Value value{};
        codec::decode(value_, value, path_);
        return value;
    }
    std::string text() const {
        const auto value = convert_to<std::string>();
        if (value.empty()) fail("expected a string that is not empty");
        return value;
    }
    /// Checks that the value is a number greater than 0.
    template <class Number = double>
    void require_positive() const {
        if (!(convert_to<Number>() > 0)) fail("expected a number above 0");
    }

private:
    const Json& value_;
    std::string path_;
};

void check_shape(const ResultsField& row) {
    row["rows"].require_positive<int>();
    row["cols"].require_positive<int>();
}

void check_measured(const ResultsField& row) {
    if (row.has_key("skipped")) {
        row["skipped"].text();
        return;
    }
    check_shape(row);
    if (!row["verified"].convert_to<bool>()) return;  // an incorrect result has no time to check
    const bool has_many_gpus = row.has_key("gpus");
    row["ms"].require_positive();
    row[has_many_gpus ? "sent_gbps" : "gbps"].require_positive();
    row[has_many_gpus ? "of_link" : "of_copy"].require_positive();
}

void check_counted(const ResultsField& row) {
    check_shape(row);
    row["verified"].convert_to<bool>();
    if (!row.has_key("counters")) return;  // a variant without a kernel has no counters
    const ResultsField counters = row["counters"];
    for (const char* name :
         {"load_requests", "load_sectors", "store_requests", "store_sectors",
          "shared_load_requests", "shared_load_wavefronts", "shared_load_ideal",
          "shared_store_requests", "shared_store_wavefronts", "shared_store_ideal"}) {
        counters[name].convert_to<std::uint64_t>();
    }
}

void check_predicted(const ResultsField& row) {
    if (row.has_key("not_predicted")) {
        row["not_predicted"].text();
        return;
    }
    const ResultsField predicted = row["predicted"];
    predicted["gpu"].text();
    predicted["measured_gpu"].convert_to<bool>();
    check_shape(predicted);
    for (const char* value_key : {"ms", "gbps", "of_copy", "error_band"})
        predicted[value_key].require_positive();
    predicted["unknown"].size();
    predicted["binds"].convert_to<timing::Bottleneck>();
}

ResultsKind parse_results_kind(const ResultsField& device) {
    const ResultsField kind = device["kind"];
    if (kind.text() == "gpu") return ResultsKind::measured;
    if (kind.text() == "sim") return ResultsKind::counted;
    if (kind.text() == "predicted") return ResultsKind::predicted;
    kind.fail("expected gpu, sim or predicted, not \"" + kind.text() + "\"");
}

}  // namespace

ResultsKind check_results(const Json& run) {
    const ResultsField file(run, "");
    file["device"]["name"].text();
    const ResultsKind kind = parse_results_kind(file["device"]);
    const ResultsField rows = file["results"];
    if (rows.size() == 0) rows.fail("the list is empty");
    std::set<std::string> names;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const ResultsField row = rows[i];
        std::string name = row["step"].text() + " " + row["variant"].text();
        if (row.has_key("array")) row["array"].text();
        if (row.has_key("element_size")) row["element_size"].require_positive<int>();
        switch (kind) {
            case ResultsKind::measured: check_measured(row); break;
            case ResultsKind::counted: check_counted(row); break;
            case ResultsKind::predicted: check_predicted(row); break;
        }
        if (row.has_key("gpus")) name += " " + row["gpus"].value().dump();
        if (!names.insert(name).second) row.fail("\"" + name + "\" occurs twice");
    }
    return kind;
}

bool is_host_result(const Json& result) {
    static const std::set<std::string> host_results = {"host_to_device", "device_to_host",
                                                       "cpu_serial", "cpu_parallel"};
    return host_results.contains(result.value("variant", ""));
}

bool is_contender(const Json& result) {
    static const std::set<std::string> other_results = {"memcpy", "fine", "coarse", "read"};
    return result.contains("gbps") && result.value("verified", false) &&
           !result.contains("array") && !result.contains("element_size") &&
           !is_host_result(result) && !other_results.contains(result.value("variant", ""));
}

}  // namespace coalesce::course
