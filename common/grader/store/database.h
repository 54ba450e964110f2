/// \file
/// A thin layer over SQLite for the store. All functions report errors by throwing an
/// InfrastructureError.
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

/// An open database. Changes are durable when Transaction::commit returns.
class Database {
public:
    /// Opens the database, and creates it if it does not exist. If another process has locked the
    /// database, waits up to `busy_timeout_ms`.
    explicit Database(const std::filesystem::path& file, int busy_timeout_ms = 5000);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    /// Executes statements that take no parameters and return no rows.
    void execute(const std::string& statements);
    /// Executes one statement and returns the resulting rows. `values` contains a value for each
    /// `?` in the statement, as in `query("select x from t where y = ?", {y})`.
    std::vector<ResultRow> query(const std::string& statement,
                                 const std::vector<Value>& values = {});
    /// Returns the rowid of the row that was inserted last.
    std::int64_t last_inserted_row() const;

private:
    [[noreturn]] void fail(const std::string& operation) const;

    sqlite3* handle_ = nullptr;
    std::string name_;
};

/// An atomic change to the database. The destructor rolls the change back unless `commit` was
/// called.
class Transaction {
public:
    /// Begins a writing transaction.
    explicit Transaction(Database& database);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    void commit();

private:
    Database& database_;
    bool is_open_ = true;
};

}  // namespace coalesce::grader
