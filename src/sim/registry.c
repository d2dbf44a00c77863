/* registry.c - the registries as one list of lists, and the names of laws and needs. */
#include "base/options.h"
#include "exact/exact.h"
#include "model/outputs.h"
#include "sim/sim.h"

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
    case SS_ELEMENTS:
        return &ss_element_types[index]->info;
    case SS_EXACT:
        return &ss_exact_types[index]->info;
    case SS_OUTPUTS:
        return &ss_output_types[index]->info;
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
    case SS_ELEMENTS:
        for (; ss_element_types[n]; n++) {}
        break;
    case SS_EXACT:
        for (; ss_exact_types[n]; n++) {}
        break;
    case SS_OUTPUTS:
        for (; ss_output_types[n]; n++) {}
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
    static const char *const names[SS_REGISTRIES] = { "schemes", "solvers",  "joints", "forces",
                                                      "shapes",  "elements", "exact",  "outputs" };
    return registry >= 0 && registry < SS_REGISTRIES ? names[registry] : "";
}
