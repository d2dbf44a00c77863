/* sweep_hosts.c - moments of rolling friction and the contacts that bear them, their hosts, laid out for sweeps (sweep.c says
 * what visits do with them). */
#include "problem/sweep_inside.h"

ss_status ss_sweep_set_apart(ss_sweep *s)
{
    const ss_problem *p = s->problem;
    s->contacts.apart = NULL;
    if (!p->host) {
        return SS_OK;
    }
    SS_TRY(ss_arena_take(s->arena, (size_t)p->nc, sizeof *s->contacts.apart, &s->contacts.apart));
    for (int k = 0; k < p->nc; k++) {
        s->contacts.apart[k] = s->contacts.apart[k] || p->law[k] == SS_LAW_ROLLING;
        if (p->law[k] == SS_LAW_ROLLING && p->law[p->host[k]] & (SS_LAW_ASSOCIATED | SS_LAW_ASSOCIATED_POLYHEDRAL)) {
            s->contacts.apart[p->host[k]] = true;
        }
    }
    return SS_OK;
}

/* the positions of hosts that moments lift */
static ss_status list_lifted(ss_sweep *s, const int *position)
{
    const ss_problem *p = s->problem;
    const size_t positions = (size_t)s->order.positions;
    SS_TRY(ss_arena_take(s->arena, positions, sizeof(int), &s->contacts.lifted));
    SS_TRY(ss_arena_take(s->arena, positions, sizeof(double), &s->contacts.lift));
    SS_TRY(ss_arena_take(s->arena, positions, sizeof(int), &s->contacts.next));
    SS_TRY(ss_arena_take(s->arena, positions, sizeof *s->contacts.together, &s->contacts.together));
    for (int k = 0; k < s->order.positions; k++) {
        s->contacts.next[k] = -1;
    }
    for (int k = 0; k < s->order.positions; k++) {
        const int contact = s->order.contact[k], host = s->contacts.host[k] >= 0 ? p->host[contact] : contact;
        const bool associated = p->law[host] & (SS_LAW_ASSOCIATED | SS_LAW_ASSOCIATED_POLYHEDRAL);
        s->contacts.lifted[k] = host != contact && associated ? position[host] : -1;
        if (s->contacts.lifted[k] >= 0) {
            s->contacts.next[k] = s->contacts.next[position[host]];
            s->contacts.next[position[host]] = k;
        }
    }
    return SS_OK;
}

ss_status ss_sweep_list_hosts(ss_sweep *s)
{
    const ss_problem *p = s->problem;
    const size_t positions = (size_t)s->order.positions;
    int *position;
    s->contacts.host = NULL;
    if (!p->host) {
        return SS_OK;
    }
    SS_TRY(ss_arena_take(s->arena, (size_t)p->nc, sizeof *position, &position));
    for (int k = 0; k < s->order.positions; k++) {
        position[s->order.contact[k]] = k;
    }
    SS_TRY(ss_arena_take(s->arena, positions, sizeof(int), &s->contacts.host));
    for (int k = 0; k < s->order.positions; k++) {
        const int contact = s->order.contact[k];
        s->contacts.host[k] = p->law[contact] == SS_LAW_ROLLING ? s->contacts.at[position[p->host[contact]]] : -1;
    }
    return list_lifted(s, position);
}
