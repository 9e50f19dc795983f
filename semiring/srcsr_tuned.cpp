// SPDX-License-Identifier: BSD-3-Clause
// What `coppice tune` measured; see docs/performance.md.
#include "semiring/srcsr_tuning.hpp"

namespace coppice {

std::vector<tuning_record> const& shipped_tuning() {
    static std::vector<tuning_record> const records{};
    return records;
}

} // namespace coppice
