/* usage.h - who is using a simulation: one call at a time, and the controller that is called between steps. */
#ifndef SS_USAGE_H
#define SS_USAGE_H

#include <pthread.h>
#include <slipstick/drive.h>
#include <stdatomic.h>

enum { SS_IDLE, SS_BUSY, SS_ASKING /* the controller, on the thread `asker` */ };

typedef struct ss_usage {
    atomic_int phase;
    pthread_t asker;
    ss_controller controller; /* update NULL: none                                         */
    double asked;             /* remembered: when it was called last; -INFINITY: never      */
} ss_usage;

/* A call that changes the simulation begins: SS_ERR_BUSY if another one has not ended. by_controller: it may come from the
 * controller. *before is for ss_usage_leave. */
ss_status ss_usage_enter(ss_sim *sim, bool by_controller, int *before);
void ss_usage_leave(ss_sim *sim, int before);

#endif
