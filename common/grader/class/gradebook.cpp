#include "grader/class/gradebook.h"

#include <algorithm>

#include "base/text.h"
#include "examiner/safe_text.h"
#include "grader/store/errors.h"

namespace coalesce::grader {
namespace {

using Row = std::vector<std::string>;

// Parses a CSV file into rows. Accepts quoted fields, any style of line ending, and an optional
// byte order mark.
std::vector<Row> parse_csv_rows(std::string text) {
    if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
    std::vector<Row> rows = {{""}};
    bool is_quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string& field = rows.back().back();
        if (is_quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"') {
            field += text[++i];
        } else if (text[i] == '"') {
            is_quoted = !is_quoted;
        } else if (is_quoted) {
            field += text[i];
        } else if (text[i] == ',') {
            rows.back().emplace_back();
        } else if (text[i] == '\n') {
            rows.push_back({""});
        } else if (text[i] != '\r') {
            field += text[i];
        }
    }
    std::erase(rows, Row{""});
    return rows;
}

double parse_days(const std::string& text, const std::string& location) {
    if (text.empty()) return 0;
    std::size_t parsed_length = 0;
    double days = -1;
    try {
        days = std::stod(text, &parsed_length);
    } catch (const std::exception&) {
    }
    if (parsed_length == text.size() && days >= 0 && days <= 1000) return days;
    throw UsageError(location + ": \"" + escape_line(text) + "\" is not a number of days");
}

std::string format_csv_line(const Row& fields) {
    std::string line;
    for (std::size_t i = 0; i < fields.size(); ++i)
        line += (i == 0 ? "" : ",") + to_csv_field(fields[i]);
    return line + "\r\n";
}

const Identity* find_identity(const Roster& roster, const std::string& student) {
    const std::string csv_name = parse_csv_rows(to_csv_field(student)).at(0).at(0);
    for (const std::string& name : {student, escape_line(student), csv_name}) {
        const auto entry = roster.find(name);
        if (entry != roster.end()) return &entry->second;
    }
    return nullptr;
}

// Throws UsageError if a student is missing from the roster, because that student's points would
// otherwise be lost silently.
void require_all_students(const ClassResults& results, const Roster& roster) {
    std::vector<std::string> missing_names;
    for (const StudentResults& student : results.students) {
        if (!find_identity(roster, student.name))
            missing_names.push_back(escape_line(student.name));
    }
    if (missing_names.empty()) return;
    throw UsageError("these students are missing from the list of names: " +
                     join_up_to(missing_names, 10));
}

// Returns a student's points after the deduction for late days, or 0 if the result would be
// negative.
double points_after_late_days(const StudentResults& student, const Identity& identity,
                              const LateRule& late_rule) {
    const double days = std::max(0.0, identity.late_days - late_rule.free_days);
    return std::max(
        0.0, student.points() - days * late_rule.percent_per_day / 100 * student.possible_points());
}

Row gradebook_row(const std::string& platform, const Identity& identity,
                  const std::string& points) {
    if (platform == "canvas") {
        return {identity.name,  identity.id,      identity.sis_id,
                identity.login, identity.section, points};
    }
    return {identity.id, identity.email, identity.name, points, format_short(identity.late_days)};
}

}  // namespace

Roster read_roster(const std::string& text, const std::string& file) {
    const std::vector<Row> rows = parse_csv_rows(text);
    const std::map<std::string, std::string Identity::*> identity_columns = {
        {"name", &Identity::name},   {"id", &Identity::id},       {"sis_id", &Identity::sis_id},
        {"login", &Identity::login}, {"email", &Identity::email}, {"section", &Identity::section}};
    const Row header = rows.empty() ? Row{} : rows.front();
    if (std::ranges::count(header, "student") != 1) {
        throw UsageError(file +
                         ": the first line must name the columns; the column `student` is required "
                         "and contains the names in grades.csv");
    }
    for (const std::string& column : header) {
        if (column == "student" || column == "late_days" || identity_columns.contains(column))
            continue;
        throw UsageError(
            file + ": unknown column `" + escape_line(column) +
            "`; the columns are student, name, id, sis_id, login, email, section, late_days");
    }
    Roster roster;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const std::string location = file + ", student " + std::to_string(i);
        if (rows[i].size() != header.size()) {
            throw UsageError(location + ": there are " + std::to_string(rows[i].size()) +
                             " fields, but the first line has " + std::to_string(header.size()));
        }
        std::string student;
        Identity identity;
        for (std::size_t field = 0; field < header.size(); ++field) {
            const std::string& value = rows[i][field];
            if (header[field] == "student")
                student = value;
            else if (header[field] == "late_days")
                identity.late_days = parse_days(value, location);
            else
                identity.*identity_columns.at(header[field]) = value;
        }
        if (identity.name.empty()) identity.name = student;
        if (!roster.emplace(student, identity).second) {
            throw UsageError(location + ": " + escape_line(student) + " occurs twice");
        }
    }
    return roster;
}

std::string gradebook_csv(const ClassResults& results, const Roster& roster,
                          const LateRule& late_rule, const std::string& platform) {
    require_all_students(results, roster);
    std::map<const Identity*, const StudentResults*> results_by_identity;
    for (const StudentResults& student : results.students) {
        results_by_identity[find_identity(roster, student.name)] = &student;
    }
    const bool is_canvas = platform == "canvas";
    std::string text = format_csv_line(
        is_canvas
            ? Row{"Student", "ID", "SIS User ID", "SIS Login ID", "Section", results.assignment}
            : Row{"ID number", "Email address", "Name", results.assignment, "Late days"});
    if (is_canvas && !results.students.empty()) {
        const double possible_points = results.students.front().possible_points();
        text +=
            format_csv_line({"    Points Possible", "", "", "", "", format_short(possible_points)});
    }
    for (const auto& [name, identity] : roster) {
        const auto entry = results_by_identity.find(&identity);
        const bool has_points = entry != results_by_identity.end() && entry->second->is_complete();
        text += format_csv_line(gradebook_row(
            platform, identity,
            has_points ? format_short(points_after_late_days(*entry->second, identity, late_rule))
                       : ""));
    }
    return text;
}

}  // namespace coalesce::grader
