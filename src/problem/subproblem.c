/* subproblem.c - some islands of a one-step problem cut out as a problem of their own.
 *
 * Islands do not feel each other: rows of A, G, H (local form: of W) that belong to an island have entries in its own columns
 * only, besides stored zeros, which are left out. Blocks, joint rows and contacts keep their order within an island; islands
 * follow each other in the order in which they are listed.
 *
 * Cost   linear in the entries of the part; all memory from the arena */
#include "problem/subproblem.h"

static ss_status take_integers(ss_arena *arena, int count, int **out)
{
    return ss_arena_take(arena, (size_t)count, sizeof **out, out);
}

static ss_status take_numbers(ss_arena *arena, int count, double **out)
{
    return ss_arena_take(arena, (size_t)count, sizeof **out, out);
}

/* ---- what belongs to an island ------------------------------------------------------------------ */

/* items by island; those of no island with contacts go to the last group */
static ss_status sort_items(ss_arena *arena, int islands, int items, const int *island, ss_groups *out)
{
    int *group;
    SS_TRY(take_integers(arena, items, &group));
    for (int k = 0; k < items; k++) {
        group[k] = island[k] >= 0 && island[k] < islands ? island[k] : islands;
    }
    return ss_groups_make(arena, islands + 1, items, group, out);
}

ss_status ss_island_members_find(ss_arena *arena, const ss_problem *p, const ss_islands *islands, ss_island_members *out)
{
    *out = (ss_island_members){ 0 };
    for (int k = 0; k < p->nc; k++) { /* islands are numbered by their first contact */
        out->islands = islands->of_contact[k] >= out->islands ? islands->of_contact[k] + 1 : out->islands;
    }
    SS_TRY(sort_items(arena, out->islands, p->nc, islands->of_contact, &out->contacts));
    SS_TRY(sort_items(arena, out->islands, p->local ? 0 : p->nj, islands->of_joint, &out->joints));
    return sort_items(arena, out->islands, p->local ? 0 : p->scale.blocks, islands->of_block, &out->blocks);
}

/* the items of all groups of the part, one after the other */
static ss_status list_items(ss_arena *arena, const ss_groups *all, int count, const int *group, int **item, int *items)
{
    int total = 0;
    for (int k = 0; k < count; k++) {
        total += all->first[group[k] + 1] - all->first[group[k]];
    }
    SS_TRY(take_integers(arena, total, item));
    *items = 0;
    for (int k = 0; k < count; k++) {
        for (int e = all->first[group[k]]; e < all->first[group[k] + 1]; e++) {
            (*item)[(*items)++] = all->item[e];
        }
    }
    return SS_OK;
}

/* ---- matrices ------------------------------------------------------------------------------------ */

/* the given rows; place: columns of the part */
static ss_status take_rows(ss_arena *arena, const ss_csr *from, int rows, const int *row, int columns, const int *place,
                           ss_csr *to)
{
    int entries = 0;
    for (int k = 0; k < rows; k++) {
        entries += from->p[row[k] + 1] - from->p[row[k]];
    }
    *to = (ss_csr){ .m = rows, .n = columns, .p_cap = rows + 1, .nz_cap = entries };
    SS_TRY(take_integers(arena, rows + 1, &to->p));
    SS_TRY(take_integers(arena, entries, &to->i));
    SS_TRY(take_numbers(arena, entries, &to->x));
    for (int k = 0; k < rows; k++) {
        to->p[k + 1] = to->p[k];
        for (int e = from->p[row[k]]; e < from->p[row[k] + 1]; e++) {
            if (from->x[e] != 0) { /* a stored zero may lead out of the island */
                to->i[to->p[k + 1]] = place[from->i[e]];
                to->x[to->p[k + 1]++] = from->x[e];
            }
        }
    }
    return SS_OK;
}

static ss_status take_blocks(ss_arena *arena, const ss_blockdiag *from, int blocks, const int *block, ss_blockdiag *to)
{
    int *offset, *size, *start, entries = 0;
    SS_TRY(take_integers(arena, blocks, &offset));
    SS_TRY(take_integers(arena, blocks, &size));
    SS_TRY(take_integers(arena, blocks, &start));
    *to = (ss_blockdiag){ .blocks = blocks, .offset = offset, .size = size, .start = start };
    for (int k = 0; k < blocks; k++) {
        offset[k] = to->n;
        size[k] = from->size[block[k]];
        start[k] = entries;
        to->n += size[k];
        entries += size[k] * size[k];
    }
    SS_TRY(take_numbers(arena, entries, &to->x));
    for (int k = 0; k < blocks; k++) {
        memcpy(to->x + start[k], from->x + from->start[block[k]], (size_t)(size[k] * size[k]) * sizeof *to->x);
    }
    return SS_OK;
}

static ss_status take_matrix(ss_arena *arena, const ss_problem *whole, const int *place, ss_subproblem *part)
{
    const ss_matrix *A = &whole->A;
    ss_problem *p = &part->problem;
    const int blocks = p->scale.blocks;
    p->A.symmetric = A->symmetric;
    if (A->diagonal.blocks > 0) {
        SS_TRY(take_blocks(arena, &A->diagonal, blocks, part->block, &p->A.diagonal));
    }
    return A->sparse.m > 0 ? take_rows(arena, &A->sparse, p->nv, part->velocity, p->nv, place, &p->A.sparse) : SS_OK;
}

/* ---- vectors --------------------------------------------------------------------------------------- */

static ss_status pick(ss_arena *arena, const double *from, int count, const int *item, double **to)
{
    SS_TRY(take_numbers(arena, count, to));
    for (int k = 0; k < count; k++) {
        (*to)[k] = from[item[k]];
    }
    return SS_OK;
}

/* where the velocities (local form: the contact rows) of the part are in it */
static ss_status number_velocities(ss_arena *arena, const ss_problem *whole, int *place, ss_subproblem *part)
{
    const ss_blockdiag *B = &whole->scale;
    SS_TRY(take_blocks(arena, B, part->problem.scale.blocks, part->block, &part->problem.scale));
    part->problem.nv = part->velocities = part->problem.scale.n;
    SS_TRY(take_integers(arena, part->velocities, &part->velocity));
    int next = 0;
    for (int k = 0; k < part->problem.scale.blocks; k++) {
        for (int i = B->offset[part->block[k]]; i < B->offset[part->block[k]] + B->size[part->block[k]]; i++) {
            place[i] = next;
            part->velocity[next++] = i;
        }
    }
    return SS_OK;
}

static ss_status number_rows(ss_arena *arena, const ss_problem *whole, ss_subproblem *part)
{
    ss_problem *p = &part->problem;
    SS_TRY(take_integers(arena, p->nc + 1, &p->row));
    for (int k = 0; k < p->nc; k++) {
        p->row[k + 1] = p->row[k] + whole->row[part->contact[k] + 1] - whole->row[part->contact[k]];
    }
    part->rows = p->row[p->nc];
    SS_TRY(take_integers(arena, part->rows, &part->contact_row));
    for (int k = 0; k < p->nc; k++) {
        for (int i = 0; i < p->row[k + 1] - p->row[k]; i++) {
            part->contact_row[p->row[k] + i] = whole->row[part->contact[k]] + i;
        }
    }
    return SS_OK;
}

static ss_status take_directions(ss_arena *arena, const ss_problem *whole, ss_subproblem *part)
{
    ss_problem *p = &part->problem;
    SS_TRY(take_integers(arena, p->nc + 1, &p->dir));
    for (int k = 0; k < p->nc; k++) {
        p->dir[k + 1] = p->dir[k] + whole->dir[part->contact[k] + 1] - whole->dir[part->contact[k]];
    }
    SS_TRY(take_numbers(arena, 2 * p->dir[p->nc], &p->direction));
    for (int k = 0; k < p->nc; k++) {
        for (int e = 0; e < 2 * (p->dir[k + 1] - p->dir[k]); e++) {
            p->direction[2 * p->dir[k] + e] = whole->direction[2 * whole->dir[part->contact[k]] + e];
        }
    }
    return SS_OK;
}

/* A host is in the island of its moments, and before them. */
static ss_status take_hosts(ss_arena *arena, const ss_problem *whole, int *place, ss_subproblem *part)
{
    ss_problem *p = &part->problem;
    SS_TRY(take_integers(arena, p->nc, &p->host));
    for (int k = 0; k < p->nc; k++) {
        place[part->contact[k]] = k;
    }
    for (int k = 0; k < p->nc; k++) {
        p->host[k] = p->law[k] == SS_LAW_ROLLING ? place[whole->host[part->contact[k]]] : k;
    }
    return SS_OK;
}

static ss_status take_laws(ss_arena *arena, const ss_problem *whole, int *place, ss_subproblem *part)
{
    ss_problem *p = &part->problem;
    SS_TRY(ss_arena_take(arena, (size_t)p->nc, sizeof *p->law, &p->law));
    for (int k = 0; k < p->nc; k++) {
        p->law[k] = whole->law[part->contact[k]];
    }
    SS_TRY(whole->host ? take_hosts(arena, whole, place, part) : SS_OK);
    SS_TRY(pick(arena, whole->mu, p->nc, part->contact, &p->mu));
    SS_TRY(whole->compliance ? pick(arena, whole->compliance, p->nc, part->contact, &p->compliance) : SS_OK);
    SS_TRY(pick(arena, whole->w, part->rows, part->contact_row, &p->w));
    return whole->dir ? take_directions(arena, whole, part) : SS_OK;
}

/* ---- the part ---------------------------------------------------------------------------------------- */

static ss_status take_solution(ss_arena *arena, ss_subproblem *part)
{
    const ss_problem *p = &part->problem;
    SS_TRY(take_numbers(arena, p->nv, &part->solution.v));
    SS_TRY(take_numbers(arena, p->nj, &part->solution.lam));
    SS_TRY(take_numbers(arena, part->rows, &part->solution.r));
    SS_TRY(take_numbers(arena, part->rows, &part->solution.u));
    return ss_arena_take(arena, (size_t)p->nc, sizeof *part->solution.basis, &part->solution.basis);
}

static ss_status take_local(ss_arena *arena, const ss_problem *whole, int *place, ss_subproblem *part)
{
    for (int i = 0; i < part->rows; i++) {
        place[part->contact_row[i]] = i;
    }
    return take_rows(arena, &whole->W, part->rows, part->contact_row, part->rows, place, &part->problem.W);
}

static ss_status take_global(ss_arena *arena, const ss_problem *whole, int *place, ss_subproblem *part)
{
    ss_problem *p = &part->problem;
    double *old;
    SS_TRY(number_velocities(arena, whole, place, part));
    SS_TRY(take_matrix(arena, whole, place, part));
    SS_TRY(take_rows(arena, &whole->H, part->rows, part->contact_row, p->nv, place, &p->H));
    SS_TRY(take_rows(arena, &whole->G, p->nj, part->joint, p->nv, place, &p->G));
    SS_TRY(pick(arena, whole->b, p->nv, part->velocity, &p->b));
    SS_TRY(pick(arena, whole->c, p->nj, part->joint, &p->c));
    if (whole->v_old) {
        SS_TRY(pick(arena, whole->v_old, p->nv, part->velocity, &old));
        p->v_old = old;
    }
    return SS_OK;
}

ss_status ss_subproblem_make(ss_arena *arena, const ss_problem *whole, const ss_island_members *members, int count,
                             const int *group, int *place, ss_subproblem *part)
{
    *part = (ss_subproblem){ .problem = ss_problem_make(whole->dimension) };
    ss_problem *p = &part->problem;
    p->local = whole->local;
    SS_TRY(list_items(arena, &members->contacts, count, group, &part->contact, &p->nc));
    SS_TRY(list_items(arena, &members->joints, count, group, &part->joint, &p->nj));
    SS_TRY(list_items(arena, &members->blocks, count, group, &part->block, &p->scale.blocks));
    SS_TRY(number_rows(arena, whole, part));
    SS_TRY(take_laws(arena, whole, place, part));
    SS_TRY(whole->local ? take_local(arena, whole, place, part) : take_global(arena, whole, place, part));
    return take_solution(arena, part);
}

void ss_subproblem_read(ss_subproblem *part, const ss_solution *whole)
{
    part->solution.warm = whole->warm;
    for (int i = 0; i < part->velocities; i++) {
        part->solution.v[i] = whole->v[part->velocity[i]];
    }
    for (int i = 0; i < part->problem.nj; i++) {
        part->solution.lam[i] = whole->lam[part->joint[i]];
    }
    for (int i = 0; i < part->rows; i++) {
        part->solution.r[i] = whole->r[part->contact_row[i]];
        part->solution.u[i] = whole->u[part->contact_row[i]];
    }
    for (int k = 0; k < part->problem.nc; k++) {
        part->solution.basis[k] = whole->basis[part->contact[k]];
    }
}

void ss_subproblem_write(const ss_subproblem *part, ss_solution *whole)
{
    for (int i = 0; i < part->velocities; i++) {
        whole->v[part->velocity[i]] = part->solution.v[i];
    }
    for (int i = 0; i < part->problem.nj; i++) {
        whole->lam[part->joint[i]] = part->solution.lam[i];
    }
    for (int i = 0; i < part->rows; i++) {
        whole->r[part->contact_row[i]] = part->solution.r[i];
        whole->u[part->contact_row[i]] = part->solution.u[i];
    }
    for (int k = 0; k < part->problem.nc; k++) {
        whole->basis[part->contact[k]] = part->solution.basis[k];
    }
}
