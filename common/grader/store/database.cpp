#include "grader/store/database.h"

#include <sqlite3.h>

#include <memory>

#include "grader/store/errors.h"

namespace coalesce::grader {

namespace {

// Returns advice for the teacher about a database error.
const char* advice_for_code(int code) {
    switch (code & 0xff) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return "another program has locked the file: end that program, then run again";
        case SQLITE_FULL: return "the disk is full: free some space, then run again with --resume";
        case SQLITE_IOERR:
            return "the disk is full or faulty: fix the problem, then run again with --resume";
        case SQLITE_READONLY:
        case SQLITE_PERM:
        case SQLITE_CANTOPEN: return "check the permissions of the file and of its folder";
        case SQLITE_NOTADB:
        case SQLITE_CORRUPT:
            return "rename the file and run again: a new file is created, and everything is graded "
                   "again";
        default: return "run again with --resume: the stored results are complete";
    }
}

int bind(sqlite3_stmt* statement, int parameter, const Value& value) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
        return sqlite3_bind_int64(statement, parameter, *number);
    }
    // Store strings as blobs, because names and sources need not be UTF-8.
    const auto& bytes = std::get<std::string>(value);
    return sqlite3_bind_blob64(statement, parameter, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
}

ResultRow read_row(sqlite3_stmt* statement) {
    ResultRow row;
    for (int column = 0; column < sqlite3_column_count(statement); ++column) {
        if (sqlite3_column_type(statement, column) == SQLITE_INTEGER) {
            row.values.emplace_back(std::int64_t{sqlite3_column_int64(statement, column)});
            continue;
        }
        const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
        row.values.emplace_back(bytes == nullptr ? "" : std::string(bytes, size));
    }
    return row;
}

}  // namespace

void Database::fail(const std::string& operation) const {
    int code = handle_ != nullptr ? sqlite3_extended_errcode(handle_) : SQLITE_NOMEM;
    std::string message = handle_ != nullptr ? sqlite3_errmsg(handle_) : "no memory";
    throw InfrastructureError(name_ + ": " + operation + ": " + message + "; " +
                              advice_for_code(code));
}

Database::Database(const std::filesystem::path& file, int busy_timeout_ms) : name_(file.string()) {
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW;
    try {
        if (sqlite3_open_v2(file.c_str(), &handle_, flags, nullptr) != SQLITE_OK)
            fail("opening the file");
        sqlite3_busy_timeout(handle_, busy_timeout_ms);
        // In WAL mode, readers and the writer do not block each other, and a commit needs one
        // fsync. With full synchronization, no commit is lost in a power failure.
        execute(
            "pragma journal_mode = wal; pragma synchronous = full; pragma trusted_schema = off");
    } catch (...) {
        sqlite3_close(handle_);
        throw;
    }
}

Database::~Database() {
    sqlite3_close(handle_);
}

void Database::execute(const std::string& statements) {
    if (sqlite3_exec(handle_, statements.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        fail("executing a statement");
    }
}

std::int64_t Database::last_inserted_row() const {
    return sqlite3_last_insert_rowid(handle_);
}

std::vector<ResultRow> Database::query(const std::string& statement,
                                       const std::vector<Value>& values) {
    sqlite3_stmt* prepared_statement = nullptr;
    if (sqlite3_prepare_v2(handle_, statement.c_str(), static_cast<int>(statement.size()),
                           &prepared_statement, nullptr) != SQLITE_OK) {
        fail("preparing a statement");
    }
    const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement_guard(
        prepared_statement, sqlite3_finalize);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (bind(prepared_statement, static_cast<int>(i) + 1, values[i]) != SQLITE_OK) {
            fail("binding a value");
        }
    }
    std::vector<ResultRow> rows;
    int code = sqlite3_step(prepared_statement);
    for (; code == SQLITE_ROW; code = sqlite3_step(prepared_statement))
        rows.push_back(read_row(prepared_statement));
    if (code != SQLITE_DONE) fail("reading or writing a row");
    return rows;
}

Transaction::Transaction(Database& database) : database_(database) {
    database.execute("begin immediate");
}

Transaction::~Transaction() {
    if (!is_open_) return;
    try {
        database_.execute("rollback");
    } catch (const InfrastructureError&) {
        // SQLite has already rolled back the change, or will do so when the database is opened
        // again.
    }
}

void Transaction::commit() {
    database_.execute("commit");
    is_open_ = false;
}

}  // namespace coalesce::grader
