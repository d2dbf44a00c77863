/* clusters.h - bodies that joints, springs or dampers tie together. */
#ifndef SS_CLUSTERS_H
#define SS_CLUSTERS_H

#include "base/base.h"
#include "problem/groups.h"
#include <slipstick/problem.h>

/* A cluster is a connected part of the blocks (bodies) under joint rows and entries of A.sparse; most are single bodies. An
 * impulse on one body of a cluster moves all of it, and nothing else until a contact passes it on. Clusters are numbered by
 * their first block. */
typedef struct ss_clusters {
    int count;
    int *of_block;  /* blocks                                                   */
    ss_groups list; /* the blocks of each cluster                               */
    bool *coupled;  /* clusters: A.sparse has entries there: its blocks alone do not solve it */
    bool *jointed;  /* clusters: joint rows touch it                            */
    int *velocities;
    int largest_coupled; /* velocities of the largest coupled cluster; 0: there is none */
} ss_clusters;

/* Of a problem in global form. The arrays live in the arena. */
ss_status ss_clusters_find(ss_arena *arena, const ss_problem *problem, ss_clusters *out);

#endif
