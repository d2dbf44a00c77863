/* scheme_run.h - runs of scenes by the schemes of the registry, on text_run.h. */
#ifndef SS_TEST_SCHEME_RUN_H
#define SS_TEST_SCHEME_RUN_H

#include "unit/schemes/text_run.h"

static inline const char *scheme_name(int k) { return ss_scheme_types[k]->info.name; }

static inline bool has_friction(int k) { return ss_scheme_types[k]->info.laws & (SS_LAW_COULOMB | SS_LAW_ASSOCIATED); }

/* A scene, text or file (the other is NULL), by scheme k and a solver (NULL: that of the scene). The scheme is set first, so that
 * its own options are known to `set`. */
static inline run start(const char *text, const char *path, int k, const char *solver, int sets, const char *const *set)
{
    char scheme_text[64], solver_text[64];
    const char *all[16] = { scheme_text, solver_text };
    const int own = solver ? 2 : 1;
    snprintf(scheme_text, sizeof scheme_text, "scheme.name=%s", scheme_name(k));
    snprintf(solver_text, sizeof solver_text, "solver.name=%s", solver ? solver : "");
    CHECK(own + sets <= 16);
    for (int i = 0; i < sets; i++) {
        all[own + i] = set[i];
    }
    return path ? begin_file(path, own + sets, all) : begin(text, own + sets, all);
}

/* steps of the scene's length, all of them certified */
static inline void make_steps(const run *r, int steps)
{
    for (int k = 0; k < steps; k++) {
        CHECK_OK(r->ctx, ss_sim_step(r->sim, ss_sim_step_size(r->sim)));
    }
    CHECK(ss_sim_summary(r->sim)->unconverged_steps == 0);
}

static inline int find_scheme(const char *name)
{
    int k = 0;
    while (ss_scheme_types[k] && strcmp(scheme_name(k), name) != 0) {
        k++;
    }
    CHECK(ss_scheme_types[k]);
    return k;
}

#endif
