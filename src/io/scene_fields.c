/* scene_fields.c - the tables of the scene's top level: its keys, "time", "contacts", "results" and "solver".
 *
 * Bodies, shapes, materials, pairs, joints, forces, schemes and solvers bring their own tables. */
#include "base/tolerances.h"
#include "io/json.h"

#include <math.h>

#define SETTING(key, kind, member, def_, min_, max_, bits, text)                                                                 \
    {                                                                                                                            \
        .name = key, .type = kind, .offset = offsetof(ss_scene_settings, member), .def = def_, .min = min_, .max = max_,         \
        .flags = bits, .doc = text                                                                                               \
    }

const ss_field ss_settings_fields[] = {
    SETTING("name", SS_FIELD_NAME, name, NAN, 0, 0, 0, "title of the scene"),
    SETTING("gravity", SS_FIELD_VECTOR, gravity, NAN, 0, 0, 0, "acceleration of gravity, m/s^2"),
    SETTING("friction_frame", SS_FIELD_QUATERNION, friction_frame, NAN, 0, 0, 0,
            "quaternion w x y z that turns the axes from which friction directions are measured"),
    SETTING("length_scale", SS_FIELD_NUMBER, length_scale, NAN, 0, INFINITY, SS_FIELD_OPEN_MIN,
            "length scale of the tolerances, m; default: computed from the scene"),
    SS_FIELD_END,
};

const ss_field ss_time_fields[] = {
    SETTING("until", SS_FIELD_NUMBER, until, NAN, 0, INFINITY, SS_FIELD_OPEN_MIN, "end of the simulation, s"),
    SETTING("step", SS_FIELD_NUMBER, step, NAN, 0, INFINITY, SS_FIELD_OPEN_MIN,
            "length of a step, s; with tol: length of the first step"),
    SETTING("tol", SS_FIELD_NUMBER, tol, NAN, 0, INFINITY, SS_FIELD_OPEN_MIN,
            "tolerance on the local error of a step, which chooses the step lengths; default: fixed steps"),
    SETTING("h_min", SS_FIELD_NUMBER, h_min, NAN, 0, INFINITY, SS_FIELD_OPEN_MIN,
            "with tol: smallest step length, s; default: 1e-3 tol times the time of the motion"),
    SETTING("h_max", SS_FIELD_NUMBER, h_max, NAN, 0, INFINITY, SS_FIELD_OPEN_MIN,
            "with tol: largest step length, s; default: as the motion asks"),
    SETTING("variable_order", SS_FIELD_BOOL, variable_order, 1, 0, 0, 0,
            "with tol: estimate the order of the local error in every step; false: assume order 0, as in a step with an impact"),
    SS_FIELD_END,
};

const ss_field ss_contacts_fields[] = {
    SETTING("reduce", SS_FIELD_BOOL, reduce_contacts, 0, 0, 0, 0,
            "leave out contacts of a face that other contacts of it make redundant"),
    { .name = "share",
      .type = SS_FIELD_CHOICE,
      .offset = offsetof(ss_scene_settings, share),
      .choices = "limit|any",
      .doc = "forces that statics leaves open: the limit of vanishing compliance at every contact, or what the solver finds" },
    SS_FIELD_END,
};

const ss_field ss_results_fields[] = {
    { .name = "precision",
      .type = SS_FIELD_CHOICE,
      .offset = offsetof(ss_scene_settings, results.precision),
      .choices = "double|single",
      .doc = "of the numbers of bodies, contacts, joints and elements in HDF5 results" },
    SETTING("compress", SS_FIELD_INT, results.compress, 0, 0, 9, 0, "HDF5 results: 1, quick, to 9, small; 0: not compressed"),
    SETTING("contacts", SS_FIELD_BOOL, results.contacts, 1, 0, 0, 0, "HDF5 results: write the contacts of every state"),
    SS_FIELD_END,
};

const ss_field ss_solver_section_fields[] = {
    SETTING("tol", SS_FIELD_NUMBER, solver_tol, SS_TOL_SOLVER, 0, 1, SS_FIELD_OPEN_MIN,
            "tolerance on the residuals of the contact problems"),
    SS_FIELD_END,
};

const char *const ss_section_keys[] = {
    "slipstick", "description", "parameters", "dimension", "time",    "scheme",  "solver",
    "contacts",  "materials",   "pairs",      "bodies",    "joints",  "forces",  "elements",
    "exact",     "include",     "defaults",   "groups",    "outputs", "results", NULL,
};
