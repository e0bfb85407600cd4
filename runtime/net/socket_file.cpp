#include "net/socket_file.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::net {

namespace {

// Held between a look at the file and what follows from it, by all who listen in one directory: a socket that
// another is about to listen on looks like one that was left behind.
// Without it two that start at the same time are not told apart: where the directory may not be read, or
// where somebody else, who need not be a server, keeps it locked.
class directory_lock
{
public:
    explicit directory_lock(const std::string& path) noexcept
    {
        const auto slash = path.rfind('/');
        const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
        fd_ = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        constexpr int most_tries = 200; // a second in all, at the start and at the end of a process
        for (int i = 0; fd_ >= 0 && i < most_tries && ::flock(fd_, LOCK_EX | LOCK_NB) != 0; ++i)
            ::usleep(5000);
    }
    ~directory_lock()
    {
        if (fd_ >= 0)
            ::close(fd_);
    }
    directory_lock(const directory_lock&) = delete;
    directory_lock& operator=(const directory_lock&) = delete;

private:
    int fd_ = -1;
};

[[noreturn]] void throw_errno(int error)
{
    throw std::system_error(error, std::generic_category());
}

// Whether the last who listened there has gone without removing the file.
bool is_left_behind(const std::string& path, const address& at) noexcept
{
    struct stat file
    {
    };
    if (::lstat(path.c_str(), &file) != 0 || !S_ISSOCK(file.st_mode))
        return false;
    const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (probe < 0)
        return false;
    const bool is_refused = ::connect(probe, at.get(), at.size) != 0 && errno == ECONNREFUSED;
    ::close(probe);
    return is_refused;
}

// 0, or the error.
int bind_to(int fd, const std::string& path, const address& at) noexcept
{
    if (::bind(fd, at.get(), at.size) == 0)
        return 0;
    const int error = errno;
    if (error != EADDRINUSE || !is_left_behind(path, at))
        return error;
    ::unlink(path.c_str());
    return ::bind(fd, at.get(), at.size) == 0 ? 0 : errno;
}

} // namespace

socket_file::socket_file(int fd, std::string path, unsigned mode, int backlog) : path_(std::move(path))
{
    const std::optional<address> at = address_of({.path = path_});
    if (!at)
        throw_errno(ENAMETOOLONG);
    const directory_lock guard(path_);
    if (const int error = bind_to(fd, path_, *at))
        throw_errno(error);
    struct stat file
    {
    };
    // The mode before it listens: nobody gets in whom it keeps out.
    if (::chmod(path_.c_str(), mode) != 0 || ::lstat(path_.c_str(), &file) != 0 ||
        ::listen(fd, backlog) != 0) {
        const int error = errno;
        ::unlink(path_.c_str());
        throw_errno(error);
    }
    device_ = file.st_dev;
    inode_ = file.st_ino;
}

socket_file::~socket_file()
{
    const directory_lock guard(path_);
    struct stat file
    {
    };
    if (::lstat(path_.c_str(), &file) == 0 && file.st_dev == device_ && file.st_ino == inode_)
        ::unlink(path_.c_str());
}

} // namespace heddle::net
