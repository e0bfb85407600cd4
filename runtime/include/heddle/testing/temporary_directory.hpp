// A directory for one test's files, removed with all that is in it.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace heddle::testing {

class temporary_directory
{
public:
    // Throws: std::system_error.
    temporary_directory() : path_((std::filesystem::temp_directory_path() / "heddle-XXXXXX").string())
    {
        if (!::mkdtemp(path_.data()))
            throw std::system_error(errno, std::generic_category(), path_);
    }

    ~temporary_directory()
    {
        std::error_code ignored; // what cannot be removed is left to the system
        std::filesystem::remove_all(path_, ignored);
    }

    temporary_directory(const temporary_directory&) = delete;
    temporary_directory& operator=(const temporary_directory&) = delete;

    const std::string& path() const noexcept { return path_; }
    // Of a file in it.
    std::string path(std::string_view name) const { return path_ + "/" + std::string(name); }

private:
    std::string path_;
};

} // namespace heddle::testing
