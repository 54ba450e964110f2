/// \file
/// A thin layer over SQLite for the store. Errors are thrown as InfrastructureError.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

struct sqlite3;

namespace coalesce::grader {

/// The value of a parameter or a column: either a number, or bytes that need not be UTF-8.
using Value = std::variant<std::int64_t, std::string>;

/// A row of a query's result. Columns are numbered from 0.
struct ResultRow {
    std::vector<Value> values;
    const std::string& text(std::size_t column) const { return std::get<1>(values.at(column)); }
    std::int64_t number(std::size_t column) const { return std::get<0>(values.at(column)); }
};

/// An open database. When `commit` returns, the changes are on disk.
class Database {
public:
    /// Opens the database or creates it. If another process has locked it, waits up to
    /// `milliseconds`.
    explicit Database(const std::filesystem::path& file, int milliseconds = 5000);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    /// Executes statements without parameters or results.
    void execute(const std::string& statements);
    /// Executes one statement and returns its rows. Each parameter needs a value: `query("select x
    /// from t where y = ?", {y})`.
    std::vector<ResultRow> query(const std::string& statement,
                                 const std::vector<Value>& values = {});
    /// Returns the number of the row that was inserted last.
    std::int64_t last_inserted_row() const;

private:
    [[noreturn]] void fail(const std::string& doing) const;

    sqlite3* handle_ = nullptr;
    std::string name_;
};

/// A change that is made completely or not at all. The destructor rolls it back unless `commit` was
/// called.
class Transaction {
public:
    /// Begins a writing transaction.
    explicit Transaction(Database& database);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    /// Commits the change.
    void commit();

private:
    Database& database_;
    bool is_open_ = true;
};

}  // namespace coalesce::grader
