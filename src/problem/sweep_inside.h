/* sweep_inside.h - what sweep.c, sweep_rows.c and sweep_hosts.c prepare, for sweep_visits.c, sweep_general.c, sweep_walk.c. */
#ifndef SS_SWEEP_INSIDE_H
#define SS_SWEEP_INSIDE_H

#include "problem/delassus.h"
#include "problem/islands.h"
#include "problem/one_contact.h"
#include "problem/sweep.h"
#include "problem/sweep_order.h"
#include "problem/sweep_packed.h"
#include "problem/sweep_pieces.h"

typedef enum ss_sweep_form {
    SS_SWEEP_VELOCITIES, /* u = H v + w, v kept up to date  */
    SS_SWEEP_ROWS,       /* u = W r + q                     */
    SS_SWEEP_NONE,       /* too large to be swept           */
} ss_sweep_form;

/* the islands: which form each has, its rows in the order of visits, the size of its free velocities */
typedef struct ss_sweep_islands_list {
    ss_sweep_form *form;
    int *first_row, *rows; /* islands+1; rows                  */
    double *size;          /* largest |q_i|/sqrt(d_i)          */
} ss_sweep_islands_list;

/* the contacts, by position in the order of visits */
typedef struct ss_sweep_contacts {
    ss_one_contact *one;    /* of those whose record does not tell it (ss_packed_one): one[number[k]] */
    int *number;            /* -1: it does                             */
    int *row;               /* first row of the contact                */
    int *at;                /* its first impulse: among those of the island; in row form among those of the problem */
    int *host;              /* of a moment: the normal impulse of its host; NULL: there are no moments */
    int *lifted;            /* of a moment: the position of its host, if that has an associated law; else -1 */
    double *lift;           /* of a moment: what it takes from u_N of its host */
    int *next;              /* of such a host: the position of its first moment; of a moment: that of the next one; -1: none */
    bool *together;         /* it is visited with its host, or that with its moments */
    double *slide;          /* s while frozen, else 0; less what moments take from u_N */
    bool *apart;            /* by contact: moments, and hosts that these lift; NULL: there are no moments */
    ss_sweep_measure *seen; /* scratch: by pieces of classes, ss_sweep_piece() */
} ss_sweep_contacts;

/* velocity form */
typedef struct ss_sweep_velocities {
    ss_packed packed;   /* contacts between loose bodies     */
    ss_pieces H, Y;     /* the others                        */
    ss_gram gram;       /* rows of those, cut along the blocks */
    double *x, *x_last; /* L' (v - v_free), L L' the blocks  */
    ss_groups blocks;   /* by island                         */
} ss_sweep_velocities;

/* row form */
typedef struct ss_sweep_rows_list {
    const ss_csr *W;
    ss_csr dense; /* W of the islands that have couplings */
    int *first;   /* positions: first row in W            */
    double *r;    /* impulses of all rows of the problem  */
} ss_sweep_rows_list;

struct ss_sweep {
    ss_context *ctx;
    ss_arena *own, *arena; /* the second one is in use: the caller's or its own */
    const ss_problem *problem;
    ss_kkt *kkt;
    ss_delassus *delassus;
    ss_contact_blocks blocks; /* that the contacts touch */
    ss_islands found;
    ss_sweep_order order;
    ss_sweep_islands_list islands;
    ss_sweep_contacts contacts;
    ss_sweep_velocities by_velocity;
    ss_sweep_rows_list by_rows;
    double *weight, *q; /* rows: d, free velocity */
};

/* Which contacts are visited in the general way, because of moments: contacts.apart. */
ss_status ss_sweep_set_apart(ss_sweep *s);
/* host, lifted, lift, next and together of s->contacts, once the impulses have their places. */
ss_status ss_sweep_list_hosts(ss_sweep *s);

/* sweep_rows.c: W of the islands in row form, and their contacts. */
ss_status ss_sweep_open_rows(ss_sweep *s);

/* What is done to the positions begin .. end-1 of a class, at most SS_SWEEP_PIECE of them. */
typedef void ss_sweep_work(void *data, int number, int begin, int end); /* number: of the class */
/* Do it to all positions of an island in their order; `apart`: on all threads where contacts share nothing. */
void ss_sweep_walk(const ss_sweep *s, int island, bool apart, ss_sweep_work *work, void *data);

/* rows of the contact at position k */
static inline int ss_sweep_rows_at(const ss_sweep *s, int k)
{
    return s->problem->row[s->order.contact[k] + 1] - s->contacts.row[k];
}

/* Open the contact at position k, which has a number, with its own block W. */
static inline void ss_sweep_open(const ss_sweep *s, int k, const double *W)
{
    ss_one_contact_open(&s->contacts.one[s->contacts.number[k]], s->problem, s->order.contact[k], W);
}

/* Contact k on its own; *made: where it is put if its record tells it. */
static inline const ss_one_contact *ss_sweep_one(const ss_sweep *s, int k, ss_one_contact *made)
{
    if (s->contacts.number[k] >= 0) {
        return &s->contacts.one[s->contacts.number[k]];
    }
    *made = ss_packed_one(&s->by_velocity.packed.place[k], s->by_velocity.packed.x);
    return made;
}

/* d of contact k, 0 if nothing can move it */
static inline double ss_sweep_mobility(const ss_sweep *s, int k)
{
    const int number = s->contacts.number[k];
    const double d =
        number >= 0 ? s->contacts.one[number].d : ss_packed_mobility(&s->by_velocity.packed.place[k], s->by_velocity.packed.x);
    return d > 0 ? d : 0;
}

/* the number of the piece of a class that begins at a position: of all pieces another one */
static inline int ss_sweep_piece(int class, int position) { return position / SS_SWEEP_PIECE + class; }

/* the first position of an island; of the last island plus one: the end */
static inline int ss_sweep_position(const ss_sweep *s, int island) { return s->order.first[ss_sweep_class(&s->order, island)]; }

#endif
