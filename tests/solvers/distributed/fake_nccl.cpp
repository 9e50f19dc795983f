// SPDX-License-Identifier: BSD-3-Clause
// A library with the functions of NCCL that Coppice calls, for ranks of one process. Unlike those of NCCL, ranks may
// share a device, so that tests with one device execute the same code as several devices. Tests load it in the place
// of NCCL. It is stricter: the host waits for the other ranks, transfers start late, so that missing waits of streams
// are noticed, and a call with a communicator that does not exist any more ends the program. It cannot be recorded in
// graphs.
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

namespace {

constexpr int success = 0, cuda_failed = 1, invalid_argument = 4, invalid_usage = 5, remote_failed = 6;

class event {
public:
    explicit event(cudaStream_t stream) {
        cudaEventCreateWithFlags(&event_, cudaEventDisableTiming);
        cudaEventRecord(event_, stream);
    }
    ~event() { cudaEventDestroy(event_); }
    event(event const&) = delete;
    event& operator=(event const&) = delete;
    void delay(cudaStream_t stream) const { cudaStreamWaitEvent(stream, event_, 0); }

private:
    cudaEvent_t event_{};
};

/// A message that a rank has sent.
struct message {
    void const* from;
    std::size_t bytes;
    std::shared_ptr<event> ready, received{};
    bool is_received = false;
};

struct rank_group {
    int ranks;
    std::mutex mutex{};
    std::condition_variable changed{};
    std::map<std::pair<int, int>, std::deque<std::shared_ptr<message>>> sent{}; ///< by sender and receiver
    bool aborted = false;
};
struct communicator {
    std::shared_ptr<rank_group> group;
    int rank, device;
};
struct transfer {
    communicator* comm;
    bool sends;
    void* at;
    std::size_t bytes;
    int rank;
    cudaStream_t stream;
};

std::mutex existing_mutex;
std::set<void const*> existing;

thread_local std::vector<transfer> waiting;
thread_local int depth = 0;

communicator* checked(void* comm) {
    std::lock_guard const lock(existing_mutex);
    if (existing.count(comm) == 0) {
        std::fprintf(stderr, "fake NCCL: call with a communicator that does not exist\n");
        std::abort();
    }
    return static_cast<communicator*>(comm);
}
void* made(std::shared_ptr<rank_group> group, int rank, int device) {
    auto* const one = new communicator{std::move(group), rank, device};
    std::lock_guard const lock(existing_mutex);
    existing.insert(one);
    return one;
}
void remove(void* comm) {
    communicator* const one = checked(comm);
    {
        std::lock_guard const lock(existing_mutex);
        existing.erase(comm);
    }
    delete one;
}

void sleep_before_transfer(void*) { std::this_thread::sleep_for(std::chrono::microseconds(30)); }

int receive(transfer const& t) {
    rank_group& group = *t.comm->group;
    std::shared_ptr<message> from;
    {
        std::unique_lock lock(group.mutex);
        auto& queue = group.sent[{t.rank, t.comm->rank}];
        group.changed.wait(lock, [&] { return group.aborted || !queue.empty(); });
        if (group.aborted) return remote_failed;
        from = queue.front();
        queue.pop_front();
    }
    int status = from->bytes == t.bytes ? success : invalid_argument;
    from->ready->delay(t.stream);
    cudaLaunchHostFunc(t.stream, sleep_before_transfer, nullptr);
    if (status == success && cudaMemcpyAsync(t.at, from->from, t.bytes, cudaMemcpyDefault, t.stream) != cudaSuccess)
        status = cuda_failed;
    auto received = std::make_shared<event>(t.stream);
    std::lock_guard const lock(group.mutex);
    from->received = std::move(received);
    from->is_received = true;
    group.changed.notify_all();
    return status;
}

/// All sends, then all receives; then the streams wait until the sent memory has been read.
int run(std::vector<transfer> const& all) {
    std::vector<std::pair<transfer, std::shared_ptr<message>>> sends;
    for (transfer const& t : all) {
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        cudaStreamIsCapturing(t.stream, &status);
        if (status != cudaStreamCaptureStatusNone) return invalid_usage;
        if (!t.sends) continue;
        auto const one = std::make_shared<message>(message{t.at, t.bytes, std::make_shared<event>(t.stream)});
        sends.emplace_back(t, one);
        std::lock_guard const lock(t.comm->group->mutex);
        t.comm->group->sent[{t.comm->rank, t.rank}].push_back(one);
        t.comm->group->changed.notify_all();
    }
    int status = success;
    for (transfer const& t : all)
        if (!t.sends)
            if (int const s = receive(t); status == success) status = s;
    for (auto const& [t, one] : sends) {
        rank_group& group = *t.comm->group;
        std::unique_lock lock(group.mutex);
        group.changed.wait(lock, [&] { return group.aborted || one->is_received; });
        if (!one->is_received) return remote_failed;
        one->received->delay(t.stream);
    }
    return status;
}
int add(transfer const& t) {
    waiting.push_back(t);
    if (depth > 0) return success;
    auto const all = std::exchange(waiting, {});
    return run(all);
}

} // namespace

#define FAKE extern "C" __attribute__((visibility("default")))

struct ncclUniqueId {
    char bytes[128];
};

FAKE int ncclGetVersion(int* version) {
    *version = 22800;
    return success;
}
FAKE char const* ncclGetErrorString(int status) {
    switch (status) {
    case success:
        return "no error";
    case invalid_usage:
        return "invalid usage of the fake library";
    case remote_failed:
        return "another rank has failed";
    default:
        return "a transfer of the fake library failed";
    }
}
FAKE int ncclCommInitAll(void** comms, int count, int const* devices) {
    auto const group = std::make_shared<rank_group>();
    group->ranks = count;
    for (int p = 0; p < count; ++p) comms[p] = made(group, p, devices[p]);
    return success;
}
FAKE int ncclGetUniqueId(ncclUniqueId*) { return success; }
FAKE int ncclCommInitRank(void**, int, ncclUniqueId, int) { return invalid_usage; } // ranks of one process only
FAKE int ncclCommDestroy(void* comm) {
    remove(comm);
    return success;
}
FAKE int ncclCommAbort(void* comm) {
    rank_group& group = *checked(comm)->group;
    {
        std::lock_guard const lock(group.mutex);
        group.aborted = true;
        group.changed.notify_all();
    }
    std::lock_guard const lock(existing_mutex);
    existing.erase(comm); // calls in flight may still read it
    return success;
}
FAKE int ncclGroupStart() {
    ++depth;
    return success;
}
FAKE int ncclGroupEnd() {
    if (--depth > 0) return success;
    auto const all = std::exchange(waiting, {});
    return run(all);
}
FAKE int ncclSend(void const* from, std::size_t count, int, int rank, void* comm, cudaStream_t stream) {
    return add({checked(comm), true, const_cast<void*>(from), count, rank, stream});
}
FAKE int ncclRecv(void* to, std::size_t count, int, int rank, void* comm, cudaStream_t stream) {
    return add({checked(comm), false, to, count, rank, stream});
}
FAKE int ncclAllGather(void const* mine, void* all, std::size_t count, int, void* comm, cudaStream_t stream) {
    communicator* const own = checked(comm);
    std::vector<transfer> transfers;
    for (int p = 0; p < own->group->ranks; ++p) {
        transfers.push_back({own, true, const_cast<void*>(mine), count, p, stream});
        transfers.push_back({own, false, static_cast<std::byte*>(all) + std::size_t(p) * count, count, p, stream});
    }
    return run(transfers);
}
