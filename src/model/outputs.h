/* outputs.h - what a simulation tells besides its state: readings of joints, points and contacts, each a number or several. */
#ifndef SS_OUTPUTS_H
#define SS_OUTPUTS_H

#include "model/model.h"

/* A contact force over the last step, or a moment of rolling friction. */
typedef struct ss_touch {
    int body[2];
    ss_vec3 point;   /* world, at the end of the step             */
    ss_vec3 impulse; /* on the first body; minus it on the second */
    double normal;   /* its part along the normal                 */
    ss_vec3 beside;  /* of a moment m: n x m, the normal impulse times how far beside the point it acts */
} ss_touch;

/* What outputs read. Outputs of a step are read at the end of one, all others see the state alone. */
typedef struct ss_instant {
    const ss_model *m;
    const ss_config *c; /* with the drive of its instant */
    const double *v;
    /* of the step that ends here: */
    double h;
    const ss_config *from; /* where it began */
    const double *v_from;
    const double *lam;     /* nj: impulses of the rows of joints                */
    const double *bounded; /* joints: impulses of motors whose force is bounded */
    const ss_touch *touch;
    int touches;
} ss_instant;

enum { SS_OUTPUT_COLUMNS = 6 };
typedef struct ss_output_column {
    const char *suffix, *unit; /* suffix "": the column has the name of the output; NULL: there is no such column */
} ss_output_column;

/* What the joint of an output has to have. */
typedef enum ss_output_need { SS_OUTPUT_ANY, SS_OUTPUT_COORDINATE, SS_OUTPUT_MOTOR, SS_OUTPUT_WRENCH } ss_output_need;

typedef struct ss_output_type ss_output_type;
typedef struct ss_output {
    const ss_output_type *type;
    int joint;
    ss_attachment at[2];
    int first, columns; /* of all outputs */
    bool of_step;       /* it tells of a step, not of a state */
} ss_output;

struct ss_output_type {
    ss_entry info; /* fields: offsets into ss_output_desc */
    bool of_step;  /* it tells of a step, not of a state; of motors: those that are rows of a contact problem */
    ss_output_need need;
    ss_output_column column[2][SS_OUTPUT_COLUMNS]; /* in 2D and in 3D */
    const char *angular;                           /* unit if its joint is one of an angle; NULL: as in `column` */
    void (*read)(const ss_output *output, const ss_instant *at, double *out);
};

extern const ss_output_type *const ss_output_types[]; /* NULL-terminated, from outputs/outputs.def */

#endif
