/// \file
/// The few things of SQLite that the store uses, with its errors as Infrastructure.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace coalesce::grader {

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
    /// The number of the row that was inserted last.
    std::int64_t last_row() const;

private:
    friend class Statement;
    [[noreturn]] void fail(const std::string& doing) const;

    sqlite3* handle_ = nullptr;
    std::string name_;
};

/// One statement with its values, texts or numbers: `Statement(db, "select x from t where y = ?", y)`.
class Statement {
public:
    /// Prepares it.
    Statement(Database& database, const std::string& text);
    /// The same, with a value for each parameter.
    template <class... Values>
    Statement(Database& database, const std::string& text, const Values&... values)
        : Statement(database, text) {
        int parameter = 0;
        (bind(++parameter, values), ...);
    }
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    /// Goes to the next row of the result; false when there is none.
    bool step();
    /// A column of the row, from 0.
    std::string text(int column) const;
    /// Likewise a number.
    std::int64_t number(int column) const;

private:
    void bind(int parameter, std::string_view bytes);
    void bind(int parameter, std::int64_t number);

    Database& database_;
    sqlite3_stmt* statement_ = nullptr;
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
