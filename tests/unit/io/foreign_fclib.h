/* foreign_fclib.h - FCLIB files as other programs write them, put together by hand. */
#ifndef SS_TEST_FOREIGN_FCLIB_H
#define SS_TEST_FOREIGN_FCLIB_H

#include "failing_allocator.h"
#include <hdf5.h>
#include <unistd.h>

static inline void temporary(char *path, size_t size) { snprintf(path, size, "/tmp/slipstick-read-%ld.hdf5", (long)getpid()); }

/* ---- files of others --------------------------------------------------------------------------- */

static inline hid_t group(hid_t parent, const char *name)
{
    return H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

static inline void put(hid_t parent, const char *name, hid_t type, int n, const void *data)
{
    hsize_t size = (hsize_t)n;
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t set = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(set >= 0 && (n == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0));
    H5Dclose(set);
    H5Sclose(space);
}

static inline void put_int(hid_t parent, const char *name, int value) { put(parent, name, H5T_NATIVE_INT, 1, &value); }

typedef struct matrix {
    int m, n, nz, np, ni;
    const int *p, *i;
    const double *x;
} matrix;

static inline void put_matrix(hid_t parent, const char *name, const matrix *a)
{
    hid_t at = group(parent, name);
    put_int(at, "m", a->m);
    put_int(at, "n", a->n);
    put_int(at, "nz", a->nz);
    put_int(at, "nzmax", a->ni);
    put(at, "p", H5T_NATIVE_INT, a->np, a->p);
    put(at, "i", H5T_NATIVE_INT, a->ni, a->i);
    put(at, "x", H5T_NATIVE_DOUBLE, a->ni, a->x);
    H5Gclose(at);
}

/* one contact in 2D, what the tests change set by them */
typedef struct foreign {
    const char *root;
    int dimension, contacts, rows;
    matrix W, M, H, G;
    double mu[2], q[5], f[4];
    bool rolling; /* there is a mu_r */
    double mu_r[2];
} foreign;

static inline void write_foreign(const char *path, const foreign *x)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), root = group(file, x->root);
    hid_t vectors = group(root, "vectors");
    put_int(root, "spacedim", x->dimension);
    put(vectors, "mu", H5T_NATIVE_DOUBLE, x->contacts, x->mu);
    if (x->rolling) {
        put(vectors, "mu_r", H5T_NATIVE_DOUBLE, x->contacts, x->mu_r);
    }
    if (x->W.m > 0) {
        put_matrix(root, "W", &x->W);
        put(vectors, "q", H5T_NATIVE_DOUBLE, x->rows, x->q);
    } else {
        put_matrix(root, "M", &x->M);
        put_matrix(root, "H", &x->H);
        put(vectors, "f", H5T_NATIVE_DOUBLE, x->M.m, x->f);
        put(vectors, "w", H5T_NATIVE_DOUBLE, x->rows, x->q);
    }
    if (x->G.m > 0) {
        put_matrix(root, "G", &x->G);
        put(vectors, "b", H5T_NATIVE_DOUBLE, x->G.n, x->f);
    }
    H5Gclose(vectors);
    H5Gclose(root);
    H5Fclose(file);
}

/* [2 1; 3 4] by rows */
static const int two_p[] = { 0, 2, 4 }, two_i[] = { 0, 1, 0, 1 };

static const double two_x[] = { 2, 1, 3, 4 };

static inline foreign local(void)
{
    return (foreign){ .root = "fclib_local",
                      .dimension = 2,
                      .contacts = 1,
                      .rows = 2,
                      .W = { 2, 2, -2, 3, 4, two_p, two_i, two_x },
                      .mu = { 0.5, 0.5 },
                      .q = { -1, 0.25 } };
}

/* ---- what is refused --------------------------------------------------------------------------- */

static inline int quiet(void **state)
{
    (void)state;
    return H5Eset_auto2(H5E_DEFAULT, NULL, NULL) < 0;
}

#endif
