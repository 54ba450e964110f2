#include "grader/store/store.h"

#include <ctime>

#include "grader/store/errors.h"
#include "grader/store/sha256.h"

namespace coalesce::grader {
namespace {

// Format 1 lacks the tables `decision`, `platform_name` and `earlier_entries`. They are added when
// such a store is opened.
constexpr int kStoreFormat = 2;

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

std::int64_t current_time() {
    return static_cast<std::int64_t>(std::time(nullptr));
}

}  // namespace

Store::Store(const std::filesystem::path& file, int busy_timeout_ms)
    : database_(file, busy_timeout_ms) {
    std::int64_t format = database_.query("pragma user_version").at(0).number(0);
    if (format > kStoreFormat) {
        throw UsageError(file.string() + " was written by a newer grader (format " +
                         std::to_string(format) + ", and this one reads up to format " +
                         std::to_string(kStoreFormat) + "); use that grader, or rename the file");
    }
    if (format == kStoreFormat) return;
    Transaction transaction(database_);
    database_.execute(kCreateTables + immutability_triggers() +
                      "pragma user_version = " + std::to_string(kStoreFormat));
    transaction.commit();
}

std::string Store::source(const std::string& digest) {
    const auto rows = database_.query("select bytes from source where digest = ?", {digest});
    if (rows.empty()) {
        throw InfrastructureError("the result store does not have the source " + digest +
                                  "; run again without --resume, with --submissions");
    }
    return rows[0].text(0);
}

std::int64_t Store::start_run(const std::string& assignment, const std::string& sandbox_note,
                              const std::vector<Entry>& entries,
                              const std::vector<std::string>& sources,
                              const std::vector<Entry>& earlier_entries) {
    Transaction transaction(database_);
    for (const std::string& bytes : sources) {
        database_.query("insert into source values (?, ?) on conflict do nothing",
                        {sha256_hex(bytes), bytes});
    }
    database_.query("insert into run (assignment, stamp, at) values (?, ?, ?)",
                    {assignment, sandbox_note, current_time()});
    std::int64_t run = database_.last_inserted_row();
    std::int64_t position = 0;
    for (const Entry& entry : entries) {
        database_.query("insert into entry values (?, ?, ?, ?, ?, ?, ?, ?)",
                        {run, position++, entry.student, entry.exercise, entry.key, entry.source,
                         entry.problem, entry.details});
        if (entry.platform_name.empty()) continue;
        database_.query("insert into platform_name values (?, ?, ?) on conflict do nothing",
                        {run, entry.student, entry.platform_name});
    }
    position = 0;
    for (const Entry& entry : earlier_entries) {
        database_.query("insert into earlier values (?, ?, ?, ?, ?, ?)",
                        {run, position++, entry.student, entry.exercise, entry.key, entry.source});
    }
    transaction.commit();
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
    std::vector<Entry> entries;
    for (const ResultRow& row : database_.query(
             "select student, exercise, key, source, problem, details, coalesce((select name from "
             "platform_name p where p.run = e.run and p.student = e.student), x'') from entry e "
             "where run = ? order by place",
             {run})) {
        entries.push_back({row.text(0), row.text(1), row.text(2), row.text(3), row.text(4),
                           row.text(5), row.text(6)});
    }
    return entries;
}

std::vector<Entry> Store::earlier_entries(std::int64_t run) {
    std::vector<Entry> entries;
    for (const ResultRow& row : database_.query(
             "select student, exercise, key, source from earlier where run = ? order by place",
             {run})) {
        entries.push_back({row.text(0), row.text(1), row.text(2), row.text(3)});
    }
    return entries;
}

std::vector<Entry> Store::submitted_files() {
    std::vector<Entry> entries;
    for (const ResultRow& row :
         database_.query("select student, exercise, source from entry where source != x'' group by "
                         "student, exercise, source order by min(run), min(place)")) {
        entries.push_back({row.text(0), row.text(1), "", row.text(2)});
    }
    return entries;
}

void Store::finish_run(std::int64_t run) {
    database_.query("insert into finished values (?, ?) on conflict do nothing",
                    {run, current_time()});
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
        {run, entry.student, entry.exercise, entry.key, outcome, text, current_time()});
}

bool Store::add_result(std::int64_t run, const Entry& entry, const std::string& result_json) {
    Transaction transaction(database_);
    std::optional<std::string> stored_json = result(entry.key);
    if (stored_json && *stored_json != result_json) {
        std::string text = "grading the same submission a second time gave a different result";
        add_attempt(run, entry, "infrastructure", text + ":\n" + result_json);
        transaction.commit();
        throw InfrastructureError(text + " (key " + entry.key.substr(0, 12) +
                                  "); the first result is kept. Please report this bug: with the "
                                  "same key, all bytes of a result must be the same");
    }
    if (!stored_json) {
        database_.query("insert into result values (?, ?)", {entry.key, result_json});
    }
    add_attempt(run, entry, stored_json ? "again" : "judged", "");
    transaction.commit();
    return !stored_json;
}

void Store::add_fault(std::int64_t run, const Entry& entry, const std::string& text) {
    add_attempt(run, entry, "infrastructure", text);
}

void Store::give_up(std::int64_t run, const Entry& entry, const std::string& text) {
    add_attempt(run, entry, "given-up", text);
}

std::set<std::string> Store::given_up_keys(std::int64_t run) {
    std::set<std::string> keys;
    for (const ResultRow& row : database_.query(
             "select key from attempt where run = ? and outcome = ?", {run, "given-up"})) {
        keys.insert(row.text(0));
    }
    return keys;
}

std::vector<Attempt> Store::attempts() {
    std::vector<Attempt> attempts;
    for (const ResultRow& row :
         database_.query("select number, run, student, exercise, key, outcome, "
                         "text from attempt order by number")) {
        attempts.push_back({row.number(0), row.number(1), row.text(2), row.text(3), row.text(4),
                            row.text(5), row.text(6)});
    }
    return attempts;
}

void Store::add_decision(const Decision& decision) {
    database_.query(
        "insert into decision (student, exercise, source, points, why, at) values (?, ?, ?, ?, ?, "
        "?)",
        {decision.student, decision.exercise, decision.source,
         decision.points ? std::to_string(*decision.points) : "", decision.reason, current_time()});
}

std::vector<Decision> Store::decisions() {
    std::vector<Decision> decisions;
    for (const ResultRow& row : database_.query(
             "select student, exercise, source, points, why from decision order by number")) {
        const std::string& points = row.text(3);
        decisions.push_back({row.text(0), row.text(1), row.text(2),
                             points.empty() ? std::nullopt : std::optional(std::stod(points)),
                             row.text(4)});
    }
    return decisions;
}

}  // namespace coalesce::grader
