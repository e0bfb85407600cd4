// The helper threads that blocking calls run on. Part of a runtime: started as they are needed, joined when
// it stops.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace heddle::fiber {

// Lies on the stack of the fiber that waits for it.
struct offload_job
{
    void (*run)(offload_job&) noexcept =
        nullptr; // the last that is done with the job: it may be gone on return
    offload_job* next = nullptr;
};

class offload_pool
{
public:
    explicit offload_pool(unsigned most_threads);
    ~offload_pool();
    offload_pool(const offload_pool&) = delete;
    offload_pool& operator=(const offload_pool&) = delete;

    // Queues `job`, first come, first served.
    // Throws: std::system_error when not even one thread can be had.
    void submit(offload_job& job);

    // Takes `job` back. False if a thread has begun with it.
    bool withdraw(offload_job& job) noexcept;

    // Finishes what is queued and joins the threads. May be called again.
    void stop() noexcept;

private:
    void start_thread();
    void work() noexcept;

    std::mutex mutex_; // guards all that follows
    std::condition_variable wanted_;
    offload_job* first_ = nullptr;
    offload_job* last_ = nullptr;
    std::size_t queued_ = 0;
    std::size_t idle_ = 0; // threads that wait for a job
    bool stopping_ = false;
    const std::size_t most_threads_;
    std::vector<std::thread> threads_;
};

} // namespace heddle::fiber
