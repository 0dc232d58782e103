/* The host's side of a champion in C. Every function of the API hands integers to one function of the host and makes
 * values of those that come back. What follows this part is generated. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef int32_t (*agon_call_type)(int32_t function, const int32_t *arguments, int32_t count, int32_t *out,
                                  int32_t capacity);

static agon_call_type agon_host = NULL;

void partie_init(void);
void jouer_tour(void);
void partie_fin(void);

void agon_champion_connect(agon_call_type host) {
    agon_host = host;
    /* The log must not lack what was printed just before a crash. */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
}

void agon_champion_init(void) { partie_init(); }
void agon_champion_turn(void) { jouer_tour(); }
void agon_champion_end(void) { partie_fin(); }

static void agon_die(const char *why) {
    fprintf(stderr, "%s\n", why);
    abort();
}

static int32_t agon_call(int32_t function, const int32_t *arguments, int32_t count, int32_t *out, int32_t capacity) {
    const int32_t length = agon_host ? agon_host(function, arguments, count, out, capacity) : -3;
    if (length == -1) agon_die("this player does not play: ids are 0 and 1");
    if (length < 0) agon_die("the API was called before partie_init");
    return length;
}

/* Calls a function that returns a list; the list of integers is the caller's. */
static int32_t *agon_list(int32_t function, const int32_t *arguments, int32_t count, int32_t *length) {
    int32_t capacity = 256;
    for (;;) {
        int32_t *numbers = malloc((size_t)capacity * sizeof *numbers);
        if (!numbers) agon_die("out of memory");
        *length = agon_call(function, arguments, count, numbers, capacity);
        if (*length <= capacity) return numbers;
        capacity = *length;
        free(numbers);
    }
}

static inline void agon_take_int(const int32_t **from, int *value) { *value = *(*from)++; }
static inline void agon_take_bool(const int32_t **from, bool *value) { *value = *(*from)++ != 0; }

static inline void agon_print_int(int value) { fprintf(stderr, "%d", value); }

