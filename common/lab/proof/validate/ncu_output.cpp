#include "lab/proof/validate/ncu_output.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <stdexcept>

#include "base/text.h"

namespace coalesce::proof {
namespace {

using CsvFields = std::vector<std::string>;

/// Parses "1,048,576" as 1048576. Returns nothing for text that is not a number ("n/a", a unit).
std::optional<double> parse_number(std::string text) {
    std::erase(text, ',');
    if (text.empty()) return std::nullopt;
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (*end != '\0') return std::nullopt;
    return value;
}

/// Returns the index of the column called `name`, or -1 if there is none.
int find_column(const CsvFields& column_names, const std::string& name) {
    const auto column = std::ranges::find(column_names, name);
    return column == column_names.end() ? -1 : static_cast<int>(column - column_names.begin());
}

/// Removes the unit that some versions append to a name, as in "smsp__inst.sum [inst]".
std::string remove_unit(const std::string& name) {
    return name.substr(0, name.find(" ["));
}

bool is_metric_column(const std::string& column) {
    return column.find("__") != std::string::npos;
}

class NcuCsvReader {
public:
    void read_line(const std::string& line) {
        if (line.empty() || line.starts_with("==")) return;
        const CsvFields fields = split_csv_line(line);
        if (find_column(fields, "ID") >= 0 && find_column(fields, "Kernel Name") >= 0) {
            column_names_ = fields;
        } else if (fields.size() == column_names_.size() && !column_names_.empty()) {
            read_row(fields);
        }
    }

    std::vector<ProfiledLaunch> launches() const {
        std::vector<ProfiledLaunch> all_launches;
        for (const auto& [id, launch] : launch_by_id_) all_launches.push_back(launch);
        return all_launches;
    }
    bool has_column_names() const { return !column_names_.empty(); }

private:
    const std::string& field_of_column(const CsvFields& fields, const char* column) const {
        return fields[static_cast<std::size_t>(find_column(column_names_, column))];
    }

    void read_row(const CsvFields& fields) {
        // Skip the line of units below the header, because it contains no ID.
        const std::optional<double> id = parse_number(field_of_column(fields, "ID"));
        if (!id) return;
        ProfiledLaunch& launch = launch_by_id_[static_cast<int>(*id)];
        launch.id = static_cast<int>(*id);
        launch.kernel = field_of_column(fields, "Kernel Name");
        if (find_column(column_names_, "Metric Name") >= 0) {
            record_metric(launch, field_of_column(fields, "Metric Name"),
                          field_of_column(fields, "Metric Value"));
            return;
        }
        for (std::size_t i = 0; i < column_names_.size(); ++i) {
            if (is_metric_column(column_names_[i]))
                record_metric(launch, column_names_[i], fields[i]);
        }
    }

    static void record_metric(ProfiledLaunch& launch, const std::string& metric,
                              const std::string& value) {
        if (const auto number = parse_number(value))
            launch.value_by_metric[remove_unit(metric)] = *number;
    }

    CsvFields column_names_;
    std::map<int, ProfiledLaunch> launch_by_id_;
};

/// Returns ncu's own error messages or, if there are none, the end of its output.
std::string find_error_lines(const std::string& text) {
    std::string errors;
    for (const std::string& line : lines_of(text)) {
        if (line.starts_with("==ERROR==")) errors += "\n  " + line;
    }
    if (!errors.empty()) return errors;
    constexpr std::size_t max_shown_bytes = 600;
    return "\n  " +
           (text.size() > max_shown_bytes ? text.substr(text.size() - max_shown_bytes) : text);
}

}  // namespace

std::vector<std::string> split_csv_line(const std::string& line) {
    CsvFields fields(1);
    bool is_quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"') {
            fields.back() += '"';
            ++i;
        } else if (c == '"') {
            is_quoted = !is_quoted;
        } else if (c == ',' && !is_quoted) {
            fields.emplace_back();
        } else if (c != '\r') {
            fields.back() += c;
        }
    }
    return fields;
}

std::vector<ProfiledLaunch> parse_ncu_csv(const std::string& text) {
    NcuCsvReader reader;
    for (const std::string& line : lines_of(text)) reader.read_line(line);
    if (!reader.has_column_names()) {
        throw std::runtime_error("Nsight Compute printed no table of metrics. Its output:" +
                                 find_error_lines(text));
    }
    return reader.launches();
}

std::vector<std::string> find_unknown_metrics(const std::string& text) {
    const std::string mark = "Failed to find metric";
    std::vector<std::string> metrics;
    for (std::size_t mark_position = text.find(mark); mark_position != std::string::npos;
         mark_position = text.find(mark, mark_position + 1)) {
        const std::size_t begin = text.find_first_not_of(" :'\"", mark_position + mark.size());
        if (begin == std::string::npos) break;
        metrics.push_back(text.substr(begin, text.find_first_of(" '\"\r\n", begin) - begin));
    }
    return metrics;
}

}  // namespace coalesce::proof
