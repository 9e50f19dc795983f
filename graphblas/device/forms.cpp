// SPDX-License-Identifier: BSD-3-Clause
#include "forms.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>

#include "device.hpp"
#include "texts.hpp"

namespace coppice::graphblas::device {

array make_array(index count, std::size_t size) {
    driver& owner = the_device();
    void* const memory = owner.allocate(std::max<std::size_t>(16, std::size_t(count) * size));
    return {memory, [&owner](void* p) { owner.release(p); }};
}
array make_zeros(index count, std::size_t size) {
    array made = make_array(count, size);
    if (count > 0) the_device().clear(made.get(), std::size_t(count) * size);
    return made;
}
void run(kernel const& k, std::size_t entry, index blocks, arguments const& a) {
    if (blocks > 0) the_device().run(k.entries[entry], blocks, a);
}

namespace {

array uploaded(void const* from, index count, std::size_t size) {
    array made = make_array(count, size);
    if (count > 0) the_device().upload(made.get(), from, std::size_t(count) * size);
    return made;
}
array uploaded(std::vector<int> const& from) { return uploaded(from.data(), index(from.size()), sizeof(int)); }
template <class T>
void download(T* to, array const& from, index count, std::size_t size = sizeof(T)) {
    if (count > 0) the_device().download(to, from.get(), std::size_t(count) * size);
}

constexpr index max_columns = std::numeric_limits<int>::max();
constexpr index max_rows = index{1} << 30, max_hypersparse_rows = index{1} << 24;

/// Offsets of all rows.
std::vector<index> all_offsets(pattern const& a) {
    std::vector<index> offsets(std::size_t(a.rows) + 1, 0);
    for (index r = 0; r < a.stored_rows(); ++r) offsets[std::size_t(a.row(r)) + 1] = a.offsets[r + 1] - a.offsets[r];
    for (std::size_t r = 1; r < offsets.size(); ++r) offsets[r] += offsets[r - 1];
    return offsets;
}
/// Guards pattern::on_device.
std::mutex& pattern_guard() {
    static auto* const guard = new std::mutex;
    return *guard;
}
std::optional<by_rows> copy_on_device(pattern const& a) {
    std::scoped_lock const lock(pattern_guard());
    if (!a.on_device.what) return {};
    return *static_cast<by_rows const*>(a.on_device.what.get());
}
/// Keeps arrays without values for other tables with this pattern, as long as there is one; GxB_print counts them for
/// tables that use them.
void keep_on_device(pattern const& a, by_rows copy) {
    copy.values = {};
    auto made = std::make_shared<by_rows const>(std::move(copy));
    std::scoped_lock const lock(pattern_guard());
    auto const* const known = static_cast<by_rows const*>(a.on_device.what.get());
    if (!known || (made->tiers.known && !known->tiers.known)) a.on_device.what = std::move(made);
}
by_rows uploaded(pattern const& a) {
    if (auto const known = copy_on_device(a)) return *known;
    if (a.columns > max_columns || a.rows > max_rows) throw host_reason{"a matrix is too large for indices of 32 bits"};
    by_rows to{a.rows, a.columns, a.entries()};
    if (a.hypersparse && a.rows > max_hypersparse_rows) throw host_reason{"few of many rows of a matrix have entries"};
    if (a.hypersparse) {
        std::vector<index> const offsets = all_offsets(a);
        to.offsets = uploaded(offsets.data(), a.rows + 1, sizeof(index));
    } else {
        to.offsets = uploaded(a.offsets.data(), a.rows + 1, sizeof(index));
    }
    buffer<int> narrow(executor(), a.entries());
    for_ranges(a.entries(), 1 << 16, [&](index first, index last) {
        for (index k = first; k < last; ++k) narrow[k] = int(a.indices[k]);
    });
    to.indices = uploaded(narrow.data(), a.entries(), sizeof(int));
    return to;
}
long_rows tiers_of(by_rows const& a) {
    std::vector<index> offsets(std::size_t(a.rows) + 1);
    download(offsets.data(), a.offsets, a.rows + 1);
    std::vector<int> middle, longest;
    for (index r = 0; r < a.rows; ++r) {
        index const length = offsets[std::size_t(r) + 1] - offsets[std::size_t(r)];
        if (length >= long_rows::few) (length < long_rows::many ? middle : longest).push_back(int(r));
    }
    return {true, index(middle.size()), index(longest.size()), uploaded(middle), uploaded(longest)};
}
std::unique_ptr<by_rows>& member(forms& f, bool transposed) { return transposed ? f.transposed : f.straight; }
/// For a caller that holds the guard. Copies of the table share its forms, so that they are not changed.
forms copy_of_forms(table const& t) {
    forms to;
    if (!t.device) return to;
    if (t.device->straight) to.straight = std::make_unique<by_rows>(*t.device->straight);
    if (t.device->transposed) to.transposed = std::make_unique<by_rows>(*t.device->transposed);
    if (t.device->dense) to.dense = std::make_unique<by_position>(*t.device->dense);
    return to;
}

/// The list of a table on the device, if it is there.
std::optional<by_rows> known_list(table& t, bool transposed) {
    std::scoped_lock const lock(t.guard);
    if (!t.device) return {};
    auto const& found = transposed ? t.device->transposed : t.device->straight;
    return found ? std::optional<by_rows>(*found) : std::nullopt;
}
void keep(table& t, bool transposed, by_rows const& made) {
    std::scoped_lock const lock(t.guard);
    forms changed = copy_of_forms(t);
    member(changed, transposed) = std::make_unique<by_rows>(made);
    t.device = std::make_shared<forms>(std::move(changed));
}

} // namespace

by_rows rows_of_table(table& t, needs const& n) {
    std::optional<by_rows> found = known_list(t, n.transposed);
    bool const changes = !found || (n.values && !found->values) || (n.tiers && !found->tiers.known);
    if (!changes) return *found;
    pattern_pointer where;
    if (!found || (n.values && !found->values)) {
        contents const host = oriented(t, n.transposed);
        where = host.where;
        if (!found) found = uploaded(*where);
        if (n.values) found->values = uploaded(host.values->data(), found->entries, t.type->size);
    }
    if (n.tiers && !found->tiers.known) found->tiers = tiers_of(*found);
    if (where) keep_on_device(*where, *found);
    keep(t, n.transposed, *found);
    return *found;
}

by_position positions_of_table(table& t) {
    {
        std::scoped_lock const lock(t.guard);
        if (t.device && t.device->dense) return *t.device->dense;
    }
    std::size_t const size = t.type->size;
    by_position to{t.rows, t.columns, entry_count(t)};
    std::optional<by_rows> list = known_list(t, false);
    grid host = {};
    if (!list || !list->values) host = forms_of(t).dense;
    if (host) {
        if (host.flags) to.flags = uploaded(host.flags->data(), host.positions(), 1);
        to.values = uploaded(host.values->data(), host.positions(), size);
    } else {
        by_rows const from = rows_of_table(t, {});
        to.flags = make_zeros(to.positions(), 1);
        to.values = make_zeros(to.positions(), size);
        arguments a = {};
        a.positions = from.entries;
        a.rows = t.rows;
        a.columns = t.columns;
        a.a = list_of(from);
        a.to_flags = static_cast<unsigned char*>(to.flags.get());
        a.to_values = to.values.get();
        run(structure_kernels(size), 0, blocks_of(from.entries), a);
        if (to.entries == to.positions()) to.flags = {};
    }
    std::scoped_lock const lock(t.guard);
    forms changed = copy_of_forms(t);
    changed.dense = std::make_unique<by_position>(to);
    t.device = std::make_shared<forms>(std::move(changed));
    return to;
}

void set_device_forms(table& t, std::shared_ptr<forms const> made, index rows, index columns) noexcept {
    std::scoped_lock const lock(t.guard);
    t.rows = rows;
    t.columns = columns;
    t.data = {};
    t.transposed = {};
    t.transpose_gain = 0;
    t.changes.clear();
    t.changed_values.clear();
    t.device = std::move(made);
}

namespace {

grid downloaded(by_position const& from, std::size_t size) {
    grid to{from.rows, from.columns, from.entries, nullptr, make_values(from.positions(), size)};
    download(to.values->data(), from.values, from.positions(), size);
    if (!from.flags) return to;
    to.flags = std::make_shared<buffer<std::uint8_t>>(executor(), from.positions());
    download(to.flags->data(), from.flags, from.positions());
    return to;
}
contents downloaded(by_rows const& from, std::size_t size) {
    pattern to;
    to.rows = from.rows;
    to.columns = from.columns;
    to.offsets = buffer<index>(executor(), from.rows + 1);
    to.indices = buffer<index>(executor(), from.entries);
    download(to.offsets.data(), from.offsets, from.rows + 1);
    buffer<int> narrow(executor(), from.entries);
    download(narrow.data(), from.indices, from.entries);
    for_ranges(from.entries, 1 << 16, [&](index first, index last) {
        for (index k = first; k < last; ++k) to.indices[k] = narrow[k];
    });
    auto const values = make_values(from.entries, size);
    download(values->data(), from.values, from.entries, size);
    return {normalised(std::move(to)), values};
}

} // namespace

stored downloaded(table const& t) {
    try {
        if (!t.device->dense) return {downloaded(*t.device->straight, t.type->size), {}};
        grid const made = downloaded(*t.device->dense, t.type->size);
        if (t.type->code == GrB_UDT_CODE || made.entries < made.positions() / 64) return {to_list(made, t.type), {}};
        return {{}, made};
    } catch (host_reason const& e) {
        throw failure{GrB_PANIC, "the entries are lost, because the device fails: " + e.text};
    }
}
bool download_full_values(table& t, void* to, index space) {
    std::scoped_lock const lock(t.guard);
    if (t.data.dense || t.data.list.where || !t.device || !t.device->dense) return false;
    by_position const& from = *t.device->dense;
    if (from.flags || space < from.positions()) return false;
    try {
        download(static_cast<std::byte*>(to), from.values, from.positions(), t.type->size);
    } catch (host_reason const& e) {
        throw failure{GrB_PANIC, "the entries are lost, because the device fails: " + e.text};
    }
    return true;
}
index entries_on_device(table const& t) {
    return t.device->dense ? t.device->dense->entries : t.device->straight->entries;
}
index bytes_on_device(table const& t) {
    if (!t.device) return 0;
    index const size = index(t.type->size);
    index sum = 0;
    for (auto const* l : {t.device->straight.get(), t.device->transposed.get()})
        if (l) sum += 8 * (l->rows + 1) + (4 + (l->values ? size : 0)) * l->entries;
    if (auto const* d = t.device->dense.get()) sum += d->positions() * (size + (d->flags ? 1 : 0));
    return sum;
}
std::string names_of_forms(table const& t) {
    std::string names;
    if (t.device->straight) names += " sparse list of entries";
    if (t.device->transposed) names += " transpose";
    if (t.device->dense) names += t.device->dense->flags ? " bitmap" : " full";
    return names;
}

kernel const& structure_kernels(std::size_t size) {
    return compiled({"#define COPPICE_STRUCTURE\n#define COPPICE_WORD " + std::to_string(size) + "\n", ""});
}

array scanned(array const& flags, index n, index& sum) {
    constexpr index flags_per_block = 256 * 16;
    index const blocks = (n + flags_per_block - 1) / flags_per_block;
    kernel const& k = structure_kernels(8);
    array const counts = make_array(blocks, sizeof(index));
    array made = n == 0 ? make_zeros(1, sizeof(index)) : make_array(n + 1, sizeof(index));
    arguments a = {};
    a.positions = n;
    a.x.flags = static_cast<unsigned char const*>(flags.get());
    a.to_offsets = static_cast<long*>(counts.get());
    run(k, 1, blocks, a);
    std::vector<index> before(std::size_t(blocks) + 1, 0);
    download(before.data() + 1, counts, blocks);
    for (std::size_t b = 1; b < before.size(); ++b) before[b] += before[b - 1];
    sum = before.back();
    array const starts = uploaded(before.data(), blocks, sizeof(index));
    a.numbers = static_cast<long const*>(starts.get());
    a.to_offsets = static_cast<long*>(made.get());
    run(k, 2, blocks, a);
    return made;
}

by_rows compacted(by_rows const& from, array const& flags, array const& values, std::size_t size) {
    by_rows to{from.rows, from.columns};
    array const numbers = scanned(flags, from.entries, to.entries);
    to.offsets = make_array(to.rows + 1, sizeof(index));
    to.indices = make_array(to.entries, sizeof(int));
    to.values = make_array(to.entries, size);
    arguments a = {};
    a.positions = from.entries;
    a.rows = from.rows;
    a.a = list_of(from);
    a.a.values = values.get();
    a.x.flags = static_cast<unsigned char const*>(flags.get());
    a.numbers = static_cast<long const*>(numbers.get());
    a.to_offsets = static_cast<long*>(to.offsets.get());
    a.to_indices = static_cast<int*>(to.indices.get());
    a.to_values = to.values.get();
    run(structure_kernels(size), 3, blocks_of(std::max(from.entries, from.rows + 1)), a);
    return to;
}

} // namespace coppice::graphblas::device
