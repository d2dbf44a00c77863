/* list.c - lists of numbers, and the names of norms and quantities.
 *
 *   "H1,H2,.."   the numbers as they are
 *   "A:B"        A, A/2, A/4, .. B: as many halvings as log2(A/B), which must be whole up to SS_TOL_TIME
 *
 * Numbers are expressions such as 2^-5 or 5/27. A list has at most MOST numbers: more is taken for a mistake. */
#include "base/base.h"
#include "base/tolerances.h"
#include <math.h>
#include <slipstick/io.h>
#include <slipstick/study.h>
#include <stdio.h>

enum { MOST = 60 };

/* ---- lists ------------------------------------------------------------------------------------------ */

/* the number in text[0..length) */
static ss_status read_number(ss_context *ctx, const char *text, size_t length, double *out)
{
    char item[256];
    size_t lead = 0;
    for (; lead < length && text[lead] == ' '; lead++) {}
    for (; length > lead && text[length - 1] == ' '; length--) {}
    length -= lead;
    if (length == 0) {
        return ss_fail(ctx, SS_ERR_INPUT, "an empty place; expected numbers > 0: H1,H2,.. or A:B");
    }
    if (length >= sizeof item) {
        return ss_fail(ctx, SS_ERR_INPUT, "a number of %zu characters, at most %zu are read", length, sizeof item - 1);
    }
    memcpy(item, text + lead, length);
    item[length] = '\0';
    SS_TRY(ss_number_parse(ctx, item, out));
    return *out > 0 && isfinite(*out) ? SS_OK : ss_fail(ctx, SS_ERR_INPUT, "expected a finite number > 0, got %s", item);
}

static ss_status read_items(ss_context *ctx, const char *text, int *n, double *value)
{
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        if (*n == MOST) {
            return ss_fail(ctx, SS_ERR_INPUT, "more than %d numbers", MOST);
        }
        SS_TRY(read_number(ctx, at, length, &value[*n]));
        ++*n;
        at += length;
        if (*at == '\0') {
            return SS_OK;
        }
    }
}

static ss_status read_range(ss_context *ctx, const char *text, const char *colon, int *n, double *value)
{
    double first, last;
    SS_TRY(read_number(ctx, text, (size_t)(colon - text), &first));
    SS_TRY(read_number(ctx, colon + 1, strlen(colon + 1), &last));
    double halvings = round(log2(first / last));
    if (last > first) {
        return ss_fail(ctx, SS_ERR_INPUT, "A:B halves from A down to B, but B = %.9g is larger than A = %.9g", last, first);
    }
    if (halvings >= MOST) {
        return ss_fail(ctx, SS_ERR_INPUT, "%.0f numbers, at most %d", halvings + 1, MOST);
    }
    double end = ldexp(first, -(int)halvings);
    if (fabs(end - last) > SS_TOL_TIME * last) {
        return ss_fail(ctx, SS_ERR_INPUT,
                       "halving %.9g does not end on %.9g; the nearest it comes to is %.9g, after %.0f halving%s", first, last,
                       end, halvings, halvings == 1 ? "" : "s");
    }
    for (*n = 0; *n <= (int)halvings; ++*n) {
        value[*n] = ldexp(first, -*n);
    }
    return SS_OK;
}

ss_status ss_list_parse(ss_context *ctx, const char *text, int *n, double **out)
{
    double value[MOST];
    const char *colon = text ? strchr(text, ':') : NULL;
    *n = 0;
    *out = NULL;
    if (!text || text[strspn(text, " ")] == '\0') {
        return ss_fail(ctx, SS_ERR_INPUT, "an empty list; expected H1,H2,.. or A:B");
    }
    ss_status status = colon ? read_range(ctx, text, colon, n, value) : read_items(ctx, text, n, value);
    status =
        status == SS_OK ? ss_calloc(ctx, (size_t)*n, sizeof **out, out) : ss_fail_within(ctx, status, "list \"%.80s\"", text);
    if (status != SS_OK) {
        *n = 0;
        return status;
    }
    memcpy(*out, value, (size_t)*n * sizeof **out);
    return SS_OK;
}

/* ---- names ------------------------------------------------------------------------------------------ */

static const char *const norm_names[SS_NORMS + 1] = { "final", "l1", "l2", "max", "hausdorff" };
static const char *const quantity_names[SS_QUANTITIES + 1] = { "q", "v" };

const char *ss_norm_name(ss_norm_kind norm) { return norm >= 0 && norm < SS_NORMS ? norm_names[norm] : ""; }

const char *ss_quantity_name(ss_quantity quantity)
{
    return quantity >= 0 && quantity < SS_QUANTITIES ? quantity_names[quantity] : "";
}

static int find_name(const char *text, const char *const *names)
{
    int k = 0;
    while (names[k] && strcmp(names[k], text) != 0) {
        k++;
    }
    return names[k] ? k : -1;
}

static ss_status unknown_name(ss_context *ctx, const char *what, const char *text, const char *const *names)
{
    const char *near = ss_nearest_name(text, names);
    char valid[128] = "";
    for (size_t k = 0, n = 0; names[k]; k++) {
        n += (size_t)snprintf(valid + n, sizeof valid - n, "%s%s", k > 0 ? ", " : "", names[k]);
    }
    return ss_fail(ctx, SS_ERR_INPUT, "unknown %s \"%.60s\"; %s%s%svalid: %s", what, text, near ? "did you mean \"" : "",
                   near ? near : "", near ? "\"? " : "", valid);
}

ss_status ss_norm_parse(ss_context *ctx, const char *text, ss_norm_kind *out)
{
    int k = find_name(text, norm_names);
    if (k < 0) {
        return unknown_name(ctx, "norm", text, norm_names);
    }
    *out = (ss_norm_kind)k;
    return SS_OK;
}

ss_status ss_quantity_parse(ss_context *ctx, const char *text, ss_quantity *out)
{
    int k = find_name(text, quantity_names);
    if (k < 0) {
        return unknown_name(ctx, "quantity", text, quantity_names);
    }
    *out = (ss_quantity)k;
    return SS_OK;
}
