/* registry.c - the registries as one list of lists, and the names of laws and needs. */
#include "base/options.h"
#include "sim/sim.h"
#include <stdio.h>

#define SS_SCHEME(name) extern const ss_scheme_type ss_scheme_##name;
#include "schemes/schemes.def"
#undef SS_SCHEME
const ss_scheme_type *const ss_scheme_types[] = {
#define SS_SCHEME(name) &ss_scheme_##name,
#include "schemes/schemes.def"
#undef SS_SCHEME
    NULL,
};

const ss_entry *ss_registry_entry(ss_registry registry, int index)
{
    if (index < 0 || index >= ss_registry_count(registry)) {
        return NULL;
    }
    switch (registry) {
    case SS_SCHEMES:
        return &ss_scheme_types[index]->info;
    case SS_SOLVERS:
        return &ss_solver_types[index]->info;
    case SS_JOINTS:
        return &ss_joint_types[index]->info;
    case SS_FORCES:
        return &ss_force_types[index]->info;
    case SS_SHAPES:
        return &ss_shape_types[index]->info;
    default:
        return NULL;
    }
}

int ss_registry_count(ss_registry registry)
{
    int n = 0;
    switch (registry) {
    case SS_SCHEMES:
        for (; ss_scheme_types[n]; n++) {}
        break;
    case SS_SOLVERS:
        for (; ss_solver_types[n]; n++) {}
        break;
    case SS_JOINTS:
        for (; ss_joint_types[n]; n++) {}
        break;
    case SS_FORCES:
        for (; ss_force_types[n]; n++) {}
        break;
    case SS_SHAPES:
        for (; ss_shape_types[n]; n++) {}
        break;
    default:
        break;
    }
    return n;
}

const ss_entry *ss_registry_find(ss_registry registry, const char *name)
{
    for (int k = 0; k < ss_registry_count(registry); k++) {
        if (ss_entry_answers(ss_registry_entry(registry, k), name)) {
            return ss_registry_entry(registry, k);
        }
    }
    return NULL;
}

const char *ss_registry_name(ss_registry registry)
{
    static const char *const names[SS_REGISTRIES] = { "schemes", "solvers", "joints", "forces", "shapes" };
    return registry >= 0 && registry < SS_REGISTRIES ? names[registry] : "";
}

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
                                      { SS_LAW_NEWTON, "newton" },
                                      { SS_LAW_POISSON, "poisson" },
                                      { SS_LAW_INELASTIC, "inelastic" },
                                      { 0, NULL } };
    return join_names(names, mask, text, size);
}

size_t ss_need_names(unsigned mask, char *text, size_t size)
{
    static const bit_name names[] = { { SS_NEEDS_CONSTANT_MASS, "constant_mass" },
                                      { SS_NEEDS_SYMMETRIC_A, "symmetric_A" },
                                      { SS_NEEDS_BLOCK_DIAGONAL_A, "block_diagonal_A" },
                                      { SS_NEEDS_FORCE_JACOBIAN, "force_jacobian" },
                                      { 0, NULL } };
    return join_names(names, mask, text, size);
}
