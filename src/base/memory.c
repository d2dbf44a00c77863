/* memory.c - arrays from the context's allocator, and arenas for scratch.
 *
 * Every byte of the library comes through resize() below, or take_zeroed(), which count the calls that take memory.
 * Sizes are checked before they are multiplied. Zeros are those of calloc() where the allocator is that of the library: the pages
 * of a large array are mapped when they are used, and not before.
 *
 * Arena: a list of blocks filled in stack order. A take that does not fit goes to the next block that
 * holds it, or to a new block of at least half of what is held; an eighth, where that is much. `peak` is
 * the most that was ever used at once, over all blocks. A reset that finds more than one block makes the first one as large as
 * that and an eighth more, a sixteenth where that is much, and gives the others back: pages that have been touched stay mapped.
 * If memory is short at that moment nothing is lost: the next take asks again and can fail in the open. Cost of a take: zeroing;
 * a raw take costs nothing, and memory that is never touched is never mapped. What is to outlive releases is taken from the ends
 * of blocks. */
#include "base/context.h"
#include <stdlib.h>

static void *resize(ss_context *ctx, void *p, size_t size)
{
    void *taken = ctx->options.allocator.resize(ctx->options.allocator.user, p, size);
    if (taken) {
        ctx->allocations++;
    }
    return taken;
}

static void *take_zeroed(ss_context *ctx, size_t size)
{
    if (!ctx->plain) {
        void *taken = resize(ctx, NULL, size);
        return taken ? memset(taken, 0, size) : NULL;
    }
    void *taken = calloc(size, 1);
    ctx->allocations += taken != NULL;
    return taken;
}

/* count * size, refused if it does not fit into size_t */
static ss_status bytes_of(ss_context *ctx, size_t count, size_t size, size_t *bytes)
{
    if (size != 0 && count > SIZE_MAX / 2 / size) {
        return ss_fail(ctx, SS_ERR_MEMORY, "array of %zu elements of %zu bytes: more than can be addressed", count, size);
    }
    *bytes = count * size;
    return SS_OK;
}

static ss_status out_of_memory(ss_context *ctx, size_t bytes)
{
    return ss_fail(ctx, SS_ERR_MEMORY, "out of memory: %zu bytes were refused", bytes);
}

/* Pointers travel as void* to a T*: copied by bytes, since T* and void* are different types. */
static void put_pointer(void *out, void *p) { memcpy(out, &p, sizeof p); }

ss_status ss_calloc(ss_context *ctx, size_t count, size_t size, void *out)
{
    size_t bytes = 0;
    put_pointer(out, NULL);
    SS_TRY(bytes_of(ctx, count, size, &bytes));
    if (bytes == 0) {
        return SS_OK;
    }
    void *p = take_zeroed(ctx, bytes);
    put_pointer(out, p);
    return p ? SS_OK : out_of_memory(ctx, bytes);
}

/* By how much an array of n elements, or an arena of n bytes, grows that is full: a half, an eighth where n is many. It depends
 * on the count alone: arrays that share a capacity grow alike. */
static size_t growth(size_t n, size_t many) { return n < many ? n / 2 : n / 8; }

ss_status ss_reserve(ss_context *ctx, void *array, int *capacity, int need, size_t size)
{
    enum { FIRST = 8, MANY = 1 << 16 };
    if (need <= *capacity) {
        return SS_OK;
    }
    const size_t more = growth((size_t)*capacity, MANY);
    int grown = more < (size_t)(INT32_MAX - *capacity) ? *capacity + (int)more : INT32_MAX;
    int wanted = need > grown ? need : grown;
    wanted = wanted > FIRST ? wanted : FIRST;
    size_t bytes = 0;
    SS_TRY(bytes_of(ctx, (size_t)wanted, size, &bytes));
    void *p = NULL;
    memcpy(&p, array, sizeof p);
    p = resize(ctx, p, bytes);
    if (!p) {
        return out_of_memory(ctx, bytes);
    }
    put_pointer(array, p);
    *capacity = wanted;
    return SS_OK;
}

ss_status ss_strdup(ss_context *ctx, const char *text, char **out)
{
    *out = NULL;
    if (text) {
        size_t size = strlen(text) + 1;
        SS_TRY(ss_calloc(ctx, size, 1, out));
        memcpy(*out, text, size);
    }
    return SS_OK;
}

void ss_free(ss_context *ctx, void *p)
{
    if (p) {
        resize(ctx, p, 0);
    }
}

/* ---- arena --------------------------------------------------------------------------------- */

enum { ALIGNMENT = 64, MUCH = 1 << 20 };

typedef struct arena_block {
    unsigned char *taken; /* as the allocator gave it            */
    unsigned char *base;  /* first aligned byte                  */
    size_t size;          /* usable bytes, multiple of ALIGNMENT */
    size_t left;          /* of a block before the current one: what is used in it */
    size_t kept;          /* at its end, until the next reset    */
} arena_block;

struct ss_arena {
    ss_context *ctx;
    arena_block *block;
    int blocks, block_cap;
    int current; /* block being filled; 0 also if there is none */
    size_t used; /* in the current block                        */
    size_t peak; /* see above                                   */
};

static size_t round_up(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

/* a block of so many bytes as the allocator gave it */
static arena_block block_in(unsigned char *taken, size_t size)
{
    const size_t past = (size_t)((uintptr_t)taken % ALIGNMENT);
    return (arena_block){ .taken = taken, .base = taken + (ALIGNMENT - past), .size = size };
}

static ss_status add_block(ss_arena *arena, size_t size)
{
    SS_TRY(ss_reserve(arena->ctx, &arena->block, &arena->block_cap, arena->blocks + 1, sizeof *arena->block));
    unsigned char *taken = resize(arena->ctx, NULL, size + ALIGNMENT);
    if (!taken) {
        return out_of_memory(arena->ctx, size + ALIGNMENT);
    }
    arena->block[arena->blocks++] = block_in(taken, size);
    return SS_OK;
}

/* those behind the first n of them */
static void free_blocks_behind(ss_arena *arena, int n)
{
    while (arena->blocks > n) {
        ss_free(arena->ctx, arena->block[--arena->blocks].taken);
    }
}

ss_status ss_arena_create(ss_context *ctx, size_t bytes, ss_arena **out)
{
    ss_arena *arena = NULL;
    *out = NULL;
    if (bytes > SIZE_MAX / 4) {
        return ss_fail(ctx, SS_ERR_MEMORY, "arena of %zu bytes: more than can be addressed", bytes);
    }
    SS_TRY(ss_calloc(ctx, 1, sizeof *arena, &arena));
    arena->ctx = ctx;
    ss_status status = add_block(arena, round_up(bytes));
    if (status != SS_OK) {
        ss_arena_destroy(arena);
        return status;
    }
    *out = arena;
    return SS_OK;
}

void ss_arena_destroy(ss_arena *arena)
{
    if (arena) {
        free_blocks_behind(arena, 0);
        ss_free(arena->ctx, arena->block);
        ss_free(arena->ctx, arena);
    }
}

/* usable bytes of all blocks */
static size_t held(const ss_arena *arena)
{
    size_t sum = 0;
    for (int k = 0; k < arena->blocks; k++) {
        sum += arena->block[k].size;
    }
    return sum;
}

/* Leave the current block for a later one, which is empty. */
static void go_to(ss_arena *arena, int block)
{
    for (int k = arena->current; k < block; k++) {
        arena->block[k].left = k == arena->current ? arena->used : 0;
    }
    arena->current = block;
    arena->used = 0;
}

/* bytes of a block that are in use; none in those behind the current one */
static size_t used_in(const ss_arena *arena, int k)
{
    return k < arena->current ? arena->block[k].left : k == arena->current ? arena->used : 0;
}

static size_t room_in(const ss_arena *arena, int k) { return arena->block[k].size - arena->block[k].kept - used_in(arena, k); }

/* Make `current` a block with room for `bytes`, without touching what is live. */
static ss_status find_room(ss_arena *arena, size_t bytes)
{
    for (int k = arena->current; k < arena->blocks; k++) {
        if (room_in(arena, k) >= bytes) {
            if (k > arena->current) {
                go_to(arena, k);
            }
            return SS_OK;
        }
    }
    size_t more = arena->blocks > 0 ? round_up(growth(held(arena), MUCH)) : arena->peak;
    SS_TRY(add_block(arena, more > bytes ? more : bytes));
    go_to(arena, arena->blocks - 1);
    return SS_OK;
}

static void note_peak(ss_arena *arena)
{
    size_t sum = 0;
    for (int k = 0; k < arena->blocks; k++) {
        sum += used_in(arena, k) + arena->block[k].kept;
    }
    arena->peak = sum > arena->peak ? sum : arena->peak;
}

/* a piece for count elements as it lies there; *bytes: its size */
static ss_status take_piece(ss_arena *arena, size_t count, size_t size, void *out, size_t *bytes)
{
    put_pointer(out, NULL);
    SS_TRY(bytes_of(arena->ctx, count, size, bytes));
    *bytes = round_up(*bytes > 0 ? *bytes : 1);
    SS_TRY(find_room(arena, *bytes));
    put_pointer(out, arena->block[arena->current].base + arena->used);
    arena->used += *bytes;
    note_peak(arena);
    return SS_OK;
}

ss_status ss_arena_take(ss_arena *arena, size_t count, size_t size, void *out)
{
    size_t bytes = 0;
    SS_TRY(take_piece(arena, count, size, out, &bytes));
    memset(arena->block[arena->current].base + arena->used - bytes, 0, bytes);
    return SS_OK;
}

ss_status ss_arena_take_raw(ss_arena *arena, size_t count, size_t size, void *out)
{
    size_t bytes = 0;
    return take_piece(arena, count, size, out, &bytes);
}

ss_status ss_arena_keep(ss_arena *arena, size_t count, size_t size, void *out)
{
    size_t bytes = 0;
    int k = 0;
    put_pointer(out, NULL);
    SS_TRY(bytes_of(arena->ctx, count, size, &bytes));
    bytes = round_up(bytes > 0 ? bytes : 1);
    while (k < arena->blocks && room_in(arena, k) < bytes) {
        k++;
    }
    SS_TRY(k == arena->blocks ? add_block(arena, bytes) : SS_OK);
    arena_block *b = &arena->block[k];
    b->kept += bytes;
    put_pointer(out, b->base + b->size - b->kept);
    note_peak(arena);
    return SS_OK;
}

ss_arena_mark ss_arena_save(const ss_arena *arena) { return (ss_arena_mark){ .block = arena->current, .used = arena->used }; }

void ss_arena_release(ss_arena *arena, ss_arena_mark mark)
{
    arena->current = mark.block;
    arena->used = mark.used;
}

/* what was used at most, and room to spare: a pile that settles needs a little more in every step */
static size_t enough(const ss_arena *arena)
{
    const size_t spare = arena->peak / 8;
    return round_up(arena->peak + (arena->peak < MUCH ? spare : spare / 2));
}

/* Empty it, and make one block of several; false: that was refused, and there is only the first of them. */
static bool empty_into_one(ss_arena *arena)
{
    bool joined = true;
    if (arena->blocks > 1) {
        const size_t size = enough(arena);
        free_blocks_behind(arena, 1);
        unsigned char *taken = resize(arena->ctx, arena->block[0].taken, size + ALIGNMENT);
        joined = taken != NULL;
        if (taken) {
            arena->block[0] = block_in(taken, size);
        }
    }
    for (int k = 0; k < arena->blocks; k++) {
        arena->block[k].kept = 0;
    }
    arena->current = 0;
    arena->used = 0;
    return joined;
}

void ss_arena_reset(ss_arena *arena) { (void)empty_into_one(arena); }

bool ss_arena_is_whole(const ss_arena *arena) { return arena->blocks <= 1; }

ss_status ss_arena_settle(ss_arena *arena)
{
    return empty_into_one(arena) ? SS_OK : out_of_memory(arena->ctx, enough(arena) + ALIGNMENT);
}
