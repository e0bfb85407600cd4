// Loaded before the C library: while the file that HEDDLE_TEST_FULL_DISK names is there, the disk is full, for
// whoever writes at an offset (SQLite does, to its files; nothing else in the server).
#undef _FILE_OFFSET_BITS // with it the two functions below would be one
#include <cerrno>
#include <cstdlib>

#include <dlfcn.h>
#include <unistd.h>

namespace {

bool is_full() noexcept
{
    static const char* const sign = std::getenv("HEDDLE_TEST_FULL_DISK");
    return sign && ::access(sign, F_OK) == 0;
}

using function = ssize_t(int, const void*, size_t, off64_t);

ssize_t write_at(const char* name, int fd, const void* data, size_t size, off64_t offset) noexcept
{
    if (is_full()) {
        errno = ENOSPC;
        return -1;
    }
    return reinterpret_cast<function*>(::dlsym(RTLD_NEXT, name))(fd, data, size, offset);
}

} // namespace

extern "C" ssize_t pwrite64(int fd, const void* data, size_t size, off64_t offset)
{
    return write_at("pwrite64", fd, data, size, offset);
}

extern "C" ssize_t pwrite(int fd, const void* data, size_t size, off_t offset)
{
    return write_at("pwrite64", fd, data, size, offset);
}
