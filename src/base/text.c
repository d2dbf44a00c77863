/* text.c - the nearest name to a misspelt word, a hash, a random generator.
 *
 * Nearest name: optimal string alignment distance (insert, delete, replace a character or swap two
 * neighbours, each costs 1; case is ignored), accepted up to a third of the longer word's length and
 * at least 1. A word that begins a name is near it too. Ties go to the earlier name.
 * Cost: length of the word times length of the name; words over LONGEST characters are not compared.
 *
 * Hash: FNV-1a over the bytes, then the finaliser of splitmix64. Generator: splitmix64 (Steele, Lea,
 * Flood, OOPSLA 2014). Neither depends on the machine's byte order. */
#include "base/base.h"

enum { LONGEST = 63 };

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static int min3(int a, int b, int c)
{
    int m = a < b ? a : b;
    return m < c ? m : c;
}

/* distance of a[0..na) and b[0..nb); na, nb <= LONGEST */
static int edit_distance(const char *a, int na, const char *b, int nb)
{
    int row[3][LONGEST + 1]; /* rows i-2, i-1, i of the table, by i mod 3 */
    for (int j = 0; j <= nb; j++) {
        row[0][j] = j;
    }
    for (int i = 1; i <= na; i++) {
        const int *before = row[(i + 1) % 3], *last = row[(i + 2) % 3];
        int *now = row[i % 3];
        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            char x = lower(a[i - 1]), y = lower(b[j - 1]);
            now[j] = min3(last[j] + 1, now[j - 1] + 1, last[j - 1] + (x != y));
            bool swapped = i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2]);
            if (swapped && before[j - 2] + 1 < now[j]) {
                now[j] = before[j - 2] + 1;
            }
        }
    }
    return row[na % 3][nb];
}

static bool begins(const char *word, const char *name)
{
    while (*word && lower(*word) == lower(*name)) {
        word++;
        name++;
    }
    return *word == '\0';
}

const char *ss_nearest_name(const char *word, const char *const *list)
{
    enum { SHORTEST_START = 3 };
    const char *best = NULL;
    int best_distance = LONGEST + 1;
    size_t length = word ? strlen(word) : 0;
    if (length == 0 || length > LONGEST) {
        return NULL;
    }
    for (int k = 0; list[k]; k++) {
        size_t other = strlen(list[k]);
        if (other == 0 || other > LONGEST) {
            continue;
        }
        int distance = edit_distance(word, (int)length, list[k], (int)other);
        int limit = (int)(length > other ? length : other) / 3;
        bool near = distance <= (limit > 1 ? limit : 1) || (length >= SHORTEST_START && begins(word, list[k]));
        if (near && distance < best_distance) {
            best = list[k];
            best_distance = distance;
        }
    }
    return best;
}

/* ---- hash and random numbers ---------------------------------------------------------------- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

uint64_t ss_hash(uint64_t seed, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    uint64_t h = seed ^ UINT64_C(0xCBF29CE484222325);
    for (size_t k = 0; k < size; k++) {
        h = (h ^ byte[k]) * UINT64_C(0x100000001B3);
    }
    return mix(h);
}

uint64_t ss_random_u64(uint64_t *state)
{
    *state += UINT64_C(0x9E3779B97F4A7C15);
    return mix(*state);
}

double ss_random_uniform(uint64_t *state) { return (double)(ss_random_u64(state) >> 11) * 0x1p-53; }
