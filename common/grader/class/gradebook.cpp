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

double parse_days(const std::string& text, const std::string& where) {
    if (text.empty()) return 0;
    std::size_t end = 0;
    double days = -1;
    try {
        days = std::stod(text, &end);
    } catch (const std::exception&) {
    }
    if (end == text.size() && days >= 0 && days <= 1000) return days;
    throw UsageError(where + ": \"" + escape_line(text) + "\" is not a number of days");
}

std::string line_of(const Row& fields) {
    std::string line;
    for (std::size_t i = 0; i < fields.size(); ++i)
        line += (i == 0 ? "" : ",") + to_csv_field(fields[i]);
    return line + "\r\n";
}

const Identity* find_identity(const Roster& roster, const std::string& student) {
    const std::string as_in_grades_csv = parse_csv_rows(to_csv_field(student)).at(0).at(0);
    for (const std::string& name : {student, escape_line(student), as_in_grades_csv}) {
        const auto found = roster.find(name);
        if (found != roster.end()) return &found->second;
    }
    return nullptr;
}

// Throws UsageError if a student is missing from the roster, because that student's points would
// otherwise be lost silently.
void require_all_students(const ClassResults& results, const Roster& roster) {
    std::vector<std::string> missing;
    for (const StudentResults& student : results.students) {
        if (!find_identity(roster, student.name)) missing.push_back(escape_line(student.name));
    }
    if (missing.empty()) return;
    throw UsageError("these students are missing from the list of names: " +
                     join_up_to(missing, 10));
}

// Returns a student's points after the deduction for late days, or 0 if the result would be
// negative.
double points_after_late_days(const StudentResults& student, const Identity& identity,
                              const LateRule& rule) {
    const double days = std::max(0.0, identity.late_days - rule.free_days);
    return std::max(0.0, student.points() - days * rule.percent / 100 * student.possible());
}

Row gradebook_row(const std::string& platform, const Identity& who, const std::string& points) {
    if (platform == "canvas") {
        return {who.name, who.id, who.sis_id, who.login, who.section, points};
    }
    return {who.id, who.email, who.name, points, format_short(who.late_days)};
}

}  // namespace

Roster read_roster(const std::string& text, const std::string& file) {
    const std::vector<Row> rows = parse_csv_rows(text);
    const std::map<std::string, std::string Identity::*> known = {
        {"name", &Identity::name},   {"id", &Identity::id},       {"sis_id", &Identity::sis_id},
        {"login", &Identity::login}, {"email", &Identity::email}, {"section", &Identity::section}};
    const Row header = rows.empty() ? Row{} : rows.front();
    if (std::ranges::count(header, "student") != 1) {
        throw UsageError(file +
                         ": the first line must name the columns; the column `student` is required "
                         "and contains the names in grades.csv");
    }
    for (const std::string& column : header) {
        if (column == "student" || column == "late_days" || known.contains(column)) continue;
        throw UsageError(
            file + ": unknown column `" + escape_line(column) +
            "`; the columns are student, name, id, sis_id, login, email, section, late_days");
    }
    Roster roster;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const std::string where = file + ", student " + std::to_string(i);
        if (rows[i].size() != header.size()) {
            throw UsageError(where + ": there are " + std::to_string(rows[i].size()) +
                             " fields, but the first line has " + std::to_string(header.size()));
        }
        std::string student;
        Identity who;
        for (std::size_t field = 0; field < header.size(); ++field) {
            const std::string& value = rows[i][field];
            if (header[field] == "student")
                student = value;
            else if (header[field] == "late_days")
                who.late_days = parse_days(value, where);
            else
                who.*known.at(header[field]) = value;
        }
        if (who.name.empty()) who.name = student;
        if (!roster.emplace(student, who).second) {
            throw UsageError(where + ": " + escape_line(student) + " occurs twice");
        }
    }
    return roster;
}

std::string gradebook_csv(const ClassResults& results, const Roster& roster, const LateRule& rule,
                          const std::string& platform) {
    require_all_students(results, roster);
    std::map<const Identity*, const StudentResults*> handed_in;
    for (const StudentResults& student : results.students) {
        handed_in[find_identity(roster, student.name)] = &student;
    }
    const bool is_canvas = platform == "canvas";
    std::string text = line_of(
        is_canvas
            ? Row{"Student", "ID", "SIS User ID", "SIS Login ID", "Section", results.assignment}
            : Row{"ID number", "Email address", "Name", results.assignment, "Late days"});
    if (is_canvas && !results.students.empty()) {
        const double possible = results.students.front().possible();
        text += line_of({"    Points Possible", "", "", "", "", format_short(possible)});
    }
    for (const auto& [name, who] : roster) {
        const auto found = handed_in.find(&who);
        const bool has_points = found != handed_in.end() && found->second->is_complete();
        text += line_of(gradebook_row(
            platform, who,
            has_points ? format_short(points_after_late_days(*found->second, who, rule)) : ""));
    }
    return text;
}

}  // namespace coalesce::grader
