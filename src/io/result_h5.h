/* result_h5.h - an HDF5 result while it is written. Used by result_h5*.c only. */
#ifndef SS_RESULT_H5_H
#define SS_RESULT_H5_H

#include "io/h5.h"
#include "io/names.h"
#include "io/writer.h"
#include "sim/sim.h"

/* every dataset that grows, in the order in which they are flushed: names of contacts before the numbers that stand for them */
enum {
    TIME,
    STEP,
    Q,
    V,
    C_NAMES,
    C_OFFSET,
    C_NAME,
    C_BODIES,
    C_GAP,
    C_FORCE,
    C_POINT,
    C_NORMAL,
    C_TANGENT,
    REACTION,
    DRIVEN,
    STRESS,
    OUTPUT,
    ENERGY,
    CERTIFICATE,
    E_TIME,
    E_CODE,
    E_BODIES,
    E_KIND,
    E_CONTACT,
    E_DETAILS,
    E_HASH,
    COLUMNS
};

/* Numbers of one row of a dataset, gathered before they are handed over. */
typedef struct ss_h5_row {
    int n;
    double *x;
} ss_h5_row;

typedef struct ss_h5_groups {
    hid_t contacts, joints, driven, elements, outputs, events, names;
} ss_h5_groups;

/* A contact and the number of its name. */
typedef struct ss_numbered_contact {
    ss_contact_id id;
    int number;
} ss_numbered_contact;

/* Names of contacts, and the contacts of the last state that was written, sorted by id: as a rule those of the next one have the
 * same names. */
typedef struct ss_numbered_contacts {
    ss_name_table names;           /* all that were met so far */
    ss_numbered_contact *c, *next; /* next: scratch */
    int n, cap, next_cap;
} ss_numbered_contacts;

typedef struct ss_h5_result_file {
    ss_context *ctx;
    char *path;
    ss_claim claim;
    hid_t file;
    ss_result_settings how;
    ss_h5_groups group;
    ss_h5_column column[COLUMNS];
    ss_numbered_contacts numbered;
    int64_t contact_rows;                       /* so far, on disk and waiting            */
    ss_h5_row reaction, driven, stress, output; /* of a state                     */
    int most_waiting;                           /* rows before they are handed over       */
    hsize_t safe_rows;                          /* states of the last flush               */
} ss_h5_result_file;

/* Columns of /energy and /certificate. */
#define SS_COUNT_ENTRY(name, doc) +1
enum { ENERGIES = 6 SS_LEDGER_LIST(SS_COUNT_ENTRY), CERTIFICATES = 11 };
#undef SS_COUNT_ENTRY

/* The file with all its datasets, empty but for the first offset of /contacts. Path and claim are set before. */
ss_status ss_h5_layout_create(ss_h5_result_file *f, const ss_scene *scene, const ss_sim *sim);

/* Nodes and elements of solids (result_h5_solids.c); nothing where there are none. */
ss_status ss_h5_solids_write(ss_h5_result_file *f, const ss_model *m);

#endif
