// Another process, as far as SQLite's locks go: a handle of its own on the same file.
#pragma once

#include <sqlite3.h>

#include <string>

class stranger
{
public:
    explicit stranger(const std::string& path) { sqlite3_open(path.c_str(), &handle_); }
    ~stranger() { sqlite3_close(handle_); }
    stranger(const stranger&) = delete;
    stranger& operator=(const stranger&) = delete;

    bool run(const char* sql) { return sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) == SQLITE_OK; }

private:
    sqlite3* handle_ = nullptr;
};
