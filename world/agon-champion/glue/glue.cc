// The host's side of a champion in C++. Every function of the API hands integers to one function of the host and makes
// values of those that come back. What follows this part is generated.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

typedef int32_t (*agon_call_type)(int32_t function, const int32_t *arguments, int32_t count, int32_t *out,
                                  int32_t capacity);

static agon_call_type agon_host = nullptr;

extern "C" {
void partie_init();
void jouer_tour();
void partie_fin();

void agon_champion_connect(agon_call_type host) {
    agon_host = host;
    // The log must not lack what was printed just before a crash.
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
}

// Nothing is thrown into the host: `noexcept` ends the process and names the exception.
void agon_champion_init() noexcept { partie_init(); }
void agon_champion_turn() noexcept { jouer_tour(); }
void agon_champion_end() noexcept { partie_fin(); }
}

static int32_t agon_call(int32_t function, const int32_t *arguments, int32_t count, int32_t *out, int32_t capacity) {
    const int32_t length = agon_host ? agon_host(function, arguments, count, out, capacity) : -3;
    if (length == -1) throw std::out_of_range("this player does not play: ids are 0 and 1");
    if (length < 0) {
        std::fputs("the API was called before partie_init\n", stderr);
        std::abort();
    }
    return length;
}

static inline void agon_take(const int32_t *&from, int &value) { value = *from++; }
static inline void agon_take(const int32_t *&from, bool &value) { value = *from++ != 0; }

static inline void agon_print(int value) { std::fprintf(stderr, "%d", value); }

