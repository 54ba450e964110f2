#include "grader/store/database.h"

#include <sqlite3.h>

#include "grader/store/errors.h"

namespace coalesce::grader {

namespace {

// What a teacher can do about it.
const char* advice(int code) {
    switch (code & 0xff) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return "another program has it locked: end that program, then run again";
        case SQLITE_FULL: return "the disk is full: make room, then run again with --resume";
        case SQLITE_IOERR:
            return "the disk is full or broken: fix it, then run again with --resume";
        case SQLITE_READONLY:
        case SQLITE_PERM:
        case SQLITE_CANTOPEN: return "look at the rights of the file and of its folder";
        case SQLITE_NOTADB:
        case SQLITE_CORRUPT:
            return "keep the file aside, and run again: a new one is made, and everything is "
                   "graded again";
        default: return "run again with --resume: what was stored is whole";
    }
}

}  // namespace

void Database::fail(const std::string& doing) const {
    int code = handle_ != nullptr ? sqlite3_extended_errcode(handle_) : SQLITE_NOMEM;
    std::string what = handle_ != nullptr ? sqlite3_errmsg(handle_) : "no memory";
    throw Infrastructure(name_ + ": " + doing + ": " + what + "; " + advice(code));
}

Database::Database(const std::filesystem::path& file, int milliseconds) : name_(file.string()) {
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW;
    try {
        if (sqlite3_open_v2(file.c_str(), &handle_, flags, nullptr) != SQLITE_OK)
            fail("opening it");
        sqlite3_busy_timeout(handle_, milliseconds);
        // WAL: readers and the writer do not wait for each other, and a commit is one fsync. FULL: no
        // commit is lost when the power goes.
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
        fail("working in it");
    }
}

std::int64_t Database::last_row() const {
    return sqlite3_last_insert_rowid(handle_);
}

Statement::Statement(Database& database, const std::string& text) : database_(database) {
    if (sqlite3_prepare_v2(database.handle_, text.c_str(), static_cast<int>(text.size()),
                           &statement_, nullptr) != SQLITE_OK) {
        database.fail("asking it");
    }
}

Statement::~Statement() {
    sqlite3_finalize(statement_);
}

void Statement::bind(int parameter, std::string_view bytes) {
    // As a blob: names and sources need not be UTF-8. An empty one must not become NULL.
    const char* data = bytes.empty() ? "" : bytes.data();
    if (sqlite3_bind_blob64(statement_, parameter, data, bytes.size(), SQLITE_TRANSIENT) !=
        SQLITE_OK) {
        database_.fail("giving it a value");
    }
}

void Statement::bind(int parameter, std::int64_t number) {
    if (sqlite3_bind_int64(statement_, parameter, number) != SQLITE_OK) {
        database_.fail("giving it a value");
    }
}

bool Statement::step() {
    int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) database_.fail("reading or writing it");
    return code == SQLITE_ROW;
}

std::string Statement::text(int column) const {
    const void* bytes = sqlite3_column_blob(statement_, column);
    auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return bytes == nullptr ? "" : std::string(static_cast<const char*>(bytes), size);
}

std::int64_t Statement::number(int column) const {
    return sqlite3_column_int64(statement_, column);
}

Transaction::Transaction(Database& database) : database_(database) {
    database.execute("begin immediate");
}

Transaction::~Transaction() {
    if (!is_open_) return;
    try {
        database_.execute("rollback");
    } catch (const Infrastructure&) {
        // SQLite has rolled it back already, or will when the file is opened again.
    }
}

void Transaction::commit() {
    database_.execute("commit");
    is_open_ = false;
}

}  // namespace coalesce::grader
