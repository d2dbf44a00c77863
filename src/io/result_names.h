/* result_names.h - what the columns of a result are called, and their units. */
#ifndef SS_RESULT_NAMES_H
#define SS_RESULT_NAMES_H

#include "io/names.h"
#include "model/model.h"

/* Each appends to a list. */
ss_status ss_names_of_coordinates(ss_context *ctx, const ss_model *m, bool velocity, ss_name_list *list); /* "ball.x" */
ss_status ss_names_of_driven(ss_context *ctx, const ss_model *m, ss_name_list *list);    /* "gate.x": poses of driven bodies */
ss_status ss_names_of_reactions(ss_context *ctx, const ss_model *m, ss_name_list *list); /* "hinge.force_x"                  */
ss_status ss_names_of_stresses(ss_context *ctx, const ss_model *m, ss_name_list *list);  /* "beam.3.moment"                  */
ss_status ss_names_of_outputs(ss_context *ctx, const ss_model *m, ss_name_list *list);   /* "crank.angle"                    */
ss_status ss_names_of_bodies(ss_context *ctx, const ss_model *m, ss_name_list *list);
ss_status ss_names_of_joints(ss_context *ctx, const ss_model *m, ss_name_list *list);
/* The unit of each name; "1": none, or not known. */
ss_status ss_units_of_names(ss_context *ctx, int n, const char *const *name, ss_name_list *list);

/* Numbers of a driven body's pose: as many as a rigid body has coordinates. */
int ss_driven_numbers(const ss_model *m);
/* The poses of all driven bodies at t, in the order of their names. */
void ss_driven_poses(const ss_model *m, double t, const double *q, double *out);

#endif
