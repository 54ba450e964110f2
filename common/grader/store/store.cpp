#include "grader/store/store.h"

#include <ctime>

#include "grader/store/errors.h"
#include "grader/store/sha256.h"

namespace coalesce::grader {
namespace {

// Format 1 lacks the tables `decision`, `platform_name` and `earlier`. They are added when such a
// store is opened.
constexpr int kFormat = 2;

// The `at` columns contain times for human readers. No decision depends on them.
constexpr const char* kCreateTables = R"(
create table if not exists source (
    digest blob primary key, bytes blob not null) strict, without rowid;
create table if not exists run (
    number integer primary key autoincrement, assignment blob not null, stamp blob not null,
    at integer not null) strict;
create table if not exists entry (
    run integer not null references run, place integer not null, student blob not null,
    exercise blob not null, key blob not null, source blob not null, problem blob not null,
    details blob not null, primary key (run, place), unique (run, student, exercise)) strict;
create table if not exists finished (
    run integer primary key references run, at integer not null) strict;
create table if not exists result (
    key blob primary key, json blob not null) strict, without rowid;
create table if not exists attempt (
    number integer primary key autoincrement, run integer not null references run,
    student blob not null, exercise blob not null, key blob not null, outcome blob not null,
    text blob not null, at integer not null) strict;
create table if not exists decision (
    number integer primary key autoincrement, student blob not null, exercise blob not null,
    source blob not null, points blob not null, why blob not null, at integer not null) strict;
create table if not exists platform_name (
    run integer not null references run, student blob not null, name blob not null,
    primary key (run, student)) strict;
create table if not exists earlier (
    run integer not null references run, place integer not null, student blob not null,
    exercise blob not null, key blob not null, source blob not null,
    primary key (run, place)) strict;
)";

// Returns triggers that forbid changing or removing rows. They protect the store from our own
// mistakes.
std::string immutability_triggers() {
    std::string text;
    for (std::string table : {"source", "run", "entry", "finished", "result", "attempt", "decision",
                              "platform_name", "earlier"}) {
        for (std::string change : {"update", "delete"}) {
            text += "create trigger if not exists no_" + change + "_of_" + table + " before " +
                    change + " on " + table +
                    " begin select raise(abort, 'the store only grows'); end;\n";
        }
    }
    return text;
}

std::int64_t now() {
    return static_cast<std::int64_t>(std::time(nullptr));
}

}  // namespace

Store::Store(const std::filesystem::path& file, int milliseconds) : database_(file, milliseconds) {
    std::int64_t format = database_.query("pragma user_version").at(0).number(0);
    if (format > kFormat) {
        throw UsageError(file.string() + " was written by a newer grader (format " +
                         std::to_string(format) + ", and this one reads up to format " +
                         std::to_string(kFormat) + "); use that grader, or rename the file");
    }
    if (format == kFormat) return;
    Transaction change(database_);
    database_.execute(kCreateTables + immutability_triggers() +
                      "pragma user_version = " + std::to_string(kFormat));
    change.commit();
}

std::string Store::source(const std::string& digest) {
    const auto rows = database_.query("select bytes from source where digest = ?", {digest});
    if (rows.empty()) {
        throw InfrastructureError("the result store does not have the source " + digest +
                                  "; run again without --resume, with --submissions");
    }
    return rows[0].text(0);
}

std::int64_t Store::start_run(const std::string& assignment, const std::string& stamp,
                              const std::vector<Entry>& entries,
                              const std::vector<std::string>& sources,
                              const std::vector<Entry>& earlier) {
    Transaction change(database_);
    for (const std::string& bytes : sources) {
        database_.query("insert into source values (?, ?) on conflict do nothing",
                        {sha256_hex(bytes), bytes});
    }
    database_.query("insert into run (assignment, stamp, at) values (?, ?, ?)",
                    {assignment, stamp, now()});
    std::int64_t run = database_.last_inserted_row();
    std::int64_t place = 0;
    for (const Entry& entry : entries) {
        database_.query("insert into entry values (?, ?, ?, ?, ?, ?, ?, ?)",
                        {run, place++, entry.student, entry.exercise, entry.key, entry.source,
                         entry.problem, entry.details});
        if (entry.platform_name.empty()) continue;
        database_.query("insert into platform_name values (?, ?, ?) on conflict do nothing",
                        {run, entry.student, entry.platform_name});
    }
    place = 0;
    for (const Entry& entry : earlier) {
        database_.query("insert into earlier values (?, ?, ?, ?, ?, ?)",
                        {run, place++, entry.student, entry.exercise, entry.key, entry.source});
    }
    change.commit();
    return run;
}

std::optional<Run> Store::run() {
    const auto rows = database_.query(
        "select number, assignment, stamp, exists (select 1 from finished where run = number) from "
        "run order by number desc limit 1");
    if (rows.empty()) return std::nullopt;
    const ResultRow& row = rows[0];
    return Run{row.number(0), row.text(1), row.text(2), row.number(3) != 0};
}

std::vector<Entry> Store::entries(std::int64_t run) {
    std::vector<Entry> all;
    for (const ResultRow& row : database_.query(
             "select student, exercise, key, source, problem, details, coalesce((select name from "
             "platform_name p where p.run = e.run and p.student = e.student), x'') from entry e "
             "where run = ? order by place",
             {run})) {
        all.push_back({row.text(0), row.text(1), row.text(2), row.text(3), row.text(4), row.text(5),
                       row.text(6)});
    }
    return all;
}

std::vector<Entry> Store::earlier_entries(std::int64_t run) {
    std::vector<Entry> all;
    for (const ResultRow& row : database_.query(
             "select student, exercise, key, source from earlier where run = ? order by place",
             {run})) {
        all.push_back({row.text(0), row.text(1), row.text(2), row.text(3)});
    }
    return all;
}

std::vector<Entry> Store::all_files() {
    std::vector<Entry> all;
    for (const ResultRow& row :
         database_.query("select student, exercise, source from entry where source != x'' group by "
                         "student, exercise, source order by min(run), min(place)")) {
        all.push_back({row.text(0), row.text(1), "", row.text(2)});
    }
    return all;
}

void Store::finish_run(std::int64_t run) {
    database_.query("insert into finished values (?, ?) on conflict do nothing", {run, now()});
}

std::optional<std::string> Store::result(const std::string& key) {
    const auto rows = database_.query("select json from result where key = ?", {key});
    return rows.empty() ? std::nullopt : std::optional(rows[0].text(0));
}

void Store::add_attempt(std::int64_t run, const Entry& entry, const std::string& outcome,
                        const std::string& text) {
    database_.query(
        "insert into attempt (run, student, exercise, key, outcome, text, at) values (?, ?, ?, ?, "
        "?, ?, ?)",
        {run, entry.student, entry.exercise, entry.key, outcome, text, now()});
}

bool Store::add_result(std::int64_t run, const Entry& entry, const std::string& result_json) {
    Transaction change(database_);
    std::optional<std::string> first = result(entry.key);
    if (first && *first != result_json) {
        std::string text = "grading the same submission a second time gave a different result";
        add_attempt(run, entry, "infrastructure", text + ":\n" + result_json);
        change.commit();
        throw InfrastructureError(text + " (key " + entry.key.substr(0, 12) +
                                  "); the first result is kept. Please report this bug: with the "
                                  "same key, all bytes of a result must be the same");
    }
    if (!first) {
        database_.query("insert into result values (?, ?)", {entry.key, result_json});
    }
    add_attempt(run, entry, first ? "again" : "judged", "");
    change.commit();
    return !first;
}

void Store::add_fault(std::int64_t run, const Entry& entry, const std::string& text) {
    add_attempt(run, entry, "infrastructure", text);
}

void Store::give_up(std::int64_t run, const Entry& entry, const std::string& text) {
    add_attempt(run, entry, "given-up", text);
}

std::set<std::string> Store::given_up(std::int64_t run) {
    std::set<std::string> keys;
    for (const ResultRow& row : database_.query(
             "select key from attempt where run = ? and outcome = ?", {run, "given-up"})) {
        keys.insert(row.text(0));
    }
    return keys;
}

std::vector<Attempt> Store::attempts() {
    std::vector<Attempt> all;
    for (const ResultRow& row :
         database_.query("select number, run, student, exercise, key, outcome, "
                         "text from attempt order by number")) {
        all.push_back({row.number(0), row.number(1), row.text(2), row.text(3), row.text(4),
                       row.text(5), row.text(6)});
    }
    return all;
}

void Store::decide(const Decision& decision) {
    database_.query(
        "insert into decision (student, exercise, source, points, why, at) values (?, ?, ?, ?, ?, "
        "?)",
        {decision.student, decision.exercise, decision.source,
         decision.points ? std::to_string(*decision.points) : "", decision.reason, now()});
}

std::vector<Decision> Store::decisions() {
    std::vector<Decision> all;
    for (const ResultRow& row : database_.query(
             "select student, exercise, source, points, why from decision order by number")) {
        const std::string& points = row.text(3);
        all.push_back({row.text(0), row.text(1), row.text(2),
                       points.empty() ? std::nullopt : std::optional(std::stod(points)),
                       row.text(4)});
    }
    return all;
}

}  // namespace coalesce::grader
