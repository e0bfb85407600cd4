// A disk that fails when a test wants it to and notes who waits for it: a layer over SQLite's own files, for
// those opened during its life.
#pragma once

#include <heddle/fiber/clock.hpp>

#include <sqlite3.h>

#include <atomic>
#include <thread>
#include <vector>

class disk
{
public:
    disk() : real_(sqlite3_vfs_find(nullptr)), layer_(*real_)
    {
        layer_.zName = "a test's disk";
        layer_.szOsFile = static_cast<int>(sizeof(file)) + real_->szOsFile;
        layer_.xOpen = open;
        current_ = this;
        sqlite3_vfs_register(&layer_, 1);
    }
    ~disk()
    {
        sqlite3_vfs_unregister(&layer_);
        sqlite3_vfs_register(real_, 1);
    }
    disk(const disk&) = delete;
    disk& operator=(const disk&) = delete;

    std::atomic<bool> is_full = false;       // for the write-ahead log
    std::atomic<bool> fails_to_sync = false; // the same
    std::atomic<int> synced_by_worker = 0;   // the thread that has made this
    std::atomic<int> synced_by_others = 0;
    std::vector<heddle::fiber::time_point> met_the_lock; // when that thread found the lock for writing taken

private:
    struct file : sqlite3_file
    {
        sqlite3_file* real;
        bool is_log;
    };

    static sqlite3_file* real_of(sqlite3_file* f) { return static_cast<file*>(f)->real; }
    bool on_worker() const { return std::this_thread::get_id() == worker_; }

    static int open(sqlite3_vfs*, const char* name, sqlite3_file* f, int flags, int* out)
    {
        auto* const mine = static_cast<file*>(f);
        mine->real = reinterpret_cast<sqlite3_file*>(mine + 1); // SQLite has made room for both
        mine->is_log = (flags & SQLITE_OPEN_WAL) != 0;
        const int code = current_->real_->xOpen(current_->real_, name, mine->real, flags, out);
        mine->pMethods = mine->real->pMethods ? &methods : nullptr;
        return code;
    }

    static int write(sqlite3_file* f, const void* data, int size, sqlite3_int64 at)
    {
        if (static_cast<file*>(f)->is_log && current_->is_full)
            return SQLITE_FULL;
        return real_of(f)->pMethods->xWrite(real_of(f), data, size, at);
    }

    static int sync(sqlite3_file* f, int flags)
    {
        ++(current_->on_worker() ? current_->synced_by_worker : current_->synced_by_others);
        if (static_cast<file*>(f)->is_log && current_->fails_to_sync)
            return SQLITE_IOERR_FSYNC;
        return real_of(f)->pMethods->xSync(real_of(f), flags);
    }

    static int shm_lock(sqlite3_file* f, int offset, int count, int flags)
    {
        const int code = real_of(f)->pMethods->xShmLock(real_of(f), offset, count, flags);
        constexpr int the_lock_for_writing = 0;
        if (code == SQLITE_BUSY && offset == the_lock_for_writing && current_->on_worker())
            current_->met_the_lock.push_back(heddle::fiber::now());
        return code;
    }

    // What is only passed on.
    template <auto Method, class... Arguments>
    static auto pass(sqlite3_file* f, Arguments... arguments)
    {
        return (real_of(f)->pMethods->*Method)(real_of(f), arguments...);
    }

    using io = sqlite3_io_methods;
    static const io methods;

    inline static disk* current_ = nullptr; // SQLite's callbacks know no other way to it
    sqlite3_vfs* const real_;
    sqlite3_vfs layer_;
    const std::thread::id worker_ = std::this_thread::get_id();
};

inline const sqlite3_io_methods disk::methods{
    .iVersion = 2,
    .xClose = pass<&io::xClose>,
    .xRead = pass<&io::xRead, void*, int, sqlite3_int64>,
    .xWrite = write,
    .xTruncate = pass<&io::xTruncate, sqlite3_int64>,
    .xSync = sync,
    .xFileSize = pass<&io::xFileSize, sqlite3_int64*>,
    .xLock = pass<&io::xLock, int>,
    .xUnlock = pass<&io::xUnlock, int>,
    .xCheckReservedLock = pass<&io::xCheckReservedLock, int*>,
    .xFileControl = pass<&io::xFileControl, int, void*>,
    .xSectorSize = pass<&io::xSectorSize>,
    .xDeviceCharacteristics = pass<&io::xDeviceCharacteristics>,
    .xShmMap = pass<&io::xShmMap, int, int, int, void volatile**>,
    .xShmLock = shm_lock,
    .xShmBarrier = pass<&io::xShmBarrier>,
    .xShmUnmap = pass<&io::xShmUnmap, int>,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};
