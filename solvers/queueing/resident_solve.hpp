// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// On-chip sweeps for all executors; included by hbisa.cpp and hbisa.cu.
#pragma once

#include <limits>

#include <coppice/algebra/transform.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/solvers/queueing/resident_launch.hpp>
#include <coppice/solvers/queueing/resident_pack.hpp>
#include <coppice/solvers/queueing/resident_sweeps.hpp>

namespace coppice::inline v0_1::detail {

template <executor Executor, class T>
template <class I>
resident_sweeps<Executor, T>::resident_sweeps(Executor const& exec, block_hybrid<T, I> const& a, std::int64_t systems,
                                              int halves, std::int64_t bytes) {
    job_.layout = {a.block(), a.blocks() / systems, systems, 1, halves};
    job_.rows = a.rows();
    planned_ = a.rows() > 0 && a.lower_bands() == 1 && a.upper_bands() == 1 && choose(exec, a, bytes);
    if (!planned_) return;
    bands_ = buffer<T>(exec, 4 * job_.layout.rows());
    offsets_ = buffer<std::int32_t>(exec, job_.layout.rows() + 1);
    columns_ = buffer<resident_column>(exec, a.couplings().nonzeros());
    values_ = buffer<T>(exec, a.couplings().nonzeros());
    workspace_ = buffer<std::byte>(exec, workspace_bytes(exec, job_));
    exclusive_scan(exec, job_.layout.rows() + 1, couplings_of_position<T, I>{a.view(), job_.layout},
                   store_offset<std::int32_t>{offsets_.data()}, std::int64_t(0));
    refresh(exec, a);
}

template <executor Executor, class T>
template <class I>
bool resident_sweeps<Executor, T>::choose(Executor const& exec, block_hybrid<T, I> const& a, std::int64_t bytes) {
    std::int64_t const limit = resident_limit(exec, bytes);
    resident_layout& p = job_.layout;
    if (limit == 0 || std::int64_t(a.couplings().nonzeros()) > std::numeric_limits<std::int32_t>::max() ||
        reduce(exec, a.rows(), 0, leaves_system<T, I>{a.view(), p.rows_of_system()}, maximum{}) != 0)
        return false;
    for (int const inside : {2, 1, 0}) // on chip: couplings and bands; bands; vectors only
        for (int members = 1; members <= max_resident_members(exec) && members <= p.in_system; members *= 2) {
            p.members = members;
            std::int64_t const rows = p.max_blocks() * p.block;
            if (rows >= resident_column::max_rows) continue;
            threads_ = resident_threads(exec, rows);
            job_.segments = resident_segments::of(p.block, p.max_count(), threads_);
            std::int64_t const entries =
                reduce(exec, p.systems * members, std::int64_t(0), couplings_of_member<T, I>{a.view(), p}, maximum{});
            job_.memory = resident_memory::of<T>(p, job_.segments, threads_, entries, /*bands*/ inside > 0,
                                                 /*couplings*/ inside > 1);
            if (job_.memory.bytes <= limit && can_run_resident(exec, job_, threads_)) return true;
        }
    return false;
}

template <executor Executor, class T>
template <class I>
void resident_sweeps<Executor, T>::refresh(Executor const& exec, block_hybrid<T, I> const& a) {
    if (!planned_) return;
    resident_layout const& p = job_.layout;
    std::int64_t const rows = p.rows();
    T *const lower = bands_.data(), *const diagonal = lower + rows, *const upper = diagonal + rows;
    T* const inverse = upper + rows;
    for_each(exec, rows, pack_bands<T, I>{a.view(), p, lower, diagonal, upper});
    for_each(exec, rows, pack_couplings<T, I>{a.view(), p, offsets_.data(), columns_.data(), values_.data()});
    usable_ =
        reduce(exec, rows / p.block, 0, eliminate_resident<T>{p, lower, diagonal, upper, inverse}, maximum{}) == 0;
}

template <executor Executor, class T>
void resident_sweeps<Executor, T>::run(Executor const& exec, T const* b, T* x, double tolerance, std::int64_t limit,
                                       hbisa_state* states) const {
    resident_job<T> job = job_;
    std::int64_t const rows = job.layout.rows();
    job.lower = bands_.data();
    job.diagonal = job.lower + rows;
    job.upper = job.diagonal + rows;
    job.inverse = job.upper + rows;
    job.offsets = offsets_.data();
    job.columns = columns_.data();
    job.values = values_.data();
    job.b = b;
    job.x = x;
    job.tolerance = tolerance;
    job.limit = limit;
    job.states = states;
    run_resident(exec, job, threads_, workspace_.data());
}

} // namespace coppice::inline v0_1::detail
