// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Generators by name: table of kinds, parsing of their options, dispatch.
#include <coppice/algebra/generate/generators.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <type_traits>

#include <coppice/algebra/generate/pentadiagonal_gallery.hpp>
#include <coppice/algebra/generate/tridiagonal_gallery.hpp>
#include <coppice/algebra/rows/assemble.hpp>

namespace coppice::inline v0_1 {
namespace {

std::string comma_separated(std::vector<std::string> const& words) {
    std::string text;
    for (auto const& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

/// The name of an option with hyphens instead of underscores.
std::string hyphened(std::string_view name) {
    std::string key(name);
    std::replace(key.begin(), key.end(), '_', '-');
    return key;
}

generator_kind const& find_kind(std::string_view name) {
    std::vector<std::string> names;
    for (auto const& kind : generator_kinds()) {
        if (kind.name == name) return kind;
        names.push_back(kind.name);
    }
    throw argument_error("unknown generator '" + std::string(name) + "', expected one of " + comma_separated(names));
}

/// Parses `text` completely as a number from low to high.
template <class Number>
Number number(std::string_view key, std::string_view text, Number low, Number high) {
    Number value{};
    auto const [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size() || !(value >= low && value <= high)) {
        auto const show = [](Number bound) {
            std::array<char, 32> digits{};
            auto const shown = std::to_chars(digits.data(), digits.data() + digits.size(), bound);
            return std::string(digits.data(), shown.ptr);
        };
        throw argument_error("generator option " + std::string(key) + " is '" + std::string(text) + "', expected " +
                             (std::is_integral_v<Number> ? "an integer" : "a number") + " from " + show(low) + " to " +
                             show(high));
    }
    return value;
}

/// Builds the bands A(i, i + k) = entry(i, k), |k| <= reach, as a CSR matrix. Entries outside the matrix are dropped;
/// zeros inside are stored.
template <class T, class Entry>
csr<T> to_csr(host_executor const& exec, std::int64_t n, std::int64_t reach, Entry const& entry) {
    struct {
        std::int64_t n, reach;
        Entry const& entry;
        std::int64_t first(std::int64_t i) const { return std::max<std::int64_t>(-reach, -i); }
        std::int64_t last(std::int64_t i) const { return std::min(reach, n - 1 - i); }
        int count(std::int64_t i) const { return static_cast<int>(last(i) - first(i) + 1); }
        void fill(std::int64_t i, std::int32_t* columns, T* values) const {
            for (std::int64_t k = first(i); k <= last(i); ++k) {
                *columns++ = static_cast<std::int32_t>(i + k);
                *values++ = entry(i, k);
            }
        }
    } const rows{n, reach, entry};
    return detail::assemble_rows<T>(exec, n, n, rows);
}

template <class T>
csr<T> tridiagonal_matrix(host_executor const& exec, generator_options const& o) {
    auto const a = tridiagonal_case<T>(exec, o.case_id, o.n, o.seed);
    return to_csr<T>(exec, o.n, 1, [&](std::int64_t i, std::int64_t k) {
        return k < 0 ? a.lower[i] : k > 0 ? a.upper[i] : a.diagonal[i];
    });
}

template <class T>
csr<T> pentadiagonal_matrix(host_executor const& exec, generator_options const& o) {
    auto const a = pentadiagonal_case<T>(exec, o.case_id, o.n, o.seed);
    return to_csr<T>(exec, o.n, 2, [&](std::int64_t i, std::int64_t k) { return a.bands[(k + 2) * o.n + i]; });
}

} // namespace

std::vector<generator_kind> const& generator_kinds() {
    static std::vector<generator_kind> const kinds{
        {"aniso1", "9-point stencil, strong couplings along x", {"nx", "ny"}},
        {"aniso2", "9-point stencil, strong couplings along a diagonal of the grid", {"nx", "ny"}},
        {"aniso3", "aniso2 renumbered so that the strong couplings are next to the diagonal", {"nx", "ny"}},
        {"laplace2d", "5-point Laplacian", {"nx", "ny"}},
        {"laplace3d", "7-point Laplacian with direction weights", {"nx", "ny", "nz", "wx", "wy", "wz"}},
        {"laplace27", "27-point Laplacian", {"nx", "ny", "nz"}},
        {"rotated", "rotated anisotropic diffusion, 9 or 7 points", {"nx", "ny", "angle", "ratio", "points"}},
        {"regions",
         "anisotropic diffusion along and across an angle, in the squares of a chessboard",
         {"nx", "ny", "angle", "ratio", "regions"}},
        {"elasticity", "elastic solid or plate, three displacements a point", {"nx", "ny", "nz", "poisson", "plate"}},
        {"convection",
         "unsymmetric convection-diffusion, upwind",
         {"nx", "ny", "nz", "wx", "wy", "wz", "vx", "vy", "vz"}},
        {"transport", "unsymmetric flow between the nodes of tetrahedra", {"nx", "ny", "nz", "vx", "vy", "vz"}},
        {"circuit",
         "grid of random resistors, some nodes grounded",
         {"nx", "ny", "decades", "grounded", "ground", "seed"}},
        {"rmat", "recursive-matrix random graph", {"scale", "edge-factor", "a", "b", "c", "d", "undirected", "seed"}},
        {"queue",
         "loss I - Q^T of an M/M/n + k queue with migration",
         {"servers", "places", "share", "arrival", "service", "opening", "closing", "upper", "lower", "loss",
          "nonzeros"}},
        {"cloud", "queues of the sizes of Yang, Li and Li (2017), case 1 to 10", {"case"}},
        {"tridiagonal", "tridiagonal matrix, case 1 to 20 of the gallery", {"n", "case", "seed"}},
        {"pentadiagonal", "pentadiagonal matrix, case 1 to 23 of the gallery", {"n", "case", "seed"}},
    };
    return kinds;
}

std::vector<generator_option> const& generator_option_rows() {
    static std::vector<generator_option> const rows{
        {"nx", "grid points in x; 100 by default"},
        {"ny", "grid points in y; 0, the default: as nx"},
        {"nz", "grid points in z; 0, the default: as nx, for convection 1"},
        {"wx", "diffusion along x; 1 by default"},
        {"wy", "diffusion along y; 1 by default"},
        {"wz", "diffusion along z; 1 by default"},
        {"vx", "velocity along x in units of diffusion / mesh width; 1 by default"},
        {"vy", "velocity along y; 0.5 by default"},
        {"vz", "velocity along z; 0 by default"},
        {"angle", "direction of the strong diffusion, in degrees from the x axis towards y; 45 by default"},
        {"ratio", "weak over strong diffusion, 0 to 1; 0.001 by default"},
        {"points", "9, the default: bilinear finite elements; 7: finite differences"},
        {"regions", "number of squares of the chessboard in each direction; 4 by default"},
        {"poisson", "Poisson's ratio, 0 to 0.499; 0.3 by default"},
        {"plate", "1: the bottom and top faces are free; 0 by default"},
        {"decades", "conductances are between 10^-decades and 1; 2 by default"},
        {"grounded", "fraction of the nodes that are connected to ground; 0.01 by default"},
        {"ground", "conductance to ground; 200 by default"},
        {"scale", "log2 of the number of vertices, 0 to 30; 10 by default"},
        {"edge-factor", "edges drawn per vertex; 16 by default"},
        {"a", "probability of the first quadrant; 0.57 by default. a, b, c and d have the sum 1"},
        {"b", "probability of the second quadrant; 0.19 by default"},
        {"c", "probability of the third quadrant; 0.19 by default"},
        {"d", "probability of the fourth quadrant; 0.05 by default"},
        {"undirected", "1, the default: both directions of every edge are stored; 0: one"},
        {"servers", "number of servers; 100 by default"},
        {"places", "positions (numbers of tasks) for each number of open servers; 16 by default"},
        {"share", "tasks per server; 1 by default"},
        {"arrival", "tasks per unit of time; 50 by default"},
        {"service", "tasks that a busy server finishes per unit of time; 1 by default"},
        {"opening", "rate of opening a server, for each `share` tasks above the limit; 1 by default"},
        {"closing", "rate of closing a server, for each `share` tasks below the limit; 1 by default"},
        {"upper", "first position that opens servers; 0, the default: share + 1"},
        {"lower", "last position that closes servers; -1, the default: share - 1"},
        {"loss", "rate at which every state is left permanently; 0 by default: a singular matrix"},
        {"nonzeros", "number of entries of the matrix; 0, the default: determined by upper and lower"},
        {"n", "number of rows; 512 by default"},
        {"case", "number of the matrix; 1 by default"},
        {"seed", "seed of all random numbers; 1 by default"},
    };
    return rows;
}

bool names_generator(std::string_view text) { return text.substr(0, 9) == "generate:"; }

void set_generator_option(generator_options& options, std::string_view kind, std::string_view name,
                          std::string_view value) {
    auto const key = hyphened(name);
    auto const& keys = find_kind(kind).keys;
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
        throw argument_error("generator " + std::string(kind) + " has no option '" + std::string(name) +
                             "', it takes " + comma_separated(keys));
    auto const integer = [&](std::int64_t low, std::int64_t high) {
        return number<std::int64_t>(key, value, low, high);
    };
    auto const real = [&](double low, double high) { return number<double>(key, value, low, high); };
    constexpr std::int64_t max = INT32_MAX;
    if (key == "nx") options.nx = integer(1, max);
    if (key == "ny") options.ny = integer(1, max);
    if (key == "nz") options.nz = integer(1, max);
    if (key == "n") options.n = integer(0, max);
    std::int64_t const cases = kind == "pentadiagonal" ? pentadiagonal_case_count
                               : kind == "cloud"       ? std::int64_t(cloud_cases().size())
                                                       : tridiagonal_case_count;
    if (key == "case") options.case_id = static_cast<int>(integer(1, cases));
    if (key == "seed") options.seed = number<std::uint64_t>(key, value, 0, UINT64_MAX);
    if (key == "wx") options.wx = real(0, 1e30);
    if (key == "wy") options.wy = real(0, 1e30);
    if (key == "wz") options.wz = real(0, 1e30);
    if (key == "vx") options.vx = real(-1e30, 1e30);
    if (key == "vy") options.vy = real(-1e30, 1e30);
    if (key == "vz") options.vz = real(-1e30, 1e30);
    if (key == "angle") options.angle = real(-360, 360);
    if (key == "ratio") options.ratio = real(0, 1);
    if (key == "regions") options.regions = static_cast<int>(integer(1, 1000000));
    if (key == "poisson") options.poisson = real(0, 0.499);
    if (key == "plate") options.plate = integer(0, 1) == 1;
    if (key == "decades") options.decades = real(0, 30);
    if (key == "grounded") options.grounded = real(0, 1);
    if (key == "ground") options.ground = real(0, 1e30);
    if (key == "points") options.points = static_cast<int>(integer(7, 9));
    if (key == "scale") options.scale = static_cast<int>(integer(0, 30));
    if (key == "edge-factor") options.edge_factor = real(0, 1e6);
    if (key == "a") options.a = real(0, 1);
    if (key == "b") options.b = real(0, 1);
    if (key == "c") options.c = real(0, 1);
    if (key == "d") options.d = real(0, 1);
    if (key == "undirected") options.undirected = integer(0, 1) == 1;
    if (key == "servers") options.queue.servers = integer(1, max);
    if (key == "places") options.queue.places = integer(1, max);
    if (key == "share") options.queue.share = integer(1, max);
    if (key == "arrival") options.queue.arrival = real(0, 1e30);
    if (key == "service") options.queue.service = real(0, 1e30);
    if (key == "opening") options.queue.opening = real(0, 1e30);
    if (key == "closing") options.queue.closing = real(0, 1e30);
    if (key == "upper") options.queue.upper = integer(0, max);
    if (key == "lower") options.queue.lower = integer(-1, max);
    if (key == "loss") options.queue.loss = real(0, 1e30);
    if (key == "nonzeros") options.queue.nonzeros = integer(0, max);
}

generator_request parse_generator(std::string_view text) {
    std::string_view rest = names_generator(text) ? text.substr(9) : text;
    auto const next_field = [&rest] {
        auto const comma = rest.find(',');
        std::string_view const field = rest.substr(0, comma);
        rest = comma == rest.npos ? std::string_view{} : rest.substr(comma + 1);
        return field;
    };
    bool const trailing_comma = !rest.empty() && rest.back() == ',';
    generator_request request{find_kind(next_field()).name};
    std::vector<std::string> seen;
    while (!rest.empty() || trailing_comma) {
        std::string_view const field = next_field();
        auto const equals = field.find('=');
        if (equals == field.npos)
            throw argument_error("'" + std::string(field) + "' in '" + std::string(text) + "', expected key=value");
        auto const key = hyphened(field.substr(0, equals));
        set_generator_option(request.options, request.kind, key, field.substr(equals + 1));
        if (std::find(seen.begin(), seen.end(), key) != seen.end())
            throw argument_error("generator option " + key + " is given twice in '" + std::string(text) + "'");
        seen.push_back(key);
    }
    return request;
}

template <class T>
csr<T> generate(host_executor const& exec, std::string_view kind, generator_options const& o) {
    std::string_view const name = find_kind(kind).name;
    std::int64_t const ny = o.ny ? o.ny : o.nx, nz = o.nz ? o.nz : o.nx;
    if (name == "aniso1") return aniso1<T>(exec, o.nx, ny);
    if (name == "aniso2") return aniso2<T>(exec, o.nx, ny);
    if (name == "aniso3") return aniso3<T>(exec, o.nx, ny);
    if (name == "laplace2d") return laplace2d<T>(exec, o.nx, ny);
    if (name == "laplace3d") return laplace3d<T>(exec, o.nx, ny, nz, o.wx, o.wy, o.wz);
    if (name == "laplace27") return laplace27<T>(exec, o.nx, ny, nz);
    if (name == "rotated") return rotated<T>(exec, o.nx, ny, o.angle, o.ratio, o.points);
    if (name == "regions") return regions<T>(exec, o.nx, ny, o.angle, o.ratio, o.regions);
    if (name == "elasticity") return elasticity<T>(exec, o.nx, ny, nz, o.poisson, o.plate);
    if (name == "convection") return convection<T>(exec, o);
    if (name == "transport") return transport<T>(exec, o.nx, ny, nz, o.vx, o.vy, o.vz);
    if (name == "circuit") return circuit<T>(exec, o);
    if (name == "rmat") return rmat<T>(exec, o);
    if (name == "queue") return queue_matrix<T>(exec, o.queue);
    if (name == "cloud") return queue_matrix<T>(exec, cloud_cases()[std::size_t(o.case_id - 1)].queue);
    if (name == "pentadiagonal") return pentadiagonal_matrix<T>(exec, o);
    return tridiagonal_matrix<T>(exec, o);
}

template csr<float> generate<float>(host_executor const&, std::string_view, generator_options const&);
template csr<double> generate<double>(host_executor const&, std::string_view, generator_options const&);

} // namespace coppice::inline v0_1
