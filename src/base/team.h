/* team.h - the threads of a context; parallel.c alone asks them for anything. */
#ifndef SS_TEAM_H
#define SS_TEAM_H

#include <slipstick/base.h>

typedef struct ss_team ss_team;

size_t ss_team_size(void);
/* A team in memory of that size; no thread is started yet. */
void ss_team_open(ss_team *team);
/* Ends its threads. */
void ss_team_close(ss_team *team);
/* call(data, k) for k = 0 .. calls-1 on at most `threads` threads, the caller's among them, each k once. Returns when all are
 * done. Called from within a call, or while another thread has asked for something, it does all of them alone. */
void ss_team_run(ss_team *team, int threads, int calls, void (*call)(const void *data, int k), const void *data);

#endif
