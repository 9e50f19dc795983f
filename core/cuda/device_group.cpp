// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/cuda/device_group.hpp>

#include <algorithm>
#include <mutex>
#include <string_view>

#include <unistd.h>

#include <coppice/core/cuda/cuda_check.hpp>
#include <coppice/core/optional_library.hpp>
#include <coppice/core/rank_communicator.hpp>
#include <coppice/core/setting.hpp>

namespace coppice::inline v0_1 {
namespace {

// The subset of the NCCL interface that is used here. It has not changed since NCCL 2.7.
using nccl_comm = void*;
constexpr int nccl_success = 0, nccl_char = 0;

struct nccl_unique_id {
    char bytes[128];
};

struct nccl_library {
    int (*get_version)(int*) = nullptr;
    int (*init_all)(nccl_comm*, int, int const*) = nullptr;
    int (*get_unique_id)(nccl_unique_id*) = nullptr;
    int (*init_rank)(nccl_comm*, int, nccl_unique_id, int) = nullptr;
    int (*destroy)(nccl_comm) = nullptr;
    int (*abort)(nccl_comm) = nullptr;
    int (*all_gather)(void const*, void*, std::size_t, int, nccl_comm, cudaStream_t) = nullptr;
    int (*send)(void const*, std::size_t, int, int, nccl_comm, cudaStream_t) = nullptr;
    int (*receive)(void*, std::size_t, int, int, nccl_comm, cudaStream_t) = nullptr;
    int (*group_start)() = nullptr;
    int (*group_end)() = nullptr;
    char const* (*error_string)(int) = nullptr;
    std::string why_not{};
    bool is_chosen = false; ///< by COPPICE_NCCL

    static nccl_library const& get() {
        static nccl_library const library = load();
        return library;
    }

private:
    static nccl_library load() {
        static constexpr char const* names[] = {"libnccl.so.2"};
        std::string const choice = detail::setting("COPPICE_NCCL");
        nccl_library all;
        if (choice == "off") {
            all.why_not = "NCCL: COPPICE_NCCL is off";
            return all;
        }
        all.is_chosen = !choice.empty();
        optional_library file("NCCL", choice, names);
        file.find(all.get_version, "ncclGetVersion");
        file.find(all.init_all, "ncclCommInitAll");
        file.find(all.get_unique_id, "ncclGetUniqueId");
        file.find(all.init_rank, "ncclCommInitRank");
        file.find(all.destroy, "ncclCommDestroy");
        file.find(all.abort, "ncclCommAbort");
        file.find(all.all_gather, "ncclAllGather");
        file.find(all.send, "ncclSend");
        file.find(all.receive, "ncclRecv");
        file.find(all.group_start, "ncclGroupStart");
        file.find(all.group_end, "ncclGroupEnd");
        file.find(all.error_string, "ncclGetErrorString");
        all.why_not = file.why_not();
        return all;
    }
};

void check(int status, char const* what) {
    if (status == nccl_success) return;
    throw device_error(std::string("NCCL: ") + what + ": " + nccl_library::get().error_string(status));
}

/// Host and PCI bus id of the device of a rank, which identify it; on rank 0 also the NCCL id of the group.
struct device_position {
    char host[64];
    char bus[32];
    nccl_unique_id id;
    bool has_nccl;
    bool is(device_position const& other) const {
        return std::string_view(host) == other.host && std::string_view(bus) == other.bus;
    }
};

} // namespace

void make_current(cuda_executor const& exec) { COPPICE_CUDA_CHECK(cudaSetDevice(exec.device())); }

std::size_t device_memory(cuda_executor const& exec) {
    cudaDeviceProp properties{};
    COPPICE_CUDA_CHECK(cudaGetDeviceProperties(&properties, exec.device()));
    return properties.totalGlobalMem;
}

std::size_t free_device_memory(cuda_executor const& exec) {
    make_current(exec);
    std::size_t free = 0, total = 0;
    COPPICE_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return free;
}

struct device_group::state {
    std::vector<nccl_comm> communicators{};
    std::mutex mutex{};
    bool aborted = false;

    /// The communicator of a rank. Throws device_error after abort(), which frees it.
    nccl_comm of(int rank) {
        std::lock_guard const lock(mutex);
        if (aborted) throw device_error("NCCL: another rank has failed");
        return communicators[std::size_t(rank)];
    }
};

device_group::device_group(std::unique_ptr<state> made) : state_(std::move(made)) {}

std::shared_ptr<device_group> device_group::make(std::vector<cuda_executor> const& executors, std::string& why_not) {
    if (executors.size() < 2) {
        why_not = "there is one rank only";
        return nullptr;
    }
    std::vector<int> devices;
    for (cuda_executor const& exec : executors) devices.push_back(exec.device());
    std::vector<int> sorted = devices;
    std::sort(sorted.begin(), sorted.end());
    nccl_library const& nccl = nccl_library::get();
    if (!nccl.is_chosen && std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
        why_not = "ranks share a device"; // a library that the user has chosen may accept this
        return nullptr;
    }
    if (!nccl.why_not.empty()) {
        why_not = nccl.why_not;
        return nullptr;
    }
    auto made = std::make_unique<state>();
    made->communicators.resize(devices.size());
    int current = 0;
    COPPICE_CUDA_CHECK(cudaGetDevice(&current));
    int const status = nccl.init_all(made->communicators.data(), int(devices.size()), devices.data());
    COPPICE_CUDA_CHECK(cudaSetDevice(current));
    check(status, "ncclCommInitAll");
    return std::shared_ptr<device_group>(new device_group(std::move(made)));
}

std::shared_ptr<device_group> device_group::connect(cuda_executor const& exec, rank_transport& ranks,
                                                    std::string& why_not) {
    if (ranks.ranks() < 2) {
        why_not = "there is one rank only";
        return nullptr;
    }
    nccl_library const& nccl = nccl_library::get();
    make_current(exec);
    device_position mine{};
    gethostname(mine.host, sizeof mine.host - 1);
    COPPICE_CUDA_CHECK(cudaDeviceGetPCIBusId(mine.bus, sizeof mine.bus, exec.device()));
    mine.has_nccl = nccl.why_not.empty();
    if (mine.has_nccl && ranks.rank() == 0) check(nccl.get_unique_id(&mine.id), "ncclGetUniqueId");
    rank_communicator const comm(ranks);
    std::vector<device_position> const all = comm.gather(mine);
    for (std::size_t p = 0; p < all.size(); ++p) {
        if (!all[p].has_nccl)
            why_not = nccl.why_not.empty() ? "rank " + std::to_string(p) + " has no NCCL" : nccl.why_not;
        for (std::size_t q = 0; q < p; ++q)
            if (all[p].is(all[q]) && !nccl.is_chosen)
                why_not = "ranks " + std::to_string(q) + " and " + std::to_string(p) + " share a device";
        if (!all[p].has_nccl || !why_not.empty()) return nullptr;
    }
    auto made = std::make_unique<state>();
    made->communicators.resize(all.size());
    check(nccl.init_rank(&made->communicators[std::size_t(ranks.rank())], ranks.ranks(), all[0].id, ranks.rank()),
          "ncclCommInitRank");
    return std::shared_ptr<device_group>(new device_group(std::move(made)));
}

device_group::~device_group() {
    if (state_->aborted) return;
    for (nccl_comm const c : state_->communicators)
        if (c) nccl_library::get().destroy(c);
}

void device_group::all_gather(int rank, cuda_executor const& exec, void const* mine, void* all,
                              std::size_t bytes) const {
    check(nccl_library::get().all_gather(mine, all, bytes, nccl_char, state_->of(rank), exec.stream()),
          "ncclAllGather");
}

void device_group::exchange(int rank, cuda_executor const& exec, std::span<rank_message const> sends,
                            std::span<rank_message const> receives) const {
    nccl_library const& nccl = nccl_library::get();
    nccl_comm const own = state_->of(rank);
    check(nccl.group_start(), "ncclGroupStart");
    int status = nccl_success;
    auto const keep_first = [&](int s) {
        if (status == nccl_success) status = s;
    };
    for (rank_message const& m : sends) keep_first(nccl.send(m.at, m.bytes, nccl_char, m.rank, own, exec.stream()));
    for (rank_message const& m : receives)
        keep_first(nccl.receive(m.at, m.bytes, nccl_char, m.rank, own, exec.stream()));
    keep_first(nccl.group_end());
    check(status, "ncclSend and ncclRecv");
}

void device_group::abort() noexcept {
    std::lock_guard const lock(state_->mutex);
    if (state_->aborted) return;
    state_->aborted = true;
    for (nccl_comm const c : state_->communicators)
        if (c) nccl_library::get().abort(c);
}

int device_group::nccl_version() {
    nccl_library const& nccl = nccl_library::get();
    int version = 0;
    if (nccl.why_not.empty()) check(nccl.get_version(&version), "ncclGetVersion");
    return version;
}

} // namespace coppice::inline v0_1
