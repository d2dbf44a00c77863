/* laws.c - names of the bits that say which laws a scheme or solver supports, and what a solver needs. */
#include <slipstick/registry.h>
#include <stdio.h>

typedef struct bit_name {
    unsigned bit;
    const char *name;
} bit_name;

static size_t join_names(const bit_name *table, unsigned mask, char *text, size_t size)
{
    size_t length = 0;
    if (size > 0) {
        text[0] = '\0';
    }
    for (; table->name; table++) {
        if (mask & table->bit) {
            int n = snprintf(length < size ? text + length : NULL, length < size ? size - length : 0, "%s%s", length ? "," : "",
                             table->name);
            length += (size_t)n;
        }
    }
    return length;
}

size_t ss_law_names(unsigned mask, char *text, size_t size)
{
    static const bit_name names[] = { { SS_LAW_UNILATERAL, "unilateral" },
                                      { SS_LAW_COULOMB, "coulomb" },
                                      { SS_LAW_POLYHEDRAL, "polyhedral" },
                                      { SS_LAW_ASSOCIATED, "associated" },
                                      { SS_LAW_ASSOCIATED_POLYHEDRAL, "associated_polyhedral" },
                                      { SS_LAW_BOUNDED, "bounded" },
                                      { SS_LAW_ROLLING, "rolling" },
                                      { SS_LAW_NEWTON, "newton" },
                                      { SS_LAW_POISSON, "poisson" },
                                      { SS_LAW_INELASTIC, "inelastic" },
                                      { 0, NULL } };
    return join_names(names, mask, text, size);
}

size_t ss_need_names(unsigned mask, char *text, size_t size)
{
    static const bit_name names[] = { { SS_NEEDS_SYMMETRIC_A, "symmetric_A" }, { 0, NULL } };
    return join_names(names, mask, text, size);
}
