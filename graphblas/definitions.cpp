// SPDX-License-Identifier: BSD-3-Clause
#include "definitions.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <unordered_map>

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace coppice::graphblas {
namespace {

/// Reason for which a definition is not compiled. The function of the program serves.
struct not_compiled {
    std::string reason;
};

/// Environment variable; empty if it is not set, or if the program runs with the rights of another user.
std::string setting(char const* name) {
    char const* const value = ::secure_getenv(name);
    return value ? value : "";
}

/// Throws unless the file or folder belongs to this user and nobody else can write it.
void require_private(std::string const& path, bool folder) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) throw not_compiled{"cannot read " + path + ": " + std::strerror(errno)};
    bool const kind = folder ? S_ISDIR(info.st_mode) : S_ISREG(info.st_mode);
    if (!kind || info.st_uid != ::geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        throw not_compiled{path + " is not " + (folder ? "a folder" : "a file") +
                           " of this user that nobody else can write"};
}
std::string cache_folder() {
    std::string path = setting("COPPICE_CACHE_DIR");
    if (path.empty() && !setting("XDG_CACHE_HOME").empty()) path = setting("XDG_CACHE_HOME") + "/coppice";
    if (path.empty() && !setting("HOME").empty()) path = setting("HOME") + "/.cache/coppice";
    if (path.empty()) throw not_compiled{"there is no folder for compiled operators: set COPPICE_CACHE_DIR"};
    for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
        ::mkdir(path.substr(0, at).c_str(), 0700);
    ::mkdir(path.c_str(), 0700);
    require_private(path, true);
    return path;
}

/// Definitions of the user-defined types of an operator, each once.
std::string type_definitions(definition const& of) {
    std::string text;
    for (GrB_Type t : {of.z, of.x, of.y}) {
        if (!t || t->code != GrB_UDT_CODE || !t->definition) continue;
        if (text.find(*t->definition) == std::string::npos) text += *t->definition + "\n";
    }
    return text;
}
/// Address of value k of an operand.
std::string address(char const* operand, GrB_Type type, char const* stride) {
    return std::string(operand) + " + k" + stride + " * " + std::to_string(type->size);
}
/// Source of a library with the functions coppice_function and coppice_loop.
std::string source_of(operator_kind kind, definition const& of) {
    std::string source = "#include <complex.h>\n#include <math.h>\n#include <stdbool.h>\n#include <stddef.h>\n"
                         "#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n"
                         "typedef uint64_t GrB_Index;\ntypedef float _Complex GxB_FC32_t;\n"
                         "typedef double _Complex GxB_FC64_t;\n" +
                         type_definitions(of) + of.text + "\n";
    std::string const shown = "__attribute__((visibility(\"default\"))) void ", name = of.name;
    if (kind == operator_kind::index_unary)
        return source + shown +
               "coppice_function(void *z, const void *x, GrB_Index i, GrB_Index j, const void *y)\n{ " + name +
               "(z, x, i, j, y); }\n";
    if (kind == operator_kind::unary)
        return source + shown + "coppice_function(void *z, const void *x)\n{ " + name + "(z, x); }\n" + shown +
               "coppice_loop(char *restrict z, const char *restrict x, int64_t n)\n{ for (int64_t k = 0; k < n; ++k) " +
               name + "((void *)(" + address("z", of.z, "") + "), (const void *)(" + address("x", of.x, "") + ")); }\n";
    auto const loop = [&](char const* of_x, char const* of_y) {
        return "for (int64_t k = 0; k < n; ++k) " + name + "((void *)(" + address("z", of.z, "") +
               "), (const void *)(" + address("x", of.x, of_x) + "), (const void *)(" + address("y", of.y, of_y) +
               "));\n";
    };
    return source + shown + "coppice_function(void *z, const void *x, const void *y)\n{ " + name + "(z, x, y); }\n" +
           shown +
           "coppice_loop(char *restrict z, const char *x, int64_t sx, const char *y, int64_t sy, int64_t n)\n"
           "{ if (sx == 1 && sy == 1) { " +
           loop("", "") + "} else { " + loop(" * sx", " * sy") + "} }\n"; // the first loop is vectorised
}

/// Hash of a text (FNV-1a, 64 bits).
std::string hash_of(std::string const& text) {
    std::uint64_t hash = 14695981039346656037u;
    for (char const c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    std::string digits(16, '0');
    for (std::size_t k = 16; k-- > 0; hash >>= 4) digits[k] = "0123456789abcdef"[hash & 15];
    return digits;
}
std::string content_of(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A file with a name that no other has, which is removed at the end unless it was renamed.
class temporary_file {
public:
    temporary_file(std::string const& folder, std::string const& ending) : path_(folder + "/new-XXXXXX" + ending) {
        int const file = ::mkstemps(path_.data(), int(ending.size()));
        if (file < 0) throw not_compiled{"cannot write to " + folder + ": " + std::strerror(errno)};
        ::close(file);
    }
    ~temporary_file() { ::unlink(path_.c_str()); }
    temporary_file(temporary_file const&) = delete;
    std::string const& path() const { return path_; }
    void rename_to(std::string const& name) const {
        if (::rename(path_.c_str(), name.c_str()) != 0)
            throw not_compiled{"cannot write " + name + ": " + std::strerror(errno)};
    }

private:
    std::string path_;
};

std::string compiler() {
    std::string const given = setting("COPPICE_CC");
    return given.empty() ? "cc" : given;
}
/// Runs the compiler, without a shell. Its messages are in the file `log`.
void run_compiler(std::string const& source, std::string const& library, std::string const& log) {
    std::string const program = compiler();
    std::array<char const*, 10> const arguments = {program.c_str(), "-std=gnu11",   "-O3", "-fPIC", "-shared", "-o",
                                                   library.c_str(), source.c_str(), "-lm", nullptr};
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_TRUNC, 0600);
    ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child = 0;
    int const started =
        ::posix_spawnp(&child, program.c_str(), &actions, nullptr, const_cast<char**>(arguments.data()), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (started != 0) throw not_compiled{"cannot run the compiler " + program + ": " + std::strerror(started)};
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        throw not_compiled{"the compiler " + program +
                           " does not accept the definition: " + content_of(log).substr(0, 400)};
}

/// Returns the path of the library of a source. The source is stored with it, so that equal hashes of different sources
/// are noticed.
std::string library_of(std::string const& source) {
    std::string const folder = cache_folder(), name = folder + "/" + hash_of(compiler() + source);
    std::string const library = name + ".so", stored_source = name + ".c";
    if (::access(library.c_str(), F_OK) == 0) {
        require_private(library, false);
        if (content_of(stored_source) != source) throw not_compiled{stored_source + " has another definition"};
        return library;
    }
    temporary_file const text(folder, ".c"), made(folder, ".so"), log(folder, ".log");
    std::ofstream(text.path(), std::ios::binary) << source;
    run_compiler(text.path(), made.path(), log.path());
    text.rename_to(stored_source);
    made.rename_to(library);
    return library;
}

/// Loads a library. It remains loaded, because operators may be in use until the program ends.
void* loaded(std::string const& path) {
    void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) throw not_compiled{std::string("cannot load the compiled definition: ") + ::dlerror()};
    return handle;
}

} // namespace

namespace {

compiled_operator compile_source(operator_kind kind, std::string const& source) {
    try {
        void* const library = loaded(library_of(source));
        compiled_operator made;
        made.function = ::dlsym(library, "coppice_function");
        if (kind != operator_kind::index_unary) made.loop = ::dlsym(library, "coppice_loop");
        return made;
    } catch (not_compiled const& e) {
        return {nullptr, nullptr, e.reason};
    }
}

} // namespace

compiled_operator compile_definition(operator_kind kind, definition const& of) {
    static std::mutex guard;
    static auto* const known =
        new std::unordered_map<std::string, compiled_operator>; // by source, also without success
    if (setting("COPPICE_JIT") == "off") return {nullptr, nullptr, "COPPICE_JIT is off"};
    if (!of.name || !*of.name) return {nullptr, nullptr, "it has no name, expected that of its function"};
    std::string const source = source_of(kind, of);
    std::scoped_lock const lock(guard);
    auto const found = known->find(source);
    if (found != known->end()) return found->second;
    return known->emplace(source, compile_source(kind, source)).first->second;
}

} // namespace coppice::graphblas
