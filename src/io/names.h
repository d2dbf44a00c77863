/* names.h - names that a result file holds once: plain lists, and tables that give every name a number. */
#ifndef SS_NAMES_H
#define SS_NAMES_H

#include "base/base.h"

/* Copies of names in the order in which they were added. Zeros are an empty list. */
typedef struct ss_name_list {
    char **text;
    int n, capacity;
} ss_name_list;
ss_status ss_name_list_add(ss_context *ctx, ss_name_list *list, const char *text);
void ss_name_list_clear(ss_context *ctx, ss_name_list *list); /* frees all; the list is empty then */

/* A list without repetitions, in which a name is found through its hash. Zeros are an empty table. */
typedef struct ss_name_table {
    ss_name_list list;
    int *slot; /* open addressing: place in the list, -1: free */
    int slots;
} ss_name_table;
/* The number of a name, which is its place in the list. A name that is not there yet is appended and gets the next number. */
ss_status ss_name_table_number(ss_context *ctx, ss_name_table *table, const char *name, int *number);
bool ss_name_table_has(const ss_name_table *table, const char *name);
void ss_name_table_clear(ss_context *ctx, ss_name_table *table);

#endif
