/* compare.h - what the two files of a comparison share: its runs (compare.c), and figures of them (compare_figure.c). */
#ifndef SS_COMPARE_H
#define SS_COMPARE_H

#include "io/json.h"
#include "study/compare_samples.h"
#include "study/trajectory.h"

enum { SS_COMPARE_SETTINGS = 4, SS_COMPARE_FILES = 2 };

/* One run: a scheme, and a tolerance if there are any. */
typedef struct ss_compared {
    char *label;        /* "moreau", "moreau@1e-06"; a repetition has "-2", "-3", .. behind it */
    const char *scheme; /* of the options                                                     */
    double tol;         /* NAN: as the scene says                                             */
    char own[SS_COMPARE_SETTINGS][128];
    const char **set;             /* own settings, then those of the options                  */
    ss_study_case study_case;     /* the scene with these settings                            */
    char *file[SS_COMPARE_FILES]; /* .h5 and .csv; NULL: not written                          */
    bool done;                    /* came to its end                                          */
    double *q, *v;                /* its last state                                           */
    ss_apart apart;               /* the largest differences from the first run so far        */
    json_t *result;               /* as `run --json` prints it; NULL: has not run yet         */
} ss_compared;

struct ss_comparison {
    ss_context *ctx;
    const ss_compare_options *options; /* valid during ss_compare only             */
    char *scene;                       /* path                                     */
    ss_trajectory *shape;              /* coordinates of the scene, no states      */
    ss_samples samples;                /* of the first run                         */
    ss_compared *run;
    int runs, made; /* asked for; made so far: fewer after an interrupt */
};

/* compare.svg with the energies, and compare-NAME.svg for coordinates that change, from the files of the runs. */
ss_status ss_compare_draw(const ss_comparison *c);

#endif
