/* result_contacts.h - the contacts of an HDF5 result, used by the reader of results only. */
#ifndef SS_RESULT_CONTACTS_H
#define SS_RESULT_CONTACTS_H

#include "io/h5_read.h"
#include <slipstick/io.h>

enum { SS_CONTACT_TABLES = 7 };

/* The tables of /contacts; they are opened when they are first asked for. */
typedef struct ss_h5_contacts {
    bool opened;
    int64_t rows; /* contacts of all states: what the shortest table has */
    ss_h5_table table[SS_CONTACT_TABLES];
} ss_h5_contacts;

void ss_h5_contacts_begin(ss_h5_contacts *contacts);
void ss_h5_contacts_end(ss_h5_contacts *contacts);
/* As ss_result_read_offsets and ss_result_read_contacts say. */
ss_status ss_h5_contacts_offsets(const ss_h5_source *source, ss_h5_contacts *contacts, int64_t first, int64_t count,
                                 int64_t *offset);
ss_status ss_h5_contacts_read(const ss_h5_source *source, ss_h5_contacts *contacts, int64_t first, int64_t count,
                              ss_result_contact *out);

#endif
