// Reads names and first lines of migration files, and says what is wrong with them.
#include "migration_files.hpp"

#include <heddle/base/error.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace heddle::db::migrating {

namespace {

constexpr std::string_view outside_of_a_transaction = "-- heddle: no transaction";

bool is_word(std::string_view text)
{
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '-';
    };
    return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

bool take_end(std::string_view& text, std::string_view end)
{
    if (!text.ends_with(end))
        return false;
    text.remove_suffix(end.size());
    return true;
}

// A file's name, taken apart. number 0: it is none.
struct parts
{
    std::int64_t number = 0;
    std::string_view full;
    std::string_view name;
    bool is_for_sqlite = true;
    bool is_for_postgres = true;
};

parts parts_of(std::string_view file)
{
    parts found;
    if (!take_end(file, ".sql"))
        return {};
    if (take_end(file, ".sqlite"))
        found.is_for_postgres = false;
    else if (take_end(file, ".postgres"))
        found.is_for_sqlite = false;
    const auto* const end = file.data() + file.size();
    const auto [digits, failed] = std::from_chars(file.data(), end, found.number);
    if (failed != std::errc() || digits == end || *digits != '_' || file.front() == '-')
        return {};
    found.full = file;
    found.name = file.substr(static_cast<std::size_t>(digits + 1 - file.data()));
    return is_word(found.name) ? found : parts{};
}

// As it is in every checkout, whatever line ends it was made with.
std::string with_plain_line_ends(std::string text)
{
    std::erase(text, '\r');
    return text;
}

step step_of(const parts& found, const migration_file& file)
{
    step made{.number = found.number, .name = std::string(found.name), .full = std::string(found.full)};
    made.text = with_plain_line_ends(file.text);
    made.checksum = checksum_of(made.text);
    made.alone = std::string_view(made.text).substr(0, made.text.find('\n')) == outside_of_a_transaction;
    return made;
}

void check_numbers(const std::vector<step>& steps, const char* database, std::vector<std::string>& wrong)
{
    std::int64_t before = 0;
    for (const auto& one : steps) {
        if (one.number == before)
            wrong.push_back(one.full + ": there are two files of this number for " + database);
        else if (one.number != before + 1)
            wrong.push_back(one.full + ": there is no file of number " + std::to_string(before + 1) +
                            " for " + database);
        before = one.number;
    }
}

} // namespace

std::string checksum_of(std::string_view text)
{
    std::uint64_t sum = 0xcbf29ce484222325; // Source: RFC 9923
    for (const char c : text)
        sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    std::string digits(16, '0');
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, sum >>= 4)
        *digit = "0123456789abcdef"[sum & 15];
    return digits;
}

std::vector<step> steps_for(dialect which, const std::vector<migration_file>& files)
{
    const bool is_sqlite = which == dialect::sqlite;
    std::vector<std::string> wrong;
    std::vector<step> steps;
    for (const auto& file : files) {
        const auto found = parts_of(file.name);
        if (found.number < 1)
            wrong.push_back(file.name + ": such a file is called NUMBER_NAME.sql, NUMBER_NAME.sqlite.sql or "
                                        "NUMBER_NAME.postgres.sql, and its number is at least 1");
        else if (is_sqlite ? found.is_for_sqlite : found.is_for_postgres)
            steps.push_back(step_of(found, file));
    }
    std::sort(steps.begin(), steps.end(), [](const step& a, const step& b) { return a.number < b.number; });
    check_numbers(steps, is_sqlite ? "SQLite" : "PostgreSQL", wrong);
    if (steps.empty() && !files.empty())
        wrong.push_back("none of the files is for " + std::string(is_sqlite ? "SQLite" : "PostgreSQL"));
    for (const auto& one : steps)
        if (one.alone && is_sqlite)
            wrong.push_back(one.full + ": with SQLite every file runs in the transaction");
    if (!wrong.empty())
        refuse(wrong);
    return steps;
}

void refuse(const std::vector<std::string>& wrong)
{
    std::string all = "migrations: ";
    for (const auto& one : wrong)
        all += (&one == &wrong.front() ? "" : "; ") + one;
    throw config_error(all);
}

} // namespace heddle::db::migrating

namespace heddle::db {

std::vector<migration_file> read_migrations(const std::string& directory)
{
    namespace files = std::filesystem;
    std::error_code failed;
    std::vector<migration_file> found;
    files::directory_iterator entry(directory, failed);
    for (; !failed && entry != files::directory_iterator(); entry.increment(failed)) {
        if (entry->path().extension() != ".sql")
            continue;
        std::ifstream file(entry->path(), std::ios::binary);
        migration_file one{.name = entry->path().filename().string()};
        one.text.assign(std::istreambuf_iterator<char>(file), {});
        if (!file)
            throw config_error("migrations: " + entry->path().string() + " cannot be read");
        found.push_back(std::move(one));
    }
    if (failed)
        throw config_error("migrations: " + directory + ": " + failed.message());
    return found;
}

} // namespace heddle::db
