/// \file
/// The few things of SQLite that the store uses, with its errors as Infrastructure.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

struct sqlite3;

namespace coalesce::grader {

/// A value for a parameter, or of a column: a number, or bytes, which need not be UTF-8.
using Value = std::variant<std::int64_t, std::string>;

/// A row of a result; columns count from 0.
struct FoundRow {
    std::vector<Value> values;
    const std::string& text(std::size_t column) const { return std::get<1>(values.at(column)); }
    std::int64_t number(std::size_t column) const { return std::get<0>(values.at(column)); }
};

/// An open database. What is committed is on the disk when `commit` returns.
class Database {
public:
    /// Opens it, or makes it. Waits so long for another process that has it locked.
    explicit Database(const std::filesystem::path& file, int milliseconds = 5000);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    /// Statements without values or results.
    void execute(const std::string& statements);
    /// One statement with a value for each parameter: `ask("select x from t where y = ?", {y})`.
    std::vector<FoundRow> ask(const std::string& statement, const std::vector<Value>& values = {});
    /// The number of the row that was inserted last.
    std::int64_t last_row() const;

private:
    [[noreturn]] void fail(const std::string& doing) const;

    sqlite3* handle_ = nullptr;
    std::string name_;
};

/// A change that takes place whole, or not at all: rolled back unless `commit` was called.
class Transaction {
public:
    /// Begins it, as a writer.
    explicit Transaction(Database& database);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    /// Makes it last.
    void commit();

private:
    Database& database_;
    bool is_open_ = true;
};

}  // namespace coalesce::grader
