// SPDX-License-Identifier: BSD-3-Clause
// Readers of files with damaged inputs: each input is read or rejected with an exception of the library.
//
//   coppice_fuzz_readers                              all targets, 20000 executions each
//   coppice_fuzz_readers TARGET|all [EXECUTIONS [SEED]]
//   coppice_fuzz_readers --allocations                every allocation of every reader and writer fails once
//
// Seeds are datasets/tiny, datasets/malformed and a few texts below. With -DCOPPICE_LIBFUZZER the same targets are
// LLVMFuzzerTestOneInput (clang -fsanitize=fuzzer; the environment variable COPPICE_FUZZ_TARGET chooses one). The input
// that was tried last is stored in the folder that is printed if the program dies.
#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <coppice/core/error.hpp>
#include <coppice/matrix_file.hpp>
#include <coppice/matrix_market.hpp>

#include "fuzz/allocations.hpp"
#include "support/zip_archive.hpp"

namespace {

namespace fs = std::filesystem;
namespace fuzz = coppice::fuzz;
using coppice::host_executor;

// Limit of the memory of a reader: a multiple of the input, and buffers of a fixed size.
constexpr std::int64_t memory_factor = 64;
constexpr std::int64_t fixed_memory = std::int64_t(12) << 20;
constexpr coppice::read_limits limits{.max_expansion = 8, .small_bytes = 1 << 20, .max_bytes = 1 << 26};

[[noreturn]] void die(std::string const& why) {
    std::fprintf(stderr, "coppice_fuzz_readers: %s\n", why.c_str());
    std::abort();
}

/// A file in memory whose name has any given ending.
class memory_file {
public:
    explicit memory_file(std::string const& ending) {
        descriptor_ = ::memfd_create("input", MFD_CLOEXEC);
        folder_ = fs::temp_directory_path() / ("coppice-fuzz-" + std::to_string(::getpid()));
        fs::create_directories(folder_);
        path_ = folder_ / ("input" + ending);
        fs::create_symlink("/proc/self/fd/" + std::to_string(descriptor_), path_);
    }
    memory_file(memory_file const&) = delete;
    memory_file& operator=(memory_file const&) = delete;
    ~memory_file() {
        ::close(descriptor_);
        std::error_code ignored;
        fs::remove(path_, ignored);
        fs::remove(folder_, ignored);
    }
    void put(std::string_view bytes) {
        if (::ftruncate(descriptor_, 0) != 0 ||
            ::pwrite(descriptor_, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
            die("cannot write the input");
    }
    fs::path const& path() const { return path_; }

private:
    int descriptor_ = -1;
    fs::path folder_, path_;
};

template <class T, class I>
void check(coppice::csr<T, I> const& a) {
    bool good = a.row_offsets()[0] == 0 && a.row_offsets()[a.rows()] == a.nonzeros();
    for (I row = 0; good && row < a.rows(); ++row) {
        good = a.row_offsets()[row] <= a.row_offsets()[row + 1];
        for (I k = a.row_offsets()[row]; good && k < a.row_offsets()[row + 1]; ++k)
            good = a.column_indices()[k] >= 0 && a.column_indices()[k] < a.columns();
    }
    if (!good) die("a matrix that breaks the rules of its storage was read");
}

template <class T, class I>
void read_and_check(host_executor const& exec, fs::path const& path, coppice::matrix_read_options options) {
    options.limits = limits;
    auto const read = coppice::matrix_file(path, options).read_numbered<T, I>(exec);
    check(read.matrix);
    auto const rows = std::int64_t(read.matrix.rows());
    if (!read.vertices.names.empty() && std::int64_t(read.vertices.names.size()) != rows) die("names are missing");
    if (rows > 0 && read.vertices.find(read.vertices.name(0), rows) != 0) die("a vertex is not found by its name");
}

/// The first bytes of a run select types and options.
void read_as(host_executor const& exec, fs::path const& path, unsigned choice) {
    coppice::matrix_read_options options;
    options.duplicates = static_cast<coppice::duplicates>(choice / 8 % 8);
    options.renumber = choice / 64 % 2 == 1;
    switch (choice % 4) {
    case 0:
        return read_and_check<double, std::int32_t>(exec, path, options);
    case 1:
        return read_and_check<std::complex<double>, std::int64_t>(exec, path, options);
    case 2:
        return read_and_check<float, std::int64_t>(exec, path, options);
    default:
        return read_and_check<std::complex<float>, std::int32_t>(exec, path, options);
    }
}

void read_vectors(host_executor const& exec, fs::path const& path, unsigned choice) {
    coppice::vector_read_options options;
    options.limits = limits;
    options.length = choice / 8 % 4 == 0 ? 3 : -1;
    auto const complex = coppice::is_complex_vector(path);
    if (complex || choice % 2 == 0)
        static_cast<void>(coppice::read_vectors<std::complex<double>>(exec, path, options));
    else
        static_cast<void>(coppice::read_vector<float>(exec, path, options));
}

/// Reads the arrays of NumPy in a file as members of an archive of SciPy: without checksums that change with them.
void read_arrays(host_executor const& exec, fs::path const& path, unsigned choice) {
    static constexpr char const* names[] = {"format.npy", "shape.npy", "data.npy", "indices.npy", "indptr.npy"};
    std::string const bytes(coppice::read_text(path).view), magic = "\x93NUMPY";
    std::vector<std::pair<std::string, std::string>> members;
    for (std::size_t at = bytes.find(magic); at != bytes.npos && members.size() < std::size(names);) {
        auto const next = bytes.find(magic, at + magic.size());
        members.emplace_back(names[members.size()], bytes.substr(at, next == bytes.npos ? next : next - at));
        at = next;
    }
    static memory_file archive("_arrays.npz"); // not made while allocations fail
    archive.put(coppice::test::zip_archive(members, {.deflate = choice % 2 == 1, .wide = choice / 2 % 2 == 1}));
    read_as(exec, archive.path(), choice);
}

struct target {
    char const* name;
    char const* ending; ///< of the file's name
    void (*read)(host_executor const&, fs::path const&, unsigned);
    bool (*takes)(std::string const&); ///< whether a file of the datasets is a seed, by its name
};

bool ends(std::string const& name, std::initializer_list<char const*> endings) {
    return std::any_of(endings.begin(), endings.end(), [&](char const* e) { return name.ends_with(e); });
}

target const targets[] = {
    {"matrix_market", ".mtx", read_as, [](std::string const& n) { return ends(n, {".mtx"}); }},
    {"gzip", ".mtx.gz", read_as, [](std::string const& n) { return ends(n, {".gz"}); }},
    {"harwell_boeing", ".rb", read_as, [](std::string const& n) { return ends(n, {".rb"}); }},
    {"edge_list", ".txt", read_as, [](std::string const& n) { return n.starts_with("edges_"); }},
    {"csv", ".csv", read_as, [](std::string const& n) { return n.starts_with("edges_"); }},
    {"smat", ".smat", read_as, [](std::string const& n) { return ends(n, {".smat"}); }},
    {"metis", ".graph", read_as, [](std::string const& n) { return n == "words.txt"; }},
    {"gap", ".sg", read_as, [](std::string const& n) { return n == "binary_garbage.bin"; }},
    {"gap_weighted", ".wsg", read_as, [](std::string const& n) { return n == "binary_garbage.bin"; }},
    {"node_link", ".json", read_as, [](std::string const& n) { return n == "words.txt"; }},
    {"npz", ".npz", read_as, [](std::string const& n) { return ends(n, {".npz"}); }},
    {"npz_arrays", ".bin", read_arrays, [](std::string const&) { return false; }},
    {"archive", ".tar", read_as, [](std::string const& n) { return ends(n, {".tar"}); }},
    {"any", "", read_as, [](std::string const&) { return true; }},
    {"vector", ".dat", read_vectors, [](std::string const& n) { return n.starts_with("array_"); }},
};

template <class N>
std::string bytes_of(std::initializer_list<N> numbers) {
    std::string bytes(sizeof(N) * numbers.size(), '\0');
    std::memcpy(bytes.data(), std::data(numbers), bytes.size());
    return bytes;
}

/// Texts of formats that do not occur in the datasets.
std::vector<std::string> texts_of(std::string const& name) {
    if (name == "metis") return {"% a comment\n4 3 1\n2 5 3 1\n1 5 3 2\n1 1 2 2\n\n", "2 1 11 2\n4 4 2 7\n1 1 1 7\n"};
    if (name == "gap" || name == "gap_weighted") {
        std::string graph(1, '\0');
        graph += bytes_of<std::int64_t>({4, 3, 0, 1, 3, 4});
        std::string weighted = graph + bytes_of<std::int32_t>({1, 5, 0, 5, 2, 7, 1, 7});
        return {graph + bytes_of<std::int32_t>({1, 0, 2, 1}), weighted};
    }
    if (name == "node_link")
        return {R"({"directed": true, "nodes": [{"id": [1, "a"]}, {"id": 2, "x": {"y": [1]}}], "edges": [{"source": )"
                R"([1, "a"], "target": 2, "weight": -Infinity}]})",
                R"({"nodes": [{"id": 0}, {"id": "0"}], "links": [{"source": 0, "target": "0", "weight": 2.5}]})"};
    if (name == "csv")
        return {"source,target,weight\n0,1,2.5\n1,2,1\n", "0;1;2.5\n1;2;1 # a\n", "\"a b\",\"c\"\nc,\"a b\"\n",
                "% bip weighted\n1\t2\t3 9\n2\t1\t4 8\n"};
    if (name == "edge_list") return {"# a\n0 1 .5 % b\n4 0 -1 // c\n", "% sym unweighted\n1 2\n3 1\n"};
    if (name == "harwell_boeing")
        return {"title\n3 1 1 1\nRUA 3 3 4 0\n(1X,4I4) (1X,4I4) (2(1P,E8.2))\n    1   3   4   5\n    1   3   1   2\n"
                " 1.0D+00 2.0E+00\n 3.0+000      4.\n"};
    if (name == "npz_arrays") {
        using coppice::test::npy_file;
        auto const shape = npy_file<std::int64_t>("<i8", "(2,)", {2, 3});
        auto const indices = npy_file<std::int32_t>("<i4", "(3,)", {0, 1, 1}),
                   offsets = npy_file<int>("<i4", "(3,)", {0, 2, 3});
        return {npy_file<char>("|S3", "()", {'c', 's', 'r'}) + shape + npy_file<double>("<f8", "(3,)", {1, 2, 3}) +
                    indices + offsets,
                npy_file<char>("|S3", "()", {'c', 's', 'c'}) + npy_file<std::int64_t>("<i8", "(2,)", {3, 2}) +
                    npy_file<float>("<c8", "(3,)", {1, 2, 3, 4, 5, 6}) + indices + offsets};
    }
    if (name == "vector") {
        std::string npy("\x93NUMPY\x01\0\x46\0{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", 60);
        npy.resize(79, ' ');
        npy += '\n';
        return {npy + bytes_of<double>({1, 2, 3}), "1 2\n3 4\n5 6\n", "1\n2\n3\n", "1;2\n3;4 # a\n"};
    }
    return {};
}

std::vector<std::string> seeds_of(target const& t) {
    auto seeds = texts_of(t.name);
    for (auto const* folder : {"tiny", "malformed"}) {
        std::vector<fs::path> files;
        for (auto const& file : fs::directory_iterator(fs::path(COPPICE_SOURCE_DIR) / "datasets" / folder))
            if (t.takes(file.path().filename().string())) files.push_back(file.path());
        std::sort(files.begin(), files.end());
        for (auto const& file : files) {
            std::ifstream in(file, std::ios::binary);
            seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
        }
    }
    return seeds;
}

/// Reads the input from `file`; aborts if the allocated memory exceeded the limit.
void execute(target const& t, host_executor const& exec, memory_file& file, std::string_view input, unsigned choice) {
    file.put(input);
    auto const before = fuzz::held_bytes();
    fuzz::reset_peak();
    try {
        t.read(exec, file.path(), choice);
    } catch (coppice::error const&) { // rejected with a message
    }
    auto const used = fuzz::peak_bytes() - before;
    if (used > memory_factor * std::int64_t(input.size()) + fixed_memory)
        die(std::string(t.name) + ": " + std::to_string(used) + " bytes for an input of " +
            std::to_string(input.size()));
}

class mutator {
public:
    mutator(std::vector<std::string> seeds, std::uint64_t seed) : seeds_(std::move(seeds)), random_(seed) {}

    std::string next() {
        auto text = one_of(seeds_);
        for (auto changes = 1 + random_() % 4; changes > 0; --changes) change(text);
        if (text.size() > longest) text.resize(longest);
        return text;
    }
    unsigned choice() { return static_cast<unsigned>(random_() % 128); }

private:
    static constexpr std::size_t longest = 1 << 16;

    template <class All>
    decltype(*std::begin(std::declval<All const&>())) one_of(All const& all) {
        return *(std::begin(all) + static_cast<std::ptrdiff_t>(random_() % std::size(all)));
    }
    std::size_t random_offset(std::string const& text) { return random_() % (text.size() + 1); }

    void change(std::string& text) {
        static constexpr std::string_view words[] = {"0",
                                                     "-1",
                                                     "1",
                                                     "2147483647",
                                                     "2147483648",
                                                     "4294967296",
                                                     "9223372036854775807",
                                                     "18446744073709551615",
                                                     "1e400",
                                                     "nan",
                                                     "-inf",
                                                     "1e-400",
                                                     "\n",
                                                     "\r\n",
                                                     " ",
                                                     "\t",
                                                     ",",
                                                     ";",
                                                     "%",
                                                     "#",
                                                     "//",
                                                     "\"",
                                                     "%%MatrixMarket ",
                                                     "(3(1P,E24.16))",
                                                     "1X,",
                                                     "(",
                                                     ")",
                                                     "[",
                                                     "]",
                                                     "{",
                                                     "}",
                                                     ":",
                                                     "NaN",
                                                     "\\",
                                                     "'shape': (1,2)",
                                                     "symmetric ",
                                                     "array ",
                                                     "complex "};
        static constexpr std::string_view letters = "0123456789 -+.eE,;:()[]{}\"'\n%#/xXpPiI";
        auto const at = random_offset(text);
        switch (random_() % 9) {
        case 0:
            text.resize(at);
            break;
        case 1:
            text.erase(at, 1 + random_() % 16);
            break;
        case 2:
            text.insert(at, one_of(words));
            break;
        case 3:
            text.insert(at, 1, one_of(letters));
            break;
        case 4:
            if (at < text.size()) text[at] = one_of(letters);
            break;
        case 5:
            if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << random_() % 8));
            break;
        case 6: { // a number becomes another
            auto const first = text.find_first_of("0123456789", at);
            if (first == text.npos) break;
            auto const last = std::min(text.find_first_not_of("0123456789", first), text.size());
            text.replace(first, last - first, one_of(words));
            break;
        }
        case 7: { // a piece is repeated
            auto const piece = text.substr(at, 1 + random_() % 64);
            std::string many;
            for (auto times = random_() % (random_() % 64 == 0 ? 500 : 4) + 1; times > 0; --times) many += piece;
            text.insert(random_offset(text), many);
            break;
        }
        default: { // the end of another
            auto const& other = one_of(seeds_);
            text.replace(at, text.npos, other, random_() % (other.size() + 1), other.npos);
        }
        }
    }

    std::vector<std::string> seeds_;
    std::mt19937_64 random_;
};

void run(target const& t, std::int64_t executions, std::uint64_t seed) {
    host_executor const exec{1};
    memory_file file(t.ending);
    auto const seeds = seeds_of(t);
    for (auto const& text : seeds)
        for (unsigned choice = 0; choice < 128; choice += 3) execute(t, exec, file, text, choice);
    mutator inputs(seeds, seed);
    for (std::int64_t k = 0; k < executions; ++k) execute(t, exec, file, inputs.next(), inputs.choice());
    std::printf("%s: %lld executions\n", t.name, static_cast<long long>(executions));
    std::fflush(stdout);
}

#if COPPICE_COUNTED_MALLOC
std::int64_t open_files() { return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()); }

/// Makes the first allocation of work() fail, then the second, ..., alone or with all later ones, until work()
/// succeeds.
template <class Work>
std::int64_t fail_each(std::string const& name, Work const& work) {
    std::int64_t failed = 0;
    try {
        work(); // caches between calls are allocated here
    } catch (coppice::error const&) {
    }
    for (auto const which : {fuzz::failures::one, fuzz::failures::all_from})
        for (std::int64_t first = 0;; ++first) {
            auto const held = fuzz::held_bytes(), files = open_files();
            bool through = false;
            fuzz::fail_allocations(which, first);
            try {
                work();
                through = fuzz::allocations() <= first;
            } catch (coppice::error const&) {
            } catch (std::bad_alloc const&) {
            } catch (fs::filesystem_error const&) {
            }
            auto const made = fuzz::allocations();
            fuzz::fail_allocations(fuzz::failures::none, 0);
            if (open_files() != files) die(name + ": allocation " + std::to_string(first) + " leaves a file open");
            if (fuzz::held_bytes() > held + 4096)
                die(name + ": " + std::to_string(fuzz::held_bytes() - held) + " bytes are lost after allocation " +
                    std::to_string(first));
            if (through || made <= first) break;
            ++failed;
        }
    return failed;
}

void fail_allocations_of_readers() {
    std::int64_t failed = 0;
    for (int threads : {1, 2}) {
        host_executor const exec{threads};
        for (auto const& t : targets) {
            memory_file file(t.ending);
            auto const seeds = seeds_of(t);
            for (std::size_t s = 0; s < seeds.size(); s += std::string_view(t.name) == "any" ? 7 : 3) {
                file.put(seeds[s]);
                for (unsigned choice : {1U, 65U, 56U})
                    failed += fail_each(t.name, [&] { t.read(exec, file.path(), choice); });
            }
        }
        auto const a = coppice::read_matrix<double>(exec, fs::path(COPPICE_SOURCE_DIR) /
                                                              "datasets/tiny/coordinate_real_symmetric.mtx");
        auto const folder = fs::temp_directory_path() / ("coppice-fuzz-out-" + std::to_string(::getpid()));
        fs::create_directories(folder);
        for (auto const* name : {"a.mtx", "a.mtx.gz"}) {
            auto const path = folder / name;
            failed += fail_each("write_matrix_market", [&] {
                coppice::write_matrix_market(exec, path, a, {.symmetry = coppice::matrix_market_symmetry::symmetric});
            });
            failed += fail_each("write_vector", [&] { coppice::write_vector<double>(exec, path, a.values().view()); });
        }
        if (std::distance(fs::directory_iterator(folder), fs::directory_iterator()) != 2)
            die("a writer that failed leaves a partial file");
        fs::remove_all(folder);
    }
    std::printf("failing allocations: %lld, each refused\n", static_cast<long long>(failed));
}
#endif

} // namespace

#if defined(COPPICE_LIBFUZZER)
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    static char const* const chosen = std::getenv("COPPICE_FUZZ_TARGET");
    static target const& t = *std::find_if(std::begin(targets), std::end(targets) - 1, [](target const& one) {
        return std::string_view(one.name) == (chosen ? chosen : "any");
    });
    static host_executor const exec{1};
    static memory_file file(t.ending);
    if (size > 0)
        execute(t, exec, file, {reinterpret_cast<char const*>(data) + 1, size - 1}, static_cast<unsigned>(data[0]));
    return 0;
}
#else
int main(int argc, char** argv) {
    std::string const which = argc > 1 ? argv[1] : "all";
    if (which == "--allocations") {
#if COPPICE_COUNTED_MALLOC
        fail_allocations_of_readers();
        return 0;
#else
        return 77; // skipped
#endif
    }
    std::int64_t const executions = argc > 2 ? std::atoll(argv[2]) : 20000;
    std::uint64_t const seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
    bool known = false;
    for (auto const& t : targets)
        if (which == "all" || which == t.name) {
            run(t, executions, seed);
            known = true;
        }
    if (!known) {
        std::fprintf(stderr, "unknown target %s; expected all, --allocations", which.c_str());
        for (auto const& t : targets) std::fprintf(stderr, ", %s", t.name);
        std::fprintf(stderr, "\n");
        return 2;
    }
    return 0;
}
#endif
